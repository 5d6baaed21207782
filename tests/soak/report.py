"""What a run was like, in figures for people."""

import os
import platform
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import Connection, func, select

from pbmserv.store.tables import inbox
from tests.soak.parts import Part
from tests.soak.play import Play


@dataclass(frozen=True)
class Report:
    """The figures of one run; `seconds` of wall time."""

    database: str
    seed: int
    kills: Counter[str]
    at_work: int
    boards: int
    by_postfix: int
    by_mailbox: int
    absorbed: int
    letters: int
    repeats: int
    hung_up: int
    longest_delay: float
    seconds: float

    def __str__(self) -> str:
        """The figures as lines."""
        by_part = ", ".join(f"{word} {count}" for word, count in sorted(self.kills.items()))
        lines = (
            f"database        {self.database}",
            f"kills           {self.kills.total()} ({by_part}), {self.at_work} of them while it had work",
            f"boards          {self.boards}",
            f"mails in        {self.by_postfix} by Postfix, {self.by_mailbox} by the mailbox",
            f"copies absorbed {self.absorbed}",
            f"mails out       {self.letters}, and {self.repeats} repeats with the same Message-ID and bytes",
            f"hung up         {self.hung_up} times by the far end, after the dot",
            f"longest delay   {self.longest_delay:.1f} s from a mail to its answer",
            f"wall time       {self.seconds:.0f} s",
            f"seed            {self.seed}",
            f"date            {datetime.now(UTC):%Y-%m-%d}",
            f"machine         {os.cpu_count()} cores, {platform.platform()}, Python {platform.python_version()}",
        )
        return "\n".join(lines)


def report(
    play: Play, parts: Sequence[Part], at_work: int, connection: Connection, seed: int, seconds: float
) -> Report:
    """The figures of a run that is over."""
    kills: Counter[str] = Counter()
    for part in parts:
        kills[part.word] += part.kills
    duplicates = select(func.count()).select_from(inbox).where(inbox.c.status == "duplicate")
    return Report(
        connection.dialect.name,
        seed,
        kills,
        at_work,
        sum(len(talk.numbers) for talk in play.talks),
        play.roads.by_postfix.total(),
        play.roads.by_mailbox.total(),
        connection.execute(duplicates).scalar_one(),
        len(play.letters),
        len(play.sink.mails) - len(play.letters),
        play.sink.hung_up,
        play.longest_delay,
        seconds,
    )
