"""Tumbleweed: the beginning, what is seen, heights, passes, the count; a slow engine beside ours."""

from random import Random

import pytest

from pbmserv.games import games, tumbleweed
from pbmserv.games.game import Event, Illegal, Outcome, Unreadable
from pbmserv.games.info import BadOption
from pbmserv.games.tumbleweed import Position, moves, play, read, scores, to_move
from tests.every import for_each
from tests.games.beside import play_beside
from tests.games.by_hand import played, written

GAME = games()["tumbleweed"]


def after(texts: str) -> Position:
    position: Position = played(GAME, tumbleweed.start(2, {"size": "5"}), texts)
    return position


def stacks(position: Position) -> dict[str, str]:
    scene = tumbleweed.scene(position)
    return {name: pieces[0].text for name, pieces in zip(scene.board.names, scene.cells, strict=True) if pieces}


def test_white_places_a_stack_of_each_side() -> None:
    start = tumbleweed.start(2, {"size": "5"})
    assert stacks(start) == {"E5": "N2"}
    assert len(list(moves(start))) == 60 * 59
    position, events = play(start, read(start, "a1, i9"))
    numbers = start.board.numbers
    assert events == (Event("placed", 0, (numbers["A1"],), "1"), Event("placed", 1, (numbers["I9"],), "1"))
    assert stacks(position) == {"A1": "W1", "E5": "N2", "I9": "R1"}
    assert to_move(position) == 1
    for text in ("e5,a1", "a1,a1", "swap", "pass"):
        with pytest.raises(Illegal) as illegal:
            read(start, text)
        assert illegal.value.rule == tumbleweed.BEGINNING


def test_swap_changes_colours() -> None:
    before = after("a1,i9")
    position, events = play(before, read(before, "swap"))
    assert [event.kind for event in events] == ["swapped"]
    assert stacks(position) == {"A1": "R1", "E5": "N2", "I9": "W1"}
    assert to_move(position) == 0
    for texts in ("a1,i9 swap", "a1,i9 i8"):
        with pytest.raises(Illegal) as illegal:
            read(after(texts), "swap")
        assert illegal.value.rule == tumbleweed.BEGINNING


def test_lines_of_sight() -> None:
    # From A1 to the right, down to the left and down to the right, up to the stack in the middle.
    position = after("a1,i9 swap i8")
    seen = {"B1", "C1", "D1", "E1", "A2", "A3", "A4", "A5", "B2", "C3", "D4"}
    assert written(GAME, position) == seen | {"pass"}
    with pytest.raises(Illegal) as illegal:
        read(position, "f6")
    assert illegal.value.rule == tumbleweed.SETTLING


def test_height_is_how_many_see_a_cell() -> None:
    before = after("a1,i9 i8 e1 i7 e3 i6 a3 i5")
    position, events = play(before, read(before, "c3"))
    assert events == (Event("placed", 0, (position.board.numbers["C3"],), "3"),)
    assert stacks(position)["C3"] == "W3"


def test_only_a_higher_stack_takes_a_place() -> None:
    position = after("a1,i9 i8 a2")
    # White's A2 is seen by one of White's.
    again = after("a1,i9 i8 a2 i7")
    with pytest.raises(Illegal) as illegal:
        read(again, "a2")
    assert illegal.value.rule == tumbleweed.HEIGHT
    assert to_move(position) == 1


def test_capturing() -> None:
    # A1 and C1 see C3.
    before = after("a1,c3 g3 e1 c7 c1 g5")
    assert stacks(before)["C3"] == "R1"
    position, events = play(before, read(before, "c3"))
    cell = position.board.numbers["C3"]
    assert events == (Event("captured", 1, (cell,)), Event("placed", 0, (cell,), "2"))
    assert stacks(position)["C3"] == "W2"
    assert tumbleweed.scene(position).captured == (cell,)


def test_a_stack_in_the_way_hides_what_is_behind_it() -> None:
    position = after("a1,c3 g3 e1 c7")
    assert "D4" not in written(GAME, position)
    assert "B2" in written(GAME, position)


def test_two_passes_end_the_game() -> None:
    position = after("a1,i9 pass")
    assert to_move(position) == 0
    ended, events = play(position, read(position, "PASS"))
    assert events == (Event("passed", 0),)
    assert to_move(ended) is None
    outcome = tumbleweed.outcome(ended)
    # Each side has a stack and sees eleven cells of its own, but both see E1, A5, E9 and I5 alike.
    assert outcome == Outcome((1, 1), "draw", scores(ended))
    assert scores(ended)[0] == scores(ended)[1]
    with pytest.raises(Illegal) as over:
        read(ended, "b1")
    assert over.value.rule == tumbleweed.ENDING


def test_one_pass_between_moves_does_not() -> None:
    assert to_move(after("a1,i9 pass b1 pass")) == 0


@for_each(("text", "rule"), [("k1", tumbleweed.THE_BOARD), ("a2,a3", tumbleweed.SETTLING)])
def test_illegal(text: str, rule: int) -> None:
    with pytest.raises(Illegal) as illegal:
        read(after("a1,i9 i8"), text)
    assert illegal.value.rule == rule


@for_each("text", ["", "resigned", "a"])
def test_unreadable(text: str) -> None:
    with pytest.raises(Unreadable):
        read(after("a1,i9"), text)


def test_options() -> None:
    assert [len(tumbleweed.start(2, {"size": size}).owners) for size in ("5", "6", "8")] == [61, 91, 169]
    with pytest.raises(BadOption):
        tumbleweed.start(2, {"size": "11"})


Place = tuple[int, int]


class SlowTumbleweed:
    """Each stack is asked along its lines what it sees, after each ply anew."""

    STEPS = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1))

    def __init__(self, size: int) -> None:
        across = range(2 * size - 1)
        self.places = {(x, y) for x in across for y in across if abs(x - y) < size}
        self.stacks: dict[Place, tuple[int, int]] = {(size - 1, size - 1): (3, 2)}
        self.turn: int = 0
        self.plies = 0
        self.has_passed = self.is_over = False

    def seen(self, seat: int) -> dict[Place, int]:
        found: dict[Place, int] = {}
        for (x, y), (owner, _) in self.stacks.items():
            if owner != seat:
                continue
            for dx, dy in self.STEPS:
                place = (x + dx, y + dy)
                while place in self.places:
                    found[place] = found.get(place, 0) + 1
                    if place in self.stacks:
                        break
                    place = (place[0] + dx, place[1] + dy)
        return found

    def settled(self, seat: int) -> dict[Place, int]:
        return {
            place: count for place, count in self.seen(seat).items() if count > self.stacks.get(place, (0, 0))[1]
        }

    @staticmethod
    def name(place: Place) -> str:
        return f"{chr(97 + place[0])}{place[1] + 1}"

    def legal(self) -> set[str]:
        if not self.plies:
            free = self.places - self.stacks.keys()
            return {f"{self.name(one)},{self.name(two)}" for one in free for two in free if one != two}
        return {*map(self.name, self.settled(self.turn)), "pass", *(["swap"] if self.plies == 1 else [])}

    def play(self, text: str) -> None:
        had_passed, self.has_passed = self.has_passed, text == "pass"
        if not self.plies:
            for owner, name in enumerate(text.split(",")):
                self.stacks[ord(name[0]) - 97, int(name[1:]) - 1] = (owner, 1)
        elif text == "swap":
            self.stacks = {
                at: (1 - owner if owner < 2 else owner, high) for at, (owner, high) in self.stacks.items()
            }
        elif text != "pass":
            place = ord(text[0]) - 97, int(text[1:]) - 1
            self.stacks[place] = (self.turn, self.settled(self.turn)[place])
        self.plies += 1
        self.turn = 1 - self.turn
        if self.plies < 3 and text != "pass":
            return
        if (had_passed and self.has_passed) or not self.settled(0) | self.settled(1):
            self.is_over = True
        elif not self.settled(self.turn):
            self.is_over = self.has_passed
            self.turn = 1 - self.turn

    def ranks(self) -> tuple[int, ...] | None:
        if not self.is_over:
            return None
        white, red = self.seen(0), self.seen(1)
        lead = 0
        for place in self.places:
            owner = self.stacks.get(place, (2, 0))[0]
            ahead = white.get(place, 0) - red.get(place, 0)
            lead += 1 if owner == 0 else -1 if owner == 1 else 0 if owner == 3 else (ahead > 0) - (ahead < 0)
        return (1, 1) if lead == 0 else (1, 2) if lead > 0 else (2, 1)

    def shown(self) -> dict[str, str]:
        return {self.name(place): f"{'WR?N'[owner]}{height}" for place, (owner, height) in self.stacks.items()}


@pytest.mark.parametrize(
    ("size", "plies"),
    [
        (5, 150),
        pytest.param(5, 14_000, marks=pytest.mark.slow),
        pytest.param(8, 6_000, marks=pytest.mark.slow),
    ],
)
def test_a_slow_engine_agrees(size: int, plies: int) -> None:
    assert play_beside(GAME, {"size": str(size)}, lambda: SlowTumbleweed(size), plies) >= plies // 1000


def test_stacks_only_grow() -> None:
    random, position = Random("grow"), tumbleweed.start(2, {"size": "5"})
    while to_move(position) is not None:
        before = position.heights
        position, _ = play(position, random.choice(list(moves(position))))
        assert all(old <= new <= 6 for old, new in zip(before, position.heights, strict=True))
