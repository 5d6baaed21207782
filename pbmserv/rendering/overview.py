"""The boards of one player as a short table: against whom, which game, the last move, and the time left."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from pbmserv.games import title_with
from pbmserv.matches.queries import BoardRow


@dataclass(frozen=True, slots=True)
class OverviewRow:
    """One board of a player, as a table tells it."""

    number: int
    opponents: tuple[str, ...]
    title: str
    plies: int
    # Empty before the first.
    last_move: str
    # Who is to move; None where it is over.
    to_move: str | None
    # Until this turn is over; None where no clock runs.
    left: timedelta | None
    # Since the last move, or the start.
    idle: timedelta
    # Where the board can be played on, or looked at; empty without a site.
    link: str = field(default="", repr=False)
    # Whether the link plays.
    plays: bool = False


@dataclass(frozen=True, slots=True)
class Overview:
    """The table above the boards of a mail."""

    rows: tuple[OverviewRow, ...]
    # How many boards there are besides.
    more: int = 0
    # The page that shows them all; empty without a site, or for another reader.
    desk: str = field(default="", repr=False)
    # How many are drawn below, where that is not known from the table: as many as there is room for.
    drawn: int = 0

    @property
    def named(self) -> tuple[tuple[int, int], ...]:
        """The boards in it, each with its ply."""
        return tuple((row.number, row.plies) for row in self.rows)


def overview_rows(
    lines: Sequence[BoardRow],
    userid: str,
    now: datetime,
    link: Callable[[int], str],
    plays: Callable[[int], bool] = lambda _: True,
) -> tuple[OverviewRow, ...]:
    """The boards of a listing as their player `userid` sees them, in the same order."""
    return tuple(
        OverviewRow(
            number=line.number,
            opponents=tuple(each for each in line.userids if each != userid),
            title=title_with(line.game, line.options),
            plies=line.summary.plies,
            last_move=line.summary.last_move,
            to_move=line.to_move,
            left=None if line.deadline is None else max(line.deadline - now, timedelta()),
            idle=now - line.summary.last_at,
            link=link(line.number),
            plays=plays(line.number),
        )
        for line in lines
    )
