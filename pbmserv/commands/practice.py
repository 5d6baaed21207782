"""`practice`: a newcomer's first game, against an easy robot. It begins with the first move."""

from dataclasses import dataclass
from datetime import datetime

from pbmserv.commands.base.decision import Decision, Reply
from pbmserv.commands.base.practice import ROBOT, practice_match
from pbmserv.commands.base.registry import PlayerCommand
from pbmserv.commands.base.request import PlayerRequest
from pbmserv.games.choices import MOST_LISTED
from pbmserv.matches.errors import AmbiguousMove, CommandError, IllegalMove, NoPass, StalePly, UnreadableMove
from pbmserv.matches.log import Entry, Match
from pbmserv.matches.moves import play
from pbmserv.matches.queries import Queries
from pbmserv.matches.replay import replay


@dataclass(frozen=True, slots=True)
class PracticeArguments:
    """The first move, and the ply that the sender expects it to be; nothing where the board is only to be seen."""

    move: str
    ply: int | None


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


def run(request: PlayerRequest[PracticeArguments], records: Queries, now: datetime) -> Decision:
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


command = PlayerCommand(
    name="practice",
    kind="opening",
    forms=("practice move[#ply]", "practice"),
    summary="play a first game against an easy robot",
    example="practice b2",
    arguments=PracticeArguments,
    run=run,
    help="commands/practice.txt:help_practice",
)
