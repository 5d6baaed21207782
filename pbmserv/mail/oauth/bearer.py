"""Logging in with a token by SASL: XOAUTH2, and OAUTHBEARER (RFC 7628)."""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Final

MECHANISMS: Final = ("XOAUTH2", "OAUTHBEARER")
"""In the order in which they are chosen: providers have offered the first for longer."""


@dataclass(slots=True)
class BearerExchange:
    """What the client says in one login, challenge by challenge."""

    mechanism: str
    user: str
    token: str = field(repr=False)
    host: str
    port: int
    _has_begun: bool = False

    def respond(self, challenge: bytes | None = None) -> str:
        """The answer to a challenge, before base64.

        The first is empty or absent. A second one tells of a refusal; the server ends the login when that has had
        its answer: nothing (XOAUTH2), or one ^A (RFC 7628 section 3.2.3).

        >>> BearerExchange("XOAUTH2", "me@club.test", "t", "mail.club.test", 993).respond()
        'user=me@club.test\\x01auth=Bearer t\\x01\\x01'
        >>> BearerExchange("OAUTHBEARER", "me,=", "t", "mail.club.test", 993).respond()
        'n,a=me=2C=3D,\\x01host=mail.club.test\\x01port=993\\x01auth=Bearer t\\x01\\x01'
        """
        if self._has_begun:
            return "" if self.mechanism == "XOAUTH2" else "\x01"
        self._has_begun = True
        if self.mechanism == "XOAUTH2":
            return f"user={self.user}\x01auth=Bearer {self.token}\x01\x01"
        user = self.user.replace("=", "=3D").replace(",", "=2C")
        return f"n,a={user},\x01host={self.host}\x01port={self.port}\x01auth=Bearer {self.token}\x01\x01"


def chosen_mechanism(offered: Collection[str]) -> str | None:
    """The mechanism to use of those that a server offers, None if it has neither."""
    known = {each.upper() for each in offered}
    return next((each for each in MECHANISMS if each in known), None)
