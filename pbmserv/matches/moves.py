"""What a player may do on a board: the one place that decides whether an entry may follow a log."""

from datetime import datetime
from difflib import get_close_matches
from itertools import islice

from pbmserv.games.choices import ways_on
from pbmserv.games.game import Game, Illegal, Move, MoveError, Seat, Unfinished, Unreadable
from pbmserv.matches.errors import (
    AlreadyGone,
    AmbiguousMove,
    GameOver,
    IllegalMove,
    NoPass,
    NotYourTurn,
    StalePly,
    UnreadableMove,
)
from pbmserv.matches.log import Entry, Match, rules_of
from pbmserv.matches.next_state import entry_after
from pbmserv.matches.reasons import reason_against
from pbmserv.matches.state import State

RESIGN = "resign"
PROPOSE = "propose"
UNDO = "undo"
"""What stands in a move's place to give up, and to ask for a draw or a take-back."""

PASS = "pass"  # noqa: S105
"""What people write who do not want to move."""

_MOST_NEAR = 3
_AS_CLOSE = 0.5
_MOST_COMPARED = 400


def play(
    match: Match,
    state: State,
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
    require_may_act(match, state, seat, text, meant_ply)
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
    return entry_after(match, state, now, "played", seat, game.write(state.position, move), used)


def is_legal(match: Match, state: State, seat: Seat | None, text: str) -> bool:
    """Whether a text is a move, and one only, that a seat could play now."""
    if state.status != "active" or seat is None or state.to_move not in (None, seat):
        return False
    try:
        rules_of(match).read(state.position, text)
    except MoveError:
        return False
    return True


def resign(match: Match, state: State, seat: Seat, now: datetime, meant_ply: int | None = None) -> Entry:
    """The entry for a seat that gives up; before its own first move that declines the match for all.

    Another one of three and more may decline after that, and is left out where the others go on.
    """
    if state.status == "declined" and len(match.userids) > 2 and state.is_in(seat):
        return entry_after(match, state, now, "declined", seat)
    require_may_act(match, state, seat, RESIGN, meant_ply)
    return entry_after(match, state, now, "resigned" if state.plies_of(seat) else "declined", seat)


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


def _stale(match: Match, state: State, seat: Seat, text: str, meant: int) -> StalePly:
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


def require_may_act(match: Match, state: State, seat: Seat, text: str, meant_ply: int | None) -> None:
    """Raises where a seat can do nothing on a board any more, or not what it meant to do, which is `text`."""
    if state.status != "active":
        # Whoever has left for good is called by two words.
        raise GameOver(
            board=match.number,
            declined=state.status == "declined",
            all_here=not any(" " in userid for userid in match.userids),
            annulled=state.status == "annulled",
        )
    if not state.is_in(seat):
        raise AlreadyGone(board=match.number, userid=match.userids[seat])
    if meant_ply is not None and meant_ply != state.plies + 1:
        raise _stale(match, state, seat, text, meant_ply)
