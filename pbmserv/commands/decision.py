"""What a command decided: all that is to be kept and all that is to be said."""

from collections.abc import Iterable
from dataclasses import dataclass

from pbmserv.commands.changes import Change
from pbmserv.commands.confirmation import Confirmation
from pbmserv.commands.message import BoardRef
from pbmserv.commands.replies.common import Reply
from pbmserv.matches.entry import Entry
from pbmserv.matches.match import Match
from pbmserv.matches.replay import Replayed


@dataclass(frozen=True, slots=True)
class Question:
    """To be mailed to the confirmation's address with a token of its own, in these words.

    `rests_days`: asked about the same within so many days, nothing is mailed again. What `is_due` is mailed
    however much went there of late.
    """

    confirmation: Confirmation
    words: Reply
    rests_days: int = 0
    is_due: bool = False


@dataclass(frozen=True, slots=True)
class Remark:
    """What the mail with a board says above it, to one of its players alone (None: to all of them)."""

    board: int
    userid: str | None
    words: Reply


def words_above(remarks: Iterable[Remark], board: int, userid: str | None) -> list[Reply]:
    """What is said above a board to one of its players (None: to anybody)."""
    return [each.words for each in remarks if each.board == board and each.userid in (None, userid)]


@dataclass(frozen=True, slots=True)
class Decision:
    """`reply` goes to the sender, `shows` are boards it asks to see, `imagined` ones as they would stand,
    `recorded` those whose whole record it asks for.

    `opened` is a match that starts; `entries` follow in the logs of their matches; `boards` are the matches that
    either is about, as they stand then, and everybody on them is sent them. `changes` are all others, in order.
    `question` goes to an address that has to say `yes`, and `news` to addresses that are to know of it; `tells`
    are words to players by userid. `remarks` go with the boards. When it `awaits_yes`, nothing else is decided
    yet: the line is to be confirmed first.
    """

    reply: Reply
    shows: tuple[BoardRef, ...] = ()
    imagined: tuple[Replayed, ...] = ()
    recorded: tuple[Replayed, ...] = ()
    opened: Match | None = None
    entries: tuple[Entry, ...] = ()
    boards: tuple[Replayed, ...] = ()
    changes: tuple[Change, ...] = ()
    question: Question | None = None
    news: tuple[tuple[str, Reply], ...] = ()
    tells: tuple[tuple[str, Reply], ...] = ()
    remarks: tuple[Remark, ...] = ()
    awaits_yes: bool = False

    @property
    def touched(self) -> tuple[int, ...]:
        """The boards on which something happened, in ascending order."""
        return tuple(sorted(board.match.number for board in self.boards))
