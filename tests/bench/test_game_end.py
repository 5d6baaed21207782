"""What the end of a game costs more than a move: ratings follow in the same transaction."""

from collections.abc import Sequence
from datetime import timedelta

import pytest
from pytest_benchmark.fixture import BenchmarkFixture
from sqlalchemy import Connection

from pbmserv.commands.command import Decision
from pbmserv.commands.move import MovePlayed
from pbmserv.matches.log import Entry
from pbmserv.matches.replay import GameState, replay
from pbmserv.store import matches, ratings
from pbmserv.store.engine import reading
from tests.bench.club import PLIES, Board, Club
from tests.bench.conftest import measure, rounds_of
from tests.conftest import NOON


def moved(board: Board) -> Decision:
    """One move more."""
    return _decision(board, Entry(board.match.number, PLIES + 1, NOON, "played", PLIES % 2, board.moves[PLIES]))


def ended(board: Board) -> Decision:
    """The game is given up, later than any other."""
    at = NOON + timedelta(seconds=board.match.number)
    return _decision(board, Entry(board.match.number, PLIES + 1, at, "resigned", PLIES % 2))


def _decision(board: Board, entry: Entry) -> Decision:
    after: GameState = replay(board.match).apply(entry)
    return Decision(MovePlayed(entry.match, entry.text), entries=(entry,), boards=(after,))


@pytest.mark.benchmark(group="the end of a game")
@pytest.mark.parametrize("what", ["a move", "the end", "the end before a hundred others"])
def test_keeping(benchmark: BenchmarkFixture, club: Club, what: str) -> None:
    """Writing what was decided, with the commit: a move; an end; the same, when a hundred games and more that
    ended later have to be computed again.
    """
    decide = moved if what == "a move" else ended
    todo = [decide(club.open_board()) for _ in range(rounds_of(benchmark))]
    if what == "the end before a hundred others":
        _keep(club, [ended(club.open_board()) for _ in range(rounds_of(benchmark))])
        todo.reverse()
    each = iter(todo)

    def set_up() -> tuple[tuple[object, ...], dict[str, object]]:
        connection = club.house.engine.connect()
        connection.begin()
        return (connection, next(each)), {}

    def keep(connection: Connection, decision: Decision) -> None:
        with connection:
            matches.write(connection, decision)
            connection.commit()

    measure(benchmark, keep, set_up)
    with reading(club.house.engine) as connection:
        counted = ratings.stored_changes(connection, "cephalopod")
    assert bool(counted) == (decide is ended)


def _keep(club: Club, decisions: Sequence[Decision]) -> None:
    with club.house.engine.begin() as connection:
        for decision in decisions:
            matches.write(connection, decision)
