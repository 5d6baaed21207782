"""Games of draughts in PDN, the Portable Draughts Notation, with the `GameType` of each kind."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from pbmserv.games.board import Board
from pbmserv.games.game import Move
from pbmserv.rendering.formats.played import PlayedLine, seven_tags, written


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
    """The game; who is White is told by the names of its sides."""
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
