"""The rules of kalah as small positions, and a second engine."""

from collections.abc import Iterable
from typing import Any

import pytest

from pbmserv.games import boards, kalah
from pbmserv.games.game import Event, Game, Illegal, Move, Outcome, Unreadable
from pbmserv.games.info import BadOption
from pbmserv.games.kalah import Position, info, moves, outcome, play, read, scene, start, to_move
from tests.every import for_each
from tests.games.by_hand import played, written
from tests.games.second_engine import SecondEngine, play_random_games

GAME: Game = kalah
BOARD = boards.pits(6)


def position_of(
    north: str, south: str, turn: int = 0, stores: tuple[int, int] = (15, 15), **more: Any
) -> Position:
    """Both rows as they are seen on the board, from left to right."""
    pits = (*map(int, south.split()), *map(int, reversed(north.split())))
    return Position(BOARD, pits, stores, turn, is_opening=False, **more)


def rows_of(position: Position) -> tuple[str, str]:
    above, below = BOARD.layout.rows
    return (
        " ".join(str(position.pits[pit]) for pit in above.cells),
        " ".join(str(position.pits[pit]) for pit in below.cells),
    )


def test_the_start() -> None:
    position = start(2, {})
    assert rows_of(position) == ("4 4 4 4 4 4", "4 4 4 4 4 4")
    assert written(GAME, position) == {"A1", "B1", "C1", "D1", "E1", "F1"}
    assert rows_of(start(2, {"seeds": "6"})) == ("6 6 6 6 6 6", "6 6 6 6 6 6")
    with pytest.raises(BadOption):
        start(2, {"seeds": "7"})


@pytest.mark.parametrize(
    ("north", "south", "turn", "text", "after", "stores", "next_turn"),
    [
        ("4 4 4 4 4 4", "4 4 4 4 4 4", 0, "c1", ("4 4 4 4 4 4", "4 4 0 5 5 5"), (16, 15), 0),
        ("4 4 4 4 4 4", "4 4 4 4 4 4", 0, "e1", ("4 4 4 4 5 5", "4 4 4 4 0 5"), (16, 15), 1),
        ("4 4 4 4 4 4", "4 4 4 4 4 4", 1, "i1", ("5 5 5 0 4 4", "4 4 4 4 4 4"), (15, 16), 1),
        ("0 0 0 0 0 3", "0 0 0 0 0 1", 0, "f1", ("0 0 0 0 0 3", "0 0 0 0 0 0"), (16, 18), None),
        ("1 1 1 1 1 1", "0 1 0 0 0 8", 0, "f1", ("0 2 2 2 2 2", "0 1 0 0 0 0"), (19, 15), 1),
        ("9 0 0 0 0 5", "0 0 0 2 0 0", 0, "d1", ("9 0 0 0 0 0", "0 0 0 0 1 0"), (21, 15), 1),
        ("2 0 0 0 0 0", "0 0 0 2 0 0", 0, "d1", ("2 0 0 0 0 0", "0 0 0 0 1 1"), (15, 15), 1),
        ("2 0 0 0 0 5", "0 0 0 2 0 1", 0, "d1", ("2 0 0 0 0 5", "0 0 0 0 1 2"), (15, 15), 1),
        ("1 1 1 1 1 1", "0 0 0 0 13 0", 0, "e1", ("2 2 2 2 0 2", "1 1 1 1 0 1"), (19, 15), 1),
    ],
    ids=[
        "own store",
        "across",
        "north",
        "one seed",
        "round",
        "capture",
        "nothing across",
        "not empty",
        "thirteen",
    ],
)
def test_sowing(
    north: str,
    south: str,
    turn: int,
    text: str,
    after: tuple[str, str],
    stores: tuple[int, int],
    next_turn: int | None,
) -> None:
    reached = played(GAME, position_of(north, south, turn), text)
    if next_turn is not None:
        assert rows_of(reached) == after
    assert reached.stores == stores
    assert to_move(reached) == next_turn


def test_a_capture_and_what_happened() -> None:
    position = position_of("2 0 0 0 0 5", "0 0 0 2 0 0")
    after, events = play(position, read(position, "d1"))
    assert events == (
        Event("sown", 0, (3, 4, 5), count=2),
        Event("captured", 1, (6,), "5"),
        Event("scored", 0, count=6),
    )
    drawn = scene(after)
    assert (drawn.marked, drawn.vacated, drawn.captured, drawn.scores) == ((5,), (3,), (6,), (21, 15))


def test_a_seed_that_goes_into_the_store() -> None:
    position = position_of("2 0 0 0 0 5", "0 0 1 0 0 1")
    after, events = play(position, read(position, "f1"))
    assert events == (Event("sown", 0, (5,), count=1), Event("scored", 0, count=1))
    assert (scene(after).marked, scene(after).vacated) == ((), (5,))
    assert to_move(after) == 0


def test_swapping() -> None:
    """In the first turn of North's, after all of South's sowings; the board is turned round."""
    position = played(GAME, start(2, {}), "c1")
    assert "swap" not in written(GAME, position), "South is to move again"
    position = played(GAME, position, "f1")
    assert rows_of(position) == ("4 4 5 5 5 5", "4 4 0 5 5 0")
    assert "swap" in written(GAME, position)
    after, events = play(position, read(position, "Swap"))
    assert rows_of(after) == ("0 5 5 0 4 4", "5 5 5 5 4 4")
    assert (after.stores, to_move(after)) == ((0, 2), 0)
    assert [event.kind for event in events] == ["swapped"]
    assert scene(after).marked == (3,)
    assert "swap" not in written(GAME, after)
    later = played(GAME, after, "f1")
    assert "swap" not in written(GAME, later)
    sown = played(GAME, position, "g1")
    assert "swap" not in written(GAME, sown)


@pytest.mark.parametrize(
    ("north", "south", "stores", "text", "ended"),
    [
        ("4 0 0 0 0 0", "1 0 0 0 0 1", (24, 18), "f1", Outcome((1, 2), "score", (25, 18))),
        ("2 0 0 0 0 1", "0 0 0 0 0 1", (22, 22), "f1", Outcome((2, 1), "score", (23, 25))),
        ("1 0 0 0 0 0", "0 0 0 0 0 1", (23, 23), "f1", Outcome((1, 1), "draw", (24, 24))),
        ("0 0 0 0 0 1", "1 1 0 0 0 0", (22, 23), "a1", None),
    ],
    ids=["more than half", "the other side keeps its own", "draw", "goes on"],
)
def test_endings(north: str, south: str, stores: tuple[int, int], text: str, ended: Outcome | None) -> None:
    after = played(GAME, position_of(north, south, 0, stores), text)
    assert outcome(after) == ended
    if ended:
        assert to_move(after) is None
        assert not list(moves(after))
        with pytest.raises(Illegal) as caught:
            read(after, "a1")
        assert caught.value.rule == kalah.ENDING


@for_each(
    ("text", "rule"),
    [
        ("a1", kalah.OWN_PIT),
        ("g1", kalah.OWN_PIT),
        ("m1", kalah.THE_BOARD),
        ("swap", kalah.SWAPPING),
    ],
)
def test_illegal_moves(text: str, rule: int) -> None:
    with pytest.raises(Illegal) as caught:
        read(position_of("4 4 4 2 1 1", "0 0 0 0 0 3"), text)
    assert caught.value.rule == rule


def test_reading() -> None:
    position = start(2, {})
    assert read(position, info.example) == read(position, " E1 ") == (4,)
    with pytest.raises(Unreadable):
        read(position, "c d")


class WithoutSwap:
    """Kalah as the second engine has it."""

    info = kalah.info

    def __getattr__(self, name: str) -> Any:
        return getattr(kalah, name)

    def moves(self, position: Position) -> Iterable[Move]:
        return [move for move in moves(position) if move != (kalah.SWAP,)]


def theirs(position: Position, move: Move) -> tuple[str, ...]:
    """They count pits and stores together, from South's first pit on."""
    pit = int(move[0])
    return (str(pit + 1 + pit // 6),)


ENGINE = SecondEngine(
    WithoutSwap(),
    "mancala",
    theirs,
    # They play on when one side has more than half.
    our_limits=("score",),
)


@pytest.mark.parametrize("plies", [300, pytest.param(20_000, marks=pytest.mark.slow)])
def test_a_second_engine_agrees(plies: int) -> None:
    assert play_random_games(ENGINE, plies) > 1
