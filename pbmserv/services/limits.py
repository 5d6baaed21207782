"""Limits what we send to unproven addresses, so that nobody can be flooded with our answers."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import Enum, auto
from typing import Final

from sqlalchemy import Connection

from pbmserv.commands.base.decision import Question
from pbmserv.commands.base.lookup import WrongForm
from pbmserv.commands.base.registry import commands
from pbmserv.commands.signup import ASKED_AGAIN_AFTER, HELD_UNCONFIRMED
from pbmserv.matches.queries import Queries
from pbmserv.parser.parsed import Parsed, Unparsed
from pbmserv.services import sign_ups
from pbmserv.services.app import App
from pbmserv.services.compose import ReplyContext, question_mail
from pbmserv.services.pending import PendingMail
from pbmserv.store import confirmations, outbox, outcomes
from pbmserv.store.outbox import TO_UNKNOWN_SENDERS, MailKind

UNPROVEN_AN_HOUR: Final = 20
UNPROVEN_A_DAY: Final = 100

WHOLE_BYTES: Final = 60_000
FREE_BYTES: Final = 30_000
TIMES_RECEIVED: Final = 20
"""In an hour, to an address: a small forged mail must not cause a large one of ours."""

FRUITLESS_AN_HOUR: Final = 40
"""How many proven mails that change nothing are answered: a program may answer a personal address with words that
parse as commands. Forged mails alone do not reach this number."""

FRUITFUL: Final = frozenset(
    {"accept", "broadcast", "challenge", "chat", "confirm", "delete", "message", "move", "no", "propose", "reject"}
    | {"practice", "rematch", "resign", "signoff", "signup", "undo", "yes"}
    | {"add", "block", "change address", "change password", "revoke", "unblock"}
)
"""Commands that change a board or an account, or start or end one; talk has its own limit. Settings do not count:
a program that answers everything could change one for ever."""

UNRECOGNISED_AN_HOUR: Final = 3
"""Answers to mails without a command: this soon stops a program that answers everything."""

NOT_THEIRS_AN_HOUR: Final = 3
"""Warnings to a player that a mail to their personal address does not seem to be theirs: it may be spam."""

QUESTIONS_AN_HOUR: Final = 3
QUESTIONS_A_DAY: Final = 6
QUESTIONS_A_DAY_IN_ALL: Final = 200
UNPROVEN_QUESTIONS_A_DAY: Final = 150
"""Anybody with an account can make us write to any address, but not to all of them."""

UNKNOWN_SENDERS_A_DAY: Final = 200
"""Sign-ups have a limit of their own (`sign_ups`)."""

UNKNOWN_SENDER_A_DAY: Final = 20


class Allowance(Enum):
    """How a mail may be answered."""

    FULL = auto()
    # With one short text.
    SHORT = auto()
    # With the text that there is no room for new players today.
    NO_ROOM = auto()
    # With the text that a limit is reached.
    LAST_NOTICE = auto()
    SILENCE = auto()


@dataclass(frozen=True, slots=True)
class Quota:
    """How many bytes an answer may have."""

    # To be sent whole.
    whole: int
    # To be sent at all.
    at_all: int


def allowance(connection: Connection, records: Queries, to: ReplyContext, pending: PendingMail) -> Allowance:
    """How the mail may be answered. Unless it may be answered in full, its commands are not run."""
    if to.proven:
        is_safe = to.by_password or any(map(_may_bear_fruit, pending.parsed.lines))
        return Allowance.FULL if is_safe else allowance_of_fruitless(connection, to)
    lines = pending.parsed.lines
    if to.kind == "sign-up" and sign_ups.is_welcome(connection, to.recipient, to.now):
        return Allowance.SILENCE if _is_waited_for(records, to, lines) else Allowance.FULL
    an_hour_ago, a_day_ago = to.now - timedelta(hours=1), to.now - timedelta(days=1)
    if (
        to.kind == "puzzled"
        and outbox.count_since(connection, ("puzzled",), an_hour_ago, to.recipient) >= UNRECOGNISED_AN_HOUR
    ):
        return _last_notice(connection, to, an_hour_ago)
    if outbox.unproven_since(connection, to.recipient, an_hour_ago) >= UNPROVEN_AN_HOUR:
        return _last_notice(connection, to, an_hour_ago)
    is_stranger = to.kind in TO_UNKNOWN_SENDERS
    a_day = UNKNOWN_SENDER_A_DAY if is_stranger else UNPROVEN_A_DAY
    if outbox.unproven_since(connection, to.recipient, a_day_ago) >= a_day:
        return _last_notice(connection, to, a_day_ago)
    if not is_stranger:
        return Allowance.FULL
    if not lines or _is_waited_for(records, to, lines):
        return Allowance.SILENCE
    if to.kind == "sign-up":
        if sign_ups.has_room(connection, pending, to.recipient, to.now):
            return Allowance.FULL
        may_be_mailed = sign_ups.may_be_turned_away(connection, to.recipient, to.now)
        return Allowance.NO_ROOM if may_be_mailed else Allowance.SILENCE
    if outbox.count_since(connection, ("stranger", "short"), a_day_ago) >= UNKNOWN_SENDERS_A_DAY:
        return Allowance.SILENCE
    if any(map(_asks_openly, lines)):
        return Allowance.FULL
    told = outbox.count_since(connection, ("short",), a_day_ago, to.recipient)
    return Allowance.SILENCE if told else Allowance.SHORT


def allowance_of_fruitless(connection: Connection, to: ReplyContext) -> Allowance:
    """How a proven mail may be answered that changes nothing."""
    an_hour_ago = to.now - timedelta(hours=1)
    if outbox.unproven_since(connection, to.recipient, an_hour_ago) < FRUITLESS_AN_HOUR:
        return Allowance.FULL
    return _last_notice(connection, to, an_hour_ago)


def room_for(connection: Connection, to: ReplyContext, pending: PendingMail) -> Quota:
    """How large an answer may go to an address for a mail that proves nothing."""
    sent, received = outcomes.bytes_since(connection, to.recipient, to.now - timedelta(hours=1))
    at_all = FREE_BYTES + TIMES_RECEIVED * (received + pending.message.size) - sent
    return Quota(min(at_all, WHOLE_BYTES - sent), at_all)


def allowance_of_heavy(connection: Connection, to: ReplyContext) -> Allowance:
    """How a mail may be answered if even the brief answer is too large."""
    return _last_notice(connection, to, to.now - timedelta(hours=1))


def may_be_mailed(connection: Connection, address: str, now: datetime) -> bool:
    """Whether an address may be sent a mail that nobody proven has asked for."""
    return outbox.unproven_since(connection, address, now - timedelta(hours=1)) < UNPROVEN_AN_HOUR


def may_be_warned(connection: Connection, address: str, now: datetime) -> bool:
    """Whether a player may be warned at this address that a mail does not seem to be theirs."""
    told = outbox.count_since(connection, ("not theirs",), now - timedelta(hours=1), address)
    return told < NOT_THEIRS_AN_HOUR and may_be_mailed(connection, address, now)


def may_be_asked(connection: Connection, address: str, now: datetime, is_proven: bool = False) -> bool:
    """Whether a question may go to an address, no matter who caused it.

    Unproven mails cannot use up the day's total: part of it is reserved for proven players.
    """
    an_hour_ago, a_day_ago = now - timedelta(hours=1), now - timedelta(days=1)
    asked: tuple[MailKind, ...] = ("question",)
    return (
        may_be_mailed(connection, address, now)
        and outbox.count_since(connection, asked, an_hour_ago, address) < QUESTIONS_AN_HOUR
        and outbox.count_since(connection, asked, a_day_ago, address) < QUESTIONS_A_DAY
        and outbox.count_since(connection, asked, a_day_ago)
        < (QUESTIONS_A_DAY_IN_ALL if is_proven else UNPROVEN_QUESTIONS_A_DAY)
    )


def _last_notice(connection: Connection, to: ReplyContext, since: datetime) -> Allowance:
    told = outbox.count_since(connection, ("limit",), since, to.recipient)
    return Allowance.SILENCE if told else Allowance.LAST_NOTICE


def _may_bear_fruit(line: Parsed | Unparsed) -> bool:
    """Whether a line may change a board or an account."""
    return isinstance(line, Parsed) and line.command.name in FRUITFUL


def _is_waited_for(records: Queries, to: ReplyContext, lines: Sequence[Parsed | Unparsed]) -> bool:
    """Whether the address was sent a welcome recently and has not answered: until then it gets nothing more."""
    owner = records.owner_of(to.recipient)
    if owner is None or records.signed_up(owner) <= to.now - HELD_UNCONFIRMED:
        return False
    is_sign_up = isinstance(lines[0], Parsed) and lines[0].command.name == "signup"
    return not is_sign_up or records.signed_up(owner) > to.now - ASKED_AGAIN_AFTER


def _asks_openly(line: Parsed | Unparsed) -> bool:
    """Whether a line is, or was meant to be, a command that anybody may use."""
    if isinstance(line, Parsed):
        return line.command.kind in ("open", "signup")
    meant = commands().get(line.error.command) if isinstance(line.error, WrongForm) else None
    return meant is not None and meant.kind in ("open", "signup")


log = logging.getLogger(__name__)


def ask(
    connection: Connection,
    app: App,
    question: Question,
    inbox_id: int | None,
    now: datetime,
    is_proven: bool = False,
) -> None:
    """Mails a question and opens it, unless it was asked recently or the address has had too many mails.

    Anybody can cause such mails: they must not crowd out the one that matters to the owner of the address.
    """
    asked = question.confirmation
    since = now - timedelta(days=question.rests_days)
    if question.rests_days and confirmations.was_asked_since(connection, asked.about, since):
        return
    if not question.is_due and not may_be_asked(connection, asked.address, now, is_proven):
        return
    message = question_mail(app, question, inbox_id, now)
    player_id = confirmations.ask(connection, message.token, asked, now)
    if player_id is not None:
        # Only the first mail belongs to the player: a later one may have been requested by somebody else.
        owner = player_id if asked.kind == "sign-up" else None
        outbox.queue(connection, [replace(message, player_id=owner)], now)
        if outbox.count_since(connection, ("question",), now - timedelta(days=1)) == UNPROVEN_QUESTIONS_A_DAY:
            log.warning("the day's questions to addresses are used up by mails that prove nothing")
