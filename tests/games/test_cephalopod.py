"""The rules of Cephalopod as drawn positions."""

import pytest

from pbmserv.games import cephalopod
from pbmserv.games.cephalopod import info, moves, outcome, play, read, scene, start, to_move, write
from pbmserv.games.game import Event, ManySeats, Outcome, Piece
from pbmserv.games.info import BadOption
from tests.every import for_each
from tests.games.drawing import draw_board, draw_cells, read_figures
from tests.games.positions import (
    A_FIVE_AND_A_ONE,
    ALL_FOUR,
    CENTRE,
    CHOSEN,
    DIAGONAL,
    ONLY_ONE,
    OWN_DICE,
    RULES_TEXT,
    THE_END,
    TOO_MUCH,
    almost_full,
    drawn,
    eliminated,
    play_text,
    position_of,
    texts_of,
    texts_on,
)

SIZES, VARIANTS = info.options[0].choices, info.options[0].variants

GAME: ManySeats = cephalopod
"""Says to the type checker that the module answers the questions of a game."""


# A ply: paragraphs 1 to 6 of the rules text.


@pytest.mark.parametrize(
    ("figure", "turn", "text", "stored"),
    [
        (CENTRE, 0, "b2", "B2xB3,C2"),
        (ALL_FOUR, 1, "b2xa2,b1,b3,c2", "B2xA2,B1,B3,C2"),
        (CHOSEN, 1, "b3xa3,b2", "B3xA3,B2"),
        (TOO_MUCH, 1, "c2", "C2"),
        (DIAGONAL, 0, "b2", "B2"),
        (ONLY_ONE, 1, "b2", "B2"),
        (OWN_DICE, 0, "b2", "B2xA2,B3"),
        (A_FIVE_AND_A_ONE, 1, "b2", "B2xA2,B3"),
    ],
    ids=["centre", "all four", "chosen", "too much", "diagonal", "only one", "own dice", "a five and a one"],
)
def test_worked_cases(figure: str, turn: int, text: str, stored: str) -> None:
    ((before, after),) = read_figures(figure)
    position = position_of(before, turn)
    move = read(position, text)
    assert write(position, move) == stored
    reached, events = play(position, move)
    assert draw_cells(scene(reached)) == draw_cells(scene(position_of(after)))
    assert to_move(reached) == 1 - turn
    assert len(events) == len(move)


@pytest.mark.parametrize(
    ("figure", "square", "choices"),
    [
        (CENTRE, "B2", {"B2xB3,C2"}),
        (CHOSEN, "B3", {"B3xA3,B2", "B3xA3,C3", "B3xB2,C3", "B3xA3,B2,C3"}),
        (TOO_MUCH, "C2", {"C2"}),
        (ALL_FOUR, "C1", {"C1xB1,C2"}),
        (A_FIVE_AND_A_ONE, "B2", {"B2xA2,B3"}),
    ],
    ids=["centre", "chosen", "too much", "all four", "a five and a one"],
)
def test_every_capture_set_may_be_chosen(figure: str, square: str, choices: set[str]) -> None:
    ((before, _),) = read_figures(figure)
    assert set(texts_on(position_of(before), square)) == choices


def test_another_square_may_be_chosen_where_nothing_is_captured() -> None:
    ((before, _),) = read_figures(CENTRE)
    assert texts_of(position_of(before)) == ["A1", "A2", "A3", "B1", "B2xB3,C2", "C1", "C3xB3,C2"]


def test_figures_in_the_rules_text_are_legal_plies() -> None:
    figures = read_figures(RULES_TEXT.read_text("ascii"))
    assert figures == [
        figure for text in (CENTRE, ALL_FOUR, CHOSEN, TOO_MUCH, THE_END) for figure in read_figures(text)
    ]
    for before, after in figures:
        wanted = draw_cells(scene(position_of(after)))
        positions = [position_of(before, turn) for turn in (0, 1)]
        reached = [play(position, move)[0] for position in positions for move in moves(position)]
        assert [draw_cells(scene(each)) for each in reached].count(wanted) == 1


def test_the_last_figure_is_the_end_of_a_game() -> None:
    """Of one that can be played on the short board."""
    ((before, after),) = read_figures(THE_END)
    position = start(2, {"size": "3x5"})
    played = (
        "c4 a2 b4 a3 c3 b2 c5 c1 a5 b3xa3,c3 a1 c2xb2,c1 b1 c3xb3,c4 a3 b3xa3,b4,c3 c3 b4 b5xa5,c5 a5 c5 "
        "b2xb1,c2 c4xb4,c5 a4 c1 b4xb5,c4 c5 a3xa2,a4 b5xa5,b4 b4 a2xa3,b2 a5 a3 b2 c2xb2,c1,c3 b1 c3 "
        "c1xb1,c2 b2 a4xa3,a5 c4xc3,c5 c5 a3 c3 a5 c2xc1,c3 c1 b1xb2,c1 b2 c3 c1"
    )
    *plies, last = played.split()
    for text in plies:
        position, _ = play_text(position, text)
    assert draw_cells(scene(position)) == draw_cells(scene(position_of(before)))
    position, _ = play_text(position, last)
    assert draw_cells(scene(position)) == draw_cells(scene(position_of(after)))
    assert outcome(position) == Outcome((1, 2), "score", (8, 7))


def test_events_of_a_capture() -> None:
    ((before, _),) = read_figures(ALL_FOUR)
    position = position_of(before, 1)
    a2, b1, b2, b3, c2 = (position.board.numbers[name] for name in ("A2", "B1", "B2", "B3", "C2"))
    _, events = play_text(position, "b2 x b1, b3, a2, c2")
    assert events == (
        Event("placed", 1, (b2,), "6"),
        Event("captured", 1, (a2,), "1"),
        Event("captured", 0, (b1,), "1"),
        Event("captured", 1, (b3,), "1"),
        Event("captured", 0, (c2,), "3"),
    )


def test_the_first_plies() -> None:
    position = start(2, {})
    assert (to_move(position), outcome(position), len(texts_of(position))) == (0, None, 25)
    for text in ("c3", "c4", "d3", "d4"):
        position, events = play_text(position, text)
    c4, d3, d4 = (position.board.numbers[name] for name in ("C4", "D3", "D4"))
    assert events == (
        Event("placed", 1, (d4,), "2"),
        Event("captured", 1, (c4,), "1"),
        Event("captured", 0, (d3,), "1"),
    )
    assert draw_board(scene(position)) == "\n".join(
        [
            "        A   B   C   D   E",
            "    5  ... ... ... ... ...  5",
            "    4  ... ... ... <2> ...  4",
            "    3  ... ... (1) ... ...  3",
            "    2  ... ... ... ... ...  2",
            "    1  ... ... ... ... ...  1",
            "        A   B   C   D   E",
        ]
    )
    assert position.last == (18, 13, 17)


# The end and elimination: paragraphs 7 to 9, 11 and 12.


def test_most_dice_win_and_pips_do_not_count() -> None:
    position = drawn("""
        (1) (1) (1)
        (1) <6> <6>
        <6> <6> ...
    """)
    after, events = play_text(position, "c1")
    assert events == (Event("placed", 0, (6,), "1"),)
    assert to_move(after) is None
    assert outcome(after) == Outcome((1, 2), "score", (5, 4))
    assert texts_of(after) == []


@for_each(
    ("counts", "ranks"),
    [
        ([9, 8, 8], (1, 2, 2)),
        ([8, 9, 8], (2, 1, 2)),
        ([13, 12], (1, 2)),
        ([10, 8, 7], (1, 2, 3)),
        ([0, 12, 13], (3, 2, 1)),
        ([5, 4, 4, 4, 4, 4], (1, 2, 2, 2, 2, 2)),
    ],
)
def test_the_highest_count_wins_though_it_be_less_than_half(counts: list[int], ranks: tuple[int, ...]) -> None:
    for filler, count in enumerate(counts):
        if count:
            after, events = play_text(almost_full(counts, filler), "a1")
            assert eliminated(events) == []
            assert to_move(after) is None
            assert outcome(after) == Outcome(ranks, "score", tuple(counts))


@for_each(
    ("counts", "out", "turns"),
    [
        ([6, 6, 5, 4, 4], [[3, 4]], [1, 2, 0, 0, 0]),
        ([10, 10, 5], [[2]], [1, 0, 0]),
        ([5, 10, 10], [[0]], [1, 2, 1]),
        ([10, 5, 10], [[1]], [2, 2, 0]),
        ([12, 12, 1, 0], [[3], [2]], [1, 0, 0]),
        ([0, 12, 1, 12], [[0], [2]], [None, 3, 3, 1]),
        ([0, 0, 12, 1, 12], [[0, 1], [3]], [None, None, 4, 4, 2]),
        ([7, 7, 7, 4, 0, 0], [[4, 5], [3]], [1, 2, 0, 0]),
    ],
)
def test_all_who_share_the_last_place_are_eliminated(
    counts: list[int], out: list[list[int]], turns: list[int | None]
) -> None:
    """`turns` has who is on turn afterwards, for each seat that may have filled the board."""
    losers = [seat for group in out for seat in group]
    for filler, turn in enumerate(turns):
        if turn is None:
            continue
        before = almost_full(counts, filler)
        after, events = play_text(before, "a1")
        assert events == (Event("placed", filler, (0,), "1"), *(Event("eliminated", loser) for loser in losers))
        assert to_move(after) == turn
        assert outcome(after) is None
        assert list(after.playing) == [seat for seat in range(len(counts)) if seat not in losers]
        assert [list(group) for group in after.gone] == out
        assert scene(after).scores == tuple(0 if seat in losers else count for seat, count in enumerate(counts))
        assert after.pips.count(0) == after.owners.count(None) == sum(counts[seat] for seat in losers)


def test_the_others_play_on_after_an_elimination() -> None:
    position = drawn(
        """
        (6) (6) (6)
        <6> <6> <6>
        [6] [6] ...
        """,
        turn=2,
        seats=4,
    )
    after, events = play_text(position, "c1")
    assert eliminated(events) == [3]
    assert outcome(after) == Outcome((1, 1, 1, 4), "draw", (3, 3, 3, 0))

    position = drawn(
        """
        (6) (6) (6)
        <6> <6> <6>
        [6] {6} ...
        """,
        turn=2,
        seats=4,
    )
    after, events = play_text(position, "c1")
    assert eliminated(events) == [3]
    assert to_move(after) == 0
    after, events = play_text(after, "b1")
    assert events == (Event("placed", 0, (3,), "1"),)
    assert outcome(after) == Outcome((1, 2, 3, 4), "score", (4, 3, 2, 0))


@for_each(
    ("counts", "size", "ranks"),
    [
        ([3, 3, 3], "3x3", (1, 1, 1)),
        ([5, 5, 5], "3x5", (1, 1, 1)),
        ([5, 5, 5, 5, 5], "5x5", (1, 1, 1, 1, 1)),
        ([5, 5, 5, 5, 5, 0], "5x5", (1, 1, 1, 1, 1, 6)),
        ([0, 5, 5, 0, 5], "3x5", (4, 1, 1, 4, 1)),
    ],
)
def test_a_draw_of_all_who_remain(counts: list[int], size: str, ranks: tuple[int, ...]) -> None:
    for filler, count in enumerate(counts):
        if count:
            after, _ = play_text(almost_full(counts, filler, size), "a1")
            assert to_move(after) is None
            assert outcome(after) == Outcome(ranks, "draw", tuple(counts))


# Leaving: paragraphs 13 and 14.

THREE = """
    (1) <2> [3]
    ... (1) ...
    [1] ... <1>
"""


@for_each(
    ("turn", "leaver", "next_turn", "cells"),
    [
        (0, 0, 1, "... <2> [3]\n... ... ...\n[1] ... <1>"),
        (1, 0, 1, "... <2> [3]\n... ... ...\n[1] ... <1>"),
        (0, 2, 0, "(1) <2> ...\n... (1) ...\n... ... <1>"),
        (2, 2, 0, "(1) <2> ...\n... (1) ...\n... ... <1>"),
        (1, 1, 2, "(1) ... [3]\n... (1) ...\n[1] ... ..."),
        (2, 1, 2, "(1) ... [3]\n... (1) ...\n[1] ... ..."),
    ],
)
def test_the_dice_of_who_leaves_go_too(turn: int, leaver: int, next_turn: int, cells: str) -> None:
    after, events = cephalopod.leave(drawn(THREE, turn, seats=3), leaver)
    assert events == (Event("left", leaver),)
    assert to_move(after) == next_turn
    assert draw_cells(scene(after)) == cells
    assert outcome(after) is None


def test_the_seat_of_who_left_is_passed_over() -> None:
    position, _ = cephalopod.leave(start(3, {}), 1)
    turns = []
    for text in ("a1", "a5", "e1", "e5"):
        turns.append(to_move(position))
        position, _ = play_text(position, text)
    assert turns == [0, 2, 0, 2]


def test_the_last_one_wins() -> None:
    position, _ = cephalopod.leave(drawn(THREE, 0, seats=3), 2)
    position, events = cephalopod.leave(position, 0)
    assert events == (Event("left", 0),)
    assert to_move(position) is None
    assert texts_of(position) == []
    assert outcome(position) == Outcome((2, 1, 3), "alone", (0, 2, 0))


@for_each("turn", [0, 1])
@for_each("leaver", [0, 1])
def test_in_a_game_of_two_the_other_wins_at_once_and_the_board_stays(turn: int, leaver: int) -> None:
    before = drawn("(1) <2> ...\n... (1) ...\n... ... ...", turn)
    after, events = cephalopod.leave(before, leaver)
    assert events == (Event("left", leaver),)
    assert to_move(after) is None
    assert outcome(after) == Outcome((2, 1) if leaver == 0 else (1, 2), "alone", (2, 1))
    assert draw_cells(scene(after)) == draw_cells(scene(before))


def test_ranks_after_eliminations_and_leavings() -> None:
    position = almost_full([6, 6, 5, 4, 4, 0], 0)
    position, _ = cephalopod.leave(position, 5)
    position, events = play_text(position, "a1")
    assert eliminated(events) == [3, 4]
    position, _ = cephalopod.leave(position, 1)
    position, _ = cephalopod.leave(position, 2)
    assert outcome(position) == Outcome((1, 3, 2, 4, 4, 6), "alone", (6, 0, 0, 0, 0, 0))


# Options.


@for_each(
    ("size", "columns", "rows"),
    [("5x5", "ABCDE", 5), ("3x5", "ABC", 5), ("5X3", "ABCDE", 3), ("9x7", "ABCDEFGHI", 7)],
)
def test_sizes(size: str, columns: str, rows: int) -> None:
    board = scene(start(2, {"size": size})).board
    assert board.names == tuple(f"{column}{row + 1}" for column in columns for row in range(rows))


def test_only_the_boards_of_the_rule_sheet_are_no_variants() -> None:
    assert SIZES == ("5x5", "3x5")
    for size in VARIANTS:
        assert len(start(2, {"size": size}).pips) == int(size[0]) * int(size[2])


def test_all_sizes_are_there_and_no_other_is_taken() -> None:
    assert sorted(SIZES + VARIANTS) == [f"{columns}x{rows}" for columns in (3, 5, 7, 9) for rows in (3, 5, 7, 9)]
    for value in ("4x4", "5", "5x", "x5", "11x11", "5x5x5", "5 x 5", "05x5", "5\u00d75", "\u0665x5"):
        with pytest.raises(BadOption) as bad:
            start(2, {"size": value})
        assert (bad.value.name, bad.value.value, bad.value.choices) == ("size", value, SIZES)
    with pytest.raises(BadOption) as bad:
        start(2, {"size": "3x5", "colour": "red"})
    assert (bad.value.name, bad.value.value, bad.value.choices) == ("colour", "red", ())


# What there is to draw.


def test_scene() -> None:
    ((before, _),) = read_figures(CHOSEN)
    position, _ = play_text(position_of(before, 1), "b3xa3,b2")
    seen = scene(position)
    a3, b2, b3 = (seen.board.numbers[name] for name in ("A3", "B2", "B3"))
    assert (seen.marked, seen.vacated, seen.captured, seen.scores) == ((b3,), (), (a3, b2), (1, 2))
    assert seen.cells[b3] == (Piece(1, "<2>", "die", 2),)
    assert seen.cells[a3] == seen.cells[b2] == ()
    assert seen.board.sheet.width == 3
    empty = scene(start(2, {}))
    assert (empty.marked, empty.captured, empty.scores, set(empty.cells)) == ((), (), (0, 0), {()})


@for_each(("seat", "piece"), list(enumerate(["(1)", "<1>", "[1]", "{1}", "/1/", "|1|"])))
def test_sides(seat: int, piece: str) -> None:
    position = start(6, {})
    for square in ("a1", "a3", "a5", "c1", "c3", "c5")[: seat + 1]:
        position, events = play_text(position, square)
    (placed,) = events
    assert placed == Event("placed", seat, placed.cells, "1")
    assert [each.text for each in scene(position).cells[placed.cells[0]]] == [piece]
    assert [side.name for side in info.sides] == ["Paren", "Angle", "Square", "Brace", "Slash", "Bar"]
