"""Havannah: bridges, forks and rings, the swap, a draw; a slow search and a second engine beside ours."""

from random import Random

import pytest

from pbmserv.games import connection
from pbmserv.games.connection import HAVANNAH
from pbmserv.games.game import Event, Illegal, Outcome
from pbmserv.games.hexagons import hexagon
from pbmserv.games.info import BadOption
from pbmserv.games.stones import Position
from tests.every import for_each
from tests.games.by_hand import cells_of, played
from tests.games.second_engine import SecondEngine, play_random_games

SEATS = {"o": 0, "x": 1, ".": 2}


def drawn(figure: str, turn: int = 0) -> Position:
    board = hexagon((len(figure.strip().splitlines()) + 1) // 2)
    return Position(board, bytes(SEATS[mark] for mark in cells_of(board, figure)), turn)


BRIDGE = """
      o o . o
     . . . . .
    . . . . . .
   . . . . . . .
    . . . . . .
     . . . . .
      . . . .
"""
FORK = """
      . . o .
     . . o . .
    o o o . . .
   . . . . . . .
    . . . o . .
     . . o . .
      . o . .
"""
TO_A_CORNER = """
      . . o .
     . . o . .
    . . o . . .
   o o o . . . .
    . . . o . .
     . . o . .
      . o . .
"""
RING = """
      . . . .
     . o o . .
    . o . o . .
   . . . o . . .
    . . . . . .
     . . . . .
      . . . .
"""
OPEN_RING = RING.replace("o . o . .", ". . o . .")
AT_THE_EDGE = """
      . o . .
     o . . . .
    . . . . . .
   . . . . . . .
    . . . . . .
     . . . . .
      . . . .
"""


@for_each(
    ("figure", "text", "is_won"),
    [
        (BRIDGE, "c1", True),  # from corner to corner
        (BRIDGE, "c2", False),
        (FORK, "d4", True),  # three edges
        (FORK, "e4", False),
        (TO_A_CORNER, "d4", False),  # two edges and a corner
        (RING, "c4", True),  # round C3
        (RING.replace("o . o", "o o o"), "c4", True),  # round a stone of its own
        (RING.replace("o . o", "o x o"), "c4", True),  # round one of the other side
        (OPEN_RING, "c4", False),
        (AT_THE_EDGE, "b2", False),  # the edge is no part of a ring
    ],
)
def test_what_wins(figure: str, text: str, is_won: bool) -> None:
    position = drawn(figure)
    after, events = HAVANNAH.play(position, HAVANNAH.read(position, text))
    assert events == (Event("placed", 0, (position.board.numbers[text.upper()],)),)
    assert HAVANNAH.outcome(after) == (Outcome((1, 2), "goal") if is_won else None)
    if is_won:
        assert list(HAVANNAH.moves(after)) == []
        with pytest.raises(Illegal) as over:
            HAVANNAH.read(after, "g7")
        assert over.value.rule == connection.ENDING


def test_a_full_board_without_a_winner_is_a_draw() -> None:
    board = hexagon(4)
    stones = bytearray([1]) * len(board.names)
    stones[board.numbers["D4"]] = 2
    after, _ = HAVANNAH.play(Position(board, bytes(stones)), (board.numbers["D4"],))
    assert HAVANNAH.to_move(after) is None
    assert HAVANNAH.outcome(after) == Outcome((1, 1), "draw")


def test_swap_recolours_the_stone() -> None:
    before = played(HAVANNAH, HAVANNAH.start(2, {}), "e5")
    after, events = HAVANNAH.play(before, HAVANNAH.read(before, "Swap"))
    cell = before.board.numbers["E5"]
    assert events == (Event("swapped", 1, (cell,)),)
    assert after.stones[cell] == 1
    assert after.turn == 0
    for position in (after, HAVANNAH.start(2, {})):
        with pytest.raises(Illegal) as illegal:
            HAVANNAH.read(position, "swap")
        assert illegal.value.rule == connection.SWAPPING


@for_each(("text", "rule"), [("e5", connection.PLACING), ("j1", connection.THE_BOARD)])
def test_illegal(text: str, rule: int) -> None:
    with pytest.raises(Illegal) as illegal:
        HAVANNAH.read(played(HAVANNAH, HAVANNAH.start(2, {}), "e5"), text)
    assert illegal.value.rule == rule


def test_options() -> None:
    sizes = [len(HAVANNAH.start(2, {"size": size}).stones) for size in ("4", "5", "6", "8", "10")]
    assert sizes == [37, 61, 91, 169, 271]
    with pytest.raises(BadOption):
        HAVANNAH.start(2, {"size": "7"})


def slow_wins(position: Position, seat: int) -> bool:
    """Chains grown step by step; a ring is what keeps a cell, whatever is on it, from the edge of the board."""
    reach = len(position.board.layout.rows) // 2
    names = position.board.names
    places = {
        (ord(name[0]) - ord("A") - reach, int(name[1:]) - 1 - reach): cell for cell, name in enumerate(names)
    }

    def beside(place: tuple[int, int]) -> set[tuple[int, int]]:
        x, y = place
        return places.keys() & {(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1), (x + 1, y + 1), (x - 1, y - 1)}

    def edges(place: tuple[int, int]) -> list[int]:
        x, y = place
        return [side for side, value in enumerate((x, -x, y, -y, x - y, y - x)) if value == reach]

    def grown(begin: tuple[int, int], within: set[tuple[int, int]]) -> set[tuple[int, int]]:
        found = {begin}
        while more := {each for place in found for each in beside(place) & within} - found:
            found |= more
        return found

    left = {place for place, cell in places.items() if position.stones[cell] == seat}
    while left:
        chain = grown(next(iter(left)), left)
        left -= chain
        corners = [place for place in chain if len(edges(place)) == 2]
        sides = {edges(place)[0] for place in chain if len(edges(place)) == 1}
        if len(corners) > 1 or len(sides) > 2:
            return True
        free = places.keys() - chain
        if len(chain) > 5 and any(not any(map(edges, grown(place, free))) for place in places):
            return True
    return False


@pytest.mark.parametrize(
    ("size", "games"),
    [("4", 2), pytest.param("5", 40, marks=pytest.mark.slow)],
)
def test_a_slow_search_finds_the_same_winners(size: str, games: int) -> None:
    random = Random(f"havannah {size}")
    for _ in range(games):
        position = HAVANNAH.start(2, {"size": size})
        while HAVANNAH.to_move(position) is not None:
            assert not any(slow_wins(position, seat) for seat in (0, 1))
            position, _ = HAVANNAH.play(position, random.choice(list(HAVANNAH.moves(position))))
        outcome = HAVANNAH.outcome(position)
        assert outcome is not None
        assert [slow_wins(position, seat) for seat in (0, 1)] == [
            rank == 1 and outcome.reason == "goal" for rank in outcome.ranks
        ]


def engine(size: int, *opening: str) -> SecondEngine:
    """They write a swap as the cell of the stone that is swapped."""

    def names(position: Position, move: tuple[int | str, ...]) -> tuple[str]:
        cell = position.last[0] if move == ("swap",) else int(move[0])
        return (position.board.names[cell].lower(),)

    return SecondEngine(HAVANNAH, f"havannah(board_size={size},swap=True)", names, {"size": str(size)}, opening)


def test_second_engine() -> None:
    assert play_random_games(engine(5), 150) >= 2
    assert play_random_games(engine(4, "b2", "swap"), 100) >= 2


@pytest.mark.slow
@for_each("size", [4, 5, 6, 8])
def test_second_engine_at_length(size: int) -> None:
    assert play_random_games(engine(size), 5_000, "at length") >= 10
    assert play_random_games(engine(size, "c3", "swap"), 5_000, "at length") >= 10
