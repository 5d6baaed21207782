"""The general robot plays chess and its kin with sense: it mates at once, takes what hangs, and keeps its own."""

from typing import Any

import pytest

from pbmserv.games.chess import antichess, atomic, chess, crazyhouse
from pbmserv.robots.search import uct
from tests.games.chess_positions import position_of


def played(game: Any, text: str, iterations: int = 150, **more: Any) -> str:
    """What the robot plays."""
    position = position_of(game, text, **more)
    return str(game.san(position, uct.think(game, position, 5, iterations).candidates[0].move))


@pytest.mark.parametrize(
    ("text", "best"),
    [
        ("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - -", "Rd8#"),
        ("r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq -", "Qxf7#"),
        ("3r2k1/5ppp/8/8/8/8/5PPP/6K1 b - -", "Rd1#"),
        ("6rk/6pp/8/6N1/8/8/8/4K3 w - -", "Nf7#"),
        ("7k/5P1p/5K2/8/8/8/8/6R1 w - -", "f8=Q#"),
        ("rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq -", "Qh4#"),
        ("k7/8/1K6/8/8/8/8/1R5R w - -", "Rh8#"),
    ],
)
def test_mate_in_one(text: str, best: str) -> None:
    assert played(chess, text) == best


@pytest.mark.parametrize(
    ("text", "best"),
    [
        ("4k3/8/8/3q4/8/2N5/8/4K3 w - -", "Nxd5"),
        ("4k3/8/2p5/3q4/8/8/8/3RK3 w - -", "Rxd5"),
        ("rnbqkb1r/pppp1ppp/5n2/4p3/3PP3/8/PPP2PPP/RNBQKBNR w KQkq -", "dxe5"),
    ],
)
def test_what_hangs_is_taken(text: str, best: str) -> None:
    assert played(chess, text, 400) == best


def test_the_queen_is_not_lost_for_a_pawn_that_is_guarded() -> None:
    assert played(chess, "4k3/2p5/3p4/8/8/8/8/3QK3 w - -", 400) != "Qxd6"


def test_the_kin_win_at_once() -> None:
    assert played(atomic, "rnbqkbnr/ppp1pppp/8/3pN3/8/8/PPPPPPPP/RNBQKB1R w KQkq -") in ("Nxf7#", "Nxd7#")
    assert played(crazyhouse, "6rk/6pp/8/8/8/8/8/4K3 w - -", hands=((0, 1, 0, 0, 0), (0, 0, 0, 0, 0))) == "N@f7#"
    assert played(antichess, "8/8/8/8/8/1p6/P7/8 w - -") == "axb3"
    assert played(chess, "4k3/8/8/8/8/8/8/R3K3 w - -", checks=(2, 0)) == "Ra8#"
