"""The quick Cephalopod board against the rules: same moves, same positions, same dice; and the table's windows."""

import random
from typing import Any

import pytest

from pbmserv.games import cephalopod
from pbmserv.robots.cephalopod.table import CONTENTS, SHAPES, cells_in, folded, sizes, swapped, unpacked, windows
from pbmserv.robots.cephalopod.thinker import Ground, WindowJudge
from pbmserv.robots.search.puct import LOST, WON

SIZES = [(3, 3), (3, 5), (5, 5), (7, 5)]


def judge(columns: int, rows: int) -> WindowJudge:
    """Judges by a table of chance weights."""
    weights = random.Random(columns).randbytes(sum(sizes(columns * rows)))
    return WindowJudge(columns, rows, unpacked(weights, columns * rows))


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("columns", "rows"), SIZES)
def test_plays_as_the_rules_do(columns: int, rows: int) -> None:
    """Whole games: what the quick board reaches by moves is what it makes of the game's own position."""
    quick, dice = judge(columns, rows), random.Random(rows)
    for _ in range(5):
        position: Any = cephalopod.start(2, {"size": f"{columns}x{rows}"})
        ground = quick.ground(position)
        while cephalopod.to_move(position) is not None:
            moves = list(cephalopod.moves(position))
            assert sorted(placing for placing, _ in quick.moves(ground)) == sorted(moves)
            looked: dict[Any, float] = {placing: worth for worth, placing in quick.look(ground)}
            assert set(looked) == set(moves)
            move = dice.choice(moves)
            before, (position, _) = position, cephalopod.play(position, move)
            ground = quick.after(ground, tuple(map(int, move)))
            assert ground == quick.ground(position)
            outcome = cephalopod.outcome(position)
            if outcome is not None:
                assert looked[move] == (WON if outcome.ranks[before.turn] == 1 else LOST)
            else:
                assert LOST < looked[move] < WON


def test_judges_what_is_reflected_alike() -> None:
    """A board and its mirror image are worth the same, and so is either with the sides changed."""
    quick, dice = judge(5, 5), random.Random(4)
    position: Any = cephalopod.start(2, {})
    for _ in range(40):
        position, _ = cephalopod.play(position, dice.choice(list(cephalopod.moves(position))))
    ground = quick.ground(position)
    mirrored = [(4 - square // 5) * 5 + square % 5 for square in range(25)]
    turned = [square % 5 * 5 + square // 5 for square in range(25)]
    for image in (mirrored, turned):
        seen = reached(quick, [ground.squares[image[square]] for square in range(25)], ground.turn)
        assert sorted(worth for worth, _ in quick.look(seen)) == sorted(worth for worth, _ in quick.look(ground))
    other = [0, *range(7, 13), *range(1, 7)]
    exchanged = reached(quick, [other[content] for content in ground.squares], 1 - ground.turn)
    assert [worth for worth, _ in quick.look(exchanged)] == [worth for worth, _ in quick.look(ground)]


def reached(quick: WindowJudge, contents: list[int], turn: int) -> Ground:
    """The ground with these contents of the squares."""
    empty: Any = cephalopod.start(2, {})
    pips = tuple((content - 1) % 6 + 1 if content else 0 for content in contents)
    owners = tuple(None if not content else int(content > 6) for content in contents)
    return quick.ground(cephalopod.Position(empty.board, pips, owners, turn, (0, 1)))


@pytest.mark.parametrize("kind", range(len(SHAPES)))
def test_folds_only_what_is_alike(kind: int) -> None:
    """Numbers with the same folded number have the same middle and the same others, in whatever order."""
    fold, count = folded(kind)
    cells = cells_in(kind)
    assert len(fold) == CONTENTS**cells
    assert set(fold) == set(range(count))
    dice = random.Random(kind)
    alike: dict[int, list[int]] = {}
    for number in dice.sample(range(len(fold)), 2000):
        first, *others = digits(number, cells)
        assert alike.setdefault(fold[number], [first, *sorted(others)]) == [first, *sorted(others)]
    other = swapped(cells)
    assert all(other[other[number]] == number for number in range(0, len(other), 7))


def digits(number: int, cells: int) -> list[int]:
    """What the cells of a window show."""
    return [number // CONTENTS**place % CONTENTS for place in range(cells)]


@pytest.mark.parametrize(("columns", "rows"), SIZES)
def test_windows_cover_the_board(columns: int, rows: int) -> None:
    """A plus a square, a block for each four that touch."""
    seen = windows(columns, rows)
    assert len(seen) == columns * rows + (columns - 1) * (rows - 1)
    board = cephalopod.start(2, {"size": f"{columns}x{rows}"}).board
    for window in seen[: columns * rows]:
        assert set(window.cells[1:]) == set(board.neighbours[window.cells[0]])
