"""Records in the formats that programs for one game read: PGN, SGF, PDN."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC
from string import ascii_lowercase
from textwrap import fill
from types import MappingProxyType
from typing import Any, Final, Literal, Protocol, cast

from pbmserv.games import go
from pbmserv.games.board import Board
from pbmserv.games.game import Game, Move, Piece, Scene, Seat
from pbmserv.matches.log import Match, rules_of
from pbmserv.matches.replay import GameState

_WIDTH: Final = 79
"""Characters of a line; PGN and PDN take up to 80, with its end."""


@dataclass(frozen=True, slots=True)
class PlayedLine:
    """The line that was played on a board."""

    board: GameState
    server: str

    @property
    def match(self) -> Match:
        """The match."""
        return self.board.match

    @property
    def game(self) -> Game:
        """Its rules."""
        return rules_of(self.match)

    @property
    def start(self) -> Any:
        """The first position."""
        return self.game.start(len(self.match.userids), dict(self.match.options))

    @property
    def date(self) -> tuple[str, str, str]:
        """When it began: year, month and day."""
        began = self.match.started.astimezone(UTC)
        return f"{began:%Y}", f"{began:%m}", f"{began:%d}"

    def option(self, name: str) -> str:
        """The value of an option, or its default."""
        default = next((option.default for option in self.game.info.options if option.name == name), "")
        return dict(self.match.options).get(name, default)

    def moves(self) -> Iterator[tuple[Seat, Any, Move]]:
        """Each move with its seat and the position in which it was made."""
        game, position = self.game, self.start
        for turn in self.board.state.turns:
            if turn.ply is not None and turn.move is not None:
                move = game.read(position, turn.move)
                yield turn.seat, position, move
                position, _ = game.play(position, move)

    @property
    def winner(self) -> Seat | None:
        """Who has won; None for a draw, a void game, and while it goes on."""
        outcome = self.board.state.outcome
        if self.board.state.status != "finished" or outcome is None or outcome.ranks.count(1) > 1:
            return None
        return outcome.ranks.index(1)

    def result(self, of_first: str, of_second: str, of_nobody: str) -> str:
        """How it ended, in the words for either winner and for a draw; `*` where there is no result."""
        if self.board.state.status != "finished" or self.board.state.outcome is None:
            return "*"
        return of_nobody if self.winner is None else (of_first, of_second)[self.winner]


def written(tags: Sequence[tuple[str, str]], words: Sequence[str]) -> str:
    """Tags and moves as PGN and PDN have them."""
    heads = [f'[{name} "{_escaped(value)}"]' for name, value in tags]
    return "\n".join(
        [*heads, "", fill(" ".join(words), _WIDTH, break_long_words=False, break_on_hyphens=False), ""]
    )


def seven_tags(played: PlayedLine, white: str, black: str, result: str) -> list[tuple[str, str]]:
    """The tags that every game has."""
    return [
        ("Event", f"Board {played.match.number}"),
        ("Site", played.server),
        ("Date", ".".join(played.date)),
        ("Round", "-"),
        ("White", white),
        ("Black", black),
        ("Result", result),
    ]


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"')


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of draughts: its `GameType`, how squares are named, and the words for its results."""

    game_type: str
    is_numbered: bool = True
    results: tuple[str, str, str] = ("1-0", "0-1", "1/2-1/2")


KINDS: Final[Mapping[str, Kind]] = MappingProxyType(
    {
        "checkers": Kind("21,B,8,8,N1,0"),
        "international-draughts": Kind("20,W,10,10,N2,0", results=("2-0", "0-2", "1-1")),
        "brazilian-draughts": Kind("26,W,8,8,A0,0", is_numbered=False),
        "russian-draughts": Kind("25,W,8,8,A0,0", is_numbered=False),
    }
)
"""By name of the game."""


def pdn(played: PlayedLine) -> str:
    """The game in PDN. The names of its sides tell who is White."""
    kind = KINDS[played.match.game]
    names = [side.name for side in played.game.info.sides]
    white, black = names.index("White"), names.index("Black")
    won = dict(zip((white, black), kind.results[:2], strict=True))
    result = played.result(won[0], won[1], kind.results[2])
    userids = played.match.userids
    board = played.game.scene(played.start).board
    words = []
    for ply, (_, position, move) in enumerate(played.moves()):
        if ply % 2 == 0:
            words.append(f"{ply // 2 + 1}.")
        is_capture = "x" in played.game.write(position, move)
        words.append(("x" if is_capture else "-").join(_squares(board, move, kind)))
    tags = [*seven_tags(played, userids[white], userids[black], result), ("GameType", kind.game_type)]
    return written(tags, [*words, result])


def _squares(board: Board, move: Move, kind: Kind) -> list[str]:
    cells = [int(step) for step in move]
    if not kind.is_numbered:
        return [board.names[cell].lower() for cell in cells]
    return [str(_number(board, cell)) for cell in cells]


def _number(board: Board, cell: int) -> int:
    """The number of a dark square: they are counted from the top, each row from left to right."""
    (x, y), (wide, _) = board.layout.places[cell], board.layout.size
    return y // 2 * (wide // 4) + x // 4 + 1


_VARIANTS: Final[Mapping[str, str]] = MappingProxyType(
    {"antichess": "Antichess", "atomic": "Atomic", "crazyhouse": "Crazyhouse"}
)
"""By name of the game."""

_STANDARD: Final = "rnbqkbnr"
_TERMINATIONS: Final[Mapping[str, str]] = MappingProxyType(
    {"forfeited": "time forfeit", "removed": "adjudication", "awarded": "adjudication"}
)


class Booked(Game, Protocol):
    """A game whose moves are written as books of chess do."""

    def san(self, position: Any, move: Move) -> str:
        """A legal move: `Nf3`, `exd5`, `O-O`, `e8=Q+`, `Qh7#`."""


def pgn(played: PlayedLine, game: Booked) -> str:
    """The game; White is the first seat."""
    white, black = played.match.userids
    result = played.result("1-0", "0-1", "1/2-1/2")
    tags = seven_tags(played, white, black, result)
    first = game.scene(played.start)
    is_standard = _row(first, 8) == _STANDARD
    variant = _variant(played, is_standard)
    if variant:
        tags.append(("Variant", variant))
    if not is_standard:
        tags += [("SetUp", "1"), ("FEN", _fen(first))]
    tags.append(("Termination", _termination(played)))
    words = []
    for ply, (_, position, move) in enumerate(played.moves()):
        if ply % 2 == 0:
            words.append(f"{ply // 2 + 1}.")
        words.append(game.san(position, move))
    return written(tags, [*words, result])


def _variant(played: PlayedLine, is_standard: bool) -> str:
    if played.match.game in _VARIANTS:
        return _VARIANTS[played.match.game]
    if played.option("checks") not in ("", "off"):
        return "Three-check"
    return "" if is_standard else "Chess960"


def _termination(played: PlayedLine) -> str:
    state = played.board.state
    if state.status == "active":
        return "unterminated"
    return _TERMINATIONS.get(state.ending or "", "normal") if state.status == "finished" else "abandoned"


def _fen(scene: Scene) -> str:
    """A first position, in which every king may still castle."""
    rows = [_row(scene, number) for number in range(8, 0, -1)]
    return f"{'/'.join(row.replace('.' * 8, '8') for row in rows)} w KQkq - 0 1"


def _row(scene: Scene, number: int) -> str:
    """A row as it stands: White's pieces in capitals, a dot for an empty square."""
    cells = [scene.cells[scene.board.numbers[f"{letter}{number}"]] for letter in "ABCDEFGH"]
    return "".join(_letter(pieces[0]) if pieces else "." for pieces in cells)


def _letter(piece: Piece) -> str:
    return piece.text.upper() if piece.seat == 0 else piece.text.lower()


_COLOURS: Final = ("B", "W")
"""By seat."""
_TIE: Final = 0.5
"""White wins ties: so much more of komi comes to the same, as programs write it."""


def sgf_of_go(played: PlayedLine) -> str:
    """A game of Go; Black is the first seat."""
    return _sgf(played, "1", _point, {"KM": str(go.KOMI + _TIE), "RU": "Chinese"})


def sgf_of_hex(played: PlayedLine) -> str:
    """A game of Hex; Black, who joins the upper and the lower edge, is the first seat."""
    return _sgf(played, "11", _cell, {})


def _sgf(played: PlayedLine, number: str, point: Callable[[Board, Move], str], more: Mapping[str, str]) -> str:
    board = played.game.scene(played.start).board
    black, white = played.match.userids
    root = {
        "FF": "4",
        "GM": number,
        "CA": "UTF-8",
        "SZ": str(board.layout.rows[0].label if number == "1" else len(board.layout.rows)),
        "PB": black,
        "PW": white,
        "DT": "-".join(played.date),
        "EV": f"Board {played.match.number}",
        "PC": played.server,
        **more,
        "RE": _result(played),
    }
    head = "".join(f"{name}[{_escaped_in_sgf(value)}]" for name, value in root.items())
    moves = [f";{_COLOURS[seat]}[{point(board, move)}]" for seat, _, move in played.moves()]
    lines = ["".join(moves[begin : begin + 10]) for begin in range(0, len(moves), 10)]
    return "\n".join([f"(;{head}", *lines]) + ")\n"


def _result(played: PlayedLine) -> str:
    state = played.board.state
    if state.status == "annulled":
        return "Void"
    if state.status != "finished" or state.outcome is None:
        return "?"
    if played.winner is None:
        return "Draw"
    return f"{_COLOURS[played.winner]}+{_BY.get(state.ending or '') or _margin(state.outcome.scores)}"


def _margin(scores: tuple[int, ...]) -> str:
    return str(abs(scores[0] - scores[1] - _TIE)) if scores else ""


_BY: Final = MappingProxyType({"resigned": "R", "forfeited": "T", "removed": "F", "awarded": "F"})


def _point(board: Board, move: Move) -> str:
    """A point as two letters, from the left and from the top; nothing for a pass."""
    (step,) = move
    if isinstance(step, str):
        return ""
    x, y = board.layout.places[step]
    return ascii_lowercase[x // 2] + ascii_lowercase[y // 2]


def _cell(board: Board, move: Move) -> str:
    """A cell by its name; to swap is to take the first stone over, mirrored."""
    (step,) = move
    return "swap-pieces" if isinstance(step, str) else board.names[step].lower()


def _escaped_in_sgf(value: str) -> str:
    return value.replace("\\", "\\\\").replace("]", "\\]")


Suffix = Literal["pgn", "sgf", "pdn"]

MEDIA_TYPES: Final[Mapping[Suffix, str]] = MappingProxyType(
    {
        "pgn": "application/vnd.chess-pgn",
        "sgf": "application/x-go-sgf",
        "pdn": "text/plain; charset=utf-8",
    }
)


@dataclass(frozen=True, slots=True)
class StandardRecord:
    """A record in a standard format, as a file."""

    suffix: Suffix
    content: bytes

    @property
    def media_type(self) -> str:
        """What a mail or a page says that it is."""
        return MEDIA_TYPES[self.suffix]


_WRITERS: Final[Mapping[str, tuple[Suffix, Callable[[PlayedLine], str]]]] = MappingProxyType(
    {
        "go": ("sgf", sgf_of_go),
        "hex": ("sgf", sgf_of_hex),
        **dict.fromkeys(KINDS, ("pdn", pdn)),
    }
)
"""By name of the game."""


def suffix_of(board: GameState) -> Suffix | None:
    """The format that the game of a board is recorded in; None where there is none."""
    game = rules_of(board.match)
    if hasattr(game, "san"):
        return "pgn"
    return _WRITERS[board.match.game][0] if board.match.game in _WRITERS else None


def standard_record(board: GameState, server: str) -> StandardRecord | None:
    """The record of a board as it stands in the format of its game; `server` is where it was played."""
    game, played = rules_of(board.match), PlayedLine(board, server)
    if hasattr(game, "san"):
        return StandardRecord("pgn", pgn(played, cast(Booked, game)).encode())
    if board.match.game not in _WRITERS:
        return None
    suffix, write = _WRITERS[board.match.game]
    return StandardRecord(suffix, write(played).encode())


def file_of(number: int, suffix: Suffix) -> str:
    """What the record of a board in that format is called as a file."""
    return f"board-{number}.{suffix}"
