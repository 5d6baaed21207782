"""Why a command was refused: the base of all such errors, and those about a board.

A command raises one; the service that runs the command catches it and answers the mail with it. The template gets
the error's fields, and the facts about the server.
"""

from dataclasses import FrozenInstanceError, dataclass, field, fields
from functools import partial
from typing import Any, ClassVar, Literal

from pbmserv.games.game import Move
from pbmserv.matches.reasons import Reason


@dataclass(kw_only=True)
class CommandError(Exception):
    """The command cannot be carried out.

    Two errors are equal if their class and fields are. A field never changes. The class itself guards
    that: Python could not set the traceback of a frozen dataclass.
    """

    template: ClassVar[str]
    """Its sentences: a template, and the block in it."""

    about_identity: ClassVar[bool] = False
    """Whether it is about who the sender is. If so, the later commands of the mail are not run."""

    board: int | None = None
    """The board that it is about. The answer shows it."""

    def __setattr__(self, name: str, value: Any) -> None:
        if name in vars(self) and name in self.__dataclass_fields__:
            raise FrozenInstanceError(f"cannot assign to field {name!r}")
        super().__setattr__(name, value)

    def __str__(self) -> str:
        return repr(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(type(self), **{each.name: getattr(self, each.name) for each in fields(self)}), ()


@dataclass(kw_only=True)
class NoSuchBoard(CommandError):
    """There is no board `number`. `own` are some boards that the sender, `userid`, plays on."""

    template: ClassVar[str] = "matches/errors.txt:no_such_board"

    number: int
    userid: str | None = None
    own: tuple[int, ...] = ()


@dataclass(kw_only=True)
class NoSuchPly(CommandError):
    """The board has only `plies` plies."""

    template: ClassVar[str] = "matches/errors.txt:no_such_ply"

    ply: int
    plies: int


@dataclass(kw_only=True)
class OtherGame(CommandError):
    """The board is one of `actual`, not of `named`."""

    template: ClassVar[str] = "matches/errors.txt:other_game"

    named: str
    actual: str


@dataclass(kw_only=True)
class NotYourBoard(CommandError):
    """`userid` does not play on the board."""

    template: ClassVar[str] = "matches/errors.txt:not_your_board"

    userid: str


@dataclass(kw_only=True)
class NotYourTurn(CommandError):
    """It is the turn of `to_move`, who could play `example`."""

    template: ClassVar[str] = "matches/errors.txt:not_your_turn"

    to_move: str
    example: str


@dataclass(kw_only=True)
class GameOver(CommandError):
    """The board is finished, or was declined, or made void by the operator; its players may all be here still."""

    template: ClassVar[str] = "matches/errors.txt:game_over"

    declined: bool
    all_here: bool
    annulled: bool = False


@dataclass(kw_only=True)
class AlreadyGone(CommandError):
    """`userid` resigned on this board, or was eliminated; the others play on."""

    template: ClassVar[str] = "matches/errors.txt:already_gone"

    userid: str


@dataclass(kw_only=True)
class StalePly(CommandError):
    """The move was meant to be ply `meant`; ply `now` comes next.

    `again` is what the sender can play now: the same move, if it `still_goes`, or else another one. It is empty
    when it is not their turn but that of `to_move`.
    """

    template: ClassVar[str] = "matches/errors.txt:stale_ply"

    move: str
    meant: int
    now: int
    to_move: str
    again: str
    still_goes: bool


@dataclass(kw_only=True)
class UnreadableMove(CommandError):
    """Not in the game's notation; `example` is a legal move here, or the one that was `asked` about."""

    template: ClassVar[str] = "matches/errors.txt:unreadable_move"

    game: str
    example: str
    asked: bool = False


@dataclass(kw_only=True)
class IllegalMove(CommandError):
    """Paragraph `rule` of the game's rules text forbids it. `choices` are legal moves that begin alike.

    Where there are none, `near` are legal moves that are written much like it, and `example` is any. `reason` says
    why, as far as the board alone tells.
    """

    template: ClassVar[str] = "matches/errors.txt:illegal_move"

    game: str
    rule: int
    choices: tuple[str, ...]
    example: str
    near: tuple[str, ...] = ()
    reason: Reason = field(default=Reason("rule"), compare=False)


@dataclass(kw_only=True)
class AmbiguousMove(CommandError):
    """It is the beginning of several moves. `choices` are these, or where they are many, what may come next.

    Where nothing has `begun`, it fits these whole moves; a single one is not quite what was written.
    """

    template: ClassVar[str] = "matches/errors.txt:ambiguous_move"

    begun: Move
    choices: tuple[str, ...]


@dataclass(kw_only=True)
class NoPass(CommandError):
    """Nobody may pass in that game; `example` is a legal move here."""

    template: ClassVar[str] = "matches/errors.txt:no_pass"

    game: str
    example: str


@dataclass(kw_only=True)
class ConsentPending(CommandError):
    """A draw or a take-back, asked for by `by`, waits already, perhaps for the sender (`may_answer`)."""

    template: ClassVar[str] = "matches/errors.txt:consent_pending"

    kind: Literal["draw", "undo"]
    by: str
    is_own: bool
    may_answer: bool


@dataclass(kw_only=True)
class AskedThisTurn(CommandError):
    """The sender has asked for that in this turn already, and it has come to nothing."""

    template: ClassVar[str] = "matches/errors.txt:asked_this_turn"

    kind: Literal["draw", "undo"]


@dataclass(kw_only=True)
class NothingToTakeBack(CommandError):
    """The sender has not played yet."""

    template: ClassVar[str] = "matches/errors.txt:nothing_to_take_back"


@dataclass(kw_only=True)
class LeftSince(CommandError):
    """After the sender's last move `userids` have left, who do not come back."""

    template: ClassVar[str] = "matches/errors.txt:left_since"

    userids: tuple[str, ...]


@dataclass(kw_only=True)
class NothingToAnswer(CommandError):
    """Nothing waits for anybody's consent; `may_undo`: the sender could ask to take a move back."""

    template: ClassVar[str] = "matches/errors.txt:nothing_to_answer"

    may_undo: bool


@dataclass(kw_only=True)
class OthersAnswer(CommandError):
    """The draw or take-back waits for `waits_for`; the sender has agreed, or asked for it (`is_own`)."""

    template: ClassVar[str] = "matches/errors.txt:others_answer"

    kind: Literal["draw", "undo"]
    is_own: bool
    waits_for: tuple[str, ...]


@dataclass(kw_only=True)
class OfferVoid(CommandError):
    """What the sender has answered waits no more; `another` offer may wait for them."""

    template: ClassVar[str] = "matches/errors.txt:offer_void"

    another: bool
