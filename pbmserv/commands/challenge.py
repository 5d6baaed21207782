"""`challenge`: start a game with other players."""

from dataclasses import dataclass
from datetime import datetime

from pbmserv.commands.base.decision import Decision, Reply
from pbmserv.commands.base.game_limits import require_within_limits
from pbmserv.commands.base.lookup import no_such_player
from pbmserv.commands.base.new_game import (
    opened,
    read_game,
    read_terms,
    require_offered,
    require_willing,
)
from pbmserv.commands.base.registry import PlayerCommand
from pbmserv.commands.base.request import PlayerRequest
from pbmserv.games import games
from pbmserv.games.game import Game
from pbmserv.matches.errors import CommandError
from pbmserv.matches.log import title_of
from pbmserv.matches.player import Player
from pbmserv.matches.queries import Queries
from pbmserv.matches.replay import replay


@dataclass(frozen=True, slots=True)
class ChallengeArguments:
    """A game, who plays it in which order, and its options."""

    game: str | None
    userids: tuple[str, ...]
    options: tuple[tuple[str, str], ...]


class Challenged(Reply):
    """A match has started between `userids`, in that order of play."""

    board: int
    title: str
    """What the game is called."""
    userids: tuple[str, ...]


class WrongNumberOfPlayers(CommandError):
    """The game wants another number of players. `game` and `example` are ready for a command."""

    game: str
    named: int
    least: int
    most: int
    example: tuple[str, ...]


class SamePlayerTwice(CommandError):
    """One userid stands twice in a challenge: nobody plays against themselves. `userids` are all of them once."""

    userid: str
    game: str
    userids: tuple[str, ...]


class NotAmongPlayers(CommandError):
    """The sender is none of those named. `userid` is who the sender is; `game` and `others` make a command."""

    userid: str
    game: str
    others: tuple[str, ...]


def run(request: PlayerRequest[ChallengeArguments], records: Queries, now: datetime) -> Decision:
    """Starts the match, unless something about its players, options or number speaks against it."""
    starter = request.player
    name = read_game(request.arguments.game, "challenge alice bob", request.server)
    game = games()[name]
    players = _players(request.arguments.userids, records, starter, game)
    userids = tuple(player.userid for player in players)
    terms = read_terms(name, request.arguments.options, len(players), "challenge", userids)
    require_offered(terms, request.server)
    require_within_limits(players, request, records, now)
    match = opened(terms, players, starter, records, now)
    return Decision(
        Challenged(match.number, title_of(match), match.userids), opened=match, boards=(replay(match),)
    )


def _players(named: tuple[str, ...], records: Queries, starter: Player, game: Game) -> tuple[Player, ...]:
    """Those named, in that order; the starter moves first where only others are."""
    least, most = game.info.least_seats, game.info.most_seats
    others = tuple(userid for userid in named if userid.lower() != starter.userid.lower())
    if len(others) == len(named) < most:
        named = (starter.userid, *named)
    found = []
    for userid in named:
        player = records.player(userid)
        if player is None:
            raise no_such_player(userid, records)
        found.append(player)
    for position, userid in enumerate(named):
        if userid.lower() in [earlier.lower() for earlier in named[:position]]:
            once = {each.lower(): each for each in reversed(named)}
            userids = tuple(reversed(once.values()))
            raise SamePlayerTwice(userid=userid, game=game.info.name, userids=userids)
    if not least <= len(named) <= most:
        example = (starter.userid, *others)[:most]
        raise WrongNumberOfPlayers(
            game=game.info.name, named=len(named), least=least, most=most, example=example if others else ()
        )
    if starter.id not in [player.id for player in found]:
        raise NotAmongPlayers(userid=starter.userid, game=game.info.name, others=others[: most - 1])
    require_willing(found, starter, records)
    return tuple(found)


command = PlayerCommand(
    name="challenge",
    kind="opening",
    forms=("[game] challenge userid+ [-options]",),
    summary="start a game with others, named in order of play",
    example="cephalopod challenge alice bob",
    arguments=ChallengeArguments,
    run=run,
    help="commands/challenge.txt:help_challenge",
)
