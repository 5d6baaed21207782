"""What the words of a line mean: as the parser reads them, and as each command gets them.

The parser knows one vocabulary, `Arguments`. A command declares a dataclass of its own that names what its usage
patterns hold, and gets one of those. Commands that take the same words share one of the classes below.
"""

from dataclasses import dataclass, field, fields
from typing import Any, TypeVar

A = TypeVar("A")


@dataclass(frozen=True, slots=True)
class BoardRef:
    """A board, now or as it stood after a ply: `101`, `101#7`."""

    number: int
    ply: int | None = None


@dataclass(frozen=True, slots=True)
class Arguments:
    """What the parser has read, in the words that all usage patterns share. What was not said is empty."""

    game: str | None = None
    boards: tuple[BoardRef, ...] = ()

    offer: int | None = None
    """The number of an open offer."""

    userids: tuple[str, ...] = ()
    move: str = ""

    ply: int | None = None
    """The ply that the sender expects next: `c3#7`."""

    words: tuple[str, ...] = ()
    """A filter, a help page, or a setting and its value."""

    address: str = ""
    options: tuple[tuple[str, str], ...] = ()

    moves: tuple[str, ...] = ()
    """The moves of a preview; or how a move is written besides, if a phone has made its first letter a capital."""

    ahead: str = field(default="", repr=False)
    """Conditional moves, as written."""

    text: str = field(default="", repr=False)
    """Words to other players, as written."""

    @property
    def board(self) -> int | None:
        """The first board."""
        return self.boards[0].number if self.boards else None

    @property
    def userid(self) -> str | None:
        """The first player."""
        return self.userids[0] if self.userids else None


def arguments_of(kind: type[A], read: Arguments) -> A:
    """The arguments as a command declares them: each field is what the parser has read under that name."""
    declared: Any = kind
    return kind(**{each.name: getattr(read, each.name) for each in fields(declared)})


@dataclass(frozen=True, slots=True)
class NoArguments:
    """Nothing but the command, and perhaps a password."""


@dataclass(frozen=True, slots=True)
class BoardArguments:
    """A board, perhaps with the game that it must be of."""

    board: int
    game: str | None
    ply: int | None
    """The ply that the sender expects next."""


@dataclass(frozen=True, slots=True)
class MoveArguments(BoardArguments):
    """A move on a board, and how it is written besides, if a phone has made its first letter a capital."""

    move: str
    moves: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PlayerArguments:
    """One player."""

    userid: str


@dataclass(frozen=True, slots=True)
class MaybePlayerArguments:
    """One player, or whoever asks."""

    userid: str | None
