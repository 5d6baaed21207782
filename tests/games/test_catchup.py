"""Catchup: how many stones may be placed, who wins; a slow engine beside ours."""

from itertools import combinations
from types import SimpleNamespace

import pytest

from pbmserv.games import catchup, games
from pbmserv.games.catchup import Position, moves, play, read, to_move
from pbmserv.games.game import Event, Illegal, Outcome, Unreadable
from pbmserv.games.hexagons import hexagon
from pbmserv.games.info import BadOption
from tests.every import for_each
from tests.games.beside import play_beside
from tests.games.by_hand import cells_of, played, written

GAME = games()["catchup"]
SEATS = {"o": 0, "x": 1, ".": 2}


def after(texts: str) -> Position:
    position: Position = played(GAME, catchup.start(2, {}), texts)
    return position


def drawn(figure: str, turn: int = 0, most: int = 2) -> Position:
    board = hexagon((len(figure.strip().splitlines()) + 1) // 2)
    return Position(board, bytes(SEATS[mark] for mark in cells_of(board, figure)), turn, most)


@for_each(
    ("texts", "most"),
    [
        ("", 1),
        ("e5", 2),  # one stone is no group that grows
        ("e5 a1,a2", 3),  # Black has two, White one
        ("e5 a1,c1", 2),
        ("e5 a1,a2 e6", 3),  # White has caught up
        ("e5 a1,a2 e6 c1", 2),  # nothing grew
        ("e5 a1,a2 e6,e7,d5 a3", 2),  # Black's group grew, and White's is larger
        ("e5 a1,a2 e6,e7,d5 a3,b3", 3),
    ],
)
def test_how_many_stones_may_be_placed(texts: str, most: int) -> None:
    position = after(texts)
    assert position.most == most
    assert max(map(len, moves(position))) == most
    assert {len(move) for move in moves(position)} == set(range(1, most + 1))


def test_stones_of_a_turn() -> None:
    position = after("e5")
    placed, events = play(position, read(position, "F6 d4"))
    cells = tuple(sorted(position.board.numbers[name] for name in ("D4", "F6")))
    assert events == tuple(Event("placed", 1, (cell,)) for cell in cells)
    assert placed.last == cells
    assert catchup.write(position, read(position, "f6,d4")) == "D4,F6"
    assert read(position, "f6,d4") == read(position, "d4 f6")


@for_each(
    ("text", "rule"),
    [
        ("e5", catchup.PLACING),
        ("d4,d4", catchup.PLACING),
        ("d4,d5,d6", catchup.COUNTING),
        ("f1", catchup.THE_BOARD),
    ],
)
def test_illegal(text: str, rule: int) -> None:
    with pytest.raises(Illegal) as illegal:
        read(after("e5"), text)
    assert illegal.value.rule == rule


@for_each("text", ["", "pass", "swap", "e"])
def test_unreadable(text: str) -> None:
    with pytest.raises(Unreadable):
        read(after("e5"), text)


@for_each(
    ("figure", "ranks", "scores"),
    [
        ("o o\nx x o\nx .", (1, 2), (4, 3)),
        ("o x\no x o\nx .", (2, 1), (2, 3)),
    ],
)
def test_who_wins(figure: str, ranks: tuple[int, int], scores: tuple[int, int]) -> None:
    position = drawn(figure, most=1)
    ended, _ = play(position, read(position, "c3"))
    assert to_move(ended) is None
    assert list(moves(ended)) == []
    assert catchup.outcome(ended) == Outcome(ranks, "score", scores)
    with pytest.raises(Illegal) as over:
        read(ended, "a1")
    assert over.value.rule == catchup.ENDING


def test_the_second_largest_groups_decide_between_equal_ones() -> None:
    board = hexagon(4)
    names = {"o": "A1 A2 A3 D1 D2 G7", "x": "C4 C5 C6 E4 F4 F5"}
    stones = bytearray([3]) * len(board.names)  # whatever is nobody's
    for mark, cells in names.items():
        for name in cells.split():
            stones[board.numbers[name]] = SEATS[mark]
    outcome = catchup.outcome(Position(board, bytes(stones), 0, 0))
    # White's groups are of three, two and one, Black's of three and three.
    assert outcome == Outcome((2, 1), "goal", (3, 3))


def test_moves_that_begin_so() -> None:
    position = after("e5")
    one, two = (position.board.numbers[name] for name in ("D4", "F6"))
    begun = list(moves(position, (two,)))
    assert begun[0] == (two,)
    assert (two, one) in begun
    assert len(begun) == 60
    assert list(moves(position, (two, one))) == [(two, one)]
    assert list(moves(position, (two, two))) == []
    assert len(written(GAME, position)) == 60 + 60 * 59 // 2


def test_options() -> None:
    assert [len(catchup.start(2, {"size": size}).stones) for size in ("4", "5", "6", "7")] == [37, 61, 91, 127]
    with pytest.raises(BadOption):
        catchup.start(2, {"size": "8"})


class SlowCatchup:
    """Stones by place; groups are found by merging stones that touch."""

    def __init__(self, size: int) -> None:
        self.reach, self.turn, self.most = size - 1, 0, 1
        across = range(2 * size - 1)
        self.places = [(x, y) for x in across for y in across if abs(x - y) < size]
        self.stones: dict[tuple[int, int], int] = {}

    def sizes(self, seat: int) -> list[int]:
        groups: list[set[tuple[int, int]]] = []
        for place, owner in self.stones.items():
            if owner == seat:
                x, y = place
                near = {(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1), (x + 1, y + 1), (x - 1, y - 1)}
                touched = [group for group in groups if group & near]
                groups = [group for group in groups if not group & near] + [{place}.union(*touched)]
        return sorted(map(len, groups), reverse=True)

    def legal(self) -> set[str]:
        free = [place for place in self.places if place not in self.stones]
        counts = range(1, self.most + 1)
        return {",".join(map(self.name, some)) for count in counts for some in combinations(free, count)}

    @staticmethod
    def name(place: tuple[int, int]) -> str:
        return f"{chr(97 + place[0])}{place[1] + 1}"

    def play(self, text: str) -> None:
        before = (self.sizes(self.turn) or [1])[0]
        for name in text.split(","):
            self.stones[ord(name[0]) - 97, int(name[1:]) - 1] = self.turn
        mine, theirs = self.sizes(self.turn)[0], (self.sizes(1 - self.turn) or [0])[0]
        self.most = 3 if mine > before and mine >= theirs else 2
        self.most = min(self.most, len(self.places) - len(self.stones))
        self.turn = 1 - self.turn

    def ranks(self) -> tuple[int, ...] | None:
        if len(self.stones) < len(self.places):
            return None
        return (1, 2) if self.sizes(0) > self.sizes(1) else (2, 1)

    def shown(self) -> dict[str, str]:
        return {self.name(place): "ox"[owner] for place, owner in self.stones.items()}


def small(size: int) -> SimpleNamespace:
    """The game on a board of any size."""
    board = hexagon(size)
    begin = lambda _seats, _options: Position(board, bytes([2]) * len(board.names))  # noqa: E731
    return SimpleNamespace(**{**vars(catchup), "start": begin})


@pytest.mark.parametrize(
    ("size", "plies"),
    [(3, 150), pytest.param(3, 18_000, marks=pytest.mark.slow), pytest.param(4, 2_000, marks=pytest.mark.slow)],
)
def test_a_slow_engine_agrees(size: int, plies: int) -> None:
    assert play_beside(small(size), {}, lambda: SlowCatchup(size), plies) > 2
