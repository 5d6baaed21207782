"""The rules of konane as drawn positions, and a slow engine written from the rules text."""

from random import Random

import pytest

from pbmserv.games import boards, konane
from pbmserv.games.defaults import Position
from pbmserv.games.game import Event, Game, Illegal, Outcome, Unfinished, Unreadable
from pbmserv.games.info import BadOption
from pbmserv.games.konane import info, moves, outcome, play, read, scene, start, to_move, write
from tests.every import for_each
from tests.games.by_hand import cells_of, figure_of, leaves, played, written

GAME: Game = konane
BOARD = boards.squares(6, 6, is_chequered=True)


def position_of(figure: str, turn: int = 0) -> Position:
    return Position(BOARD, "".join(cells_of(BOARD, figure)), turn)


def cell(name: str) -> int:
    return BOARD.numbers[name]


ROW = """
. . . . . .
. o . . . .
. . . . . .
. x . . . .
x o . o . .
. . . . . .
"""


def test_the_start() -> None:
    position = start(2, {"size": "6"})
    assert figure_of(scene(position)).split("\n") == ["o x o x o x", "x o x o x o"] * 3
    assert written(GAME, position) == {"A1", "C3", "D4", "F6"}
    assert written(GAME, start(2, {})) == {"A1", "D4", "E5", "H8"}
    assert written(GAME, played(GAME, position, "a1")) == {"A2", "B1"}
    assert written(GAME, played(GAME, position, "c3")) == {"B3", "D3", "C2", "C4"}
    with pytest.raises(BadOption):
        start(2, {"size": "7"})


def test_the_first_stones_are_taken_off() -> None:
    position = start(2, {"size": "6"})
    after, events = play(position, read(position, "d4"))
    assert events == (Event("captured", 0, (cell("D4"),)),)
    assert (scene(after).marked, scene(after).vacated, scene(after).captured) == ((), (), (cell("D4"),))
    later = played(GAME, after, "d3")
    assert scene(later).captured == (cell("D3"),)
    assert written(GAME, later) == {"B4xD4", "F4xD4", "D6xD4"}


def test_moves_of_a_position() -> None:
    assert written(GAME, position_of(ROW)) == {"A2xC2", "A2xE2", "B3xB1"}
    assert written(GAME, position_of(ROW, 1)) == {"B2xB4"}


def test_a_jump_over_two_and_what_happened() -> None:
    position = position_of(ROW)
    after, events = play(position, read(position, "a2e2"))
    path = (cell("A2"), cell("E2"))
    assert events == (Event("moved", 0, path), Event("captured", 1, (cell("B2"), cell("D2"))))
    assert figure_of(scene(after)).split("\n")[4] == ". . . . x ."
    drawn = scene(after)
    assert (drawn.marked, drawn.vacated) == (path[1:], path[:1])
    assert drawn.captured == (cell("B2"), cell("D2"))


@for_each(
    ("position", "text", "rule"),
    [
        (start(2, {}), "j9", konane.THE_BOARD),
        (start(2, {}), "a2", konane.OPENING),
        (start(2, {}), "c3", konane.OPENING),
        (start(2, {}), "a1-a3", konane.OPENING),
        (position_of(ROW), "b2-d2", konane.OWN_STONE),
        (position_of(ROW), "b5", konane.OWN_STONE),
        (position_of(ROW), "b3-b5", konane.JUMPING),
        (position_of(ROW), "a2-a3", konane.JUMPING),
        (position_of(ROW), "a2-c2-e2", konane.JUMPING),
    ],
)
def test_illegal_moves(position: Position, text: str, rule: int) -> None:
    with pytest.raises(Illegal) as caught:
        read(position, text)
    assert caught.value.rule == rule


def test_reading() -> None:
    position = position_of(ROW)
    for text in ("b3xb1", "B3 B1", "b3-b1", "b3"):
        assert write(position, read(position, text)) == "B3xB1"
    assert write(start(2, {}), read(start(2, {}), info.example)) == "A1"
    with pytest.raises(Unfinished):
        read(position, "a2")
    with pytest.raises(Unreadable):
        read(position, "xo")


def test_whoever_cannot_move_has_lost() -> None:
    after = played(GAME, position_of(ROW), "b3-b1")
    assert outcome(after) == Outcome((1, 2), "blocked")
    assert to_move(after) is None
    assert not list(moves(after))
    with pytest.raises(Illegal) as caught:
        read(after, "b5-b3")
    assert caught.value.rule == konane.ENDING


Stones = dict[tuple[int, int], int]


def slow_jumps(stones: Stones, size: int, turn: int) -> dict[tuple[tuple[int, int], tuple[int, int]], Stones]:
    """All jumps by places, and what each leads to; a longer one is a shorter one played on."""
    found = {}
    for place, owner in stones.items():
        for aside, up in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            (x, y), left = place, dict(stones)
            while owner == turn and left.get((x + aside, y + up)) == 1 - turn:
                target = (x + 2 * aside, y + 2 * up)
                if target in left or not (min(target) >= 0 and max(target) < size):
                    break
                del left[x + aside, y + up], left[x, y]
                left[target] = turn
                x, y = target
                found[place, target] = dict(left)
    return found


@pytest.mark.parametrize("plies", [400, pytest.param(20_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("size", [8, 6])
def test_the_slow_engine_agrees(size: int, plies: int) -> None:
    random, count = Random(f"konane {size} {plies}"), 0
    while count < plies:
        position = start(2, {"size": str(size)})
        for _ in range(2):
            position, _ = play(position, random.choice(list(moves(position))))
        while True:
            stones = {
                divmod(place, size): "xo".index(mark) for place, mark in enumerate(position.cells) if mark != "."
            }
            theirs = slow_jumps(stones, size, position.turn)
            legal = {
                (divmod(int(source), size), divmod(int(target), size)): (source, target)
                for source, target in moves(position)
            }
            assert legal.keys() == theirs.keys()
            if not legal:
                assert outcome(position) == Outcome((2, 1) if position.turn == 0 else (1, 2), "blocked")
                break
            path = random.choice(list(legal))
            position, _ = play(position, legal[path])
            after = {
                divmod(place, size): "xo".index(mark) for place, mark in enumerate(position.cells) if mark != "."
            }
            assert after == theirs[path]
            count += 1


def test_the_tree() -> None:
    assert [leaves(GAME, start(2, {}), plies) for plies in (1, 2, 3, 4)] == [4, 12, 28, 172]
