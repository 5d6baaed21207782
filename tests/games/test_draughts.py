"""The rules of English draughts as drawn positions, the published tree, and a second engine."""

from itertools import pairwise
from typing import Any, cast

import pytest

from pbmserv.games import boards, draughts
from pbmserv.games.draughts import Position, checkers
from pbmserv.games.game import Event, Game, Illegal, Move, Outcome, Unfinished, Unreadable
from pbmserv.games.info import BadOption
from tests.every import for_each
from tests.games.by_hand import assert_end_before_limit, cells_of, figure_of, leaves, played, written
from tests.games.second_engine import SecondEngine, play_random_games

GAME = cast(Game, checkers)
BOARD = boards.squares(8, 8)


def position_of(figure: str, turn: int = 0, **more: Any) -> Position:
    return Position(BOARD, "".join(cells_of(BOARD, figure)), turn, **more)


def cell(name: str) -> int:
    return BOARD.numbers[name]


TWO_WAYS = """
. . . . . . . .
. . x . . . . .
. . . . . . . .
. . x . x . . .
. . . o . . . .
. . . . . . . .
. x . . . . . .
o . . . . . . .
"""
KING = """
. . . . . . . .
. . . . . . . .
. x . x . . . .
. . O . . . . .
. x . x . . . .
. . . . . . . .
. . . x . . . .
. . . . . . . .
"""
KINGS_ROW = """
. . . . . . . .
. x . x . . . .
o . . . . . . .
. . . . . . . .
. . . . . . . .
. . . . . . . .
. . . . . . . .
. . . . . . . .
"""
QUIET = """
. . . . . . . .
. . . . . . . .
. . . X . . . .
. . . . . . . .
. . . . . . . .
. . o . . . . .
. o . O . . . .
. . . . . . . .
"""


def test_the_start() -> None:
    assert figure_of(checkers.scene(checkers.start(2, {}))).split("\n") == [
        ". x . x . x . x",
        "x . x . x . x .",
        ". x . x . x . x",
        ". . . . . . . .",
        ". . . . . . . .",
        "o . o . o . o .",
        ". o . o . o . o",
        "o . o . o . o .",
    ]
    assert checkers.to_move(checkers.start(2, {})) == 0
    with pytest.raises(BadOption):
        checkers.start(2, {"size": "10"})


@for_each(
    ("figure", "turn", "expected"),
    [
        (TWO_WAYS, 1, "A1xC3 D4xF6 D4xB6xD8"),
        (TWO_WAYS, 0, "C5xE3 E5xC3"),
        (KING, 1, "C5xA3 C5xA7 C5xE3xC1 C5xE7"),
        (KINGS_ROW, 1, "A6xC8"),
        (QUIET, 0, "D6-C7 D6-E7 D6-C5 D6-E5"),
        (QUIET, 1, "B2-A3 C3-B4 C3-D4 D2-C1 D2-E1 D2-E3"),
    ],
)
def test_moves_of_a_position(figure: str, turn: int, expected: str) -> None:
    assert written(GAME, position_of(figure, turn)) == set(expected.split())


def test_men_capture_ahead_only() -> None:
    assert written(GAME, position_of(KING.replace("O", "o"), 1)) == {"C5xA7", "C5xE7"}


def test_a_king_may_come_back_to_where_it_began() -> None:
    figure = KING.replace("x", ".").replace(". . O . . . . .", ". . O . . . . .")
    cells = list(position_of(figure).cells)
    for name in ("D6", "F6", "F4", "D4"):
        cells[cell(name)] = "x"
    position = Position(BOARD, "".join(cells), 1)
    assert written(GAME, position) == {"C5xE7xG5xE3xC5", "C5xE3xG5xE7xC5"}
    assert figure_of(checkers.scene(played(GAME, position, "c5xe7xg5xe3xc5"))) == figure.strip()
    with pytest.raises(Unfinished):
        checkers.read(position, "c5xc5")


def test_a_capture_and_what_happened() -> None:
    position = position_of(TWO_WAYS, 1)
    after, events = checkers.play(position, checkers.read(position, "d4xd8"))
    path = (cell("D4"), cell("B6"), cell("D8"))
    assert events == (
        Event("moved", 1, path),
        Event("captured", 0, (cell("C5"),)),
        Event("captured", 0, (cell("C7"),)),
        Event("promoted", 1, path[-1:], "king"),
    )
    assert figure_of(checkers.scene(after)).split("\n")[:5] == [
        ". . . O . . . .",
        *([". . . . . . . ."] * 2),
        ". . . . x . . .",
        ". . . . . . . .",
    ]
    scene = checkers.scene(after)
    assert (scene.marked, scene.vacated, scene.captured) == (path[-1:], path[:1], (cell("C5"), cell("C7")))
    assert scene.cells[path[-1]][0].kind == "king"


def test_a_new_king_stops() -> None:
    after = played(GAME, position_of(KINGS_ROW, 1), "a6xc8")
    assert checkers.to_move(after) == 0
    assert after.cells[cell("C8")] == "O"
    assert after.cells[cell("D7")] == "x"
    _, events = checkers.play(position_of(KING, 0), (cell("B6"), cell("A5")))
    assert [event.kind for event in events] == ["moved"]


@for_each(
    ("figure", "turn", "text", "rule"),
    [
        (QUIET, 1, "c3-j4", draughts.THE_BOARD),
        (QUIET, 1, "33-29", draughts.THE_BOARD),
        (QUIET, 1, "d6-e7", draughts.OWN_PIECE),
        (QUIET, 1, "a1-b2", draughts.OWN_PIECE),
        (QUIET, 1, "c3-b2", draughts.MEN_MOVE),
        (QUIET, 1, "b2-c1", draughts.MEN_MOVE),
        (QUIET, 1, "b2-c3", draughts.MEN_MOVE),
        (QUIET, 1, "c3-c4", draughts.MEN_MOVE),
        (QUIET, 1, "d2-f4", draughts.CAPTURING),
        (QUIET, 1, "d2-d3", draughts.KINGS_MOVE),
        (QUIET, 1, "b2xd4", draughts.CAPTURING),
        (TWO_WAYS, 0, "b2xd4", draughts.CAPTURING),
        (TWO_WAYS, 1, "d4xb6xa7", draughts.CAPTURING),
        (TWO_WAYS, 0, "c7-b6", draughts.MUST_CAPTURE),
        (TWO_WAYS, 0, "c7", draughts.MUST_CAPTURE),
        (TWO_WAYS, 1, "a1-a2", draughts.MUST_CAPTURE),
    ],
)
def test_illegal_moves(figure: str, turn: int, text: str, rule: int) -> None:
    with pytest.raises(Illegal) as caught:
        checkers.read(position_of(figure, turn), text)
    assert caught.value.rule == rule


@for_each(
    ("text", "stored"),
    [
        ("d4xb6xd8", "D4xB6xD8"),
        ("d4 b6", "D4xB6xD8"),
        ("D4:D8", "D4xB6xD8"),
        ("18x9x2", "D4xB6xD8"),
        ("18x2", "D4xB6xD8"),
        ("18-11", "D4xF6"),
        ("29x22", "A1xC3"),
        ("a1", "A1xC3"),
    ],
)
def test_reading(text: str, stored: str) -> None:
    position = position_of(TWO_WAYS, 1)
    assert checkers.write(position, checkers.read(position, text)) == stored


def test_reading_numbers() -> None:
    position = checkers.start(2, {})
    for text, stored in (("11-15", "F6-E5"), ("9-13", "B6-A5"), ("12-16", "H6-G5"), (" 10-14 ", "D6-C5")):
        assert checkers.write(position, checkers.read(position, text)) == stored
    assert checkers.write(position, checkers.read(position, checkers.info.example)) == "F6-E5"
    for text in ("11 15", "11", "5-3-", "0-4", "11-15!", "1" * 500):
        with pytest.raises(Unreadable):
            checkers.read(position, text)
    with pytest.raises(Unfinished):
        checkers.read(position, "f6")


@for_each(
    ("figure", "turn", "text", "ended"),
    [
        (KINGS_ROW.replace("x . x", "x . ."), 1, "a6xc8", Outcome((2, 1), "bare")),
        (". . . . . . . .\n" * 5 + "x . . . . . . .\n. . . . . . . .\no . . . . . . .", 1, "a1-b2", None),
        (
            ". . . . . . . .\n" * 4 + ". x . x . . . .\n. . x . . . . .\n. o . . . . . .\no . . . . . . .",
            0,
            "b4-a3",
            Outcome((1, 2), "blocked"),
        ),
    ],
)
def test_endings(figure: str, turn: int, text: str, ended: Outcome | None) -> None:
    after = played(GAME, position_of(figure, turn), text)
    assert checkers.outcome(after) == ended
    if ended:
        if ended.reason == "blocked":
            assert_end_before_limit(GAME, after)
        assert checkers.to_move(after) is None
        with pytest.raises(Illegal) as caught:
            checkers.read(after, "b2-c3")
        assert caught.value.rule == draughts.ENDING


@pytest.mark.parametrize("before", [(), ("",) * 4], ids=["from the start", "late"])
def test_the_third_time_is_a_draw(before: tuple[str, ...]) -> None:
    """And not the second, however long nothing has happened."""
    position = position_of(QUIET, seen=before)
    for text in ("d6-e7", "d2-e1", "e7-d6", "e1-d2") * 2:
        assert checkers.outcome(position) is None
        position = played(GAME, position, text)
    assert checkers.outcome(position) == Outcome((1, 1), "repeated")
    assert checkers.to_move(position) is None
    assert not list(checkers.moves(position))


def test_a_man_or_a_capture_begins_the_count_anew() -> None:
    position = played(GAME, position_of(QUIET), "d6-e7 d2-e1")
    assert len(position.seen) == 2
    assert played(GAME, position, "e7-f6 b2-a3").seen == ()
    assert played(GAME, position_of(TWO_WAYS, 1, seen=("",) * 5), "d4xf6").seen == ()


def test_forty_moves_each_without_progress_are_a_draw() -> None:
    position = position_of(QUIET, seen=tuple(str(number) for number in range(79)))
    assert checkers.outcome(position) is None
    assert checkers.outcome(played(GAME, position, "d6-e7")) == Outcome((1, 1), "exhausted")


def test_the_published_tree() -> None:
    counted = [leaves(GAME, checkers.start(2, {}), plies) for plies in range(1, 6)]
    assert counted == [7, 49, 302, 1469, 7361]


@pytest.mark.slow
def test_the_published_tree_deeper() -> None:
    assert [leaves(GAME, checkers.start(2, {}), plies) for plies in (6, 7)] == [36768, 179740]


def theirs(position: Position, move: Move) -> tuple[str, ...]:
    """Each step is an action, `c3b4`; their board is ours turned by half."""
    names = [f"{'hgfedcba'[int(step) // 8]}{8 - int(step) % 8}" for step in move]
    return tuple(source + target for source, target in pairwise(names))


ENGINE = SecondEngine(
    GAME,
    "checkers",
    theirs,
    our_limits=("repeated", "exhausted"),
    # Their only draw is after 40 plies without a capture.
    their_limit=lambda _, state: not any(state.returns()),
)


@pytest.mark.parametrize("plies", [300, pytest.param(25_000, marks=pytest.mark.slow)])
def test_a_second_engine_agrees(plies: int) -> None:
    assert play_random_games(ENGINE, plies) > 1
