"""Running the command line inside the test's process."""

import json
import os
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any
from unittest.mock import patch

from argon2 import PasswordHasher
from click.testing import CliRunner
from sqlalchemy import Engine

from pbmserv.cli.config import load_settings
from pbmserv.cli.main import cli
from pbmserv.services.app import App, utc_now
from pbmserv.store.engine import open_engine
from tests.conftest import Clock, migrated_file
from tests.services.post import Post


@dataclass(frozen=True)
class Done:
    """What a command came to."""

    code: int
    out: str
    err: str

    @property
    def sentence(self) -> str:
        """The one line on standard error."""
        (line,) = self.err.strip().splitlines()
        return line

    @property
    def rows(self) -> Any:
        """What was printed for scripts."""
        return json.loads(self.out)


@dataclass
class Terminal:
    """A folder, and settings in its environment."""

    folder: Path
    settings: dict[str, str] = field(default_factory=dict)

    def run(self, *words: str, stdin: bytes | str = "") -> Done:
        """Runs `pbmserv WORDS`. An exception that is not the program's own end is raised."""
        engines: list[Engine] = []

        def noted(url: str) -> Engine:
            engines.append(open_engine(url))
            return engines[-1]

        umask = os.umask(0o022)
        with patch("pbmserv.cli.database.open_engine", noted):
            done = CliRunner().invoke(cli, words, input=stdin, env=self.settings)
        os.umask(umask)  # it has set its own, in what is the tests' process
        for engine in engines:
            engine.dispose()  # as the end of a process does
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        return Done(done.exit_code, done.stdout, done.stderr)

    def succeed(self, *words: str, stdin: bytes | str = "") -> str:
        """Runs what must go well, and gives what it printed."""
        done = self.run(*words, stdin=stdin)
        assert done.code == 0, done.err
        return done.out

    def put_database(self) -> None:
        """What `pbmserv migrate` makes in an empty folder, and much sooner."""
        file = self.folder / "data" / "pbmserv.db"
        file.parent.mkdir(mode=0o700)
        file.touch(0o600)
        file.write_bytes(migrated_file())

    def post(self) -> Post:
        """The post of the server in this folder, by the real clock."""
        with CliRunner().isolation(env=self.settings):
            settings = load_settings()
        hasher = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
        tokens = iter(range(10**6))
        started = f"{utc_now().timestamp() * 1_000_000:.0f}"
        house = App(
            open_engine(settings.database_url), settings.server(), lambda: f"c{started}{next(tokens)}", hasher
        )
        return Post(house, RealClock())


class RealClock(Clock):
    """The clock on the wall, as a clock that could be moved."""

    def __call__(self) -> datetime:
        """Now."""
        return utc_now()
