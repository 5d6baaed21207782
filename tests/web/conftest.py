"""Houses to look at: one filled by mail, one with many boards, an empty one."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from pbmserv.commands.changes import NewPlayer
from pbmserv.commands.command import Decision
from pbmserv.commands.move import MovePlayed
from pbmserv.matches.log import Entry, Match
from pbmserv.matches.replay import replay
from pbmserv.store import accounts, matches
from pbmserv.store.engine import writing
from tests.web.club import NOON, Club, Get, asking, opened


@pytest.fixture(scope="session")
def club(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Club]:
    """Three players and five boards.

    101 alice vs bob is on at ply 5, with a comment; 102 bob vs Carol on 3x5 was declined; 103 of all three on 3x3
    goes on without alice; 104 alice vs bob on 3x3 was resigned; 105 bob vs alice was just begun.
    """
    with opened(tmp_path_factory.mktemp("club")) as club:
        alice, bob, carol = "alice@home.test", "bob@work.test", "carol@away.test"
        club.post(alice, "signup alice sesame")
        club.post(bob, "signup bob poppy")
        club.post(carol, "signup Carol linseed")
        club.post(alice, "challenge alice bob", "\r\nGood luck, you old walrus!")
        for number, move in enumerate(("c3", "c4", "d3", "d4", "a1")):
            club.post((alice, bob)[number % 2], f"move 101 {move}")
        club.post(bob, "challenge bob Carol -size=3x5 --unrated")
        club.post(carol, "resign 102")
        club.post(alice, "challenge alice bob carol -size=3x3")
        for sender, move in ((alice, "a1"), (bob, "b1"), (carol, "c3")):
            club.post(sender, f"move 103 {move}")
        club.post(alice, "resign 103")
        club.post(alice, "challenge alice bob -size=3x3")
        club.post(alice, "move 104 b2")
        club.post(bob, "move 104 a1")
        club.post(bob, "resign 104")
        club.post(bob, "challenge bob alice")
        yield club


@pytest.fixture(scope="session")
def get(club: Club) -> Get:
    """Asks for a page of the club."""
    return asking(club)


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[Club]:
    """A house with nobody in it."""
    with opened(tmp_path) as house:
        yield house


@pytest.fixture(scope="session")
def get_of_many(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Get]:
    """Asks for a page of a house with 120 boards, 101 to 220 by their last moves; ann plays on every third."""
    with opened(tmp_path_factory.mktemp("many")) as house:
        with writing(house.engine) as connection:
            for userid in ("ann", "ben", "cleo"):
                accounts.write_account_change(connection, NewPlayer(userid, f"{userid}@home.test", "-"), NOON)
            for number in range(101, 221):
                at = NOON + timedelta(minutes=number)
                userids = ("ann" if number % 3 == 0 else "cleo", "ben")
                match = Match(number, "cephalopod", "cephalopod/1", (), True, userids, "ben", NOON)
                entry = Entry(number, 1, at, "played", 0, "C3")
                after = replay(match.with_entries((entry,)))
                matches.write(
                    connection,
                    Decision(
                        MovePlayed(number, "C3"),
                        opened=match,
                        entries=(entry,),
                        boards=(after,),
                    ),
                )
        yield asking(house)
