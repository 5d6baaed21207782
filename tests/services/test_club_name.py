"""A club's name in its mails: in From, in Subjects without a board, in List-Id; and answers to such mails."""

import pytest

from pbmserv.mail.reading.automatic import machine_of
from tests.conversation import parsed
from tests.services.post import Post, text_of

ALICE, BOB = "alice@example.org", "bob@example.org"
NAMES = ("Chess Friends", "Smith, Jones & Co.", "Ann’s Café", "国际象棋俱乐部", "challenge", "yes", "Go", "a1")


@pytest.mark.parametrize("name", NAMES)
def test_answers_in_a_club_with_that_name(sqlite_post: Post, name: str) -> None:
    """The Subject of an answer is never a command, whatever the name reads like; the text below is."""
    club = sqlite_post.with_server(club_name=name)
    club.people(alice="sesame", bob="poppy")
    (letter,) = club.mail(ALICE, "help move")
    mail = parsed(letter.raw)
    assert mail["From"].addresses[0].display_name == name
    assert mail["Subject"] == f"{name}: help move"
    assert str(mail["List-Id"]) == f"{mail['From'].partition(' <')[0]} <boards.club.test>"
    (answer,) = club.answer(letter, "list")
    assert parsed(answer.raw)["Subject"] == f"{name}: list"
    club.mail(ALICE, "message bob", "Hello, you!")
    words = club.answer(club.sent_to(BOB)[-1], "The same to you.\n\nDid you win?")
    assert "message alice" in text_of(words[0])


@pytest.mark.parametrize("name", NAMES)
def test_receipts_in_a_club_with_that_name(name: str) -> None:
    """A receipt that says what was read, and answers nothing as far as its head tells, is a machine's."""
    assert machine_of(f"Read: {name}: signup", False, name) == "report"
    assert machine_of(f"Read: {name}: signup", False, "Another Club") is None
