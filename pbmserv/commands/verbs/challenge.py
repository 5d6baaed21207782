"""`challenge`: start a game at once between the players named, in that order of play."""

from datetime import datetime

from pbmserv.commands.boards import no_such_player
from pbmserv.commands.command import Command
from pbmserv.commands.decision import Decision
from pbmserv.commands.message import Request
from pbmserv.commands.refusals.common import NotAmongPlayers, SamePlayerTwice, WrongNumberOfPlayers
from pbmserv.commands.replies.common import Challenged
from pbmserv.commands.starting import opened, over_limits, read_game, read_terms, unwilling
from pbmserv.games.game import Game
from pbmserv.games.library import games
from pbmserv.matches.player import Player
from pbmserv.matches.records import Records
from pbmserv.matches.refusals import Refused
from pbmserv.matches.replay import replay


def run(request: Request, records: Records, now: datetime) -> Decision | Refused:
    """Starts the match, unless something about its players, options or number speaks against it."""
    starter = request.actor.player
    if starter is None:
        raise ValueError("a challenge without a player")
    name = read_game(request.arguments.game, "challenge alice bob")
    if isinstance(name, Refused):
        return name
    game = games()[name]
    players = _players(request, records, starter, game)
    if isinstance(players, Refused):
        return players
    userids = tuple(player.userid for player in players)
    terms = read_terms(name, request.arguments.options, len(players), "challenge", userids)
    if isinstance(terms, Refused):
        return terms
    refused = over_limits(players, starter, records, now)
    if refused is not None:
        return refused
    match = opened(terms, players, starter, records, now)
    return Decision(Challenged(match.number, game.info, match.userids), opened=match, boards=(replay(match),))


def _players(request: Request, records: Records, starter: Player, game: Game) -> tuple[Player, ...] | Refused:
    named = request.arguments.userids
    least, most = game.info.least_seats, game.info.most_seats
    others = tuple(userid for userid in named if userid.lower() != starter.userid.lower())
    found = []
    for userid in named:
        player = records.player(userid)
        if player is None:
            return no_such_player(userid, records)
        found.append(player)
    for position, userid in enumerate(named):
        if userid.lower() in [earlier.lower() for earlier in named[:position]]:
            once = {each.lower(): each for each in reversed(named)}
            userids = tuple(reversed(once.values()))
            return SamePlayerTwice(userid=userid, game=game.info.name, userids=userids)
    if not least <= len(named) <= most:
        example = (starter.userid, *others)[:most]
        return WrongNumberOfPlayers(
            game=game.info.name, named=len(named), least=least, most=most, example=example if others else ()
        )
    if starter.id not in [player.id for player in found]:
        return NotAmongPlayers(userid=starter.userid, game=game.info.name, others=others[: most - 1])
    return unwilling(found, starter, records) or tuple(found)


command = Command(
    name="challenge",
    kind="opening",
    forms=("[game] challenge userid+ [-options]",),
    summary="start a game with others, in that order of play",
    example="cephalopod challenge alice bob",
    run=run,
)
