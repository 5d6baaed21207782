"""How much is sent to addresses that gave no proof, counted in SQL: nobody can be bombed through our answers."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum, auto
from typing import Final

from sqlalchemy import Connection

from pbmserv.commands.library import commands
from pbmserv.commands.message import Parsed, Unparsed
from pbmserv.commands.refusals.common import WrongForm
from pbmserv.commands.verbs.signup import ASKED_AGAIN_AFTER, HELD_UNCONFIRMED
from pbmserv.matches.records import Records
from pbmserv.services import sign_ups
from pbmserv.services.incoming import Opened
from pbmserv.services.letters import Answering
from pbmserv.store import caused, outbox
from pbmserv.store.outbox import TO_STRANGERS, Kind

UNPROVEN_AN_HOUR: Final = 20
UNPROVEN_A_DAY: Final = 100

WHOLE_BYTES: Final = 60_000
FREE_BYTES: Final = 30_000
TIMES_RECEIVED: Final = 20
"""An hour, to an address: a small forged mail must not bring somebody a large one of ours."""

FRUITLESS_AN_HOUR: Final = 40
"""Proven mails that changed nothing count too, and are answered up to this number: a machine may answer a personal
address with words that read as commands. Forged mails alone do not come to so many."""

FRUITFUL: Final = frozenset(
    {"accept", "broadcast", "challenge", "chat", "confirm", "delete", "message", "move", "no", "propose", "reject"}
    | {"rematch", "resign", "signoff", "signup", "undo", "yes"}
    | {"add", "block", "change address", "change password", "revoke", "unblock"}
)
"""Commands that change a board or an account, or end; talk, which does not, has a limit of its own. Settings are
not among them: a machine that answers everything could change one for ever."""

PUZZLED_AN_HOUR: Final = 3
"""Answers to mails without any command: a machine that answers everything comes to rest soon."""

NOT_THEIRS_AN_HOUR: Final = 3
"""Notes to a player that a mail to their personal address does not seem to be theirs: spam may know it."""

QUESTIONS_AN_HOUR: Final = 3
QUESTIONS_A_DAY: Final = 6
QUESTIONS_A_DAY_IN_ALL: Final = 200
UNPROVEN_QUESTIONS_A_DAY: Final = 150
"""Whoever has an account can have us write to any address; not to all the world."""

STRANGERS_A_DAY: Final = 200
"""Sign-ups have a budget of their own (`sign_ups`)."""

A_STRANGER_A_DAY: Final = 20


class Allowance(Enum):
    """How a mail may be answered: in full, with one short text (that there is no room for a newcomer is one),
    with the notice of a limit, or not at all.
    """

    FULL = auto()
    SHORT = auto()
    NO_ROOM = auto()
    LAST_NOTICE = auto()
    SILENCE = auto()


@dataclass(frozen=True, slots=True)
class Room:
    """How many bytes an answer may have to be whole, and to be sent at all."""

    whole: int
    at_all: int


def allowance(connection: Connection, records: Records, to: Answering, opened: Opened) -> Allowance:
    """What the mail may be answered with. One that may not be answered in full is not carried out either."""
    if to.proven:
        is_safe = to.by_password or any(map(_may_bear_fruit, opened.understood.lines))
        return Allowance.FULL if is_safe else allowance_of_fruitless(connection, to)
    lines = opened.understood.lines
    if to.kind == "sign-up" and sign_ups.is_welcome(connection, to.recipient, to.now):
        return Allowance.SILENCE if _is_waited_for(records, to, lines) else Allowance.FULL
    an_hour_ago, a_day_ago = to.now - timedelta(hours=1), to.now - timedelta(days=1)
    if (
        to.kind == "puzzled"
        and outbox.count_since(connection, ("puzzled",), an_hour_ago, to.recipient) >= PUZZLED_AN_HOUR
    ):
        return _last_notice(connection, to, an_hour_ago)
    if outbox.unproven_since(connection, to.recipient, an_hour_ago) >= UNPROVEN_AN_HOUR:
        return _last_notice(connection, to, an_hour_ago)
    is_stranger = to.kind in TO_STRANGERS
    a_day = A_STRANGER_A_DAY if is_stranger else UNPROVEN_A_DAY
    if outbox.unproven_since(connection, to.recipient, a_day_ago) >= a_day:
        return _last_notice(connection, to, a_day_ago)
    if not is_stranger:
        return Allowance.FULL
    if not lines or _is_waited_for(records, to, lines):
        return Allowance.SILENCE
    if to.kind == "sign-up":
        if sign_ups.has_room(connection, opened, to.recipient, to.now):
            return Allowance.FULL
        may_be_told = sign_ups.may_be_turned_away(connection, to.recipient, to.now)
        return Allowance.NO_ROOM if may_be_told else Allowance.SILENCE
    if outbox.count_since(connection, ("stranger", "short"), a_day_ago) >= STRANGERS_A_DAY:
        return Allowance.SILENCE
    if any(map(_asks_openly, lines)):
        return Allowance.FULL
    told = outbox.count_since(connection, ("short",), a_day_ago, to.recipient)
    return Allowance.SILENCE if told else Allowance.SHORT


def allowance_of_fruitless(connection: Connection, to: Answering) -> Allowance:
    """What a proven mail may be answered with that changes no board."""
    an_hour_ago = to.now - timedelta(hours=1)
    if outbox.unproven_since(connection, to.recipient, an_hour_ago) < FRUITLESS_AN_HOUR:
        return Allowance.FULL
    return _last_notice(connection, to, an_hour_ago)


def room_for(connection: Connection, to: Answering, opened: Opened) -> Room:
    """How large an answer may go to an address for a mail that proves nothing."""
    sent, received = caused.weight_since(connection, to.recipient, to.now - timedelta(hours=1))
    at_all = FREE_BYTES + TIMES_RECEIVED * (received + opened.kept.size) - sent
    return Room(min(at_all, WHOLE_BYTES - sent), at_all)


def allowance_of_heavy(connection: Connection, to: Answering) -> Allowance:
    """What a mail may be answered with whose answer is too large even in brief."""
    return _last_notice(connection, to, to.now - timedelta(hours=1))


def may_be_told(connection: Connection, address: str, now: datetime) -> bool:
    """Whether an address may be sent what neither was proven nor asks for anything."""
    return outbox.unproven_since(connection, address, now - timedelta(hours=1)) < UNPROVEN_AN_HOUR


def may_be_warned(connection: Connection, address: str, now: datetime) -> bool:
    """Whether a player may be told there that a mail was not understood to be theirs."""
    told = outbox.count_since(connection, ("not theirs",), now - timedelta(hours=1), address)
    return told < NOT_THEIRS_AN_HOUR and may_be_told(connection, address, now)


def may_be_asked(connection: Connection, address: str, now: datetime, is_proven: bool = False) -> bool:
    """Whether a question may go to an address, whoever brought it about.

    Mails that prove nothing cannot use up the day's total: a part of it is for players who have proven to be such.
    """
    an_hour_ago, a_day_ago = now - timedelta(hours=1), now - timedelta(days=1)
    asked: tuple[Kind, ...] = ("question",)
    return (
        may_be_told(connection, address, now)
        and outbox.count_since(connection, asked, an_hour_ago, address) < QUESTIONS_AN_HOUR
        and outbox.count_since(connection, asked, a_day_ago, address) < QUESTIONS_A_DAY
        and outbox.count_since(connection, asked, a_day_ago)
        < (QUESTIONS_A_DAY_IN_ALL if is_proven else UNPROVEN_QUESTIONS_A_DAY)
    )


def _last_notice(connection: Connection, to: Answering, since: datetime) -> Allowance:
    told = outbox.count_since(connection, ("limit",), since, to.recipient)
    return Allowance.SILENCE if told else Allowance.LAST_NOTICE


def _may_bear_fruit(line: Parsed | Unparsed) -> bool:
    """Whether a line may change a board or an account; what only shows something may not."""
    return isinstance(line, Parsed) and line.command.name in FRUITFUL


def _is_waited_for(records: Records, to: Answering, lines: Sequence[Parsed | Unparsed]) -> bool:
    """Whether the address was mailed a welcome of late and has not answered: till then nothing more goes there."""
    owner = records.owner_of(to.recipient)
    if owner is None or records.signed_up(owner) <= to.now - HELD_UNCONFIRMED:
        return False
    is_sign_up = isinstance(lines[0], Parsed) and lines[0].command.name == "signup"
    return not is_sign_up or records.signed_up(owner) > to.now - ASKED_AGAIN_AFTER


def _asks_openly(line: Parsed | Unparsed) -> bool:
    """Whether a line is, or was meant to be, a command that nobody need be known for."""
    if isinstance(line, Parsed):
        return line.command.kind in ("open", "signup")
    meant = commands().get(line.refused.command) if isinstance(line.refused, WrongForm) else None
    return meant is not None and meant.kind in ("open", "signup")
