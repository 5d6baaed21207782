"""Real processes of the server, each with its log in a file."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.cli.usage import usage_of

PATIENCE = 120.0
PBMSERV = str(Path(sys.executable).parent / "pbmserv")


@dataclass
class Running:
    """A process, and where it writes to."""

    process: subprocess.Popen[bytes]
    file: Path

    @property
    def log(self) -> str:
        """All that it has written."""
        return self.file.read_text()

    @property
    def mail_log(self) -> str:
        """The same but for the steward, who may not have looked while something was away."""
        return "\n".join(line for line in self.log.split("\n") if "scheduler" not in line)

    def wait_for(self, what: str) -> None:
        """Until it has written that."""
        wait_for(lambda: what in self.log or self.process.poll() is not None)
        assert what in self.log, self.log

    def pid_of(self, name: str) -> int | None:
        """The process of that name among those that it has started; None while there is none."""
        return next((each.pid for each in usage_of(self.process.pid) if each.name == name), None)

    def end(self) -> int:
        """Waits for its end, and gives the exit code."""
        return self.process.wait(PATIENCE)

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Tells it to stop, and gives the exit code."""
        self.process.send_signal(number)
        return self.end()


@contextmanager
def running(
    settings: dict[str, str],
    folder: Path,
    *words: str,
    program: Path | None = None,
    behind: Sequence[str] = (),
) -> Iterator[Running]:
    """`pbmserv WORDS`, or a program in its place, in a folder; killed at the end if it still runs.

    `behind` is a command that runs it, such as in a network of its own.
    """
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("PBMSERV_")}
    file = folder / f"{'-'.join(words)}.log"
    with file.open("wb") as log:
        process = subprocess.Popen(
            [*behind, *([sys.executable, program] if program else [PBMSERV]), *words],
            cwd=folder,
            env=inherited | settings,
            stdout=log,
            stderr=log,
            stdin=subprocess.DEVNULL,
        )
    try:
        yield Running(process, file)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait(PATIENCE)


def wait_for(what: Callable[[], bool], patience: float = PATIENCE) -> None:
    """Until it is so; a server that hangs is a failure."""
    deadline = time.monotonic() + patience
    while not what():
        assert time.monotonic() < deadline, "the server hangs"
        time.sleep(0.02)


def is_alive(pid: int) -> bool:
    """Whether a process is there, and is not one that nobody has asked yet how it ended."""
    try:
        return ") Z " not in Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
