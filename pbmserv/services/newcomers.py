"""How mails of unknown senders may be answered. Their address may be somebody else's, so little goes there.

A sign-up is answered as long as there is room, since many made-up names must not shut the door to all others. A
place is given back once the address confirms; where it is believed, none is taken, and who was invited needs none.
For anything else there must be no sign that the address is forged: then an open command is answered, and a person
who writes anything else gets a letter. It holds none of their words.
"""

from datetime import datetime

from sqlalchemy import Connection

from pbmserv.commands import policy
from pbmserv.commands.address import ASKED_AGAIN_AFTER, HELD_UNCONFIRMED
from pbmserv.commands.changes import NewPassword
from pbmserv.commands.command import commands
from pbmserv.commands.letter import Letter
from pbmserv.commands.lookup import WrongForm
from pbmserv.commands.policy import Counted, Limit
from pbmserv.matches.queries import ListingQuery, Queries
from pbmserv.parser.parsed import Parsed, Unparsed
from pbmserv.services.compose import ReplyContext
from pbmserv.services.limits import Allowance, allowance_of, left
from pbmserv.services.pending import PendingMail
from pbmserv.store import accounts, counts, players


def allowance(connection: Connection, records: Queries, to: ReplyContext, pending: PendingMail) -> Allowance:
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


def letter(records: Queries, to: ReplyContext, pending: PendingMail) -> Letter:
    """The letter: what this is, how to open an account, and where to see a game."""
    newest = next(iter(records.boards(ListingQuery(count=1)).lines), None)
    return to.fixed_answer(
        "mail/stranger.txt",
        "your mail",
        "short",
        board=newest.number if newest else None,
        has_commands=bool(pending.parsed.lines),
        wants_out=pending.topic == "stop",
        is_waited_for=_waits_since(records, to) is not None,
    )


def cost_of_letter(address: str) -> tuple[Counted, ...]:
    """What the letter costs beside an answer."""
    return (policy.STRANGERS_A_DAY.count(), *(limit.count(of) for limit, of in _letters_to(address)))


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
