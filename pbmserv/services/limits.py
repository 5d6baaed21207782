"""How much is sent to addresses that gave no proof, counted in SQL: nobody can be bombed through our answers."""

from datetime import timedelta
from enum import Enum, auto
from typing import Final

from sqlalchemy import Connection

from pbmserv.commands.language import Reading
from pbmserv.commands.library import commands
from pbmserv.commands.message import Parsed, Unparsed
from pbmserv.commands.refusals import WrongForm
from pbmserv.services.answer import Answering
from pbmserv.store import outbox

UNPROVEN_AN_HOUR: Final = 20
STRANGERS_A_DAY: Final = 200


class Allowance(Enum):
    """How a mail may be answered: in full, with one short text, with the notice of a limit, or not at all."""

    FULL = auto()
    SHORT = auto()
    LAST_NOTICE = auto()
    SILENCE = auto()


def allowance(connection: Connection, to: Answering, understood: Reading) -> Allowance:
    """What the mail may be answered with. One that may not be answered in full is not carried out either."""
    if to.proven:
        return Allowance.FULL
    an_hour_ago, a_day_ago = to.now - timedelta(hours=1), to.now - timedelta(days=1)
    if outbox.unproven_since(connection, to.recipient, an_hour_ago) >= UNPROVEN_AN_HOUR:
        told = outbox.count_since(connection, ("limit",), an_hour_ago, to.recipient)
        return Allowance.SILENCE if told else Allowance.LAST_NOTICE
    if to.kind != "stranger":
        return Allowance.FULL
    if not understood.lines:
        return Allowance.SILENCE
    if outbox.count_since(connection, ("stranger", "short"), a_day_ago) >= STRANGERS_A_DAY:
        return Allowance.SILENCE
    if any(map(_asks_openly, understood.lines)):
        return Allowance.FULL
    told = outbox.count_since(connection, ("short",), a_day_ago, to.recipient)
    return Allowance.SILENCE if told else Allowance.SHORT


def _asks_openly(line: Parsed | Unparsed) -> bool:
    """Whether a line is, or was meant to be, a command that nobody need be known for."""
    if isinstance(line, Parsed):
        return line.command.kind in ("open", "signup")
    meant = commands().get(line.refused.command) if isinstance(line.refused, WrongForm) else None
    return meant is not None and meant.kind in ("open", "signup")
