"""Checking: every log is replayed, every stored summary held against what its log adds up to, and the ratings
against what all logs together give.

A board that goes on must not wait for somebody who was forgotten: nobody could end it.
"""

from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from pbmserv.matches.match import BrokenLog
from pbmserv.matches.replay import fold, replay
from pbmserv.matches.state import Summary, summarise
from pbmserv.services.house import House
from pbmserv.services.operator import rating_check
from pbmserv.services.operator.rating_check import Reckoning
from pbmserv.store import accounts, matches
from pbmserv.store.engine import reading, writing


@dataclass(frozen=True, slots=True)
class Difference:
    """A match that is not as it should be; `expected` is None where no summary could be written that mends it.

    `ratings` is the game whose ratings are wrong from that match on, where it is that.
    """

    number: int
    what: str
    expected: Summary | None
    ratings: str | None = None

    @property
    def can_be_mended(self) -> bool:
        """Whether `rebuild` puts it in order."""
        return self.expected is not None or self.ratings is not None


def check(house: House, progress: Callable[[int, int], None] = lambda done, of: None) -> list[Difference]:
    """Replays all matches; `progress` is told how many of how many are done."""
    differences: list[Difference] = []
    with reading(house.engine, snapshot=True) as connection:
        every = matches.numbers(connection)
        reckoning = rating_check.begin(connection)
        for done, number in enumerate(every, 1):
            difference = _difference(connection, number, reckoning)
            if difference is not None:
                differences.append(difference)
            progress(done, len(every))
        broken = [each.number for each in differences if not each.can_be_mended]
        unknown = matches.games_of(connection, broken)
        wrong = rating_check.wrong_ratings(connection, reckoning, unknown)
        differences += [Difference(each.board, each.what, None, each.game) for each in wrong]
    return differences


def _difference(connection: Connection, number: int, reckoning: Reckoning) -> Difference | None:
    try:
        match, stored = matches.load(connection, number), matches.summary(connection, number)
        assert match is not None
        board = replay(match)
        expected = summarise(board.state)
        is_end_noted = matches.is_end_noted(connection, number, expected)
        reckoning.add(board)
    except BrokenLog as error:
        return Difference(number, str(error), None)
    except SQLAlchemyError:
        raise
    except Exception as error:
        # What can stand in damaged rows has no end; none of it may keep the other matches from being looked at.
        return Difference(number, f"board {number} cannot be replayed: {type(error).__name__}: {error}", None)
    if stored != expected:
        return Difference(number, f"stored {stored}, replayed {expected}", expected)
    if expected.status == "active" and accounts.FORMER in board.playing:
        return Difference(number, f"board {number} is active, but somebody at it was forgotten", None)
    if not is_end_noted:
        return Difference(number, f"board {number} is {expected.status}, but its seats say otherwise", expected)
    return None


def rebuild(house: House, differences: list[Difference]) -> int:
    """Writes summaries and ratings anew where the logs say otherwise, and gives how many: of each game at once."""
    repairable = [difference for difference in differences if difference.expected is not None]
    with writing(house.engine) as connection:
        for difference in repairable:
            assert difference.expected is not None
            matches.lock(connection, [difference.number])
            match = matches.load(connection, difference.number)
            assert match is not None
            matches.write_summary(connection, difference.number, summarise(fold(match)))
    wrong = [difference.ratings for difference in differences if difference.ratings is not None]
    for game in wrong:
        with writing(house.engine) as connection:
            rating_check.rate_anew(connection, game)
    return len(repairable) + len(wrong)
