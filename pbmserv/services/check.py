"""Checking: every log is replayed, and every stored summary held against what its log adds up to.

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
from pbmserv.store import accounts, matches
from pbmserv.store.engine import reading, writing


@dataclass(frozen=True, slots=True)
class Difference:
    """A match that is not as it should be; `expected` is None where no summary could be written that mends it."""

    number: int
    what: str
    expected: Summary | None


def check(house: House, progress: Callable[[int, int], None] = lambda done, of: None) -> list[Difference]:
    """Replays all matches; `progress` is told how many of how many are done."""
    differences: list[Difference] = []
    with reading(house.engine, snapshot=True) as connection:
        every = matches.numbers(connection)
        for done, number in enumerate(every, 1):
            difference = _difference(connection, number)
            if difference is not None:
                differences.append(difference)
            progress(done, len(every))
    return differences


def _difference(connection: Connection, number: int) -> Difference | None:
    try:
        match, stored = matches.load(connection, number), matches.summary(connection, number)
        assert match is not None
        board = replay(match)
        expected = summarise(board.state)
    except BrokenLog as error:
        return Difference(number, str(error), None)
    except SQLAlchemyError:
        raise
    except Exception as error:
        # What can stand in damaged rows has no end; none of it may keep the other matches from being looked at.
        return Difference(number, f"board {number} cannot be replayed: {type(error).__name__}: {error}", None)
    if stored == expected and expected.status == "active" and accounts.FORMER in board.playing:
        return Difference(number, f"board {number} is active, but somebody at it was forgotten", None)
    if stored == expected:
        return None
    return Difference(number, f"stored {stored}, replayed {expected}", expected)


def rebuild(house: House, differences: list[Difference]) -> int:
    """Writes the summaries anew where the log says otherwise, and gives how many."""
    repairable = [difference for difference in differences if difference.expected is not None]
    with writing(house.engine) as connection:
        for difference in repairable:
            assert difference.expected is not None
            matches.lock(connection, [difference.number])
            match = matches.load(connection, difference.number)
            assert match is not None
            matches.write_summary(connection, difference.number, summarise(fold(match)))
    return len(repairable)
