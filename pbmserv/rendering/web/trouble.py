"""Pages for what is not there, and for what goes wrong."""

from dataclasses import dataclass
from typing import Literal

from pbmserv.rendering.web.page import Page


@dataclass(frozen=True, slots=True)
class Missing(Page):
    """Nothing is at that address: no board, player, game, ply or help `word`, no such page, nothing to send to.

    `board` is the one that has no such ply.
    """

    template = "web/missing.html"
    what: Literal["board", "ply", "player", "game", "help", "page", "method", "too_large"]
    word: str = ""
    suggestions: tuple[str, ...] = ()
    board: int = 0


@dataclass(frozen=True, slots=True)
class Trouble(Page):
    """It is our fault, or (`passing`) the database is away for a moment."""

    template = "web/trouble.html"
    passing: bool
