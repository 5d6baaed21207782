"""When a digest is due: one mail with every board where it is a player's turn, in the place of many."""

from datetime import datetime
from typing import Final

from sqlalchemy import Connection

from pbmserv.commands.changes import NewDigest
from pbmserv.commands.letter import Digest, Letter
from pbmserv.commands.set import read_schedule
from pbmserv.matches.player import Player
from pbmserv.services.app import App
from pbmserv.services.notices import late_links
from pbmserv.services.scheduler.due import ScheduledMail, send_due
from pbmserv.services.unit_of_work import UnitOfWork
from pbmserv.store import accounts, players

BATCH: Final = 50
"""Digests decided before the scheduler looks after its other jobs."""


def send_digests(app: App, now: datetime) -> bool:
    """Has digests written that are due; whether there may be more."""
    return all(send_next(app, now) for _ in range(BATCH))


def send_next(app: App, now: datetime) -> bool:
    """Has the digest written that is due longest, if a board waits for its player; False when none is due."""
    return send_due(app, _DIGEST, now)


def _put_off(connection: Connection, player: Player, now: datetime) -> None:
    schedule = read_schedule((player.mail.digest or "").split())
    following = schedule.next_after(now) if schedule is not None else None
    accounts.write_account_change(connection, NewDigest(player.id, player.mail.digest, following), now)


def _digest(work: UnitOfWork, player: Player) -> Letter | None:
    """The letter; None when mail to its player comes back."""
    if player.is_suspended or player.mail.is_off or not player.address:
        return None
    return Letter(Digest(tuple(late_links(work.records, player))), "notice", player.address, player.userid)


_DIGEST: Final = ScheduledMail("digest", players.take_digest_due, _digest, _put_off)
