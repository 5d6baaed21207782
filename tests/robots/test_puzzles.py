"""What makes a position a puzzle, shown on games that can be searched to their end."""

from functools import cache
from typing import Any

import pytest

from pbmserv.games import games
from pbmserv.games.game import two_ranks
from pbmserv.robots.puzzles import Solution, solution_of

SMALL = games()["tic-tac-toe"]
ENOUGH = 600


def after(*moves: str) -> Any:
    """The position of a small game after these moves."""
    position = SMALL.start(2, {})
    for move in moves:
        position, _ = SMALL.play(position, SMALL.read(position, move))
    return position


def solved(*moves: str) -> Solution | None:
    """What is to be found there."""
    return solution_of(SMALL, after(*moves), 1, ENOUGH)


@cache
def value(position: Any) -> float:
    """What a position is worth to whoever is to move, by going through all that can follow: 1, 0.5 or 0."""
    outcome = SMALL.outcome(position)
    if outcome is not None:
        return 0.5 if outcome.ranks == two_ranks(None) else 0.0
    return max(1 - value(SMALL.play(position, move)[0]) for move in SMALL.moves(position))


def test_a_fork_is_found_and_is_the_only_winning_move() -> None:
    """Two rows at once: all other moves are worth less, and to each an answer is known."""
    moves = ("B3", "B1", "A2", "C2", "B2")
    found = solved(*moves)
    assert found is not None
    position = after(*moves)
    worths = {
        SMALL.write(position, move): 1 - value(SMALL.play(position, move)[0]) for move in SMALL.moves(position)
    }
    assert max(worths, key=worths.__getitem__) == found.best
    assert [move for move, worth in worths.items() if worth == worths[found.best]] == [found.best]
    assert found.replies.keys() == worths.keys() - {found.best}
    assert found.wins == (worths[found.best] == 1)


@pytest.mark.parametrize(
    ("why", "moves"),
    [
        ("several are as good", ()),
        ("it wins at once", ("A1", "B1", "A2", "B2", "C3", "C2")),
        ("all others lose at once", ("A1", "B2", "A2")),
        ("there are too few moves", ("A1", "A2", "A3", "B2", "B1", "C1")),
    ],
)
def test_what_is_no_puzzle(why: str, moves: tuple[str, ...]) -> None:
    """Too easy, or nothing to find."""
    assert solved(*moves) is None, why


def test_somebody_else_may_need_the_time() -> None:
    """Between two thoughts it is asked, and what is raised there ends the search."""

    class _Stop(Exception):
        pass

    def stop() -> None:
        raise _Stop

    with pytest.raises(_Stop):
        solution_of(SMALL, after("B3", "B1", "A2", "C2", "B2"), 1, ENOUGH, stop)
