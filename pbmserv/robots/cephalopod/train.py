"""Makes the tables: `python -m pbmserv.robots.cephalopod.train 5x5`; needs the extra `train` (numba).

Two copies of the table play each other, one ply ahead with a little chance, and learn from each game by temporal
differences (R. Sutton, TD(lambda)); each weight learns at a pace of its own, slower the more its corrections
disagree (D. Beal and M. Smith, "Temporal coherence and prediction decay in TD learning", 1999). The same number of
games and the same seed give the same table on machines whose `exp` and `log` agree.
"""

import argparse
import hashlib
from pathlib import Path
from typing import Final

import numpy as np
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from pbmserv.robots.cephalopod.selfplay import (
    CERTAIN,
    Array,
    BoardArrays,
    Scratch,
    compiled,
    counted,
    find_moves,
    judge_moves,
    layout_of,
    make_move,
    scratch_for,
    untrained,
)
from pbmserv.robots.cephalopod.table import UNIT, ZERO, packed

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
"""Games begin with fewer than so many moves by chance, from which nothing is learned."""

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
    """Plays so many games and learns from each. `drifts` and `paces` remember what each weight was told so far."""
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
    """The weights that so many games teach, as a table's file has them; progress is shown in a terminal."""
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
