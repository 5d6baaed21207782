"""How a command is declared: once, and everything else is made from it.

The parser, the usage in a refusal, `help X`, the web help and README's table come from one declaration. A form is
written as people read it and is what `commands.forms` parses by:

    [game] move board [userid password] move[#ply]
"""

from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["open", "opening", "binding", "signup", "token"]
"""Who may: anybody; the owner of the From address, for it binds nobody; only with proof; somebody unknown (or who
forgot their password); whoever was mailed a token."""

Scope = Literal["board", "players", "setting", "mail", "account"]
"""What a binding command is about: its boards; the players that it names; the setting that it names; the mail
that a player gets; or the account as a whole. How well it must be proven follows from that (`permission`)."""


@dataclass(frozen=True, slots=True)
class Declaration:
    """`name` may be two words; `example` is a line that works as it stands, given such a board and player.

    A command that `asks_again` is carried out only after a `yes`, however well it was proven whom it is from.
    `scope` counts for binding commands.
    """

    name: str
    kind: Kind
    forms: tuple[str, ...]
    summary: str
    example: str
    asks_again: bool = field(default=False, kw_only=True)
    scope: Scope = field(default="account", kw_only=True)
