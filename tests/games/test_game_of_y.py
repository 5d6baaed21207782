"""Y: chains that join three edges, the swap; a slow search and a second engine beside ours."""

from collections.abc import Iterable
from random import Random

import pytest

from pbmserv.games import connection
from pbmserv.games.connection import GAME_OF_Y, ConnectionGame
from pbmserv.games.game import Event, Illegal, Move, Outcome
from pbmserv.games.hexagons import triangle
from pbmserv.games.info import BadOption
from pbmserv.games.stones import Position
from tests.every import for_each
from tests.games.by_hand import cells_of, played
from tests.games.second_engine import SecondEngine, play_random_games

SEATS = {"o": 0, "x": 1, ".": 2}


def drawn(figure: str, turn: int = 0) -> Position:
    board = triangle(len(figure.strip().splitlines()))
    return Position(board, bytes(SEATS[mark] for mark in cells_of(board, figure)), turn)


STAR = """
    . . o . .
     . . x .
      o . o
       . .
        .
"""
CORNER = """
    . . . . .
     o x . .
      o . .
       o .
        .
"""


@for_each(
    ("figure", "text", "is_won"),
    [
        (STAR, "b2", False),  # C1, B2, A3: two edges
        (STAR.replace("o . o", "o o o"), "b2", True),
        (STAR.replace("o . o", "o o o"), "b4", False),
        (CORNER, "a1", False),  # the upper edge and the left one
        (CORNER, "a5", False),  # the left edge and the right one
        (CORNER.replace(". . . . .", "o . . . ."), "a5", True),  # corners are of two edges each
    ],
)
def test_what_wins(figure: str, text: str, is_won: bool) -> None:
    position = drawn(figure)
    after, events = GAME_OF_Y.play(position, GAME_OF_Y.read(position, text))
    assert events == (Event("placed", 0, (position.board.numbers[text.upper()],)),)
    assert GAME_OF_Y.outcome(after) == (Outcome((1, 2), "goal") if is_won else None)


def test_swap_recolours_the_stone() -> None:
    before = played(GAME_OF_Y, GAME_OF_Y.start(2, {}), "e5")
    after, events = GAME_OF_Y.play(before, GAME_OF_Y.read(before, "swap"))
    cell = before.board.numbers["E5"]
    assert events == (Event("swapped", 1, (cell,)),)
    assert (after.stones[cell], after.turn) == (1, 0)
    with pytest.raises(Illegal) as illegal:
        GAME_OF_Y.read(after, "swap")
    assert illegal.value.rule == connection.SWAPPING


@for_each(("text", "rule"), [("e5", connection.PLACING), ("m2", connection.THE_BOARD)])
def test_illegal(text: str, rule: int) -> None:
    with pytest.raises(Illegal) as illegal:
        GAME_OF_Y.read(played(GAME_OF_Y, GAME_OF_Y.start(2, {}), "e5"), text)
    assert illegal.value.rule == rule


def test_options() -> None:
    sizes = [len(GAME_OF_Y.start(2, {"size": size}).stones) for size in ("9", "11", "13", "15", "19")]
    assert sizes == [45, 66, 91, 120, 190]
    with pytest.raises(BadOption):
        GAME_OF_Y.start(2, {"size": "12"})


def is_joined(position: Position, seat: int, size: int) -> bool:
    """Chains by place (column, row), grown until nothing is added; the third edge is where both add up."""
    names = position.board.names
    left = {
        (ord(name[0]) - ord("A"), int(name[1:]) - 1)
        for name, owner in zip(names, position.stones, strict=True)
        if owner == seat
    }
    while left:
        chain = {left.pop()}
        while more := {
            (x, y)
            for x, y in left
            if chain & {(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1), (x - 1, y + 1), (x + 1, y - 1)}
        }:
            chain |= more
            left -= more
        if min(x for x, _ in chain) == min(y for _, y in chain) == 0 and max(map(sum, chain)) == size - 1:
            return True
    return False


@pytest.mark.parametrize(
    ("size", "games"),
    [("9", 3), *(pytest.param(size, 15, marks=pytest.mark.slow) for size in ("9", "13", "19"))],
)
def test_a_slow_search_finds_the_same_winners(size: str, games: int) -> None:
    random = Random(f"y {size}")
    for _ in range(games):
        position = GAME_OF_Y.start(2, {"size": size})
        while GAME_OF_Y.to_move(position) is not None:
            assert not any(is_joined(position, seat, int(size)) for seat in (0, 1))
            position, _ = GAME_OF_Y.play(position, random.choice(list(GAME_OF_Y.moves(position))))
        outcome = GAME_OF_Y.outcome(position)
        assert outcome is not None
        assert [is_joined(position, seat, int(size)) for seat in (0, 1)] == [rank == 1 for rank in outcome.ranks]


class WithoutSwap(ConnectionGame):
    """The second engine has no swap."""

    def moves(self, position: Position, begun: Move = ()) -> Iterable[Move]:
        return (move for move in super().moves(position, begun) if move != ("swap",))


def engine(size: int) -> SecondEngine:
    ours = WithoutSwap(GAME_OF_Y.info, GAME_OF_Y.board, GAME_OF_Y.has_won, GAME_OF_Y.swapped)
    return SecondEngine(
        ours,
        f"y(board_size={size})",
        lambda position, move: (ours.write(position, move).lower(),),
        {"size": str(size)},
    )


def test_second_engine() -> None:
    assert play_random_games(engine(9), 200) >= 2


@pytest.mark.slow
@for_each("size", [9, 11, 13, 15, 19])
def test_second_engine_at_length(size: int) -> None:
    assert play_random_games(engine(size), 5_000, "at length") >= 10
