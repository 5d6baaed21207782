"""What the inbox keeps of what became of a mail, and that it goes with the mail's words."""

from datetime import timedelta

import pytest
from sqlalchemy import select

from pbmserv.services.admin.traces import outcome_text
from pbmserv.services.posting import find_posted, see_fate
from pbmserv.services.scheduler.retention import purge
from pbmserv.store.engine import reading
from pbmserv.store.tables import inbox
from tests.conftest import PASSWORDS
from tests.services.post import Post

ALICE, BOB = "alice@example.org", "bob@example.org"


@pytest.fixture
def club(post: Post) -> Post:
    """Alice plays Bob on board 101, on either kind of database."""
    post.people(alice="sesame", bob="poppy")
    post.mail(ALICE, "challenge alice bob -size=3x3")
    return post


def told(club: Post) -> str:
    """What is told of the newest mail."""
    return outcome_text(club.house.server, kept(club))


def kept(club: Post) -> str:
    """What is kept of the newest mail."""
    with reading(club.house.engine) as connection:
        found: str = connection.execute(select(inbox.c.outcome).order_by(inbox.c.id.desc()).limit(1)).scalar_one()
    return found


def test_what_was_done_and_what_was_not(club: Post) -> None:
    """Each line by itself, in what its sender is told of it first."""
    club.mail(ALICE, "", "move 101 b2\nset html off\nmove 101 c3")
    done, setting, refused = told(club).splitlines()
    assert done == "You played B2 on board 101."
    assert setting == "Your mail is now plain text."
    assert refused.startswith("Not done: It is bob's turn")
    club.mail(BOB, "", "move 101 z9\nmove 101 c3")
    refused, not_run = told(club).splitlines()
    assert refused.startswith("Not done: ")
    assert not_run == "Not done, since an earlier line was refused."


def test_many_lines_are_not_all_told(club: Post) -> None:
    club.mail(ALICE, "", "\n".join(["list"] * 7))
    assert told(club).splitlines()[-1] == "There were 2 more lines."


def test_what_waits_for_a_yes(club: Post) -> None:
    club.with_server(confirm="ask").mail(ALICE, "move 101 b2")
    assert told(club).startswith("Not done yet: ")


@pytest.mark.parametrize(
    ("headers", "reason"),
    [
        ({"Auto_Submitted": "auto-replied"}, "its head says so"),
        ({"List_Id": "<chess.lists.example>"}, "it came over a mailing list"),
        ({"Precedence": "bulk"}, "its head says that it went to many"),
    ],
)
def test_silence_is_told_with_its_reason(club: Post, headers: dict[str, str], reason: str) -> None:
    assert club.mail(ALICE, "move 101 b2", **headers) == []
    assert told(club) == f"Nothing was done: no person seems to have written this mail ({reason})."


def test_a_second_copy(club: Post) -> None:
    raw = club.write(ALICE, "move 101 b2")
    club.send(raw, ALICE)
    club.send(raw, ALICE)
    assert told(club) == "Nothing was done: this is a second copy of a mail that was handled before."


def test_no_secret_is_kept(club: Post) -> None:
    """Nor what may be one: a password in the wrong place is blotted, as in answers."""
    for line in (
        "as alice sesame",
        "sesame move 101 b2",
        "change password sesame Fl0w-rr",
        "signup eve tahini x y",
    ):
        club.mail(ALICE, "", line)
        assert not any(word in kept(club) for word in PASSWORDS), line


def test_it_goes_with_the_mail(club: Post) -> None:
    list(purge(club.house, club.clock() + timedelta(days=1), club.clock() + timedelta(days=1)))
    with reading(club.house.engine) as connection:
        assert set(connection.execute(select(inbox.c.outcome)).scalars()) == {None}


def test_a_mail_is_found_by_its_id(club: Post) -> None:
    """While it waits and when it is handled, its raw bytes masked; nobody else's mail with that id is meant."""
    raw = club.write(ALICE, "move 101 b2", Message_ID="<one@example.org>")
    number = club.put(raw, ALICE)
    assert find_posted(club.house, ALICE, "<one@example.org>") == number
    waiting = see_fate(club.house, number, ALICE)
    assert waiting is not None
    assert (waiting.state, waiting.told) == ("waiting", "")
    club.work()
    assert find_posted(club.house, "Alice@Example.org", "<one@example.org>") == number
    assert find_posted(club.house, BOB, "<one@example.org>") is None
    handled = see_fate(club.house, number, ALICE)
    assert handled is not None
    assert handled.told == "You played B2 on board 101."
