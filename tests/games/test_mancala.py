"""The rules of oware as small positions, a published tree, and a second engine."""

from dataclasses import replace
from typing import Any, cast

import pytest

from pbmserv.games import boards, mancala
from pbmserv.games.game import Event, Game, Illegal, Move, Outcome, Unreadable
from pbmserv.games.info import BadOption
from pbmserv.games.mancala import Position, oware
from tests.every import for_each
from tests.games.by_hand import leaves, played, written
from tests.games.second_engine import SecondEngine, play_random_games

GAME = cast(Game, oware)
BOARD = boards.pits(6)


def position_of(
    north: str, south: str, turn: int = 0, stores: tuple[int, int] = (20, 20), **more: Any
) -> Position:
    """Both rows as they are seen on the board, from left to right."""
    pits = (*map(int, south.split()), *map(int, reversed(north.split())))
    return Position(BOARD, pits, stores, turn, **more)


def rows_of(position: Position) -> tuple[str, str]:
    above, below = BOARD.layout.rows
    return (
        " ".join(str(position.pits[pit]) for pit in above.cells),
        " ".join(str(position.pits[pit]) for pit in below.cells),
    )


def test_the_letter_of_a_pit_is_enough() -> None:
    start = oware.start(2, {})
    assert oware.read(start, "c") == oware.read(start, " C ") == oware.read(start, "c1")
    with pytest.raises(Illegal) as caught:
        oware.read(start, "h")
    assert caught.value.rule == mancala.OWN_PIT


def test_the_start() -> None:
    position = oware.start(2, {})
    assert rows_of(position) == ("4 4 4 4 4 4", "4 4 4 4 4 4")
    assert written(GAME, position) == {"A1", "B1", "C1", "D1", "E1", "F1"}
    assert written(GAME, played(GAME, position, "c1")) == {"G1", "H1", "I1", "J1", "K1", "L1"}
    with pytest.raises(BadOption):
        oware.start(2, {"size": "8"})


def test_sowing_goes_round() -> None:
    position = played(GAME, oware.start(2, {}), "e1")
    assert rows_of(position) == ("4 4 4 5 5 5", "4 4 4 4 0 5")
    assert rows_of(played(GAME, position, "k1")) == ("5 0 4 5 5 5", "5 5 5 4 0 5")


def test_a_long_sowing_leaves_out_where_it_began() -> None:
    position = position_of("0 0 0 0 0 1", "0 0 0 0 12 1")
    after = played(GAME, position, "e1")
    assert rows_of(after) == ("1 1 1 1 1 2", "1 1 1 1 0 3")
    assert after.last[0] == BOARD.numbers["E1"]
    assert after.last.count(BOARD.numbers["F1"]) == 2


@pytest.mark.parametrize(
    ("north", "south", "text", "after", "stores"),
    [
        ("4 4 4 2 1 1", "0 0 0 0 0 3", "f1", ("4 4 4 0 0 0", "0 0 0 0 0 0"), (27, 20)),
        ("4 4 4 1 3 1", "0 0 0 0 0 3", "f1", ("4 4 4 0 4 2", "0 0 0 0 0 0"), (22, 20)),
        ("4 4 4 3 1 1", "0 0 0 0 0 3", "f1", ("4 4 4 4 2 2", "0 0 0 0 0 0"), (20, 20)),
        ("4 4 4 0 1 1", "0 0 0 0 0 3", "f1", ("4 4 4 1 2 2", "0 0 0 0 0 0"), (20, 20)),
        ("4 0 0 0 0 1", "0 0 0 0 1 1", "f1", ("4 0 0 0 0 0", "0 0 0 0 1 0"), (22, 20)),
        ("4 0 0 0 0 1", "0 0 0 1 1 1", "d1", ("4 0 0 0 0 1", "0 0 0 0 2 1"), (20, 20)),
        ("0 0 0 0 0 1", "0 0 0 0 1 1", "f1", ("0 0 0 0 0 2", "0 0 0 0 1 0"), (20, 20)),
        ("0 0 0 0 1 1", "1 0 0 0 0 2", "f1", ("0 0 0 0 2 2", "1 0 0 0 0 0"), (20, 20)),
        ("0 1 0 0 1 1", "0 0 0 0 1 2", "f1", ("0 1 0 0 0 0", "0 0 0 0 1 0"), (24, 20)),
    ],
    ids=["three", "one", "four", "single", "last", "own row", "grand slam", "grand slam of two", "no grand slam"],
)
def test_captures(north: str, south: str, text: str, after: tuple[str, str], stores: tuple[int, int]) -> None:
    reached = played(GAME, position_of(north, south), text)
    assert rows_of(reached) == after
    assert reached.stores == stores


def test_what_happened() -> None:
    position = position_of("4 4 4 2 1 1", "0 0 0 0 1 3", stores=(12, 16))
    pits = tuple(BOARD.numbers[name] for name in ("F1", "G1", "H1", "I1"))
    after, events = oware.play(position, pits[:1])
    assert events == (
        Event("sown", 0, pits, count=3),
        Event("captured", 1, pits[3:4], "3"),
        Event("captured", 1, pits[2:3], "2"),
        Event("captured", 1, pits[1:2], "2"),
        Event("scored", 0, count=7),
    )
    scene = oware.scene(after)
    assert (scene.marked, scene.vacated, scene.captured) == (pits[3:], pits[:1], pits[:0:-1])
    assert scene.scores == oware.scores(after) == (19, 16)
    assert [(piece.seat, piece.value) for pieces in scene.cells for piece in pieces] == [
        (0, 1),
        (1, 4),
        (1, 4),
        (1, 4),
    ]


def test_a_starving_side_is_fed() -> None:
    position = position_of("0 0 0 0 0 0", "1 0 0 3 1 1")
    assert written(GAME, position) == {"D1", "F1"}
    with pytest.raises(Illegal) as caught:
        oware.read(position, "e1")
    assert caught.value.rule == mancala.FEEDING


def test_who_cannot_feed_ends_the_game() -> None:
    after, events = oware.play(position_of("0 0 0 0 0 1", "0 0 0 0 0 1", stores=(22, 24)), (5,))
    assert events == (Event("sown", 0, (5, 6), count=1), Event("scored", 1, count=2))
    assert rows_of(after) == ("0 0 0 0 0 0", "0 0 0 0 0 0")
    assert oware.outcome(after) == Outcome((2, 1), "score", (22, 26))


def test_a_starving_side_that_is_fed_plays_on() -> None:
    after = played(GAME, position_of("1 0 0 0 0 0", "0 0 0 0 0 0", 1, (23, 24)), "l1")
    assert oware.outcome(after) == Outcome((1, 1), "draw", (24, 24))
    after = played(GAME, position_of("1 1 0 0 0 0", "0 0 0 0 0 0", 1, (23, 23)), "l1")
    assert written(GAME, after) == {"A1"}


def test_all_alike_is_a_draw() -> None:
    after = played(GAME, position_of("0 0 0 0 0 1", "0 0 0 0 0 1", 0, (24, 22)), "f1")
    assert oware.outcome(after) == Outcome((1, 1), "draw", (24, 24))
    assert rows_of(after) == ("0 0 0 0 0 0", "0 0 0 0 0 0")


def test_more_than_half_wins_at_once() -> None:
    after = played(GAME, position_of("4 4 4 2 1 1", "0 0 0 0 0 3", 0, (18, 11)), "f1")
    assert oware.outcome(after) == Outcome((1, 2), "score", (25, 11))
    assert oware.to_move(after) is None
    assert not list(oware.moves(after))
    with pytest.raises(Illegal) as caught:
        oware.read(after, "j1")
    assert caught.value.rule == mancala.ENDING


def test_a_position_that_comes_again_ends_the_game() -> None:
    """The second time is enough."""
    seen = position_of("0 0 0 0 0 1", "0 0 1 0 0 1").pits
    before = position_of("0 0 0 0 0 1", "0 1 0 0 0 1", 0, (23, 22), seen=(seen,))
    after, events = oware.play(before, (1,))
    assert after.ended is not None
    assert oware.outcome(after) == Outcome((1, 2), "repeated", (25, 23))
    assert events[1:] == (Event("scored", 0, count=2), Event("scored", 1, count=1))
    other = position_of("0 0 0 0 1 0", "0 0 1 0 0 1").pits
    after, _ = oware.play(replace(before, seen=(seen, other)), (1,))
    assert after.ended is None, "it was the other side's turn"


@for_each(
    ("text", "rule"),
    [
        ("a1", mancala.OWN_PIT),
        ("g1", mancala.OWN_PIT),
        ("f1-g1", mancala.OWN_PIT),
        ("m1", mancala.THE_BOARD),
        ("a2", mancala.THE_BOARD),
    ],
)
def test_illegal_moves(text: str, rule: int) -> None:
    with pytest.raises(Illegal) as caught:
        oware.read(position_of("4 4 4 2 1 1", "0 0 0 0 0 3"), text)
    assert caught.value.rule == rule


def test_reading() -> None:
    position = oware.start(2, {})
    assert oware.read(position, oware.info.example) == oware.read(position, " C1 ") == (2,)
    with pytest.raises(Unreadable):
        oware.read(position, "c d")


def test_the_published_tree() -> None:
    counted = [leaves(GAME, oware.start(2, {}), plies) for plies in range(1, 6)]
    assert counted == [6, 36, 190, 1014, 5219]


@pytest.mark.slow
def test_the_published_tree_deeper() -> None:
    assert leaves(GAME, oware.start(2, {}), 7) == 139157


def theirs(position: Position, move: Move) -> tuple[str, ...]:
    return ("ABCDEFabcdef"[int(move[0])],)


@pytest.mark.parametrize("plies", [300, pytest.param(25_000, marks=pytest.mark.slow)])
def test_a_second_engine_agrees(plies: int) -> None:
    assert play_random_games(SecondEngine(GAME, "oware", theirs), plies) > 1
