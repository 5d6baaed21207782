"""Mails that are slow to read: what they cost, and what they are answered. Regular expressions have a law of their
own (`tests/house/test_expressions.py`)."""

import sys
import time
from types import FrameType
from typing import Any

import pytest

from pbmserv.mail.reading.our_copies import OurWords
from pbmserv.mail.reading.read import MAX_TEXT, read
from pbmserv.parser.parsed import TooMuchAtOnce, Unparsed
from pbmserv.services.reply_text import reply_text
from tests.conftest import ADDRESS
from tests.held import nothing_slow_while_held
from tests.hostile.flooding import ALICE, EVE
from tests.hostile.large_mails import MAILS, of_a_stranger
from tests.services.post import Post, address_of, text_of

SIZE = 5_000
LARGE = 4 * SIZE

TOO_MUCH = "There is too much in your mail to read at once"


def calls_of(raw: bytes) -> int:
    """How many functions of any kind are called to read a mail and make commands of it."""
    count = 0

    def noted(frame: FrameType, event: str, arg: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(noted)
    try:
        understood(raw)
    finally:
        sys.setprofile(before)
    return count


def understood(raw: bytes) -> Any:
    """What is made of a mail in answer to a board."""
    mail = read(raw, EVE, ADDRESS)
    return reply_text(mail, OurWords(), 101, ADDRESS, frozenset({EVE}))


@pytest.mark.parametrize("name", MAILS)
def test_work_is_bounded(name: str) -> None:
    """Four times the mail is at most some four times the work."""
    few, many = calls_of(MAILS[name](SIZE)), calls_of(MAILS[name](LARGE))
    assert many < max(4.5 * few, 20_000)


def test_a_strangers_marks_of_mood_cost_little() -> None:
    """The mail that took seconds: 20 kB, 22 commands."""
    assert calls_of(MAILS["marks of mood"](4 * SIZE)) < 60_000


@pytest.mark.parametrize("name", ["short words for a move", "words of a game", "numbers and guards", "boards"])
def test_too_many_words_on_command_lines(club: Post, name: str) -> None:
    """Nothing of it is done; one sentence says so, and what would work."""
    personal = address_of(club.sent_to(ALICE)[-1])
    body = MAILS[name](2 * LARGE).decode().partition("\n\n")[2]
    with nothing_slow_while_held():
        (letter,) = club.mail(ALICE, "", f"101 a1\n{body}", to=personal)
    assert TOO_MUCH in text_of(letter)
    assert "    help" in text_of(letter)
    assert club.moves() == []


def test_more_text_than_is_read(club: Post) -> None:
    """A command below all that is read is not seen, and that is said; above it counts as ever."""
    personal = address_of(club.sent_to(ALICE)[-1])
    story = "It was a dark and stormy night.\n" * (MAX_TEXT // 32 + 1)
    (letter,) = club.mail(ALICE, "", f"{story}\na1", to=personal)
    assert TOO_MUCH in text_of(letter)
    assert club.moves() == []
    club.mail(ALICE, "", f"a1\n{story}", to=personal)
    assert club.moves() == ["A1"]


def test_as_much_as_people_write_is_read() -> None:
    """Twenty messages of a hundred and fifty words each."""
    text = "\n".join(f"message bob {'word ' * 150}" for _ in range(20))
    lines = understood(of_a_stranger(text)).parsed.lines
    assert not any(isinstance(line, Unparsed) and isinstance(line.error, TooMuchAtOnce) for line in lines)


def test_hundreds_of_bare_answers_are_no_more_than_a_few() -> None:
    """Each `yes` once copied all that stands below it."""
    assert len(understood(MAILS["yes"](LARGE)).parsed.lines) <= 21


@pytest.mark.parametrize(
    "marks", ["\u0316\u0301", "\u0316\u200b\u0301\ufe0f", "\uff9e\u3099\u0316", "\U0001d165\U0001d16e"]
)
def test_thousands_of_marks_on_one_letter(marks: str) -> None:
    """Marks in the wrong order upon one letter, plain or with what is not seen between them: putting them in order
    takes the square of their number.
    """
    begun = time.process_time()
    reply = understood(of_a_stranger("a" + marks * (LARGE // len(marks)) + "\n101 b2"))
    assert time.process_time() - begun < 2
    assert len(reply.mail.text) < 50
    assert understood(of_a_stranger("e\u0301te\u0316\u0301\n" * 3)).mail.text.count("\u0301") == 6
