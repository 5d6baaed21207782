"""The rules of Amazons as drawn positions, counted trees, and a second engine."""

from itertools import islice

import pytest

from pbmserv.games import amazons, boards
from pbmserv.games.amazons import info, moves, outcome, play, read, scene, start, to_move, write
from pbmserv.games.defaults import Position
from pbmserv.games.game import Event, Game, Illegal, Move, Outcome, Unfinished, Unreadable
from pbmserv.games.info import BadOption
from tests.every import for_each
from tests.games.by_hand import cells_of, figure_of, leaves, played, written
from tests.games.second_engine import SecondEngine, play_random_games

GAME: Game = amazons


def position_of(figure: str, turn: int = 0) -> Position:
    size = len(figure.strip().splitlines())
    board = boards.squares(size, size)
    return Position(board, "".join(cells_of(board, figure)), turn)


SMALL = """
# # # B
W # . .
. # # .
# # # W
"""
CORNERED = """
. . . .
. . . .
# # . .
W # . B
"""


def test_the_start() -> None:
    assert figure_of(scene(start(2, {"size": "6"}))).split("\n") == [
        ". B . . B .",
        "B . . . . B",
        ". . . . . .",
        ". . . . . .",
        "W . . . . W",
        ". W . . W .",
    ]
    amazon_names = [
        name for name, mark in zip(start(2, {}).board.names, start(2, {}).cells, strict=True) if mark == "W"
    ]
    assert amazon_names == ["A4", "D1", "G1", "J4"]
    with pytest.raises(BadOption):
        start(2, {"size": "7"})


def test_moves_of_a_position() -> None:
    assert written(GAME, position_of(SMALL)) == {
        *("A3-A2/A3", "D1-D2/D1", "D1-D2/D3", "D1-D2/C3"),
        *("D1-D3/D2", "D1-D3/D1", "D1-D3/C3"),
    }
    assert written(GAME, position_of(SMALL, turn=1)) == {
        *("D4-D3/D4", "D4-D3/D2", "D4-D3/C3", "D4-D2/D3", "D4-D2/D4", "D4-D2/C3"),
        *("D4-C3/D4", "D4-C3/D3", "D4-C3/D2"),
    }


def test_a_move_and_its_arrow() -> None:
    position = position_of(SMALL)
    source, target = position.board.numbers["D1"], position.board.numbers["D2"]
    after, events = play(position, (source, target, source))
    assert events == (Event("moved", 0, (source, target)), Event("placed", 0, (source,), "burnt"))
    assert figure_of(scene(after)) == "# # # B\nW # . .\n. # # W\n# # # #"
    assert scene(after).cells[source][0].kind == "burnt"
    assert (scene(after).marked, scene(after).vacated) == ((target, source), ())


@for_each(
    ("figure", "text", "rule"),
    [
        (SMALL, "d1-d5/d2", amazons.THE_BOARD),
        (SMALL, "d4-d3/d4", amazons.OWN_AMAZON),
        (SMALL, "c3", amazons.OWN_AMAZON),
        (SMALL, "d1-c1/d1", amazons.MOVING),
        (SMALL, "d1-d4", amazons.MOVING),
        (SMALL, "a3-c3", amazons.MOVING),
        (SMALL, "d1-d2/d4", amazons.SHOOTING),
        (SMALL, "d1-d2/d2", amazons.SHOOTING),
        (SMALL, "d1-d2/d3/d1", amazons.SHOOTING),
    ],
)
def test_illegal_moves(figure: str, text: str, rule: int) -> None:
    with pytest.raises(Illegal) as caught:
        read(position_of(figure), text)
    assert caught.value.rule == rule


def test_an_amazon_that_cannot_move() -> None:
    position = position_of("W . . .\n. . . .\n# # . .\nW # . B")
    with pytest.raises(Illegal) as caught:
        read(position, "a1-a2/a3")
    assert caught.value.rule == amazons.BLOCKED


def test_reading() -> None:
    position = start(2, {})
    assert write(position, read(position, info.example)) == "D1-D7/G7"
    assert read(position, "D1 d7 g7") == read(position, "d1d7g7") == read(position, "d1-d7/g7")
    for text, begun in (("d1", 1), ("d1-d7", 2)):
        with pytest.raises(Unfinished) as caught:
            read(position, text)
        assert len(caught.value.begun) == begun
    with pytest.raises(Unreadable):
        read(position, "d1-d7/")


def test_moves_are_restricted_by_what_is_begun() -> None:
    position = start(2, {})
    every = list(moves(position))
    assert len(every) == len(set(every)) == 2176
    for move in islice(every, 0, None, 37):
        for count in (1, 2, 3):
            assert list(moves(position, move[:count])) == [each for each in every if each[:count] == move[:count]]
    assert not list(moves(position, (*every[0], 0)))


def test_whoever_cannot_move_has_lost() -> None:
    position = played(GAME, position_of(CORNERED, turn=1), "d1-c1/d1")
    assert to_move(position) is None
    assert outcome(position) == Outcome((2, 1), "blocked")
    with pytest.raises(Illegal) as caught:
        read(position, "a1-a2/a3")
    assert caught.value.rule == amazons.ENDING


@for_each(("size", "count"), [("10", 2176), ("8", 1232), ("6", 544)])
def test_moves_at_the_start(size: str, count: int) -> None:
    assert leaves(GAME, start(2, {"size": size}), 1) == count


def theirs(position: Position, move: Move) -> tuple[str, ...]:
    """Three actions, `X From (10, 4)`, with rows from the top before columns, counted from 1."""
    size, player = len(position.board.layout.rows), "XO"[position.turn]
    places = [divmod(int(step), size) for step in move]
    names = [f"({size - row}, {column + 1})" for column, row in places]
    return (f"{player} From {names[0]}", f"{player} To {names[1]}", f"{player} Shoot: {names[2]}")


@pytest.mark.parametrize(
    ("size", "plies"),
    [
        ("6", 200),
        ("10", 80),
        pytest.param("6", 8000, marks=pytest.mark.slow),
        pytest.param("8", 8000, marks=pytest.mark.slow),
        pytest.param("10", 4000, marks=pytest.mark.slow),
    ],
)
def test_a_second_engine_agrees(size: str, plies: int) -> None:
    engine = SecondEngine(GAME, f"amazons(board_size={size})", theirs, {"size": size})
    assert play_random_games(engine, plies)
