"""Ratings held against a recomputation from the logs, pool by pool, and written anew where they differ.

A pool of which a log cannot be replayed is left alone: nobody can tell then what its ratings should be.
"""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field

from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from pbmserv.matches.log import BrokenLog
from pbmserv.matches.pools import pool_named, pool_of
from pbmserv.matches.ratings import Change, RatingResult, reckoned
from pbmserv.matches.replay import GameState, fold, replay
from pbmserv.matches.state import Summary, summarise
from pbmserv.services.app import App
from pbmserv.store import accounts, match_numbers, matches, ratings
from pbmserv.store.engine import reading, writing


@dataclass(frozen=True, slots=True)
class WrongRatings:
    """The ratings of a pool are not what its matches give, from one of its boards on (0 where that is unknown)."""

    pool: str
    board: int
    what: str


@dataclass
class Reckoning:
    """Gathers what counts, board by board."""

    seated: dict[int, tuple[int, ...]]
    results: dict[str, list[RatingResult]] = field(default_factory=dict)

    def add(self, board: GameState) -> None:
        """Takes a board that was replayed."""
        result = ratings.result_of(board, self.seated.get(board.match.number, ()))
        if result is not None:
            self.results.setdefault(pool_of(board.match).name, []).append(result)

    def changes(self, pool: str) -> tuple[Change, ...]:
        """What every match of a pool has done, reckoned from the first on."""
        return reckoned({}, self.results.get(pool, ()))


def begin(connection: Connection) -> Reckoning:
    """A reckoning without any board yet."""
    return Reckoning(ratings.seated(connection))


def wrong_ratings(connection: Connection, reckoning: Reckoning, unknown: Collection[str]) -> list[WrongRatings]:
    """Each pool whose ratings differ; those of `unknown` pools are not looked at."""
    begun = ratings.recounted(connection)
    known = (ratings.pools(connection) | set(reckoning.results)) - set(unknown) - set(begun)
    found = (_difference(connection, pool, reckoning.changes(pool)) for pool in sorted(known))
    recounts = [
        WrongRatings(pool, board, f"the ratings of {pool} are being counted anew, from board {board} on")
        for pool, board in sorted(begun.items())
        if pool not in unknown
    ]
    return [*recounts, *(each for each in found if each is not None)]


def rate_anew(connection: Connection, pool: str) -> None:
    """Writes the ratings of a pool as its logs give them; meanwhile no match of it can end."""
    ratings.hold(connection, pool)
    reckoning = begin(connection)
    for number in match_numbers.over(connection, pool_named(pool)):
        match = matches.load(connection, number)
        assert match is not None
        reckoning.add(replay(match))
    ratings.replace_all(connection, pool, reckoning.changes(pool))


def _difference(connection: Connection, pool: str, expected: tuple[Change, ...]) -> WrongRatings | None:
    stored = ratings.stored_changes(connection, pool)
    if stored != expected:
        board = _first_difference(stored, expected)
        return WrongRatings(
            pool, board, f"from board {board} on the ratings of {pool} are not what its games give"
        )
    tallies = ratings.stored_tallies(connection, pool)
    if tallies != ratings.latest(expected):
        return WrongRatings(pool, 0, f"the ratings of {pool} are not what its last games gave")
    return None


def _first_difference(stored: Iterable[Change], expected: Iterable[Change]) -> int:
    """The board of the first change, in the order in which matches ended, that is not the same in both."""
    alone = set(stored) ^ set(expected)
    return min(alone, key=lambda each: (each.at, each.board)).board if alone else 0


@dataclass(frozen=True, slots=True)
class Difference:
    """A match that is not as it should be; `expected` is None where no summary could be written that mends it.

    `ratings` is the pool whose ratings are wrong from that match on, where it is that.
    """

    number: int
    what: str
    expected: Summary | None
    ratings: str | None = None

    @property
    def can_be_mended(self) -> bool:
        """Whether `rebuild` puts it in order."""
        return self.expected is not None or self.ratings is not None


def check(app: App, progress: Callable[[int, int], None] = lambda done, of: None) -> list[Difference]:
    """Replays all matches; `progress` is told how many of how many are done."""
    differences: list[Difference] = []
    with reading(app.engine, snapshot=True) as connection:
        every = match_numbers.numbers(connection)
        reckoning = begin(connection)
        for done, number in enumerate(every, 1):
            difference = _difference_check(connection, number, reckoning)
            if difference is not None:
                differences.append(difference)
            progress(done, len(every))
        broken = [each.number for each in differences if not each.can_be_mended]
        unknown = {pool.name for pool in match_numbers.pools_at(connection, broken)}
        wrong = wrong_ratings(connection, reckoning, unknown)
        differences += [Difference(each.board, each.what, None, each.pool) for each in wrong]
    return differences


def _difference_check(connection: Connection, number: int, reckoning: Reckoning) -> Difference | None:
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


def rebuild(app: App, differences: list[Difference]) -> int:
    """Writes summaries and ratings anew where the logs say otherwise, and gives how many: of each pool at once."""
    repairable = [difference for difference in differences if difference.expected is not None]
    with writing(app.engine) as connection:
        for difference in repairable:
            assert difference.expected is not None
            matches.lock(connection, [difference.number])
            match = matches.load(connection, difference.number)
            assert match is not None
            matches.write_summary(connection, difference.number, summarise(fold(match)))
    wrong = [difference.ratings for difference in differences if difference.ratings is not None]
    for pool in wrong:
        with writing(app.engine) as connection:
            rate_anew(connection, pool)
    return len(repairable) + len(wrong)
