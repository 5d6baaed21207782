"""How a finished game went, as its reader is told: their chances after each move, and where it turned."""

from collections.abc import Sequence
from dataclasses import dataclass

from pbmserv.matches.evaluations import Evaluation, completed, curve, told_seat, turning_points
from pbmserv.matches.replay import GameState


@dataclass(frozen=True, slots=True)
class TurnTold:
    """A move that lost much."""

    ply: int
    userid: str
    is_readers: bool
    played: str
    best: str
    """The move, and what was better."""
    before: int
    after: int
    """The chances of who made it, of 100: with the better move, and with this one."""


@dataclass(frozen=True, slots=True)
class Course:
    """How a game went."""

    userid: str
    """Whose chances these are."""

    is_readers: bool

    chances: tuple[int, ...]
    """Of 100: at the start, and after each move."""

    turns: tuple[TurnTold, ...]
    """The moves that lost most, two at most."""

    @property
    def plies(self) -> tuple[int, ...]:
        """The numbers of these moves."""
        return tuple(each.ply for each in self.turns)


def course_of(board: GameState, known: Sequence[Evaluation], reader: str | None) -> Course:
    """The course of a finished game for a reader (a userid; None: anybody), from what is known of it."""
    userids, known = board.match.userids, completed(known, board)
    seat = told_seat(board, reader)
    return Course(
        userid=userids[seat],
        is_readers=userids[seat] == reader,
        chances=tuple(map(_of_100, curve(known, board, seat))),
        turns=tuple(
            TurnTold(
                each.ply,
                userids[each.seat],
                userids[each.seat] == reader,
                each.played,
                each.best,
                _of_100(each.before),
                _of_100(each.after),
            )
            for each in turning_points(known)
        ),
    )


def _of_100(chance: float) -> int:
    return round(100 * chance)
