"""An authorization server for each test, and somebody who has signed in there."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from pbmserv.mail.oauth.access_tokens import AccessTokens, next_tokens
from pbmserv.mail.oauth.requests import OAuthClient
from pbmserv.mail.oauth.token_file import SignIn, TokenFile
from tests.servers.authority import CLIENT, SECRET, FakeAuthority, running_authority

USER = "club@example.org"
START = 1_800_000_000.0


@dataclass
class Holder:
    """A user who has signed in, and a clock."""

    authority: FakeAuthority
    data: Path
    now: float = START
    secret: str = field(default=SECRET)

    @property
    def file(self) -> TokenFile:
        """Where the tokens are."""
        return TokenFile(self.data, USER)

    def sign_in(self) -> None:
        """As `pbmserv login` does it."""
        endpoint = f"{self.authority.url}/token"
        with self.file.locked() as stored, self.file.reserved() as store:
            serial = stored.serial if stored else 0
            before = SignIn(USER, self.authority.url, CLIENT, endpoint, False, "", "", 0, 0, serial)
            store(next_tokens(before, self.authority.give(), self.now))

    def tokens(self) -> AccessTokens:
        """What a poller or a sender has."""
        return AccessTokens(self.file, self.authority.url, OAuthClient(CLIENT, self.secret), lambda: self.now)


@pytest.fixture
def authority() -> Iterator[FakeAuthority]:
    """One that runs."""
    with running_authority() as ours:
        yield ours


@pytest.fixture
def holder(authority: FakeAuthority, tmp_path: Path) -> Holder:
    """Somebody who has just signed in."""
    found = Holder(authority, tmp_path / "data")
    found.sign_in()
    return found
