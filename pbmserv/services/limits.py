"""How many mails are answered, so that nobody is flooded and no machine is answered for ever.

One rule for everybody, counted in SQL:

* Proven commands that change a board or an account: always done and answered. Talk has limits of its own.
* Proven commands that only show something, or change nothing: 60 an hour, then one sentence.
* Words without a command: see `wordy`.
* Whatever proves nothing: 20 answers and 60 kB an hour for an address, then text and one board, then one sentence.
* Unknown senders: see `newcomers`. Sign-ups have places of their own (`sign_ups`).

After the one sentence there is silence, and what is not answered is not run either.
"""

import logging
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import Enum, auto
from typing import Final

from sqlalchemy import Connection

from pbmserv.commands.command import Question
from pbmserv.mail.log_words import pairs
from pbmserv.parser.parsed import Parsed, Unparsed
from pbmserv.services.app import App
from pbmserv.services.compose import ReplyContext, question_mail
from pbmserv.services.pending import PendingMail
from pbmserv.store import confirmations, mail_counts, outbox, outcomes
from pbmserv.store.outbox import MailKind

UNPROVEN_AN_HOUR: Final = 20
UNPROVEN_A_DAY: Final = 100

WHOLE_BYTES: Final = 60_000
FREE_BYTES: Final = 30_000
TIMES_RECEIVED: Final = 20
"""In an hour, to an address: a small forged mail must not cause a large one of ours."""

SHOWN_AN_HOUR: Final = 60
"""How many proven mails that change nothing are answered: a program may answer a personal address with words that
parse as commands. Forged mails do not count."""

NOT_THEIRS_AN_HOUR: Final = 3
"""Warnings to a player that a mail to their personal address does not seem to be theirs: it may be spam."""

QUESTIONS_AN_HOUR: Final = 3
QUESTIONS_A_DAY: Final = 6
QUESTIONS_A_DAY_IN_ALL: Final = 200
UNPROVEN_QUESTIONS_A_DAY: Final = 150
"""Anybody with an account can make us write to any address, but not to all of them."""


class Allowance(Enum):
    """How a mail may be answered."""

    FULL = auto()
    # With the letter to unknown senders.
    LETTER = auto()
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


def allowance(connection: Connection, to: ReplyContext, pending: PendingMail) -> Allowance:
    """How a player's mail with commands may be answered. Unless it may be answered in full, they are not run."""
    if not to.proven:
        return allowance_of_unproven(connection, to)
    may_change = any(map(_may_change, pending.parsed.lines))
    return Allowance.FULL if may_change else allowance_of_shown(connection, to)


def allowance_of_unproven(connection: Connection, to: ReplyContext, most_a_day: int = UNPROVEN_A_DAY) -> Allowance:
    """How a mail may be answered that proves nothing, as far as its number goes."""
    for span, most in ((timedelta(hours=1), UNPROVEN_AN_HOUR), (timedelta(days=1), most_a_day)):
        if mail_counts.unproven_since(connection, to.recipient, to.now - span) >= most:
            return last_notice(connection, to, to.now - span)
    return Allowance.FULL


def allowance_of_shown(connection: Connection, to: ReplyContext) -> Allowance:
    """How a proven mail may be answered that changes nothing."""
    an_hour_ago = to.now - timedelta(hours=1)
    if mail_counts.count_since(connection, ("fruitless",), an_hour_ago, to.recipient) < SHOWN_AN_HOUR:
        return Allowance.FULL
    return last_notice(connection, to, an_hour_ago)


def room_for(connection: Connection, to: ReplyContext, pending: PendingMail) -> Quota:
    """How large an answer may go to an address for a mail that proves nothing."""
    sent, received = outcomes.bytes_since(connection, to.recipient, to.now - timedelta(hours=1))
    at_all = FREE_BYTES + TIMES_RECEIVED * (received + pending.message.size) - sent
    return Quota(min(at_all, WHOLE_BYTES - sent), at_all)


def allowance_of_heavy(connection: Connection, to: ReplyContext) -> Allowance:
    """How a mail may be answered if even the brief answer is too large."""
    return last_notice(connection, to, to.now - timedelta(hours=1))


def may_be_mailed(connection: Connection, address: str, now: datetime) -> bool:
    """Whether an address may be sent a mail that nobody proven has asked for."""
    return mail_counts.unproven_since(connection, address, now - timedelta(hours=1)) < UNPROVEN_AN_HOUR


def may_be_warned(connection: Connection, address: str, now: datetime) -> bool:
    """Whether a player may be warned at this address that a mail does not seem to be theirs."""
    told = mail_counts.count_since(connection, ("not theirs",), now - timedelta(hours=1), address)
    return told < NOT_THEIRS_AN_HOUR and may_be_mailed(connection, address, now)


def may_be_asked(connection: Connection, address: str, now: datetime, is_proven: bool = False) -> bool:
    """Whether a question may go to an address, no matter who caused it.

    Unproven mails cannot use up the day's total: part of it is reserved for proven players.
    """
    an_hour_ago, a_day_ago = now - timedelta(hours=1), now - timedelta(days=1)
    asked: tuple[MailKind, ...] = ("question",)
    return (
        may_be_mailed(connection, address, now)
        and mail_counts.count_since(connection, asked, an_hour_ago, address) < QUESTIONS_AN_HOUR
        and mail_counts.count_since(connection, asked, a_day_ago, address) < QUESTIONS_A_DAY
        and mail_counts.count_since(connection, asked, a_day_ago)
        < (QUESTIONS_A_DAY_IN_ALL if is_proven else UNPROVEN_QUESTIONS_A_DAY)
    )


def last_notice(connection: Connection, to: ReplyContext, since: datetime) -> Allowance:
    """What comes at a limit: one sentence, then silence."""
    told = mail_counts.count_since(connection, ("limit",), since, to.recipient)
    return Allowance.SILENCE if told else Allowance.LAST_NOTICE


def _may_change(line: Parsed | Unparsed) -> bool:
    """Whether a line may change a board or an account, end or begin one, or speak to somebody."""
    return isinstance(line, Parsed) and line.command.kind != "open"


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
        if mail_counts.count_since(connection, ("question",), now - timedelta(days=1)) == UNPROVEN_QUESTIONS_A_DAY:
            log.warning("mails that prove nothing have used up a limit of the day %s", pairs(limit="questions"))
