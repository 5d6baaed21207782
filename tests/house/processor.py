"""Runs a command and fails if it took more processor time than its budget.

`python tests/house/processor.py make test` is what `.ci/run` does. The time of the command and of all processes that
it waited for is divided by the time of a short piece of work on as many processors, done before and after it:
a slower or busier machine takes longer for both. The unit is *rounds*, one of which takes about two seconds on
a quiet virtual machine of 2026. Needs nothing but Python.
"""

import os
import re
import resource
import subprocess
import sys
import time

BUDGET = 0.0
"""Rounds, a quarter above what a fresh clone takes. It may fall in any commit; it rises in one that says why."""

WORDS = "a move by mail is an answer to a board that shows what may be played".split()


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
    """Seconds of processor time of one round, while every processor does one; it never happens inside a test."""
    before, children = seconds(resource.RUSAGE_CHILDREN), []
    for _ in range(os.cpu_count() or 1):
        children.append(subprocess.Popen([sys.executable, __file__]))
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
    print(
        f"{' '.join(command)}: {took:.0f} s, {used:.0f} s of processor time, {found:.0f} rounds; budget {BUDGET:.0f}"
    )
    return code or int(found > BUDGET)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:])) if sys.argv[1:] else work()
