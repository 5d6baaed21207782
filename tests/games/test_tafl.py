"""The rules of the tafl games as drawn positions, and a slow engine of their own that plays along."""

from random import Random
from typing import Any

import pytest

from pbmserv.games import tafl as rules
from pbmserv.games.defaults import Position
from pbmserv.games.game import Event, Illegal, Outcome, Unreadable
from pbmserv.games.info import BadOption
from pbmserv.games.tafl import Tafl, brandubh, hnefatafl, tablut
from tests.every import for_each
from tests.games.by_hand import assert_end_before_limit, cells_of, figure_of, leaves, played, written
from tests.games.slow_tafl import SlowSiege, slow_siege

GAME: Any = brandubh
TABLUT: Any = tablut
LARGE: Any = hnefatafl
EVERY = [brandubh, tablut, hnefatafl]


def position_of(figure: str, turn: int = 0, game: Any = GAME, **more: Any) -> Position:
    board = game.start(2, {}).board
    return Position(board, "".join(cells_of(board, figure)), turn, **more)


OPEN = """
. . . x . . .
. . . . . . .
. o . x . . .
x . . . o . x
. . . K . . .
. . x . . x .
. . . . . . .
"""
CAPTURES = """
. . . . . . .
. . . x . . .
. . . o . . .
x o . o x . .
. . . . . . .
K . . . . . .
. . x . . . x
"""
NEAR_THE_CORNER = """
. o . x . . .
. . . . . . .
. . . . . . .
. . . . . K .
. . . . . . .
. . . . . . .
. . x . . . .
"""
HUNTED = """
. . . . . . .
. x . . . . .
. K . . . . .
. . . . . . .
. x . . . . .
. . . . . . o
. . . . . . .
"""
ON_THE_THRONE = """
. . . . . . .
. . . . . . .
. . . x . . .
. . x K . x .
. . . x . . .
. . . . . . .
o . . . . . .
"""
BESIDE_THE_THRONE = """
. . . . . . .
. . . x . . .
. . x K . . x
. . . . . . .
. . . . . . .
. . . . . . .
o . . . . . .
"""
RING = """
. . . . . . .
. . . x . . .
. . x . x . .
. x o K . . x
. . x . x . .
. . . x . . .
. . . . . . .
"""


@for_each(("game", "attackers", "defenders"), [(brandubh, 8, 4), (tablut, 16, 8), (hnefatafl, 24, 12)])
def test_the_start(game: Tafl, attackers: int, defenders: int) -> None:
    start = game.start(2, {})
    assert (start.cells.count("x"), start.cells.count("o")) == (attackers, defenders)
    assert start.cells[rules.throne(start.board)] == "K"
    assert game.to_move(start) == 0
    assert game.scene(start).cells[rules.throne(start.board)][0].kind == "king"
    with pytest.raises(BadOption):
        game.start(2, {"size": "8"})


def test_moves() -> None:
    position = position_of(OPEN, 1)
    assert {text for text in written(GAME, position) if text[:2] == "D3"} == {
        f"D3-{to}" for to in ["A3", "B3", "C3", "E3", "F3", "G3", "D1", "D2", "D4"]
    }
    # Men pass over the throne, and stop on no corner.
    assert {text for text in written(GAME, position) if text[:2] == "E4"} == {
        f"E4-{to}" for to in ["B4", "C4", "F4", "E1", "E2", "E3", "E5", "E6", "E7"]
    }
    assert {text for text in written(GAME, position_of(OPEN)) if text[:2] == "D7"} == {
        f"D7-{to}" for to in ["B7", "C7", "E7", "F7", "D6"]
    }
    assert "A9-A1" not in written(TABLUT, TABLUT.start(2, {}))
    assert "D9-A9" in written(TABLUT, TABLUT.start(2, {}))


def test_captures() -> None:
    position = position_of(CAPTURES)
    after, events = brandubh.play(position, brandubh.read(position, "c1-c4"))
    cells = position.board.numbers
    assert events == (
        Event("moved", 0, (cells["C1"], cells["C4"])),
        Event("captured", 1, (cells["B4"],)),
        Event("captured", 1, (cells["D4"],)),
    )
    assert set(brandubh.scene(after).captured) == {cells["B4"], cells["D4"]}
    assert after.seen == ()


def test_whoever_steps_between_two_is_safe() -> None:
    figure = ". . . . . . .\n" * 5 + "x . x . . . K\n. o . . . . ."
    after = played(GAME, position_of(figure, 1), "b1-b2")
    assert after.cells.count("o") == 1


def test_a_corner_helps_to_capture_and_the_king_captures_too() -> None:
    after = played(GAME, position_of(NEAR_THE_CORNER), "d7-c7")
    assert "o" not in after.cells
    figure = ". . . . . . .\n" * 5 + ". . . . . . .\n. x . K . . ."
    assert "x" not in played(GAME, position_of(figure, 1), "d1-c1").cells
    # In tablut there are no such corners.
    figure = ". . . . . . . . .\n" * 7 + ". . . K . . . . .\n. x . o . . . . ."
    assert "x" in played(TABLUT, position_of(figure, 1, TABLUT), "d1-c1").cells


def beside_the_throne(man: str, hunter: str, on_throne: str) -> str:
    """A man west of the throne, and a hunter that comes to its other side by b2-b4."""
    king = "." if on_throne == "K" else "K"
    rows = [
        *[". . . . . . ."] * 3,
        f". . {man} {on_throne} . . .",
        ". . . . . . .",
        f". {hunter} . . . . .",
        f". . . . {king} . x",
    ]
    return "\n".join(rows)


@for_each(("on_throne", "left"), [(".", 0), ("K", 1)])
def test_the_throne_helps_against_defenders_while_it_is_empty(on_throne: str, left: int) -> None:
    after = played(GAME, position_of(beside_the_throne("o", "x", on_throne)), "b2-b4")
    assert after.cells.count("o") == left


@for_each("on_throne", [".", "K"])
def test_the_throne_helps_against_attackers_always(on_throne: str) -> None:
    after = played(GAME, position_of(beside_the_throne("x", "o", on_throne), 1), "b2-b4")
    assert after.cells.count("x") == 1


@for_each(
    ("game", "figure", "text", "ended"),
    [
        (GAME, HUNTED, "b3-b4", Outcome((1, 2), "king")),
        (GAME, ON_THE_THRONE, "f4-e4", Outcome((1, 2), "king")),
        (GAME, ON_THE_THRONE.replace("x K", ". K"), "f4-e4", None),
        (GAME, BESIDE_THE_THRONE, "g5-e5", Outcome((1, 2), "king")),
        (GAME, BESIDE_THE_THRONE.replace("x K", ". K"), "g5-e5", None),
        (GAME, BESIDE_THE_THRONE.replace(". . . x . . .", ". . . . . . ."), "g5-e5", None),
        (GAME, RING, "g4-f4", Outcome((1, 2), "goal")),
        (GAME, RING.replace("x o", "x ."), "c5-b5", None),
    ],
)
def test_the_king_is_lost(game: Any, figure: str, text: str, ended: Outcome | None) -> None:
    after = played(game, position_of(figure, 0, game), text)
    assert game.outcome(after) == ended
    if ended:
        assert game.to_move(after) is None
        assert not list(game.moves(after))
        with pytest.raises(Illegal) as caught:
            game.read(after, "a1-a2")
        assert caught.value.rule == rules.ENDING


def large(figure: str) -> str:
    """A figure of seven rows in the lower left of a board of eleven."""
    return "\n".join(
        [". . . . . . . . . . ."] * 4 + [f"{row.strip()} . . . ." for row in figure.strip().split("\n")]
    )


def test_a_strong_king_is_taken_from_four_sides_and_not_at_the_edge() -> None:
    two = played(LARGE, position_of(large(HUNTED), 0, LARGE), "b3-b4")
    assert LARGE.outcome(two) is None
    four = HUNTED.replace(". K . . . . .", "x K x . . . .")
    assert LARGE.outcome(played(LARGE, position_of(large(four), 0, LARGE), "b3-b4")) == Outcome((1, 2), "king")
    figure = ". . . . . . .\n" * 3 + "x . . . . . .\nK x . . . . .\n. . . . . . .\nx . . . . . o"
    assert LARGE.outcome(played(LARGE, position_of(large(figure), 0, LARGE), "a1-a2")) is None


@for_each(
    ("game", "turn", "text", "ended"),
    [
        (GAME, 1, "f4-f7", None),
        (GAME, 1, "f4-f7 c1-c2 f7-g7", Outcome((2, 1), "goal")),
        (TABLUT, 1, "f4-f7", None),
        (TABLUT, 1, "f4-i4", Outcome((2, 1), "goal")),
    ],
)
def test_where_the_king_escapes(game: Any, turn: int, text: str, ended: Outcome | None) -> None:
    figure = NEAR_THE_CORNER.replace(". o . x . . .", ". o . . . . .")
    if game is TABLUT:
        figure = "\n".join([". . . . . . . . ."] * 2 + [f"{row} . ." for row in figure.strip().split("\n")])
    assert game.outcome(played(game, position_of(figure, turn, game), text)) == ended


def test_whoever_cannot_move_loses() -> None:
    figure = """
    . . . . . . .
    x . . . . . .
    K . x . . . .
    x . . . . . .
    . . . . . . .
    . . . . . . .
    . . . . . . .
    """
    after = played(GAME, position_of(figure), "c5-b5")
    assert GAME.outcome(after) == Outcome((1, 2), "blocked")
    assert_end_before_limit(GAME, after)
    bare = ". . . . . . .\n" * 5 + "o x . o . . .\n. . . K . . ."
    assert GAME.outcome(played(GAME, position_of(bare, 1), "d2-c2")) == Outcome((2, 1), "blocked")


def test_the_third_time_is_a_draw() -> None:
    position = position_of(OPEN)
    for text in ("d7-e7", "e4-f4", "e7-d7", "f4-e4") * 2:
        assert brandubh.outcome(position) is None
        position = played(GAME, position, text)
    assert brandubh.outcome(position) == Outcome((1, 1), "repeated")


def test_fifty_moves_each_without_a_capture_are_a_draw() -> None:
    position = position_of(CAPTURES, seen=tuple(map(str, range(99))))
    assert brandubh.outcome(position) is None
    assert brandubh.outcome(played(GAME, position, "g1-f1")) == Outcome((1, 1), "exhausted")
    assert brandubh.outcome(played(GAME, position, "c1-c4")) is None


@for_each(
    ("turn", "text", "rule"),
    [
        (0, "h3", rules.THE_BOARD),
        (0, "d3-d2", rules.OWN_PIECE),
        (1, "d7-e7", rules.OWN_PIECE),
        (0, "a4-e4", rules.MOVING),
        (0, "d7-c6", rules.MOVING),
        (0, "d7-a7", rules.RESTRICTED),
        (0, "d5-d4", rules.RESTRICTED),
        (1, "e4-d4", rules.RESTRICTED),
    ],
)
def test_illegal_moves(turn: int, text: str, rule: int) -> None:
    with pytest.raises(Illegal) as caught:
        brandubh.read(position_of(OPEN, turn), text)
    assert caught.value.rule == rule


@for_each("game", EVERY)
def test_reading(game: Any) -> None:
    start = game.start(2, {})
    assert game.write(start, game.read(start, game.info.example)).lower() == game.info.example
    with pytest.raises(Unreadable):
        game.read(start, "king")


def slow_of(game: Tafl) -> SlowSiege:
    return slow_siege(game.rows, game.has_corners, game.is_strong)


@pytest.mark.parametrize("game", EVERY)
@pytest.mark.parametrize("plies", [60, pytest.param(5_000, marks=pytest.mark.slow)])
def test_the_slow_engine_agrees(game: Tafl, plies: int) -> None:
    random, count = Random(f"{game.info.name} {plies}"), 0
    size = len(game.rows)
    while True:
        position, slow = game.start(2, {}), slow_of(game)
        while True:
            ended = game.outcome(position)
            if ended and ended.reason in ("repeated", "exhausted"):
                break
            assert {divmod(cell, size): man for cell, man in enumerate(position.cells) if man != "."} == slow.men
            legal = {tuple(divmod(int(step), size) for step in move): move for move in game.moves(position)}
            theirs = slow.legal()
            assert legal.keys() == theirs.keys()
            assert bool(ended) == (not theirs)
            if ended:
                said = {"king": "king", "escape": "goal", "ring": "goal", "": "blocked"}[slow.over()]
                assert ended.reason == said
                assert (ended.ranks == (2, 1)) == (
                    slow.over() == "escape" or (not slow.over() and slow.attackers_turn)
                )
                break
            if count == plies:
                return
            count += 1
            path = random.choice(list(legal))
            position, slow = game.play(position, legal[path])[0], theirs[path]  # type: ignore[index]


def slow_leaves(slow: SlowSiege, plies: int) -> int:
    return 1 if plies == 0 else sum(slow_leaves(after, plies - 1) for after in slow.legal().values())


@for_each(("game", "counts"), [(brandubh, [40, 960]), (tablut, [80, 4400]), (hnefatafl, [116, 6788])])
def test_the_tree(game: Any, counts: list[int]) -> None:
    assert [leaves(game, game.start(2, {}), plies) for plies in (1, 2)] == counts


@pytest.mark.slow
@for_each("game", EVERY)
def test_the_tree_deeper(game: Any) -> None:
    plies = 3 if game is not hnefatafl else 2
    assert leaves(game, game.start(2, {}), plies) == slow_leaves(slow_of(game), plies)


def test_the_scene() -> None:
    assert figure_of(brandubh.scene(brandubh.start(2, {}))).split("\n")[2:4] == [". . . o . . .", "x x o K o x x"]
