"""Measures the robots: `make bench-robots`, or `python -m tests.bench.robots PART ...` for some parts of it.

Parts: `ladder`, each rung against the one below; `marks`, club against greedy and strong against club; `endings`,
the proven ones against master; `general`, the robot of any game (a test of its own). Results are stored in
`docs/robots.json` after each contest, with what was there of the others; `python -m tests.docs` makes the tables
of `docs/robots.md` from it, and `python -m tests.bench.ladder` the picture.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any, Final

from rich.console import Console

from pbmserv.cli.robots import played, stored, told
from pbmserv.robots.contest import Contest, ladder_of, play_pair, result_of
from tests.bench.ladder import RESULTS, draw, load
from tests.docs import ROOT
from tests.docs import main as write_docs
from tests.robots.endings import GAME, ProvenEnding, endings, kept, move_of

LOWER_GAMES, UPPER_GAMES, MARK_GAMES = 200, 60, 40
UPPER: Final = ("strong", "master")
"""Rungs whose games take long, against the rung below."""

MARKS: Final = (("club", "greedy"), ("strong", "club"))

PATIENCE: Final = 120.0
"""Seconds of a game; where it takes more, both sides think a tenth."""

TENTH: Final = 0.1

console = Console(stderr=True)


def contest_row(contest: Contest, games: int, processes: int) -> Mapping[str, Any]:
    """Plays a contest and tells of it."""
    _, result = played(contest, games, processes)
    shorter = f", at {contest.share:g} of the iterations" if contest.share != 1 else ""
    first, second = contest.robots
    console.print(
        f"{first} against {second}: {result.wins} : {result.losses}, {told(result.difference)}{shorter}",
        highlight=False,
    )
    return stored(contest, result)


def in_time(contest: Contest) -> Contest:
    """The contest, with a tenth of the iterations where its first games take too long."""
    first = play_pair(contest, 0, clock)
    seconds = sum(effort.seconds for effort in result_of([first]).efforts) / len(first.points)
    console.print(f"{' against '.join(contest.robots)}: {seconds:.0f} seconds a game", highlight=False)
    return replace(contest, share=TENTH) if seconds > PATIENCE else contest


def clock() -> float:
    """Seconds of this process."""
    return sum(os.times()[:2])


def ladder(processes: int, store: Callable[[object], None]) -> None:
    """Each rung against the one below it."""
    rows: list[Mapping[str, Any]] = []
    for weaker, stronger in pairwise(ladder_of(GAME, GAME.start(2, {}))):
        contest = Contest("cephalopod", (stronger, weaker), seed=len(rows))
        is_upper = stronger in UPPER
        rows.append(
            contest_row(
                in_time(contest) if is_upper else contest, UPPER_GAMES if is_upper else LOWER_GAMES, processes
            )
        )
        store(rows)


def marks(processes: int, store: Callable[[object], None]) -> None:
    """What was set: `club` beats greedy in 39 of 40, `strong` beats `club` in 36 of 40."""
    store([contest_row(Contest("cephalopod", robots, seed=100), MARK_GAMES, processes) for robots in MARKS])


def ended(ending: ProvenEnding) -> tuple[ProvenEnding, str, str]:
    """An ending, what master played there, and whether it is still won."""
    move = move_of("master", ending)
    return ending, GAME.write(ending.position, move), kept(ending, move)


def proven_endings(processes: int, store: Callable[[object], None]) -> None:
    """Whether `master` lets a win slip that is proven."""
    found = list(endings())
    won = [each for each in found if each.verdict == "won"]
    counts = {"all": len(found), "decided": sum(each.verdict != "open" for each in found), "won": len(won)}
    outcomes = {"kept": 0, "slipped": 0, "unclear": 0}
    slips = []
    with ProcessPoolExecutor(processes) as pool:
        for done, (ending, move, outcome) in enumerate(pool.map(ended, won), 1):
            outcomes[outcome] += 1
            console.print(f"{done} of {len(won)}: {ending.name} {move} {outcome}", highlight=False)
            if outcome == "slipped":
                slips.append({"ending": ending.name, "move": move, "moves": list(ending.moves)})
    store({**counts, **outcomes, "slips": slips})


def general(processes: int, store: Callable[[object], None]) -> None:
    """The robot of any game, in a test of its own, which prints its table."""
    test = ROOT / "tests" / "bench" / "test_robots_general.py"
    asked = {**os.environ, "PBMSERV_BENCH_ROBOTS": "1"}
    subprocess.run(
        [sys.executable, "-m", "pytest", str(test), "-q", "-s", "-m", "slow"], cwd=ROOT, check=True, env=asked
    )


PARTS: Final = {"ladder": ladder, "marks": marks, "endings": proven_endings, "general": general}


def run(parts: Iterable[str], processes: int) -> None:
    """Measures some parts and writes what depends on them."""
    for name in parts:

        def store(value: object, name: str = name) -> None:
            results = {**load(), **when_and_where(), name: value}
            RESULTS.write_text(json.dumps(results, indent=1) + "\n")

        PARTS[name](processes, store)
        draw()
        write_docs()


def when_and_where() -> Mapping[str, str]:
    """Date, machine and commit of a run."""
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return {
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "machine": f"{os.cpu_count()} cores, {platform.machine()}, "
        f"{platform.python_implementation()} {platform.python_version()}",
        "commit": commit.stdout.strip(),
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="measures the robots")
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    given = parser.parse_args()
    run(given.parts or PARTS, given.processes)
