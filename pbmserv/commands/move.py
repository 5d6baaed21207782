"""`move`, `resign`, `submit`, `confirm` and `preview`: play on a board, or look at moves first."""

from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Literal

from pbmserv.commands.agreements import IN_A_MOVES_PLACE, consent
from pbmserv.commands.changes import DroppedConditionalPlan, NewConditionalPlan
from pbmserv.commands.command import (
    Command,
    Decision,
    Reply,
    Request,
)
from pbmserv.commands.echo import echo_words
from pbmserv.commands.lookup import find_seat, named_board
from pbmserv.games.game import Seat
from pbmserv.matches.conditional_moves import still_stands
from pbmserv.matches.errors import CommandError
from pbmserv.matches.log import rules_of
from pbmserv.matches.moves import AmbiguousMove, IllegalMove, UnreadableMove, play, require_may_act, resign
from pbmserv.matches.queries import Queries
from pbmserv.matches.replay import GameState
from pbmserv.matches.turn_time import spent


class MovePlayed(Reply):
    """The move was played, as written in the log, followed at once by queued `answers`.

    Each answer is a userid, empty for the sender's own, and a move.
    """

    board: int
    move: str
    answers: tuple[tuple[str, str], ...] = ()


def run_move(request: Request, records: Queries, now: datetime) -> Decision:
    """Plays the move of the player's seat."""
    board, seat = find_seat(request, records)
    arguments = request.arguments
    word = arguments.move.lower()
    if word == "resign":
        return resign_seat(board, seat, records, now, arguments.ply)
    if word in IN_A_MOVES_PLACE:
        return consent(word, board, seat, request, now)
    return play_ply(board, seat, arguments.move, arguments.ply, records, now, arguments.moves)


def play_ply(
    board: GameState,
    seat: Seat,
    text: str,
    meant_ply: int | None,
    records: Queries,
    now: datetime,
    besides: tuple[str, ...] = (),
) -> Decision:
    """The decision on a seat's move. Every move is played here; queued moves follow later (`queue.play_on`).

    `meant_ply` is the ply that the player meant, if given; `besides` is another spelling of the move.
    """
    used = int(spent(board, records.timing(board, now)).total_seconds())
    entry = play(board, seat, text, meant_ply, now, used, besides)
    return Decision(MovePlayed(entry.match, entry.text), entries=(entry,), boards=(board.apply(entry),))


move_command = Command(
    name="move",
    forms=("[game] move board [userid password] move[#ply]",),
    summary="play a move on a board",
    example="move 101 c3",
    run=run_move,
    scope="board",
)


class Resigned(Reply):
    """The sender has resigned; `others_play_on` if the game continues without them."""

    board: int
    others_play_on: bool


class Declined(Reply):
    """The sender declined the match before their first move, or after another player did.

    `rematch` is the board where the players who have not declined play on; None if there is none.
    """

    board: int
    rematch: int | None = None


def resign_seat(
    board: GameState, seat: Seat, records: Queries, now: datetime, meant_ply: int | None = None
) -> Decision:
    """The decision when a seat resigns or declines."""
    entry = resign(board, seat, now, meant_ply)
    after = board.apply(entry)
    reply: Reply = Resigned(board.match.number, others_play_on=after.state.status == "active")
    if entry.kind == "declined":
        is_declined = board.state.status == "declined"
        reply = Declined(board.match.number, records.rematch_of(board.match.number) if is_declined else None)
    return Decision(reply, entries=(entry,), boards=(after,))


def run_resign(request: Request, records: Queries, now: datetime) -> Decision:
    """Resigns the player's seat."""
    return resign_seat(*find_seat(request, records), records, now)


resign_command = Command(
    name="resign",
    forms=("[game] resign board [userid password]",),
    summary="give up a game, or decline it before your first move",
    example="resign 101",
    run=run_resign,
    scope="board",
)


class Submitted(Reply):
    """A move waits for `confirm`; the board shows the result. `moves` holds that move, in lower case."""

    board: int
    moves: tuple[str]


class NothingSubmitted(CommandError):
    """No move waits for `confirm`; `example` can be submitted; it is empty if it is not the sender's turn.

    `taken_back`: one did, but a move before it was taken back.
    """

    example: str
    taken_back: bool = False


def run_submit(request: Request, records: Queries, now: datetime) -> Decision:
    """Stores the move, and shows the board after it."""
    board, seat = find_seat(request, records)
    entry = play(board, seat, request.arguments.move, request.arguments.ply, now)
    content = {"entries": board.state.entries, "move": entry.text}
    plan = NewConditionalPlan(board.match.number, seat, "submit", board.state.plies, content)
    return Decision(
        Submitted(board.match.number, (entry.text.lower(),)),
        previews=(board.apply(entry),),
        changes=(plan,),
    )


submit_command = Command(
    name="submit",
    forms=("[game] submit board [userid password] move[#ply]",),
    summary="look at a move before you play it with confirm",
    example="submit 101 c3",
    run=run_submit,
    scope="board",
)


def run_confirm(request: Request, records: Queries, now: datetime) -> Decision:
    """Plays the submitted move as `move` would, unless the board has changed since."""
    board, seat = find_seat(request, records)
    require_may_act(board, seat, "confirm", None)
    plan = records.plan(board.match.number, seat, "submit")
    if plan is None or not still_stands(board, plan):
        raise NothingSubmitted(
            board=board.match.number, example=_example(board, seat), taken_back=plan is not None
        )
    played = play_ply(board, seat, plan.content["move"].lower(), plan.plies + 1, records, now)
    return replace(played, changes=(DroppedConditionalPlan(board.match.number, seat, "submit"),))


def _example(board: GameState, seat: Seat) -> str:
    """A legal move of the seat; empty if it is not its turn."""
    if board.state.to_move != seat:
        return ""
    game = rules_of(board.match)
    legal = list(game.moves(board.state.position))
    return game.write(board.state.position, legal[len(legal) // 2]).lower()


confirm_command = Command(
    name="confirm",
    forms=("[game] confirm board [userid password]",),
    summary="play the move you have submitted",
    example="confirm 101",
    run=run_confirm,
    scope="board",
)


class Previewed(Reply):
    """The board shown is the result of `moves`, as a person types them; none is played.

    `playable` is the first one with its ply (`c3#7`) if the sender may play it now, else empty.
    """

    board: int
    moves: tuple[str, ...]
    playable: str


class TooManyMoves(CommandError):
    """A preview has `named` moves, more than the `limit`; `line` holds as many as are allowed.

    They are legal moves, as a person types them, and so are those of BadPreview.
    """

    named: int
    limit: int
    line: tuple[str, ...]


class BadPreview(CommandError):
    """A preview fails at `word`; `line` holds the moves before it.

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


def run_preview(request: Request, records: Queries, now: datetime) -> Decision:
    """Tries the moves without playing them, each for the player on turn."""
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
    return Decision(reply, previews=(imagined,))


def _after(board: GameState, text: str, now: datetime) -> GameState:
    seat = board.state.to_move or 0
    return board.apply(play(board, seat, text, None, now))


def _played(board: GameState, imagined: GameState) -> tuple[str, ...]:
    """The moves between two states of a board, as a person types them."""
    return tuple(entry.text.lower() for entry in imagined.match.entries[len(board.match.entries) :])


def _stopped(board: GameState, line: tuple[str, ...], text: str, error: CommandError) -> BadPreview:
    """The error that explains why the preview stops after `line`."""
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


preview_command = Command(
    name="preview",
    kind="open",
    forms=("[game] preview board move+",),
    summary="try moves on a board without playing them",
    example="preview 101 c3 c4 d3",
    run=run_preview,
)
