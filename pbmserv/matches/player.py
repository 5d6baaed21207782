"""A player as the other floors see one: no secret, no row."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Player:
    """`userid` as its owner writes it; `address` is where the server's mail goes."""

    id: int
    userid: str
    address: str
