"""The parts of a server as processes of their own, which are killed without warning and started again."""

import os
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.cli.processes import PATIENCE, PBMSERV


@dataclass
class Part:
    """One process, and its log, to which each life adds."""

    word: str
    settings: Mapping[str, str]
    log_file: Path
    process: "subprocess.Popen[bytes] | None" = None
    kills: int = 0
    is_killed: bool = False
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def start(self) -> None:
        """Begins a life; whether it is ready to work is not waited for."""
        if self.process is not None:
            self.process.wait(PATIENCE)
        with self._lock, self.log_file.open("ab") as log:
            self.process = subprocess.Popen(
                [PBMSERV, self.word],
                cwd=self.log_file.parent,
                env=environment(self.settings),
                stdout=log,
                stderr=log,
                stdin=subprocess.DEVNULL,
            )
            self.is_killed = False

    def kill(self, life: "subprocess.Popen[bytes] | None" = None) -> None:
        """Ends it at once by SIGKILL, unless that was done, or another life than the given one has begun."""
        assert self.process is not None
        with self._lock:
            if self.is_killed or life not in (None, self.process):
                return
            self.is_killed = True
            self.kills += 1
            self.process.kill()

    def stop(self) -> None:
        """Ends it in order."""
        assert self.process is not None
        self.process.terminate()
        self.process.wait(PATIENCE)

    def wait(self) -> None:
        """Until it has ended."""
        assert self.process is not None
        self.process.wait(PATIENCE)

    def demand_alive(self) -> None:
        """Only we end it."""
        assert self.process is not None
        code = self.process.poll()
        assert code is None or self.is_killed, f"{self.word} ended by itself with {code}:\n{self.log[-5000:]}"

    @property
    def log(self) -> str:
        """All that its lives have written."""
        return self.log_file.read_text(errors="replace")


def environment(settings: Mapping[str, str]) -> dict[str, str]:
    """What a process of the server is started with: these settings, and none that we were started with."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("PBMSERV_")}
    return inherited | dict(settings)


@contextmanager
def running_parts(settings: Mapping[str, str], folder: Path, *words: str) -> Iterator[tuple[Part, ...]]:
    """`pbmserv WORD` for each word, one twice for two processes; all are killed at the end."""
    parts = tuple(Part(word, settings, folder / f"{number}-{word}.log") for number, word in enumerate(words, 1))
    with ExitStack() as stack:
        for part in parts:
            part.start()
            stack.callback(_finish, part)
        yield parts


def _finish(part: Part) -> None:
    if part.process is not None and part.process.poll() is None:
        part.process.kill()
        part.process.wait(PATIENCE)
