"""What players are told that the operator does or says.

As in `commands.replies.common`, each class's name names its template.
"""

from dataclasses import dataclass

from pbmserv.commands.replies.common import Reply


@dataclass(frozen=True, slots=True)
class OperatorSays(Reply):
    """The operator's own words, above a board or in a mail of their own."""

    text: str


@dataclass(frozen=True, slots=True)
class PlayerBarred(Reply):
    """Above a board that `userid` had to leave: the operator wants them here no more."""

    userid: str


@dataclass(frozen=True, slots=True)
class YouAreBarred(Reply):
    """To a player whom the operator wants here no more; `reason` may be empty."""

    userid: str
    reason: str


@dataclass(frozen=True, slots=True)
class NoLongerBarred(Reply):
    """To a player who may play again; `reason` may be empty."""

    userid: str
    reason: str
