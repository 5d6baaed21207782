"""The rules of Lasca as drawn positions, and a slow engine of its own that plays along."""

from random import Random
from typing import Any

import pytest

from pbmserv.games import boards, lasca
from pbmserv.games.game import Event, Game, Illegal, Outcome, Unfinished, Unreadable
from pbmserv.games.info import BadOption
from pbmserv.games.lasca import Position, info, moves, outcome, play, read, scene, start, to_move, write
from tests.every import for_each
from tests.games.by_hand import assert_end_before_limit, cells_of, figure_of, leaves, played, written
from tests.games.slow_lasca import Columns, slow_leaves, slow_moves

GAME: Game = lasca
BOARD = start(2, {}).board


def position_of(figure: str, turn: int = 0, **more: Any) -> Position:
    return Position(BOARD, cells_of(BOARD, figure), turn, **more)


def cell(name: str) -> int:
    return BOARD.numbers[name]


CHAIN = """
.   .   .   .   .   .   .
.   .   .   ox  .   .   .
.   .   .   .   .   .   .
.   ooX .   .   .   x   .
o   .   .   .   .   .   .
.   .   .   x   .   .   .
.   .   .   .   O   .   .
"""
OFFICER = """
. . . .   . . .
. . . .   . . .
. . x .   x . .
. . . xxO . . .
. . x .   x . .
. . . .   . . .
. . . .   . . .
"""
QUIET = """
. . . .   . . .
. . . .   . . .
. . . .   X . .
. . . .   . . .
x . O .   . . .
. . . .   . . .
. . . .   o . .
"""


def test_the_start() -> None:
    assert figure_of(scene(start(2, {}))).split("\n") == [
        "x . x . x . x",
        ". x . x . x .",
        "x . x . x . x",
        ". . . . . . .",
        "o . o . o . o",
        ". o . o . o .",
        "o . o . o . o",
    ]
    assert to_move(start(2, {})) == 0
    with pytest.raises(BadOption):
        start(2, {"size": "8"})


@for_each(
    ("figure", "turn", "expected"),
    [
        (CHAIN, 0, "A3xC5xE7 E1xC3xA5"),
        (CHAIN, 1, "B4-A5 B4-C5 B4-C3 D6-C5 D6-E5 F4-E3 F4-G3 D2-C1"),
        (OFFICER, 0, "D4xB2 D4xB6 D4xF2 D4xF6"),
        (OFFICER.replace("O", "o"), 0, "D4xB6 D4xF6"),
        (QUIET, 0, "C3-B4 C3-D4 C3-B2 C3-D2 E1-D2 E1-F2"),
        (QUIET, 1, "A3-B2 E5-D6 E5-F6 E5-D4 E5-F4"),
    ],
)
def test_moves_of_a_position(figure: str, turn: int, expected: str) -> None:
    assert written(GAME, position_of(figure, turn)) == set(expected.split())


def test_a_prisoner_goes_under_and_what_was_under_it_is_free() -> None:
    position = position_of(CHAIN)
    after, events = play(position, read(position, "a3xe7"))
    path = (cell("A3"), cell("C5"), cell("E7"))
    assert events == (
        Event("moved", 0, path),
        Event("captured", 1, (cell("B4"),), "officer"),
        Event("captured", 1, (cell("D6"),)),
        Event("promoted", 0, path[-1:], "officer"),
    )
    assert figure_of(scene(after)).split("\n")[:5] == [
        ". . . . xXO . .",
        ". . . o . . .",
        ". . . . . . .",
        ". oo . . . x .",
        ". . . . . . .",
    ]
    drawn = scene(after)
    assert (drawn.marked, drawn.vacated, drawn.captured) == (path[-1:], path[:1], (cell("B4"), cell("D6")))
    assert [(piece.seat, piece.kind) for piece in drawn.cells[path[-1]]] == [
        (1, ""),
        (1, "officer"),
        (0, "officer"),
    ]


def test_a_new_officer_stops() -> None:
    figure = """
    . . . . . . .
    . x . x . . .
    o . . . . . .
    . . . . . . .
    . . . . . . .
    . . . . . . .
    . . . . . . .
    """
    assert written(GAME, position_of(figure)) == {"A5xC7"}
    assert figure_of(scene(played(GAME, position_of(figure), "a5"))).split("\n")[:2] == [
        ". . xO . . . .",
        ". . . x . . .",
    ]


def test_no_column_is_jumped_twice_in_a_move() -> None:
    figure = """
    . . . .  . . .
    . . . .  . . .
    . . . .  . . .
    . . . xX . . .
    . . O .  . . .
    . . . .  . . .
    . . . .  . . .
    """
    assert written(GAME, position_of(figure)) == {"C3xE5"}


def test_a_column_may_come_back_to_where_it_began() -> None:
    ring = position_of(
        """
        . . . . . . .
        . . . . . . .
        . . O . . . .
        . x . x . . .
        . . . . . . .
        . x . x . . .
        . . . . . . .
        """
    )
    assert written(GAME, ring) == {"C5xE3xC1xA3xC5", "C5xA3xC1xE3xC5"}
    assert figure_of(scene(played(GAME, ring, "c5e3c1a3c5"))).split("\n")[2] == ". . xxxxO . . . ."
    assert scene(played(GAME, ring, "c5e3c1a3c5")).vacated == ()
    with pytest.raises(Unfinished):
        read(ring, "c5")


@for_each(
    ("figure", "turn", "text", "rule"),
    [
        (QUIET, 0, "h3", lasca.THE_BOARD),
        (QUIET, 0, "a3-b2", lasca.OWN_COLUMN),
        (QUIET, 0, "a1-b2", lasca.OWN_COLUMN),
        (QUIET, 1, "a3-b4", lasca.SOLDIERS_MOVE),
        (QUIET, 1, "a3-a2", lasca.SOLDIERS_MOVE),
        (QUIET, 0, "c3-c4", lasca.OFFICERS_MOVE),
        (QUIET, 0, "c3xe5", lasca.CAPTURING),
        (CHAIN, 0, "a3xc5xa7", lasca.CAPTURING),
        (CHAIN, 0, "e1-f2", lasca.MUST_CAPTURE),
        (OFFICER, 0, "d4-d5", lasca.MUST_CAPTURE),
    ],
)
def test_illegal_moves(figure: str, turn: int, text: str, rule: int) -> None:
    with pytest.raises(Illegal) as caught:
        read(position_of(figure, turn), text)
    assert caught.value.rule == rule


def test_reading() -> None:
    position = position_of(CHAIN)
    for text in ("a3xc5xe7", "A3 e7", "a3:c5", "a3", "a3c5e7"):
        assert write(position, read(position, text)) == "A3xC5xE7"
    assert write(start(2, {}), read(start(2, {}), info.example)) == "C3-D4"
    with pytest.raises(Unreadable):
        read(position, "xo")


@for_each(
    ("figure", "turn", "text", "ended"),
    [
        (". . . . . . .\n" * 5 + ". x . . . . .\no . . . . . .", 0, "a1xc3", Outcome((1, 2), "bare")),
        (". . . . . . .\n" * 5 + ". ox . . . . .\no . . . . . .", 0, "a1xc3", Outcome((1, 2), "bare")),
        (". . . . . . .\n" * 5 + ". xx . . . . .\no . . . . . .", 0, "a1xc3", None),
        (
            ". . . . . . .\n" * 4 + "x . . . . . .\n. o . o . . .\n. . O . . . .",
            0,
            "d2-c3",
            Outcome((1, 2), "blocked"),
        ),
    ],
)
def test_endings(figure: str, turn: int, text: str, ended: Outcome | None) -> None:
    after = played(GAME, position_of(figure, turn), text)
    assert outcome(after) == ended
    if ended:
        if ended.reason == "blocked":
            assert_end_before_limit(GAME, after)
        assert to_move(after) is None
        with pytest.raises(Illegal) as caught:
            read(after, "a3-b2")
        assert caught.value.rule == lasca.ENDING


def test_the_third_time_is_a_draw() -> None:
    position = position_of(QUIET)
    for text in ("c3-b4", "e5-f6", "b4-c3", "f6-e5") * 2:
        assert outcome(position) is None
        position = played(GAME, position, text)
    assert outcome(position) == Outcome((1, 1), "repeated")
    assert not list(moves(position))


def test_fifty_moves_each_without_progress_are_a_draw() -> None:
    position = position_of(QUIET, quiet=99)
    assert outcome(position) is None
    assert outcome(played(GAME, position, "c3-b4")) == Outcome((1, 1), "exhausted")
    assert played(GAME, position, "e1-d2").quiet == 0
    assert played(GAME, position_of(OFFICER, quiet=99), "d4xb2").quiet == 0


def test_every_column_has_its_prisoners_below() -> None:
    random, position = Random("columns"), start(2, {})
    while to_move(position) is not None:
        position, _ = play(position, random.choice(list(moves(position))))
        colours = [column.lower() for column in position.cells]
        assert all("ox" not in column or "xo" not in column for column in colours)
        assert sum(len(column.strip(".")) for column in colours) == 22


def slow_board(position: Position) -> Columns:
    return {divmod(number, 7): list(column) for number, column in enumerate(position.cells) if column != "."}


@pytest.mark.parametrize("plies", [500, pytest.param(20_000, marks=pytest.mark.slow)])
def test_the_slow_engine_agrees(plies: int) -> None:
    random, count = Random(f"lasca {plies}"), 0
    while count < plies:
        position = start(2, {})
        while True:
            legal = {tuple(divmod(int(step), 7) for step in move): move for move in moves(position)}
            theirs = slow_moves(slow_board(position), ("oO", "xX")[position.turn])
            ended = outcome(position)
            if ended and ended.reason in ("repeated", "exhausted"):
                break
            assert legal.keys() == theirs.keys()
            assert bool(legal) == (ended is None)
            if not legal:
                assert ended is not None
                assert ended.ranks[position.turn] == 2
                break
            path = random.choice(list(legal))
            position, _ = play(position, legal[path])
            assert slow_board(position) == theirs[path]
            count += 1


@pytest.mark.parametrize("plies", [1, 2, 3, 4, pytest.param(6, marks=pytest.mark.slow)])
def test_the_tree(plies: int) -> None:
    assert leaves(GAME, start(2, {}), plies) == slow_leaves(slow_board(start(2, {})), 0, plies)


def test_the_board_is_narrow_enough_for_a_mail() -> None:
    assert boards.squares(7, 7, lasca.COLUMN_WIDTH, ".", is_spread=True, is_chequered=True) == BOARD
    assert max(map(len, BOARD.sheet.lines)) <= 68
