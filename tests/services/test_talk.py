"""Words between players: who gets them, who does not, where they never show, and when there is an end to them."""

from datetime import timedelta

import pytest

from pbmserv.commands import policy
from pbmserv.services.admin.act import run_as
from pbmserv.services.scheduler.retention import purge
from pbmserv.store.engine import reading
from pbmserv.store.outbox import QueuedMessage
from pbmserv.store.tables import counts
from tests.services.post import Post, header_of, text_of

ALICE, BOB, CAROL = (f"{userid}@example.org" for userid in ("alice", "bob", "carol"))
WORDS = "The plugh is in the maze."


@pytest.fixture
def club(post: Post) -> Post:
    """Alice, Bob and Carol, on either kind of database."""
    post.people(alice="sesame", bob="poppy", carol="tahini")
    return post


def to(letters: list[QueuedMessage], address: str) -> list[str]:
    """The texts of those letters that went to an address."""
    return [text_of(letter) for letter in letters if letter.recipient == address]


def test_addresses_stay_hidden(club: Post) -> None:
    """Neither side sees the other's, in no header and no part."""
    letters = club.mail(ALICE, "message bob", WORDS)
    (answer,), (notice,) = to(letters, ALICE), to(letters, BOB)
    assert WORDS in notice
    assert "alice writes to you" in notice
    assert WORDS not in answer
    for letter in letters:
        other = {ALICE: BOB, BOB: ALICE}[letter.recipient]
        assert other.encode() not in letter.raw


def test_a_notice_is_answered_from_its_own_address(club: Post) -> None:
    """It is told how, and asked about: that address proves words to the players of boards that its mail showed."""
    asking = club.with_server(confirm="ask")
    (notice,) = [each for each in club.mail(ALICE, "message bob", WORDS) if each.recipient == BOB]
    (told,) = asking.answer(notice, "Where?")
    assert "message alice" in text_of(told)
    (question,) = asking.answer(notice, "message alice\nWhere?")
    sent = asking.answer(question, "yes\nIn the old library.")
    assert "In the old library." in to(sent, ALICE)[0]


def test_who_is_not_proven_waits_for_a_yes(club: Post) -> None:
    """Nothing goes to anybody before the owner of the address says so; the question does not repeat the words."""
    asking = club.with_server(confirm="ask")
    (question,) = asking.mail(ALICE, "message bob", WORDS)
    assert question.recipient == ALICE
    assert "yes" in text_of(question)
    assert "Your text below it (6 words) waits, too" in " ".join(text_of(question).split())
    assert WORDS not in text_of(question)
    letters = asking.answer(question, "yes")
    assert WORDS in to(letters, BOB)[0]


def test_who_has_blocked_gets_nothing_and_is_not_betrayed(club: Post) -> None:
    """The sender is told no reason."""
    club.mail(BOB, "block alice")
    (blocked,) = club.mail(ALICE, "message bob", WORDS)
    assert blocked.recipient == ALICE
    assert "block" not in text_of(blocked).lower()
    some = club.mail(ALICE, "message bob carol", WORDS)
    assert (len(to(some, BOB)), len(to(some, CAROL))) == (0, 1)
    club.mail(BOB, "set broadcast on")
    club.mail(CAROL, "set broadcast on")
    told = club.mail(ALICE, "broadcast", WORDS)
    assert (len(to(told, BOB)), len(to(told, CAROL))) == (0, 1)


def test_broadcasts_come_only_to_who_wants_them(club: Post) -> None:
    """Nobody does who has not said so, and one mail is enough to end it."""
    (nobody,) = club.mail(ALICE, "broadcast", WORDS)
    assert "nobody" in text_of(nobody)
    club.mail(BOB, "set broadcast on")
    (mail,) = [each for each in club.mail(ALICE, "broadcast", WORDS) if each.recipient == BOB]
    link = header_of(mail, "List-Unsubscribe")
    assert "subject=set%20broadcast%20off" in link
    asking = club.with_server(confirm="ask")
    address = link.removeprefix("<mailto:").partition("?")[0]
    asking.send(asking.write(BOB, "set broadcast off", To=address), BOB, [address])
    club.clock.move(days=2)
    assert to(club.mail(ALICE, "broadcast", WORDS), BOB) == []


def test_messages_come_to_an_end(club: Post) -> None:
    """Each who gets one counts; an hour later some more go, and not more than so many a day."""
    club.mail(ALICE, "challenge alice bob carol")
    sent = 0
    for _ in range(6):
        for _ in range(policy.MESSAGES_AN_HOUR.most // 2 + 1):
            sent += len(to(club.mail(ALICE, "message bob carol", WORDS), BOB))
        club.clock.move(hours=1, minutes=1)
    assert sent * 2 == policy.MESSAGES_A_DAY.most
    assert len(to(club.mail(BOB, "message alice", WORDS), ALICE)) == 1
    club.clock.move(days=1)
    assert len(to(club.mail(ALICE, "message bob", WORDS), BOB)) == 1


def test_a_broadcast_a_day(club: Post) -> None:
    """However often it is sent."""
    club.mail(BOB, "set broadcast on")
    assert sum(len(to(club.mail(ALICE, "broadcast", WORDS), BOB)) for _ in range(3)) == policy.BROADCASTS.most
    club.clock.move(days=1, minutes=1)
    assert len(to(club.mail(ALICE, "broadcast", WORDS), BOB)) == 1


@pytest.mark.parametrize(
    "lines",
    ["message bob\nchat 101", "101 b2\nmessage bob", "message bob\nmessage carol: Hi", "chat 101\nbroadcast"],
)
def test_words_for_one_are_heard_by_nobody_else(club: Post, lines: str) -> None:
    """A mail that does something else too sends its words to nobody."""
    club.mail(BOB, "set broadcast on")
    club.mail(ALICE, "challenge alice carol -size=3x3")
    letters = club.mail(ALICE, "", f"{lines}\n\n{WORDS}")
    assert not any(WORDS in text_of(letter) for letter in letters)


@pytest.mark.parametrize(
    "line",
    ["message bob: Where is it?", "Message Bob, Carol: Where is it?", "message bob, carol,\n\nWhere is it?"],
)
def test_forms_of_a_message(club: Post, line: str) -> None:
    """On the line behind a colon, or below it."""
    assert "| Where is it?" in to(club.mail(ALICE, "", line), BOB)[0]


def test_an_operator_can_speak_for_a_player(club: Post) -> None:
    """The words reach who is named."""
    assert run_as(club.house, "alice", f"message bob: {WORDS}", club.clock()).done
    assert WORDS in text_of(club.sent_to(BOB)[-1])


@pytest.mark.parametrize("line", ["Message from my wife: dinner is ready", "Message for you, below"])
def test_prose_is_no_message(club: Post, line: str) -> None:
    """In an answer to a board a sentence that begins like the command is one of greeting."""
    club.mail(BOB, "challenge alice bob -size=3x3")
    board = club.sent_to(ALICE)[-1]
    answer, *_ = club.answer(board, f"{line}\nb2")
    assert club.moves() == ["B2"]
    assert "Not done" not in text_of(answer)


def test_what_is_said_is_kept_nowhere_but_in_mails(club: Post) -> None:
    """Not in the masked mail where it stood on the line; that anything was said is soon forgotten."""
    club.mail(ALICE, "", f"message bob: {WORDS}")
    assert WORDS.encode() not in club.inbox()[-1].raw
    with reading(club.house.engine) as connection:
        noted = connection.execute(counts.select().where(counts.c.name == policy.MESSAGES_A_DAY.name)).all()
        assert len(noted) == 1
    list(purge(club.house, club.clock(), club.clock() + timedelta(days=3)))
    with reading(club.house.engine) as connection:
        assert connection.execute(counts.select()).all() == []


SIGNED = "Margaret Whitfield\nthe one of the chess club in Leeds"


def said_to_bob(club: Post, text: str) -> tuple[str, str]:
    """Alice's answer to the last mail with board 101, and the words that Bob gets."""
    board = next(each for each in club.sent_to(ALICE) if "Board 101" in header_of(each, "Subject"))
    letters = club.answer(board, text)
    told = to(letters, BOB)
    words = told[-1].partition("alice writes:\n")[2] if told else ""
    lines = [line.removeprefix("|").strip() for line in words.split("\n") if line.startswith("|")]
    return to(letters, ALICE)[0], "\n".join(lines)


@pytest.fixture
def board(club: Post) -> Post:
    """Alice plays Bob."""
    club.mail(ALICE, "challenge alice bob -size=3x3")
    return club


def test_a_signature_is_told_once(board: Post) -> None:
    """What tells how to reach somebody stays with us from the first mail on; a command sends it all the same."""
    signature = "Kind regards,\nMargaret Whitfield\nTel. +44 20 7946 0000"
    answer, said = said_to_bob(board, f"chat\n\nHello!\n\n{signature}")
    assert said == "Hello!"
    ready = [line.strip() for line in answer.split("\n") if line.startswith("    chat 101 ")]
    assert ready == [f"chat 101 {line}" for line in signature.split("\n")]
    answer, said = said_to_bob(board, f"chat\n\nHow are you?\n\n{signature}")
    assert (said, "Some lines" in answer) == ("How are you?", False)
    assert said_to_bob(board, ready[1])[1] == "Margaret Whitfield"


def test_a_long_notice_is_told_once(board: Post) -> None:
    """Right below the words, too, and however many lines it has."""
    notice = "\n".join(
        (
            "CONFIDENTIALITY NOTICE",
            "This e-mail and any files with it are confidential and may be privileged.",
            "If you are not the intended recipient, please delete it and tell the sender.",
            "We have checked this e-mail for viruses, but you should do so as well.",
            "Acme Widgets Ltd. is registered in Leeds.",
        )
    )
    answer, said = said_to_bob(board, f"chat\n\nHello!\n{notice}")
    assert (said, "Some lines" in answer) == ("Hello!", True)
    answer, said = said_to_bob(board, f"chat\n\nHow are you?\n{notice}")
    assert (said, "Some lines" in answer) == ("How are you?", False)


def test_what_stood_below_the_last_three_mails_is_a_signature(board: Post) -> None:
    """From the fourth on it goes to nobody, though nothing in it says what it is; and that is told once."""
    words = [f"Word {number} for today." for number in range(7)]
    got = [said_to_bob(board, f"chat\n\n{each}\n\n{SIGNED}") for each in words]
    whole = [f"{each}\n\n{SIGNED}" for each in words]
    assert [said for _, said in got] == [*whole[:3], *words[3:]]
    assert ["Some lines" in answer for answer, _ in got] == [False] * 3 + [True] + [False] * 3
    assert "    chat 101 Margaret Whitfield\n" in got[3][0]


def test_a_signature_alone_is_one_too(board: Post) -> None:
    """It is all that there is below the commands, and nobody gets it."""
    got = [said_to_bob(board, f"chat\n\n{SIGNED}") for _ in range(5)]
    assert [said for _, said in got] == [SIGNED] * 3 + ["", ""]
    assert "    chat 101 Margaret Whitfield\n" in got[3][0]


@pytest.mark.parametrize(
    "words", ["Your move!", "Your move", "Good luck!\nYour move!", "How are you today, dear Bob?"]
)
def test_what_is_said_each_time_is_none(board: Post, words: str) -> None:
    """Short words, and sentences."""
    assert [said_to_bob(board, f"chat\n\n{words}")[1] for _ in range(5)] == [words] * 5


def test_mails_that_are_deleted_teach_nothing(board: Post) -> None:
    """Then it takes three more."""
    for _ in range(3):
        said_to_bob(board, f"chat\n\nHello\n\n{SIGNED}")
    board.clock.move(minutes=1)
    list(purge(board.house, board.clock(), board.clock()))
    assert SIGNED in said_to_bob(board, f"chat\n\nHello\n\n{SIGNED}")[1]
