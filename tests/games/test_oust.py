"""Oust: where a stone may be placed, what it captures, who goes on; a slow engine beside ours."""

from random import Random

import pytest

from pbmserv.games import boards, games, oust
from pbmserv.games.game import Event, Illegal, Outcome, Unreadable
from pbmserv.games.info import BadOption
from pbmserv.games.oust import moves, play, read, to_move
from pbmserv.games.stones import Position
from tests.every import for_each
from tests.games.beside import play_beside
from tests.games.by_hand import cells_of, figure_of, written

GAME = games()["oust"]
SEATS = {"x": 0, "o": 1, ".": 2}


def drawn(figure: str, turn: int = 0) -> Position:
    board = boards.points(len(figure.strip().splitlines()))
    return Position(board, bytes(SEATS[mark] for mark in cells_of(board, figure)), turn)


def after(position: Position, text: str) -> tuple[str, tuple[Event, ...], Position]:
    position, events = play(position, read(position, text))
    return figure_of(oust.scene(position)), events, position


SCATTERED = """
    x . . .
    . o o .
    . . o .
    . x . .
"""
LONG = """
    x x . o .
    . x . o .
    . . . . .
    o . . x .
    . . . . .
"""
EVEN = """
    x x . o .
    . . . o .
    . . . o .
    . . . . .
    . . . . .
"""


def test_a_stone_beside_none_of_its_own_may_always_be_placed() -> None:
    assert written(GAME, drawn(SCATTERED)) == {"A2", "C4", "D1", "D2", "D3", "D4"}


def test_a_stone_beside_its_own_must_capture() -> None:
    # C4 and C5 make a group of four that touches a pair; A4 and B3 touch nobody, D3 makes a pair itself.
    position = drawn(LONG)
    beside_own = {"A4", "B3", "C4", "C5", "C2", "D1", "D3", "E2"}
    assert written(GAME, position).intersection(beside_own) == {"C4", "C5"}
    figure, events, position = after(position, "c5")
    assert events[1].kind == "captured"
    assert figure.splitlines()[0] == "x x x . ."
    assert figure.splitlines()[1] == ". x . . ."
    assert figure.splitlines()[3] == "o . . x ."


def test_all_groups_that_touch_must_be_smaller() -> None:
    assert "C5" not in written(GAME, drawn(EVEN))
    with pytest.raises(Illegal) as illegal:
        read(drawn(EVEN), "c5")
    assert illegal.value.rule == oust.CAPTURING


def test_who_captures_goes_on_until_a_stone_captures_nothing() -> None:
    _, events, position = after(drawn(LONG), "c5")
    assert [event.kind for event in events] == ["placed", "captured"]
    assert to_move(position) == 0
    _, events, position = after(position, "e1")
    assert [event.kind for event in events] == ["placed"]
    assert to_move(position) == 1


def test_a_capture_of_all_wins() -> None:
    position = drawn(
        """
        x . . . .
        x . . . .
        . o . . .
        . . . . .
        . . . . .
        """
    )
    _, events, position = after(position, "a3")
    assert events[-1] == Event("captured", 1, (position.board.numbers["B3"],))
    assert oust.outcome(position) == Outcome((1, 2), "bare")
    assert list(moves(position)) == []
    with pytest.raises(Illegal) as over:
        read(position, "e5")
    assert over.value.rule == oust.ENDING


def test_who_cannot_place_a_stone_passes() -> None:
    position = drawn(
        """
        . x x x
        o . o .
        o . . x
        o o . o
        """
    )
    # After Black's C2 every empty point is beside a black stone, and no group made there would beat White's four.
    _, events, position = after(position, "c2")
    assert events[-1] == Event("passed", 0)
    assert to_move(position) == 1


def test_nobody_can_place_a_stone_on_a_full_board_of_single_stones() -> None:
    position = drawn(
        """
        x o x
        o x o
        x o .
        """
    )
    _, events, position = after(position, "c1")
    assert [event.kind for event in events] == ["placed"]
    assert to_move(position) is None
    assert oust.outcome(position) == Outcome((1, 1), "draw")


@for_each("text", ["c6", "f1"])
def test_off_the_board(text: str) -> None:
    with pytest.raises(Illegal) as illegal:
        read(drawn(LONG), text)
    assert illegal.value.rule == oust.THE_BOARD


@for_each("text", ["a5", "a3 b3", "d5"])
def test_one_empty_point(text: str) -> None:
    with pytest.raises(Illegal) as illegal:
        read(drawn(LONG), text)
    assert illegal.value.rule == oust.PLACING


@for_each("text", ["", "swap", "pass", "e"])
def test_unreadable(text: str) -> None:
    with pytest.raises(Unreadable):
        read(drawn(LONG), text)


def test_options() -> None:
    assert [len(oust.start(2, {"size": size}).stones) for size in ("9", "13", "19")] == [81, 169, 361]
    with pytest.raises(BadOption):
        oust.start(2, {"size": "10"})


class SlowOust:
    """Stones by place; the groups are merged pair by pair."""

    def __init__(self, size: int) -> None:
        self.size, self.turn, self.stones = size, 0, dict[tuple[int, int], int]()
        self.is_over = False

    def groups(self, stones: dict[tuple[int, int], int]) -> list[tuple[int, set[tuple[int, int]]]]:
        label = {place: place for place in stones}
        changed = True
        while changed:
            changed = False
            for x, y in stones:
                for other in ((x + 1, y), (x, y + 1)):
                    if stones.get(other) == stones[x, y] and label[other] != label[x, y]:
                        least = min(label[other], label[x, y])
                        label[other] = label[x, y] = least
                        changed = True
        found: dict[tuple[int, int], set[tuple[int, int]]] = {}
        for place, root in label.items():
            found.setdefault(root, set()).add(place)
        return [(stones[root], group) for root, group in found.items()]

    @staticmethod
    def touch(one: set[tuple[int, int]], other: set[tuple[int, int]]) -> bool:
        return any((x + dx, y + dy) in other for x, y in one for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)))

    def tried(self, place: tuple[int, int]) -> dict[tuple[int, int], int] | None:
        """The board after a stone there, with captures taken off; None if the rules forbid it."""
        with_it = self.stones | {place: self.turn}
        groups = self.groups(with_it)
        (own,) = (group for _, group in groups if place in group)
        if len(own) == 1:
            return with_it
        touched = [group for owner, group in groups if owner != self.turn and self.touch(own, group)]
        if not touched or any(len(group) >= len(own) for group in touched):
            return None
        return {at: owner for at, owner in with_it.items() if not any(at in group for group in touched)}

    def legal(self) -> set[str]:
        places = ((x, y) for x in range(self.size) for y in range(self.size) if (x, y) not in self.stones)
        return {self.name(place) for place in places if self.tried(place) is not None}

    def name(self, place: tuple[int, int]) -> str:
        return f"{'abcdefghjklmnopqrst'[place[0]]}{place[1] + 1}"

    def play(self, text: str) -> None:
        place = "abcdefghjklmnopqrst".index(text[0]), int(text[1:]) - 1
        after = self.tried(place)
        assert after is not None
        has_captured = len(after) <= len(self.stones)
        self.stones = after
        self.is_over = has_captured and set(after.values()) == {self.turn}
        if not has_captured:
            self.turn = 1 - self.turn
        if not self.is_over and not self.legal():
            self.turn = 1 - self.turn

    def ranks(self) -> tuple[int, ...] | None:
        return ((1, 2) if self.turn == 0 else (2, 1)) if self.is_over else None

    def shown(self) -> dict[str, str]:
        return {self.name(place): "xo"[owner] for place, owner in self.stones.items()}


@pytest.mark.parametrize(
    ("size", "plies"),
    [(9, 40), pytest.param(9, 15_000, marks=pytest.mark.slow), pytest.param(13, 2_000, marks=pytest.mark.slow)],
)
def test_a_slow_engine_agrees(size: int, plies: int) -> None:
    assert play_beside(GAME, {"size": str(size)}, lambda: SlowOust(size), plies) >= plies // 1000


def test_no_position_comes_again() -> None:
    random, position = Random("again"), oust.start(2, {})
    seen = [(position.stones, position.turn)]
    while to_move(position) is not None:
        position, _ = play(position, random.choice(list(moves(position))))
        seen.append((position.stones, position.turn))
    assert len(set(seen)) == len(seen)
