"""Why a move is good: each reason in a position made for it."""

from typing import Any

import pytest

from pbmserv.games import games
from pbmserv.games.game import Game
from pbmserv.robots.analysis import Estimate, MoveReason, compare, estimate, reason_for


def after(name: str, moves: str, options: dict[str, str] | None = None) -> tuple[Game, Any]:
    """A game, and its position after these moves."""
    game = games()[name]
    position = game.start(2, options or {})
    for text in moves.split():
        position, _ = game.play(position, game.read(position, text))
    return game, position


def why(name: str, moves: str, move: str, options: dict[str, str] | None = None) -> MoveReason:
    """Why that move is good."""
    game, position = after(name, moves, options)
    return reason_for(game, position, game.read(position, move), 1)


def test_it_wins() -> None:
    """Four in a row."""
    assert why("four-in-a-row", "d1 a1 d2 b1 d3 g1", "d4") == MoveReason("wins")


def test_it_saves() -> None:
    """All other moves let the fourth one be placed."""
    assert why("four-in-a-row", "d1 a1 d2 b1 d3", "d4") == MoveReason("saves", threat="D4")
    assert why("four-in-a-row", "d1 a1 d2 b1 d3", "e1").kind == "leads", "that does not stop it"


def test_it_takes() -> None:
    """Dice in Cephalopod, where one's own that are taken too do not count; discs that are turned in Reversi."""
    assert why("cephalopod", "a1 b2", "b1xa1,b2", {"size": "3x3"}) == MoveReason("takes", (4,))
    found = why("reversi", "", "d3")
    assert (found.kind, found.is_turned, len(found.taken)) == ("takes", True, 1)


def test_it_prevents() -> None:
    """Of all moves this one alone defends the man that could be jumped; and a square that the other one wants."""
    assert why("checkers", "f6-e5 e3-d4", "e7-f6") == MoveReason("prevents", threat="D4xF6", lost=1)
    threat = MoveReason("prevents", threat="A2xA1,B2", lost=2)
    assert why("cephalopod", "b2 b1 a1 c2", "a2xa1,b2", {"size": "3x3"}) == threat


def test_it_is_the_only_one() -> None:
    """Where something must be taken, and can be in one way."""
    assert why("checkers", "d6-e5 c3-d4", "e5xc3") == MoveReason("only")


def test_it_promotes() -> None:
    """A man reaches the far row, and takes nothing."""
    moves = "d6-c5 a3-b4 c5xa3 c3-d4 e7-d6 d2-c3 f6-g5 e1-d2 f8-e7 g3-f4 g7-f6 f2-g3 g5-h4 c3-b4 h4xf2 b4-a5"
    assert why("checkers", moves, "f2-e1") == MoveReason("promotes")


@pytest.mark.parametrize("name", sorted(games()))
def test_every_game_has_reasons(name: str) -> None:
    """At the start of every game there is some reason for a move, the same each time."""
    game, position = after(name, "")
    move = next(iter(game.moves(position)))
    assert reason_for(game, position, move, 7) == reason_for(game, position, move, 7)


def test_an_estimate() -> None:
    """A won position is won; a finished one needs no thought."""
    game, position = after("four-in-a-row", "d1 a1 d2 b1 d3 g1")
    found = estimate(game, position, 1)
    assert found.best == game.read(position, "d4")
    over, _ = game.play(position, found.best)
    assert estimate(game, over, 1) == Estimate((1.0, 0.0), None, 0.0)
    assert found == estimate(game, position, 1), "the same each time"


def test_what_a_blunder_costs() -> None:
    """Whoever lets the other win, and could have won, has lost all; the best move has lost nothing."""
    game, position = after("four-in-a-row", "d1 a1 d2 a2 d3 a3")
    before = estimate(game, position, 1, 5)
    blunder = game.read(position, "g1")
    then = estimate(game, game.play(position, blunder)[0], 2, 5)
    seen = compare(game, position, blunder, before, then, 3)
    assert game.write(position, seen.best) == "D4"
    assert seen.best_value == 1.0
    assert seen.played_value < 0.4
    best = compare(game, position, seen.best, before, estimate(game, game.play(position, seen.best)[0], 2), 3)
    assert best.best_value == best.played_value == 1.0


def test_nobody_is_to_move() -> None:
    """There is nothing to be explained when a game is over."""
    game, position = after("four-in-a-row", "d1 a1 d2 b1 d3 g1 d4")
    with pytest.raises(ValueError, match="nobody"):
        reason_for(game, position, (3,), 1)
    with pytest.raises(ValueError, match="nobody"):
        compare(game, position, (3,), estimate(game, position, 1), estimate(game, position, 1), 1)
