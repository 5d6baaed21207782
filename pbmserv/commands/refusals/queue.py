"""What can be wrong with moves that are to be queued, or confirmed."""

from dataclasses import dataclass

from pbmserv.commands import queue_lines
from pbmserv.matches import queue_check
from pbmserv.matches.refusals import Refused


@dataclass(frozen=True, slots=True, kw_only=True)
class BadQueue(Refused):
    """Nothing was queued, since the line is wrong at `word`, which stands behind `before`.

    What each `why` means is told in `queue_lines.Misread` and `queue_check.Misfit`. `ready` are lines that would
    do, `to_move` who has to play where something else stands.
    """

    game: str
    before: str
    word: str
    why: queue_lines.Why | queue_check.Why
    rule: int = 0
    ready: tuple[str, ...] = ()
    to_move: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueOnTurn(Refused):
    """It is the sender's own turn, and nothing of the line answers what was played. `ready` begins with a move.

    `moved`: they have moved since they were sent the board that they answer.
    """

    ready: str
    moved: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class NothingSubmitted(Refused):
    """No move waits for `confirm`; `example` can be submitted, or is empty when it is not the sender's turn.

    `taken_back`: one did, but what was played before it was taken back.
    """

    example: str
    taken_back: bool = False
