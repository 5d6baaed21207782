"""What is said of moves that are queued or wait for `confirm`. Only their owner is ever told."""

from dataclasses import dataclass

from pbmserv.commands.replies.common import Reply
from pbmserv.matches.queued import Branch, Missed


@dataclass(frozen=True, slots=True)
class Queued(Reply):
    """The moves will be played when they fit. `replaced`: in the place of others."""

    board: int
    branches: tuple[Branch, ...]
    replaced: bool


@dataclass(frozen=True, slots=True)
class QueueShown(Reply):
    """What is queued, perhaps nothing."""

    board: int
    branches: tuple[Branch, ...]


@dataclass(frozen=True, slots=True)
class QueueDropped(Reply):
    """Nothing is queued any more; `had` tells whether anything was."""

    board: int
    had: bool


@dataclass(frozen=True, slots=True)
class Submitted(Reply):
    """A move waits for `confirm`; the board shows how it would stand. `moves` is that one, in lower case."""

    board: int
    moves: tuple[str]


@dataclass(frozen=True, slots=True)
class StillQueued(Reply):
    """What is queued, in one `line`: it stands on the board that its owner is sent."""

    line: str


@dataclass(frozen=True, slots=True)
class QueuePlayed(Reply):
    """The owner's queued `moves` were played, as written in the log."""

    moves: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class QueueMissed(Reply):
    """The owner's queued moves did not fit, and are dropped."""

    board: int
    missed: Missed
