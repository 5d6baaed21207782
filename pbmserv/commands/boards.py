"""What commands about boards have in common: finding the board, whose it is, and those that wait for a player."""

from dataclasses import dataclass

from pbmserv.commands.message import BoardRef, Request
from pbmserv.commands.refusals.common import NoSuchPlayer, UnknownGame
from pbmserv.games.game import Seat
from pbmserv.games.library import games
from pbmserv.matches.player import Player
from pbmserv.matches.records import Records, Wanted
from pbmserv.matches.refusals import NoSuchBoard, NoSuchPly, NotYourBoard, OtherGame, Refused
from pbmserv.matches.replay import Replayed

MOST_OWN_BOARDS = 5
MOST_WAITING_SHOWN = 20


@dataclass(frozen=True, slots=True)
class WaitingBoards:
    """The boards where it is somebody's turn: the numbers of those that one mail shows, and how many `more`."""

    numbers: tuple[int, ...]
    more: int

    @property
    def refs(self) -> tuple[BoardRef, ...]:
        """The same boards, as they stand now."""
        return tuple(map(BoardRef, self.numbers))


def waiting_boards(player: Player, records: Records) -> WaitingBoards:
    """The boards where it is a player's turn."""
    found = records.boards(Wanted(userids=(player.userid,), filter="next", count=MOST_WAITING_SHOWN))
    numbers = tuple(line.number for line in found.lines)
    return WaitingBoards(numbers, found.total - len(numbers))


def find_board(number: int, game: str | None, records: Records, asker: Player | None) -> Replayed | Refused:
    """The board of a number, which must be one of `game` if that was said; a refusal is worded for `asker`."""
    board = records.board(number)
    if board is None:
        return _no_such_board(number, records, asker)
    if game is not None and game != board.match.game:
        return OtherGame(board=number, named=game, actual=board.match.game)
    return board


def _no_such_board(number: int, records: Records, asker: Player | None) -> Refused:
    if asker is None:
        return NoSuchBoard(number=number)
    own = records.boards(Wanted(userids=(asker.userid,), count=MOST_OWN_BOARDS))
    return NoSuchBoard(number=number, userid=asker.userid, own=tuple(sorted(line.number for line in own.lines)))


def find_shown(ref: BoardRef, game: str | None, records: Records, asker: Player | None) -> Replayed | Refused:
    """The board that somebody wants to see, at a ply that it has."""
    board = find_board(ref.number, game, records, asker)
    if isinstance(board, Refused) or ref.ply is None or ref.ply <= board.state.plies:
        return board
    return NoSuchPly(board=ref.number, ply=ref.ply, plies=board.state.plies)


def find_seat(request: Request, records: Records) -> tuple[Replayed, Seat] | Refused:
    """The board that a player acts on, as it stands, and their seat at it."""
    player = request.actor.player
    if player is None:
        raise ValueError("a binding command without a player")
    board = find_board(request.arguments.boards[0].number, request.arguments.game, records, player)
    if isinstance(board, Refused):
        return board
    seat = board.match.seat_of(player.userid)
    if seat is None:
        return NotYourBoard(board=board.match.number, userid=player.userid)
    return board, seat


def named_players(request: Request, records: Records) -> tuple[str, ...] | Refused:
    """The userids of the players that a line names, each once, as their owners write them."""
    found = []
    for userid in {userid.lower(): userid for userid in request.arguments.userids}.values():
        player = records.player(userid)
        if player is None:
            return no_such_player(userid, records)
        found.append(player.userid)
    return tuple(found)


def unknown_game(name: str | None) -> Refused | None:
    """Why no game has that name; None when one has, or none was named."""
    if name is None or name in games():
        return None
    return UnknownGame(suggestions=tuple(games()))


def no_such_player(userid: str, records: Records) -> Refused:
    """The refusal of a userid that nobody has."""
    return NoSuchPlayer(suggestions=tuple(records.similar_userids(userid)))
