"""Makes `pbmserv/store/puzzles.txt`, the puzzles that come with the program: `python -m tests.puzzles --count 60`.

Two robots of moderate strength play one another, some plies by chance first, and what they meet with one clearly
best move is a puzzle (`pbmserv.robots.puzzles`). The same arguments give the same file, as long as the thinkers
stay what they are. Puzzles that are there already stay under their numbers: new ones are added behind them.

The file was made with `--size 3x5` from the seeds 1 and 501, and with `--size 5x5` from the seed 1001. Two of them
were left out, since a longer thought did not agree (`test_a_longer_thought_agrees`).
"""

import argparse
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from pbmserv.games import games
from pbmserv.games.game import Game
from pbmserv.matches.puzzles import Puzzle
from pbmserv.robots.levels import thinker_of
from pbmserv.robots.puzzles import solution_of
from pbmserv.robots.thought import Dice, seed_of
from pbmserv.store.puzzles import packed_line, unpacked

FILE = Path(__file__).parents[1] / "pbmserv" / "store" / "puzzles.txt"


def found(game: Game, options: dict[str, str], seed: int, iterations: int) -> Iterator[Puzzle]:
    """The puzzles of one game that is played for it: at most one from each third of it."""
    dice, position, moves = Dice(seed), game.start(2, options), list[str]()
    rest = 0
    for ply in range(200):
        if game.outcome(position) is not None:
            return
        if ply > 5 and ply >= rest:
            solution = solution_of(game, position, seed_of(seed, ply), iterations)
            if solution is not None:
                rest = ply + 7
                yield Puzzle(
                    number=0,
                    game=game.info.name,
                    options=tuple(sorted(options.items())),
                    moves=tuple(moves),
                    best=solution.best,
                    line=solution.line,
                    replies=tuple(solution.replies.items()),
                    wins=solution.wins,
                )
        move = _played(game, position, dice, seed_of(seed, ply, "move"))
        moves.append(game.write(position, move))
        position, _ = game.play(position, move)


def _played(game: Game, position: Any, dice: Dice, seed: int) -> Any:
    """A move of moderate strength: by chance now and then, else after little thought."""
    legal = tuple(game.moves(position))
    if dice.below(5) == 0:
        return legal[dice.below(len(legal))]
    return thinker_of(game, position).think(game, position, seed, 30).candidates[0].move


def main() -> None:
    """Adds puzzles to the file until there are as many of a board as wanted."""
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--game", default="cephalopod")
    arguments.add_argument("--size", default="3x5")
    arguments.add_argument("--count", type=int, default=30)
    arguments.add_argument("--iterations", type=int, default=1500)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--file", type=Path, default=FILE)
    given = arguments.parse_args()
    file: Path = given.file
    game, options = games()[given.game], {"size": given.size} if given.size else {}
    there = [unpacked(line) for line in file.read_text().splitlines()] if file.exists() else []
    wanted, seed = len(there) + given.count, given.seed
    while len(there) < wanted:
        for puzzle in found(game, options, seed, given.iterations):
            numbered = replace(puzzle, number=len(there) + 1)
            if len(there) < wanted and all(numbered.moves != each.moves for each in there):
                there.append(numbered)
                print(f"{numbered.number} of {wanted}: {numbered.game} {options} {numbered.best} (game {seed})")
                file.write_text("".join(f"{packed_line(each)}\n" for each in there))
        seed += 1


if __name__ == "__main__":
    main()
