"""The rules of Breakthrough as drawn positions, a counted tree, and a second engine."""

from typing import Any

import pytest

from pbmserv.games import boards, breakthrough
from pbmserv.games.breakthrough import info, moves, outcome, play, read, scene, start, to_move, write
from pbmserv.games.defaults import Position
from pbmserv.games.game import Event, Game, Illegal, Move, Outcome, Unfinished, Unreadable
from pbmserv.games.info import BadOption
from tests.every import for_each
from tests.games.by_hand import cells_of, figure_of, leaves, played, written
from tests.games.second_engine import SecondEngine, play_random_games

GAME: Game = breakthrough


def position_of(figure: str, turn: int = 0) -> Position:
    size = len(figure.strip().splitlines())
    board = boards.squares(size, size)
    return Position(board, "".join(cells_of(board, figure)), turn)


MIDDLE = """
. . x . . .
. . . x . .
. x x x . .
. . o . o .
o . . . . .
. . . . . .
"""


def test_the_start() -> None:
    assert (
        figure_of(scene(start(2, {"size": "6"}))).split("\n")
        == [*["x x x x x x"] * 2, *[". . . . . ."] * 2] + ["o o o o o o"] * 2
    )
    assert len(start(2, {}).cells) == 64
    assert to_move(start(2, {})) == 0
    with pytest.raises(BadOption):
        start(2, {"size": "7"})


def test_moves_of_a_position() -> None:
    assert written(GAME, position_of(MIDDLE)) == {
        *("A2-A3", "A2-B3"),
        *("C3xB4", "C3xD4"),
        *("E3-E4", "E3-F4", "E3xD4"),
    }
    assert written(GAME, position_of(MIDDLE, turn=1)) == {
        *("C6-C5", "C6-B5", "D5-E4"),
        *("B4-A3", "B4-B3", "B4xC3"),
        *("C4-B3", "C4-D3"),
        *("D4-D3", "D4xC3", "D4xE3"),
    }


@for_each(
    ("text", "rule"),
    [
        ("c3-c7", breakthrough.THE_BOARD),
        ("b4-b3", breakthrough.OWN_MAN),
        ("a1", breakthrough.OWN_MAN),
        ("a2-a1", breakthrough.FORWARDS),
        ("a2-b2", breakthrough.FORWARDS),
        ("a2-a4", breakthrough.FORWARDS),
        ("a2-a3-a4", breakthrough.FORWARDS),
        ("c3xc4", breakthrough.CAPTURING),
    ],
)
def test_illegal_moves(text: str, rule: int) -> None:
    with pytest.raises(Illegal) as caught:
        read(position_of(MIDDLE), text)
    assert caught.value.rule == rule


def test_a_man_cannot_go_onto_its_own() -> None:
    with pytest.raises(Illegal) as caught:
        read(start(2, {}), "d1-d2")
    assert caught.value.rule == breakthrough.FORWARDS


@for_each("text", ["c3xb4", "C3 b4", "c3-b4", "c3b4"])
def test_reading(text: str) -> None:
    assert write(position_of(MIDDLE), read(position_of(MIDDLE), text)) == "C3xB4"


def test_the_beginning_of_a_move_is_asked_for_the_rest() -> None:
    with pytest.raises(Unfinished) as caught:
        read(position_of(MIDDLE), "c3")
    assert len(caught.value.begun) == 1
    assert len(list(moves(position_of(MIDDLE), caught.value.begun))) == 2
    with pytest.raises(Unreadable):
        read(position_of(MIDDLE), "good luck")


def test_a_capture() -> None:
    position = position_of(MIDDLE)
    source, target = position.board.numbers["C3"], position.board.numbers["D4"]
    after, events = play(position, (source, target))
    assert events == (Event("moved", 0, (source, target)), Event("captured", 1, (target,)))
    assert figure_of(scene(after)).split("\n")[2:4] == [". x x o . .", ". . . . o ."]
    assert (scene(after).marked, scene(after).vacated, scene(after).captured) == ((target,), (source,), (target,))
    assert to_move(after) == 1


@for_each(
    ("figure", "turn", "text", "ended"),
    [
        (". . . x\n. o . .\n. . . x\n. . . .", 0, "b3-b4", Outcome((1, 2), "goal")),
        (". . . .\n. o . .\n. . . x\n. . . .", 1, "d2-d1", Outcome((2, 1), "goal")),
        (". . . .\n. . x .\n. o . .\n. . . .", 0, "b2xc3", Outcome((1, 2), "bare")),
        (". . . .\n. . x .\n. o . .\n. . . .", 1, "c3xb2", Outcome((2, 1), "bare")),
        (". . . .\n. . x .\n. o . .\n. . . .", 0, "b2-b3", None),
    ],
)
def test_endings(figure: str, turn: int, text: str, ended: Outcome | None) -> None:
    after = played(GAME, position_of(figure, turn), text)
    assert outcome(after) == ended
    if ended:
        assert to_move(after) is None
        assert not list(moves(after))
        with pytest.raises(Illegal) as caught:
            read(after, "b2-b3")
        assert caught.value.rule == breakthrough.ENDING


def test_the_published_tree() -> None:
    assert [leaves(GAME, start(2, {}), plies) for plies in (1, 2, 3)] == [22, 484, 11132]


@pytest.mark.slow
def test_the_published_tree_deeper() -> None:
    assert leaves(GAME, start(2, {}), 4) == 256036


def theirs(position: Position, move: Move) -> tuple[str, ...]:
    """Their first player comes from the top: `a7b6`, and `a7b6*` for a capture."""
    steps = [position.board.names[int(step)] for step in move]
    size = len(position.board.layout.rows)
    turned = "".join(f"{name[0].lower()}{size + 1 - int(name[1])}" for name in steps)
    return (turned + ("*" if "x" in write(position, move) else ""),)


@pytest.mark.parametrize("size", ["8", "6"])
@pytest.mark.parametrize("plies", [300, pytest.param(12_000, marks=pytest.mark.slow)])
def test_a_second_engine_agrees(size: str, plies: int) -> None:
    called = f"breakthrough(rows={size},columns={size})"
    engine = SecondEngine(GAME, called, theirs, {"size": size})
    assert play_random_games(engine, plies) > 3


def test_the_example_is_legal() -> None:
    position: Any = start(2, {})
    assert read(position, info.example) in set(moves(position))
