"""How many games one player may start, on whatever way: by a challenge, by an offer, or once more."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from pbmserv.commands.command import PlayerRequest
from pbmserv.matches.errors import CommandError
from pbmserv.matches.player import Player
from pbmserv.matches.queries import Queries

UNPROVEN_A_DAY: Final = 10
UNPROVEN_UNBEGUN: Final = 3
"""Anybody can write in a player's name."""

IN_PLAY: Final = 100
UNBEGUN: Final = 10


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
    players: Sequence[Player], request: PlayerRequest[Any], records: Queries, now: datetime, line: str = ""
) -> None:
    """Raises where a player cannot start one more match with these at the moment. `line` asks for it again."""
    starter, is_proven, line = request.player, request.actor.proven, line or request.line
    started = records.started_in_play(starter.userid)
    limit = IN_PLAY
    if not is_proven and started < IN_PLAY:
        started, limit = records.started_since(starter.userid, now - timedelta(days=1)), UNPROVEN_A_DAY
    if started >= limit:
        raise TooManyGames(starter=starter.userid, limit=limit, proven_limit=IN_PLAY, line=line)
    limit = UNBEGUN if is_proven else UNPROVEN_UNBEGUN
    for player in players:
        if player.id != starter.id and records.unbegun(starter.userid, player.userid) >= limit:
            raise TooManyUnbegun(
                userid=player.userid, starter=starter.userid, limit=limit, proven_limit=UNBEGUN, line=line
            )
