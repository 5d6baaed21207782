"""Tanbo: where roots may grow, which are removed; a slow engine beside ours."""

import pytest

from pbmserv.games import boards, games, tanbo
from pbmserv.games.game import Event, Illegal, Outcome, Unreadable
from pbmserv.games.stones import Position
from pbmserv.games.tanbo import moves, play, read, to_move
from tests.every import for_each
from tests.games.beside import play_beside
from tests.games.by_hand import cells_of, figure_of, written

GAME = games()["tanbo"]
SEATS = {"x": 0, "o": 1, ".": 2}


def drawn(figure: str, turn: int = 0) -> Position:
    board = boards.points(len(figure.strip().splitlines()))
    return Position(board, bytes(SEATS[mark] for mark in cells_of(board, figure)), turn)


def test_eight_stones_each_in_turn_over_the_board() -> None:
    rows = figure_of(tanbo.scene(tanbo.start(2, {}))).splitlines()
    places = {(row, column): mark for row, line in enumerate(rows) for column, mark in enumerate(line.split())}
    stones = {place: mark for place, mark in places.items() if mark != "."}
    assert {row for row, _ in stones} == {column for _, column in stones} == {0, 6, 12, 18}
    assert len(stones) == 16
    assert all((mark == "x") == ((row + column) % 12 == 0) for (row, column), mark in stones.items())


def test_a_stone_has_exactly_one_of_its_own_beside_it() -> None:
    position = drawn(
        """
        . . . . x
        . o . . .
        x . x . .
        . . . o .
        . . . . .
        """
    )
    # B3 is beside two of Black's, and A5 beside none.
    assert written(GAME, position) == {"A2", "A4", "C2", "C4", "D3", "D5", "E4"}
    assert written(GAME, Position(position.board, position.stones, 1)) == {
        *("A4", "B3", "B5", "C4"),
        *("C2", "D1", "D3", "E2"),
    }
    for text in ("b3", "a5", "c3"):
        with pytest.raises(Illegal) as illegal:
            read(position, text)
        assert illegal.value.rule == tanbo.GROWING


def test_a_root_that_is_bounded_is_removed() -> None:
    position = drawn(
        """
        x . .
        o x .
        o . .
        """
    )
    after, events = play(position, read(position, "b1"))
    cells = tuple(position.board.numbers[name] for name in ("A1", "A2"))
    assert events == (Event("placed", 0, (position.board.numbers["B1"],)), Event("captured", 1, cells))
    assert tanbo.outcome(after) == Outcome((1, 2), "bare")
    assert list(moves(after)) == []
    with pytest.raises(Illegal) as over:
        read(after, "c1")
    assert over.value.rule == tanbo.ENDING


def test_only_the_own_root_is_removed_where_it_is_bounded_too() -> None:
    position = drawn(
        """
        x o
        . o
        """
    )
    # Black's A1 leaves no point for either root.
    after, events = play(position, read(position, "a1"))
    assert [(event.kind, event.seat) for event in events] == [("placed", 0), ("captured", 0)]
    assert figure_of(tanbo.scene(after)) == ". o\n. o"
    assert tanbo.outcome(after) == Outcome((2, 1), "bare")


def test_other_roots_of_both_sides_are_removed_at_once() -> None:
    position = drawn(
        """
        o o o x
        . o . x
        x . . o
        x x x o
        """
    )
    # C3 was where Black's D3 could still grow, C2 where White's D2 could; both are beside C2.
    after, events = play(position, read(position, "c2"))
    names = [[position.board.names[cell] for cell in event.cells] for event in events]
    assert [(event.kind, event.seat) for event in events] == [("placed", 0), ("captured", 0), ("captured", 1)]
    assert names == [["C2"], ["D3", "D4"], ["D1", "D2"]]
    assert to_move(after) == 1
    assert tanbo.scene(after).captured == tuple(position.board.numbers[each] for each in ("D1", "D2", "D3", "D4"))


@for_each("text", ["u1", "a20"])
def test_off_the_board(text: str) -> None:
    with pytest.raises(Illegal) as illegal:
        read(tanbo.start(2, {}), text)
    assert illegal.value.rule == tanbo.THE_BOARD


@for_each("text", ["", "swap", "pass", "i5 x"])
def test_unreadable(text: str) -> None:
    with pytest.raises(Unreadable):
        read(tanbo.start(2, {}), text)


class SlowTanbo:
    """Stones by place; all roots are looked at after each ply."""

    LETTERS = "abcdefghjklmnopqrst"

    def __init__(self) -> None:
        self.turn = 0
        self.stones = {(x, y): int((x + y) % 12 == 0) for x in (0, 6, 12, 18) for y in (0, 6, 12, 18)}

    def beside(self, place: tuple[int, int]) -> list[tuple[int, int]]:
        x, y = place
        return [
            (x + dx, y + dy)
            for dx, dy in ((0, 1), (1, 0), (0, -1), (-1, 0))
            if 0 <= x + dx < 19 and 0 <= y + dy < 19
        ]

    def open_to(self, seat: int) -> dict[tuple[int, int], tuple[int, int]]:
        """The points where a seat may grow, with the one stone beside."""
        found = {}
        for x in range(19):
            for y in range(19):
                own = [each for each in self.beside((x, y)) if self.stones.get(each) == seat]
                if (x, y) not in self.stones and len(own) == 1:
                    found[x, y] = own[0]
        return found

    def roots(self) -> list[set[tuple[int, int]]]:
        left, found = set(self.stones), []
        while left:
            root = {left.pop()}
            while more := {
                each
                for place in root
                for each in self.beside(place)
                if each in left and self.stones[each] == self.stones[place]
            }:
                root |= more
                left -= more
            found.append(root)
        return found

    def legal(self) -> set[str]:
        return {self.name(place) for place in self.open_to(self.turn)}

    def name(self, place: tuple[int, int]) -> str:
        return f"{self.LETTERS[place[0]]}{place[1] + 1}"

    def play(self, text: str) -> None:
        place = self.LETTERS.index(text[0]), int(text[1:]) - 1
        self.stones[place] = self.turn
        growing = set(self.open_to(0).values()) | set(self.open_to(1).values())
        bounded = [root for root in self.roots() if not root & growing]
        if any(place in root for root in bounded):
            bounded = [root for root in bounded if place in root]
        for root in bounded:
            for each in root:
                del self.stones[each]
        self.turn = 1 - self.turn

    def ranks(self) -> tuple[int, ...] | None:
        owners = set(self.stones.values())
        return None if len(owners) == 2 else (1, 2) if owners == {0} else (2, 1)

    def shown(self) -> dict[str, str]:
        return {self.name(place): "xo"[owner] for place, owner in self.stones.items()}


@pytest.mark.parametrize("plies", [100, pytest.param(20_000, marks=pytest.mark.slow)])
def test_a_slow_engine_agrees(plies: int) -> None:
    assert play_beside(GAME, {}, SlowTanbo, plies) >= plies // 1000
