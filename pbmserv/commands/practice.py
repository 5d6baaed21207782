"""The practice board: a newcomer's first game, against an easy robot, which begins with their first move.

Until then there is no board, only what it would be: number 0, which no board has. It is in no list and counts for
nothing, and each player gets one.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import chain
from typing import Final

from pbmserv.commands.command import Command, Decision, Reply, Request
from pbmserv.commands.new_game import Options, Terms, games_offered, variant_of
from pbmserv.commands.server import Server
from pbmserv.games import games
from pbmserv.games.choices import MOST_LISTED
from pbmserv.games.game import Game
from pbmserv.matches.errors import CommandError
from pbmserv.matches.log import VARIANT, Entry, Match
from pbmserv.matches.moves import AmbiguousMove, IllegalMove, NoPass, StalePly, UnreadableMove, play
from pbmserv.matches.queries import Queries
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


class PracticeBegun(Reply):
    """The first move is played, and so the practice board is there: `userid` against `robot`."""

    board: int
    userid: str
    robot: str
    move: str


class PracticeOffered(Reply):
    """The practice board of `userid` waits for a first move."""

    userid: str


class PracticeThere(CommandError):
    """The player `userid` has had a practice board already; `is_over`: its game is."""

    userid: str
    robot: str
    is_over: bool


class BadFirstMove(CommandError):
    """No game begins with `move`, by the rule of that number, if one forbids it; `choices` could be played.

    `userid` is whose practice board it would be.
    """

    userid: str
    move: str
    game: str
    rule: int | None
    choices: tuple[str, ...]


def run(request: Request, records: Queries, now: datetime) -> Decision:
    """Opens the player's practice board by its first move."""
    player, text = request.player, request.arguments.move
    robot = records.robot(ROBOT)
    if robot is None:
        raise LookupError(f"{ROBOT} is no player")
    number = records.practice_of(player)
    if number is not None:
        there = records.board(number)
        is_over = there is None or there.state.status != "active"
        raise PracticeThere(board=number, userid=player.userid, robot=robot.userid, is_over=is_over)
    if not text:
        return Decision(PracticeOffered(player.userid))
    match = practice_match(records.next_number(), player.userid, robot.userid, request.server, now)
    entry = _first_entry(match, text, request.arguments.ply, now)
    return Decision(
        PracticeBegun(match.number, player.userid, robot.userid, entry.text),
        opened=match,
        entries=(entry,),
        boards=(replay(match).apply(entry),),
    )


def _first_entry(match: Match, text: str, ply: int | None, now: datetime) -> Entry:
    """The entry of the first move. Raises BadFirstMove, which names no board: there is none."""
    rule: int | None = None
    try:
        return play(match, replay(match).state, 0, text, ply, now)
    except IllegalMove as error:
        rule, choices = error.rule, error.choices or error.near or (error.example,)
    except AmbiguousMove as error:
        choices = error.choices[:MOST_LISTED]
    except (UnreadableMove, NoPass) as error:
        choices = (error.example,)
    except StalePly as error:
        choices = (error.again,)
    raise BadFirstMove(
        userid=match.started_by,
        move=text,
        game=match.game,
        rule=rule,
        choices=tuple(each.lower() for each in choices),
    )


command = Command(
    name="practice",
    kind="opening",
    forms=("practice move[#ply]", "practice"),
    summary="play a first game against an easy robot",
    example="practice b2",
    run=run,
)
