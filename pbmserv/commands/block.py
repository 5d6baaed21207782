"""`block` and `unblock`: hear nothing from a player, or hear from them again."""

from datetime import datetime

from pbmserv.commands.changes import BlockChange
from pbmserv.commands.command import Command, Decision, Reply, Request
from pbmserv.commands.lookup import find_player
from pbmserv.matches.errors import CommandError
from pbmserv.matches.queries import ListingQuery, Queries


class Blocked(Reply):
    """Nothing more comes from `userid`; on `boards` both are still playing, and those go on."""

    userid: str
    boards: tuple[int, ...]


class Unblocked(Reply):
    """Things come from `userid` again."""

    userid: str


class NotYourself(CommandError):
    """A player blocks others, not themselves."""

    userid: str


class NotBlocked(CommandError):
    """`userid` was not blocked; those who are stand in `blocked`."""

    userid: str
    blocked: tuple[str, ...]


_MOST_LOOKED_AT = 50


def run_block(request: Request, records: Queries, now: datetime) -> Decision:
    """Challenges, chat and comments of that player come through no more; games that run go on."""
    player, other = request.player, find_player(request.arguments.userid, records)
    if other.id == player.id:
        raise NotYourself(userid=player.userid)
    together = _played_together(player.userid, other.userid, records)
    return Decision(Blocked(other.userid, together), changes=(BlockChange(player.id, other.id),))


def _played_together(one: str, other: str, records: Queries) -> tuple[int, ...]:
    """The running games in which both still have a part."""
    lines = records.boards(ListingQuery(userids=(one, other), count=_MOST_LOOKED_AT)).lines
    boards = (records.board(line.number) for line in lines)
    return tuple(sorted(board.match.number for board in boards if board and {one, other} <= board.playing))


block_command = Command(
    name="block",
    forms=("block [userid password] userid",),
    summary="take no games and no words from a player",
    example="block bob",
    run=run_block,
)


def run_unblock(request: Request, records: Queries, now: datetime) -> Decision:
    """Lifts a block."""
    player, other = request.player, find_player(request.arguments.userid, records)
    if not records.is_blocked(other.userid, by=player.userid):
        raise NotBlocked(userid=other.userid, blocked=tuple(records.blocked_by(player.userid)))
    return Decision(Unblocked(other.userid), changes=(BlockChange(player.id, other.id, is_lifted=True),))


unblock_command = Command(
    name="unblock",
    forms=("unblock [userid password] userid",),
    summary="hear from a blocked player again",
    example="unblock bob",
    run=run_unblock,
)
