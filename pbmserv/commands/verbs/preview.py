"""`preview`: try a line of moves on a board. Nothing of it is kept, and nobody else hears of it."""

from datetime import datetime

from pbmserv.commands.boards import find_board
from pbmserv.commands.command import Command
from pbmserv.commands.decision import Decision
from pbmserv.commands.echoed import echoed_words
from pbmserv.commands.message import Request
from pbmserv.commands.refusals.board import BadPreview, TooManyMoves
from pbmserv.commands.replies.common import Previewed
from pbmserv.matches.records import Records
from pbmserv.matches.refusals import AmbiguousMove, IllegalMove, Refused, UnreadableMove
from pbmserv.matches.replay import Replayed
from pbmserv.matches.turn import play

MOST_MOVES = 20

_LONGEST_ECHO = 40


def run(request: Request, records: Records, now: datetime) -> Decision | Refused:
    """Plays the moves in thought, each by whoever is on turn then."""
    arguments = request.arguments
    board = find_board(arguments.boards[0].number, arguments.game, records, request.actor.player)
    if isinstance(board, Refused):
        return board
    imagined = board
    for text in arguments.moves[:MOST_MOVES]:
        after = _after(imagined, text, now)
        if isinstance(after, Refused):
            return _stopped(board, _played(board, imagined), text, after)
        imagined = after
    moves = _played(board, imagined)
    if len(arguments.moves) > MOST_MOVES:
        return TooManyMoves(board=board.match.number, named=len(arguments.moves), limit=MOST_MOVES, line=moves)
    reply = Previewed(board.match.number, moves, _playable(request, board, moves[0]))
    return Decision(reply, imagined=(imagined,))


def _after(board: Replayed, text: str, now: datetime) -> Replayed | Refused:
    seat = board.state.to_move or 0
    entry = play(board.match, board.state, seat, text, None, now)
    return entry if isinstance(entry, Refused) else board.then(entry)


def _played(board: Replayed, imagined: Replayed) -> tuple[str, ...]:
    """The moves between two moments of a board, as a person types them."""
    return tuple(entry.text.lower() for entry in imagined.match.entries[len(board.match.entries) :])


def _stopped(board: Replayed, line: tuple[str, ...], text: str, refused: Refused) -> Refused:
    """Why the line goes no further than it did."""
    number, game, word = board.match.number, board.match.game, echoed_words(text[:_LONGEST_ECHO])
    match refused:
        case UnreadableMove(example=example):
            return BadPreview(board=number, game=game, line=line, word=word, why="unreadable", choices=(example,))
        case IllegalMove(rule=rule, choices=choices, near=near, example=example):
            choices = choices or near or (example,)
            return BadPreview(
                board=number, game=game, line=line, word=word, why="illegal", rule=rule, choices=choices
            )
        case AmbiguousMove(choices=choices):
            return BadPreview(board=number, game=game, line=line, word=word, why="ambiguous", choices=choices)
    return BadPreview(board=number, game=game, line=line, word=word, why="over")


def _playable(request: Request, board: Replayed, move: str) -> str:
    player, on_turn = request.actor.player, board.state.to_move
    if player is None or on_turn is None or board.match.seat_of(player.userid) != on_turn:
        return ""
    return f"{move}#{board.state.plies + 1}"


command = Command(
    name="preview",
    kind="open",
    forms=("[game] preview board move+",),
    summary="try moves on a board without playing them",
    example="preview 101 c3 c4 d3",
    run=run,
)
