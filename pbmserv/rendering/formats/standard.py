"""The standard format of a game, where it has one that programs for it read."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal, cast

from pbmserv.matches.log import rules_of
from pbmserv.matches.replay import GameState
from pbmserv.rendering.formats.pdn import KINDS, pdn
from pbmserv.rendering.formats.pgn import Booked, pgn
from pbmserv.rendering.formats.played import PlayedLine
from pbmserv.rendering.formats.sgf import sgf_of_go, sgf_of_hex

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
