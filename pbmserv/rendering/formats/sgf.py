"""Games of Go and Hex in SGF, the Smart Game Format, version 4."""

from collections.abc import Callable, Mapping
from string import ascii_lowercase
from types import MappingProxyType
from typing import Final

from pbmserv.games import go
from pbmserv.games.board import Board
from pbmserv.games.game import Move
from pbmserv.rendering.formats.played import PlayedLine

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
    head = "".join(f"{name}[{_escaped(value)}]" for name, value in root.items())
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


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace("]", "\\]")
