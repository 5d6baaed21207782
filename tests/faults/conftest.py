"""What the tests of faults share."""

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
