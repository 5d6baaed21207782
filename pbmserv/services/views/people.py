"""The players, looked at."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final

from pbmserv.matches.player import Player
from pbmserv.matches.profile import Profile, RatedGame
from pbmserv.matches.rankings import Standings
from pbmserv.matches.rating import Section
from pbmserv.matches.records import Wanted
from pbmserv.matches.search import Search
from pbmserv.services.house import House
from pbmserv.store import listing, players, rankings
from pbmserv.store.engine import reading

MOST_BOARDS: Final = 20
"""Boards of each kind on the page of a player."""

MOST_DRAWN: Final = 300
"""Matches that a plot shows."""


def see_player(house: House, userid: str, now: datetime) -> Profile | None:
    """A player, whatever case the userid is in; None when nobody has it."""
    with reading(house.engine) as connection:
        player = players.find(connection, userid)
        if player is None:
            return None
        theirs = (player.userid,)
        # A robot, which may sit at thousands of boards, answers within a minute: nothing waits for it to be told.
        next_ones = Wanted(userids=theirs, filter="next", count=MOST_BOARDS)
        waiting = () if player.robot else listing.listing(connection, next_ones).lines
        running = listing.search(connection, Search(userids=theirs, count=2 * MOST_BOARDS))
        tallies = rankings.tallies(connection, player.id, None)
        return Profile(
            userid=player.userid,
            robot=player.robot,
            ratings=tuple(
                RatedGame(
                    game, tally, tally.section(now), rankings.course(connection, player.id, game, MOST_DRAWN)
                )
                for game, tally in tallies.items()
            ),
            waiting=waiting,
            others=tuple(line for line in running.lines if player.robot or line.to_move != player.userid)[
                :MOST_BOARDS
            ],
            running=running.total,
            results=rankings.results(connection, player.id, MOST_BOARDS),
            rated=sum(tally.counted for tally in tallies.values()),
        )


def see_standings(
    house: House, game: str, sections: Sequence[Section], now: datetime, first: int, count: int
) -> Standings:
    """A page of the players of a game."""
    with reading(house.engine) as connection:
        return rankings.standings(connection, game, sections, now, first, count)


def see_userids(
    house: House, typed: Sequence[str]
) -> tuple[Mapping[str, str | None], Mapping[str, Sequence[str]]]:
    """Userids as their owners write them, whatever case they were typed in, None for who does not exist; and what
    those that nobody has may be a slip for, best first, at most three each.
    """
    with reading(house.engine) as connection:
        found = {each: players.find(connection, each) for each in typed}
        similar = {each: players.similar(connection, each) for each in typed if found[each] is None}
    return {each: None if player is None else player.userid for each, player in found.items()}, similar


def see_similar_userids(house: House, typed: str) -> Sequence[str]:
    """The userids that it may be a slip for, best first, at most three."""
    with reading(house.engine) as connection:
        return players.similar(connection, typed)


def see_players(house: House) -> Sequence[Player]:
    """Everybody who has an account, by userid."""
    with reading(house.engine) as connection:
        return players.everybody(connection)
