"""Shared by `challenge`, `seek`, `accept` and `rematch`: the terms of a new match, and who may start one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import combinations

from pbmserv.commands.command import Request
from pbmserv.commands.lookup import require_game
from pbmserv.commands.policy import GAMES, UNBEGUN, UNPROVEN_GAMES, UNPROVEN_UNBEGUN
from pbmserv.commands.server import Server
from pbmserv.commands.time_options import TIME_OPTIONS, read_time_options
from pbmserv.games import games
from pbmserv.games.game import Game
from pbmserv.games.info import BadOption
from pbmserv.matches.clock import TimeControl
from pbmserv.matches.errors import CommandError
from pbmserv.matches.log import VARIANT, Match
from pbmserv.matches.player import Player
from pbmserv.matches.queries import Queries
from pbmserv.robots.levels import rungs_of
from pbmserv.robots.robot import FITTING, does_play


class WhichGame(CommandError):
    """Several games are on offer and the line, such as `example`, names none."""

    games: tuple[str, ...]
    example: str = "challenge alice bob"


class NotOffered(CommandError):
    """The server offers no new games of `game`, or of a `variant`, not with that option."""

    game: str
    games: tuple[str, ...]
    variant: str = ""


class UnknownOption(CommandError):
    """The game has no such option; with `command` it has `options`."""

    game: str
    options: tuple[str, ...]
    command: str = "challenge"


class BadOptionValue(CommandError):
    """The option `name` does not take that value. `game` and `userids` are ready for a command.

    `userids` are the players; empty for `seek`.
    """

    game: str
    name: str
    choices: tuple[str, ...]
    userids: tuple[str, ...]


class TakesNoChallenges(CommandError):
    """`userid` takes no challenges, or none from this sender; the message does not say which."""

    userid: str


class NotTogether(CommandError):
    """Of the named players, `userids` cannot be in one game: one has blocked the other.

    The message says neither which one, nor why.
    """

    userids: tuple[str, str]


class RatedAndUnrated(CommandError):
    """A line asks for both. The fields make a command with `userids`, if they are known."""

    game: str
    command: str
    userids: tuple[str, ...]


class NotThereYet(CommandError):
    """`userid` has not answered the first mail to their address yet."""

    userid: str


Options = tuple[tuple[str, str], ...]
"""As written in a line: names in lower case, sorted; a value may be empty."""

RATED = "rated"
UNRATED = "unrated"


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms of a match; `options` are those of the game."""

    game: str
    options: Options = ()
    rated: bool | None = None
    """None if not given: then games between people are rated, and games with a robot are not."""
    clock: TimeControl | None = None


def games_offered(server: Server) -> Mapping[str, Game]:
    """The games that can be started on a server, by name."""
    return {name: game for name, game in games().items() if not server.games or name in server.games}


def read_game(name: str | None, example: str, server: Server) -> str:
    """The game of that name, or the default game; `example` is a command that needs a game before it."""
    offered = tuple(games_offered(server))
    found = name or server.default_game
    if not found or (name is None and found not in offered):
        if len(offered) == 1:
            return offered[0]
        raise WhichGame(games=offered, example=example)
    require_game(found)
    return found


def require_offered(terms: Terms, server: Server) -> None:
    """Raises NotOffered if the server offers no match on these terms."""
    offered = tuple(games_offered(server))
    if terms.game not in offered:
        raise NotOffered(game=terms.game, games=offered)
    if not server.variants and (value := variant_of(terms)):
        raise NotOffered(game=terms.game, games=offered, variant=value)


def variant_of(terms: Terms) -> str:
    """The option that makes it a variant, as typed; "" if it is the game as its inventor published it."""
    found = (
        f"-{name}={value}"
        for name, value in terms.options
        for option in games()[terms.game].info.options
        if name == option.name and value in option.variants
    )
    return next(found, "")


def read_terms(
    game: str, options: Options, seats: int, command: str, userids: tuple[str, ...] = (), more: Sequence[str] = ()
) -> Terms:
    """Reads the options of a line as the terms of a match of `seats` players.

    Errors are worded for `command`, which has `more` options than these, and for the players, if they are
    known.
    """
    offered = (*(option.name for option in games()[game].info.options), RATED, UNRATED, *TIME_OPTIONS, *more)
    timed = read_time_options(options, " ".join([game, command, *userids]))
    clock, options = timed
    given = dict(options)
    if given.get(RATED) or given.get(UNRATED):
        raise UnknownOption(game=game, options=offered, command=command)
    if RATED in given and UNRATED in given:
        raise RatedAndUnrated(game=game, command=command, userids=userids)
    of_game = tuple(
        dict.fromkeys((name, value.lower()) for name, value in options if name not in (RATED, UNRATED))
    )
    _require_options(game, of_game, seats, offered, command, userids)
    rated = True if RATED in given else False if UNRATED in given else None
    return Terms(game, of_game, rated, clock)


def _require_options(
    game: str, options: Options, seats: int, offered: tuple[str, ...], command: str, userids: tuple[str, ...]
) -> None:
    def bad(name: str, choices: tuple[str, ...]) -> BadOptionValue:
        return BadOptionValue(game=game, name=name, choices=choices, userids=userids)

    for option in games()[game].info.options:
        values = [value for name, value in options if name == option.name]
        if len(values) > 1:
            raise bad(option.name, option.told)
    try:
        games()[game].start(seats, dict(options))
    except BadOption as error:
        if error.choices:
            raise bad(error.name, error.choices) from error
        raise UnknownOption(game=game, options=offered, command=command) from error


def require_willing(players: Sequence[Player], starter: Player, records: Queries) -> None:
    """Raises if `starter` cannot start a game with these players. They may play with players they have blocked."""
    others = [player for player in players if player.id != starter.id]
    for player in others:
        _require_willing(player, starter, records)
    require_together(others, records)


def _require_willing(player: Player, starter: Player, records: Queries) -> None:
    if not player.is_confirmed:
        raise NotThereYet(userid=player.userid)
    if not player.takes_challenges or player.is_banned or records.is_blocked(starter.userid, by=player.userid):
        raise TakesNoChallenges(userid=player.userid)


def require_together(players: Sequence[Player], records: Queries) -> None:
    """Raises NotTogether if one of these players has blocked another."""
    for one, other in combinations(players, 2):
        if records.is_blocked(one.userid, by=other.userid) or records.is_blocked(other.userid, by=one.userid):
            raise NotTogether(userids=(one.userid, other.userid))


def opened(
    terms: Terms,
    players: Sequence[Player],
    starter: Player,
    records: Queries,
    now: datetime,
    after: int | None = None,
) -> Match:
    """The new match, played in the order of `players`; `after` is the board that it is a rematch of.

    Raises RobotDoesNotPlay.
    """
    require_able(terms.game, terms.options, players, records)
    return Match(
        number=records.next_number(),
        game=terms.game,
        rules=games()[terms.game].info.rules + (VARIANT if variant_of(terms) else ""),
        options=terms.options,
        rated=not any(player.robot for player in players) if terms.rated is None else terms.rated,
        userids=tuple(player.userid for player in players),
        started_by=starter.userid,
        started=now,
        clock=terms.clock,
        after=after,
    )


class RobotDoesNotPlay(CommandError):
    """The robot `userid` does not play `title` with `seats` seats; the `robots` do, the weakest first.

    `game` and `userids`, with one of these in its place, make a command that works.
    """

    userid: str
    title: str
    seats: int
    robots: tuple[str, ...]
    game: str
    userids: tuple[str, ...]


def require_able(
    game_name: str, options: Sequence[tuple[str, str]], players: Sequence[Player], records: Queries
) -> None:
    """Raises RobotDoesNotPlay if one of these is a robot that cannot play this game with this many players."""
    game = games()[game_name]
    robots = [player for player in players if player.robot is not None]
    if not robots:
        return
    position = game.start(len(players), dict(options))
    for robot in robots:
        if does_play(robot.robot or "", game, position):
            continue
        there = [records.robot(program) for program in (FITTING, *rungs_of(game, position))]
        able = [each.userid for each in there if each is not None]
        free = next((each for each in able if each not in [player.userid for player in players]), "")
        raise RobotDoesNotPlay(
            userid=robot.userid,
            title=game.info.title,
            seats=len(players),
            robots=tuple(able),
            game=game_name,
            userids=tuple(free if player is robot else player.userid for player in players),
        )


class TooManyGames(CommandError):
    """`starter` has `limit` started games in play; or, without proof, has started `limit` within a day.

    With proof the limit is `proven_limit`: `line` is what to send again.
    """

    starter: str
    limit: int
    proven_limit: int
    line: str


class TooManyUnbegun(CommandError):
    """`limit` games of `starter` wait for a first move of `userid`; without proof the limit is lower.

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
    """Raises if a player cannot start another match with these now. `line` is the command to send again."""
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
