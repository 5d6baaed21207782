"""Dots and boxes: lines, boxes, who draws next, the end; other names of lines; a second engine."""

import re
from math import perm
from pathlib import Path

import pytest

from pbmserv.games import dots
from pbmserv.games.dots import DRAWING, ENDING, THE_BOARD, Position
from pbmserv.games.game import Event, Illegal, Move, Outcome, Unreadable
from pbmserv.games.info import BadOption
from pbmserv.rendering.board_text import draw_sheet
from tests.every import for_each
from tests.games.by_hand import leaves, played, written
from tests.games.second_engine import SecondEngine, play_random_games

RULES = (Path(__file__).parents[2] / "templates" / "en" / "rules" / "dots-and-boxes.txt").read_text("ascii")


def drawn(figure: str, turn: int = 0) -> Position:
    """A position from a figure of dots, lines and marks in boxes."""
    rows = figure.strip("\n").split("\n")
    side = len(rows)
    board = dots.board_of(side // 2)
    cells = bytearray()
    for name in board.names:
        column, row = ord(name[0]) - ord("A"), int(name[1:]) - 1
        shown = rows[side - 1 - row].ljust(2 * side)[2 * column]
        cells.append({"x": 0, "o": 1, "-": dots.DRAWN, "|": dots.DRAWN}.get(shown, dots.EMPTY))
    return Position(board, bytes(cells), turn)


def figure_of(position: Position) -> str:
    """The same the other way round: the sheet without what is beside it."""
    lines = draw_sheet(dots.scene(position)).split("\n")[1:-1]
    return "\n".join(line[7 : 7 + 2 * len(lines)].rstrip() for line in lines)


def refused(position: Position, text: str) -> int:
    with pytest.raises(Illegal) as illegal:
        dots.read(position, text)
    return illegal.value.rule


THREE_SIDES = """
+ - +   +   +

+   +   +   +
|   | x |
+   + - +   +
|       | x |
+ - + - + - +
"""


def test_a_figure_is_read_and_drawn() -> None:
    position = drawn(THREE_SIDES)
    assert figure_of(position).split("\n") == [
        line.rstrip() for line in THREE_SIDES.replace("x |\n", "x |\n").strip("\n").split("\n")
    ]


def test_who_draws_the_fourth_line_has_the_box_and_draws_again() -> None:
    position = drawn("+ - +   +\n|   |\n+   +   +\n\n+   +   +", turn=1)
    after, events = dots.play(position, dots.read(position, "b3"))
    line, box = position.board.numbers["B3"], position.board.numbers["B4"]
    assert events == (Event("placed", 1, (line,)), Event("scored", 1, (box,), count=1))
    assert (dots.to_move(after), dots.scores(after)) == (1, (0, 1))
    scene = dots.scene(after)
    assert scene.cells[box][0].text == "o"
    assert scene.cells[line][0].kind == "across"
    assert (scene.marked, scene.scores) == ((line, box), (0, 1))
    after, events = dots.play(after, dots.read(after, "b1"))
    assert (len(events), dots.to_move(after)) == (1, 0)


def test_a_line_can_close_two_boxes() -> None:
    position = drawn("+ - + - +\n|       |\n+ - + - +\n\n+   +   +")
    after, events = dots.play(position, dots.read(position, "c4"))
    assert events[1].count == 2
    assert figure_of(after).split("\n")[1] == "| x | x |"
    assert dots.to_move(after) == 0
    assert len(dots.scene(after).marked) == 3


def test_a_box_stays_with_who_closed_it_whoever_drew_its_other_lines() -> None:
    position = played(dots, dots.start(2, {"size": "3"}), "b1 a2 b3 f7 g6 c2")
    assert dots.scores(position) == (0, 1)
    assert dots.to_move(position) == 1


def test_what_is_no_line_that_can_be_drawn() -> None:
    position = drawn(THREE_SIDES)
    for text in ("a1-a5", "a1-c3", "a1 a1", "a1", "a1-a3-a5", "b2", "b1", "a2-b1", "b1-b2"):
        assert refused(position, text) == DRAWING, text
    for text in ("h1", "a8", "j9-j11", "a1-z1"):
        assert refused(position, text) == THE_BOARD, text
    for text in ("hello", "a1-", "-", ""):
        with pytest.raises(Unreadable):
            dots.read(position, text)
    for size in ("7", "2", "x"):
        with pytest.raises(BadOption):
            dots.start(2, {"size": size})


def test_a_line_has_the_name_of_its_dots_too() -> None:
    position = dots.start(2, {"size": "3"})
    for text, line in (("a1-a3", "A2"), ("A3 a1", "A2"), ("a1c1", "B1"), ("g7-e7", "F7"), ("c1-c3", "C2")):
        assert dots.write(position, dots.read(position, text)) == line
    assert refused(played(dots, position, "a2"), "a1-a3") == DRAWING


@for_each(
    ("before", "text", "outcome"),
    [
        ("+ - +\n| x |\n+ - +   +", "", None),
        ("+ - + - +\n| x | o |\n+ - + - +\n| o |\n+ - + - +", "e2", Outcome((1, 1), "draw", (2, 2))),
        ("+ - + - +\n| x | x |\n+ - + - +\n| o |\n+ - + - +", "e2", Outcome((1, 2), "score", (3, 1))),
        ("+ - + - +\n| o | o |\n+ - + - +\n| o |\n+ - + - +", "e2", Outcome((2, 1), "score", (1, 3))),
    ],
)
def test_the_end(before: str, text: str, outcome: Outcome | None) -> None:
    if outcome is None:
        assert dots.outcome(dots.start(2, {})) is None
        return
    after = played(dots, drawn(before), text)
    assert dots.outcome(after) == outcome
    assert list(dots.moves(after)) == []
    assert dots.to_move(after) is None
    assert refused(after, "e2") == refused(after, "e1-e3") == refused(after, "a1-a1") == ENDING


def test_the_figures_of_the_rules() -> None:
    start, before, after = re.findall(r"         A B C D E F G\n(.*?)         A B C D E F G\n", RULES, re.DOTALL)
    position = dots.start(2, {"size": "3"})

    def figure(position: Position) -> str:
        lines = draw_sheet(dots.scene(position)).split("\n")[1:-1]
        return "".join(f"  {line}\n" for line in lines)

    assert figure(position) == start
    position = played(dots, position, "b1 a2 b3 f7 g6")
    assert (figure(position), dots.to_move(position)) == (before, 1)
    assert figure(played(dots, position, "c2")) == after


def test_counted_trees() -> None:
    """Any line can be drawn at any time, so there are as many games as orders of lines."""
    for size in ("3", "5"):
        start = dots.start(2, {"size": size})
        lines = 2 * int(size) * (int(size) + 1)
        assert leaves(dots, start, 2) == perm(lines, 2)
        assert len(written(dots, start)) == lines


def their_names(position: Position, move: Move) -> tuple[str, ...]:
    """What open_spiel calls a line: its row and column among the lines of its direction, from the upper left."""
    name = position.board.names[int(move[0])]
    column, row = ord(name[0]) - ord("A"), int(name[1:]) - 1
    size = len(position.board.layout.rows) // 2
    way = "h" if row % 2 == 0 else "v"
    down = size - row // 2 if way == "h" else size - 1 - row // 2
    return (f"P{(position.turn or 0) + 1}({way},{down},{column // 2})",)


def second(size: int) -> SecondEngine:
    theirs = f"dots_and_boxes(num_rows={size},num_cols={size})"
    return SecondEngine(dots, theirs, their_names, {"size": str(size)})


@for_each("size", [3, 5])
def test_a_few_games_beside_a_second_engine(size: int) -> None:
    assert play_random_games(second(size), 120) >= 2


@pytest.mark.slow
@for_each("size", [3, 4, 5, 6])
def test_beside_a_second_engine(size: int) -> None:
    assert play_random_games(second(size), 5000, "long") > 50
