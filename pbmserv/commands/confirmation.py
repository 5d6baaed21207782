"""What waits for a `yes`: mailed with a token to one address, and answered from there."""

from dataclasses import dataclass
from typing import Literal

Kind = Literal["commands", "sign-up", "address", "first address", "given address", "password", "take back"]
"""What `yes` does: carries lines out, believes a new player's address, adds an address, puts another in the place
of the first one, or (when the operator gives it) of all, or a new password in the place of a forgotten one. "take
back" is told rather than asked, and `no` is what does something: the addresses are as they were before."""


@dataclass(frozen=True, slots=True)
class Confirmation:
    """A question that is open.

    `userid` is the player whom it is about; `address` the one that it is mailed to. `about` names what is asked:
    once one mail about it is answered, all are. `lines` are commands without any secret, or the addresses that
    stay when others are taken back; `shown` is the ply after which each board was seen by who was asked.
    """

    kind: Kind
    userid: str
    address: str
    about: str
    lines: tuple[str, ...] = ()
    shown: tuple[tuple[int, int], ...] = ()
