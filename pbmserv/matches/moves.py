"""What a player may do on a board, or why not: the one place that decides whether an entry may follow a log.

Each game knows which rule forbids a move. Most moves fail for something that everybody sees, which needs no rule:
a cell that the board does not have, a piece in the way, no piece to move.

A draw or a take-back needs the others' consent. One offer waits at a time, and the next ply ends it. Each player
may try each kind once in a turn.
"""

import re
from dataclasses import dataclass, field
from datetime import datetime
from difflib import get_close_matches
from itertools import islice
from typing import Any, Final, Literal

from pbmserv.games.choices import ways_on
from pbmserv.games.game import Game, Illegal, Move, MoveError, Scene, Seat, Unfinished, Unreadable
from pbmserv.games.notation import names
from pbmserv.matches.errors import CommandError
from pbmserv.matches.log import Entry, rules_of
from pbmserv.matches.replay import GameState
from pbmserv.matches.state import OfferKind, State

Why = Literal["off", "taken", "empty", "other", "rule"]

_MOST_COMPARED: Final = 400
_LONGEST: Final = 40


@dataclass(frozen=True, slots=True)
class Reason:
    """What speaks against a move: `cell` is off the board, taken, empty, or holds another's piece; or a rule does.

    `first` and `last` are the corners of the board. `move` is what was written; empty where it was not in cells.
    """

    why: Why
    cell: str = ""
    first: str = ""
    last: str = ""
    move: str = ""


def reason_against(game: Game, position: Any, seat: Seat, text: str) -> Reason:
    """The reason against a move that a rule forbids, as its writer sees the board."""
    scene = game.scene(position)
    steps = names(text, game.info.words)
    named = tuple(name for name in steps if name not in game.info.words)
    move = text.strip().upper().replace("X", "x") if named and len(text) <= _LONGEST else ""
    first, last = scene.board.names[0].upper(), scene.board.names[-1].upper()
    off = next((name for name in named if scene.board.find(name.upper()) is None), None)
    if (off is not None or len(named) == 1) and _is_in_dialect(game, text):
        return Reason("rule", "", first, last, move)
    if off is not None:
        return Reason("off", off.upper(), first, last, move)
    if not named:
        return Reason("rule")
    is_drop = steps[0] in game.info.words
    why = _where_dropped(scene, named[0]) if is_drop else _on_cell(game, position, scene, seat, named)
    return Reason(why, named[0].upper(), first, last, move)


def _is_in_dialect(game: Game, text: str) -> bool:
    """Whether a text is in the game's other notation, so that what looks like a cell there may be none: `R1e2`."""
    dialect = game.info.dialect
    return bool(dialect) and re.fullmatch(dialect, text.strip(), re.ASCII | re.IGNORECASE) is not None


def _where_dropped(scene: Scene, name: str) -> Why:
    """What stands against a piece that comes from beside the board, on the cell where it should go."""
    number = scene.board.find(name.upper())
    return "rule" if number is None or not scene.cells[number] else "taken"


def _on_cell(game: Game, position: Any, scene: Scene, seat: Seat, named: tuple[str, ...]) -> Why:
    """What stands against a move in the first cell that it names, or the rule where nothing does."""
    number = scene.board.find(named[0].upper())
    begun = {int(move[0]) for move in islice(game.moves(position), _MOST_COMPARED) if _is_cell(move[0])}
    if number is None or not begun:
        return "rule"
    pieces = scene.cells[number]
    if not any(scene.cells[cell] for cell in begun):
        return "taken" if pieces else "rule"
    if not all(scene.cells[cell] for cell in begun):
        return "rule"
    if not pieces:
        return "empty"
    is_others = pieces[-1].seat not in (seat, None) and all(_top(scene, cell) == seat for cell in begun)
    return "other" if is_others else "rule"


def _is_cell(step: object) -> bool:
    return isinstance(step, int)


def _top(scene: Scene, cell: int) -> Seat | None:
    return scene.cells[cell][-1].seat


RESIGN = "resign"
PROPOSE = "propose"
UNDO = "undo"
"""What stands in a move's place to give up, and to ask for a draw or a take-back."""

PASS = "pass"  # noqa: S105
"""What people write who do not want to move."""

_MOST_NEAR = 3
_AS_CLOSE = 0.5


class NotYourTurn(CommandError):
    """It is the turn of `to_move`, who could play `example`."""

    to_move: str
    example: str


class GameOver(CommandError):
    """The board is finished, or was declined, or made void by the operator; its players may all be here still."""

    declined: bool
    all_here: bool
    annulled: bool = False


class AlreadyGone(CommandError):
    """`userid` resigned on this board, or was eliminated; the others play on."""

    userid: str


class StalePly(CommandError):
    """The move was meant to be ply `meant`; ply `now` comes next.

    `again` is what the sender can play now: the same move, if it `still_goes`, or else another one. It is empty
    when it is not their turn but that of `to_move`.
    """

    move: str
    meant: int
    now: int
    to_move: str
    again: str
    still_goes: bool


class UnreadableMove(CommandError):
    """Not in the game's notation; `example` is a legal move here, or the one that was `asked` about."""

    game: str
    example: str
    asked: bool = False


class IllegalMove(CommandError):
    """Paragraph `rule` of the game's rules text forbids it. `choices` are legal moves that begin alike.

    Where there are none, `near` are legal moves that are written much like it, and `example` is any. `reason` says
    why, as far as the board alone tells.
    """

    game: str
    rule: int
    choices: tuple[str, ...]
    example: str
    near: tuple[str, ...] = ()
    reason: Reason = field(default=Reason("rule"), compare=False)


class AmbiguousMove(CommandError):
    """It is the beginning of several moves. `choices` are these, or where they are many, what may come next.

    Where nothing has `begun`, it fits these whole moves; a single one is not quite what was written.
    """

    begun: Move
    choices: tuple[str, ...]


class NoPass(CommandError):
    """Nobody may pass in that game; `example` is a legal move here."""

    game: str
    example: str


def play(
    board: GameState,
    seat: Seat,
    text: str,
    meant_ply: int | None,
    now: datetime,
    used: int = 0,
    besides: tuple[str, ...] = (),
) -> Entry:
    """The entry for a move of a seat that took `used` seconds of its time.

    `meant_ply` is the ply the player thought this would be, if said; `besides` is how the move may be
    written, too: if that is another one, it is asked.
    """
    match, state = board.match, board.state
    require_may_act(board, seat, text, meant_ply)
    game = rules_of(match)
    if state.to_move is not None and state.to_move != seat:
        example = _example(game, state)
        raise NotYourTurn(board=match.number, to_move=match.userids[state.to_move], example=example)
    try:
        move = game.read(state.position, text)
        if others := [other for each in besides for other in _legal(game, state, each) if other != move]:
            raise Unfinished(fits=(move, *others))
    except Unreadable as error:
        if text.lower() == PASS:
            raise NoPass(board=match.number, game=match.game, example=_example(game, state)) from error
        asked = _asked(game, state, text)
        example = asked or _example(game, state)
        raise UnreadableMove(board=match.number, game=match.game, example=example, asked=bool(asked)) from error
    except Illegal as error:
        example = _example(game, state)
        choices = tuple(game.write(state.position, move) for move in error.near)
        near = () if choices else _near(game, state, text)
        raise IllegalMove(
            board=match.number,
            game=match.game,
            rule=error.rule,
            choices=choices,
            example=example,
            near=near,
            reason=reason_against(game, state.position, seat, text),
        ) from error
    except Unfinished as error:
        choices = tuple(game.write(state.position, move) for move in error.fits)
        choices = choices or ways_on(game, state.position, error.begun)
        raise AmbiguousMove(board=match.number, begun=error.begun, choices=choices) from error
    return board.entry(now, "played", seat, game.write(state.position, move), used)


def is_legal(board: GameState, seat: Seat | None, text: str) -> bool:
    """Whether a text is a move, and one only, that a seat could play now."""
    match, state = board.match, board.state
    if state.status != "active" or seat is None or state.to_move not in (None, seat):
        return False
    try:
        rules_of(match).read(state.position, text)
    except MoveError:
        return False
    return True


def resign(board: GameState, seat: Seat, now: datetime, meant_ply: int | None = None) -> Entry:
    """The entry for a seat that gives up; before its own first move that declines the match for all.

    Another one of three and more may decline after that, and is left out where the others go on.
    """
    state = board.state
    if state.status == "declined" and len(board.match.userids) > 2 and state.is_in(seat):
        return board.entry(now, "declined", seat)
    require_may_act(board, seat, RESIGN, meant_ply)
    return board.entry(now, "resigned" if state.plies_of(seat) else "declined", seat)


def _legal(game: Game, state: State, text: str) -> tuple[Move, ...]:
    """The move that a text means; none if it is no move."""
    try:
        return (game.read(state.position, text),)
    except MoveError:
        return ()


def _example(game: Game, state: State) -> str:
    legal = list(islice(game.moves(state.position), _MOST_COMPARED))
    return game.write(state.position, legal[len(legal) // 2]).lower()


def _asked(game: Game, state: State, text: str) -> str:
    """The legal move that a text is but for its question mark; empty if it is none."""
    plain = text.rstrip("?! ")
    if plain == text or "?" not in text:
        return ""
    try:
        return game.write(state.position, game.read(state.position, plain)).lower()
    except MoveError:
        return ""


def _near(game: Game, state: State, text: str) -> tuple[str, ...]:
    """Legal moves that somebody may have wanted to write, best first."""
    moves = islice(game.moves(state.position), _MOST_COMPARED)
    legal = [game.write(state.position, move).lower() for move in moves]
    return tuple(get_close_matches(text.lower(), legal, n=_MOST_NEAR, cutoff=_AS_CLOSE))


def _stale(board: GameState, seat: Seat, text: str, meant: int) -> StalePly:
    match, state = board.match, board.state
    game, again, still_goes = rules_of(match), "", True
    if text.lower() in (RESIGN, PROPOSE):
        again = text.lower()
    elif state.to_move == seat:
        try:
            again = game.write(state.position, game.read(state.position, text)).lower()
        except MoveError:
            again, still_goes = _example(game, state), False
    on_turn = "" if state.to_move is None else match.userids[state.to_move]
    return StalePly(
        board=match.number,
        move=text,
        meant=meant,
        now=state.plies + 1,
        to_move=on_turn,
        again=again,
        still_goes=still_goes,
    )


def require_may_act(board: GameState, seat: Seat, text: str, meant_ply: int | None) -> None:
    """Raises if a seat can no longer do anything on a board, or not what it meant to do, which is `text`."""
    match, state = board.match, board.state
    if state.status != "active":
        # Players who have left for good are called by two words.
        raise GameOver(
            board=match.number,
            declined=state.status == "declined",
            all_here=not any(" " in userid for userid in match.userids),
            annulled=state.status == "annulled",
        )
    if not state.is_in(seat):
        raise AlreadyGone(board=match.number, userid=match.userids[seat])
    if meant_ply is not None and meant_ply != state.plies + 1:
        raise _stale(board, seat, text, meant_ply)


class ConsentPending(CommandError):
    """A draw or a take-back, asked for by `by`, waits already, perhaps for the sender (`may_answer`)."""

    kind: OfferKind
    by: str
    is_own: bool
    may_answer: bool


class AskedThisTurn(CommandError):
    """The sender has asked for that in this turn already, and it has come to nothing."""

    kind: OfferKind


class NothingToTakeBack(CommandError):
    """The sender has not played yet."""


class LeftSince(CommandError):
    """After the sender's last move `userids` have left, who do not come back."""

    userids: tuple[str, ...]


class NothingToAnswer(CommandError):
    """Nothing waits for anybody's consent; `may_undo`: the sender could ask to take a move back."""

    may_undo: bool


class OthersAnswer(CommandError):
    """The draw or take-back waits for `waits_for`; the sender has agreed, or asked for it (`is_own`)."""

    kind: OfferKind
    is_own: bool
    waits_for: tuple[str, ...]


class OfferVoid(CommandError):
    """What the sender has answered is no longer open; `another` offer may wait for them."""

    another: bool


def propose(board: GameState, seat: Seat, now: datetime, meant_ply: int | None = None) -> Entry:
    """The entry for a seat that proposes a draw; where the others' proposal waits for it, it agrees to that.

    `meant_ply` is the ply that the player thought to come next, if known.
    """
    state = board.state
    require_may_act(board, seat, PROPOSE, meant_ply)
    if state.offer is not None and state.offer.kind == "draw" and seat in state.offer.waits_for:
        return board.entry(now, "accepted", seat)
    _require_may_ask(board, seat, "draw")
    return board.entry(now, "proposed", seat)


def ask_undo(board: GameState, seat: Seat, now: datetime) -> Entry:
    """The entry for a seat that wants to take back its last ply, and what came after it."""
    match, state = board.match, board.state
    require_may_act(board, seat, UNDO, None)
    _require_may_ask(board, seat, "undo")
    ply = state.takes_back(seat)
    if ply is not None:
        return board.entry(now, "asked", seat, str(ply))
    last = max((place for place, turn in enumerate(state.turns) if turn.seat == seat), default=None)
    if last is None:
        raise NothingToTakeBack(board=match.number)
    left = tuple(match.userids[turn.seat] for turn in state.turns[last:] if turn.ply is None)
    raise LeftSince(board=match.number, userids=left)


def answer(
    kind: Literal["accepted", "rejected"],
    board: GameState,
    seat: Seat,
    now: datetime,
    meant_ply: int | None = None,
    seen_at: datetime | None = None,
) -> Entry:
    """The entry for a seat that agrees to what waits for its answer, or doesn't, or withdraws its own offer.

    `seen_at`: when the mail was written that the player answers, if they do. Nobody agrees to what came later.
    """
    match, state = board.match, board.state
    _require_may_answer(board, seat, meant_ply, seen_at)
    offer = state.offer
    assert offer is not None
    may_answer = offer.waits_for if kind == "accepted" else (offer.by, *offer.waits_for)
    if seat not in may_answer:
        waits_for = tuple(match.userids[each] for each in offer.waits_for)
        raise OthersAnswer(board=match.number, kind=offer.kind, is_own=offer.by == seat, waits_for=waits_for)
    return board.entry(now, kind, seat)


def _require_may_ask(board: GameState, seat: Seat, kind: OfferKind) -> None:
    match, state = board.match, board.state
    offer = state.offer
    if offer is not None:
        raise ConsentPending(
            board=match.number,
            kind=offer.kind,
            by=match.userids[offer.by],
            is_own=offer.by == seat,
            may_answer=seat in offer.waits_for,
        )
    if (kind, seat) in state.offered:
        raise AskedThisTurn(board=match.number, kind=kind)


def _require_may_answer(board: GameState, seat: Seat, meant_ply: int | None, seen_at: datetime | None) -> None:
    match, state = board.match, board.state
    require_may_act(board, seat, "", None)
    is_stale = meant_ply is not None and meant_ply != state.plies + 1
    came_later = state.offered_at is not None and seen_at is not None and seen_at < state.offered_at
    if is_stale or came_later:
        offer = state.offer
        raise OfferVoid(board=match.number, another=offer is not None and seat in offer.waits_for)
    if state.offer is None:
        is_free = state.takes_back(seat) is not None and ("undo", seat) not in state.offered
        raise NothingToAnswer(board=match.number, may_undo=is_free)
