"""Queued moves by mail: only their owner ever gets a word of them, and nobody plays what they did not mean."""

import re

import pytest
from sqlalchemy import select

from pbmserv.services.views import load_board
from pbmserv.store.outbox import QueuedMessage as Letter
from pbmserv.store.tables import conditional_moves, entries
from tests.services.post import Post, text_of

ALICE, BOB, CAROL = "alice@example.org", "bob@example.org", "carol@example.org"


@pytest.fixture
def club(post: Post) -> Post:
    """Board 101 of alice and bob; alice has played c3."""
    post.people(alice="sesame", bob="poppy", carol="tahini")
    post.mail(ALICE, "challenge alice bob")
    post.mail(ALICE, "101 c3")
    return post


def only(letters: list[Letter], address: str) -> str:
    """What the one letter to an address says."""
    (letter,) = [each for each in letters if each.recipient == address]
    return text_of(letter)


def kept(post: Post) -> list[tuple[int, str]]:
    """The seat and kind of every plan."""
    with post.house.engine.connect() as connection:
        return [
            tuple(row) for row in connection.execute(select(conditional_moves.c.seat, conditional_moves.c.kind))
        ]


def test_only_its_owner_is_told(club: Post) -> None:
    """Of all mails and of what the web shows, none but the owner's tells of a queue or of a submitted move."""
    club.mail(ALICE, "queue 101 if b2 then e5 if b4 then a5; if d1 then e4", text="and a comment for nobody")
    club.mail(BOB, "submit 101 d1")
    club.mail(BOB, "show 101")
    club.mail(CAROL, "show 101")
    club.mail(BOB, "chat 101", text="What will you do?")
    club.mail(BOB, "101 b2")
    club.mail(BOB, "101 a1")
    told = [letter for letter in club.letters() if re.search(r"queued|Queued|did not foresee", text_of(letter))]
    assert {letter.recipient for letter in told} == {ALICE}
    for letter in club.letters():
        said = letter.raw.decode().lower()
        if letter.recipient != ALICE:
            assert not re.search(r"\b(a5|e4)\b(?!\))", text_of(letter).lower()), said
            assert "comment for nobody" not in said
        if letter.recipient != BOB:
            assert "confirm 101" not in said
    board = load_board(club.house, 101)
    assert board is not None
    assert board.notes.below == ()
    assert club.moves() == ["C3", "B2", "E5", "A1"]


def test_the_owner_is_told_with_every_board(club: Post) -> None:
    """Until it is used up or dropped. Of the moves themselves the next mail that comes anyway tells."""
    club.mail(ALICE, "queue 101 if b2 then e5 if b4 then a5")
    line = "Your queued moves: if b2 then e5 if b4 then a5."
    assert line in " ".join(only(club.mail(ALICE, "show 101"), ALICE).split())
    assert line in " ".join(only(club.mail(BOB, "chat 101", text="Hello"), ALICE).split())
    assert [letter.recipient for letter in club.mail(BOB, "101 b2")] == [BOB], "it is bob's turn again"
    told = " ".join(only(club.mail(BOB, "chat 101", text="Well!"), ALICE).split())
    assert "Your queued moves: if b4 then a5. Nobody else" in told
    club.mail(BOB, "101 b4")
    assert "Your queued moves:" not in only(club.mail(BOB, "chat 101", text="Well!"), ALICE)
    assert kept(club) == []


def test_one_mail_to_each(club: Post) -> None:
    """However many plies two queues play; each is an entry of the log that took no time of its player."""
    club.mail(ALICE, "queue 101 if b1 then e5 if b4 then a5 if d1 then a3")
    letters = club.mail(BOB, "queue 101 b1 if e5 then b4 if a5 then d1 if a3 then e1")
    assert sorted(letter.recipient for letter in letters) == [ALICE, BOB]
    assert club.moves() == ["C3", "B1", "E5", "B4", "A5", "D1", "A3", "E1"]
    with club.house.engine.connect() as connection:
        used = connection.execute(select(entries.c.used).where(entries.c.seq > 2)).scalars().all()
    assert set(used) == {0}


def test_what_was_not_seen_is_not_answered(club: Post) -> None:
    """A second move in one mail is not played on a board that a queue has changed in between."""
    club.mail(ALICE, "queue 101 if b2 then e5")
    letters = club.mail(BOB, text="101 b2\n101 d4")
    assert "move 4 comes next" in only(letters, BOB)
    assert club.moves() == ["C3", "B2", "E5"]


def test_a_move_and_what_is_to_follow(club: Post) -> None:
    """In one mail: if the answer was ready, what is to follow is played at once."""
    club.mail(ALICE, "queue 101 if b2 then e5")
    club.mail(BOB, text="101 b2\nqueue 101 if e5 then d1; if e4 then d2")
    assert club.moves() == ["C3", "B2", "E5", "D1"]


def test_an_answer_to_an_old_board(club: Post) -> None:
    """Who has moved since does not mean the move at its beginning for today's board."""
    old = club.sent_to(BOB)[-1]
    club.mail(BOB, "101 b2")
    club.mail(ALICE, "101 e5")
    letters = club.answer(old, "queue d4 if c4 then b4")
    assert "You have moved on board 101 since" in only(letters, BOB)
    assert club.moves() == ["C3", "B2", "E5"]
    new = club.sent_to(BOB)[-1]
    club.answer(new, "queue d1 if c1 then b4")
    assert club.moves() == ["C3", "B2", "E5", "D1"]


def test_a_line_that_a_mail_program_broke(club: Post) -> None:
    """What is below would go to the other player as a comment."""
    letters = club.mail(BOB, text="queue 101 b2 if e5 then d4;\nif a5 then d2")
    assert [letter.recipient for letter in letters] == [BOB]
    assert "Perhaps your mail program has broken it" in " ".join(text_of(letters[0]).split())
    assert club.moves() == ["C3"]


def test_proof_is_needed(asking_post: Post) -> None:
    """Queueing binds: a From address alone queues nothing, and the question goes to the player."""
    post = asking_post
    post.people(alice="sesame", bob="poppy")
    post.mail(ALICE, "challenge alice bob")
    post.answer(post.sent_to(ALICE)[-1], "c3")
    (letter,) = post.mail(ALICE, "queue 101 if b2 then e5")
    assert letter.recipient == ALICE
    assert kept(post) == []
    post.answer(letter, "yes")
    assert kept(post) == [(0, "queue")]
    post.mail(ALICE, "queue 101 alice sesame off")
    assert kept(post) == []


def test_over_and_gone(club: Post) -> None:
    """Whoever has no part in a board any more has nothing in mind for it."""
    club.mail(ALICE, "queue 101 if b2 then e5")
    club.mail(BOB, "submit 101 d1")
    club.mail(BOB, "101 b1")
    club.mail(ALICE, "101 e5")
    assert kept(club) == [(1, "submit")]
    club.mail(ALICE, "queue 101 if b2 then e4")
    club.mail(BOB, "resign 101")
    assert kept(club) == []
    club.mail(CAROL, "challenge carol alice bob")
    for address, move in ((CAROL, "c3"), (ALICE, "a1"), (BOB, "e5")):
        club.mail(address, f"102 {move}")
    club.mail(ALICE, "queue 102 if a5 then e1")
    club.mail(BOB, "queue 102 e2")
    club.mail(ALICE, "resign 102")
    assert kept(club) == [(2, "queue")]


def test_export_tells_its_owner_alone(club: Post) -> None:
    """Whoever asks what is kept is told of their queue and their open offer, and others are not."""
    club.mail(ALICE, "queue 101 if b2 then e5")
    club.mail(ALICE, "seek")
    told = " ".join(only(club.mail(ALICE, "export"), ALICE).split())
    assert "which nobody else can see: 1 2026-01-01 12:00 queue 101" in told
    assert "Open offers you are in: 1" in told
    told = " ".join(only(club.mail(BOB, "export"), BOB).split())
    assert "which nobody else can see: none" in told
    assert "Open offers you are in: none" in told
