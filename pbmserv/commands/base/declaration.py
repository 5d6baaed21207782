"""How a command is declared: once, and everything else is made from it.

The parser, the usage in a refusal, `help X`, the web help and README's table come from one declaration. A form is
written as people read it and is what `parser.grammar` parses by:

    [game] move board [userid password] move[#ply]
"""

from dataclasses import dataclass, field
from typing import Literal

CommandKind = Literal["open", "opening", "binding", "signup", "token"]
"""Who may: anybody; the owner of the From address, for it binds nobody; only with proof; somebody unknown (or who
forgot their password); whoever was mailed a token."""

Scope = Literal["board", "players", "setting", "mail", "account"]
"""What a binding command is about: its boards; the players that it names; the setting that it names; the mail
that a player gets; or the account as a whole. How well it must be proven follows from that (`permission`)."""


@dataclass(frozen=True, slots=True)
class Declaration:
    """What a command is called, how it is written, and who may give it."""

    # One word or two.
    name: str
    kind: CommandKind
    # Usage patterns, as people read them and as `parser.grammar` parses by them.
    forms: tuple[str, ...]
    summary: str
    # A line that works as it stands, given such a board and player.
    example: str
    # Whether it runs only after a `yes`, however well it is proven who gave it.
    asks_again: bool = field(default=False, kw_only=True)
    # What a binding command is about.
    scope: Scope = field(default="account", kw_only=True)
    # Its help text: a template, and the block in it.
    help: str = field(kw_only=True)


ConfirmationKind = Literal[
    "commands", "sign-up", "address", "first address", "given address", "own address", "password", "take back"
]
"""What `yes` does: carries lines out; believes a new player's address; adds an address, puts another in the place
of the first one, or (when the operator gives it) of all; adds one from which a mail with a word of the player's
came, and carries its lines out ("own address"); or puts a new password in the place of a forgotten one. "take
back" is told rather than asked, and `no` is what does something: the addresses are as they were before."""


@dataclass(frozen=True, slots=True)
class Confirmation:
    """A question that is open.

    `userid` is the player whom it is about; `address` the one that it is mailed to. `about` names what is asked:
    once one mail about it is answered, all are. `lines` are commands without any secret, or the addresses that
    stay when others are taken back; of an "own address" that address comes first. `shown` is the ply after which
    each board was seen by who was asked.
    """

    kind: ConfirmationKind
    userid: str
    address: str
    about: str
    lines: tuple[str, ...] = ()
    shown: tuple[tuple[int, int], ...] = ()
