"""How a command is declared: once, and everything else is made from it.

The parser, the usage in a refusal, `help X`, the web help and README's table come from one declaration. A form is
written as people read it and is what `commands.forms` parses by:

    [game] move board [userid password] move[#ply]
"""

from dataclasses import dataclass
from typing import Literal

Kind = Literal["open", "opening", "binding", "signup"]
"""Who may: anybody; the owner of the From address, for it binds nobody; only with proof; somebody unknown."""


@dataclass(frozen=True, slots=True)
class Declaration:
    """`name` may be two words; `example` is a line that works as it stands, given such a board and player."""

    name: str
    kind: Kind
    forms: tuple[str, ...]
    summary: str
    example: str
