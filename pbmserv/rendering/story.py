"""The record of a game as text: a value for `mail/record.txt`, with a line for each thing that happened."""

from dataclasses import dataclass
from datetime import datetime

from pbmserv.games.game import Captured
from pbmserv.matches.entry import Entry, EntryKind
from pbmserv.matches.match import rules_of
from pbmserv.matches.replay import Replayed
from pbmserv.rendering.board import BoardView, view_board
from pbmserv.rendering.record import steps
from pbmserv.rendering.words import Piece, value_of


@dataclass(frozen=True, slots=True)
class Happened:
    """One entry of a log. `userid` is who did it or whom it befell; None for what concerns all.

    `ply` is its number for a move; for a take-back that was agreed to, or made by the operator, the ply after
    which the board stood again. `move` is the move; `captured` what it took; `asked` the ply to which somebody
    wanted to go back; `hours` the time that was given; `is_agreed`: the last consent that an offer waited for.
    """

    at: datetime
    kind: EntryKind
    userid: str | None
    ply: int | None = None
    move: str = ""
    captured: tuple[Piece, ...] = ()
    asked: int | None = None
    hours: int | None = None
    is_agreed: bool = False


@dataclass(frozen=True, slots=True)
class Story:
    """The context of `record.txt`. `view` is the board as it stands, for anybody.

    `sides` are pairs of side and userid. `log` is all that happened; `ended` is None while it goes on.
    """

    view: BoardView
    rules: str
    options: tuple[tuple[str, str], ...]
    sides: tuple[tuple[str, str], ...]
    started: datetime
    ended: datetime | None
    log: tuple[Happened, ...]

    @property
    def rated(self) -> bool:
        """Whether it was to count for the ratings."""
        return self.view.board.match.rated

    @property
    def move_width(self) -> int:
        """The characters of the longest move."""
        return max((len(each.move) for each in self.log), default=0)

    @property
    def name_width(self) -> int:
        """The characters of the longest userid."""
        return max(map(len, self.view.userids))


def tell_story(board: Replayed) -> Story:
    """The story of a board up to now."""
    match, state = board.match, board.state
    sides = rules_of(match).info.sides[: len(match.userids)]
    return Story(
        view=view_board(board, whole=True),
        rules=match.rules,
        options=match.options,
        sides=tuple((side.name, userid) for side, userid in zip(sides, match.userids, strict=True)),
        started=match.started,
        ended=None if state.status == "active" else state.last_at,
        log=tuple(_happened(entry, stood) for entry, stood in steps(board)),
    )


def _happened(entry: Entry, stood: Replayed) -> Happened:
    userids, state = stood.match.userids, stood.state
    userid = None if entry.seat is None else userids[entry.seat]
    match entry.kind:
        case "played":
            return Happened(entry.at, entry.kind, userid, state.plies, entry.text, _captured(stood))
        case "asked":
            return Happened(entry.at, entry.kind, userid, asked=int(entry.text))
        case "rewound":
            return Happened(entry.at, entry.kind, userid, ply=state.plies)
        case "accepted":
            went_back = state.plies if state.offer is None and state.status == "active" else None
            return Happened(entry.at, entry.kind, userid, ply=went_back, is_agreed=state.offer is None)
        case "extended":
            return Happened(entry.at, entry.kind, userid, hours=int(entry.text))
    return Happened(entry.at, entry.kind, userid)


def _captured(stood: Replayed) -> tuple[Piece, ...]:
    userids, sides = stood.match.userids, rules_of(stood.match).info.sides
    return tuple(
        Piece(event.square, userids[event.seat], value_of(event.piece, sides[event.seat]))
        for event in stood.state.turns[-1].events
        if isinstance(event, Captured)
    )
