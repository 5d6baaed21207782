"""The practice board: a newcomer's first game, against an easy robot, which begins with their first move.

Until then there is no board, only what it would be: number 0, which no board has. It is in no list and counts for
nothing, and each player gets one.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import chain
from typing import Final

from pbmserv.commands.base.new_game import Options, Terms, games_offered, variant_of
from pbmserv.commands.base.server import Server
from pbmserv.games import games
from pbmserv.games.game import Game
from pbmserv.matches.log import VARIANT, Match
from pbmserv.matches.replay import GameState, replay
from pbmserv.robots.robot import RANDOM, userid_of

ROBOT: Final = RANDOM
"""The robot that newcomers play against: they are to win."""

NOT_THERE_YET: Final = 0
"""The number of a practice board that nobody has moved on yet."""

_LIKED_BEST: Final[tuple[tuple[str, Options], ...]] = (("cephalopod", (("size", "3x5"),)),)
"""Where a club offers one of these, newcomers begin with it."""

_TWO: Final = 2


def practice_terms(server: Server) -> Terms:
    """What is played: a small form of a game that is offered, be it one that real games are not played in."""
    offered = games_offered(server)
    liked = next(((name, options) for name, options in _LIKED_BEST if name in offered), None)
    if liked is not None:
        return Terms(*liked, rated=False)
    name = server.default_game if server.default_game in offered else next(iter(offered))
    return Terms(name, min(_forms(games()[name]), key=lambda form: _cells(games()[name], form)), rated=False)


def practice_match(number: int, userid: str, robot: str, server: Server, now: datetime) -> Match:
    """The match of a player, who moves first, against the robot of a username."""
    terms = practice_terms(server)
    return Match(
        number=number,
        game=terms.game,
        rules=games()[terms.game].info.rules + (VARIANT if variant_of(terms) else ""),
        options=terms.options,
        rated=False,
        userids=(userid, robot),
        started_by=userid,
        started=now,
        practice=True,
    )


def practice_to_come(userid: str, server: Server) -> GameState:
    """The board as a player sees it before the first move."""
    begins = datetime(1970, 1, 1, tzinfo=UTC)
    return replay(practice_match(NOT_THERE_YET, userid, userid_of(ROBOT), server, begins))


def _forms(game: Game) -> Iterator[Options]:
    """The forms of a game for two, the usual one first."""
    single = (
        ((option.name, value),) for option in game.info.options for value in (*option.choices, *option.variants)
    )
    yield from chain(((),), single)


def _cells(game: Game, form: Options) -> int:
    return len(game.scene(game.start(_TWO, dict(form))).board.names)
