"""Look-ups for commands: boards, seats, players, pages. Each raises the error that says what is missing."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from pbmserv.commands.command import BoardRef, Command, Request
from pbmserv.games import games
from pbmserv.games.game import Seat
from pbmserv.matches.errors import CommandError
from pbmserv.matches.log import MissingRules
from pbmserv.matches.player import Player
from pbmserv.matches.queries import ListingQuery, Queries
from pbmserv.matches.replay import GameState


class NoSuchBoard(CommandError):
    """There is no board `number`. `own` are some boards that the sender, `userid`, plays on."""

    number: int
    userid: str | None = None
    own: tuple[int, ...] = ()


class NoSuchPly(CommandError):
    """The board has only `plies` plies."""

    ply: int
    plies: int


class OtherGame(CommandError):
    """The board is one of `actual`, not of `named`."""

    named: str
    actual: str


class NotYourBoard(CommandError):
    """`userid` does not play on the board."""

    userid: str


class UnknownGame(CommandError):
    """There is no such game; `suggestions` have similar names."""

    suggestions: tuple[str, ...]


class WrongForm(CommandError):
    """The words after a command do not fit it."""

    command: str
    forms: tuple[str, ...]
    example: str


class NoSuchPlayer(CommandError):
    """There is no player of that name."""

    suggestions: tuple[str, ...]


class GameMissing(CommandError):
    """This server no longer has the game of board `number`, or that version of its rules.

    The error does not name it as its board, since that would be shown.
    """

    number: int


MOST_OWN_BOARDS = 5
MOST_WAITING_SHOWN = 20


@dataclass(frozen=True, slots=True)
class WaitingBoards:
    """The boards where it is a player's turn: the numbers of those that one mail shows, and how many `more`."""

    numbers: tuple[int, ...]
    more: int

    @property
    def refs(self) -> tuple[BoardRef, ...]:
        """The same boards, in their current state."""
        return tuple(map(BoardRef, self.numbers))


def waiting_boards(player: Player, records: Queries) -> WaitingBoards:
    """The boards where it is a player's turn."""
    found = records.boards(
        ListingQuery(userids=(player.userid,), filter="next", count=MOST_WAITING_SHOWN, with_practice=True)
    )
    numbers = tuple(line.number for line in found.lines)
    return WaitingBoards(numbers, found.total - len(numbers))


def find_board(number: int, game: str | None, records: Queries, asker: Player | None) -> GameState:
    """The board of that number, which must be of `game` if given; errors are worded for `asker`."""
    try:
        board = records.board(number)
    except MissingRules as error:
        raise GameMissing(number=number) from error
    if board is None:
        raise _no_such_board(number, records, asker)
    if game is not None and game != board.match.game:
        raise OtherGame(board=number, named=game, actual=board.match.game)
    return board


def _no_such_board(number: int, records: Queries, asker: Player | None) -> NoSuchBoard:
    if asker is None:
        return NoSuchBoard(number=number)
    own = records.boards(ListingQuery(userids=(asker.userid,), count=MOST_OWN_BOARDS, with_practice=True))
    return NoSuchBoard(number=number, userid=asker.userid, own=tuple(sorted(line.number for line in own.lines)))


def find_shown(ref: BoardRef, game: str | None, records: Queries, asker: Player | None) -> GameState:
    """The board to show, at an existing ply."""
    board = find_board(ref.number, game, records, asker)
    if ref.ply is not None and ref.ply > board.state.plies:
        raise NoSuchPly(board=ref.number, ply=ref.ply, plies=board.state.plies)
    return board


def named_board(request: Request, records: Queries) -> GameState:
    """The board that a request names, in its current state."""
    return find_board(request.arguments.board, request.arguments.game, records, request.actor.player)


def find_seat(request: Request, records: Queries) -> tuple[GameState, Seat]:
    """The board that a player acts on, in its current state, and their seat."""
    board, player = named_board(request, records), request.player
    seat = board.match.seat_of(player.userid)
    if seat is None:
        raise NotYourBoard(board=board.match.number, userid=player.userid)
    return board, seat


def find_player(userid: str, records: Queries) -> Player:
    """The player of a userid. Raises NoSuchPlayer."""
    player = records.player(userid)
    if player is None:
        raise NoSuchPlayer(suggestions=tuple(records.similar_userids(userid)))
    return player


def player_or_sender(request: Request, records: Queries) -> Player:
    """The first player that a request names, or its sender if it names none."""
    userid = request.arguments.first_userid
    return request.player if userid is None else find_player(userid, records)


def named_players(userids: Iterable[str], records: Queries) -> tuple[str, ...]:
    """The userids of the named players, each once, spelled as their owners do."""
    named = {userid.lower(): userid for userid in userids}.values()
    return tuple(find_player(userid, records).userid for userid in named)


def require_game(name: str | None) -> None:
    """Raises UnknownGame if a game was named and there is no such game."""
    if name is not None and name not in games():
        raise UnknownGame(suggestions=tuple(get_close_matches(name, games())))


PAGE = "page"

_MOST_DIGITS = 4


def read_page(options: Sequence[tuple[str, str]], command: Command) -> int:
    """The page that a line asks for, from 1. Raises if it has other options."""
    if not options:
        return 1
    name, value = options[0]
    is_number = value.isascii() and value.isdigit() and len(value) <= _MOST_DIGITS and int(value) > 0
    if len(options) > 1 or name != PAGE or not is_number:
        raise wrong_form(command)
    return int(value)


def wrong_form(command: Command) -> WrongForm:
    """The error for a line whose words do not fit this command."""
    return WrongForm(command=command.name, forms=command.forms, example=command.example)
