"""Spends what mails cost, and decides by the policy (`commands.policy`) how a mail may be answered.

After the one notice of a limit there is silence, and what is not answered is not run either.
"""

import logging
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import Enum, auto
from functools import partial

from sqlalchemy import Connection

from pbmserv.commands import policy
from pbmserv.commands.command import Question
from pbmserv.commands.policy import HOUR, Counted, Limit
from pbmserv.mail.log_words import pairs
from pbmserv.parser.parsed import Parsed, Unparsed
from pbmserv.services.app import App
from pbmserv.services.authenticate import VerifiedCredentials
from pbmserv.services.compose import ReplyContext, question_mail
from pbmserv.services.pending import PendingMail
from pbmserv.store import confirmations, counts, outbox
from pbmserv.store.outbox import MailKind, OutboxMessage

log = logging.getLogger(__name__)


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


def left(connection: Connection, limit: Limit, of: str, now: datetime) -> int:
    """How many more there may be now of what is limited."""
    return limit.left(partial(counts.total, connection), of, now)


def spend(connection: Connection, counted: Iterable[Counted], now: datetime) -> None:
    """Counts what was decided, for all limits that look at it."""
    counts.add(connection, counted, now)


def cost(kind: MailKind, address: str, is_proven: bool) -> tuple[Counted, ...]:
    """What a mail to an address costs that somebody has caused. Whoever did may have proven who they are."""
    unproven = () if is_proven else (policy.ANSWERS_AN_HOUR.count(address),)
    match kind:
        case "fruitless":
            return (*unproven, policy.SHOWN.count(address))
        case "stranger":
            return (*unproven, policy.STRANGERS_A_DAY.count())
        case "limit":
            return (*unproven, Counted(policy.NOTICE, address))
        case "no room":
            return (*unproven, policy.NO_ROOM.count(address), policy.NO_ROOM_IN_ALL.count())
        case "not theirs":
            return (*unproven, policy.NOT_THEIRS.count(address))
        case "address":
            return (*unproven, policy.OWN_ADDRESS.count(address))
        case "question":
            return (*unproven, policy.QUESTIONS_AN_HOUR.count(address), policy.ALL_QUESTIONS.count())
        case _:
            return unproven


def send(connection: Connection, message: OutboxMessage, now: datetime, received: int = 0) -> None:
    """Queues a mail that somebody has caused, and spends its cost; `received` is how many bytes their mail had."""
    spend(connection, cost(message.kind, message.recipient, message.proven), now)
    if not message.proven:
        sizes = (
            policy.BYTES.count(message.recipient, len(message.raw)),
            Counted(policy.BYTES_RECEIVED, message.recipient, received),
        )
        spend(connection, sizes, now)
    outbox.queue(connection, [message], now)


def allowance(connection: Connection, to: ReplyContext, pending: PendingMail) -> Allowance:
    """How a player's mail with commands may be answered. Unless it may be answered in full, they are not run."""
    if not to.proven:
        return allowance_of(connection, to, policy.ANSWERS_AN_HOUR, policy.ANSWERS_A_DAY)
    may_change = any(map(_may_change, pending.parsed.lines))
    return Allowance.FULL if may_change else allowance_of(connection, to, policy.SHOWN)


def allowance_of(connection: Connection, to: ReplyContext, *limits: Limit) -> Allowance:
    """How a mail may be answered as far as these limits of its address go."""
    for limit in limits:
        if left(connection, limit, to.recipient, to.now) <= 0:
            return last_notice(connection, to, limit.per)
    return Allowance.FULL


def last_notice(connection: Connection, to: ReplyContext, per: timedelta = HOUR) -> Allowance:
    """What comes at a limit: one sentence, then silence."""
    told = counts.total(connection, policy.NOTICE, to.recipient, to.now - per)
    return Allowance.SILENCE if told else Allowance.LAST_NOTICE


def room_for(connection: Connection, to: ReplyContext, pending: PendingMail) -> Quota:
    """How large an answer may go to an address for a mail that proves nothing."""
    received = counts.total(connection, policy.BYTES_RECEIVED, to.recipient, to.now - HOUR) + pending.message.size
    at_all = left(connection, policy.FREE_BYTES, to.recipient, to.now) + policy.TIMES_RECEIVED * received
    return Quota(min(at_all, left(connection, policy.BYTES, to.recipient, to.now)), at_all)


def may_be_mailed(connection: Connection, address: str, now: datetime) -> bool:
    """Whether an address may be sent a mail that nobody proven has asked for."""
    return left(connection, policy.ANSWERS_AN_HOUR, address, now) > 0


def _may_be_asked(connection: Connection, address: str, now: datetime, is_proven: bool) -> bool:
    """Whether a question may go to an address, no matter who caused it.

    Unproven mails cannot use up the day's total: part of it is reserved for proven players.
    """
    in_all = policy.ALL_QUESTIONS if is_proven else policy.UNPROVEN_QUESTIONS
    theirs = (policy.QUESTIONS_AN_HOUR, policy.QUESTIONS_A_DAY)
    return (
        may_be_mailed(connection, address, now)
        and all(left(connection, limit, address, now) > 0 for limit in theirs)
        and left(connection, in_all, "", now) > 0
    )


def _may_change(line: Parsed | Unparsed) -> bool:
    """Whether a line may change a board or an account, end or begin one, or speak to somebody."""
    return isinstance(line, Parsed) and line.command.kind != "open"


def ask(
    connection: Connection,
    app: App,
    question: Question,
    inbox_id: int | None,
    now: datetime,
    is_proven: bool = False,
) -> None:
    """Opens a question and mails it, unless it was asked recently or the address has had too many mails.

    Anybody can cause such mails: they must not crowd out the one that matters to the owner of the address.
    """
    asked = question.confirmation
    since = now - timedelta(days=question.rests_days)
    if question.rests_days and confirmations.was_asked_since(connection, asked.about, since):
        return
    if not question.is_due and not _may_be_asked(connection, asked.address, now, is_proven):
        return
    opened = confirmations.ask(connection, asked, now)
    if opened is not None:
        message = question_mail(app, question, inbox_id, now)
        send(connection, replace(message, asks=opened.id, player_id=opened.newcomer_id), now)
        if left(connection, policy.UNPROVEN_QUESTIONS, "", now) == 0:
            log.warning("mails that prove nothing have used up a limit of the day %s", pairs(limit="questions"))


def too_many_guesses(
    connection: Connection, userids: Iterable[str], pending: PendingMail, now: datetime
) -> frozenset[str]:
    """Those of the userids, in lower case, whose passwords are not accepted in that mail.

    Even a right one is refused, so that a guesser does not learn it. Players who write from their own address are
    not locked out by the guesses of others: there only failed logins from that address count. Somebody who forges
    it can lock its owner's password out for mail from there, for an hour.
    """
    asked = {userid.lower() for userid in userids}
    if not asked:
        return frozenset()
    sender, identity = pending.mail.sender or "", pending.identity
    home = identity.player.userid.lower() if identity.player else None

    def is_used_up(limit: Limit, of: str) -> bool:
        return left(connection, limit, of, now) <= 0

    # A mail that its domain vouches for is not forged.
    is_locked = not identity.is_believed and is_used_up(policy.WRONG_FROM_HOME, f"{home} {sender}")
    resting = {home} if is_locked else set()
    strange = asked - {home}
    if strange and (is_used_up(policy.WRONG_FROM_SENDER, sender or "-") or is_used_up(policy.WRONG_IN_ALL, "")):
        return frozenset(asked & (strange | resting))
    resting |= {userid for userid in strange if is_used_up(policy.WRONG_FOR_USERID, userid)}
    return frozenset(asked & resting)


def count_failed_logins(
    connection: Connection, credentials: VerifiedCredentials, pending: PendingMail, now: datetime
) -> VerifiedCredentials:
    """Notes a failed login, and applies the limits again: others may have guessed meanwhile."""
    later = too_many_guesses(connection, credentials.stored_hashes, pending, now)
    if credentials.failed_claim is not None:
        spend(connection, cost_of_guess(credentials.failed_claim.userid, pending.mail.sender), now)
    return replace(credentials, rate_limited=credentials.rate_limited | later)


def cost_of_guess(userid: str, sender: str | None) -> tuple[Counted, ...]:
    """What a wrong password costs; all mails without a usable sender count as from one."""
    return (
        policy.WRONG_FOR_USERID.count(userid.lower()),
        policy.WRONG_FROM_HOME.count(f"{userid.lower()} {sender or ''}"),
        policy.WRONG_FROM_SENDER.count(sender or "-"),
        policy.WRONG_IN_ALL.count(),
    )
