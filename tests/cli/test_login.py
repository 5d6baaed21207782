"""`pbmserv login`: what it shows, what it stores, and what it says when that cannot be."""

import json
import threading
from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit
from urllib.request import urlopen

import pytest

from tests.cli.terminal import Terminal
from tests.mail.oauth.test_flows import visited
from tests.roads.imap.fake_imap import FakeImap, fake_imap
from tests.servers.authority import CLIENT, SECRET, FakeAuthority, running_authority

USER = "club@example.org"


@pytest.fixture
def authority() -> Iterator[FakeAuthority]:
    """One that runs."""
    with running_authority() as ours:
        yield ours


@pytest.fixture
def mailbox() -> Iterator[FakeImap]:
    """One that takes any token."""
    with fake_imap() as server:
        server.capabilities = "IMAP4rev1 IDLE MOVE UIDPLUS AUTH=XOAUTH2"
        yield server


@pytest.fixture
def club(terminal: Terminal, authority: FakeAuthority, mailbox: FakeImap) -> Terminal:
    """A server whose mailbox and relay want tokens."""
    user = USER.replace("@", "%40")
    terminal.settings |= {
        "PBMSERV_IMAP": f"imap://{user}@127.0.0.1:{mailbox.port}",
        "PBMSERV_OUT": f"smtp://{user}@127.0.0.1:2?starttls=no",
        "PBMSERV_OAUTH": authority.url,
        "PBMSERV_OAUTH_CLIENT_ID": CLIENT,
        "PBMSERV_OAUTH_CLIENT_SECRET": SECRET,
    }
    return terminal


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """The device flow asks at once."""
    monkeypatch.setattr("pbmserv.mail.oauth.device_flow.wait.__defaults__", (lambda _: None, lambda: 0.0))


def test_a_code_on_another_device(club: Terminal, authority: FakeAuthority, mailbox: FakeImap) -> None:
    authority.polls = ["authorization_pending"]
    out = club.succeed("login")
    assert out.count(f"Sign in as {USER}.") == 1  # mailbox and relay are one user's
    assert f"open {authority.url}/activate and type the code: WDJB-MJHT" in out
    assert "The mailbox opens." in out
    assert "Xy7zzy" not in out
    file = club.folder / "data" / "oauth" / f"{USER}.json"
    assert file.stat().st_mode & 0o777 == 0o600
    assert json.loads(file.read_text())["refresh_token"] == "refresh-1-Xy7zzy"
    assert "AUTHENTICATE" in mailbox.commands()


def test_signing_in_again_replaces_what_was_stored(club: Terminal) -> None:
    club.succeed("login")
    file = club.folder / "data" / "oauth" / f"{USER}.json"
    file.write_text("damaged")
    club.succeed("login")
    club.succeed("login")
    assert json.loads(file.read_text())["refresh_token"] == "refresh-3-Xy7zzy"


def test_a_browser_on_this_machine(club: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    browsers: list[threading.Thread] = []

    def show(sentence: str) -> None:
        shown.append(sentence)
        if "/authorize?" in sentence:
            url = next(line for line in sentence.splitlines() if "/authorize?" in line)
            browsers.append(threading.Thread(target=lambda: visit(url)))
            browsers[-1].start()

    def visit(url: str) -> None:
        with urlopen(url, timeout=20) as page:
            page.read()

    shown: list[str] = []
    monkeypatch.setattr("pbmserv.cli.login._say", show)
    club.succeed("login", "--by", "browser")
    browsers[0].join(20)
    assert "The mailbox opens." in shown


def test_an_address_that_is_pasted(club: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []
    monkeypatch.setattr("pbmserv.cli.login._say", shown.append)
    monkeypatch.setattr("click.prompt", lambda _: visited(url_in(shown)))
    club.succeed("login", "--by", "paste")
    query = parse_qs(urlsplit(url_in(shown)).query)
    assert query["redirect_uri"] == ["http://127.0.0.1:8413"]
    assert "The mailbox opens." in shown


def url_in(shown: list[str]) -> str:
    """The address that the browser is to open."""
    return next(line for each in shown for line in each.splitlines() if "/authorize?" in line)


def test_what_is_pasted_must_belong_to_this_sign_in(club: Terminal) -> None:
    done = club.run("login", "--by", "paste", stdin="http://127.0.0.1:8413/?code=1&state=2\n")
    assert done.code == 1
    assert "does not belong to this sign-in" in done.err
    assert not (club.folder / "data" / "oauth").exists()


def test_two_users(club: Terminal) -> None:
    club.settings["PBMSERV_OUT"] = "smtp://other@127.0.0.1:2?starttls=no"
    out = club.succeed("login")
    assert "Sign in as other." in out
    assert (club.folder / "data" / "oauth" / "other.json").exists()


def test_a_password_goes_before_a_token(club: Terminal) -> None:
    club.settings["PBMSERV_OUT_PASSWORD"] = "Xy7zzy-Q"
    club.settings["PBMSERV_IMAP_PASSWORD"] = "Xy7zzy-Q"
    done = club.run("login")
    assert done.code == 78
    assert "need no token" in done.sentence


@pytest.mark.parametrize(
    ("name", "value", "code", "told"),
    [
        ("OAUTH", "", 78, "PBMSERV_OAUTH is empty"),
        ("OAUTH", "yahoo", 78, "PBMSERV_OAUTH: is none of google, microsoft, microsoft/TENANT or https://ISSUER"),
        ("OAUTH", "http://127.0.0.1:1", 75, "cannot be reached"),
        ("OAUTH_CLIENT_ID", "", 78, "PBMSERV_OAUTH_CLIENT_ID is empty"),
        ("OAUTH_CLIENT_ID", "nobody", 1, "the provider said no: invalid_client"),
        ("OAUTH_CLIENT_SECRET", "wrong-Xy7zzy", 1, "the provider said no: invalid_client"),
        ("OAUTH_CLIENT_SECRET_FILE", "nowhere", 78, "OAUTH_CLIENT_SECRET_FILE cannot be read: No such file"),
    ],
)
def test_what_may_be_wrong(club: Terminal, name: str, value: str, code: int, told: str) -> None:
    club.settings["PBMSERV_" + name] = value
    done = club.run("login")
    assert (done.code, told in done.err) == (code, True), done.err
    assert "Xy7zzy" not in done.out + done.err
    assert not list(club.folder.glob("data/oauth/*.json"))


def test_google_has_no_device_flow_for_mail(club: Terminal) -> None:
    club.settings["PBMSERV_OAUTH"] = "google"
    done = club.run("login", "--by", "device")
    assert done.code == 78
    assert "use --by browser or --by paste" in done.sentence


def test_a_provider_that_gives_nothing_for_later(club: Terminal, authority: FakeAuthority) -> None:
    authority.failures = [(200, '{"access_token": "access-Xy7zzy"}')]
    done = club.run("login")
    assert done.code == 1
    assert "no refresh token" in done.err


def test_signed_in_as_somebody_else(club: Terminal, mailbox: FakeImap) -> None:
    mailbox.answers["AUTHENTICATE"] = lambda tag, rest: f"{tag} NO [AUTHENTICATIONFAILED] no\r\n".encode()
    done = club.run("login")
    assert done.code == 1
    assert "did you sign in as somebody else?" in done.err


def test_secrets_are_masked(club: Terminal) -> None:
    club.succeed("login")
    for words in (["config"], ["config", "--json"]):
        assert "Xy7zzy" not in club.succeed(*words)


@pytest.mark.parametrize("command", ["poll", "send"])
def test_a_part_that_needs_a_client(club: Terminal, command: str) -> None:
    club.succeed("migrate")
    club.settings["PBMSERV_OAUTH_CLIENT_ID"] = ""
    done = club.run(command)
    assert done.code == 78
    assert "PBMSERV_OAUTH_CLIENT_ID is empty" in done.err
