"""What stands on no cell, in words: pieces in hand, walls and links."""

from collections.abc import Sequence
from dataclasses import dataclass

from pbmserv.games.game import Scene
from pbmserv.games.kinds import word_of


@dataclass(frozen=True, slots=True)
class Holding:
    """What a player has in hand: kinds of pieces with their words, and how many of each."""

    userid: str
    pieces: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Strokes:
    """The walls or the links of a player, as they are named; "" is nobody."""

    userid: str
    are_walls: bool
    names: tuple[str, ...]
    # Whether the text draws them.
    are_drawn: bool


def holdings(scene: Scene, userids: Sequence[str]) -> tuple[Holding, ...]:
    """What each player has in hand; empty in a game without hands."""
    return tuple(
        Holding(userid, tuple((word_of(piece.kind) or piece.text.strip(), count) for piece, count in hand))
        for userid, hand in zip(userids, scene.hands, strict=False)
    )


def strokes_of(scene: Scene, userids: Sequence[str]) -> tuple[Strokes, ...]:
    """The walls and links on a board, by player."""
    found: dict[tuple[str, bool, bool], list[str]] = {}
    for stroke in scene.strokes:
        userid = "" if stroke.seat is None else userids[stroke.seat]
        found.setdefault((userid, bool(stroke.between), bool(stroke.text)), []).append(stroke.name)
    return tuple(
        Strokes(userid, are_walls, tuple(names), are_drawn)
        for (userid, are_walls, are_drawn), names in found.items()
    )
