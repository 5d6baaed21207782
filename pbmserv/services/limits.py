"""Spends what mails cost, and decides by the policy (`commands.policy`) how a mail may be answered.

After the one notice of a limit there is silence, and what is not answered is not run either. The address of an
unknown sender may be somebody else's, so little goes there. A sign-up is answered as long as there is room; its
place is given back once the address confirms. For anything else there must be no sign that the address is forged:
then an open command is answered, and a person who writes anything else gets a letter without their words.
"""

import logging
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import Enum, auto
from functools import partial

from sqlalchemy import Connection

from pbmserv.commands import policy
from pbmserv.commands.address import ASKED_AGAIN_AFTER, HELD_UNCONFIRMED
from pbmserv.commands.changes import NewPassword
from pbmserv.commands.command import Question, commands
from pbmserv.commands.letter import Asked, Letter, MailCause, MailKind
from pbmserv.commands.lookup import WrongForm
from pbmserv.commands.policy import HOUR, Counted, Limit
from pbmserv.commands.server import Server
from pbmserv.games import games
from pbmserv.games.info import Info
from pbmserv.mail.log_words import pairs
from pbmserv.matches.queries import ListingQuery, Queries
from pbmserv.parser.parsed import Parsed, Unparsed
from pbmserv.services.authenticate import VerifiedCredentials
from pbmserv.services.compose import ReplyContext
from pbmserv.services.pending import PendingMail
from pbmserv.services.unit_of_work import UnitOfWork
from pbmserv.store import accounts, confirmations, counts, players

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
    """What a mail to an address costs that somebody has caused. They may have proven who they are."""
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


def send(work: UnitOfWork, letter: Letter) -> None:
    """Has a letter written that somebody has caused, and spends its cost, but for its bytes."""
    counted = cost(letter.kind, letter.recipient, letter.cause.proven)
    if not letter.cause.proven:
        counted = (*counted, Counted(policy.BYTES_RECEIVED, letter.recipient, letter.size))
    spend(work.connection, counted, work.now)
    work.say([letter])


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
            return last_notice(connection, to.recipient, to.now, limit.per)
    return Allowance.FULL


def last_notice(connection: Connection, address: str, now: datetime, per: timedelta = HOUR) -> Allowance:
    """What comes at a limit: one sentence, then silence."""
    return (
        Allowance.SILENCE if counts.total(connection, policy.NOTICE, address, now - per) else Allowance.LAST_NOTICE
    )


def room_for(connection: Connection, address: str, now: datetime) -> Quota:
    """How large an answer may go to an address for a mail that proves nothing, and whose size is counted."""
    received = counts.total(connection, policy.BYTES_RECEIVED, address, now - HOUR)
    at_all = left(connection, policy.FREE_BYTES, address, now) + policy.TIMES_RECEIVED * received
    return Quota(min(at_all, left(connection, policy.BYTES, address, now)), at_all)


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


def ask(work: UnitOfWork, question: Question, inbox_id: int | None = None, is_proven: bool = False) -> None:
    """Opens a question and mails it, unless it was asked recently or the address has had too many mails.

    Anybody can cause such mails: they must not crowd out the one that matters to the owner of the address.
    """
    connection, asked, now = work.connection, question.confirmation, work.now
    since = now - timedelta(days=question.rests_days)
    if question.rests_days and confirmations.was_asked_since(connection, asked.about, since):
        return
    if not question.is_due and not _may_be_asked(connection, asked.address, now, is_proven):
        return
    opened = confirmations.ask(connection, asked, now)
    if opened is None:
        return
    # Only the first mail belongs to the player: a later one may have been requested by somebody else.
    owner = asked.userid if asked.kind == "sign-up" else ""
    cause, said = MailCause(inbox_id, proven=False), Asked(question.words, asked)
    send(work, Letter(said, "question", asked.address, cause=cause, owner=owner, asks=opened.id))
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


def allowance_of_newcomer(
    connection: Connection, records: Queries, to: ReplyContext, pending: PendingMail
) -> Allowance:
    """How the mail of an unknown sender may be answered. Unless that is in full, its commands are not run."""
    lines = pending.parsed.lines
    is_sign_up = to.kind == "sign-up"
    if is_sign_up and _is_welcome(connection, to):
        return Allowance.SILENCE if _is_waited_for(records, to, lines[0]) else Allowance.FULL
    allowed = allowance_of(connection, to, policy.ANSWERS_AN_HOUR, policy.STRANGER_A_DAY)
    if allowed is not Allowance.FULL:
        return allowed
    if lines and _is_waited_for(records, to, lines[0]):
        return Allowance.SILENCE
    if is_sign_up:
        return _allowance_of_sign_up(connection, to, pending)
    if pending.mail.unwelcome is not None or left(connection, policy.STRANGERS_A_DAY, "", to.now) <= 0:
        return Allowance.SILENCE
    if any(map(_asks_openly, lines)):
        return Allowance.FULL
    has_room = all(left(connection, limit, of, to.now) > 0 for limit, of in _letters_to(to.recipient))
    return Allowance.LETTER if has_room else Allowance.SILENCE


def letter_to_newcomer(connection: Connection, records: Queries, to: ReplyContext, pending: PendingMail) -> Letter:
    """The letter: what was asked, what this is, how to open an account, and where to see a game. It is counted."""
    mailbox, wants = policy.mailbox_of(to.recipient), pending.parsed.wants_account
    asked = f"{mailbox} {'account' if wants else pending.wishes.first}"
    before, of_these = (
        policy.LETTERS.most - left(connection, policy.LETTERS, of, to.now) for of in (mailbox, asked)
    )
    counted = (policy.STRANGERS_A_DAY.count(), policy.LETTERS.count(asked))
    spend(connection, (*counted, *(limit.count(of) for limit, of in _letters_to(to.recipient))), to.now)
    newest = next(iter(records.boards(ListingQuery(count=1)).lines), None)
    return to.fixed_answer(
        "mail/stranger.txt",
        "signup" if wants else "your mail",
        "short",
        board=newest.number if newest else None,
        has_commands=bool(pending.parsed.lines),
        form=pending.mail.unread,
        number=before + 1,
        wishes=replace(pending.wishes, names=pending.wishes.names[:1]),
        is_again=of_these > 0,
        wants_account=wants,
        game=example_game(pending.identity.server, pending.wishes.game),
        is_waited_for=_waits_since(records, to) is not None,
    )


def example_game(server: Server, named: str) -> Info:
    """The game that examples are of where no board is meant: the one that a mail has named, if any."""
    return (games().get(named or server.default_game) or next(iter(games().values()))).info


def cost_of_sign_up(pending: PendingMail, address: str) -> tuple[Counted, ...]:
    """The places that a sign-up takes, until its address confirms."""
    if pending.identity.is_believed:
        return ()
    places = (*places_of(address, pending.message.host), (policy.INVITED, address))
    return tuple(limit.count(of, owner=address) for limit, of in places)


def used_up(connection: Connection, pending: PendingMail, to: ReplyContext) -> tuple[str, ...]:
    """In words for the log, the places of which the sign-up just answered has taken the last."""
    if pending.identity.is_believed:
        return ()
    return tuple(
        f"{limit.most} {'in all' if limit is policy.SIGN_UPS else f'by {limit.by}'}"
        for limit, of in places_of(to.recipient, pending.message.host)
        if left(connection, limit, of, to.now) == 0
    )


def _is_welcome(connection: Connection, to: ReplyContext) -> bool:
    """Whether somebody was invited, and so is let in whatever others do."""
    since = to.now - policy.INVITATION_LASTS
    is_invited = counts.total(connection, policy.INVITATION, to.recipient, since) > 0
    return is_invited and left(connection, policy.INVITED, to.recipient, to.now) > 0


def _letters_to(address: str) -> tuple[tuple[Limit, str], ...]:
    family = policy.domain_of(address)
    of_domain = policy.LETTERS_A_PROVIDER if family in policy.PROVIDERS else policy.LETTERS_A_DOMAIN
    return (policy.LETTERS, policy.mailbox_of(address)), (of_domain, family)


def places_of(address: str, host: str | None = None) -> tuple[tuple[Limit, str], ...]:
    """The limits that count a sign-up from that address, and what each counts it by."""
    family = policy.domain_of(address)
    of_domain = policy.SIGN_UPS_A_PROVIDER if family in policy.PROVIDERS else policy.SIGN_UPS_A_DOMAIN
    places = ((policy.SIGN_UPS, ""), (of_domain, family))
    return places if host is None else (*places, (policy.SIGN_UPS_A_HOST, host))


def _allowance_of_sign_up(connection: Connection, to: ReplyContext, pending: PendingMail) -> Allowance:
    places = places_of(to.recipient, pending.message.host)
    if pending.identity.is_believed or all(left(connection, limit, of, to.now) > 0 for limit, of in places):
        return Allowance.FULL
    turned_away = ((policy.NO_ROOM, to.recipient), (policy.NO_ROOM_IN_ALL, ""))
    may_be_told = all(left(connection, limit, of, to.now) > 0 for limit, of in turned_away)
    return Allowance.NO_ROOM if may_be_told else Allowance.SILENCE


def _is_waited_for(records: Queries, to: ReplyContext, first: Parsed | Unparsed) -> bool:
    """Whether the address was sent a welcome recently and has not answered: until then no command is run."""
    since = _waits_since(records, to)
    if since is None:
        return False
    is_sign_up = isinstance(first, Parsed) and first.command.name == "signup"
    return not is_sign_up or since > to.now - ASKED_AGAIN_AFTER


def _waits_since(records: Queries, to: ReplyContext) -> datetime | None:
    """When the account was opened that waits for this address's answer; None if none does."""
    owner = records.owner_of(to.recipient)
    signed_up = None if owner is None else records.signed_up(owner)
    return signed_up if signed_up is not None and signed_up > to.now - HELD_UNCONFIRMED else None


def _asks_openly(line: Parsed | Unparsed) -> bool:
    """Whether a line is, or was meant to be, a command that anybody may use."""
    if isinstance(line, Parsed):
        return line.command.kind in ("open", "signup")
    meant = commands().get(line.error.command) if isinstance(line.error, WrongForm) else None
    return meant is not None and meant.kind in ("open", "signup")


def void_password(connection: Connection, records: Queries, pending: PendingMail, now: datetime) -> None:
    """On a second sign-up from an address that has not answered yet, voids the password of the first.

    Nobody can tell whose password is whose: the first sender could have been anybody, and the `yes` may well be
    meant for the second mail.
    """
    sender = pending.mail.sender
    owner = records.owner_of(sender) if sender else None
    is_sign_up = any(isinstance(line, Parsed) and line.command.name == "signup" for line in pending.runnable.lines)
    if owner is not None and not owner.is_confirmed and is_sign_up:
        accounts.write_account_change(connection, NewPassword(owner.id, players.NO_HASH), now)
