"""How much CPU commands take to start, beside a bare Python and the libraries that they cannot do without."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from tests.bench.conftest import Report
from tests.conftest import migrated_file

ROUNDS = 7
PROGRAM = ("-m", "pbmserv.cli.start")
BARE = ("-c", "pass")
LIBRARIES = ("-c", "import click, rich.console, sqlalchemy, argon2")
STARTS = {
    "--help": (*PROGRAM, "--help"),
    "config": (*PROGRAM, "config"),
    "status": (*PROGRAM, "status"),
    "admin outbox": (*PROGRAM, "admin", "outbox"),
    "admin games": (*PROGRAM, "admin", "games"),
    "mail --read": (*PROGRAM, "mail", "--from", "alice@example.org", "--read"),
    "receive": (*PROGRAM, "receive"),
}


def cpu_seconds(words: tuple[str, ...], folder: Path) -> float:
    """The CPU seconds of a Python until it ends, itself and its system calls."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PBMSERV_")}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    process = subprocess.Popen(
        [sys.executable, *words],
        cwd=folder,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdin is not None
    process.stdin.write(b"From: alice@example.org\nTo: pbmserv@localhost\nSubject: help\n\n")
    process.stdin.close()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return used.ru_utime + used.ru_stime


@pytest.mark.slow
def test_start(benchmark: BenchmarkFixture, report: Report, tmp_path: Path) -> None:
    """The best of some rounds of each, since others share the machine."""
    data = tmp_path / "data"
    data.mkdir()
    (data / "pbmserv.db").write_bytes(migrated_file())
    rounds = ROUNDS if benchmark.enabled else 1
    every = {"bare Python": BARE, "libraries": LIBRARIES, **STARTS}
    best = dict.fromkeys(every, float("inf"))

    def go_round() -> None:
        for name, words in every.items():
            best[name] = min(best[name], cpu_seconds(words, tmp_path))

    benchmark.pedantic(go_round, rounds=rounds, warmup_rounds=int(benchmark.enabled))  # type: ignore[no-untyped-call]
    for name in STARTS:
        to_bare, to_libraries = (best[name] / best[other] for other in ("bare Python", "libraries"))
        beside = f"{to_bare:5.1f} x a bare Python, {to_libraries:4.1f} x the libraries"
        report(f"start of {name:14} {best[name] * 1000:5.0f} ms of CPU, {beside}")
    assert best["--help"] < best["libraries"] < best["admin games"]
