"""Bridges: links, what they cross, borders, the swap, the end; a slow engine and a second one beside ours."""

from collections.abc import Iterable
from dataclasses import replace
from random import Random
from types import SimpleNamespace

import pytest

from pbmserv.games import bridges, games
from pbmserv.games.boards import pegs
from pbmserv.games.bridges import Position, crossing, links_of, moves, play, read, to_move
from pbmserv.games.game import Event, Illegal, Move, Outcome, Unreadable
from pbmserv.games.info import BadOption
from pbmserv.rendering.board_text import draw_sheet
from tests.every import for_each
from tests.games.by_hand import played
from tests.games.second_engine import SecondEngine, play_random_games

GAME = games()["bridges"]


def after(texts: str, size: str = "12") -> Position:
    position: Position = played(GAME, bridges.start(2, {"size": size}), texts)
    return position


def named(position: Position) -> list[str]:
    return [stroke.name for stroke in bridges.scene(position).strokes]


def test_links_come_by_themselves() -> None:
    position = after("e5 j9 f7 j8")
    assert named(position) == ["E5-F7"]
    position, events = play(position, read(position, "d7"))
    numbers = position.board.numbers
    assert events == (Event("placed", 0, (numbers["D7"],)), Event("linked", 0, (numbers["D7"], numbers["E5"])))
    assert named(position) == ["E5-F7", "D7-E5"]


def test_a_link_of_the_other_side_is_in_the_way() -> None:
    # Horizontal's D6-F5 lies across E5-F7 and D7-E5; who is first has the link.
    assert named(after("e5 d6 j9 f5 f7 j3 d7")) == ["D6-F5"]
    assert named(after("e5 d6 j9 j3 f7 f5 d7")) == ["E5-F7", "D7-E5"]


def test_own_links_may_cross() -> None:
    position = after("e5 j9 f7 j8 f5 j7 e7")
    assert named(position) == ["E5-F7", "E7-F5"]
    assert {stroke.text[0][2] for stroke in bridges.scene(position).strokes} == {"X"}


def test_nine_links_cross_one_in_the_middle() -> None:
    board = pegs(12)
    for link in links_of(board)[board.numbers["F6"]]:
        assert len(set(crossing(board, link))) == 9
        assert all(link in crossing(board, other) for other in crossing(board, link))


def test_borders() -> None:
    start = bridges.start(2, {"size": "12"})
    assert {start.board.names[int(move[0])][0] for move in moves(start)} == set("BCDEFGHIJK")
    position = after("f6")
    rows = {position.board.names[move[0]][1:] for move in moves(position) if isinstance(move[0], int)}
    assert rows == {str(row) for row in range(2, 12)}
    for before, text in ((start, "a5"), (start, "l5"), (position, "d1"), (position, "d12")):
        with pytest.raises(Illegal) as illegal:
            read(before, text)
        assert illegal.value.rule == bridges.BORDERS


def test_the_corners_are_no_holes() -> None:
    for text in ("a1", "a12", "l1", "l12", "m5"):
        with pytest.raises(Illegal) as illegal:
            read(bridges.start(2, {"size": "12"}), text)
        assert illegal.value.rule == bridges.THE_BOARD


def test_swap_mirrors_the_peg() -> None:
    before = after("d8")
    position, events = play(before, read(before, "swap"))
    numbers = position.board.numbers
    assert events == (Event("swapped", 1, (numbers["D8"], numbers["H4"])),)
    assert [(cell, owner) for cell, owner in enumerate(position.stones) if owner != 2] == [(numbers["H4"], 1)]
    assert position.turn == 0
    position = after("b1 swap")
    assert position.stones[position.board.numbers["A2"]] == 1
    for texts in ("", "d8 swap", "d8 e8"):
        with pytest.raises(Illegal) as illegal:
            read(after(texts), "swap")
        assert illegal.value.rule == bridges.SWAPPING


LADDER = "e1 a3 f3 b5 e5 c3 f7 d5 e9 k9 f11 k8"


def test_a_chain_of_links_wins() -> None:
    position = after(LADDER)
    assert bridges.outcome(position) is None
    won, events = play(position, read(position, "d12"))
    assert [event.kind for event in events] == ["placed", "linked"]
    assert bridges.outcome(won) == Outcome((1, 2), "goal")
    assert list(moves(won)) == []
    with pytest.raises(Illegal) as over:
        read(won, "g6")
    assert over.value.rule == bridges.ENDING
    # Pegs on both edges that are not linked are not enough.
    apart, _ = play(position, read(position, "e12"))
    assert bridges.outcome(apart) is None


def test_a_full_board_is_a_draw() -> None:
    board = pegs(12)
    stones = bytearray([0]) * len(board.names)
    stones[board.numbers["F6"]] = 2
    position, events = play(Position(board, bytes(stones), turn=1), (board.numbers["F6"],))
    assert [event.kind for event in events] == ["placed"]
    assert bridges.outcome(position) == Outcome((1, 1), "draw")


def test_who_has_no_hole_left_passes() -> None:
    board = pegs(12)
    stones = bytearray([1]) * len(board.names)
    for name in ("F6", "F1", "F12"):
        stones[board.numbers[name]] = 2
    position, events = play(Position(board, bytes(stones), turn=0), (board.numbers["F6"],))
    assert events[-1] == Event("passed", 1)
    assert to_move(position) == 0


def test_how_links_are_drawn() -> None:
    lines = draw_sheet(bridges.scene(after("b3 e9 c1 f7 d2 h8"))).splitlines()
    # B3-C1 is steep, through row 2; B3-D2 is flat, between rows 2 and 3; F7-H8 is flat the other way.
    assert r"     2  .| .\. V . . . . . . . |.  2" in lines
    assert r"         |   \                 |" in lines
    assert r"         |           /         |" in lines


@for_each("text", ["", "pass", "d"])
def test_unreadable(text: str) -> None:
    with pytest.raises(Unreadable):
        read(after("d8"), text)


def test_options() -> None:
    assert [len(bridges.start(2, {"size": size}).stones) for size in ("12", "18", "24")] == [140, 320, 572]
    with pytest.raises(BadOption):
        bridges.start(2, {"size": "20"})


def without_swap(position: Position, begun: Move = ()) -> Iterable[Move]:
    return (move for move in moves(position, begun) if move != ("swap",))


def linked_as_with_pieces(position: Position, seat: int, cell: int) -> tuple[bridges.Link, ...]:
    """Links that cross none at all, as where they are pieces of plastic."""
    stones, board = position.stones, position.board
    return tuple(
        link
        for link in links_of(board)[cell]
        if seat in (stones[link[0]], stones[link[1]]) and not set(crossing(board, link)) & set(position.links)
    )


def has_no_hole(position: Position, _state: object) -> bool:
    """Theirs is a draw as soon as one side has no hole left; with us it passes then."""
    return not any(bridges.moves(replace(position, turn=1 - (position.turn or 0))))


def moves_of_theirs(position: Position, begun: Move = ()) -> Iterable[Move]:
    """A peg on the first side's own edges they cannot swap, since that hole is closed to the second."""
    is_on_edge = any(cell in edge for cell in position.last for edge in bridges.goals(position.board)[0])
    return (move for move in moves(position, begun) if move != ("swap",) or not is_on_edge)


def engine(size: int) -> SecondEngine:
    """They have no links that cross, and write a swap as the hole of the peg that is swapped."""
    ours = SimpleNamespace(**{**vars(bridges), "moves": moves_of_theirs})

    def names(position: Position, move: Move) -> tuple[str]:
        cell = position.last[0] if move == ("swap",) else int(move[0])
        return (f"{'xo'[position.turn or 0]}{position.board.names[cell].lower()}",)

    return SecondEngine(ours, f"twixt(board_size={size})", names, {"size": str(size)}, their_limit=has_no_hole)


def test_second_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bridges, "_linked", linked_as_with_pieces)
    assert play_random_games(engine(12), 250) >= 2


@pytest.mark.slow
@pytest.mark.parametrize("size", [12, 18, 24])
def test_second_engine_at_length(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bridges, "_linked", linked_as_with_pieces)
    assert play_random_games(engine(size), 7_000, "at length") >= 10


Place = tuple[int, int]


def slow_links(size: int, pegs_in_order: list[tuple[Place, int]]) -> set[frozenset[Place]]:
    """Links by geometry with fractions of a hole: two cross where they have a point in common that is no end."""
    links: list[tuple[frozenset[Place], int]] = []
    owners: dict[Place, int] = {}
    for (x, y), owner in pegs_in_order:
        owners[x, y] = owner
        for dx in (-2, -1, 1, 2):
            for dy in (-2, -1, 1, 2):
                other = (x + dx, y + dy)
                if abs(dx) == abs(dy) or owners.get(other) != owner:
                    continue
                link = frozenset({(x, y), other})
                if not any(each != owner and slow_cross(link, old) for old, each in links):
                    links.append((link, owner))
    return {link for link, _ in links}


def slow_cross(one: frozenset[Place], other: frozenset[Place]) -> bool:
    """Solves for the point where the lines meet."""
    (ax, ay), (bx, by) = one
    (cx, cy), (dx, dy) = other
    below = (bx - ax) * (dy - cy) - (by - ay) * (dx - cx)
    if below == 0:
        return False
    along = ((cx - ax) * (dy - cy) - (cy - ay) * (dx - cx)) / below
    across = ((cx - ax) * (by - ay) - (cy - ay) * (bx - ax)) / below
    return 1e-9 < along < 1 - 1e-9 and 1e-9 < across < 1 - 1e-9


@pytest.mark.parametrize(
    ("size", "games_played"),
    [("12", 1), *(pytest.param(size, 8, marks=pytest.mark.slow) for size in ("18", "24"))],
)
def test_a_slow_engine_finds_the_same_links(size: str, games_played: int) -> None:
    for number in range(games_played):
        random, position = Random(f"{size} {number}"), bridges.start(2, {"size": size})
        placed: list[tuple[Place, int]] = []
        while (seat := to_move(position)) is not None:
            (cell,) = random.choice(list(without_swap(position)))
            name = position.board.names[int(cell)]
            placed.append(((ord(name[0]), int(name[1:])), seat))
            position, _ = play(position, (cell,))
        found = {
            frozenset((ord(name[0]), int(name[1:])) for name in stroke.name.split("-"))
            for stroke in bridges.scene(position).strokes
        }
        assert found == slow_links(int(size), placed)
