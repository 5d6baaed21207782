"""Makes the tables: `python -m pbmserv.robots.cephalopod.train 5x5`; needs the extra `train` (numba).

Two copies of the table play each other, one ply ahead with a little chance, and learn from each game by temporal
differences (R. Sutton, TD(lambda)); each weight learns at a pace of its own, slower the more its corrections
disagree (D. Beal and M. Smith, "Temporal coherence and prediction decay in TD learning", 1999). The same number of
games and the same seed give the same table on machines whose `exp` and `log` agree.
"""

import argparse
import hashlib
from pathlib import Path
from typing import Any, Final, NamedTuple

import numba
import numpy as np
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from pbmserv.games.boards import squares as board_of
from pbmserv.games.cephalopod import FEWEST_TAKEN, MOST_PIPS
from pbmserv.robots.cephalopod.table import (
    CONTENTS,
    PHASES,
    PIPS_A_STEP,
    SHAPES,
    STARTS,
    UNIT,
    ZERO,
    folded,
    packed,
    phase_of,
    sizes,
    windows,
)

Array = Any
"""An array of numpy, which need not be there where types are checked."""

OTHER: Final = 6
MOST_MOVES: Final = 16
"""Of one square: more than the eleven sets of two or more of four neighbours."""

compiled = numba.njit


class BoardArrays(NamedTuple):
    """A board as arrays."""

    neighbours: Array
    """By square, then -1 where it has fewer than four."""
    seen_by: Array
    """By square: the windows that see it, then -1."""
    units: Array
    """By square, along with `seen_by`: what one step of content adds to the window's number."""
    first: Array
    """By window: where the numbers of its kind begin."""
    fold: Array
    """By number, of all kinds in a row: which weight."""
    phases: Array
    """By pips on the board: where the weights of the phase begin, for an even number of empty squares."""
    folds: int
    """Weights of one phase and parity."""
    counts: int
    """Where the weights of empty squares and dice ahead begin; then come those of pips and dice ahead."""


def layout_of(columns: int, rows: int) -> BoardArrays:
    """The arrays of a board."""
    count, seen = columns * rows, windows(columns, rows)
    neighbours = np.full((count, 4), -1)
    for square, beside in enumerate(board_of(columns, rows).neighbours):
        neighbours[square, : len(beside)] = beside
    seen_by: Array = np.full((count, 9), -1)
    units: Array = np.zeros((count, 9), np.int64)
    filled = [0] * count
    for at, window in enumerate(seen):
        for place, cell in enumerate(window.cells):
            seen_by[cell, filled[cell]], units[cell, filled[cell]] = at, CONTENTS**place
            filled[cell] += 1
    fold, folds = [], 0
    for kind in range(len(SHAPES)):
        numbers, of_kind = folded(kind)
        fold.append(np.array(numbers) + folds)
        folds += of_kind
    return BoardArrays(
        neighbours,
        seen_by,
        units,
        np.array([STARTS[window.kind] for window in seen]),
        np.concatenate(fold),
        np.array([2 * folds * phase_of(pips, count) for pips in range(MOST_PIPS * count + 2)]),
        folds,
        2 * (len(PHASES) + 1) * folds,
    )


def untrained(columns: int, rows: int) -> Array:
    """Weights of nothing."""
    return np.zeros(sum(sizes(columns * rows)))


class Scratch(NamedTuple):
    """Arrays that games are played on, made once."""

    contents: Array
    """By square."""
    seen: Array
    """By seat and window: the number that it shows, without where its kind begins."""
    squares: Array
    """Of each legal move: the square, which neighbours it takes (a bit each), what it is worth."""
    masks: Array
    worths: Array
    after: Array
    """By window: its number after the move that is looked at, if that changes it, and the moves that last did."""
    stamps: Array
    changed: Array


def scratch_for(layout: BoardArrays) -> Scratch:
    """Arrays for a board."""
    count, seen = len(layout.neighbours), len(layout.first)
    most = count * MOST_MOVES
    return Scratch(
        np.zeros(count, np.int64),
        np.zeros((2, seen), np.int64),
        np.zeros(most, np.int64),
        np.zeros(most, np.int64),
        np.zeros(most),
        np.zeros(seen, np.int64),
        np.zeros(seen, np.int64),
        np.zeros(seen, np.int64),
    )


@compiled
def pips_of(content: int) -> int:
    """What a die shows."""
    return content - OTHER if content > OTHER else content


@compiled
def as_other(content: int) -> int:
    """A content as the other side sees it."""
    return 0 if content == 0 else content - OTHER if content > OTHER else content + OTHER


@compiled
def find_moves(layout: BoardArrays, on: Scratch) -> int:
    """Writes all legal moves into `squares` and `masks`; how many there are."""
    count = 0
    for square in range(len(on.contents)):
        if on.contents[square]:
            continue
        is_capture = False
        for mask in range(3, 16):
            taken = pips = 0
            for place in range(4):
                if mask >> place & 1:
                    beside = layout.neighbours[square, place]
                    if beside < 0 or on.contents[beside] == 0:
                        pips = MOST_PIPS + 1
                        break
                    taken += 1
                    pips += pips_of(on.contents[beside])
            if taken >= FEWEST_TAKEN and pips <= MOST_PIPS:
                on.squares[count], on.masks[count] = square, mask
                count += 1
                is_capture = True
        if not is_capture:
            on.squares[count], on.masks[count] = square, 0
            count += 1
    return count


@compiled
def judge_moves(
    layout: BoardArrays, on: Scratch, weights: Array, moves: int, seat: int, empty: int, ahead: int, pips: int
) -> None:
    """Writes into `worths` the logarithm of the odds of winning after each move; `ahead` is its own lead."""
    size = len(on.contents)
    bases = (
        layout.phases[pips],
        layout.phases[pips] + layout.folds,
        layout.phases[pips + 1] + (empty - 1) % 2 * layout.folds,
    )
    wholes = np.zeros(3)
    for window in range(len(layout.first)):
        weight = layout.fold[layout.first[window] + on.seen[seat, window]]
        for which in range(3):
            wholes[which] += weights[bases[which] + weight]
    on.stamps[:] = -1
    for move in range(moves):
        square, mask = on.squares[move], on.masks[move]
        changed, left, lead, shown = 0, empty - 1, ahead + 1, 0
        for place in range(5):
            # The dice that are taken, then the new one.
            if place < 4:
                if not mask >> place & 1:
                    continue
                cell = layout.neighbours[square, place]
                content = on.contents[cell]
                shown += pips_of(content)
                left += 1
                lead += -1 if (content > OTHER) == (seat == 1) else 1
                step = -(as_other(content) if seat else content)
            else:
                cell, step = square, shown or 1
            for which in range(9):
                window = layout.seen_by[cell, which]
                if window < 0:
                    break
                if on.stamps[window] != move:
                    on.stamps[window] = move
                    on.after[window] = on.seen[seat, window]
                    on.changed[changed] = window
                    changed += 1
                on.after[window] += step * layout.units[cell, which]
        if left == 0:
            on.worths[move] = CERTAIN if lead > 0 else -CERTAIN
            continue
        which = 2 if mask == 0 else left % 2
        worth, base = wholes[which], bases[which]
        for at in range(changed):
            window = on.changed[at]
            first = layout.first[window]
            worth += weights[base + layout.fold[first + on.after[window]]]
            worth -= weights[base + layout.fold[first + on.seen[seat, window]]]
        by_empty, by_pips = counted(layout, size, left, lead, pips + (mask == 0))
        on.worths[move] = worth + weights[by_empty] + weights[by_pips]


CERTAIN: Final = 50.0
"""The worth of a move that wins the game."""


@compiled
def counted(layout: BoardArrays, size: int, empty: int, ahead: int, pips: int) -> tuple[int, int]:
    """Which weights the counts of a position read."""
    row = 2 * size + 1
    by_pips = layout.counts + (size + 1) * row + pips // PIPS_A_STEP * row
    return layout.counts + empty * row + ahead + size, by_pips + ahead + size


@compiled
def put(layout: BoardArrays, on: Scratch, cell: int, content: int, sign: int) -> None:
    """Puts a content on a square (`sign` 1), or takes it away (-1)."""
    on.contents[cell] = content if sign > 0 else 0
    for which in range(9):
        window = layout.seen_by[cell, which]
        if window < 0:
            break
        unit = sign * layout.units[cell, which]
        on.seen[0, window] += unit * content
        on.seen[1, window] += unit * as_other(content)


@compiled
def make_move(layout: BoardArrays, on: Scratch, move: int, seat: int) -> tuple[int, int, int]:
    """Plays a move; by how much that changes the empty squares, the lead of seat 0, and the pips."""
    square, mask, empty, ahead, shown = on.squares[move], on.masks[move], -1, 1 - 2 * seat, 0
    for place in range(4):
        if mask >> place & 1:
            cell = layout.neighbours[square, place]
            content = on.contents[cell]
            shown += pips_of(content)
            empty += 1
            ahead += 1 if content > OTHER else -1
            put(layout, on, cell, content, -1)
    put(layout, on, square, (shown or 1) + OTHER * seat, 1)
    return empty, ahead, 0 if shown else 1


GAMES: Final = 1_500_000
SEED: Final = 2026
"""What the tables in this folder were made with."""

PACE: Final = 4.0
"""How far the weights together go towards what a game taught, in steps of the logarithm of the odds."""

SLOWER_FROM: Final = 0.6
"""From this part of all games on the pace sinks to nothing."""

LAMBDA: Final = 0.8
"""How much a position learns from the end of its game, rather than from the position after it."""

CHANCE: Final = 0.15
"""How far chance moves the worth of a move, so that games differ."""

OPENING: Final = 8
"""Games begin with fewer moves by chance than this; nothing is learned from those."""

ROUND: Final = 10_000
"""Games between two looks at the clock."""


@compiled
def learn(
    layout: BoardArrays,
    on: Scratch,
    weights: Array,
    drifts: Array,
    paces: Array,
    games: int,
    seed: int,
    pace: float,
) -> None:
    """Plays `games` games and learns from each. `drifts` and `paces` remember how each weight was corrected."""
    np.random.seed(seed)
    size, seen = len(on.contents), len(layout.first)
    longest = 11 * size
    read: Array = np.zeros((longest, seen + 2), np.int64)
    chances = np.zeros(longest)
    for _ in range(games):
        on.contents[:] = 0
        on.seen[:] = 0
        empty, ahead, pips, seat, ply, known = size, 0, 0, 0, 0, 0
        opening = np.random.randint(OPENING)
        while empty:
            moves = find_moves(layout, on)
            if ply < opening:
                move = np.random.randint(moves)
            else:
                lead = -ahead if seat else ahead
                judge_moves(layout, on, weights, moves, seat, empty, lead, pips)
                move = liked(on.worths, moves)
            by_empty, by_ahead, by_pips = make_move(layout, on, move, seat)
            empty += by_empty
            ahead += by_ahead
            pips += by_pips
            if ply >= opening and empty:
                lead = -ahead if seat else ahead
                base, odds = layout.phases[pips] + empty % 2 * layout.folds, 0.0
                for window in range(seen):
                    read[known, window] = base + layout.fold[layout.first[window] + on.seen[seat, window]]
                    odds += weights[read[known, window]]
                read[known, seen], read[known, seen + 1] = counted(layout, size, empty, lead, pips)
                odds += weights[read[known, seen]] + weights[read[known, seen + 1]]
                chances[known] = 1 / (1 + np.exp(-odds))
                known += 1
            seat = 1 - seat
            ply += 1
        # The last ply filled the board; the one before it was made by the seat that would be to move now.
        told = 1.0 if (ahead > 0) == (seat == 0) else 0.0
        for at in range(known - 1, -1, -1):
            if at < known - 1:
                told = (1 - LAMBDA) * (1 - chances[at + 1]) + LAMBDA * (1 - told)
            correct(read[at], told - chances[at], weights, drifts, paces, pace)


@compiled
def liked(worths: Array, moves: int) -> int:
    """One of the moves that are worth most, by a little chance; one that wins the game if there is any."""
    best, most = 0, -np.inf
    for move in range(moves):
        worth = worths[move]
        if worth < CERTAIN:
            worth -= CHANCE * np.log(1e-12 - np.log(np.random.random() + 1e-12))
        if worth > most:
            best, most = move, worth
    return best


@compiled
def correct(read: Array, error: float, weights: Array, drifts: Array, paces: Array, pace: float) -> None:
    """Moves the weights that were read by their share of an error."""
    for weight in read:
        own = 1.0 if paces[weight] == 0 else abs(drifts[weight]) / paces[weight]
        drifts[weight] += error
        paces[weight] += abs(error)
        weights[weight] += pace * own * error / len(read)


def trained(columns: int, rows: int, games: int, seed: int) -> bytes:
    """The weights that `games` games teach, as a table's file has them; progress is shown in a terminal."""
    layout, weights = layout_of(columns, rows), untrained(columns, rows)
    on, drifts, paces = scratch_for(layout), np.zeros_like(weights), np.zeros_like(weights)
    look = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*look) as progress:
        task = progress.add_task(f"{columns}x{rows}, games", total=games)
        for begun in range(0, games, ROUND):
            left = 1 - begun / games
            pace = PACE * min(1.0, max(left, 0.02) / (1 - SLOWER_FROM))
            learn(layout, on, weights, drifts, paces, min(ROUND, games - begun), seed + begun, pace)
            progress.advance(task, min(ROUND, games - begun))
    return as_bytes(weights)


def as_bytes(weights: Array) -> bytes:
    """Weights in steps; those that come to one step are dropped, which makes the file a third smaller."""
    steps = np.rint(weights / UNIT)
    steps[abs(steps) <= 1] = 0
    return np.clip(steps + ZERO, 0, 255).astype(np.uint8).tobytes()


def main() -> None:
    """Trains a table, writes it beside this module, and prints its checksum for `table.CHECKSUMS`."""
    parser = argparse.ArgumentParser(description="Train the table of a Cephalopod board by self-play.")
    parser.add_argument("board", help="columns and rows, as 5x5")
    parser.add_argument("--games", type=int, default=GAMES)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--to", type=Path, default=Path(__file__).parent, help="the folder to write into")
    asked = parser.parse_args()
    columns, rows = map(int, asked.board.split("x"))
    weights = trained(columns, rows, asked.games, asked.seed)
    file = asked.to / f"table-{asked.board}.xz"
    file.write_bytes(packed(weights))
    print(f"{file}: {file.stat().st_size} bytes; sha256 {hashlib.sha256(weights).hexdigest()}")  # noqa: T201


if __name__ == "__main__":
    main()
