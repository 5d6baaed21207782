"""How mails of unknown senders may be answered. Their address may be somebody else's, so little goes there.

A sign-up is answered as long as there is room. For anything else there must be no sign that the address is forged:
then an open command is answered, and a person who writes anything else gets one letter a day. It holds none of
their words.
"""

from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import Connection

from pbmserv.commands.changes import NewPassword
from pbmserv.commands.command import commands
from pbmserv.commands.lookup import WrongForm
from pbmserv.commands.signup import ASKED_AGAIN_AFTER, HELD_UNCONFIRMED
from pbmserv.matches.queries import ListingQuery, Queries
from pbmserv.parser.parsed import Parsed, Unparsed
from pbmserv.services import sign_ups
from pbmserv.services.app import App
from pbmserv.services.compose import ReplyContext, plain_answer
from pbmserv.services.limits import Allowance, allowance_of_unproven
from pbmserv.services.pending import PendingMail
from pbmserv.services.sign_ups import PROVIDERS, domain_family
from pbmserv.store import accounts, mail_counts
from pbmserv.store.outbox import OutboxMessage

UNKNOWN_SENDERS_A_DAY: Final = 200
"""Sign-ups have a limit of their own (`sign_ups`)."""

UNKNOWN_SENDER_A_DAY: Final = 20

LETTERS_A_DOMAIN: Final = 5
LETTERS_A_PROVIDER: Final = 25
"""A day, to all mailboxes of one domain and its subdomains."""

_DAY: Final = timedelta(days=1)


def allowance(connection: Connection, records: Queries, to: ReplyContext, pending: PendingMail) -> Allowance:
    """How the mail of an unknown sender may be answered. Unless that is in full, its commands are not run."""
    lines = pending.parsed.lines
    is_sign_up = to.kind == "sign-up"
    if is_sign_up and sign_ups.is_welcome(connection, to.recipient, to.now):
        return Allowance.SILENCE if _is_waited_for(records, to, lines[0]) else Allowance.FULL
    allowed = allowance_of_unproven(connection, to, UNKNOWN_SENDER_A_DAY)
    if allowed is not Allowance.FULL:
        return allowed
    if lines and _is_waited_for(records, to, lines[0]):
        return Allowance.SILENCE
    if is_sign_up:
        return _allowance_of_sign_up(connection, to, pending)
    if pending.mail.unwelcome is not None:
        return Allowance.SILENCE
    if mail_counts.count_since(connection, ("stranger", "short"), to.now - _DAY) >= UNKNOWN_SENDERS_A_DAY:
        return Allowance.SILENCE
    if any(map(_asks_openly, lines)):
        return Allowance.FULL
    return Allowance.LETTER if _may_have_letter(connection, to.recipient, to.now) else Allowance.SILENCE


def letter(app: App, records: Queries, to: ReplyContext, pending: PendingMail) -> OutboxMessage:
    """The letter: what this is, how to open an account, and where to see a game."""
    newest = next(iter(records.boards(ListingQuery(count=1)).lines), None)
    return plain_answer(
        app,
        to,
        "mail/stranger.txt",
        "your mail",
        "short",
        board=newest.number if newest else None,
        has_commands=bool(pending.parsed.lines),
        wants_out=pending.topic == "stop",
        is_waited_for=_waits_since(records, to) is not None,
    )


def mailbox_of(address: str) -> str:
    """An address without its tag: all of these reach one person.

    >>> mailbox_of("ann+games@club.example"), mailbox_of("ann@club.example")
    ('ann@club.example', 'ann@club.example')
    """
    local, _, domain = address.lower().rpartition("@")
    return f"{local.partition('+')[0] or local}@{domain}"


def _may_have_letter(connection: Connection, address: str, now: datetime) -> bool:
    told = mail_counts.recipients_since(connection, "short", now - _DAY, UNKNOWN_SENDERS_A_DAY)
    if mailbox_of(address) in map(mailbox_of, told):
        return False
    family = _family_of(address)
    most = LETTERS_A_PROVIDER if family in PROVIDERS else LETTERS_A_DOMAIN
    return sum(_family_of(each) == family for each in told) < most


def _family_of(address: str) -> str:
    return domain_family(address.rpartition("@")[2])


def _allowance_of_sign_up(connection: Connection, to: ReplyContext, pending: PendingMail) -> Allowance:
    if sign_ups.has_room(connection, pending, to.recipient, to.now):
        return Allowance.FULL
    may_be_mailed = sign_ups.may_be_turned_away(connection, to.recipient, to.now)
    return Allowance.NO_ROOM if may_be_mailed else Allowance.SILENCE


def _is_waited_for(records: Queries, to: ReplyContext, first: Parsed | Unparsed) -> bool:
    """Whether the address was sent a welcome recently and has not answered: until then no command is run."""
    since = _waits_since(records, to)
    if since is None:
        return False
    is_sign_up = isinstance(first, Parsed) and first.command.name == "signup"
    return not is_sign_up or since > to.now - ASKED_AGAIN_AFTER


def _waits_since(records: Queries, to: ReplyContext) -> datetime | None:
    """When the account was opened that waits for this address's answer; None if none does any more."""
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
        accounts.write_account_change(connection, NewPassword(owner.id, accounts.NO_HASH), now)
