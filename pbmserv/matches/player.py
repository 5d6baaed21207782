"""A player as the other floors see one: no secret, no row."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Player:
    """`userid` as its owner writes it; `address` is where the server's mail goes.

    `is_suspended`: what went there came back, so that board mail is held back until they write.
    """

    id: int
    userid: str
    address: str
    is_suspended: bool = False
