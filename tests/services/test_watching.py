"""Watching boards of others: what comes, what does not, and how it ends."""

import pytest
from sqlalchemy import select

from pbmserv.commands import subscribe
from pbmserv.services.admin.act import run_as
from pbmserv.services.admin.banning import ban, unban
from pbmserv.services.scheduler.retention import purge
from pbmserv.store.engine import reading
from pbmserv.store.outbox import QueuedMessage
from pbmserv.store.tables import subscriptions
from tests.services.post import Post, header_of, text_of

ALICE, BOB, CAROL = (f"{userid}@example.org" for userid in ("alice", "bob", "carol"))
WORDS = "The plugh is in the maze."


@pytest.fixture
def watched(post: Post) -> Post:
    """Alice plays Bob on board 101, and Carol watches, on either kind of database."""
    post.people(alice="sesame", bob="poppy", carol="tahini")
    post.mail(ALICE, "challenge alice bob -size=3x3")
    post.mail(CAROL, "subscribe 101")
    return post


def to_carol(letters: list[QueuedMessage]) -> list[QueuedMessage]:
    """Those of the letters that went to her."""
    return [letter for letter in letters if letter.recipient == CAROL]


def test_each_ply_comes_without_anybodys_words(watched: Post) -> None:
    """One mail a ply; chat brings none, nor does an offer between the players."""
    (letter,) = to_carol(watched.mail(ALICE, "move 101 b2", WORDS))
    assert "alice played B2. It is bob's turn." in text_of(letter)
    assert WORDS.encode() not in letter.raw
    assert to_carol(watched.mail(BOB, "chat 101", WORDS)) == []
    assert to_carol(watched.mail(ALICE, "propose 101")) == []
    assert len(to_carol(watched.mail(BOB, "move 101 c3"))) == 1
    assert len(watched.sent_to(ALICE)) == len({letter.message_id for letter in watched.sent_to(ALICE)})


def test_who_watches_cannot_play(watched: Post) -> None:
    """A move in answer to a watcher's mail is refused, however well it is proven whose it is."""
    (letter,) = to_carol(watched.mail(ALICE, "move 101 b2"))
    watched.answer(letter, "c3")
    assert watched.moves() == ["B2"]


def test_unsubscribing_by_the_mails_own_link(watched: Post) -> None:
    """The address proves whose wish it is; nobody else's mail to it ends anything."""
    (letter,) = to_carol(watched.mail(ALICE, "move 101 b2"))
    link = header_of(letter, "List-Unsubscribe").removeprefix("<mailto:").removesuffix(">")
    address, _, subject = link.partition("?subject=")
    assert subject == "unsubscribe%20101"
    asking = watched.with_server(confirm="ask")
    asking.send(asking.write(BOB, "unsubscribe 101", To=address), BOB, [address])
    assert len(to_carol(watched.mail(BOB, "move 101 c3"))) == 1
    asking.send(asking.write(CAROL, "unsubscribe 101", To=address), CAROL, [address])
    assert to_carol(watched.mail(ALICE, "move 101 a1")) == []


def test_it_ends_with_the_game(watched: Post) -> None:
    """The last board comes, and says that it is the last; the row goes when the house is tidied."""
    watched.mail(ALICE, "move 101 b2")
    watched.mail(BOB, "move 101 c3")
    (letter,) = to_carol(watched.mail(BOB, "resign 101"))
    assert "The game you watched is over." in text_of(letter)
    assert to_carol(watched.mail(ALICE, "chat 101", WORDS)) == []
    list(purge(watched.house, watched.clock(), watched.clock()))
    with reading(watched.house.engine) as connection:
        assert connection.execute(select(subscriptions)).all() == []


def test_what_the_operator_does_is_seen_too(watched: Post) -> None:
    """A move in a player's place is a ply like any other."""
    before = len(watched.sent_to(CAROL))
    assert run_as(watched.house, "alice", "move 101 b2", watched.clock()).done
    assert len(watched.sent_to(CAROL)) == before + 1


def test_who_is_banned_is_sent_no_board(watched: Post) -> None:
    """They could not say that they want it no more; it comes again when they may."""
    ban(watched.house, "carol", "", watched.clock())
    assert to_carol(watched.mail(ALICE, "move 101 b2")) == []
    unban(watched.house, "carol", "", watched.clock())
    assert len(to_carol(watched.mail(BOB, "move 101 c3"))) == 1


def test_a_board_has_so_many_watchers(watched: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each ply is mailed to all of them in one go."""
    monkeypatch.setattr(subscribe, "MOST_WATCHERS", 1)
    watched.people(dan="cumin")
    (told,) = watched.mail("dan@example.org", "subscribe 101")
    assert "that is the limit" in text_of(told)
    watched.mail(CAROL, "unsubscribe")
    (told,) = watched.mail("dan@example.org", "subscribe 101")
    assert "You will get board 101" in text_of(told)


def test_who_is_not_proven_watches_nothing_yet(watched: Post) -> None:
    """Anybody could have somebody else sent mail."""
    asking = watched.with_server(confirm="ask")
    watched.people(dan="cumin")
    (question,) = asking.mail("dan@example.org", "subscribe 101")
    watched.mail(ALICE, "move 101 b2")
    assert len(watched.sent_to("dan@example.org")) == 2
    asking.answer(question, "yes")
    watched.mail(BOB, "move 101 c3")
    assert "2 bob C3" in text_of(watched.sent_to("dan@example.org")[-1])
