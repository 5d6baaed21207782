"""`pbmserv WORDS` as a program of its own, hindered in ways that a test switches on and off by files.

Named in the environment: HINDER_CLOCK, a file that holds by how many seconds the clock of its parts is wrong;
HINDER_TEMPLATES, a folder of templates in the place of ours; HINDER_COMMIT, a file during whose existence the
commit of a mail's handling waits, which `FILE.held` tells; HINDER_BOARD, a file that holds the number of a board
about which no command can be decided without an exception.
"""

import os
import sys
import time
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, event

from pbmserv.cli.main import cli as command_line
from pbmserv.commands.command import Request
from pbmserv.commands.permission import decide
from pbmserv.rendering import templates
from pbmserv.server import parts
from pbmserv.services import run
from pbmserv.services.app import utc_now

ANSWERED = "hindered_answered"


def write_clock(file: Path, seconds: float) -> None:
    """Sets the clock that such a file makes wrong."""
    draft = file.with_suffix(".draft")
    draft.write_text(str(seconds))
    draft.replace(file)


def set_clock_by(file: Path) -> None:
    """From now on the parts' clock is wrong."""

    def wrong_now() -> datetime:
        return utc_now() + timedelta(seconds=float(file.read_text()))

    parts.utc_now = wrong_now  # type: ignore[attr-defined]


def take_templates_from(folder: Path) -> None:
    """From now on these are the templates."""
    templates.templates_folder = lambda: folder  # type: ignore[assignment]


def hold_commits_by(file: Path) -> None:
    """From now on a transaction that has decided an answer waits with its commit while there is such a file."""

    def note(connection: Connection, cursor: Any, statement: str, *_: Any) -> None:
        if statement.startswith("INSERT INTO letters"):
            connection.info[ANSWERED] = True

    def hold(connection: Connection) -> None:
        if connection.info.pop(ANSWERED, False) and file.exists():
            file.with_suffix(".held").touch()
            while file.exists():
                time.sleep(0.02)

    event.listen(Engine, "before_cursor_execute", note)
    event.listen(Engine, "commit", hold)


def stumble_over_the_board_in(file: Path) -> None:
    """From now on a command that names this board raises in the midst of it."""

    def stumble(request: Request, *others: Any) -> Any:
        decided = decide(request, *others)
        if any(ref.number == int(file.read_text()) for ref in request.arguments.boards):
            raise ZeroDivisionError
        return decided

    run.decide = stumble  # type: ignore[assignment, attr-defined]


HINDRANCES = {
    "HINDER_BOARD": stumble_over_the_board_in,
    "HINDER_CLOCK": set_clock_by,
    "HINDER_TEMPLATES": take_templates_from,
    "HINDER_COMMIT": hold_commits_by,
}

if __name__ == "__main__":
    for name, hinder in HINDRANCES.items():
        if name in os.environ:
            hinder(Path(os.environ[name]))
    command_line(sys.argv[1:])
