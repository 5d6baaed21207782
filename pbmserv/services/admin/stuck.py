"""Running boards that do not go on: why, and what the operator could do. The unreadable are named first."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Literal

from pbmserv.matches.log import BrokenLog
from pbmserv.matches.queries import BoardRow, ListingQuery
from pbmserv.services.app import App
from pbmserv.services.unit_of_work import UnitOfWork, unit_of_work
from pbmserv.store import operating
from pbmserv.store.engine import reading
from pbmserv.store.queries import TransactionQueries

ROBOTS_ANSWER_WITHIN: Final = timedelta(hours=1)
"""A robot that has not moved for this long does not think, however many boards wait."""

_ALL: Final = 1_000_000

Why = Literal["unreadable", "robot", "gone", "unreachable", "mail off", "paused", "idle"]


@dataclass(frozen=True, slots=True)
class StuckBoard:
    """A board that does not go on."""

    number: int
    to_move: str
    since: datetime
    why: Why
    detail: str
    """What is the matter, in some words."""
    mend: str
    """A command that would help, or what else to do."""


def stuck_boards(
    app: App, idle: timedelta, now: datetime, seen: Callable[[int, int], None]
) -> Sequence[StuckBoard]:
    """The boards that do not go on, the longest silence first; without another reason, if nothing happened for
    `idle`. Replays the log of every running board; `seen` gets how many it has done, and of how many."""
    found: list[StuckBoard] = []
    with reading(app.engine, snapshot=True) as connection:
        work = unit_of_work(connection, app, now)
        rows = work.records.boards(ListingQuery(count=_ALL, with_practice=False)).lines
        for done, row in enumerate(rows, start=1):
            stuck = _unreadable(work.records, row) or _look(work, row, idle)
            if stuck is not None:
                found.append(stuck)
            seen(done, len(rows))
    return sorted(found, key=lambda each: (each.why != "unreadable", each.since, each.number))


def _unreadable(records: TransactionQueries, row: BoardRow) -> StuckBoard | None:
    try:
        records.board(row.number)
    except BrokenLog as error:
        mend = "pbmserv admin check; a backup may have its log"
        return _stuck(row, "unreadable", f"its log cannot be replayed: {error}", mend)
    return None


def _look(work: UnitOfWork, row: BoardRow, idle: timedelta) -> StuckBoard | None:
    player = work.records.player(row.to_move) if row.to_move else None
    silent = work.now - row.summary.last_at
    number = row.number
    if row.to_move is None or player is None or player.is_banned:
        who = row.to_move or "nobody"
        return _stuck(row, "gone", f"{who} is to move and cannot", f"pbmserv admin end {number} --annul")
    if player.robot is not None:
        if silent < ROBOTS_ANSWER_WITHIN:
            return None
        thinks = operating.robots_are_alive(work.connection, work.now)
        state = "robots think, but not about it" if thinks else "no process thinks"
        return _stuck(
            row,
            "robot",
            f"{player.userid} is to move, {state}",
            "run `pbmserv robots`, see `robots` in the settings",
        )
    if player.is_suspended:
        return _stuck(
            row, "unreachable", f"mail to {player.userid} comes back", f"pbmserv admin lift {player.userid}"
        )
    if silent < idle:
        return None
    days = f"{silent.days} days"
    if player.mail.is_off:
        mend = f"pbmserv admin end {number} --award USERID, or --annul"
        return _stuck(row, "mail off", f"{player.userid} has stopped all mail, {days} ago at least", mend)
    board = work.records.board(number)
    if board is not None and board.state.is_paused:
        return _stuck(row, "paused", f"its clocks stand still for {days}", f"pbmserv admin resume {number}")
    return _stuck(
        row,
        "idle",
        f"{player.userid} has not moved for {days}",
        f"pbmserv admin resend {number} --to {player.userid}",
    )


def _stuck(row: BoardRow, why: Why, detail: str, mend: str) -> StuckBoard:
    return StuckBoard(row.number, row.to_move or "", row.summary.last_at, why, detail, mend)
