"""`preview`: try a line of moves on a board without playing it."""

from datetime import datetime
from functools import partial
from typing import Literal

from pbmserv.commands.command import Command, Decision, Reply, Request, ShownBoards
from pbmserv.commands.echo import echo_words
from pbmserv.commands.lookup import named_board
from pbmserv.matches.errors import CommandError
from pbmserv.matches.moves import AmbiguousMove, IllegalMove, UnreadableMove, play
from pbmserv.matches.queries import Queries
from pbmserv.matches.replay import GameState


class Previewed(Reply):
    """A line of `moves`, as a person types them, leads to the board shown; nothing of it is played.

    `playable` is the first of them with its guard, when it is the sender who may play it now; else it is empty.
    """

    board: int
    moves: tuple[str, ...]
    playable: str


class TooManyMoves(CommandError):
    """A line to be tried has `named` moves, more than the `limit`; `line` are as many as may be.

    They are legal moves, as a person types them, and so are those of BadPreview.
    """

    named: int
    limit: int
    line: tuple[str, ...]


class BadPreview(CommandError):
    """A line to be tried stops at `word`; `line` are the moves before it.

    `why`: it is no move, a `rule` forbids it, it could be any of `choices`, or the moves before it end the game.
    `choices` are moves that can be played there.
    """

    game: str
    line: tuple[str, ...]
    word: str
    why: Literal["unreadable", "illegal", "ambiguous", "over"]
    rule: int = 0
    choices: tuple[str, ...] = ()


MOST_MOVES = 20

_LONGEST_ECHO = 40


def run(request: Request, records: Queries, now: datetime) -> Decision:
    """Plays the moves in thought, each by whoever is on turn then."""
    arguments = request.arguments
    board = named_board(request, records)
    imagined = board
    for text in arguments.moves[:MOST_MOVES]:
        try:
            imagined = _after(imagined, text, now)
        except CommandError as error:
            raise _stopped(board, _played(board, imagined), text, error) from error
    moves = _played(board, imagined)
    if len(arguments.moves) > MOST_MOVES:
        raise TooManyMoves(board=board.match.number, named=len(arguments.moves), limit=MOST_MOVES, line=moves)
    reply = Previewed(board.match.number, moves, _playable(request, board, moves[0]))
    return Decision(reply, shown=ShownBoards(previews=(imagined,)))


def _after(board: GameState, text: str, now: datetime) -> GameState:
    seat = board.state.to_move or 0
    return board.apply(play(board.match, board.state, seat, text, None, now))


def _played(board: GameState, imagined: GameState) -> tuple[str, ...]:
    """The moves between two moments of a board, as a person types them."""
    return tuple(entry.text.lower() for entry in imagined.match.entries[len(board.match.entries) :])


def _stopped(board: GameState, line: tuple[str, ...], text: str, error: CommandError) -> BadPreview:
    """Why the line goes no further than the moves of `line`."""
    word = echo_words(text[:_LONGEST_ECHO])
    bad = partial(BadPreview, board=board.match.number, game=board.match.game, line=line, word=word)
    match error:
        case UnreadableMove(example=example):
            return bad(why="unreadable", choices=(example,))
        case IllegalMove(rule=rule, choices=choices, near=near, example=example):
            return bad(why="illegal", rule=rule, choices=choices or near or (example,))
        case AmbiguousMove(choices=choices):
            return bad(why="ambiguous", choices=choices)
    return bad(why="over")


def _playable(request: Request, board: GameState, move: str) -> str:
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
