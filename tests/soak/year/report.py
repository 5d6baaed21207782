"""What a year was like, in figures for people, and what was wrong in it."""

import os
import platform
from collections import Counter
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, Select, func, select

from pbmserv.matches.log import Match
from pbmserv.matches.replay import GameState, fold
from pbmserv.matches.state import State
from pbmserv.services.admin.check import check
from pbmserv.services.views import list_inbox
from pbmserv.store import matches
from pbmserv.store.engine import reading
from pbmserv.store.tables import entries, rating_changes, ratings
from pbmserv.store.tables import matches as match_table
from pbmserv.store.tables import players as player_table
from tests.soak.year.ledger import differences
from tests.soak.year.plot import Line
from tests.soak.year.world import BEGINS, World

POOL = "cephalopod 3x3"
"""What most of them play."""

POINTS = 48
MIDDLE = 25.0


@dataclass(frozen=True)
class Report:
    """The figures of one run; `seconds` of wall time, `kinds` entries of all logs by kind."""

    seed: int
    people: int
    days: int
    boards: Counter[str]
    kinds: Counter[str]
    done: Counter[str]
    correlation: float
    seconds: float

    def __str__(self) -> str:
        """The figures as lines."""
        deeds = Counter({deed: number for deed, number in self.done.items() if "mails " not in deed})
        machine = f"{os.cpu_count()} cores, {platform.platform()}, Python {platform.python_version()}"
        return "\n".join(
            [
                f"people          {self.people}, {self.days} days",
                f"boards          {self.boards.total()}: {_told(self.boards)}",
                f"log entries     {_told(self.kinds)}",
                f"mails           {self.done['mails in']} in, {self.done['mails out']} out",
                f"what people did {_told(deeds)}",
                f"ratings         {self.correlation:.2f} rank correlation with how well people really play",
                f"wall time       {self.seconds:.0f} s",
                f"seed            {self.seed}",
                f"date            {datetime.now(UTC):%Y-%m-%d}",
                f"machine         {machine}",
            ]
        )


def report(world: World, seed: int, seconds: float) -> Report:
    """The figures of a year that is over."""
    with reading(world.house.engine) as connection:
        by_status = select(match_table.c.status, func.count()).group_by(match_table.c.status)
        by_kind = select(entries.c.kind, func.count()).group_by(entries.c.kind)
        boards = _counted(connection, by_status)
        kinds = _counted(connection, by_kind)
        query = select(player_table.c.userid, ratings.c.mu).join(ratings, ratings.c.player_id == player_table.c.id)
        often = query.where(ratings.c.pool == POOL, ratings.c.counted >= 5)
        found = {row.userid: row.mu for row in connection.execute(often)}
    known = [(world.people[userid].skill, mu) for userid, mu in found.items() if userid in world.people]
    days = (world.clock.now - BEGINS).days
    return Report(seed, len(world.people), days, boards, kinds, world.done, rank_correlation(known), seconds)


def lines_of(world: World) -> dict[str, Line]:
    """Everybody's ratings in POOL, with the times from which they held."""
    with reading(world.house.engine) as connection:
        query = (
            select(player_table.c.userid, rating_changes.c.at, rating_changes.c.mu)
            .join(player_table, player_table.c.id == rating_changes.c.player_id)
            .where(rating_changes.c.pool == POOL)
            .order_by(rating_changes.c.at, rating_changes.c.match)
        )
        lines: dict[str, list[tuple[datetime, float]]] = {}
        for userid, at, mu in connection.execute(query):
            lines.setdefault(userid, [(BEGINS, 1500.0)]).append((at, 1500 + POINTS * (mu - MIDDLE)))
    return {userid: line for userid, line in lines.items() if userid in world.people}


def wrongs(world: World) -> list[str]:
    """Everything that should not be after a year."""
    wrong = [f"admin check: {difference.what}" for difference in check(world.house)]
    left = [mail for status in ("set aside", "waiting") for mail in list_inbox(world.house, status, 100)]
    wrong += [f"mail {mail.id} is {mail.status}: {mail.error}" for mail in left]
    with reading(world.house.engine) as connection:
        for number in matches.all_numbers(connection):
            match = matches.load(connection, number)
            assert match is not None
            states = _states(match)
            if states[-1].status == "active":
                wrong.append(f"board {number} is not finished: {GameState(match, states[-1]).on_turn} is on turn")
            wrong += differences(world.ledger, match, states[:-1])
    return wrong


def _counted(connection: Connection, query: Select[Any]) -> Counter[str]:
    return Counter({row[0]: row[1] for row in connection.execute(query)})


def _states(match: Match) -> list[State]:
    """The state before each entry, and the last."""
    bare = replace(match, entries=())
    boards = [GameState(bare, fold(bare))]
    for entry in match.entries:
        boards.append(boards[-1].apply(entry))
    return [board.state for board in boards]


def rank_correlation(pairs: list[tuple[float, float]]) -> float:
    """Spearman's, of values without ties.

    >>> rank_correlation([(1, 10), (2, 30), (3, 20)])
    0.5
    """
    count = len(pairs)
    if count < 2:
        return 0.0
    firsts, seconds = (sorted(each[side] for each in pairs) for side in (0, 1))
    apart = sum((firsts.index(one) - seconds.index(other)) ** 2 for one, other in pairs)
    return 1 - 6 * apart / (count * (count**2 - 1))


def _told(counted: Counter[str]) -> str:
    return ", ".join(f"{number} {word}" for word, number in counted.most_common())
