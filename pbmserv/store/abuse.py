"""What each address has sent us, and what came of it: for the operator, who may have to ban somebody. No words."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Connection, Select, func, select

from pbmserv.commands.letter import MailKind
from pbmserv.commands.policy import WRONG_FROM_SENDER
from pbmserv.store import counts
from pbmserv.store.mail_tokens import digest
from pbmserv.store.tables import addresses, bounces, inbox, outbox, players

_IN_VAIN: Final[tuple[MailKind, ...]] = ("fruitless", "puzzled", "no room", "not theirs", "limit")
"""Answers to mails of which nothing came."""


@dataclass(frozen=True, slots=True)
class SenderFigures:
    """What came from an address. Anybody may have written it there; of guesses only a day is stored."""

    address: str
    userid: str
    """The player whose address it is; empty for strangers."""
    mails: int
    kilobytes: int
    in_vain: int
    """Answers that its commands changed nothing, were none, or that a limit was reached."""
    unanswered: int
    """Mails that got no answer: over a limit, from machines, or from banned addresses."""
    guesses: int
    """Mails with a wrong password, counted once for each."""
    bounced: int
    """Mails of ours that came back from there."""


def senders_since(connection: Connection, since: datetime) -> Sequence[SenderFigures]:
    """All addresses of which anything is known since then, those with most mails first."""
    arrived = inbox.c.received_at > since
    mails = _by(connection, select(inbox.c.sender, func.count()).where(arrived).group_by(inbox.c.sender))
    sizes = _by(connection, select(inbox.c.sender, func.sum(inbox.c.size)).where(arrived).group_by(inbox.c.sender))
    silent = _by(
        connection,
        select(inbox.c.sender, func.count()).where(arrived, inbox.c.status == "silent").group_by(inbox.c.sender),
    )
    in_vain = _by(
        connection,
        select(outbox.c.recipient, func.count())
        .where(outbox.c.created_at > since, outbox.c.kind.in_(_IN_VAIN))
        .group_by(outbox.c.recipient),
    )
    guesses = counts.totals(connection, WRONG_FROM_SENDER.name, since)
    bounced = _by(
        connection,
        select(bounces.c.address, func.count()).where(bounces.c.at > since).group_by(bounces.c.address),
    )
    everybody = {*mails, *in_vain, *bounced} - {""}
    owners = _owners(connection)
    found = [
        SenderFigures(
            each,
            owners.get(each, ""),
            mails.get(each, 0),
            -(-sizes.get(each, 0) // 1000),
            in_vain.get(each, 0),
            silent.get(each, 0),
            guesses.get(digest(each), 0),
            bounced.get(each, 0),
        )
        for each in everybody
    ]
    return sorted(found, key=lambda each: (-each.mails, each.address))


def _by(connection: Connection, query: Select[Any]) -> dict[str, int]:
    return {row[0]: int(row[1]) for row in connection.execute(query)}


def _owners(connection: Connection) -> dict[str, str]:
    query = select(addresses.c.address, players.c.userid).join(players, addresses.c.player_id == players.c.id)
    return {row.address: row.userid for row in connection.execute(query)}
