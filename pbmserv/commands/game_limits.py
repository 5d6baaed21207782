"""How many games one player may start, on whatever way: by a challenge, by an offer, or once more."""

from collections.abc import Sequence
from datetime import datetime

from pbmserv.commands.command import Request
from pbmserv.commands.policy import GAMES, UNBEGUN, UNPROVEN_GAMES, UNPROVEN_UNBEGUN
from pbmserv.matches.errors import CommandError
from pbmserv.matches.player import Player
from pbmserv.matches.queries import Queries


class TooManyGames(CommandError):
    """So many games in play are all that `starter` may have started; so many within a day without proof.

    With proof the limit is `proven_limit`: `line` is what to send again.
    """

    starter: str
    limit: int
    proven_limit: int
    line: str


class TooManyUnbegun(CommandError):
    """So many games that `userid` has not begun are all that `starter` may leave there; fewer without proof.

    With proof the limit is `proven_limit`: `line` is what to send again.
    """

    userid: str
    starter: str
    limit: int
    proven_limit: int
    line: str


def require_within_limits(
    players: Sequence[Player], request: Request, records: Queries, now: datetime, line: str = ""
) -> None:
    """Raises where a player cannot start one more match with these at the moment. `line` asks for it again."""
    starter, is_proven, line = request.player, request.actor.proven, line or request.line
    started = records.started_in_play(starter.userid)
    limit = GAMES
    if not is_proven and started < GAMES.most:
        limit = UNPROVEN_GAMES
        started = records.started_since(starter.userid, now - limit.per)
    if started >= limit.most:
        raise TooManyGames(starter=starter.userid, limit=limit.most, proven_limit=GAMES.most, line=line)
    most = UNBEGUN.most if is_proven else UNPROVEN_UNBEGUN.most
    for player in players:
        if player.id != starter.id and records.unbegun(starter.userid, player.userid) >= most:
            raise TooManyUnbegun(
                userid=player.userid, starter=starter.userid, limit=most, proven_limit=UNBEGUN.most, line=line
            )
