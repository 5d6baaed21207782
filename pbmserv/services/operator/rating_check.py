"""Ratings held against a recomputation from the logs, game by game, and written anew where they differ.

A game of which a log cannot be replayed is left alone: nobody can tell then what its ratings should be.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from sqlalchemy import Connection

from pbmserv.matches.rating import Change, Result, reckoned
from pbmserv.matches.replay import Replayed, replay
from pbmserv.store import matches, ratings


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
    results: dict[str, list[Result]] = field(default_factory=dict)

    def add(self, board: Replayed) -> None:
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
    ratings.write_anew(connection, game, reckoning.changes(game))


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
