"""How a command is declared: once, and everything else is made from it.

The parser, the usage in a refusal, `help X`, the web help and README's table all come from one `Command` value.
A form is written as people read it and is what `commands.forms` parses by:

    [game] move board [userid password] move[#ply]
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from pbmserv.commands.decision import Decision
from pbmserv.commands.message import Request
from pbmserv.matches.records import Records
from pbmserv.matches.refusals import Refused

Kind = Literal["open", "opening", "binding", "signup"]
"""Who may: anybody; the owner of the From address, for it binds nobody; only with proof; somebody unknown."""

Run = Callable[[Request, Records, datetime], Decision | Refused]
"""Decides purely; the time is when the mail was kept."""


@dataclass(frozen=True, slots=True)
class Command:
    """`name` may be two words; `example` is a line that works as it stands, given such a board and player."""

    name: str
    kind: Kind
    forms: tuple[str, ...]
    summary: str
    example: str
    run: Run
