"""What is answered about a draw or a take-back.

As in `commands.replies.common`, each class's name names its template.
"""

from dataclasses import dataclass

from pbmserv.commands.replies.common import Reply
from pbmserv.matches.state import OfferKind


@dataclass(frozen=True, slots=True)
class DrawProposed(Reply):
    """The sender proposes a draw, to which `waits_for` have to agree."""

    board: int
    waits_for: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class UndoAsked(Reply):
    """The sender wants to take back `move`, to which `waits_for` have to agree; `also` so many moves after it."""

    board: int
    move: str
    also: int
    waits_for: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Agreed(Reply):
    """The sender agrees to a draw or a take-back that `by` wants; `waits_for` have to agree, too."""

    board: int
    kind: OfferKind
    by: str
    waits_for: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DrawAgreed(Reply):
    """All have agreed: the game is over."""

    board: int


@dataclass(frozen=True, slots=True)
class UndoAgreed(Reply):
    """All have agreed: `by` has taken back a move, and `to_move` is on turn."""

    board: int
    by: str
    to_move: str


@dataclass(frozen=True, slots=True)
class NotAgreed(Reply):
    """The sender does not agree to what `by` wants."""

    board: int
    kind: OfferKind
    by: str


@dataclass(frozen=True, slots=True)
class OfferDropped(Reply):
    """The sender has withdrawn what they wanted themselves."""

    board: int
    kind: OfferKind
