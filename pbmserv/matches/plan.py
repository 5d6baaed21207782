"""What a player has in mind for a board, and nobody else may know."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

PlanKind = Literal["queue", "submit"]
"""Answers that play by themselves when they fit; a move that waits for `confirm`."""


@dataclass(frozen=True, slots=True)
class Plan:
    """`plies` were played when it was made, or when what came before it was played; `content` is as stored."""

    plies: int
    content: Mapping[str, Any] = field(repr=False)
