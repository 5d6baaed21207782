"""Ultimate tic-tac-toe: where one may play, what a row wins, how it ends; counted trees and a second engine."""

import re
from pathlib import Path

import pytest

from pbmserv.games import ultimate
from pbmserv.games.game import Event, Illegal, Move, Outcome, Unreadable
from pbmserv.games.info import BadOption
from pbmserv.games.ultimate import CLOSED, ENDING, PLACING, THE_BOARD, WHERE, Position
from pbmserv.rendering.board_text import draw_sheet
from pbmserv.rendering.piece_style import looks_of
from pbmserv.rendering.svg.position import marks
from tests.every import for_each
from tests.games.by_hand import cells_of, leaves, played, written
from tests.games.second_engine import SecondEngine, play_random_games

RULES = Path(__file__).parents[2] / "templates" / "en" / "rules" / "ultimate-tic-tac-toe.txt"

WON = """
. . .  x . .  . . .
. . .  . x .  . . .
. . .  . . .  . . .
o o .  x . .  . . .
. . .  . x .  . . .
. . .  . . x  . . .
. . .  o x .  x . .
. . .  x o x  . x .
. . .  o x x  . . x
"""
"""Cross has two boards of the diagonal... the middle one and the lower right one; Nought has none."""


def drawn(figure: str, turn: int = 0, last: str = "") -> Position:
    """A position from a figure; small boards are won by the rows that they have."""
    board = ultimate.scene(Position()).board
    shown = cells_of(board, figure)
    stones = bytes("xo.".index(mark) for mark in shown)
    smalls = bytearray()
    for column, row in [(column, row) for column in (0, 3, 6) for row in (0, 3, 6)]:
        small = [[shown[(column + x) * 9 + row + y] for x in range(3)] for y in range(3)]
        lines = [*small, *zip(*small, strict=True)]
        lines += [[small[each][each] for each in range(3)], [small[each][2 - each] for each in range(3)]]
        winners = ["xo".index(line[0]) for line in lines if len({*line}) == 1 and line[0] != "."]
        is_full = all(mark != "." for line in small for mark in line)
        smalls.append(winners[0] if winners else ultimate.FULL if is_full else ultimate.EMPTY)
    return Position(stones, bytes(smalls), turn, None, board.find(last) if last else None)


def refused(position: Position, text: str) -> int:
    with pytest.raises(Illegal) as illegal:
        ultimate.read(position, text)
    return illegal.value.rule


def cells(text: str) -> set[str]:
    """The cells of a small board by its lower left one."""
    return {f"{chr(ord(text[0]) + x)}{int(text[1]) + y}" for x in range(3) for y in range(3)}


@for_each(
    ("move", "corner"),
    [("a1", "A1"), ("d4", "A1"), ("i9", "G7"), ("e5", "D4"), ("h7", "D1"), ("c8", "G4"), ("a3", "A7")],
)
def test_a_mark_says_on_which_board_the_next_one_is(move: str, corner: str) -> None:
    position = played(ultimate, ultimate.start(2, {}), move)
    assert written(ultimate, position) == cells(corner) - {move.upper()}
    elsewhere = "A9" if corner != "A7" else "I1"
    assert refused(position, elsewhere) == WHERE
    assert {ultimate.scene(position).board.names[cell] for cell in ultimate.scene(position).within} == cells(
        corner
    )


def test_who_is_sent_to_a_closed_board_plays_where_they_like() -> None:
    position = drawn(WON, turn=1, last="E2")
    closed = cells("D4") | cells("G1")
    taken = {"D9", "E8", "A6", "B6"} | cells("D1") - {"F3"}
    every = {f"{letter}{number}" for letter in "ABCDEFGHI" for number in range(1, 10)}
    assert written(ultimate, position) == every - closed - taken
    assert refused(position, "F6") == CLOSED  # won
    assert (
        refused(drawn(WON.replace("o x .\n", "o x o\n").replace("o x .  x", "o x o  x"), 1, "E2"), "E1") == PLACING
    )
    assert refused(position, "d9") == PLACING
    assert ultimate.scene(position).within == ()


def test_a_row_wins_a_small_board_and_is_drawn_in_capitals() -> None:
    position = drawn(WON, turn=1, last="A5")
    after, events = ultimate.play(position, ultimate.read(position, "c6"))
    assert events == (Event("placed", 1, (23,)), Event("scored", 1, (5, 14, 23), count=1))
    scene = ultimate.scene(after)
    assert [(piece.text, piece.kind) for piece in scene.cells[5]] == [("O", "won")]
    assert [(piece.text, piece.kind) for piece in scene.cells[35]] == [("x", "")]
    assert scene.scores == (2, 1) == ultimate.scores(after)
    assert ultimate.outcome(after) is None


def test_three_small_boards_in_a_line_win() -> None:
    position = drawn(
        WON.replace(". . .  x . .  . . .\n. . .  . x", "x . .  x . .  . . .\n. x .  . x", 1), last="C1"
    )
    after = played(ultimate, position, "c7")
    assert ultimate.outcome(after) == Outcome((1, 2), "goal", (3, 0))
    assert (list(ultimate.moves(after)), ultimate.scene(after).within) == ([], ())
    assert refused(after, "A1") == ENDING


def test_three_small_boards_that_are_not_in_a_line_win_nothing() -> None:
    after = played(ultimate, drawn(WON, last="B3"), "f7")
    assert ultimate.scores(after) == (3, 0)
    assert ultimate.outcome(after) is None


FULL = """
x x x  o o o  . o x
. . .  . . .  x x o
. . .  . . .  o x o
o o o  x x x  x x x
. . .  . . .  . . .
. . .  . . .  . . .
o o o  x x x  o o o
. . .  . . .  . . .
. . .  . . .  . . .
"""


def test_a_draw_when_no_small_board_is_open() -> None:
    position = drawn(FULL, turn=1, last="C3")
    assert written(ultimate, position) == {"G9"}
    after = played(ultimate, position, "g9")
    assert ultimate.outcome(after) == Outcome((1, 1), "draw", (4, 4))
    assert after.smalls[8] == ultimate.FULL


def test_a_full_board_closes_without_a_winner() -> None:
    figure = FULL.replace("o o o  . o x", ". o o  . o x")
    position = drawn(figure, turn=1, last="C3")
    after = played(ultimate, position, "g9")
    assert ultimate.outcome(after) is None
    assert written(ultimate, after) >= {"D9", "D8"}
    assert refused(after, "G9") == PLACING


def test_texts() -> None:
    start = ultimate.start(2, {})
    for text in ("hello", "e", "55", ""):
        with pytest.raises(Unreadable):
            ultimate.read(start, text)
    assert refused(start, "J1") == THE_BOARD
    assert refused(start, "A1 A2") == PLACING
    with pytest.raises(BadOption):
        ultimate.start(2, {"size": "9"})


def test_the_figure_of_the_rules() -> None:
    text = RULES.read_text("ascii")
    position = played(ultimate, ultimate.start(2, {}), "e5 d6 b9 e9")
    figure = "\n".join(f"  {line}" for line in draw_sheet(ultimate.scene(position)).split("\n"))
    assert figure in text
    assert re.search(r"9  \. x \. \|\[\. o \.\]\| \. \. \.  9", figure)
    assert (
        sum(mark.kind == "d-within" for mark in marks(ultimate.scene(position), looks_of(ultimate.info.sides)))
        == 1
    )


def test_counted_trees() -> None:
    start = ultimate.start(2, {})
    assert [leaves(ultimate, start, plies) for plies in (1, 2, 3)] == [81, 720, 6336]


@pytest.mark.slow
def test_deep_counted_trees() -> None:
    start = ultimate.start(2, {})
    assert [leaves(ultimate, start, plies) for plies in (4, 5)] == [55080, 473256]


def their_names(position: Position, move: Move) -> tuple[str, ...]:
    """What open_spiel calls a move: where a board can be chosen, that first."""
    cell = int(move[0])
    column, row = divmod(cell, 9)
    small, place = (2 - row // 3) * 3 + column // 3, (2 - row % 3, column % 3)
    mark = "xo"[position.turn or 0]
    name = f"Local board {small}: {mark}({place[0]},{place[1]})"
    aim = None if position.last is None else position.last // 9 % 3 * 3 + position.last % 3
    return (
        (name,)
        if aim is not None and position.smalls[aim] == ultimate.EMPTY
        else (f"Choose local board {small}", name)
    )


SECOND = SecondEngine(ultimate, "ultimate_tic_tac_toe", their_names)


def test_a_few_games_beside_a_second_engine() -> None:
    assert play_random_games(SECOND, 300) >= 4


@pytest.mark.slow
def test_beside_a_second_engine() -> None:
    assert play_random_games(SECOND, 20_000, "long") > 250
