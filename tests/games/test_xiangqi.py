"""The rules of xiangqi as drawn positions, its published tree, and a second engine."""

from typing import Any

import pytest

from pbmserv.games import xiangqi
from pbmserv.games.defaults import Position
from pbmserv.games.game import Event, Game, Illegal, Move, Outcome, Unfinished, Unreadable
from pbmserv.games.info import BadOption
from pbmserv.games.xiangqi import info, is_attacked, moves, outcome, play, read, scene, start, to_move, write
from tests.every import for_each
from tests.games.by_hand import assert_end_before_limit, cells_of, figure_of, leaves, played
from tests.games.second_engine import SecondEngine, play_random_games

GAME: Game = xiangqi
BOARD = start(2, {}).board


def position_of(figure: str, turn: int = 0, **more: Any) -> Position:
    return Position(BOARD, "".join(cells_of(BOARD, figure)), turn, **more)


def cell(name: str) -> int:
    return BOARD.numbers[name]


# Every kind of piece of Red's, free or in each other's way.
MEN = """
. . . g . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . s
S . . . . . . . .
. . E . . . s . .
. . . H S . H . .
. . . . . . . . .
. . . . A . . . .
. . . . . G . . .
"""
GUNS = """
. . . g . . . . .
. . . . . . . . .
. r . . . . . . .
. s . . . . . . .
. . . . . . . . .
S C . s r . h . R
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . G . . .
"""
FACING = """
. . . . g . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . R . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . G . . . .
"""
MATE = """
. . . . g . . . .
R . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. R . . . . . . .
. . . . . . . . .
. . . G . . . . .
"""
STALEMATE = """
. . . g . . . . .
. . . . . . . . .
. . . . S . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . G . . . .
"""
LAST_SOLDIER = """
. . . . . g . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . s . . . .
. . . . G . . . .
"""
CHASE = """
. . . . . g . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . s
R . . . . . . . .
. . . . . . . . .
. . . G . . . . .
"""


def test_the_start() -> None:
    assert figure_of(scene(start(2, {}))).split("\n") == [
        "r h e a g a e h r",
        ". . . . . . . . .",
        ". c . . . . . c .",
        "s . s . s . s . s",
        ". . . . . . . . .",
        ". . . . . . . . .",
        "S . S . S . S . S",
        ". C . . . . . C .",
        ". . . . . . . . .",
        "R H E A G A E H R",
    ]
    assert to_move(start(2, {})) == 0
    assert scene(start(2, {})).cells[cell("A1")][0].kind == "xiangqi/chariot"
    with pytest.raises(BadOption):
        start(2, {"size": "8"})


@for_each(
    ("figure", "source", "expected"),
    [
        (MEN, "F1", "E1 F2"),
        (MEN, "E2", "D1 D3 F3"),
        (MEN, "C5", "A3"),
        (MEN, "D4", "B3 B5 C2 C6 E6"),
        (MEN, "G4", "E3 E5 F2 H2 I3 I5"),
        (MEN, "E4", "E5"),
        (MEN, "A6", "A7 B6"),
        (GUNS, "B5", "B1 B2 B3 B4 B6 B8 C5 E5"),
        (GUNS, "I5", "G5 H5 I1 I2 I3 I4 I6 I7 I8 I9 I10"),
    ],
)
def test_how_pieces_move(figure: str, source: str, expected: str) -> None:
    targets = {BOARD.names[int(move[1])] for move in moves(position_of(figure), (cell(source),))}
    assert targets == set(expected.split())


def test_a_piece_between_the_generals_stays_there() -> None:
    targets = {BOARD.names[int(move[1])] for move in moves(position_of(FACING), (cell("E6"),))}
    assert targets == {"E2", "E3", "E4", "E5", "E7", "E8", "E9", "E10"}


def test_what_happens() -> None:
    after, events = play(position_of(GUNS), read(position_of(GUNS), "b5xe5"))
    path = (cell("B5"), cell("E5"))
    assert events == (Event("moved", 0, path, "cannon"), Event("captured", 1, path[1:], "chariot"))
    drawn = scene(after)
    assert (drawn.marked, drawn.vacated, drawn.captured) == (path[1:], path[:1], path[1:])
    assert after.seen == ()
    assert len(play(position_of(GUNS), read(position_of(GUNS), "b5-b4"))[0].seen) == 1


@for_each(
    ("figure", "turn", "text", "rule"),
    [
        (MEN, 0, "j3", xiangqi.THE_BOARD),
        (MEN, 0, "g5-g4", xiangqi.OWN_PIECE),
        (MEN, 0, "e6-e7", xiangqi.OWN_PIECE),
        (MEN, 0, "f1-g1", xiangqi.GENERAL),
        (MEN, 0, "e2-e3", xiangqi.ADVISOR),
        (MEN, 0, "c5-a7", xiangqi.ELEPHANT),
        (MEN, 0, "g4-h6", xiangqi.HORSE),
        (GUNS, 0, "i5-f5", xiangqi.CHARIOT),
        (GUNS, 0, "b5xd5", xiangqi.CANNON),
        (MEN, 0, "e4-d4", xiangqi.SOLDIER),
        (MEN, 1, "g5-g6", xiangqi.SOLDIER),
        (FACING, 0, "e6-a6", xiangqi.SAFETY),
        (MEN, 0, "e1+1", xiangqi.ELEPHANT),
    ],
)
def test_illegal_moves(figure: str, turn: int, text: str, rule: int) -> None:
    with pytest.raises(Illegal) as caught:
        read(position_of(figure, turn), text)
    assert caught.value.rule == rule


@for_each(
    ("figure", "turn", "text", "ended"),
    [
        (MATE, 0, "b3-b10", Outcome((1, 2), "mate")),
        (STALEMATE, 0, "e8-d8", Outcome((1, 2), "stalemate")),
        (LAST_SOLDIER, 0, "e1xe2", Outcome((1, 1), "bare")),
        (FACING, 0, "e6-e9", None),
    ],
)
def test_endings(figure: str, turn: int, text: str, ended: Outcome | None) -> None:
    after = played(GAME, position_of(figure, turn), text)
    assert outcome(after) == ended
    if ended:
        if ended.reason != "bare":
            assert_end_before_limit(GAME, after)
        assert to_move(after) is None
        for typed in ("e9-e8", "g5+1"):
            with pytest.raises(Illegal) as caught:
                read(after, typed)
            assert caught.value.rule == xiangqi.ENDING


def test_the_third_time_is_a_draw() -> None:
    position = start(2, {})
    for text in ("a1-a2", "a10-a9", "a2-a1", "a9-a10") * 2:
        assert outcome(position) is None
        position = played(GAME, position, text)
    assert outcome(position) == Outcome((1, 1), "repeated")
    assert not list(moves(position))


@for_each(
    ("figure", "texts", "ended"),
    [
        (CHASE, ("f10-e10", "f3-e3", "e10-f10", "e3-f3"), Outcome((2, 1), "perpetual")),
        (CHASE, ("f10-e10", "f3-g3", "e10-f10", "g3-f3"), Outcome((1, 1), "repeated")),
    ],
)
def test_perpetual_check_loses(figure: str, texts: tuple[str, ...], ended: Outcome) -> None:
    position = played(GAME, position_of(figure), "a3-f3")
    for text in texts * 2:
        assert outcome(position) is None
        position = played(GAME, position, text)
    assert outcome(position) == ended
    assert_end_before_limit(GAME, position)
    assert to_move(position) is None


def test_sixty_moves_each_without_a_capture_are_a_draw() -> None:
    position = position_of(GUNS, seen=tuple(str(number) for number in range(119)))
    assert outcome(position) is None
    assert outcome(played(GAME, position, "b5-b4")) == Outcome((1, 1), "exhausted")
    assert outcome(played(GAME, position, "b5xb8")) is None


def test_reading() -> None:
    position = start(2, {})
    for text in ("h3-e3", "H3E3", "c2=5", "C2.5", "h3 e3"):
        assert write(position, read(position, text)) == "H3-E3"
    assert write(position, read(position, info.example)) == "B3-E3"
    with pytest.raises(Unreadable):
        read(position, "cannon")


@for_each(
    ("texts", "text", "expected"),
    [
        ("", "h2+3", "H1-G3"),
        ("", "n2+3", "H1-G3"),
        ("", "e3+5", "G1-E3"),
        ("", "a4+5", "F1-E2"),
        ("", "p7+1", "C4-C5"),
        ("", "c2+7", "H3xH10"),
        ("", "r9+2", "A1-A3"),
        ("h3-e3", "h8+7", "H10-G8"),
        ("h3-e3", "c2=5", "B8-E8"),
        ("h3-e3 a7-a6 e3-e2 a6-a5 b3-e3 i7-i6", "c+=7", "E3-C3"),
        ("h3-e3 a7-a6 e3-e2 a6-a5 b3-e3 i7-i6", "-c=7", "E2-C2"),
    ],
)
def test_the_notation_of_books(texts: str, text: str, expected: str) -> None:
    position = played(GAME, start(2, {}), texts)
    assert write(position, read(position, text)) == expected


def test_a_book_must_fit_one_piece() -> None:
    position = played(GAME, start(2, {}), "h3-e3 a7-a6 e3-e2 a6-a5 b3-e3 i7-i6")
    with pytest.raises(Unfinished) as caught:
        read(position, "c5=7")
    assert [write(position, move) for move in caught.value.fits] == ["E2-C2", "E3-C3"]


def test_the_published_tree() -> None:
    assert [leaves(GAME, start(2, {}), plies) for plies in (1, 2)] == [44, 1920]


@pytest.mark.slow
def test_the_published_tree_deeper() -> None:
    assert leaves(GAME, start(2, {}), 3) == 79666


def theirs(position: Position, move: Move) -> tuple[str, ...]:
    """Rows from the top, and columns, from 0: `H(9,1)-(7,2)`."""
    (column, row), (to_column, to_row) = (divmod(int(step), 10) for step in move)
    return (f"{position.cells[int(move[0])]}({9 - row},{column})-({9 - to_row},{to_column})",)


ENGINE = SecondEngine(
    GAME,
    "xiangqi",
    theirs,
    our_limits=("repeated", "exhausted", "perpetual", "bare"),
    # They draw after 500 plies.
    their_limit=lambda _, state: not any(state.returns()),
)


@pytest.mark.parametrize("plies", [300, pytest.param(25_000, marks=pytest.mark.slow)])
def test_a_second_engine_agrees(plies: int) -> None:
    assert play_random_games(ENGINE, plies) >= 1


def test_who_is_in_check() -> None:
    after = played(GAME, position_of(CHASE), "a3-f3")
    assert is_attacked(BOARD, after.cells, 1)
    assert not is_attacked(BOARD, after.cells, 0)
    assert scene(after).attacked == (after.cells.index("g"),)
    assert scene(position_of(CHASE)).attacked == ()
