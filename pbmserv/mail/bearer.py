"""Logs in with a token by SASL, XOAUTH2 and OAUTHBEARER (RFC 7628); a command prints the tokens."""

import os
import re
import subprocess
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Final

MECHANISMS: Final = ("XOAUTH2", "OAUTHBEARER")
"""In order of preference: providers have offered the first for longer."""

ANSWERS_WITHIN: Final = 60.0
"""Seconds for a command to print a token, which it may have to renew first."""

_SECRET: Final = re.compile(r"[!-~]{20,}")
"""What may be a token in an error message; ordinary words are shorter."""


class NoToken(Exception):
    """The command gave no token. The text says why, without secrets; try again later."""


@dataclass(frozen=True, slots=True)
class TokenCommand:
    """A program that prints an access token for a user, and renews it when needed, as mail programs know them.

    `words` are the program and its arguments; `{user}` in one of them stands for the user.
    """

    words: tuple[str, ...]
    user: str

    def token(self) -> str:
        """A currently valid token. Raises NoToken.

        The program sees none of our settings, so none of our secrets.
        """
        words = [word.replace("{user}", self.user) for word in self.words]
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PBMSERV_")}
        try:
            done = subprocess.run(  # noqa: S603 -- the operator's own setting, run without a shell
                words,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=ANSWERS_WITHIN,
                env=environment,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise NoToken(f"the token command gave no answer in {ANSWERS_WITHIN:.0f} seconds") from None
        except OSError as error:
            raise NoToken(f"the token command cannot be run: {error.strerror}") from None
        printed = done.stdout.decode("ascii", "replace").strip()
        if done.returncode:
            raise NoToken(f"the token command failed with exit code {done.returncode}{_complaint(done.stderr)}")
        if not printed or not printed.isascii() or not printed.isprintable() or " " in printed:
            raise NoToken("the token command printed no token, or more than one")
        return printed


def _complaint(errors: bytes) -> str:
    lines = [line for line in errors.decode(errors="replace").splitlines() if line.strip()]
    said = "".join(each if each.isprintable() else " " for each in lines[-1])[:200].strip() if lines else ""
    return f": {_SECRET.sub('***', said)}" if said else ""


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


Credential = str | TokenCommand
"""The credential of a mailbox or relay: a password, or a command that prints tokens."""
