"""Words put into a player's mouth: what programs and machines add to an answer must not reach the opponent."""

import random
import string
from collections.abc import Callable

import pytest

from tests.every import for_each
from tests.mail.replies import MINE, OURS, SERVER, SUBJECT, TEXT, html_of, leaked, moves, reading
from tests.services.post import Post, header_of, text_of

COMMENT = "Nice game, Anna!\nUntil next time: good luck."

Head = Callable[[random.Random], str]


def word(chance: random.Random, most: int = 9) -> str:
    letters = chance.choice(
        (string.ascii_lowercase, "абвгдежзиклмнопрстуфхц", "αβγδεζηθικλμνξοπρστ", "àéîõüçñøåß")
    )
    return "".join(chance.choices(letters, k=chance.randint(2, most)))


def some(chance: random.Random, most: int) -> str:
    return " ".join(word(chance) for _ in range(chance.randint(1, most)))


def when(chance: random.Random) -> str:
    return chance.choice(
        ("6.1.2025 10:12", "2025-01-06 10:12", "06/01/25, 10:12", "2025. 1. 6. 10.12", "1/6/2025 10h12")
    )


def attribution(chance: random.Random) -> str:
    parts = [some(chance, 2), when(chance), some(chance, 1), f"pbmserv <{OURS}>", some(chance, 2)]
    middle = parts[1:4]
    chance.shuffle(middle)
    return f"{parts[0]} {' '.join(middle)} {parts[4]}:\n\n"


def broken(chance: random.Random) -> str:
    return f"{some(chance, 2)} {when(chance)} {some(chance, 2)} pbmserv <\n{OURS}> {some(chance, 2)}:\n\n"


def nameless(chance: random.Random) -> str:
    return f"{some(chance, 2)} {when(chance)} {some(chance, 3)}:\n\n"


def unclosed(chance: random.Random) -> str:
    return f"{some(chance, 1)} {when(chance)} pbmserv <{OURS}>\n\n"


def block(chance: random.Random) -> str:
    values = [f"pbmserv <{OURS}>", when(chance), f"Bob <{MINE}>", SUBJECT]
    chance.shuffle(values)
    gap = chance.choice((": ", " : ", ":\t", "\uff1a"))
    return "".join(f"{word(chance).capitalize()}{gap}{value}\n" for value in values) + "\n"


def ruled(chance: random.Random) -> str:
    stroke = chance.choice(("-", "_", "*", "=", "~"))
    return stroke * chance.randint(8, 40) + "\n" + block(chance)


def titled(chance: random.Random) -> str:
    dashes = "-" * chance.randint(4, 16)
    return f"{dashes} {some(chance, 3)} {dashes}\n{block(chance)}"


def table(chance: random.Random) -> str:
    values = (f"pbmserv<{OURS}>", when(chance), MINE, SUBJECT)
    return "".join(f"| {word(chance)} | {value} |\n" for value in values)


def labels(chance: random.Random) -> str:
    values = (f"pbmserv <{OURS}>", when(chance), MINE, SUBJECT)
    return "".join(f"{word(chance)}\n{value}\n\n" for value in values)


def bold(chance: random.Random) -> str:
    values = (f"pbmserv [mailto:{OURS}]", when(chance), MINE, SUBJECT)
    return "".join(f"*{word(chance)}:* {value}\n" for value in values) + "\n"


HEADS: tuple[Head, ...] = (attribution, broken, nameless, unclosed, block, ruled, titled, table, labels, bold)
INVENTED = [(head, seed) for head in HEADS for seed in range(22)]


@for_each("head, seed", INVENTED, quick=30)
def test_heads_in_invented_languages(head: Head, seed: int) -> None:
    """Answer with a program in a language nobody knows, so that its head or our own mail goes to the opponent."""
    chance = random.Random(f"{head.__name__} {seed}")
    lead = head(chance)
    for comment in ("", COMMENT):
        own = f"c3\n\n{comment}" if comment else "c3"
        for known in (True, False):
            for got in (
                reading(f"{own}\n\n{lead}{TEXT}\n", known=known),
                reading(html_of(own, lead), html=True, known=known),
            ):
                assert moves(got) == ["move 101 c3"]
                assert leaked(got) == []
                if known or head is not nameless:
                    assert got.parsed.comment == comment


@for_each("head, seed", INVENTED, quick=30)
def test_heads_in_invented_languages_above_marked_quotes(head: Head, seed: int) -> None:
    """The same with `>` before each quoted line, so that only the unknown head is left over."""
    chance = random.Random(f"{head.__name__} {seed}")
    quote = "\n".join(f"> {line}".rstrip() for line in TEXT.split("\n"))
    got = reading(f"c3\n\n{COMMENT}\n\n{head(chance)}{quote}\n")
    assert (moves(got), got.parsed.comment, leaked(got)) == (["move 101 c3"], COMMENT, [])


@pytest.fixture
def club(sqlite_house: object, clock: object) -> Post:
    post = Post(sqlite_house, clock)  # type: ignore[arg-type]
    post.people(alice="sesame", bob="poppy")
    post.mail("alice@example.org", "challenge alice bob -size=3x3")
    return post


def said_to_bob(club: Post, text: str) -> tuple[str, str]:
    """What alice is answered, and what bob is told that she wrote."""
    board = club.sent_to("alice@example.org")[-1]
    letters = club.answer(board, text)
    answered = next(letter for letter in letters if letter.recipient == "alice@example.org")
    told = [letter for letter in letters if letter.recipient == "bob@example.org"]
    words = text_of(told[-1]).partition("alice writes:\n")[2] if told else ""
    lines = [line.removeprefix("| ").rstrip() for line in words.split("\n") if line.startswith("|")]
    return text_of(answered), "\n".join(lines)


def test_the_whole_way(club: Post) -> None:
    """Let a program with an unknown head copy our mail unmarked below a move and words."""
    board = club.sent_to("alice@example.org")[-1]
    head = f"Frob: pbmserv <{header_of(board, 'From')}>\nZilt: 6.1.2025 10:12\nKop: alice@example.org\n\n"
    answered, said = said_to_bob(club, f"b2\n\nHello there!\n\n{head}{text_of(board)}")
    assert said == "Hello there!"
    assert "Left out" not in answered


def test_what_is_left_out_is_told_with_a_command_that_works(club: Post) -> None:
    """Hide somebody's words below dashes, so that they are lost without a word."""
    answered, said = said_to_bob(club, "b2\n\nHello!\n--\nSee you in Rome")
    assert said == "Hello!"
    assert "Some lines were not passed on" in answered
    ready = next(line.strip() for line in answered.split("\n") if "    chat 101" in line)
    assert ready == "chat 101 See you in Rome"
    assert said_to_bob(club, ready)[1] == "See you in Rome"


def test_a_name_that_was_left_out_is_no_claim(club: Post) -> None:
    """Have the ready command refused, since a player's name in it is taken for a claim."""
    answered, _ = said_to_bob(club, "b2\n--\nbob is my friend")
    ready = next(line.strip() for line in answered.split("\n") if "    chat 101" in line)
    assert said_to_bob(club, ready)[1] == '"bob is my friend"'


def test_secrets_are_blotted_in_what_is_told(club: Post) -> None:
    """Write a password into a command and once more into a signature, so that it is mailed back."""
    (answer, *_) = club.mail("alice@example.org", "", "move 101 alice sesame b2\n--\nit is sesame, you know")
    assert "sesame" not in text_of(answer)
    assert "Some lines were not passed on" in text_of(answer)


def test_nothing_is_told_where_nothing_would_have_been_passed_on(club: Post) -> None:
    """Make us repeat a signature below each help page."""
    (answer,) = club.mail("alice@example.org", "help move", "--\nAlice Example, Rome")
    assert "Left out" not in text_of(answer)
    assert "Rome" not in text_of(answer)


def test_an_answer_that_holds_nothing_but_a_tail_of_ours_plays_nothing(club: Post) -> None:
    """Send back the end of our mail, whose example is a move."""
    board = club.sent_to("alice@example.org")[-1]
    tail = text_of(board)
    club.answer(board, tail[tail.index("To move") :])
    assert club.moves() == []


@pytest.mark.parametrize("address", [SERVER, OURS, MINE, f"<{MINE}>", f"Bob <{MINE}>", f"[mailto:{OURS}]"])
def test_loose_addresses(address: str) -> None:
    """Leave an address below a move, as signatures and broken heads do."""
    got = reading(f"c3\n\n{COMMENT}\n\n{address}\n")
    assert (got.parsed.comment, leaked(got) == [] or got.left_out != ()) == (COMMENT, True)
