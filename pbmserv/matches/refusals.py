"""Why something was declined, and what can be wrong on a board: one frozen value for each reason.

A refusal is an answer, not an error. Its sentence is the template `refusals/NAME.txt`, NAME being the class's name
in lower case with underscores, and its fields are all that the template is given (beside the server's facts).
"""

from dataclasses import dataclass
from typing import ClassVar, Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """The root of all refusals. `board` is the board that it concerns, which the answer shows."""

    about_identity: ClassVar[bool] = False
    """Whether it is about who the sender is; that stops every later command of the mail."""

    board: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NoSuchBoard(Refused):
    """There is no board `number`. `own` are some boards that the sender, `userid`, plays on."""

    number: int
    userid: str | None = None
    own: tuple[int, ...] = ()


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
    """It is the turn of `to_move`, who could play `example`."""

    to_move: str
    example: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GameOver(Refused):
    """The board is finished, or was declined, or made void by the operator; its players may all be here still."""

    declined: bool
    all_here: bool
    annulled: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AlreadyGone(Refused):
    """`userid` resigned on this board, or was eliminated; the others play on."""

    userid: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StalePly(Refused):
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


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadableMove(Refused):
    """Not in the game's notation; `example` is a legal move here."""

    game: str
    example: str


@dataclass(frozen=True, slots=True, kw_only=True)
class IllegalMove(Refused):
    """Paragraph `rule` of the game's rules text forbids it. `choices` are legal moves on its square.

    Where there are none, `near` are legal moves that are written much like it, and `example` is any.
    """

    game: str
    rule: int
    choices: tuple[str, ...]
    example: str
    near: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AmbiguousMove(Refused):
    """It could be any of `choices`."""

    choices: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NoPass(Refused):
    """Nobody may pass in that game; `example` is a legal move here."""

    game: str
    example: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsentPending(Refused):
    """A draw or a take-back, asked for by `by`, waits already, perhaps for the sender (`may_answer`)."""

    kind: Literal["draw", "undo"]
    by: str
    is_own: bool
    may_answer: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedThisTurn(Refused):
    """The sender has asked for that in this turn already, and it has come to nothing."""

    kind: Literal["draw", "undo"]


@dataclass(frozen=True, slots=True, kw_only=True)
class NothingToTakeBack(Refused):
    """The sender has not played yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftSince(Refused):
    """After the sender's last move `userids` have left, who do not come back."""

    userids: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NothingToAnswer(Refused):
    """Nothing waits for anybody's consent; `may_undo`: the sender could ask to take a move back."""

    may_undo: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class OthersAnswer(Refused):
    """The draw or take-back waits for `waits_for`; the sender has agreed, or asked for it (`is_own`)."""

    kind: Literal["draw", "undo"]
    is_own: bool
    waits_for: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferVoid(Refused):
    """What the sender has answered waits no more; `another` offer may wait for them."""

    another: bool
