"""Why a command was refused: the base of all such errors, and those about a board.

A command raises one; the service that runs the command catches it and answers the mail with it. The template gets
the error's fields, and the facts about the server.
"""

import re
from dataclasses import FrozenInstanceError, dataclass, field, fields
from functools import partial
from typing import Any, ClassVar, Final, Literal, dataclass_transform

from pbmserv.games.game import Move
from pbmserv.matches.reasons import Reason

_LATER_WORD: Final = re.compile(r"(?<!^)(?=[A-Z])")


def block_of(module: str, name: str) -> str:
    """Where the sentences of a reply, an error or a help text stand: in its module's template, under its name.

    >>> block_of("pbmserv.matches.errors", "NoSuchBoard")
    'matches/errors.txt:no_such_board'
    """
    path = module.removeprefix("pbmserv.").replace(".", "/")
    return f"{path}.txt:{_LATER_WORD.sub('_', name).lower()}"


@dataclass_transform(kw_only_default=True, field_specifiers=(field,))
@dataclass(kw_only=True)
class CommandError(Exception):
    """The command cannot be carried out. Each class below is a dataclass by itself.

    Two errors are equal if their class and fields are. A field never changes. The class itself guards
    that: Python could not set the traceback of a frozen dataclass.
    """

    template: ClassVar[str]
    """Its sentences (`block_of`)."""

    about_identity: ClassVar[bool]
    """Whether it is about who the sender is. If so, the later commands of the mail are not run."""

    board: int | None = None
    """The board that it is about. The answer shows it."""

    def __init_subclass__(cls, about_identity: bool = False) -> None:
        super().__init_subclass__()
        dataclass(kw_only=True)(cls)
        cls.template, cls.about_identity = block_of(cls.__module__, cls.__name__), about_identity

    def __setattr__(self, name: str, value: Any) -> None:
        if name in vars(self) and name in self.__dataclass_fields__:
            raise FrozenInstanceError(f"cannot assign to field {name!r}")
        super().__setattr__(name, value)

    def __str__(self) -> str:
        return repr(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(type(self), **{each.name: getattr(self, each.name) for each in fields(self)}), ()


class NoSuchBoard(CommandError):
    """There is no board `number`. `own` are some boards that the sender, `userid`, plays on."""

    number: int
    userid: str | None = None
    own: tuple[int, ...] = ()


class NoSuchPly(CommandError):
    """The board has only `plies` plies."""

    ply: int
    plies: int


class OtherGame(CommandError):
    """The board is one of `actual`, not of `named`."""

    named: str
    actual: str


class NotYourBoard(CommandError):
    """`userid` does not play on the board."""

    userid: str


class NotYourTurn(CommandError):
    """It is the turn of `to_move`, who could play `example`."""

    to_move: str
    example: str


class GameOver(CommandError):
    """The board is finished, or was declined, or made void by the operator; its players may all be here still."""

    declined: bool
    all_here: bool
    annulled: bool = False


class AlreadyGone(CommandError):
    """`userid` resigned on this board, or was eliminated; the others play on."""

    userid: str


class StalePly(CommandError):
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


class UnreadableMove(CommandError):
    """Not in the game's notation; `example` is a legal move here, or the one that was `asked` about."""

    game: str
    example: str
    asked: bool = False


class IllegalMove(CommandError):
    """Paragraph `rule` of the game's rules text forbids it. `choices` are legal moves that begin alike.

    Where there are none, `near` are legal moves that are written much like it, and `example` is any. `reason` says
    why, as far as the board alone tells.
    """

    game: str
    rule: int
    choices: tuple[str, ...]
    example: str
    near: tuple[str, ...] = ()
    reason: Reason = field(default=Reason("rule"), compare=False)


class AmbiguousMove(CommandError):
    """It is the beginning of several moves. `choices` are these, or where they are many, what may come next.

    Where nothing has `begun`, it fits these whole moves; a single one is not quite what was written.
    """

    begun: Move
    choices: tuple[str, ...]


class NoPass(CommandError):
    """Nobody may pass in that game; `example` is a legal move here."""

    game: str
    example: str


class ConsentPending(CommandError):
    """A draw or a take-back, asked for by `by`, waits already, perhaps for the sender (`may_answer`)."""

    kind: Literal["draw", "undo"]
    by: str
    is_own: bool
    may_answer: bool


class AskedThisTurn(CommandError):
    """The sender has asked for that in this turn already, and it has come to nothing."""

    kind: Literal["draw", "undo"]


class NothingToTakeBack(CommandError):
    """The sender has not played yet."""


class LeftSince(CommandError):
    """After the sender's last move `userids` have left, who do not come back."""

    userids: tuple[str, ...]


class NothingToAnswer(CommandError):
    """Nothing waits for anybody's consent; `may_undo`: the sender could ask to take a move back."""

    may_undo: bool


class OthersAnswer(CommandError):
    """The draw or take-back waits for `waits_for`; the sender has agreed, or asked for it (`is_own`)."""

    kind: Literal["draw", "undo"]
    is_own: bool
    waits_for: tuple[str, ...]


class OfferVoid(CommandError):
    """What the sender has answered waits no more; `another` offer may wait for them."""

    another: bool
