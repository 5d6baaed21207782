"""Running `pbmserv` as another user than root: Postfix's pipe(8) runs nothing as root."""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

USER = "nobody"
ENTRY = "from pbmserv.cli.main import cli; cli()"


@dataclass(frozen=True)
class Place:
    """A folder of that user, with the server's settings in it; `program` is a script that runs `pbmserv`."""

    folder: Path
    program: Path

    def run(self, *words: str) -> str:
        """Runs `pbmserv WORDS` there, and gives what it printed."""
        command = ["runuser", "-u", USER, "--", str(self.program), *words]
        return subprocess.run(command, cwd=self.folder, check=True, capture_output=True, text=True).stdout


@contextmanager
def place(settings: str) -> Iterator[Place]:
    """A new folder; `settings` is what stands in pbmserv.toml."""
    folder = Path(tempfile.mkdtemp(prefix="pbmserv-pipe-", dir="/tmp"))
    folder.chmod(0o755)
    found = Place(folder, folder / "pbmserv")
    try:
        found.program.write_text(f"#!/bin/sh\nPYTHONPATH='{_path()}' exec {_python()} -c '{ENTRY}' \"$@\"\n")
        found.program.chmod(0o755)
        (folder / "pbmserv.toml").write_text(settings)
        shutil.chown(folder, USER)
        yield found
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _python() -> str:
    """A Python of this version that the user may run: ours may lie in root's home."""
    same = f"python{sys.version_info.major}.{sys.version_info.minor}"
    for program in (sys.executable, shutil.which(same, path="/usr/local/bin:/usr/bin")):
        code = f"import sys; sys.path += {sys.path!r}; import pbmserv.cli.main"
        if program and subprocess.run(["runuser", "-u", USER, "--", program, "-c", code]).returncode == 0:
            return program
    pytest.skip(f"the user {USER} can run no {same} with our libraries")


def _path() -> str:
    return ":".join(each for each in sys.path if "site-packages" in each) + f":{Path(__file__).parents[3]}"
