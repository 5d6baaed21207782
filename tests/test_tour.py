"""README's tour runs as it stands, against a server started as README says."""

import os
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.free_port import free_port
from tests.readme import Step, tour

PATIENCE = 60.0


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


def run(step: Step, environment: dict[str, str], folder: Path) -> None:
    """Runs one step and looks for the lines that README shows."""
    words = shlex.split(step.command)
    done = subprocess.run(
        words, env=environment, cwd=folder, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert done.returncode == 0, f"{step.command}\n{done.stderr}"
    lines = iter(line.strip() for line in done.stdout.split("\n"))
    for wanted in step.shown:
        assert wanted in lines, f"{step.command} does not show {wanted!r}:\n{done.stdout}"


def test_tour(environment: dict[str, str], tmp_path: Path) -> None:
    """Every command of the tour does what README shows."""
    steps = tour()
    assert len(steps) > 8
    for step in steps:
        run(step, environment, tmp_path)
