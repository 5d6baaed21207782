"""Tokens are renewed in time, once, by whoever asks first; a refresh token is never lost."""

import errno
import json
import signal
import subprocess
import sys
from pathlib import Path
from unittest.mock import patch

import pytest

from pbmserv.mail.oauth.access_tokens import AccessTokens, SignInNeeded, TokenDelayed
from pbmserv.mail.oauth.requests import OAuthClient
from pbmserv.mail.oauth.token_file import TokenFile
from tests.cli.processes import PATIENCE, wait_for
from tests.mail.oauth.conftest import USER, Holder
from tests.servers.authority import CLIENT, SECRET

PROGRAM = f"""
import sys
from pathlib import Path
from pbmserv.mail.oauth.access_tokens import AccessTokens
from pbmserv.mail.oauth.requests import OAuthClient
from pbmserv.mail.oauth.token_file import TokenFile
data, url, now = sys.argv[1:]
file = TokenFile(Path(data), {USER!r})
print(AccessTokens(file, url, OAuthClient({CLIENT!r}, {SECRET!r}), lambda: float(now)).token())
"""
DEADLY = "import os; TokenFile._put_in_place = lambda self: os.kill(os.getpid(), 9)\nprint("


def another(holder: Holder, program: str = PROGRAM) -> "subprocess.Popen[str]":
    """Another process that asks for a token."""
    words = (sys.executable, "-c", program, str(holder.data), holder.authority.url, str(holder.now))
    return subprocess.Popen(words, stdout=subprocess.PIPE, text=True)


def test_a_token_is_used_until_shortly_before_its_end(holder: Holder) -> None:
    tokens = holder.tokens()
    assert tokens.token() == "access-1-Xy7zzy"
    holder.now += 3600 - 301
    assert tokens.token() == "access-1-Xy7zzy"
    holder.now += 2
    assert tokens.token() == "access-2-Xy7zzy"
    assert holder.tokens().token() == "access-2-Xy7zzy"
    assert [form["refresh_token"] for form in holder.authority.grants("refresh_token")] == ["refresh-1-Xy7zzy"]


def test_tokens_that_live_for_a_minute(holder: Holder) -> None:
    holder.authority.life = 60
    holder.sign_in()
    for step in (44, 2, 44, 2):
        holder.now += step
        assert holder.authority.is_good(holder.tokens().token())
    assert len(holder.authority.grants("refresh_token")) == 2


@pytest.mark.parametrize("rotates", [True, False])
def test_renewed_again_and_again(holder: Holder, rotates: bool) -> None:
    holder.authority.rotates = rotates
    given = set()
    for _ in range(5):
        given.add(holder.tokens().token())
        holder.now += 4000
    assert len(given) == 5


def test_a_refused_token_is_renewed_and_the_next_one_is_not(holder: Holder) -> None:
    """Whoever refuses both wants no token, and the provider is not asked for more and more of them."""
    tokens = holder.tokens()
    for _ in range(3):
        tokens.refuse(tokens.token())
        assert tokens.token() == "access-2-Xy7zzy"
    holder.now += 4000
    assert tokens.token() == "access-3-Xy7zzy"


@pytest.mark.parametrize("jump", [-86_400.0 * 400, 86_400.0 * 400])
def test_a_clock_that_jumps_costs_one_renewal(holder: Holder, jump: float) -> None:
    holder.now += jump
    assert holder.tokens().token() == "access-2-Xy7zzy"
    assert holder.tokens().token() == "access-2-Xy7zzy"
    holder.now -= jump
    assert holder.authority.is_good(holder.tokens().token())


def test_the_file_is_for_its_owner_alone_and_shows_no_token_in_its_words(holder: Holder) -> None:
    path = holder.file.path
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert "Xy7zzy" not in repr(holder.file.read())
    assert json.loads(path.read_text())["refresh_token"] == "refresh-1-Xy7zzy"


def test_many_processes_renew_at_once(holder: Holder) -> None:
    """The server takes each refresh token once, and revokes everything if one comes twice."""
    holder.authority.delay = 0.3
    holder.now += 4000
    children = [another(holder) for _ in range(4)]
    assert {child.communicate(timeout=PATIENCE)[0].strip() for child in children} == {"access-2-Xy7zzy"}
    assert len(holder.authority.grants("refresh_token")) == 1


def test_killed_while_the_server_thinks(holder: Holder) -> None:
    """Nothing was given, so the old refresh token holds, and the lock does not outlive its process."""
    holder.authority.delay, holder.authority.forgets = 1.0, True
    holder.now += 4000
    child = another(holder)
    assert holder.authority.is_held.wait(PATIENCE)
    child.send_signal(signal.SIGKILL)
    assert child.wait(PATIENCE) == -signal.SIGKILL
    child.communicate()
    holder.authority.delay, holder.authority.forgets = 0.0, False
    assert holder.tokens().token() == "access-2-Xy7zzy"


def test_killed_before_the_file_has_its_name(holder: Holder) -> None:
    """The new refresh token is on the disk, under another name, and the old one is worthless."""
    holder.now += 4000
    child = another(holder, PROGRAM.replace("print(", DEADLY))
    assert child.wait(PATIENCE) == -signal.SIGKILL
    child.communicate()
    stored = holder.file.read()
    assert stored is not None
    assert stored.refresh_token == "refresh-1-Xy7zzy"
    holder.now += 4000
    assert holder.tokens().token() == "access-3-Xy7zzy"
    assert [form["refresh_token"] for form in holder.authority.grants("refresh_token")] == [
        "refresh-1-Xy7zzy",
        "refresh-2-Xy7zzy",
    ]


def test_a_full_disk_costs_no_refresh_token(holder: Holder) -> None:
    """The server is not asked before there is room for its answer."""
    holder.now += 4000
    with (
        patch(
            "pbmserv.mail.oauth.token_file.os.write", side_effect=OSError(errno.ENOSPC, "No space left on device")
        ),
        pytest.raises(TokenDelayed, match="No space left"),
    ):
        holder.tokens().token()
    assert holder.authority.grants("refresh_token") == []
    assert holder.tokens().token() == "access-2-Xy7zzy"


@pytest.mark.parametrize(
    "answer", [(500, "oops"), (200, "[]"), (429, '{"error": "slow"}'), (302, ""), (200, "{}")]
)
def test_a_server_in_trouble(holder: Holder, answer: tuple[int, str]) -> None:
    """The old token is used while it holds; afterwards there is none, until the server is well again."""
    holder.now += 3600 - 100
    holder.authority.failures = [answer, answer]
    tokens = holder.tokens()
    assert tokens.token() == "access-1-Xy7zzy"
    holder.now += 200
    with pytest.raises(TokenDelayed):
        tokens.token()
    assert ("/elsewhere", {}) not in holder.authority.asked
    assert tokens.token() == "access-2-Xy7zzy"


def test_nobody_at_the_address(holder: Holder) -> None:
    stored = holder.file.path.read_text()
    holder.file.path.write_text(stored.replace(f":{holder.authority.port}/token", ":1/token"))
    holder.now += 4000
    with pytest.raises(TokenDelayed, match="cannot be reached: Connection refused"):
        holder.tokens().token()


def test_a_worthless_refresh_token_is_told_and_asked_about_once(holder: Holder) -> None:
    holder.authority.revoke_refresh()
    holder.now += 4000
    tokens = holder.tokens()
    for _ in range(3):
        with pytest.raises(SignInNeeded) as error:
            tokens.token()
        assert "run `pbmserv login`" in str(error.value)
        assert "Xy7zzy" not in str(error.value)
    assert len(holder.authority.grants("refresh_token")) == 1
    holder.sign_in()
    assert tokens.token() == "access-2-Xy7zzy"


def test_a_wrong_secret_is_told_without_it(holder: Holder) -> None:
    holder.secret = "wrong-Xy7zzy"
    holder.now += 4000
    with pytest.raises(SignInNeeded, match="refuses the client of oauth_client_id") as error:
        holder.tokens().token()
    assert "Xy7zzy" not in str(error.value)


def test_who_has_not_signed_in_or_elsewhere(holder: Holder, tmp_path: Path) -> None:
    client = OAuthClient(CLIENT, SECRET)
    with pytest.raises(SignInNeeded, match=f"nobody has signed in as {USER}; run `pbmserv login`"):
        AccessTokens(TokenFile(tmp_path / "other", USER), holder.authority.url, client).token()
    with pytest.raises(SignInNeeded, match="another provider or client"):
        AccessTokens(holder.file, "google", client).token()
    with pytest.raises(SignInNeeded, match="another provider or client"):
        AccessTokens(holder.file, holder.authority.url, OAuthClient("other")).token()


@pytest.mark.parametrize("content", ["", "{}", '{"user": 1', " " * 65536, "[" * 100_000])
def test_a_damaged_file_wants_a_new_sign_in(holder: Holder, content: str) -> None:
    holder.file.path.write_text(content)
    with pytest.raises(SignInNeeded, match="nobody has signed in"):
        holder.tokens().token()
    holder.sign_in()
    assert holder.authority.is_good(holder.tokens().token())


def test_one_who_waits_for_the_lock_gets_what_the_other_one_got(holder: Holder) -> None:
    holder.authority.delay = 0.5
    holder.now += 4000
    child = another(holder)
    wait_for(holder.authority.is_held.is_set)
    assert holder.tokens().token() == "access-2-Xy7zzy"
    assert child.communicate(timeout=PATIENCE)[0].strip() == "access-2-Xy7zzy"
    assert sorted(each.name for each in holder.file.path.parent.iterdir()) == [f"{USER}.json", f"{USER}.lock"]
