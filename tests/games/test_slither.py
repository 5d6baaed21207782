"""Slither: corners, moving before placing, the swap, the end; a slow engine beside ours."""

from types import SimpleNamespace

import pytest

from pbmserv.games import boards, games, slither
from pbmserv.games.game import Event, Illegal, Outcome, Unfinished, Unreadable
from pbmserv.games.info import BadOption
from pbmserv.games.slither import moves, play, read, to_move
from pbmserv.games.stones import Position
from tests.every import for_each
from tests.games.beside import play_beside
from tests.games.by_hand import cells_of, figure_of, played, written

GAME = games()["slither"]
SEATS = {"V": 0, "H": 1, ".": 2}


def drawn(figure: str, turn: int = 0) -> Position:
    board = boards.points(len(figure.strip().splitlines()))
    return Position(board, bytes(SEATS[mark] for mark in cells_of(board, figure)), turn)


ALONE = """
    . . . .
    . . . H
    . V . .
    H . . .
"""


def test_a_stone_may_not_touch_another_by_the_corner_alone() -> None:
    placed = {text for text in written(GAME, drawn(ALONE)) if len(text) == 2}
    assert placed == {"A2", "A4", "B1", "B3", "B4", "C2", "C4", "D1", "D2", "D4"}
    for text in ("c3", "a3", "c1"):
        with pytest.raises(Illegal) as illegal:
            read(drawn(ALONE), text)
        assert illegal.value.rule == slither.CORNERS
    # The other side's stones do not matter.
    assert "C4" in written(GAME, drawn(ALONE, turn=0))


def test_a_stone_beside_both_mends_a_corner() -> None:
    position = drawn(
        """
        . . . .
        . V . .
        . V . .
        . . . .
        """
    )
    assert {"A2", "A3", "C2", "C3"} <= written(GAME, position)
    assert not {"A1", "C1", "A4", "C4"} & written(GAME, position)


def test_a_stone_is_moved_before_one_is_placed() -> None:
    position = drawn(ALONE)
    after, events = play(position, read(position, "b2-b3/c3"))
    numbers = position.board.numbers
    moved = Event("moved", 0, (numbers["B2"], numbers["B3"]))
    assert events == (moved, Event("placed", 0, (numbers["C3"],)))
    assert figure_of(slither.scene(after)) == ". . . .\n. V V H\n. . . .\nH . . ."
    scene = slither.scene(after)
    assert (set(scene.marked), scene.vacated) == ({numbers["B3"], numbers["C3"]}, (numbers["B2"],))
    # Diagonally, too; and the new stone may stand where the other one came from.
    assert {"B2-C3/B2"} & written(GAME, position) == set()
    assert {"B2-B3/B2", "B2-C3/C4", "B2-A3/A4"} <= written(GAME, position)
    assert read(position, "b2 b3 c3") == read(position, "B2-B3/C3")
    with pytest.raises(Unfinished):
        read(position, "b2-b3")


def test_what_moving_breaks_must_be_mended() -> None:
    position = drawn(
        """
        . . . . .
        . V . . .
        . V V . .
        . . . . .
        . . . . .
        """
    )
    # Without B3, B4 and C3 touch by the corner. A stone on C4 mends that, and one on B3 would touch A2.
    assert {text for text in written(GAME, position) if text.startswith("B3-A2/")} == {"B3-A2/C4"}
    assert {"B3-C4/E1", "B3-C4/B3"} <= written(GAME, position)


@for_each(
    ("text", "rule"),
    [
        ("d3", slither.PLACING),
        ("d3-d4/a1", slither.MOVING),
        ("b2-b4/b3", slither.MOVING),
        ("a4-a3/b3", slither.MOVING),
        ("b2-c3/a4/a3", slither.MOVING),
        ("e1", slither.THE_BOARD),
        ("swap", slither.SWAPPING),
        ("b2-b3/c4", slither.CORNERS),
    ],
)
def test_illegal(text: str, rule: int) -> None:
    with pytest.raises(Illegal) as illegal:
        read(drawn(ALONE), text)
    assert illegal.value.rule == rule


def test_swap_mirrors_the_stone() -> None:
    before = played(GAME, slither.start(2, {}), "e3")
    after, events = play(before, read(before, "swap"))
    numbers = before.board.numbers
    assert events == (Event("swapped", 1, (numbers["E3"], numbers["C5"])),)
    assert after.stones[numbers["C5"]] == 1
    assert after.turn == 0
    assert ("swap",) not in moves(after)


def test_a_chain_wins_that_a_moved_stone_closes() -> None:
    position = drawn(
        """
        . V . .
        . V . H
        V . . H
        . V . H
        """
    )
    # A2 goes to B2.
    after, events = play(position, read(position, "a2-b2/a4"))
    assert [event.kind for event in events] == ["moved", "placed"]
    assert slither.outcome(after) == Outcome((1, 2), "goal")
    assert list(moves(after)) == []
    with pytest.raises(Illegal) as over:
        read(after, "c1")
    assert over.value.rule == slither.ENDING


def test_who_has_no_move_passes() -> None:
    position = drawn(
        """
        V V V .
        V H V H
        H V H V
        V V V .
        """
    )
    # Hardly ever reached. After D4 Horizontal has only D1 to place or to move a stone to, at the corner of C2.
    after, events = play(position, read(position, "d4"))
    assert events[-1] == Event("passed", 1)
    assert to_move(after) == 0
    assert written(GAME, after) >= {"D1"}


@for_each("text", ["", "pass", "c"])
def test_unreadable(text: str) -> None:
    with pytest.raises(Unreadable):
        read(drawn(ALONE), text)


def test_options() -> None:
    assert [len(slither.start(2, {"size": size}).stones) for size in ("9", "13", "15")] == [81, 169, 225]
    with pytest.raises(BadOption):
        slither.start(2, {"size": "10"})


Place = tuple[int, int]


class SlowSlither:
    """Every move that one can think of is tried, and all pairs of stones are looked at after it."""

    def __init__(self, size: int) -> None:
        self.size, self.turn, self.plies = size, 0, 0
        self.places = [(x, y) for x in range(size) for y in range(size)]
        self.stones: dict[Place, int] = {}
        self.winner: int | None = None

    def is_sound(self, own: set[Place]) -> bool:
        for x, y in own:
            for dx in (-1, 1):
                if (x + dx, y + 1) in own and not own & {(x + dx, y), (x, y + 1)}:
                    return False
        return True

    def found(self) -> dict[str, dict[Place, int]]:
        """The board after each legal move."""
        own = {place for place, owner in self.stones.items() if owner == self.turn}
        free = set(self.places) - self.stones.keys()
        found = {self.name(place): own | {place} for place in free if self.is_sound(own | {place})}
        for x, y in own:
            for target in [(x + dx, y + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)]:
                if target in free:
                    moved = own - {(x, y)} | {target}
                    for place in free - {target} | {(x, y)}:
                        if self.is_sound(moved | {place}):
                            found[f"{self.name((x, y))}-{self.name(target)}/{self.name(place)}"] = moved | {place}
        others = {place: owner for place, owner in self.stones.items() if owner != self.turn}
        return {text: others | dict.fromkeys(after, self.turn) for text, after in found.items()}

    def legal(self) -> set[str]:
        return {*self.found(), *(["swap"] if self.plies == 1 else [])}

    @staticmethod
    def name(place: Place) -> str:
        return f"{'abcdefghjklmnop'[place[0]]}{place[1] + 1}"

    def play(self, text: str) -> None:
        self.plies += 1
        if text == "swap":
            self.stones = {(y, x): 1 for x, y in self.stones}
        else:
            self.stones = self.found()[text]
        if self.has_won():
            self.winner = self.turn
        self.turn = 1 - self.turn
        if self.winner is None and not self.legal():
            self.turn = 1 - self.turn

    def has_won(self) -> bool:
        own = {place for place, owner in self.stones.items() if owner == self.turn}
        found = {place for place in own if place[1 - self.turn] == 0}
        while True:
            grown = {(x, y) for x, y in own if found & {(x, y), (x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)}}
            if grown == found:
                return any(place[1 - self.turn] == self.size - 1 for place in found)
            found = grown

    def ranks(self) -> tuple[int, ...] | None:
        return None if self.winner is None else (1, 2) if self.winner == 0 else (2, 1)

    def shown(self) -> dict[str, str]:
        return {self.name(place): "VH"[owner] for place, owner in self.stones.items()}


def small(size: int) -> SimpleNamespace:
    """The game on a board of any size."""
    board = boards.points(size)
    begin = lambda _seats, _options: Position(board, bytes([2]) * size**2)  # noqa: E731
    return SimpleNamespace(**{**vars(slither), "start": begin})


@pytest.mark.parametrize(
    ("size", "plies"),
    [
        (4, 150),
        pytest.param(4, 12_000, marks=pytest.mark.slow),
        pytest.param(5, 8_000, marks=pytest.mark.slow),
        pytest.param(9, 50, marks=pytest.mark.slow),
    ],
)
def test_a_slow_engine_agrees(size: int, plies: int) -> None:
    assert play_beside(small(size), {}, lambda: SlowSlither(size), plies) > 2 or size == 9
