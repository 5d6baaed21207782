"""The desk: all boards that wait for one player, behind the key of a mail that named several."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from pbmserv.matches.queries import BoardRow, ListingQuery
from pbmserv.services.app import App
from pbmserv.services.play import OpenLink, find_link
from pbmserv.store.engine import reading
from pbmserv.store.queries import TransactionQueries

MOST_SHOWN: Final = 100
"""Boards on a desk. Who has more sees the most urgent ones."""


@dataclass(frozen=True, slots=True)
class Desk:
    """The boards of the reader of a link: those that wait for them, the most urgent first, and the others."""

    link: OpenLink
    waiting: tuple[BoardRow, ...]
    # The last played on first.
    others: tuple[BoardRow, ...]
    # How many wait in all.
    total: int

    @property
    def userid(self) -> str:
        """Whose desk it is."""
        return self.link.player.userid

    def next_after(self, number: int) -> int | None:
        """The most urgent board besides one on which the link can play; None where there is none."""
        return next(
            (line.number for line in self.waiting if line.number != number and self.link.plays_on(line.number)),
            None,
        )


def load_desk(app: App, key: str, now: datetime) -> Desk | None:
    """The desk behind a key; None when it stands in no mail that still counts."""
    link = find_link(app, key, now)
    if link is None:
        return None
    userids = (link.player.userid,)
    with reading(app.engine) as connection:
        wanted = ListingQuery(userids=userids, filter="next", count=MOST_SHOWN, with_practice=True)
        records = TransactionQueries(connection)
        waiting = records.boards(wanted)
        running = records.boards(ListingQuery(userids=userids, count=2 * MOST_SHOWN))
    others = tuple(line for line in running.lines if line.to_move != link.player.userid)
    return Desk(link, waiting.lines, others[:MOST_SHOWN], waiting.total)
