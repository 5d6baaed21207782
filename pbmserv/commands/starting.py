"""How a match comes about, by whichever command: its terms, who may sit down together, and how many a day."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import combinations

from pbmserv.commands.boards import unknown_game
from pbmserv.commands.refusals.account import NotThereYet, NotTogether, TakesNoChallenges
from pbmserv.commands.refusals.common import BadOptionValue, TooManyGames, TooManyUnbegun, UnknownOption, WhichGame
from pbmserv.commands.time_options import TIME_OPTIONS, read_time_options
from pbmserv.games.game import BadOption
from pbmserv.games.library import games
from pbmserv.matches.clock import TimeControl
from pbmserv.matches.match import Match
from pbmserv.matches.player import Player
from pbmserv.matches.records import Records
from pbmserv.matches.refusals import Refused

Options = tuple[tuple[str, str], ...]
"""As written in a line: names in lower case, sorted; a value may be empty."""

GAMES_A_DAY = 10
UNBEGUN_WITH_ONE = 3

UNRATED = "unrated"


@dataclass(frozen=True, slots=True)
class Terms:
    """What is agreed before a match begins; `options` are those of the game."""

    game: str
    options: Options = ()
    rated: bool = True
    clock: TimeControl | None = None


def read_game(name: str | None, example: str) -> str | Refused:
    """The game of that name, or the only one there is; `example` is a line that wants a game before it."""
    if name is None and len(games()) > 1:
        return WhichGame(games=tuple(games()), example=example)
    return unknown_game(name) or name or next(iter(games()))


def read_terms(
    game: str, options: Options, seats: int, command: str, userids: tuple[str, ...] = (), more: Sequence[str] = ()
) -> Terms | Refused:
    """What the options of a line come to for a match of `seats` players.

    A refusal is worded for `command`, which knows `more` options than these, and for the players, if they are
    known.
    """
    offered = (*(option.name for option in games()[game].info.options), UNRATED, *TIME_OPTIONS, *more)
    timed = read_time_options(options, " ".join([game, command, *userids]))
    if isinstance(timed, Refused):
        return timed
    clock, options = timed
    given = dict(options)
    if given.get(UNRATED):
        return UnknownOption(game=game, options=offered, command=command)
    of_game = tuple(dict.fromkeys((name, value.lower()) for name, value in options if name != UNRATED))
    refused = _refused_options(game, of_game, seats, offered, command, userids)
    return refused or Terms(game, of_game, rated=UNRATED not in given, clock=clock)


def _refused_options(
    game: str, options: Options, seats: int, offered: tuple[str, ...], command: str, userids: tuple[str, ...]
) -> Refused | None:
    def bad(name: str, choices: tuple[str, ...]) -> Refused:
        return BadOptionValue(game=game, name=name, choices=choices, userids=userids)

    for option in games()[game].info.options:
        values = [value for name, value in options if name == option.name]
        if len(values) > 1:
            return bad(option.name, option.choices)
    try:
        games()[game].start(seats, dict(options))
    except BadOption as error:
        if error.choices:
            return bad(error.name, error.choices)
        return UnknownOption(game=game, options=offered, command=command)
    return None


def unwilling(players: Sequence[Player], starter: Player, records: Records) -> Refused | None:
    """Why `starter` cannot put these into one game. Whom the starter has blocked is the starter's own choice."""
    others = [player for player in players if player.id != starter.id]
    refusals = (_unwilling(player, starter, records) for player in others)
    return next(filter(None, refusals), None) or apart(others, records)


def _unwilling(player: Player, starter: Player, records: Records) -> Refused | None:
    if not player.is_confirmed:
        return NotThereYet(userid=player.userid)
    if not player.takes_challenges or player.is_banned or records.is_blocked(starter.userid, by=player.userid):
        return TakesNoChallenges(userid=player.userid)
    return None


def apart(players: Sequence[Player], records: Records) -> Refused | None:
    """Why these cannot sit at one board."""
    for one, other in combinations(players, 2):
        if records.is_blocked(one.userid, by=other.userid) or records.is_blocked(other.userid, by=one.userid):
            return NotTogether(userids=(one.userid, other.userid))
    return None


def over_limits(players: Sequence[Player], starter: Player, records: Records, now: datetime) -> Refused | None:
    """Why `starter` cannot start one more match with these at the moment."""
    if records.started_since(starter.userid, now - timedelta(days=1)) >= GAMES_A_DAY:
        return TooManyGames(limit=GAMES_A_DAY)
    for player in players:
        if player.id != starter.id and records.unbegun(starter.userid, player.userid) >= UNBEGUN_WITH_ONE:
            return TooManyUnbegun(userid=player.userid, limit=UNBEGUN_WITH_ONE, starter=starter.userid)
    return None


def opened(
    terms: Terms,
    players: Sequence[Player],
    starter: Player,
    records: Records,
    now: datetime,
    after: int | None = None,
) -> Match:
    """The match that begins, played in the order of `players`; `after` is the board that it is a rematch of."""
    return Match(
        number=records.next_number(),
        game=terms.game,
        rules=games()[terms.game].info.rules,
        options=terms.options,
        rated=terms.rated,
        userids=tuple(player.userid for player in players),
        started_by=starter.userid,
        started=now,
        clock=terms.clock,
        after=after,
    )
