"""Games of chess in PGN, the Portable Game Notation, with `Variant` and `FEN` tags as programs write them."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, Protocol

from pbmserv.games.game import Game, Move, Piece, Scene
from pbmserv.rendering.formats.played import PlayedLine, seven_tags, written

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
