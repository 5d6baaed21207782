"""Hex: chains, the swap, the end; a slow search for chains and a second engine beside ours."""

import re
from pathlib import Path
from random import Random

import pytest

from pbmserv.games import connection
from pbmserv.games.connection import HEX as hex_game  # noqa: N811
from pbmserv.games.game import Event, Illegal, Outcome, Unreadable
from pbmserv.games.hexagons import rhombus
from pbmserv.games.info import BadOption
from pbmserv.games.stones import Position
from tests.every import for_each
from tests.games.second_engine import SecondEngine, play_random_games

RULES = (Path(__file__).parents[2] / "templates" / "en" / "rules" / "hex.txt").read_text("ascii")
SEATS = {"V": 0, "H": 1, ".": 2}


def played(*texts: str, size: str = "11") -> Position:
    position = hex_game.start(2, {"size": size})
    for text in texts:
        position, _ = hex_game.play(position, hex_game.read(position, text))
    return position


def drawn(*rows: str, turn: int = 0) -> Position:
    """A position from its rows, from top to bottom."""
    cells = [row.split() for row in rows]
    stones = bytes(SEATS[row[column]] for column in range(len(cells)) for row in cells)
    return Position(rhombus(len(cells)), stones, turn)


def stones(position: Position) -> dict[str, str]:
    scene = hex_game.scene(position)
    return {scene.board.names[cell]: pieces[0].text for cell, pieces in enumerate(scene.cells) if pieces}


def test_neighbours_are_those_of_the_rules() -> None:
    board = rhombus(11)
    assert {board.names[cell] for cell in board.neighbours[board.numbers["B2"]]} == {
        *("A2", "C2", "B1", "C1", "A3", "B3"),
    }
    figure = re.search(r"( +\. n n  1\n +n V n  2\n +n n \.  3\n)", RULES)
    assert figure is not None


@for_each(
    ("rows", "text", "seat", "is_won"),
    [
        ((". V .", ". . H", "V H ."), "b2", 0, True),  # B1, B2, A3
        (("V . .", ". . H", "H . V"), "b2", 0, False),  # A1 and B2 do not touch, nor B2 and C3
        ((". . H", "V . V", "H . V"), "b2", 1, True),  # C1, B2, A3
        (("H V .", ". . V", "V . H"), "b2", 1, False),  # A1 and B2 do not touch
        (("V . .", "V . H", ". H ."), "a3", 0, True),
        (("V . .", ". . V", "H H ."), "c3", 1, True),
        (("H . .", "H . V", ". V ."), "a3", 1, False),  # that joins the wrong edges
        (("V V .", ". H .", "H . ."), "c1", 0, False),
    ],
)
def test_what_wins(rows: tuple[str, ...], text: str, seat: int, is_won: bool) -> None:
    position = drawn(*rows, turn=seat)
    cell = position.board.numbers[text.upper()]
    after, events = hex_game.play(position, hex_game.read(position, text))
    assert events == (Event("placed", seat, (cell,)),)
    assert hex_game.to_move(after) == (None if is_won else 1 - seat)
    ranks = (1, 2) if seat == 0 else (2, 1)
    assert hex_game.outcome(after) == (Outcome(ranks, "goal") if is_won else None)
    if is_won:
        assert list(hex_game.moves(after)) == []
        with pytest.raises(Illegal) as over:
            hex_game.read(after, text)
        assert over.value.rule == connection.ENDING


def test_the_board_of_the_rules_is_won() -> None:
    rows = re.findall(r"(?m)^ {10,14}([VH.](?: [VH.]){4})  [1-5]$", RULES)
    position = drawn(*rows)
    last = bytearray(position.stones)
    last[position.board.numbers["B3"]] = 2
    before = Position(position.board, bytes(last), 0)
    assert hex_game.outcome(before) is None
    assert hex_game.outcome(hex_game.play(before, hex_game.read(before, "b3"))[0]) == Outcome((1, 2), "goal")


def test_swap_mirrors_the_stone() -> None:
    before = played("e3")
    after, events = hex_game.play(before, hex_game.read(before, "SWAP"))
    old, new = before.board.numbers["E3"], before.board.numbers["C5"]
    assert events == (Event("swapped", 1, (old, new)),)
    assert stones(after) == {"C5": "H"}
    assert hex_game.to_move(after) == 0
    scene = hex_game.scene(after)
    assert (scene.marked, scene.vacated, scene.captured, scene.scores) == ((new,), (old,), (), ())


def test_swap_on_the_diagonal() -> None:
    after = played("f6", "swap")
    assert stones(after) == {"F6": "H"}
    assert hex_game.scene(after).marked == (after.board.numbers["F6"],)
    assert hex_game.scene(after).vacated == ()


@for_each("texts", [(), ("c3", "d3"), ("c3", "swap"), ("c3", "d3", "e3"), ("c3", "swap", "e3")])
def test_swap_is_only_the_second_move(texts: tuple[str, ...]) -> None:
    position = played(*texts)
    assert ("swap",) not in hex_game.moves(position)
    with pytest.raises(Illegal) as illegal:
        hex_game.read(position, "swap")
    assert illegal.value.rule == connection.SWAPPING


def test_moves_that_begin_so() -> None:
    position = played("c3")
    every = list(hex_game.moves(position))
    assert len(every) == 121
    assert every[-1] == ("swap",)
    for move in every:
        assert list(hex_game.moves(position, move)) == [move]
        assert hex_game.read(position, hex_game.write(position, move)) == move
        assert list(hex_game.moves(position, (*move, 5))) == []


@for_each(
    ("text", "rule"),
    [
        ("c3", connection.PLACING),
        ("d4 e5", connection.PLACING),
        ("swap d4", connection.SWAPPING),
        ("l1", connection.THE_BOARD),
        ("a12", connection.THE_BOARD),
    ],
)
def test_illegal(text: str, rule: int) -> None:
    with pytest.raises(Illegal) as illegal:
        hex_game.read(played("c3"), text)
    assert illegal.value.rule == rule


@for_each("text", ["", "pass", "c", "swap!", "c3 please"])
def test_unreadable(text: str) -> None:
    with pytest.raises(Unreadable):
        hex_game.read(played("c3"), text)


def test_options() -> None:
    assert [len(hex_game.start(2, {"size": size}).stones) for size in ("13", "14", "19")] == [169, 196, 361]
    with pytest.raises(BadOption):
        hex_game.start(2, {"size": "12"})


@for_each("size", ["11", "13"])
def test_a_full_board_has_one_winner_as_a_slow_search_finds_it(size: str) -> None:
    random, count = Random(size), int(size)
    for _ in range(4):
        position = hex_game.start(2, {"size": size})
        while hex_game.to_move(position) is not None:
            assert not any(is_joined(position, seat, count) for seat in (0, 1))
            position, _ = hex_game.play(position, random.choice(list(hex_game.moves(position))))
        outcome = hex_game.outcome(position)
        assert outcome is not None
        assert [is_joined(position, seat, count) for seat in (0, 1)] == [rank == 1 for rank in outcome.ranks]


def is_joined(position: Position, seat: int, size: int) -> bool:
    """Grows the stones at the first edge by places (column, row) until nothing is added."""
    places = {divmod(cell, size) for cell, owner in enumerate(position.stones) if owner == seat}
    found = {place for place in places if place[1 - seat] == 0}
    while True:
        grown = {
            (x, y)
            for x, y in places
            if found & {(x, y), (x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1), (x - 1, y + 1), (x + 1, y - 1)}
        }
        if grown == found:
            return any(place[1 - seat] == size - 1 for place in found)
        found = grown


def engine(size: int, *opening: str) -> SecondEngine:
    return SecondEngine(
        hex_game,
        f"hex(num_cols={size},num_rows={size},swap=True)",
        lambda position, move: (hex_game.write(position, move).lower(),),
        {"size": str(size)},
        opening,
    )


def test_second_engine() -> None:
    assert play_random_games(engine(11), 300) >= 3
    assert play_random_games(engine(11, "e3", "swap"), 300) >= 3


@pytest.mark.slow
@for_each("size", [11, 13, 14, 19])
def test_second_engine_at_length(size: int) -> None:
    assert play_random_games(engine(size), 5_000, "at length") >= 10
    assert play_random_games(engine(size, "k2", "swap"), 5_000, "at length") >= 10
