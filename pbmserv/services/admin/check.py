"""Holds everything that is derived from the logs against a replay of them, and writes anew what differs.

A check goes from board to board by number, some hundred at a time, and then from rated match to rated match, pool
by pool. It remembers no board: only what it has found, and one tally for each player of a pool. It can be
interrupted, and go on from a board. A pool with a log that cannot be replayed is left alone: nobody can tell what
its ratings should be.
"""

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import SQLAlchemyError

from pbmserv.mail.log_words import pairs
from pbmserv.matches.log import BrokenLog
from pbmserv.matches.ratings import RatingResult, Tally, pool_named, pool_of, reckoned
from pbmserv.matches.replay import fold, replay
from pbmserv.matches.state import Summary, summarise
from pbmserv.services.app import App
from pbmserv.store import accounts, matches, rankings, ratings
from pbmserv.store.engine import reading, run_again, writing
from pbmserv.store.matches import StoredMatch
from pbmserv.store.schema import NEWEST, migrate, stored_version

AT_ONCE: Final = 100
"""Boards that are read together."""

Progress = Callable[[int, int], None]


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


@dataclass
class Check:
    """A check under way. If it is interrupted, another one can begin with `next_board`."""

    app: App
    next_board: int = matches.FIRST_NUMBER
    differences: list[Difference] = field(default_factory=list)
    # The first match of a pool that stands in its ratings otherwise than its log says.
    _wrong: dict[str, tuple[datetime, int]] = field(default_factory=dict)
    _unknown: set[str] = field(default_factory=set)

    def run(self, progress: Progress = lambda done, of: None) -> None:
        """Checks all boards from `next_board` on, and then the ratings. `progress` gets how many are done."""
        with reading(self.app.engine) as connection:
            total = matches.count_from(connection, self.next_board)
        done = 0
        while count := self._check_some(progress, done, total):
            done += count
        self._check_ratings()

    def _check_some(self, progress: Progress, done: int, total: int) -> int:
        # Each part sees one state of the database; SQLite can clear its log between two of them.
        with reading(self.app.engine, snapshot=True) as connection:
            numbers = matches.numbers_from(connection, self.next_board, AT_ONCE)
            for count, (number, stored) in enumerate(_stored(connection, numbers), done + 1):
                difference = stored if isinstance(stored, Difference) else self._difference(stored)
                if difference is not None:
                    self.differences.append(difference)
                    if not difference.can_be_mended:
                        self._unknown |= {pool.name for pool in matches.pools_at(connection, [number])}
                self.next_board = number + 1
                progress(count, max(count, total))
        return len(numbers)

    def _difference(self, stored: StoredMatch) -> Difference | None:
        number = stored.match.number
        try:
            board = replay(stored.match)
            expected = summarise(board.state)
            result = ratings.result_of(board, stored.player_ids)
        except BrokenLog as error:
            return Difference(number, str(error), None)
        except Exception as error:
            return _cannot_be_replayed(number, error)
        self._hold_against(pool_of(stored.match).name, number, result, stored)
        if stored.summary != expected:
            return Difference(number, f"stored {stored.summary}, replayed {expected}", expected)
        if expected.status == "active" and accounts.FORMER in board.playing:
            return Difference(number, f"board {number} is active, but somebody at it was forgotten", None)
        if stored.ended != {None if expected.status == "active" else expected.last_at}:
            return Difference(
                number, f"board {number} is {expected.status}, but its seats say otherwise", expected
            )
        return None

    def _hold_against(self, pool: str, number: int, result: RatingResult | None, stored: StoredMatch) -> None:
        """Notes whether a match stands in the ratings as its log says, and if not, from where on."""
        ranks = () if result is None else result.ranks
        expected = {(pool, result.at, *pair) for pair in ranks} if result is not None else set()
        for name, at, _, _ in expected ^ stored.rated:
            self._wrong[name] = min(self._wrong.get(name, (at, number)), (at, number))

    def _check_ratings(self) -> None:
        with reading(self.app.engine) as connection:
            recounted = ratings.recounted(connection)
            pools = (ratings.pools(connection) | set(self._wrong)) - self._unknown
        for pool in sorted(pools & set(recounted)):
            board = recounted[pool]
            what = f"the ratings of {pool} are being counted anew, from board {board} on"
            self.differences.append(Difference(board, what, None, pool))
        for pool in sorted(pools - set(recounted)):
            with reading(self.app.engine, snapshot=True) as connection:
                board, what = _wrong_ratings(connection, pool, self._wrong.get(pool))
            if what:
                self.differences.append(Difference(board, what, None, pool))


def check(app: App, progress: Progress = lambda done, of: None) -> list[Difference]:
    """Replays all matches; `progress` gets how many of how many are done."""
    checking = Check(app)
    checking.run(progress)
    return checking.differences


def _stored(connection: Connection, numbers: Sequence[int]) -> list[tuple[int, StoredMatch | Difference]]:
    """Each match, or why it cannot be read."""
    try:
        return list(zip(numbers, matches.load_all(connection, numbers), strict=True))
    except SQLAlchemyError:
        raise
    except Exception as error:
        # What can stand in damaged rows has no end; none of it may keep the other matches from being looked at.
        if len(numbers) == 1:
            return [(numbers[0], _cannot_be_replayed(numbers[0], error))]
        return [each for number in numbers for each in _stored(connection, [number])]


def _cannot_be_replayed(number: int, error: Exception) -> Difference:
    return Difference(number, f"board {number} cannot be replayed: {type(error).__name__}: {error}", None)


def _wrong_ratings(connection: Connection, pool: str, wrong: tuple[datetime, int] | None) -> tuple[int, str]:
    """The board from which on the ratings of a pool are wrong (0: unknown), and what is wrong; "" if nothing is.

    `wrong` is the place of the first match that counts otherwise than its log says.
    """
    tallies: dict[int, Tally] = {}
    for result, changes in ratings.results_with_changes(connection, pool):
        if wrong is not None and result.place >= wrong:
            break
        theirs = {player_id: tallies[player_id] for player_id, _ in result.ranks if player_id in tallies}
        if reckoned(theirs, [result]) != changes:
            wrong = result.place
            break
        tallies |= ratings.latest(changes)
    if wrong is not None:
        return wrong[1], f"from board {wrong[1]} on the ratings of {pool} are not what its games give"
    counts = rankings.counted_players(ratings.states_of(tallies.values()))
    is_counted = rankings.stored_counts(connection, pool) == counts
    if not is_counted or ratings.stored_tallies(connection, pool) != tallies:
        return 0, f"the ratings of {pool} are not what its last games gave"
    return 0, ""


def rate_anew(connection: Connection, pool: str) -> None:
    """Writes the ratings of a pool as its logs give them; meanwhile no match of it can end. Raises BrokenLog."""
    ratings.lock_pool(connection, pool)
    results = []
    numbers = matches.numbers_over(connection, pool_named(pool))
    for first in range(0, len(numbers), AT_ONCE):
        for stored in matches.load_all(connection, numbers[first : first + AT_ONCE]):
            result = ratings.result_of(replay(stored.match), stored.player_ids)
            if result is not None:
                results.append(result)
    ratings.replace_all(connection, pool, reckoned({}, results))


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


log = logging.getLogger(__name__)


def renew(engine: Engine) -> None:
    """Brings the schema up to date, and rates the games of which nothing was ever rated. Raises OtherSchema.

    Nothing happens where all is so already. Games with a log that does not replay are reported, and left to the
    operator. What a migration leaves to be recounted is recounted before anybody sees it.
    """
    is_newest = stored_version(engine) == NEWEST
    migrate(engine)
    with reading(engine) as connection:
        pools = ratings.never_rated(connection)

    for pool in pools:

        def rate(pool: str = pool) -> None:
            with writing(engine) as connection:
                rate_anew(connection, pool)

        try:
            run_again(rate)
        except BrokenLog as error:
            log.error("the games from before are not rated %s", pairs(game=pool, error=str(error)))
    while not is_newest and _step(engine):
        pass


BATCH: Final = 10
"""Steps before the steward looks after its other duties."""

REST: Final = 0.01
"""Seconds between two steps, in which other processes can get hold of an SQLite file."""


def recount_ratings(app: App, now: datetime) -> bool:
    """Goes on with what is to be counted anew; whether there may be more."""
    return all(_step(app.engine) > 0 for _ in range(BATCH))


def recount_all(app: App, progress: Callable[[int, int], None] = lambda done, of: None) -> None:
    """Does all of it; `progress` gets how many of how many matches are done."""
    with reading(app.engine) as connection:
        total = sum(ratings.to_recount(connection, pool) for pool in ratings.recounted(connection))
    done = 0
    while count := _step(app.engine):
        done += count
        progress(min(done, total), total)


def _step(engine: Engine) -> int:
    """Counts some matches of each pool anew, and gives how many."""
    with reading(engine) as connection:
        pools = sorted(ratings.recounted(connection))
    count = sum(run_again(lambda each=pool: _recount(engine, each)) for pool in pools)  # type: ignore[misc]
    if count:
        time.sleep(REST)
    return count


def _recount(engine: Engine, pool: str) -> int:
    with writing(engine) as connection:
        return ratings.recount(connection, pool)
