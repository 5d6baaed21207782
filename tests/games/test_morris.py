"""The rules of nine men's morris as drawn positions, and a second engine."""

from typing import Any, cast

import pytest

from pbmserv.games import morris as merels
from pbmserv.games.game import Event, Game, Illegal, Move, Outcome, Unfinished, Unreadable
from pbmserv.games.info import BadOption
from pbmserv.games.morris import Position, morris
from tests.every import for_each
from tests.games.by_hand import assert_end_before_limit, cells_of, figure_of, leaves, played, written
from tests.games.second_engine import SecondEngine, play_random_games

GAME = cast(Game, morris)
BOARD = morris.start(2, {}).board
POINTS = [cell for row in BOARD.layout.rows for cell in row.cells]
"""From the upper left, row by row: so they are numbered there."""


def position_of(figure: str, turn: int = 0, hands: tuple[int, int] = (0, 0), **more: Any) -> Position:
    return Position(BOARD, "".join(cells_of(BOARD, figure)), hands, turn, **more)


def cell(name: str) -> int:
    return BOARD.numbers[name]


MIDDLE = """
o o +
+ + +
+ + +
x + + + + o
+ x +
x x x
+ + o
"""
FLYING = """
o o +
+ + +
+ + +
x + + + o +
+ + +
x x x
+ + +
"""


def test_the_start() -> None:
    position = morris.start(2, {})
    assert figure_of(morris.scene(position), "+").replace("\n", " ") == " ".join("+" * 24)
    assert position.hands == (9, 9)
    assert written(GAME, position) == set(BOARD.names)
    assert len({(low, high) for low, all_of in enumerate(BOARD.neighbours) for high in all_of if low < high}) == 32
    with pytest.raises(BadOption):
        morris.start(2, {"men": "12"})


def test_moves_of_a_position() -> None:
    assert written(GAME, position_of(MIDDLE)) == {
        *("D7-D6", "D7-G7xA4", "D7-G7xD3"),
        *("G4-F4", "G4-G7xA4", "G4-G7xD3"),
        "G1-D1",
    }
    assert written(GAME, position_of(MIDDLE, 1)) == {
        *("A4-A1", "A4-B4", "B2-B4", "D2-D1", "F2-F4", "D3-C3", "D3-E3"),
    }


def test_a_mill_on_the_board_is_no_reason_to_capture() -> None:
    assert all("x" not in text for text in written(GAME, position_of(MIDDLE, 1)))


def test_a_mill_that_opens_and_closes_captures_again() -> None:
    position = played(GAME, position_of(MIDDLE, 1), "d2-d1 g4-f4")
    closing = {text for text in written(GAME, position) if text.startswith("D1-D2")}
    assert closing == {"D1-D2xA7", "D1-D2xD7", "D1-D2xF4", "D1-D2xG1"}


def test_flying_with_three_men() -> None:
    position = position_of(FLYING)
    assert morris.to_move(position) == 0
    texts = written(GAME, position)
    assert {text for text in texts if text.startswith("F4-G7")} == {"F4-G7xA4"}
    assert {text[:5] for text in texts if text.startswith("A7")} == {
        f"A7-{name}" for number, name in enumerate(BOARD.names) if position.cells[number] == "+"
    }
    assert all("-" in text for text in texts)


def test_men_in_hand_are_no_reason_to_fly() -> None:
    assert all("-" not in text for text in written(GAME, position_of(FLYING, hands=(1, 1))))


@pytest.mark.parametrize(
    ("figure", "prey"),
    [(MIDDLE, {"A4", "D3"}), (FLYING.replace("x + + + o +", "+ + + + o +"), {"B2", "D2", "F2"})],
    ids=["loose men first", "all in mills"],
)
def test_whom_a_mill_captures(figure: str, prey: set[str]) -> None:
    texts = written(GAME, position_of(figure, hands=(1, 1)))
    assert {text[3:] for text in texts if text.startswith("G7")} == prey


def test_placing_captures_only_one() -> None:
    figure = "o o +\n+ + +\n+ + +\nx + + + + o\n+ x +\n+ + +\n+ + o"
    position = position_of(figure, hands=(1, 1))
    after, events = morris.play(position, morris.read(position, "g7xd3"))
    assert events == (Event("placed", 0, (cell("G7"),)), Event("captured", 1, (cell("D3"),)))
    assert after.hands == (0, 1)
    scene = morris.scene(after)
    assert (scene.marked, scene.vacated, scene.captured) == ((cell("G7"),), (), (cell("D3"),))


def test_moving_and_what_happened() -> None:
    position = position_of(MIDDLE)
    after, events = morris.play(position, morris.read(position, "g4-g7xa4"))
    assert events == (Event("moved", 0, (cell("G4"), cell("G7"))), Event("captured", 1, (cell("A4"),)))
    assert figure_of(morris.scene(after), "+").split("\n")[:4] == ["o o o", "+ + +", "+ + +", "+ + + + + +"]
    scene = morris.scene(after)
    assert (scene.marked, scene.vacated, scene.captured) == ((cell("G7"),), (cell("G4"),), (cell("A4"),))
    scene = morris.scene(played(GAME, position, "g4-f4"))
    assert (scene.marked, scene.vacated, scene.captured) == ((cell("F4"),), (cell("G4"),), ())


@for_each(
    ("position", "text", "rule"),
    [
        (morris.start(2, {}), "d4", merels.THE_BOARD),
        (position_of(MIDDLE, hands=(1, 1)), "a7", merels.PLACING),
        (position_of(MIDDLE, hands=(1, 1)), "a1xd3", merels.CAPTURING),
        (position_of(MIDDLE, hands=(1, 1)), "g7xb2", merels.MILLS_ARE_SAFE),
        (position_of(MIDDLE), "a7-d7", merels.MOVING),
        (position_of(MIDDLE), "d7-d5", merels.MOVING),
        (position_of(MIDDLE), "a4-b4", merels.MOVING),
        (position_of(MIDDLE), "a1", merels.MOVING),
        (position_of(FLYING), "a7-b2", merels.FLYING),
        (position_of(MIDDLE), "g4-f4xd3", merels.CAPTURING),
        (position_of(MIDDLE), "g4-g7xb2", merels.MILLS_ARE_SAFE),
        (position_of(MIDDLE), "g4-g7xa7", merels.CAPTURING),
        (position_of(MIDDLE), "g4-g7xa4xd3", merels.CAPTURING),
    ],
)
def test_illegal_moves(position: Position, text: str, rule: int) -> None:
    with pytest.raises(Illegal) as caught:
        morris.read(position, text)
    assert caught.value.rule == rule


def test_reading() -> None:
    position = position_of(MIDDLE)
    for text in ("g4-g7xa4", "G4 g7 a4", "g4g7a4", "g4xa4"):
        assert morris.write(position, morris.read(position, text)) == "G4-G7xA4"
    with pytest.raises(Unfinished) as caught:
        morris.read(position, "g4-g7")
    assert caught.value.begun == (cell("G4"), cell("G7"))
    assert morris.write(position_of(FLYING), morris.read(position_of(FLYING), "f4g7")) == "F4-G7xA4"
    assert morris.read(morris.start(2, {}), morris.info.example) == (cell("D6"),)
    with pytest.raises(Unreadable):
        morris.read(position, "mill")


def test_two_men_have_lost() -> None:
    figure = "o o +\n+ + +\n+ + +\nx + + + o +\n+ + +\nx + x\n+ + +"
    after = played(GAME, position_of(figure), "f4-g7xa4")
    assert morris.outcome(after) == Outcome((1, 2), "bare")
    assert morris.to_move(after) is None
    with pytest.raises(Illegal) as caught:
        morris.read(after, "b2-b4")
    assert caught.value.rule == merels.ENDING
    assert morris.outcome(played(GAME, position_of(figure, hands=(1, 1)), "g7xa4")) is None


def test_whoever_cannot_move_has_lost() -> None:
    figure = "x o x\n+ + +\n+ + +\no + + + o +\n+ + +\n+ + +\nx o x"
    assert morris.to_move(position_of(figure, 1)) == 1
    after = played(GAME, position_of(figure), "f4-g4")
    assert morris.outcome(after) == Outcome((1, 2), "blocked")
    assert_end_before_limit(GAME, after)
    assert not list(morris.moves(after))


def test_the_third_time_is_a_draw() -> None:
    position = position_of(MIDDLE)
    for text in ("g4-f4", "d3-c3", "f4-g4", "c3-d3") * 2:
        assert morris.outcome(position) is None
        position = played(GAME, position, text)
    assert morris.outcome(position) == Outcome((1, 1), "repeated")
    assert not list(morris.moves(position))


def test_fifty_moves_each_without_progress_are_a_draw() -> None:
    seen = tuple(str(number) for number in range(99))
    assert morris.outcome(position_of(MIDDLE, seen=seen)) is None
    assert morris.outcome(played(GAME, position_of(MIDDLE, seen=seen), "g4-f4")) == Outcome((1, 1), "exhausted")
    assert played(GAME, position_of(MIDDLE, seen=seen), "g4-g7xa4").seen == ()
    assert played(GAME, position_of(MIDDLE, hands=(1, 1), seen=seen), "f4").seen == ()


def test_the_tree_of_the_first_plies() -> None:
    assert [leaves(GAME, morris.start(2, {}), plies) for plies in (1, 2, 3)] == [24, 24 * 23, 24 * 23 * 22]


def theirs(position: Position, move: Move) -> tuple[str, ...]:
    """A placed man is `Point 3`, a moved one `Move 3 -> 4`, and a captured one is an action of its own."""
    points = [POINTS.index(int(step)) for step in move]
    if position.hands[position.turn]:
        return tuple(f"Point {point}" for point in points)
    return (f"Move {points[0]} -> {points[1]}", *(f"Point {point}" for point in points[2:]))


ENGINE = SecondEngine(
    GAME,
    "nine_mens_morris",
    theirs,
    our_limits=("repeated", "exhausted"),
    # Their only draw is after 200 turns.
    their_limit=lambda _, state: not any(state.returns()),
)


@pytest.mark.parametrize("plies", [300, pytest.param(25_000, marks=pytest.mark.slow)])
def test_a_second_engine_agrees(plies: int) -> None:
    assert play_random_games(ENGINE, plies) > 1
