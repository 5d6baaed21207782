"""README's tour runs as it stands, against a server started as README says."""

import os
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cli.conftest import terminal
from tests.cli.terminal import Terminal
from tests.docs import README
from tests.free_port import free_port

__all__ = ["terminal"]

PATIENCE = 60.0


@dataclass(frozen=True)
class Step:
    """A command line of the tour, and lines that its output must hold in this order."""

    command: str
    shown: tuple[str, ...]


def tour() -> list[Step]:
    """The steps of the blocks marked `console` below the heading *Tour*."""
    text = README.read_text().partition("\n## Tour\n")[2].partition("\n## ")[0]
    steps: list[Step] = []
    for block in re.findall(r"(?s)```console\n(.*?)```", text):
        for part in re.split(r"(?m)^\$ ", block)[1:]:
            command, *shown = part.rstrip("\n").split("\n")
            steps.append(Step(command, tuple(line.strip() for line in shown if line.strip() not in ("", "..."))))
    return steps


@pytest.fixture
def environment(tmp_path: Path) -> Iterator[dict[str, str]]:
    """The environment of a running server's terminal."""
    mail_port, web_port = free_port(), free_port()
    settings = {
        "PBMSERV_DATA": str(tmp_path / "data"),
        "PBMSERV_CONFIRM": "from",
        "PBMSERV_LISTEN": f"smtp://127.0.0.1:{mail_port}",
        "PBMSERV_WEB": f"127.0.0.1:{web_port}",
    }
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("PBMSERV_")}
    environment = {**inherited, **settings, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    log = (tmp_path / "log").open("w+")
    server = subprocess.Popen(["pbmserv", "serve"], env=environment, cwd=tmp_path, stderr=log)
    try:
        deadline = time.monotonic() + PATIENCE
        while "Ctrl-C" not in (tmp_path / "log").read_text():
            assert server.poll() is None, (tmp_path / "log").read_text()
            assert time.monotonic() < deadline
            time.sleep(0.05)
        yield environment
    finally:
        server.terminate()
        server.wait(PATIENCE)
        log.close()


def check(step: Step, code: int, out: str, err: str) -> None:
    """It has gone well, and shows the lines that README shows."""
    assert code == 0, f"{step.command}\n{err}"
    lines = iter(line.strip() for line in out.split("\n"))
    for wanted in step.shown:
        assert wanted in lines, f"{step.command} does not show {wanted!r}:\n{out}"


def test_tour(environment: dict[str, str], terminal: Terminal) -> None:
    """Every command of the tour does what README shows.

    The first is run as it is typed, the others in this process: starting one takes a second.
    """
    first, *others = tour()
    assert len(others) > 8
    folder, typed = terminal.folder, shlex.split(first.command)
    started = subprocess.run(
        typed, env=environment, cwd=folder, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    check(first, started.returncode, started.stdout, started.stderr)
    terminal.settings |= {name: value for name, value in environment.items() if name.startswith("PBMSERV_")}
    for step in others:
        program, *words = shlex.split(step.command)
        assert program == "pbmserv"
        done = terminal.run(*words)
        check(step, done.code, done.out, done.err)
