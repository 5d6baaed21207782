"""Ratings held against a recomputation from the logs, game by game, and written anew where they differ.

A game of which a log cannot be replayed is left alone: nobody can tell then what its ratings should be.
"""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field

from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from pbmserv.matches.log import BrokenLog
from pbmserv.matches.ratings import Change, RatingResult, reckoned
from pbmserv.matches.replay import GameState, fold, replay
from pbmserv.matches.state import Summary, summarise
from pbmserv.services.app import App
from pbmserv.store import accounts, matches, ratings
from pbmserv.store.engine import reading, writing


@dataclass(frozen=True, slots=True)
class WrongRatings:
    """The ratings of a game are not what its matches give, from one of its boards on (0 where that is unknown)."""

    game: str
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
            self.results.setdefault(board.match.game, []).append(result)

    def changes(self, game: str) -> tuple[Change, ...]:
        """What every match of a game has done, reckoned from the first on."""
        return reckoned({}, self.results.get(game, ()))


def begin(connection: Connection) -> Reckoning:
    """A reckoning without any board yet."""
    return Reckoning(ratings.seated(connection))


def wrong_ratings(connection: Connection, reckoning: Reckoning, unknown: Collection[str]) -> list[WrongRatings]:
    """Each game whose ratings differ; those of `unknown` games are not looked at."""
    begun = ratings.recounted(connection)
    known = (ratings.games(connection) | set(reckoning.results)) - set(unknown) - set(begun)
    found = (_difference(connection, game, reckoning.changes(game)) for game in sorted(known))
    recounts = [
        WrongRatings(game, board, f"the ratings of {game} are being counted anew, from board {board} on")
        for game, board in sorted(begun.items())
        if game not in unknown
    ]
    return [*recounts, *(each for each in found if each is not None)]


def rate_anew(connection: Connection, game: str) -> None:
    """Writes the ratings of a game as its logs give them; meanwhile no match of it can end."""
    ratings.hold(connection, game)
    reckoning = begin(connection)
    for number in matches.over(connection, game):
        match = matches.load(connection, number)
        assert match is not None
        reckoning.add(replay(match))
    ratings.replace_all(connection, game, reckoning.changes(game))


def _difference(connection: Connection, game: str, expected: tuple[Change, ...]) -> WrongRatings | None:
    stored = ratings.stored_changes(connection, game)
    if stored != expected:
        board = _first_difference(stored, expected)
        return WrongRatings(
            game, board, f"from board {board} on the ratings of {game} are not what its games give"
        )
    tallies = ratings.stored_tallies(connection, game)
    if tallies != ratings.latest(expected):
        return WrongRatings(game, 0, f"the ratings of {game} are not what its last games gave")
    return None


def _first_difference(stored: Iterable[Change], expected: Iterable[Change]) -> int:
    """The board of the first change, in the order in which matches ended, that is not the same in both."""
    alone = set(stored) ^ set(expected)
    return min(alone, key=lambda each: (each.at, each.board)).board if alone else 0


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


def check(app: App, progress: Callable[[int, int], None] = lambda done, of: None) -> list[Difference]:
    """Replays all matches; `progress` is told how many of how many are done."""
    differences: list[Difference] = []
    with reading(app.engine, snapshot=True) as connection:
        every = matches.numbers(connection)
        reckoning = begin(connection)
        for done, number in enumerate(every, 1):
            difference = _difference_check(connection, number, reckoning)
            if difference is not None:
                differences.append(difference)
            progress(done, len(every))
        broken = [each.number for each in differences if not each.can_be_mended]
        unknown = matches.games_of(connection, broken)
        wrong = wrong_ratings(connection, reckoning, unknown)
        differences += [Difference(each.board, each.what, None, each.game) for each in wrong]
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
    """Writes summaries and ratings anew where the logs say otherwise, and gives how many: of each game at once."""
    repairable = [difference for difference in differences if difference.expected is not None]
    with writing(app.engine) as connection:
        for difference in repairable:
            assert difference.expected is not None
            matches.lock(connection, [difference.number])
            match = matches.load(connection, difference.number)
            assert match is not None
            matches.write_summary(connection, difference.number, summarise(fold(match)))
    wrong = [difference.ratings for difference in differences if difference.ratings is not None]
    for game in wrong:
        with writing(app.engine) as connection:
            rate_anew(connection, game)
    return len(repairable) + len(wrong)
