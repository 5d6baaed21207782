"""The log of a game for `mail/record.txt`: one line for each entry."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from pbmserv.matches.log import Entry, EntryKind, rules_of
from pbmserv.matches.replay import GameState
from pbmserv.rendering.accessible import NamedPiece, named_pieces
from pbmserv.rendering.board import BoardView, view_board
from pbmserv.rendering.record import steps


@dataclass(frozen=True, slots=True)
class LogLine:
    """One entry of a log."""

    at: datetime
    kind: EntryKind
    # Who did it, or who was affected; None if it concerns everybody.
    userid: str | None
    # The ply of a move; for a takeback, the last ply that was kept.
    ply: int | None = None
    move: str = ""
    captured: tuple[NamedPiece, ...] = ()
    # The last ply that somebody asked to keep.
    asked: int | None = None
    # The extra time given, in hours.
    hours: int | None = None
    # Whether this was the last answer that an offer waited for.
    is_agreed: bool = False


@dataclass(frozen=True, slots=True)
class GameLog:
    """The context of `record.txt`."""

    # The board as it stands, for anybody.
    view: BoardView
    rules: str
    # Pairs of side and userid.
    sides: tuple[tuple[str, str], ...]
    started: datetime
    # None while the game goes on.
    ended: datetime | None
    log: tuple[LogLine, ...]

    @property
    def name_width(self) -> int:
        """The characters of the longest userid."""
        return max(map(len, self.view.players.userids))


def game_log(board: GameState) -> GameLog:
    """The log of a board up to now."""
    match, state = board.match, board.state
    sides = rules_of(match).info.sides[: len(match.userids)]
    view = view_board(board, whole=True)
    names = view.diagram.scene.board.names
    return GameLog(
        view=view,
        rules=match.rules,
        sides=tuple((side.name, userid) for side, userid in zip(sides, match.userids, strict=True)),
        started=match.started,
        ended=None if state.status == "active" else state.last_at,
        log=tuple(_log_line(entry, stood, names) for entry, stood in steps(board)),
    )


def _log_line(entry: Entry, stood: GameState, names: Sequence[str]) -> LogLine:
    userids, state = stood.match.userids, stood.state
    userid = None if entry.seat is None else userids[entry.seat]
    match entry.kind:
        case "played":
            return LogLine(entry.at, entry.kind, userid, state.plies, entry.text, _captured(stood, names))
        case "asked":
            return LogLine(entry.at, entry.kind, userid, asked=int(entry.text))
        case "rewound":
            return LogLine(entry.at, entry.kind, userid, ply=state.plies)
        case "accepted":
            went_back = state.plies if state.offer is None and state.status == "active" else None
            return LogLine(entry.at, entry.kind, userid, ply=went_back, is_agreed=state.offer is None)
        case "extended":
            return LogLine(entry.at, entry.kind, userid, hours=int(entry.text))
    return LogLine(entry.at, entry.kind, userid)


def _captured(stood: GameState, names: Sequence[str]) -> tuple[NamedPiece, ...]:
    return named_pieces("captured", names, stood.state.turns[-1].events, stood.match.userids)
