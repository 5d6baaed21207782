"""The rules of infection as drawn positions, the published tree, and a slow engine written from the rules text."""

from random import Random
from typing import Any

import pytest

from pbmserv.games import boards, infection
from pbmserv.games.game import Event, Game, Illegal, Outcome, Unfinished, Unreadable
from pbmserv.games.infection import Position, info, moves, outcome, play, read, scene, start, to_move, write
from pbmserv.games.info import BadOption
from tests.every import for_each
from tests.games.by_hand import cells_of, figure_of, leaves, played, written

GAME: Game = infection
BOARD = boards.squares(5, 5)


def position_of(figure: str, turn: int = 0, **more: Any) -> Position:
    return Position(BOARD, "".join(cells_of(BOARD, figure)), turn, **more)


def cell(name: str) -> int:
    return BOARD.numbers[name]


MIDDLE = """
x . . . .
. . o . .
. . o . .
. . . . .
. . . . o
"""
FULL = """
x x x x x
x x x x x
x x . x x
o o o o o
o o o o o
"""
SHUT = """
x o o . .
o o o . .
o o . . .
o o o . .
. . . . .
"""


def test_the_start() -> None:
    assert figure_of(scene(start(2, {}))).split("\n") == [
        "x . . . . . o",
        *([". . . . . . ."] * 5),
        "o . . . . . x",
    ]
    assert scene(start(2, {})).scores == (2, 2)
    assert to_move(start(2, {})) == 0
    with pytest.raises(BadOption):
        start(2, {"size": "8"})


def test_moves_of_a_position() -> None:
    assert written(GAME, position_of(MIDDLE)) == {
        *("A4", "B4", "B5"),
        *("A5-A3", "A5-B3", "A5-C5"),
    }


def test_growing_and_what_happened() -> None:
    position = position_of(MIDDLE)
    after, events = play(position, read(position, "b4"))
    assert events == (Event("placed", 0, (cell("B4"),)), Event("turned", 0, (cell("C3"), cell("C4"))))
    assert figure_of(scene(after)).split("\n")[:3] == ["x . . . .", ". x x . .", ". . x . ."]
    drawn = scene(after)
    assert (drawn.marked, drawn.vacated) == ((cell("B4"),), ())
    assert (drawn.captured, drawn.scores) == ((cell("C3"), cell("C4")), (4, 1))


def test_jumping_and_what_happened() -> None:
    position = position_of(MIDDLE)
    after, events = play(position, read(position, "a5-b3"))
    assert events == (
        Event("moved", 0, (cell("A5"), cell("B3"))),
        Event("turned", 0, (cell("C3"), cell("C4"))),
    )
    assert figure_of(scene(after)).split("\n")[:3] == [". . . . .", ". . x . .", ". x x . ."]
    assert (scene(after).marked, scene(after).vacated) == ((cell("B3"),), (cell("A5"),))


def test_a_pass_that_the_rules_force() -> None:
    """Black is shut in, and White moves again."""
    position = position_of(SHUT, 1)
    after, events = play(position, read(position, "c3"))
    assert events[-1] == Event("passed", 0)
    assert to_move(after) == 1
    assert outcome(after) is None


@for_each(
    ("text", "rule"),
    [
        ("f1", infection.THE_BOARD),
        ("e5", infection.GROWING),
        ("c4", infection.GROWING),
        ("a5-b4", infection.JUMPING),
        ("a5-d5", infection.JUMPING),
        ("c4-a4", infection.JUMPING),
        ("a5-c4", infection.JUMPING),
        ("a5-c5-e5", infection.JUMPING),
    ],
)
def test_illegal_moves(text: str, rule: int) -> None:
    with pytest.raises(Illegal) as caught:
        read(position_of(MIDDLE), text)
    assert caught.value.rule == rule


def test_reading() -> None:
    position = position_of(MIDDLE)
    for text in ("a5-c5", "A5 C5", "a5c5"):
        assert write(position, read(position, text)) == "A5-C5"
    assert write(start(2, {}), read(start(2, {}), info.example)) == "B6"
    with pytest.raises(Unfinished):
        read(position, "a5")
    with pytest.raises(Unreadable):
        read(position, "xo")


@pytest.mark.parametrize(
    ("figure", "turn", "text", "ended"),
    [
        (FULL, 0, "c3", Outcome((1, 2), "score", (18, 7))),
        (FULL, 1, "c3", Outcome((2, 1), "score", (9, 16))),
        (FULL.replace("x x x x x\nx x x", "o x x o o\nx x o", 1), 0, "c3", None),
        (MIDDLE.replace("o . .\n. . o", ". . .\n. . o").replace("o\n", ".\n"), 0, "b4", None),
        (MIDDLE.replace(". o\n", ". .\n"), 0, "b4", Outcome((1, 2), "bare", (4, 0))),
    ],
    ids=["full", "the other side", "turned", "goes on", "bare"],
)
def test_endings(figure: str, turn: int, text: str, ended: Outcome | None) -> None:
    after = played(GAME, position_of(figure, turn), text)
    if ended:
        assert outcome(after) == ended
        assert to_move(after) is None
        assert not list(moves(after))
        with pytest.raises(Illegal) as caught:
            read(after, "a1")
        assert caught.value.rule == infection.ENDING


def test_the_third_time_is_a_draw() -> None:
    figure = ". . . . x\n. . . . .\n. . . . .\n. . . . .\no . . . ."
    position = position_of(figure)
    for text in ("e5-e3", "a1-a3", "e3-e5", "a3-a1") * 2:
        assert outcome(position) is None
        position = played(GAME, position, text)
    assert outcome(position) == Outcome((1, 1), "repeated", (1, 1))
    assert played(GAME, position_of(figure, seen=("",) * 5), "d5").seen == ()


def test_fifty_jumps_each_are_a_draw() -> None:
    position = position_of(MIDDLE, seen=tuple(str(number) for number in range(99)))
    assert outcome(position) is None
    assert outcome(played(GAME, position, "a5-a3")) == Outcome((1, 1), "exhausted", (1, 3))
    assert outcome(played(GAME, position, "a4")) is None


def test_the_published_tree() -> None:
    assert [leaves(GAME, start(2, {}), plies) for plies in (1, 2, 3)] == [16, 256, 6460]


@pytest.mark.slow
def test_the_published_tree_deeper() -> None:
    assert leaves(GAME, start(2, {}), 4) == 155888


Stones = dict[tuple[int, int], int]


def slow_moves(stones: Stones, size: int, turn: int) -> dict[tuple[tuple[int, int], ...], Stones]:
    """All moves by places, and what each leads to."""
    found: dict[tuple[tuple[int, int], ...], Stones] = {}
    for (x, y), owner in stones.items():
        if owner != turn:
            continue
        for target in [(a, b) for a in range(x - 2, x + 3) for b in range(y - 2, y + 3)]:
            if target in stones or not (min(target) >= 0 and max(target) < size):
                continue
            is_near = max(abs(target[0] - x), abs(target[1] - y)) == 1
            after = dict(stones)
            if not is_near:
                del after[x, y]
            after[target] = turn
            for a, b in list(after):
                if abs(a - target[0]) <= 1 and abs(b - target[1]) <= 1:
                    after[a, b] = turn
            found[(target,) if is_near else ((x, y), target)] = after
    return found


@pytest.mark.parametrize("plies", [300, pytest.param(20_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("size", [7, 5])
def test_the_slow_engine_agrees(size: int, plies: int) -> None:
    random, count = Random(f"infection {size} {plies}"), 0
    while count < plies:
        position, stones, turn = start(2, {"size": str(size)}), slow_start(size), 0
        while True:
            theirs = slow_moves(stones, size, turn)
            if not theirs and (other := slow_moves(stones, size, 1 - turn)) and len(set(stones.values())) == 2:
                turn, theirs = 1 - turn, other
            owners = list(stones.values())
            ended = outcome(position)
            if ended and ended.reason in ("repeated", "exhausted"):
                break
            if not theirs or len(set(owners)) == 1:
                assert ended is not None
                assert ended.scores == (owners.count(0), owners.count(1))
                assert ended.ranks == tuple(1 + (owners.count(1 - s) > owners.count(s)) for s in (0, 1))
                break
            legal = {tuple(divmod(int(step), size) for step in move): move for move in moves(position)}
            assert to_move(position) == turn
            assert legal.keys() == theirs.keys()
            # Rather grow than jump, or hardly any board is ever full.
            path = random.choice(
                [each for each in legal if len(each) == 1 or random.random() < 0.2] or list(legal)
            )
            position, _ = play(position, legal[path])
            stones, turn = theirs[path], 1 - turn
            count += 1


def slow_start(size: int) -> Stones:
    return {(0, size - 1): 0, (size - 1, 0): 0, (0, 0): 1, (size - 1, size - 1): 1}
