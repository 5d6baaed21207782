"""What is known of a game's positions, ply by ply: the chances of each seat, and the moves that lost most of them.

The chances are a robot's, from 0, the last place, to 1, the first one. They come from outside (`robots.analysis`).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from pbmserv.games.game import Seat
from pbmserv.matches.replay import GameState

MOST_TURNING_POINTS: Final = 2

TURNS_FROM: Final = 0.2
"""What a move must lose of its player's chances to be a turning point."""

FILLED: Final = 2
"""How many of the last positions of a finished game may lack: its result tells how it went on."""

FEWEST_PLIES: Final = 6
"""A shorter game has no curve to speak of."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What is known of one position of a game, and of the move that was made there."""

    seat: Seat | None
    """Who is to move; None when the rules have ended the game."""

    chances: tuple[float, ...]
    """Of each seat."""

    best: str = ""
    """The best move, in stored notation; empty when the game is over."""

    best_value: float = 0.0
    """The chances of `seat` after the best move."""

    gone: tuple[Seat, ...] = ()
    """The seats whose players had left by then, in a game for three and more."""

    played: str = ""
    """The move that was made; empty where that is not known."""

    played_value: float | None = None
    """The chances of `seat` after that move; None until they are known."""

    @property
    def loss(self) -> float:
        """What the move that was made has lost of its player's chances, as far as that is known."""
        return 0.0 if self.played_value is None else max(0.0, self.best_value - self.played_value)


@dataclass(frozen=True, slots=True)
class TurningPoint:
    """A move that lost much."""

    ply: int
    """Its number, from 1."""

    seat: Seat
    """Who made it."""

    played: str
    best: str
    """The move, and what was better, in stored notation."""

    before: float
    after: float
    """The chances of who made it: with the better move, and with this one."""


def valid(evaluations: Sequence[Evaluation], board: GameState) -> tuple[Evaluation, ...]:
    """Those evaluations that are about the line that is played on, from its start.

    Of the last one it is dropped what was played, if that is not what is played now.
    """
    found: list[Evaluation] = []
    for evaluation, (gone, move) in zip(evaluations, _steps(board), strict=False):
        if evaluation.gone != gone:
            break
        if evaluation.played != move:
            found.append(replace(evaluation, played="", played_value=None))
            break
        found.append(evaluation)
    return tuple(found)


def gone_before(board: GameState) -> tuple[tuple[Seat, ...], ...]:
    """Who had left before each ply of the line that is played on, and after the last, as an evaluation has it."""
    return tuple(gone for gone, _ in _steps(board))


def _steps(board: GameState) -> Iterator[tuple[tuple[Seat, ...], str]]:
    """For each position of the line: who had left by then, and the move that was made there ("" for none)."""
    gone: tuple[Seat, ...] = ()
    for turn in board.state.turns:
        if turn.ply is None:
            gone = (*gone, turn.seat) if len(board.match.userids) > 2 else ()
        else:
            yield gone, turn.move or ""
    yield gone, ""


def is_complete(evaluations: Sequence[Evaluation], board: GameState) -> bool:
    """Whether all is known of the line that is played on: of each position, and of each move."""
    known = len(evaluations) == board.state.plies + 1
    return known and all(each.played_value is not None for each in evaluations[:-1])


def tells(evaluations: Sequence[Evaluation], board: GameState) -> bool:
    """Whether so much is known of a finished game that its course can be told."""
    state = board.state
    is_long = state.status == "finished" and state.plies >= FEWEST_PLIES
    return is_long and len(evaluations) > state.plies - FILLED


def completed(evaluations: Sequence[Evaluation], board: GameState) -> tuple[Evaluation, ...]:
    """What is known of a finished game, with what its result tells of the end."""
    known, state = [*evaluations], board.state
    if not known or state.outcome is None or state.ending != "played":
        return tuple(known)
    shares = state.outcome.shares
    if len(known) == state.plies:
        known.append(Evaluation(None, shares))
        last, move = known[-2], state.turns[-1].move or ""
        if last.played_value is None and last.seat is not None:
            known[-2] = replace(last, played=move, played_value=shares[last.seat])
    return tuple(known)


def curve(evaluations: Sequence[Evaluation], board: GameState, seat: Seat) -> tuple[float, ...]:
    """The chances of a seat at the start and after each ply; what lacks at the end is filled from the result."""
    found = [each.chances[seat] for each in evaluations]
    outcome = board.state.outcome
    end = outcome.shares[seat] if outcome else found[-1]
    return (*found, *([end] * (board.state.plies + 1 - len(found))))


def turning_points(evaluations: Sequence[Evaluation]) -> tuple[TurningPoint, ...]:
    """The moves that lost most, two at most, in the order in which they were made; fewer where none lost much."""
    found = [
        TurningPoint(ply, each.seat, each.played, each.best, each.best_value, each.played_value)
        for ply, each in enumerate(evaluations, 1)
        if each.loss >= TURNS_FROM and each.seat is not None and each.played_value is not None
    ]
    worst = sorted(found, key=lambda each: each.after - each.before)[:MOST_TURNING_POINTS]
    return tuple(sorted(worst, key=lambda each: each.ply))


def told_seat(board: GameState, userid: str | None) -> Seat:
    """Whose chances a reader (None: anybody) sees: their own, or else those of the winner."""
    seat = None if userid is None else board.match.seat_of(userid)
    if seat is not None:
        return seat
    return board.state.outcome.ranks.index(1) if board.state.outcome else 0
