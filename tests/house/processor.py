"""Runs a command and fails if it took more processor time than its budget.

`python tests/house/processor.py make test` is what `.ci/run` does. The time of the command, with all processes
that it waited for, is divided by that of a short piece of work, done on every processor before and after it,
since a slow or busy machine takes longer for both. The unit is a *round* of that work, about a second on a virtual
machine of 2026.
"""

import os
import re
import resource
import subprocess
import sys
import time

BUDGET = 460.0
"""Rounds, a quarter above what a fresh clone takes. It may fall in any commit; it rises in one that says why."""

WORDS = (
    "a",
    "move",
    "by",
    "mail",
    "is",
    "an",
    "answer",
    "to",
    "the",
    "board",
    "that",
    "shows",
    "what",
    "may",
    "be",
)


def work() -> None:
    """One round: what tests do most, calls, small objects, texts and expressions."""
    found = 0
    for number in range(150_000):
        row = {word: (number, len(word)) for word in WORDS}
        line = " ".join(f"{word}={value[1]}" for word, value in row.items())
        found += len(re.findall(r"\b(\w+)=(\d)", line)) + sum(value[0] & 1 for value in row.values())
    assert found


def seconds(who: int) -> float:
    """The processor time that this process, or those that it waited for, took so far."""
    used = resource.getrusage(who)
    return used.ru_utime + used.ru_stime


def a_round() -> float:
    """Seconds of processor time of one round, while every processor does one."""
    before = seconds(resource.RUSAGE_CHILDREN)
    children = [subprocess.Popen([sys.executable, __file__]) for _ in range(os.cpu_count() or 1)]
    for child in children:
        assert child.wait() == 0
    return (seconds(resource.RUSAGE_CHILDREN) - before) / len(children)


def main(command: list[str]) -> int:
    """The exit code of the command, or 1 if it was over its budget."""
    rounds = [a_round()]
    before, begun = seconds(resource.RUSAGE_CHILDREN), time.monotonic()
    code = subprocess.run(command).returncode
    used, took = seconds(resource.RUSAGE_CHILDREN) - before, time.monotonic() - begun
    rounds.append(a_round())
    found = used / (sum(rounds) / len(rounds))
    print(f"{' '.join(command)}: {took:.0f} s, {used:.0f} s of processor time.")
    print(f"That is {found:.0f} rounds; the budget is {BUDGET:.0f} (tests/house/processor.py).")
    return code or int(found > BUDGET)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:])) if sys.argv[1:] else work()
