"""A real Dovecot that takes tokens alone and asks the authorization server about each; real processes."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.processes import running, wait_for
from tests.roads.imap.box import mail
from tests.servers.authority import CLIENT, SECRET, FakeAuthority, running_authority
from tests.servers.dovecot import Dovecot, running_dovecot

USER = "club"


@pytest.fixture
def authority() -> Iterator[FakeAuthority]:
    """One that runs."""
    with running_authority() as ours:
        yield ours


@pytest.fixture
def token_dovecot(request: pytest.FixtureRequest, authority: FakeAuthority, tmp_path: Path) -> Iterator[Dovecot]:
    """A Dovecot with one mechanism."""
    asking = tmp_path / "dovecot-oauth2.conf"
    asking.write_text(
        f"introspection_url = {authority.url}/introspect\nintrospection_mode = post\n"
        "username_attribute = username\nactive_attribute = active\nactive_value = true\n"
    )
    more = f"auth_mechanisms = {request.param}\npassdb {{\n  driver = oauth2\n  args = {asking}\n"
    with running_dovecot(f"{more}  mechanisms = xoauth2 oauthbearer\n}}\n") as server:
        yield server


@pytest.fixture
def settings(tmp_path: Path, token_dovecot: Dovecot, authority: FakeAuthority) -> dict[str, str]:
    """Those of a poller that has no password."""
    (tmp_path / "secret").write_text(f"{SECRET}\n")
    return {
        "PBMSERV_DATA": str(tmp_path / "data"),
        "PBMSERV_LISTEN": "",
        "PBMSERV_WEB": "",
        "PBMSERV_IMAP": f"imap://{USER}@127.0.0.1:{token_dovecot.imap_port}",
        "PBMSERV_OAUTH": authority.url,
        "PBMSERV_OAUTH_CLIENT_ID": CLIENT,
        "PBMSERV_OAUTH_CLIENT_SECRET_FILE": str(tmp_path / "secret"),
        "PBMSERV_PROCESSES": "1",
    }


@pytest.mark.parametrize("token_dovecot", ["oauthbearer"], indirect=True)
def test_the_other_mechanism(settings: dict[str, str], tmp_path: Path) -> None:
    with running(settings, tmp_path, "login") as login:
        assert login.end() == 0
        assert "The mailbox opens." in login.log


@pytest.mark.parametrize("token_dovecot", ["xoauth2"], indirect=True)
def test_a_sign_in_that_ends_and_is_renewed(
    settings: dict[str, str], token_dovecot: Dovecot, authority: FakeAuthority, tmp_path: Path
) -> None:
    """The server says once that somebody must sign in, and goes on by itself when somebody has."""
    token_dovecot.deliver(USER, mail("signup alice Xy7zzy-R"))
    with running(settings, tmp_path, "serve") as server:
        server.wait_for(f"nobody has signed in as {USER}; run `pbmserv login`")
        with running(settings, tmp_path, "login") as login:
            assert login.end() == 0
            assert "The mailbox opens." in login.log
        wait_for(lambda: "Make your first move" in answers(tmp_path))
        # Tokens end: Dovecot asks the authorization server again at the next login alone.
        authority.revoke_access()
        given = len(authority.asked)
        token_dovecot.stop()
        token_dovecot.start()
        (asked,) = re.findall(r"(?m)^From: (.*)$", answers(tmp_path))
        token_dovecot.deliver(USER, mail("Re: pbmserv", "yes\r\nlist", To=asked))
        wait_for(lambda: "Welcome, alice!" in answers(tmp_path))
        assert any(form.get("grant_type") == "refresh_token" for _, form in authority.asked[given:])
        assert server.stop() == 0
        assert server.log.count("run `pbmserv login`") == 1
        assert "Xy7zzy" not in server.log
        assert "Traceback" not in server.log


def answers(folder: Path) -> str:
    """All that went out."""
    return "".join(file.read_text() for file in (folder / "data" / "outgoing").glob("new/*"))
