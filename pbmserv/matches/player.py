"""A player as the other floors see one: no secret, no row."""

from dataclasses import dataclass
from typing import Literal

MessagesFrom = Literal["on", "known", "off"]
"""From everybody, from those whom they have played with, from nobody."""


@dataclass(frozen=True, slots=True)
class Player:
    """`userid` as its owner writes it; `address` is where the server's mail goes.

    `is_suspended`: what went there came back, so that board mail is held back until they write. `is_confirmed`:
    somebody has answered from the address. `html`: mails have an HTML part beside the text; `words`: boards and
    listings come in words. `takes_challenges`: others may start games with them; `broadcast`: they want what is
    written to all; `messages`: from whom messages come to them. `robot` names the program that plays for them, who
    then has no address: it is empty. `digest` is when their boards come in one mail ("daily 07:30"). `is_banned`:
    the operator wants them here no more.
    """

    id: int
    userid: str
    address: str
    is_suspended: bool = False
    is_confirmed: bool = True
    html: bool = True
    words: bool = False
    takes_challenges: bool = True
    broadcast: bool = False
    messages: MessagesFrom = "on"
    robot: str | None = None
    digest: str | None = None
    is_banned: bool = False
