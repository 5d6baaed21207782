"""`export`: everything that the server keeps about a player."""

from datetime import date, datetime
from typing import Final

from pbmserv.commands.base.arguments import NoArguments
from pbmserv.commands.base.decision import Decision, Reply
from pbmserv.commands.base.registry import PlayerCommand
from pbmserv.commands.base.request import PlayerRequest
from pbmserv.commands.set import settings_of
from pbmserv.matches.player import PersonalData
from pbmserv.matches.queries import BoardRow, ListingQuery, Queries


class Exported(Reply):
    """All that is kept about `userid`: settings by key, boards of others that they watch, whom they block, boards
    (of `total`), and the rest."""

    userid: str
    settings: tuple[tuple[str, str], ...]
    vacations: tuple[tuple[date, date], ...]
    watched: tuple[int, ...]
    blocked: tuple[str, ...]
    boards: tuple[BoardRow, ...]
    total: int
    kept: PersonalData


MOST_BOARDS: Final = 1000


def run(request: PlayerRequest[NoArguments], records: Queries, now: datetime) -> Decision:
    """Gathers it; the answer goes to an address of the player."""
    player = request.player
    found = records.boards(
        ListingQuery(userids=(player.userid,), filter="all", count=MOST_BOARDS, with_practice=True)
    )
    return Decision(
        Exported(
            userid=player.userid,
            settings=settings_of(player),
            vacations=tuple(records.vacations(player, date.min)),
            watched=tuple(records.watched(player)),
            blocked=tuple(records.blocked_by(player.userid)),
            boards=found.lines,
            total=found.total,
            kept=records.kept_about(player),
        )
    )


command = PlayerCommand(
    name="export",
    kind="binding",
    forms=("export [userid password]",),
    summary="get everything we keep about you",
    example="export",
    arguments=NoArguments,
    run=run,
    help="commands/export.txt:help_export",
)
