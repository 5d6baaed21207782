"""`challenge` and `rematch`: start a game with other players, or play a finished one again."""

from collections.abc import Sequence
from datetime import datetime

from pbmserv.commands.command import (
    BoardRef,
    Command,
    Decision,
    Remark,
    Reply,
    Request,
)
from pbmserv.commands.lookup import find_player, find_seat
from pbmserv.commands.new_game import (
    Terms,
    opened,
    read_game,
    read_terms,
    require_offered,
    require_willing,
    require_within_limits,
)
from pbmserv.games import games
from pbmserv.games.game import Game
from pbmserv.matches.errors import CommandError
from pbmserv.matches.log import Match, rules_of, title_of
from pbmserv.matches.player import Player
from pbmserv.matches.queries import Queries
from pbmserv.matches.replay import replay


class Challenged(Reply):
    """A match has started between `userids`, in order of play."""

    board: int
    title: str
    """What the game is called."""
    userids: tuple[str, ...]


class WrongNumberOfPlayers(CommandError):
    """The game needs another number of players. `game` and `example` complete a command that works."""

    game: str
    named: int
    least: int
    most: int
    example: tuple[str, ...]


class SamePlayerTwice(CommandError):
    """A challenge names a userid twice: nobody plays against themselves. `userids` has each once."""

    userid: str
    game: str
    userids: tuple[str, ...]


class NotAmongPlayers(CommandError):
    """The sender, `userid`, is not among the named players; `game` and `others` make a command that works."""

    userid: str
    game: str
    others: tuple[str, ...]


def run_challenge(request: Request, records: Queries, now: datetime) -> Decision:
    """Starts the match, unless its players, options or the limits forbid it."""
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
    """The named players in order; if the starter is not named, the starter moves first."""
    least, most = game.info.least_seats, game.info.most_seats
    others = tuple(userid for userid in named if userid.lower() != starter.userid.lower())
    if len(others) == len(named) < most:
        named = (starter.userid, *named)
    found = tuple(find_player(userid, records) for userid in named)
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
    return found


challenge_command = Command(
    name="challenge",
    kind="opening",
    forms=("[game] challenge userid+ [-options]",),
    summary="start a game with others, named in order of play",
    example="cephalopod challenge alice bob",
    run=run_challenge,
)


class RematchRunning(Reply):
    """The rematch of `board` is already being played on board `rematch`, started by `started_by`."""

    board: int
    rematch: int
    started_by: str


class PlayedAgain(Reply, place="below"):
    """Says above the board that it is a rematch of board `after`."""

    after: int


class PlayedOn(Reply, place="below"):
    """Says below the board that it continues board `after` without those who declined."""

    after: int
    without: tuple[str, ...]


class NotOverYet(CommandError):
    """The board is still being played, so there is nothing to play again."""


class NotAllHere(CommandError):
    """One of the players has left the club, so they cannot play `game` again."""

    game: str


class NobodyLeft(CommandError):
    """The players in `without` have declined, and the others are too few for the `game`."""

    game: str
    userid: str
    without: tuple[str, ...]


def run_rematch(request: Request, records: Queries, now: datetime) -> Decision:
    """Starts the same game with the same players on the same terms, unless such a rematch is being played.

    If some of three or more players have declined, the others play without them, in the same order.
    """
    board, seat = find_seat(request, records)
    number = board.match.number
    if board.state.status == "active":
        raise NotOverYet(board=number)
    running = records.rematch_of(number)
    if running is not None:
        return _running(number, running, records)
    before, userid = board.match, board.match.userids[seat]
    without, again = board.left_out(userid), board.again(userid)
    if not again:
        raise NobodyLeft(board=number, game=before.game, userid=userid, without=without)
    players = _players_again(before, again, records)
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
        remarks=tuple(Remark(match.number, userid, how) for userid in match.userids if userid != starter.userid),
    )


def _running(board: int, rematch: int, records: Queries) -> Decision:
    found = records.board(rematch)
    if found is None:
        raise LookupError(f"board {rematch} is listed as a rematch, and is not there")
    said = RematchRunning(board, rematch, found.match.started_by)
    return Decision(said, shown=(BoardRef(rematch),))


def _players_again(match: Match, userids: Sequence[str], records: Queries) -> tuple[Player, ...]:
    """The players of the rematch of a match, in order."""
    found = [player for player in map(records.player, userids) if player is not None]
    if len(found) < len(userids):
        raise NotAllHere(board=match.number, game=rules_of(match).info.name)
    return tuple(found)


rematch_command = Command(
    name="rematch",
    kind="opening",
    forms=("[game] rematch board",),
    summary="play a finished game again, with the next player first",
    example="rematch 101",
    run=run_rematch,
)
