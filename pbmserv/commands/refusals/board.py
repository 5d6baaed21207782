"""What can be wrong with what is said or tried on a board.

As in `matches.refusals`, each class's name names its template.
"""

from dataclasses import dataclass
from typing import Literal

from pbmserv.matches.refusals import Refused


@dataclass(frozen=True, slots=True, kw_only=True)
class NothingToSay(Refused):
    """A chat without any words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PasswordInWords(Refused):
    """Words on a chat's own line begin with a player's `userid`, as other commands do before a password."""

    userid: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatAmongOthers(Refused):
    """Words on a chat's own line, in a mail that does something on another board too: who are they for?"""


@dataclass(frozen=True, slots=True, kw_only=True)
class NobodyListens(Refused):
    """No other player of the board is there to be told, or wants to hear from the sender."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TooManyMoves(Refused):
    """A line to be tried has `named` moves, more than the `limit`; `line` are as many as may be.

    They are legal moves, as a person types them, and so are those of BadPreview.
    """

    named: int
    limit: int
    line: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BadPreview(Refused):
    """A line to be tried stops at `word`; `line` are the moves before it.

    `why`: it is no move, a `rule` forbids it, it could be any of `choices`, or the moves before it end the game.
    `choices` are moves that can be played there.
    """

    game: str
    line: tuple[str, ...]
    word: str
    why: Literal["unreadable", "illegal", "ambiguous", "over"]
    rule: int = 0
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TooMuchTalk(Refused):
    """The board was sent around `limit` times within an hour, so nothing more is said on it for a while."""

    limit: int
