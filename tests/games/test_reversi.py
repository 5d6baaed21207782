"""Reversi: what turns, who passes, how it ends; counted trees; a slow reversi and a second engine beside ours."""

import re
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from pbmserv.games import boards, reversi
from pbmserv.games.game import Event, Illegal, Move, Outcome, Unreadable
from pbmserv.games.info import BadOption
from pbmserv.games.stones import Position
from tests.every import for_each
from tests.games.second_engine import SecondEngine, play_random_games

RULES = Path(__file__).parents[2] / "templates" / "en" / "rules" / "reversi.txt"
SEATS = {"x": 0, "o": 1, ".": 2}


def drawn(*rows: str, turn: int | None = 0) -> Position:
    """A position from its rows, from top to bottom."""
    cells = [row.split() for row in rows]
    board = boards.squares(len(cells[0]), len(cells))
    return Position(
        board, bytes(SEATS[row[column]] for column in range(len(cells[0])) for row in cells[::-1]), turn
    )


def rows_of(position: Position) -> list[str]:
    rows = position.board.layout.rows
    return [" ".join("xo."[position.stones[cell]] for cell in row.cells) for row in rows]


def leaves(position: Position, plies: int) -> int:
    if plies == 0:
        return 1
    return sum(leaves(reversi.play(position, move)[0], plies - 1) for move in reversi.moves(position))


@for_each(("size", "counts"), [("8", [4, 12, 56, 244, 1396]), ("6", [4, 12, 56, 244])])
def test_tree_of_moves(size: str, counts: list[int]) -> None:
    start = reversi.start(2, {"size": size})
    assert [leaves(start, plies) for plies in range(1, len(counts) + 1)] == counts


@pytest.mark.slow
def test_deep_tree_of_moves() -> None:
    assert leaves(reversi.start(2, {}), 6) == 8200
    assert leaves(reversi.start(2, {}), 7) == 55092


def test_the_figures_of_the_rules() -> None:
    text = RULES.read_text("ascii")
    figures = re.findall(r"\n\n((?:    [xo.]( [xo.]){3}     [xo.]( [xo.]){3}\n){4})", text)
    assert len(figures) == 2
    for (figure, *_), move in zip(figures, ("d4", "a1"), strict=True):
        before, after = ([line.split("     ")[part].strip() for line in figure.splitlines()] for part in (0, 1))
        position = drawn(*before)
        assert rows_of(reversi.play(position, reversi.read(position, move))[0]) == after
    start = [line.split("  ")[-2] for line in text.splitlines() if re.match(r"      [1-8]  ", line)]
    assert rows_of(reversi.start(2, {})) == start


def test_events_and_scene() -> None:
    position = drawn(". o x", ". . .", "o x .")
    after, events = reversi.play(position, reversi.read(position, "A3"))
    assert events == (Event("placed", 0, (2,)), Event("turned", 0, (5,)))
    scene = reversi.scene(after)
    assert (scene.marked, scene.captured, scene.vacated, scene.scores) == ((2,), (5,), (), (4, 1))
    assert [piece.text for cell in scene.cells for piece in cell] == ["o", "x", "x", "x", "x"]
    assert reversi.to_move(after) == 1


def test_who_cannot_move_is_passed_over() -> None:
    position = drawn(". o x o .", ". . . . .", turn=0)
    after, events = reversi.play(position, reversi.read(position, "a2"))
    assert events[-1] == Event("passed", 1)
    assert reversi.to_move(after) == 0
    end, events = reversi.play(after, reversi.read(after, "e2"))
    assert "passed" not in {event.kind for event in events}
    assert reversi.outcome(end) == Outcome((1, 2), "score", (5, 0))
    assert reversi.to_move(end) is None


def test_a_draw_and_a_win_of_white() -> None:
    position = drawn(". o x", "o o .")
    assert reversi.outcome(reversi.play(position, (1,))[0]) == Outcome((1, 2), "score", (3, 2))
    position = drawn(". o x", "o o o")
    assert reversi.outcome(reversi.play(position, (1,))[0]) == Outcome((1, 1), "draw", (3, 3))
    position = drawn(". x o", "o o .", turn=1)
    end, _ = reversi.play(position, (1,))
    assert reversi.outcome(end) == Outcome((2, 1), "score", (0, 5))
    with pytest.raises(Illegal) as over:
        reversi.read(end, "c1")
    assert over.value.rule == reversi.ENDING


@for_each(
    ("text", "rule"),
    [("d4", reversi.PLACING), ("a1", reversi.TURNING), ("d3 c4", reversi.PLACING), ("i3", reversi.THE_BOARD)],
)
def test_illegal(text: str, rule: int) -> None:
    with pytest.raises(Illegal) as illegal:
        reversi.read(reversi.start(2, {}), text)
    assert illegal.value.rule == rule


@for_each("text", ["", "pass", "d", "d3!", "hello d3"])
def test_unreadable(text: str) -> None:
    with pytest.raises(Unreadable):
        reversi.read(reversi.start(2, {}), text)


def test_reading_and_options() -> None:
    start = reversi.start(2, {})
    assert reversi.read(start, " D3 ") == reversi.read(start, "d3")
    assert list(reversi.moves(start, ("pass",))) == list(reversi.moves(start, (0,))) == []
    assert replace(start, last=()) == reversi.start(2, {"size": "8"})
    with pytest.raises(BadOption):
        reversi.start(2, {"size": "7"})


def slow_reversi(size: int, random: Random) -> int:
    """Plays a random game of ours beside one of coordinates and steps; returns its plies."""
    position, plies = reversi.start(2, {"size": str(size)}), 0
    half, every = size // 2, [(x, y) for x in range(size) for y in range(size)]
    discs = {(half - 1, half): 0, (half, half - 1): 0, (half - 1, half - 1): 1, (half, half): 1}
    seat = 0

    def turned(seat: int, x: int, y: int) -> set[tuple[int, int]]:
        found: set[tuple[int, int]] = set()
        for dx, dy in [(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy]:
            line = [(x + count * dx, y + count * dy) for count in range(1, size + 1)]
            colours = [discs.get(place) for place in line]
            if seat in colours and colours[: colours.index(seat)] == [1 - seat] * colours.index(seat):
                found.update(line[: colours.index(seat)])
        return found if (x, y) not in discs else set()

    for _ in range(3 * size**2):
        legal = [place for place in every if turned(seat, *place)]
        if legal:
            assert position.turn == seat
            ours: list[Move] = [(x * size + y,) for x, y in legal]
            assert list(reversi.moves(position)) == ours
            x, y = random.choice(legal)
            discs.update(dict.fromkeys(((x, y), *turned(seat, x, y)), seat))
            position, plies = reversi.play(position, (x * size + y,))[0], plies + 1
            assert list(position.stones) == [discs.get(place, 2) for place in every]
        seat = 1 - seat
    assert reversi.to_move(position) is None
    return plies


@for_each("size", [6, 8, 10])
def test_beside_a_slow_reversi(size: int) -> None:
    assert slow_reversi(size, Random(size)) > 20


ENGINE = SecondEngine(
    reversi, "othello", lambda position, move: (reversi.write(position, move).lower(),), passes=("pass",)
)


def test_second_engine() -> None:
    assert play_random_games(ENGINE, 300) >= 5


@pytest.mark.slow
def test_second_engine_at_length() -> None:
    assert play_random_games(ENGINE, 20_000, "at length") >= 300
