"""Why something was declined, and what can be wrong on a board: one frozen value for each reason.

A refusal is an answer, not an error. Its sentence is the template `refusals/NAME.txt`, NAME being the class's name
in lower case with underscores, and its fields are all that the template is given (beside the server's facts).
"""

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """The root of all refusals. `board` is the board that it concerns, which the answer shows."""

    about_identity: ClassVar[bool] = False
    """Whether it is about who the sender is; that stops every later command of the mail."""

    board: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NoSuchBoard(Refused):
    """There is no board `number`."""

    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NoSuchPly(Refused):
    """The board has only `plies` plies."""

    ply: int
    plies: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherGame(Refused):
    """The board is one of `actual`, not of `named`."""

    named: str
    actual: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NotYourBoard(Refused):
    """`userid` does not play on the board."""

    userid: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NotYourTurn(Refused):
    """It is the turn of `to_move`."""

    to_move: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GameOver(Refused):
    """The board is finished, or was declined."""

    declined: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class AlreadyGone(Refused):
    """`userid` resigned on this board, or was eliminated; the others play on."""

    userid: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StalePly(Refused):
    """The move was meant to be ply `meant`; ply `now` comes next."""

    move: str
    meant: int
    now: int


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadableMove(Refused):
    """Not in the game's notation; `example` is a legal move here."""

    game: str
    example: str


@dataclass(frozen=True, slots=True, kw_only=True)
class IllegalMove(Refused):
    """Paragraph `rule` of the game's rules text forbids it; `choices` are legal moves near it, `example` one."""

    game: str
    rule: int
    choices: tuple[str, ...]
    example: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AmbiguousMove(Refused):
    """It could be any of `choices`."""

    choices: tuple[str, ...]
