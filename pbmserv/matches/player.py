"""A player as the other floors see one: no secret, no row."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Player:
    """`userid` as its owner writes it; `address` is where the server's mail goes.

    `is_suspended`: what went there came back, so that board mail is held back until they write. `is_confirmed`:
    somebody has answered from the address. `html`: mails have an HTML part beside the text; `words`: boards and
    listings come in words. `takes_challenges`: others may start games with them.
    """

    id: int
    userid: str
    address: str
    is_suspended: bool = False
    is_confirmed: bool = True
    html: bool = True
    words: bool = False
    takes_challenges: bool = True
