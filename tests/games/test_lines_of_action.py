"""The rules of lines of action as drawn positions, the published tree, and a second engine."""

from typing import Any

import pytest

from pbmserv.games import boards, lines_of_action
from pbmserv.games.defaults import Position
from pbmserv.games.game import Event, Game, Illegal, Move, Outcome, Unfinished, Unreadable
from pbmserv.games.info import BadOption
from pbmserv.games.lines_of_action import info, moves, outcome, play, read, scene, start, to_move, write
from tests.every import for_each
from tests.games.by_hand import assert_end_before_limit, cells_of, figure_of, leaves, played, written
from tests.games.second_engine import SecondEngine, play_random_games

GAME: Game = lines_of_action
BOARD = boards.squares(8, 8, is_chequered=True)


def position_of(figure: str, turn: int = 0, **more: Any) -> Position:
    return Position(BOARD, "".join(cells_of(BOARD, figure)), turn, **more)


def cell(name: str) -> int:
    return BOARD.numbers[name]


MIDDLE = """
. . . . . . . .
. . . . . . . .
. . . . . . . .
. o . . . . . .
. . . . . . . .
. x o . x . . .
. x . . . . . o
. . . . . . . x
"""
BOTH = """
. . . . . . . .
. . . . . . o o
. . . . . . . .
. . . . . . . .
. . . o . x . .
. . x . . . . .
. . . . . . . .
. . . . . . . .
"""
APART = """
. . . . . . . .
. . . . . . . .
. x . . . . . x
. . . . . . . .
. . . . . . . .
. . o . . . . .
o . . . . . . .
. . . . . . . .
"""


def test_the_start() -> None:
    assert figure_of(scene(start(2, {}))).split("\n") == [
        ". x x x x x x .",
        *(["o . . . . . . o"] * 6),
        ". x x x x x x .",
    ]
    assert to_move(start(2, {})) == 0
    with pytest.raises(BadOption):
        start(2, {"size": "10"})


def test_moves_of_a_position() -> None:
    """B3 counts three on its row, and three on its column: C3 and B5 are in its way."""
    assert written(GAME, position_of(MIDDLE)) == {
        *("B2-D2", "B2xB5", "B2-A3", "B2-C1"),
        *("B3-A4", "B3-C2", "B3-C4", "B3-A2"),
        *("E3-H3", "E3-E4", "E3-E2", "E3-D2", "E3-F4", "E3-D4", "E3-F2"),
        *("H1-G1", "H1-G2"),
    }


def test_a_capture_and_what_happened() -> None:
    position = position_of(MIDDLE)
    after, events = play(position, read(position, "b2b5"))
    assert events == (Event("moved", 0, (cell("B2"), cell("B5"))), Event("captured", 1, (cell("B5"),)))
    assert figure_of(scene(after)).split("\n")[3:7] == [
        ". x . . . . . .",
        ". . . . . . . .",
        ". x o . x . . .",
        ". . . . . . . o",
    ]
    drawn = scene(after)
    assert (drawn.marked, drawn.vacated, drawn.captured) == ((cell("B5"),), (cell("B2"),), (cell("B5"),))
    drawn = scene(played(GAME, position, "e3-e4"))
    assert (drawn.marked, drawn.vacated, drawn.captured) == ((cell("E4"),), (cell("E3"),), ())


@for_each(
    ("figure", "turn", "text", "rule"),
    [
        (MIDDLE, 0, "b2-j4", lines_of_action.THE_BOARD),
        (MIDDLE, 0, "c3-c4", lines_of_action.OWN_PIECE),
        (MIDDLE, 0, "a1-a2", lines_of_action.OWN_PIECE),
        (MIDDLE, 0, "b2-c2", lines_of_action.DISTANCE),
        (MIDDLE, 0, "b2-c4", lines_of_action.DISTANCE),
        (MIDDLE, 0, "b3-e3", lines_of_action.CAPTURING),
        (MIDDLE, 0, "e3-b3", lines_of_action.CAPTURING),
        (MIDDLE.replace("x . . .\n. x", ". x . .\n. x"), 0, "b3-e3", lines_of_action.IN_THE_WAY),
        (MIDDLE, 0, "b2-d2-f2", lines_of_action.DISTANCE),
    ],
)
def test_illegal_moves(figure: str, turn: int, text: str, rule: int) -> None:
    with pytest.raises(Illegal) as caught:
        read(position_of(figure, turn), text)
    assert caught.value.rule == rule


def test_reading() -> None:
    position = position_of(MIDDLE)
    for text in ("b2xb5", "B2 b5", "b2-b5", "b2b5"):
        assert write(position, read(position, text)) == "B2xB5"
    assert write(start(2, {}), read(start(2, {}), info.example)) == "B1-B3"
    with pytest.raises(Unfinished):
        read(position, "b2")
    with pytest.raises(Unreadable):
        read(position, "xo")


@pytest.mark.parametrize(
    ("figure", "turn", "text", "ended"),
    [
        (BOTH.replace("o o", ". o", 1).replace(".", "o", 1), 0, "f4xd4", Outcome((1, 2), "goal")),
        (BOTH, 0, "f4xd4", Outcome((1, 2), "goal")),
        (BOTH.replace(". . x", "x . ."), 0, "f4xd4", Outcome((2, 1), "goal")),
        (BOTH, 0, "f4-f5", None),
        (BOTH.replace("o o", ". .", 1), 0, "f4-f5", Outcome((2, 1), "goal")),
        (APART, 1, "a2-b2", Outcome((2, 1), "goal")),
    ],
    ids=["one side", "both", "the other side", "nobody", "a single piece", "white"],
)
def test_pieces_that_are_together(figure: str, turn: int, text: str, ended: Outcome | None) -> None:
    after = played(GAME, position_of(figure, turn), text)
    assert outcome(after) == ended
    if ended:
        assert to_move(after) is None
        assert not list(moves(after))
        with pytest.raises(Illegal) as caught:
            read(after, "b2-c3")
        assert caught.value.rule == lines_of_action.ENDING


def test_whoever_cannot_move_has_lost() -> None:
    """Each line out of a corner begins with a piece of the other side, and leads further."""
    figure = """
    . . . . . . o x
    . . . . . . o o
    . . . . . . . .
    . . . . . . . .
    . . . . . . . .
    . . . . . . . .
    o o . . . . . .
    x o . . . . . .
    """
    blocked = position_of(figure)
    assert outcome(blocked) == Outcome((2, 1), "blocked")
    assert_end_before_limit(GAME, blocked)
    assert to_move(blocked) is None
    assert to_move(position_of(figure, 1)) == 1


@pytest.mark.parametrize("before", [(), ("",) * 4], ids=["from the start", "late"])
def test_the_third_time_is_a_draw(before: tuple[str, ...]) -> None:
    """And not the second, however long nothing has been captured."""
    position = position_of(APART, seen=before)
    for text in ("h6-h7", "c3-d3", "h7-h6", "d3-c3") * 2:
        assert outcome(position) is None
        position = played(GAME, position, text)
    assert outcome(position) == Outcome((1, 1), "repeated")
    assert to_move(position) is None


def test_fifty_moves_each_without_a_capture_are_a_draw() -> None:
    position = position_of(APART, seen=tuple(str(number) for number in range(99)))
    assert outcome(position) is None
    assert outcome(played(GAME, position, "h6-h7")) == Outcome((1, 1), "exhausted")
    assert played(GAME, position_of(MIDDLE, seen=("",) * 5), "b2xb5").seen == ()


def test_the_published_tree() -> None:
    assert [leaves(GAME, start(2, {}), plies) for plies in (1, 2)] == [36, 1244]


@pytest.mark.slow
def test_the_published_tree_deeper() -> None:
    assert leaves(GAME, start(2, {}), 3) == 44952


def theirs(position: Position, move: Move) -> tuple[str, ...]:
    return (write(position, move).lower(),)


ENGINE = SecondEngine(
    GAME,
    "lines_of_action",
    theirs,
    our_limits=("repeated", "exhausted"),
    # They call it a draw as soon as the same board comes again, whoever is to move.
    their_limit=lambda position, state: not any(state.returns()) and position.cells in position.seen,
)


@pytest.mark.parametrize("plies", [300, pytest.param(20_000, marks=pytest.mark.slow)])
def test_a_second_engine_agrees(plies: int) -> None:
    assert play_random_games(ENGINE, plies) > 1
