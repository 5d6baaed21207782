"""Whole mails and what is read of them, beyond what `mails.txt` shows: bounds, secrets, and what is kept."""

from dataclasses import replace
from itertools import product

from pbmserv.commands import queue_notation
from pbmserv.parser.command_block import MOST_COMMANDS
from pbmserv.parser.parse import TooManyCommands, as_kept, parse_mail
from pbmserv.parser.parsed import MOST_COMMENT_CHARACTERS, IncomingMail, Parsed, ParsedMail, Unparsed
from tests.every import every, for_each
from tests.parser.meaning import of

ANSWER = "Re: Cephalopod Board 101: anna vs bob"


def mail(subject: str, text: str = "") -> IncomingMail:
    """A mail with that Subject and text."""
    return IncomingMail("anna@example.org", subject, text, "<1@example.org>", (), None, "key")


def read(subject: str, text: str = "") -> ParsedMail:
    """What is read of it."""
    return parse_mail(mail(subject, text))


def told(reading: ParsedMail) -> list[str]:
    """The meaning of each of its lines."""
    return [of(line) for line in reading.lines]


def test_what_stands_far_below() -> None:
    """A move is taken back far down; one in passing is found near the top alone."""
    asked = ["which? move 101 d4 | move 101 e5"]
    assert told(read(ANSWER, "d4\n" + "x\n" * 61 + "no wait, e5")) == asked
    assert told(read(ANSWER, "d4\n" + "Such a long letter. " * 30 + "No wait, e5.")) == asked
    assert read(ANSWER, "\n".join(["Hello"] * 30) + "\nb2") == ParsedMail(board=101)


def test_a_move_in_passing_in_an_answer_known_otherwise() -> None:
    """The Subject need not tell the board; without any board there is no move."""
    for text, near in [("I play b2", "b2"), ("I liked b2 and c3", ""), ("Thank you", "")]:
        assert parse_mail(mail("hello", text), 102) == ParsedMail(board=102, near=near)
        assert read("hello", text).near == ""


def test_who_writes_is_not_told_with_the_password() -> None:
    """Not even where the line stands in a wrong place."""
    reading = read("", "as anna sesame\n101 c3\nas bob poppy\n101 d4")
    assert [line.line for line in reading.lines] == ["move 101 c3", "as bob ***", "move 101 d4"]


def test_secrets_of_two_commands_are_not_kept() -> None:
    """Nor where nobody can know which of them is meant."""
    assert "sesame" not in as_kept(read("move 101 c3", "102 anna sesame d4"))


def test_the_answered_board_may_be_known_otherwise() -> None:
    """Then the Subject need not name it, and what it names does not count."""
    for subject in ("", "Good news", "Re: Cephalopod Board 102: anna vs bob", "Cephalopod Board 101: anna vs bob"):
        assert told(parse_mail(mail(subject, "c3"), 101)) == ["move 101 c3"]
    assert told(parse_mail(mail("c3", "Bye"), 101)) == ["move 101 c3"]
    assert told(parse_mail(mail("Re: hello", "Thank you"), 101)) == []


def test_stop_words() -> None:
    """They end the block, and words are no part of the comment; before it they end the reading.

    Dashes stay with what is below them: that may be a signature, and who passes words on must see it.
    """
    for stop in ("--", "stop", "quit", "end", "STOP", "\u2013\u2013", " end "):
        reading = read("", f"101 c3\n{stop}\nhelp")
        below = "help" if stop.strip().isalpha() else "--\nhelp"
        assert (told(reading), reading.comment) == (["move 101 c3"], below)
        assert told(read("", f"Hello\n{stop}\n101 c3")) == []


def test_twenty_commands() -> None:
    """So many are read, besides a line that says who writes; the rest is refused as one."""
    lines = [f"{number} c3" for number in range(101, 101 + MOST_COMMANDS)]
    assert len(read("", "\n".join(["as anna sesame", *lines, "Bye"])).lines) == MOST_COMMANDS
    reading = read("", "\n".join([*lines, "121 c3", "122 c3", "Bye"]))
    assert reading.lines[MOST_COMMANDS:] == (Unparsed("...", TooManyCommands(limit=MOST_COMMANDS)),)
    assert reading.lines[:MOST_COMMANDS] == read("", "\n".join(lines)).lines
    assert reading.comment == "Bye"
    assert told(read("", "\n".join([*lines, "121 c3"])))[-1] == "refused TooManyCommands"
    assert read("", "101 c3\n" * 200 + "Bye").comment == ""


def test_comment_is_bounded() -> None:
    """To 4,000 characters."""
    assert len(read("101 c3", "x" * 5000).comment) == MOST_COMMENT_CHARACTERS
    assert read("101 c3", "\n \n").comment == ""


def test_a_secret_is_not_cut_in_two() -> None:
    """Nor does blotting stretch the comment."""
    for before in range(MOST_COMMENT_CHARACTERS - 10, MOST_COMMENT_CHARACTERS + 1):
        comment = read("101 anna sesame c3", "x" * before + "sesame").comment
        assert "s" not in comment
        assert len(comment) <= MOST_COMMENT_CHARACTERS


@for_each(
    "text",
    [
        "Bye\nsesame",
        "s\u200besame, or \uff53\uff45\uff53\uff41\uff4d\uff45",
        "Now the other one: 102 anna sesame d4",
        "signup anna sesame",
    ],
)
def test_secrets_are_blotted_in_the_comment(text: str) -> None:
    """Wherever and in whatever dress they stand; the rest stays as written."""
    reading = read("101 anna sesame c3", f"{text}\n  (  spaces stay )")
    assert "sesame" not in reading.comment
    assert "\uff53" not in reading.comment
    assert reading.comment.endswith("\n  (  spaces stay )")


def test_secrets_of_lines_that_do_not_run() -> None:
    """Commands in a comment, in a forward, or below four lines of prose keep their secrets all the same."""
    lines = [
        "move 102 anna sesame d4",
        "102 anna sesame d4",
        "as anna sesame",
        "change password anna sesame tahini",
        "signup anna sesame",
        "cephalopod resign 102 anna sesame",
        "> move 102\nresign 102 anna sesame",
    ]
    places = [
        ("101 c3", "So long.\n"),
        ("", "101 c3\nAnd now\n"),
        ("", "101 c3\nstop\n"),
        ("Fwd: x", ""),
        ("", "a\nb\nc\nd\n"),
    ]

    def check(case: tuple[str, tuple[str, str]]) -> None:
        line, (subject, before) = case
        reading = read(subject, before + line)
        assert "sesame" not in reading.comment
        assert "sesame" not in as_kept(reading)

    every(product(lines, places), check)


def test_what_is_kept() -> None:
    """What was understood, without any secret; whatever else stood there may have been one."""
    for subject, text, expected in [
        ("move 101 c3", "Hi", "move 101 c3\n\nHi"),
        ("hello", "Hi", ""),
        ("Fwd: move 101 c3", "Hi", ""),
        ("move 101 anna sesame c3", "Hi  sesame", "move 101 anna *** c3\n\nHi ***"),
        ("Re:  hello", "My dear server\nas anna sesame\n101 c3\nHi", "move 101 c3\n\nHi"),
        ("move 101 sesame c3", "", "move 101 ..."),
        ("", "as anna d4xe5\n102 d4xe5\nmove", "move 102 ***\nmove"),
        (ANSWER, "Hi\nc3", "move 101 c3"),
    ]:
        assert as_kept(read(subject, text), frozenset({"anna"})) == expected


def test_a_link_of_ours() -> None:
    """It writes the same command into Subject and body: that is one command, and what follows is the comment."""

    def check(case: tuple[str, int | None, str]) -> None:
        command, answered, above = case
        reading = parse_mail(mail(f"Re: {command}", f"{above}{command}\n\nGood luck!\nSee you at d4"), answered)
        assert told(reading) == told(read(command))
        assert reading.comment == "Good luck!\nSee you at d4"

    commands = ["move 101 c3#8", "show 101", "resign 101", "help", "yes", "challenge anna bob"]
    every(product(commands, [None, 101, 102], ["", "\n \n", "Hello Bob,\n\n"]), check)


def test_a_token_that_begins_like_a_square() -> None:
    """It may stand below a move, and is not told as another one."""
    token = "c3d4" + "a" * 16
    sent = replace(mail(ANSWER, f"b2\n\n{token.upper()}"), tokens=(token,))
    assert told(parse_mail(sent)) == ["which? move 101 b2 | move 101 ***"]


@for_each("answer", ["yes", "Yes!", "YES", "yes, please", "No.", "no, thank you"])
def test_yes_and_no(answer: str) -> None:
    """They answer a question; above a move they are a greeting, below one a comment."""
    word = answer.split(",")[0].strip("!.").lower()
    for subject in ("Re: pbmserv: delete", ANSWER, ""):
        reading = read(subject, f"{answer}\nBye")
        assert (told(reading), reading.comment) == ([word], "Bye")
    assert told(read(answer, "")) == [word]
    assert told(read(ANSWER, f"{answer}\n\nc3\nBye")) == ["move 101 c3"]
    below = read(ANSWER, f"{answer}\nBye\n{answer}")
    assert (told(below), below.comment) == ([word], f"Bye\n{answer}")
    assert told(read(ANSWER, f"{answer}\nNo.\nBye")) == told(read("", f"{answer}\nNo.\nBye")) == [word, "no"]
    below = read(ANSWER, f"c3\n{answer}\nBye")
    assert (told(below), below.comment) == (["move 101 c3"], f"{answer}\nBye")


def test_a_plan_that_is_too_long_is_not_read_in_part() -> None:
    """Nothing is made of a plan whose line is cut off: its end might have made it another one."""
    for words in ("if a1 then b2; " * 300, "a1 b2; " * 300):
        (line,) = read("", f"queue 101 {words.rstrip('; ')}").lines
        assert isinstance(line, Parsed)
        plan = queue_notation.read(line.arguments.ahead)
        assert plan == queue_notation.Misread("", "", "cut")
