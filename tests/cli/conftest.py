"""A terminal in an empty folder."""

import os
from pathlib import Path

import pytest

from tests.cli.terminal import Terminal


@pytest.fixture
def terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """A terminal whose working folder is empty and whose environment says nothing about the server."""
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith("PBMSERV_")]:
        monkeypatch.delenv(name)
    return Terminal(tmp_path)


@pytest.fixture
def club(terminal: Terminal) -> Terminal:
    """A server's folder with alice and bob at a board after one move."""
    terminal.settings |= {
        "PBMSERV_VARIANTS": "true",
        "PBMSERV_CONFIRM": "from",
        "PBMSERV_LISTEN": "",
        "PBMSERV_WEB": "",
    }
    terminal.put_database()
    post = terminal.post()
    post.people(alice="sesame", bob="poppy")
    post.mail("alice@example.org", "challenge alice bob -size=3x3")
    post.mail("alice@example.org", "move 101 b2")
    post.house.engine.dispose()
    return terminal
