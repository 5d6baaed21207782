"""Endings of Cephalopod between two, proven to the end: 100 on each board, 20 plies before their games ended.

`endings.txt` has them as rows: size, what the side to move can reach (`won`, `lost`, or `open` where two million
positions did not decide it), how many positions the proof looked at, then the moves. The games were played by UCT
of 60 iterations, temperature 0.3, after two random plies. `python -m tests.robots.endings` proves them all again,
which takes an hour and a half of a core.
"""

import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from pbmserv.games import games
from pbmserv.games.cephalopod import Position
from pbmserv.games.game import Move
from pbmserv.robots.levels import chosen, level_of
from pbmserv.robots.thought import seed_of
from tests.robots.exhaustive import Ending, Undecided

FILE: Final = Path(__file__).parent / "endings.txt"
GAME: Final = games()["cephalopod"]

MOST_NODES: Final = 2_000_000

Verdict = Literal["won", "lost", "open"]
Kept = Literal["kept", "slipped", "unclear"]
"""What became of a won position by a move; unclear if the proof takes too many nodes."""


@dataclass(frozen=True)
class ProvenEnding:
    """A row of the file."""

    number: int
    size: str
    verdict: Verdict
    """For the side to move."""
    nodes: int
    moves: tuple[str, ...]

    @property
    def position(self) -> Position:
        """The board after the moves."""
        position: Position = GAME.start(2, {"size": self.size})
        for text in self.moves:
            position, _ = GAME.play(position, GAME.read(position, text))
        return position

    @property
    def name(self) -> str:
        """As a test is called."""
        return f"{self.size}-{self.number}"


def endings() -> Iterator[ProvenEnding]:
    """All of them, in the order of the file."""
    rows = (line for line in FILE.read_text().splitlines() if not line.startswith("#"))
    for number, row in enumerate(rows):
        size, verdict, nodes, *moves = row.split()
        assert verdict in ("won", "lost", "open")
        yield ProvenEnding(number, size, verdict, int(nodes), tuple(moves))  # type: ignore[arg-type]


def proven(position: Position, most_nodes: int = MOST_NODES) -> tuple[Verdict, int]:
    """What the side to move can reach, and how many positions were looked at."""
    ending = Ending(position, most_nodes)
    try:
        return ("won" if ending.is_won() else "lost"), ending.nodes
    except Undecided:
        return "open", most_nodes


def move_of(robot: str, ending: ProvenEnding) -> Move:
    """What a robot plays there."""
    level = level_of(robot, GAME, ending.position)
    assert level is not None
    seed = seed_of("ending", ending.number)
    thought = level.thinker.think(GAME, ending.position, seed, level.iterations)
    return chosen(thought, level.temperature, seed)


def kept(ending: ProvenEnding, move: Move, most_nodes: int = MOST_NODES) -> Kept:
    """Whether a position that is won is won after this move."""
    after, _ = GAME.play(ending.position, move)
    if GAME.to_move(after) is None:
        outcome = GAME.outcome(after)
        assert outcome is not None
        return "kept" if outcome.ranks[ending.position.turn] == 1 else "slipped"
    verdict, _ = proven(after, most_nodes)
    return "kept" if verdict == "lost" else "slipped" if verdict == "won" else "unclear"


def prove_again(ending: ProvenEnding) -> tuple[ProvenEnding, bool]:
    """Whether a proof comes to the same as the file has it, node for node."""
    verdict, nodes = proven(ending.position)
    return ending, (verdict, nodes) == (ending.verdict, ending.nodes)


if __name__ == "__main__":
    with ProcessPoolExecutor(2) as pool:
        wrong = 0
        for done, (each, is_same) in enumerate(pool.map(prove_again, endings()), 1):
            wrong += not is_same
            print(f"{done}: {each.name} {'as stored' if is_same else 'DIFFERENT'}", flush=True)
    sys.exit(bool(wrong))
