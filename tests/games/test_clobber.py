"""The rules of clobber as drawn positions, counted trees, and a second engine."""

import pytest

from pbmserv.games import boards, clobber
from pbmserv.games.clobber import info, moves, outcome, play, read, scene, start, to_move, write
from pbmserv.games.defaults import Position
from pbmserv.games.game import Event, Game, Illegal, Move, Outcome, Unfinished, Unreadable
from pbmserv.games.info import BadOption
from tests.every import for_each
from tests.games.by_hand import cells_of, figure_of, leaves, played, written
from tests.games.second_engine import SecondEngine, play_random_games

GAME: Game = clobber
BOARD = boards.squares(6, 5, is_chequered=True)


def position_of(figure: str, turn: int = 0) -> Position:
    return Position(BOARD, "".join(cells_of(BOARD, figure)), turn)


def cell(name: str) -> int:
    return BOARD.numbers[name]


APART = """
. . . . . .
o x . . . x
. o . x . .
. . . o x .
x . . . . o
"""
LAST = """
. . . . . .
. . . . . .
. x o . . .
. . . . . .
o . . . . x
"""


def test_the_start() -> None:
    assert figure_of(scene(start(2, {}))).split("\n") == [
        *("o x o x o x", "x o x o x o", "o x o x o x", "x o x o x o", "o x o x o x"),
    ]
    assert len(scene(start(2, {"size": "10x10"})).cells) == 100
    assert to_move(start(2, {})) == 0
    with pytest.raises(BadOption):
        start(2, {"size": "5x6"})


def test_moves_of_a_position() -> None:
    assert written(GAME, position_of(APART)) == {"A4-B4", "B3-B4", "D2-D3", "D2-E2"}
    assert written(GAME, position_of(APART, 1)) == {"B4-A4", "B4-B3", "D3-D2", "E2-D2"}


def test_a_move_and_what_happened() -> None:
    position = position_of(APART)
    after, events = play(position, read(position, "d2d3"))
    assert events == (Event("moved", 0, (cell("D2"), cell("D3"))), Event("captured", 1, (cell("D3"),)))
    assert figure_of(scene(after)).split("\n")[2:4] == [". o . o . .", ". . . . x ."]
    drawn = scene(after)
    assert (drawn.marked, drawn.vacated, drawn.captured) == ((cell("D3"),), (cell("D2"),), (cell("D3"),))


@for_each(
    ("text", "rule"),
    [
        ("g1-g2", clobber.THE_BOARD),
        ("b4-a4", clobber.OWN_STONE),
        ("a5-a4", clobber.OWN_STONE),
        ("a4-a5", clobber.MOVING),
        ("d2-c2", clobber.MOVING),
        ("b3-a4", clobber.MOVING),
        ("f1-f2", clobber.MOVING),
    ],
)
def test_illegal_moves(text: str, rule: int) -> None:
    with pytest.raises(Illegal) as caught:
        read(position_of(APART), text)
    assert caught.value.rule == rule


def test_reading() -> None:
    position = position_of(APART)
    for text in ("a4-b4", "A4 B4", "a4xb4", "a4"):
        assert write(position, read(position, text)) == "A4-B4"
    assert write(start(2, {}), read(start(2, {}), info.example)) == "C3-C4"
    with pytest.raises(Unfinished):
        read(position, "d2")
    with pytest.raises(Unreadable):
        read(position, "xo")


def test_whoever_cannot_move_has_lost() -> None:
    after = played(GAME, position_of(LAST), "c3-b3")
    assert outcome(after) == Outcome((1, 2), "blocked")
    assert to_move(after) is None
    assert not list(moves(after))
    with pytest.raises(Illegal) as caught:
        read(after, "f1-f2")
    assert caught.value.rule == clobber.ENDING


def test_the_published_tree() -> None:
    assert [leaves(GAME, start(2, {}), plies) for plies in (1, 2)] == [49, 2116]


@pytest.mark.slow
def test_the_published_tree_deeper() -> None:
    assert leaves(GAME, start(2, {}), 3) == 80063


def theirs(position: Position, move: Move) -> tuple[str, ...]:
    return (write(position, move).lower().replace("-", ""),)


@pytest.mark.parametrize("plies", [300, pytest.param(20_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("size", ["6x5", "8x8"])
def test_a_second_engine_agrees(size: str, plies: int) -> None:
    columns, rows = size.split("x")
    engine = SecondEngine(GAME, f"clobber(rows={rows},columns={columns})", theirs, {"size": size})
    assert play_random_games(engine, plies) > 1
