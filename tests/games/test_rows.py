"""So many in a row: what wins, drops, pairs and double turns, draws; counted trees."""

import re
from itertools import islice
from pathlib import Path

import pytest

from pbmserv.games.game import Event, Illegal, Outcome, Unfinished, Unreadable
from pbmserv.games.info import BadOption
from pbmserv.games.rows import ENDING, PLACING, SPECIAL, THE_BOARD, Position, RowGame, games
from tests.every import for_each

RULES = Path(__file__).parents[2] / "templates" / "en" / "rules"
GOMOKU, FOUR, CONNECT6, PAIRS, TIC_TAC_TOE = games


def play(game: RowGame, texts: str, position: Position | None = None) -> Position:
    position = position or game.start(2, {})
    for text in texts.split():
        position, _ = game.play(position, game.read(position, text))
    return position


def drawn(game: RowGame, rows: list[str], turn: int = 0) -> Position:
    """A position from rows, from top to bottom, somewhere near the middle of the board."""
    start = game.start(2, {})
    height = len(start.board.layout.rows)
    stones, at = bytearray(start.stones), (height - len(rows)) // 2
    for row, line in enumerate(reversed(rows)):
        for column, mark in enumerate(line.split()):
            stones[(column + at) * height + row + at] = "xo+".index(mark.replace(".", "+"))
    return Position(start.board, bytes(stones), turn, last=(0,))


def cell_at(game: RowGame, rows: list[str], column: int, row: int) -> int:
    height = len(game.start(2, {}).board.layout.rows)
    at = (height - len(rows)) // 2
    return (column + at) * height + len(rows) - 1 - row + at


def figures(name: str) -> tuple[list[str], list[str]]:
    """The lines of the figures before and after a move, in a rules text."""
    pairs = re.findall(
        r"(?m)^    ([xo+](?: [xo+])+)     ([xo+](?: [xo+])+)$", (RULES / f"{name}.txt").read_text("ascii")
    )
    assert pairs
    return [before for before, _ in pairs], [after for _, after in pairs]


def refused(game: RowGame, position: Position, text: str) -> int:
    with pytest.raises(Illegal) as illegal:
        game.read(position, text)
    return illegal.value.rule


@for_each(
    ("row", "game", "is_won"),
    [
        ("x x x x", GOMOKU, False),
        ("x x x x x", GOMOKU, True),
        ("x x x x x x", GOMOKU, True),
        ("x x + x x x", GOMOKU, False),
        ("x x o x x x", GOMOKU, False),
        ("x x x x x", CONNECT6, False),
        ("x x x x x x x", CONNECT6, True),
        ("x x x x x", PAIRS, True),
        ("x x x x + x", PAIRS, False),
    ],
)
def test_rows_in_all_directions(row: str, game: RowGame, is_won: bool) -> None:
    marks = row.split()
    for aside, up in ((1, 0), (0, 1), (1, 1), (1, -1)):
        for last in (place for place, mark in enumerate(marks) if mark == "x"):
            position = game.start(2, {})
            size = len(position.board.layout.rows)
            cells = [(3 + aside * count) * size + 8 + up * count for count in range(len(marks))]
            stones = bytearray(position.stones)
            for place, mark in enumerate(marks):
                stones[cells[place]] = 2 if place == last else "xo+".index(mark)
            before = Position(position.board, bytes(stones), 0, last=(0,))
            move = (cells[last], size * size - 1) if game is CONNECT6 else (cells[last],)
            after, _ = game.play(before, move)
            assert game.outcome(after) == (Outcome((1, 2), "goal", game.scores(after)) if is_won else None)


def test_a_row_does_not_go_round_the_edge() -> None:
    position = play(GOMOKU, "a14 h1 a15 h3 b1 h5 b2 h7 b3")
    assert GOMOKU.to_move(position) == 1


def test_tree_of_tic_tac_toe() -> None:
    counts = [leaves(TIC_TAC_TOE, TIC_TAC_TOE.start(2, {}), plies) for plies in range(1, 6)]
    assert counts == [9, 72, 504, 3024, 15120]


@pytest.mark.slow
def test_all_games_of_tic_tac_toe() -> None:
    ends = {(1, 2): 0, (2, 1): 0, (1, 1): 0}

    def count(position: Position) -> None:
        if outcome := TIC_TAC_TOE.outcome(position):
            ends[outcome.ranks[0], outcome.ranks[1]] += 1
        for move in TIC_TAC_TOE.moves(position):
            count(TIC_TAC_TOE.play(position, move)[0])

    count(TIC_TAC_TOE.start(2, {}))
    assert ends == {(1, 2): 131184, (2, 1): 77904, (1, 1): 46080}


def test_four_in_a_row_by_counted_positions() -> None:
    """The different positions after so many plies, as John Tromp has counted them."""
    reached = {FOUR.start(2, {}).stones: FOUR.start(2, {})}
    counts = []
    for _ in range(6):
        after = [FOUR.play(position, move)[0] for position in reached.values() for move in FOUR.moves(position)]
        reached = {position.stones: position for position in after}
        counts.append(len(reached))
    assert counts == [7, 49, 238, 1120, 4263, 16422]


def leaves(game: RowGame, position: Position, plies: int) -> int:
    if plies == 0:
        return 1
    return sum(leaves(game, game.play(position, move)[0], plies - 1) for move in game.moves(position))


def test_stones_drop() -> None:
    position = play(FOUR, "d D d3")
    names = position.board.names
    assert {names[cell]: seat for cell, seat in enumerate(position.stones) if seat != 2} == {
        "D1": 0,
        "D2": 1,
        "D3": 0,
    }
    assert refused(FOUR, position, "d5") == refused(FOUR, position, "e2") == SPECIAL
    assert refused(FOUR, position, "d3") == refused(FOUR, position, "a1 b1") == PLACING
    assert refused(FOUR, position, "h1") == refused(FOUR, position, "a7") == THE_BOARD
    full = play(FOUR, "d d d", position)
    assert refused(FOUR, full, "d") == PLACING
    assert [names[int(move[0])] for move in FOUR.moves(full)] == ["A1", "B1", "C1", "E1", "F1", "G1"]
    with pytest.raises(Unreadable):
        FOUR.read(position, "h")
    assert re.fullmatch(FOUR.info.dialect, "g")


def test_figure_of_four_in_a_row() -> None:
    rows = re.findall(
        r"(?m)^      [1-6]  ([.xo](?: [.xo]){6})  [1-6]$", (RULES / "four-in-a-row.txt").read_text("ascii")
    )
    position = drawn(FOUR, rows, turn=1)
    stones = bytearray(position.stones)
    stones[position.board.numbers["E4"]] = 2
    end = play(FOUR, "e", Position(position.board, bytes(stones), 1))
    assert FOUR.outcome(end) == Outcome((2, 1), "goal")
    assert refused(FOUR, end, "a1") == refused(FOUR, end, "a") == ENDING


def test_two_stones_in_a_turn() -> None:
    start = CONNECT6.start(2, {})
    assert len(list(CONNECT6.moves(start))) == 361
    assert refused(CONNECT6, start, "k10,l11") == SPECIAL
    position = play(CONNECT6, "k10")
    assert sum(1 for _ in CONNECT6.moves(position)) == 360 * 359 // 2
    move = CONNECT6.read(position, "l11 K9")
    assert move == CONNECT6.read(position, "k9l11")
    assert CONNECT6.write(position, move) == CONNECT6.write(position, move[::-1]) == "K9,L11"
    after, events = CONNECT6.play(position, move[::-1])
    assert events == (Event("placed", 1, (int(move[0]),)), Event("placed", 1, (int(move[1]),)))
    assert (after.last, CONNECT6.to_move(after)) == (move, 0)
    with pytest.raises(Unfinished) as unfinished:
        CONNECT6.read(position, "l11")
    begun = unfinished.value.begun
    assert begun == (position.board.numbers["L11"],)
    assert len(list(CONNECT6.moves(position, begun))) == 359
    assert all(each[:1] == begun for each in CONNECT6.moves(position, begun))
    assert refused(CONNECT6, position, "l11 l11") == refused(CONNECT6, position, "k10 l11") == PLACING
    assert refused(CONNECT6, position, "a1 a2 a3") == SPECIAL


def test_figure_of_connect6() -> None:
    before, after = figures("connect6")
    position = drawn(CONNECT6, before, turn=1)
    end, _ = CONNECT6.play(position, tuple(cell_at(CONNECT6, before, column, 1) for column in (1, 6)))
    assert end.stones == drawn(CONNECT6, after).stones
    assert CONNECT6.outcome(end) == Outcome((2, 1), "goal")


def test_figure_of_pairs() -> None:
    before, after = figures("five-or-pairs")
    position = drawn(PAIRS, before)
    end, events = PAIRS.play(position, (cell_at(PAIRS, before, 4, 4),))
    assert end.stones == drawn(PAIRS, after).stones
    assert (end.pairs, PAIRS.scores(end), PAIRS.scene(end).scores) == ((2, 0), (2, 0), (2, 0))
    assert [(event.kind, event.seat, len(event.cells)) for event in events] == [
        ("placed", 0, 1),
        ("captured", 1, 4),
    ]
    assert set(PAIRS.scene(end).captured) == set(events[1].cells)


def test_the_first_stone_stands_in_the_middle() -> None:
    start = PAIRS.start(2, {})
    assert [PAIRS.write(start, move) for move in PAIRS.moves(start)] == ["K10"]
    assert refused(PAIRS, start, "l10") == SPECIAL
    assert refused(PAIRS, play(PAIRS, "k10"), "k10") == PLACING


@for_each(("row", "left"), [("o x x +", "o + + o"), ("o x +", "o x o"), ("o x x x +", "o x x x o")])
def test_only_pairs_are_captured(row: str, left: str) -> None:
    position = drawn(PAIRS, [row], turn=1)
    after, _ = PAIRS.play(position, (cell_at(PAIRS, [row], len(row.split()) - 1, 0),))
    assert after.stones == drawn(PAIRS, [left]).stones


def test_a_stone_placed_between_is_safe() -> None:
    position = drawn(PAIRS, ["o x + o"])
    after, events = PAIRS.play(position, (cell_at(PAIRS, ["o x + o"], 2, 0),))
    assert len(events) == 1
    assert after.pairs == (0, 0)


def test_a_pair_at_the_edge_is_not_captured_against_it() -> None:
    position = play(PAIRS, "k10 a1 t19 b1 c1")
    assert PAIRS.to_move(position) == 1
    assert position.pairs == (0, 0)
    assert position.stones.count(1) == 2


def test_five_pairs_win() -> None:
    before = drawn(PAIRS, ["o x x +"], turn=1)
    for had, outcome in ((3, None), (4, Outcome((2, 1), "score", (4, 5)))):
        position = Position(before.board, before.stones, 1, pairs=(4, had), last=(0,))
        after, _ = PAIRS.play(position, (cell_at(PAIRS, ["o x x +"], 3, 0),))
        assert PAIRS.outcome(after) == outcome


def test_draws_on_a_full_board() -> None:
    assert TIC_TAC_TOE.outcome(play(TIC_TAC_TOE, "a1 b2 c3 a2 c2 c1 a3 b3 b1")) == Outcome((1, 1), "draw")
    assert TIC_TAC_TOE.outcome(play(TIC_TAC_TOE, "a1 b1 c1 a2 b2 c2 b3 a3 c3")) == Outcome((1, 2), "goal")


def test_options_and_reading() -> None:
    assert [len(GOMOKU.start(2, {"size": size}).stones) for size in ("13", "15", "19")] == [169, 225, 361]
    for game in games:
        start = game.start(2, {})
        assert game.read(start, game.info.example) in list(islice(game.moves(start), 400))
        with pytest.raises(BadOption):
            game.start(2, {"size": "8"})
        for text in ("", "pass", "h8!", "z"):
            with pytest.raises(Unreadable):
                game.read(start, text)
    assert refused(GOMOKU, GOMOKU.start(2, {}), "i5") == THE_BOARD
    assert refused(GOMOKU, play(GOMOKU, "h8"), "h8") == PLACING
