"""The record of a game: all that happened on a board as one JSON value, for programs and for other servers.

`record-1.schema.json` among the templates says what each field is. A record holds userids, never an address and
nothing that people wrote. What is read back is its head and its log; all else follows from these.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any, Final

from pbmserv.commands.server import Server
from pbmserv.games.game import Game, Scene
from pbmserv.matches.clock import TimeControl
from pbmserv.matches.log import Entry, EntryKind, Match, rules_of
from pbmserv.matches.replay import GameState, replay
from pbmserv.matches.state import Turn
from pbmserv.rendering.accessible import NamedPiece, named_pieces, piece_name
from pbmserv.rendering.board import BoardView, view_board
from pbmserv.rendering.templates import templates_folder

FORMAT: Final = "pbmserv-record/1"

NOT_OF_THE_GAME: Final = frozenset({"server", "board", "rated", "players", "started_by"})
"""What may be another in a copy of the same game on another server."""

_TERMS: Final = ("nag", "forfeit", "total", "increment")

Record = dict[str, Any]


@lru_cache(maxsize=1)
def schema() -> Mapping[str, Any]:
    """The JSON schema of records."""
    found: Mapping[str, Any] = json.loads((templates_folder() / "record-1.schema.json").read_text())
    return found


def record_of(board: GameState, server: Server) -> Record:
    """The record of a board as it stands; what can be JSON, and the same for the same log."""
    match, state = board.match, board.state
    game = rules_of(match)
    scene = game.scene(state.position)
    return {
        "format": FORMAT,
        "server": server.domain,
        "board": match.number,
        "game": match.game,
        "rules": match.rules,
        "options": dict(match.options),
        "rated": match.rated,
        "clock": _clock(match.clock),
        "players": [
            {"userid": userid, "side": side.name}
            for userid, side in zip(match.userids, game.info.sides, strict=False)
        ],
        "started_by": match.started_by,
        "started": _moment(match.started),
        "ended": None if state.status == "active" else _moment(state.last_at),
        "status": state.status,
        "ending": state.ending,
        "to_move": state.to_move,
        "result": None
        if state.outcome is None
        else {"ranks": [*state.outcome.ranks], "scores": [*state.outcome.scores], "reason": state.outcome.reason},
        "moves": [_move(game, scene, turn, at) for turn, at in _line(board) if turn.ply is not None],
        "position": [
            {"square": scene.board.names[cell], "seat": piece.seat, "piece": piece.text.strip()}
            for row in scene.board.layout.rows
            for cell in row.cells
            for piece in scene.cells[cell]
        ],
        **_beside(scene),
        "scores": [*scene.scores],
        "log": [
            {
                "at": _moment(entry.at),
                "kind": entry.kind,
                "seat": entry.seat,
                "text": entry.text,
                "used": entry.used,
            }
            for entry in match.entries
        ],
    }


def match_of(record: Mapping[str, Any], number: int, userid_of: Callable[[int], str], starter: str) -> Match:
    """The match of a record that fits the schema, under another number; nothing in it is replayed yet.

    `userid_of` gives who sits at a seat here. Raises ValueError for a time that there is not.
    """
    return Match(
        number=number,
        game=record["game"],
        rules=record["rules"],
        options=tuple(sorted(record["options"].items())),
        rated=record["rated"],
        userids=tuple(userid_of(seat) for seat in range(len(record["players"]))),
        started_by=starter,
        started=_read_moment(record["started"]),
        entries=tuple(
            Entry(number, seq, _read_moment(each["at"]), each["kind"], each["seat"], each["text"], each["used"])
            for seq, each in enumerate(record["log"], 1)
        ),
        clock=_read_clock(record["clock"]),
    )


def differing(one: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
    """The fields in which two records do not tell of the same game, whatever server, number and names it has."""
    return [name for name in one if name not in NOT_OF_THE_GAME and one[name] != other.get(name)]


def as_file(record: Record) -> bytes:
    """The record as a file that people may look into, in ASCII."""
    return json.dumps(record, indent=1).encode("ascii") + b"\n"


def as_line(record: Record) -> bytes:
    """The record as one line of a file of many."""
    return json.dumps(record, separators=(",", ":")).encode("ascii") + b"\n"


def file_name(number: int) -> str:
    """What a board's record is called as a file."""
    return f"board-{number}.json"


def steps(board: GameState) -> Iterator[tuple[Entry, GameState]]:
    """Each entry of a board's log, with the board as it stood then."""
    stood = replay(replace(board.match, entries=()))
    for entry in board.match.entries:
        stood = stood.apply(entry)
        yield entry, stood


def is_in_stored_notation(board: GameState) -> bool:
    """Whether every move of a log is written as the game writes it, not as people type it."""
    game = rules_of(board.match)
    stood = replay(replace(board.match, entries=()))
    for entry, after in steps(board):
        position = stood.state.position
        if entry.kind == "played" and game.write(position, game.read(position, entry.text)) != entry.text:
            return False
        stood = after
    return True


def _line(board: GameState) -> list[tuple[Turn, datetime]]:
    """The turns of the line that is played on, and when each was made."""
    made: list[datetime] = []
    for entry, stood in steps(board):
        count = len(stood.state.turns)
        made = made[:count] + [entry.at] * (count - len(made))
    return list(zip(board.state.turns, made, strict=True))


def _move(game: Game, scene: Scene, turn: Turn, at: datetime) -> Record:
    return {
        "ply": turn.ply,
        "seat": turn.seat,
        "at": _moment(at),
        "move": turn.move,
        "captured": [
            {"square": scene.board.names[cell], "seat": event.seat, "piece": piece_name(game, event)}
            for event in turn.events
            if event.kind == "captured"
            for cell in event.cells
        ],
    }


def _beside(scene: Scene) -> Record:
    """What lies in hands, and walls and links, in a game that has such."""
    found: Record = {}
    if scene.hands:
        found["hands"] = [
            [{"piece": piece.text.strip(), "count": count} for piece, count in hand] for hand in scene.hands
        ]
    if scene.strokes:
        found["strokes"] = [{"seat": stroke.seat, "name": stroke.name} for stroke in scene.strokes]
    return found


def _clock(terms: TimeControl | None) -> Record | None:
    if terms is None:
        return None
    lengths: dict[str, timedelta | None] = {name: getattr(terms, name) for name in _TERMS}
    return {name: None if length is None else int(length.total_seconds()) for name, length in lengths.items()}


def _read_clock(terms: Mapping[str, int | None] | None) -> TimeControl | None:
    if terms is None:
        return None
    lengths: dict[str, Any] = {
        name: None if (seconds := terms[name]) is None else timedelta(seconds=seconds) for name in _TERMS
    }
    return TimeControl(**lengths)


def _moment(at: datetime) -> str:
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z")


def _read_moment(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)


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
