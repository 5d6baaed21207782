"""`challenge`: start a game at once between the players named, in that order of play."""

from datetime import datetime, timedelta
from itertools import combinations

from pbmserv.commands.account_refusals import NotThereYet, NotTogether, TakesNoChallenges
from pbmserv.commands.boards import no_such_player, unknown_game
from pbmserv.commands.command import Command
from pbmserv.commands.decision import Decision
from pbmserv.commands.message import Request
from pbmserv.commands.refusals import (
    BadOptionValue,
    NotAmongPlayers,
    SamePlayerTwice,
    TooManyGames,
    TooManyUnbegun,
    UnknownOption,
    WhichGame,
    WrongNumberOfPlayers,
)
from pbmserv.commands.replies import Challenged
from pbmserv.games.game import BadOption, Game
from pbmserv.games.library import games
from pbmserv.matches.match import Match
from pbmserv.matches.player import Player
from pbmserv.matches.records import Records
from pbmserv.matches.refusals import Refused
from pbmserv.matches.replay import replay

GAMES_A_DAY = 10
UNBEGUN_WITH_ONE = 3


def run(request: Request, records: Records, now: datetime) -> Decision | Refused:
    """Starts the match, unless something about its players, options or number speaks against it."""
    starter = request.actor.player
    if starter is None:
        raise ValueError("a challenge without a player")
    name = request.arguments.game or (next(iter(games())) if len(games()) == 1 else None)
    if name is None:
        return WhichGame(games=tuple(games()))
    refused = unknown_game(name)
    if refused is not None:
        return refused
    game = games()[name]
    players = _players(request, records, starter, game)
    if isinstance(players, Refused):
        return players
    refused = _refused_options(request, game, players) or _over_limits(records, starter, players, now)
    if refused is not None:
        return refused
    match = Match(
        number=records.next_number(),
        game=name,
        rules=game.info.rules,
        options=_game_options(request),
        rated=not any(option == "unrated" for option, _ in request.arguments.options),
        userids=tuple(player.userid for player in players),
        started_by=starter.userid,
        started=now,
    )
    return Decision(Challenged(match.number, game.info, match.userids), opened=match, boards=(replay(match),))


def _players(request: Request, records: Records, starter: Player, game: Game) -> tuple[Player, ...] | Refused:
    named = request.arguments.userids
    least, most = game.info.least_seats, game.info.most_seats
    others = tuple(userid for userid in named if userid.lower() != starter.userid.lower())
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
    found = []
    for userid in named:
        player = records.player(userid)
        if player is None:
            return no_such_player(userid, records)
        found.append(player)
    if starter.id not in [player.id for player in found]:
        return NotAmongPlayers(userid=starter.userid, game=game.info.name, others=others[: most - 1])
    unwilling = (_unwilling(player, starter, records) for player in found)
    return next(filter(None, unwilling), None) or _apart(found, starter, records) or tuple(found)


def _unwilling(player: Player, starter: Player, records: Records) -> Refused | None:
    """Why a player cannot be challenged by `starter`."""
    if player.id == starter.id:
        return None
    if not player.is_confirmed:
        return NotThereYet(userid=player.userid)
    if not player.takes_challenges or records.is_blocked(starter.userid, by=player.userid):
        return TakesNoChallenges(userid=player.userid)
    return None


def _apart(players: list[Player], starter: Player, records: Records) -> Refused | None:
    """Why these cannot sit at one board. Whom the starter has blocked is the starter's own choice."""
    others = [player for player in players if player.id != starter.id]
    for one, other in combinations(others, 2):
        if records.is_blocked(one.userid, by=other.userid) or records.is_blocked(other.userid, by=one.userid):
            return NotTogether(userids=(one.userid, other.userid))
    return None


def _game_options(request: Request) -> tuple[tuple[str, str], ...]:
    options = ((name, value.lower()) for name, value in request.arguments.options if name != "unrated")
    return tuple(dict.fromkeys(options))


def _refused_options(request: Request, game: Game, players: tuple[Player, ...]) -> Refused | None:
    userids = tuple(player.userid for player in players)
    offered = (*(option.name for option in game.info.options), "unrated")
    given = dict(request.arguments.options)
    if given.get("unrated"):
        return UnknownOption(game=game.info.name, name=f"unrated={given['unrated']}"[:40], options=offered)
    for option in game.info.options:
        values = [value for name, value in _game_options(request) if name == option.name]
        if len(values) > 1:
            both = " ".join(values)[:40]
            return BadOptionValue(
                game=game.info.name, name=option.name, value=both, choices=option.choices, userids=userids
            )
    try:
        game.start(len(players), dict(_game_options(request)))
    except BadOption as error:
        if error.choices:
            return BadOptionValue(
                game=game.info.name,
                name=error.name,
                value=error.value[:40],
                choices=error.choices,
                userids=userids,
            )
        return UnknownOption(game=game.info.name, name=error.name[:40], options=offered)
    return None


def _over_limits(records: Records, starter: Player, players: tuple[Player, ...], now: datetime) -> Refused | None:
    if records.started_since(starter.userid, now - timedelta(days=1)) >= GAMES_A_DAY:
        return TooManyGames(limit=GAMES_A_DAY)
    for player in players:
        if player != starter and records.unbegun(starter.userid, player.userid) >= UNBEGUN_WITH_ONE:
            return TooManyUnbegun(userid=player.userid, limit=UNBEGUN_WITH_ONE, starter=starter.userid)
    return None


command = Command(
    name="challenge",
    kind="opening",
    forms=("[game] challenge userid+ [-options]",),
    summary="start a game with others, in that order of play",
    example="cephalopod challenge alice bob",
    run=run,
)
