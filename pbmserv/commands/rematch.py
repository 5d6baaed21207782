"""`rematch`: play a finished game again, with the next player moving first, or without those who declined it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from pbmserv.commands.base.arguments import BoardArguments, BoardRef
from pbmserv.commands.base.decision import Decision, Notifications, Remark, Reply, ShownBoards
from pbmserv.commands.base.game_limits import require_within_limits
from pbmserv.commands.base.lookup import find_seat
from pbmserv.commands.base.new_game import Terms, opened, require_offered, require_willing
from pbmserv.commands.base.registry import PlayerCommand
from pbmserv.commands.base.request import PlayerRequest
from pbmserv.commands.challenge import Challenged
from pbmserv.matches.errors import CommandError
from pbmserv.matches.log import Match, rules_of, title_of
from pbmserv.matches.player import Player
from pbmserv.matches.queries import Queries
from pbmserv.matches.replay import replay


@dataclass(frozen=True, slots=True)
class RematchRunning(Reply):
    """The rematch of `board` is being played already: board `rematch`, which `started_by` began."""

    template: ClassVar[str] = "commands/rematch.txt:rematch_running"

    board: int
    rematch: int
    started_by: str


@dataclass(frozen=True, slots=True)
class PlayedAgain(Reply):
    """The board is a rematch of board `after`: told above it."""

    template: ClassVar[str] = "commands/rematch.txt:played_again"
    place = "below"

    after: int


@dataclass(frozen=True, slots=True)
class PlayedOn(Reply):
    """The board is board `after` once more, but without those who declined that one: told below it."""

    template: ClassVar[str] = "commands/rematch.txt:played_on"
    place = "below"

    after: int
    without: tuple[str, ...]


@dataclass(kw_only=True)
class NotOverYet(CommandError):
    """The board is still being played, so there is nothing to play again."""

    template: ClassVar[str] = "commands/rematch.txt:not_over_yet"


@dataclass(kw_only=True)
class NotAllHere(CommandError):
    """Of the players of a board one is no player here any more, so that they cannot play `game` again."""

    template: ClassVar[str] = "commands/rematch.txt:not_all_here"

    game: str


@dataclass(kw_only=True)
class NobodyLeft(CommandError):
    """So many of three and more have declined a board, `without`, that the others are too few for its `game`."""

    template: ClassVar[str] = "commands/rematch.txt:nobody_left"

    game: str
    userid: str
    without: tuple[str, ...]


def run(request: PlayerRequest[BoardArguments], records: Queries, now: datetime) -> Decision:
    """Starts the same game with the same players on the same terms, unless it runs already.

    Where some of three and more have declined, the others go on without them, in the same order.
    """
    found = find_seat(request, records)
    (board, seat), number = found, found[0].match.number
    if board.state.status == "active":
        raise NotOverYet(board=number)
    running = records.rematch_of(number)
    if running is not None:
        return _running(number, running, records)
    before, userid = board.match, board.match.userids[seat]
    without, again = board.left_out(userid), board.again(userid)
    if not again:
        raise NobodyLeft(board=number, game=before.game, userid=userid, without=without)
    players = _players(before, again, records)
    starter = next(player for player in players if player.userid == userid)
    require_willing(players, starter, records)
    require_within_limits(players, request, records, now, line=f"rematch {number}")
    # After practice comes a game as the club offers it.
    options = () if before.practice and not request.server.variants else before.options
    terms = Terms(before.game, options, before.rated, before.clock)
    require_offered(terms, request.server)
    match = opened(terms, players, starter, records, now, after=number)
    how = PlayedOn(number, without) if without else PlayedAgain(number)
    return Decision(
        Challenged(match.number, title_of(match), match.userids),
        opened=match,
        boards=(replay(match),),
        notifications=Notifications(
            remarks=tuple(
                Remark(match.number, userid, how) for userid in match.userids if userid != starter.userid
            )
        ),
    )


def _running(board: int, rematch: int, records: Queries) -> Decision:
    found = records.board(rematch)
    if found is None:
        raise LookupError(f"board {rematch} is listed as a rematch, and is not there")
    said = RematchRunning(board, rematch, found.match.started_by)
    return Decision(said, shown=ShownBoards(boards=(BoardRef(rematch),)))


def _players(match: Match, userids: Sequence[str], records: Queries) -> tuple[Player, ...]:
    """Those of a match who are to play once more, in this order."""
    found = [player for player in map(records.player, userids) if player is not None]
    if len(found) < len(userids):
        raise NotAllHere(board=match.number, game=rules_of(match).info.name)
    return tuple(found)


command = PlayerCommand(
    name="rematch",
    kind="opening",
    forms=("[game] rematch board",),
    summary="play a finished game again, with the next player first",
    example="rematch 101",
    arguments=BoardArguments,
    run=run,
    help="commands/rematch.txt:help_rematch",
)
