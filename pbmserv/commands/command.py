"""A command: its declaration, and what it decides."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from pbmserv.commands.decision import Decision
from pbmserv.commands.declaration import Declaration
from pbmserv.commands.message import Request
from pbmserv.matches.records import Records
from pbmserv.matches.refusals import Refused

Run = Callable[[Request, Records, datetime], Decision | Refused]
"""Decides purely; the time is when the mail was kept."""


@dataclass(frozen=True, slots=True)
class Command(Declaration):
    """A declaration that can be run."""

    run: Run
