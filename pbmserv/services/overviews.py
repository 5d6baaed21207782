"""The table that a mail with several boards begins with, and how many of the boards are drawn below it."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Final, TypeVar

from pbmserv.commands.boards import NextBoards
from pbmserv.commands.command import Decision
from pbmserv.matches.queries import BoardRow, ListingQuery, Queries
from pbmserv.rendering.overview import Overview, overview_rows
from pbmserv.services.app import App
from pbmserv.services.run import CommandResult, decisions

MOST_LISTED: Final = 50
"""Lines of the table. The desk shows more."""

LARGEST: Final = 90_000
"""Bytes of a whole mail with several boards: mail programs cut larger ones, or hide their end."""

Made = TypeVar("Made")


def overview_of(app: App, userid: str, lines: Sequence[BoardRow], key: str, total: int, now: datetime) -> Overview:
    """The table of boards where it is the turn of `userid`; `key` is that of the mail's links, if it goes to them.

    `total` is how many there are in all.
    """
    site = app.server.site_url

    def link(number: int) -> str:
        if not site:
            return ""
        return f"{site}/play/{number}/{key}" if key else f"{site}/boards/{number}"

    listed = lines[:MOST_LISTED]
    desk = f"{site}/desk/{key}" if site and key else ""
    return Overview(overview_rows(listed, userid, now, link), total - len(listed), desk)


def next_asked(results: Sequence[CommandResult]) -> NextBoards | None:
    """The answer to `next`, where a mail asks for several boards by it."""
    asked = (decision.reply for decision in decisions(results) if isinstance(decision, Decision))
    return next((reply for reply in asked if isinstance(reply, NextBoards) and len(reply.numbers) > 1), None)


def overview_for(records: Queries, app: App, asked: NextBoards, key: str, now: datetime) -> Overview:
    """The table in the answer to `next`; `key` is that of its links, empty for somebody else's boards."""
    found = records.boards(
        ListingQuery(userids=(asked.userid,), filter="next", count=MOST_LISTED, with_practice=True)
    )
    return overview_of(app, asked.userid, found.lines, key, found.total, now)


def fitted(build: Callable[[int], Made], size: Callable[[Made], int], most: int) -> Made:
    """What is built with as many boards as fit into one mail, at most so many."""
    made = build(most)
    while most and size(made) > LARGEST:
        most = min(most - 1, most * LARGEST // size(made))
        made = build(most)
    return made
