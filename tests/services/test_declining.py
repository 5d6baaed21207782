"""A game of three and more that several decline, one after the other."""

import pytest

from pbmserv.services.admin.check import check
from tests.services.post import Post, text_of

ALICE, BOB, CAROL, DAVE = (f"{userid}@example.org" for userid in ("alice", "bob", "carol", "dave"))


@pytest.fixture
def club(sqlite_post: Post) -> Post:
    """Board 101 of four, which bob has declined."""
    sqlite_post.people(alice="sesame", bob="poppy", carol="pepper", dave="clove")
    sqlite_post.mail(ALICE, "cephalopod challenge alice bob carol dave")
    sqlite_post.mail(BOB, "resign 101")
    return sqlite_post


def said(post: Post, sender: str, subject: str) -> str:
    """What the sender is answered."""
    letters = [letter for letter in post.mail(sender, subject) if letter.recipient == sender]
    return " ".join(" ".join(map(text_of, letters)).split())


def players(post: Post, number: int) -> list[str]:
    """Who has been mailed a board that has just begun."""
    return sorted({letter.recipient for letter in post.letters() if letter.match == number})


def test_the_others_go_on_without_two_who_have_declined(club: Post) -> None:
    told = said(club, CAROL, "resign 101")
    assert "You declined this game. It does not count." in told
    assert "Not done" not in told
    assert "The game can go on without bob and carol" in text_of(club.sent_to(ALICE)[-1])
    club.mail(ALICE, "rematch 101")
    assert players(club, 102) == [ALICE, DAVE]
    assert check(club.house) == []


def test_one_who_has_declined_already_need_do_nothing(club: Post) -> None:
    told = said(club, BOB, "resign 101")
    assert "was declined. Nothing more can be played there, and you need do nothing." in told
    assert "rematch" not in told.partition("Summary")[0]
    assert "Well played" not in told


def test_too_few_are_left(club: Post) -> None:
    for sender in (CAROL, DAVE):
        club.mail(sender, "resign 101")
    assert "rematch" not in text_of(club.sent_to(ALICE)[-1])
    told = said(club, ALICE, "rematch 101")
    assert "bob, carol and dave declined board 101, so too few are left to play on." in told
    assert players(club, 102) == []


def test_a_decline_after_the_others_have_begun_anew(club: Post) -> None:
    club.mail(ALICE, "rematch 101")
    assert "it goes on as board 102, and you have a seat there" in said(club, CAROL, "resign 101")
