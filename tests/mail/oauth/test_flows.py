"""Signing in: by a code on another device, by a browser that comes back, by an address that is carried here."""

import threading
from base64 import b64encode
from http.client import HTTPConnection
from urllib.error import HTTPError
from urllib.parse import parse_qs, urlsplit
from urllib.request import urlopen

import pytest

from pbmserv.mail.oauth import browser_flow, device_flow
from pbmserv.mail.oauth.authority import Authority, checked_name, find_authority
from pbmserv.mail.oauth.browser_flow import BrowserListener, VisitFailed
from pbmserv.mail.oauth.requests import AuthorityAway, AuthorityRefused, OAuthClient
from tests.servers.authority import CLIENT, SECRET, FakeAuthority

US = OAuthClient(CLIENT, SECRET)


def found(authority: FakeAuthority) -> Authority:
    return find_authority(authority.url)


def waited(authority: FakeAuthority) -> tuple[dict[str, str], list[float]]:
    """What a device flow came to, and how long each pause was."""
    pauses: list[float] = []
    code = device_flow.begin(found(authority), US)
    assert (code.url, code.user_code) == (f"{authority.url}/activate", "WDJB-MJHT")
    assert "Xy7zzy" not in repr(code)
    answer = device_flow.wait(found(authority), US, code, pauses.append, lambda: sum(pauses))
    return answer, pauses


def test_a_code_that_is_typed_elsewhere(authority: FakeAuthority) -> None:
    authority.polls = ["authorization_pending", "slow_down", "authorization_pending"]
    answer, pauses = waited(authority)
    assert answer["refresh_token"] == "refresh-1-Xy7zzy"
    assert pauses == [1, 1, 6, 6]
    assert authority.asked[1] == (
        "/device",
        {"client_id": CLIENT, "client_secret": SECRET, "scope": "openid email offline_access"},
    )


def test_a_server_that_is_away_meanwhile_is_asked_again(authority: FakeAuthority) -> None:
    authority.failures = [(503, ""), (500, "{")]
    answer, pauses = waited(authority)
    assert answer["access_token"]
    assert pauses == [1, 2, 4]


@pytest.mark.parametrize("error", ["access_denied", "expired_token"])
def test_nobody_wanted_to(authority: FakeAuthority, error: str) -> None:
    authority.polls = ["authorization_pending", error]
    with pytest.raises(AuthorityRefused, match=error):
        waited(authority)


def test_a_code_does_not_hold_for_ever(authority: FakeAuthority) -> None:
    authority.polls = ["authorization_pending"] * 1000
    with pytest.raises(AuthorityRefused, match="nobody signed in"):
        waited(authority)
    assert len(authority.grants("device_code")) == 10


def visited(url: str) -> str:
    """Where the provider sends a browser that opens this address."""
    parts = urlsplit(url)
    link = HTTPConnection(parts.netloc, timeout=20)
    link.request("GET", f"{parts.path}?{parts.query}")
    place = link.getresponse().getheader("Location")
    link.close()
    assert place is not None
    return place


def test_an_address_that_is_carried_here(authority: FakeAuthority) -> None:
    visit = browser_flow.begin(found(authority), US, "club@example.org", 8413)
    asked = {name: values[0] for name, values in parse_qs(urlsplit(visit.url).query).items()}
    assert asked["redirect_uri"] == "http://127.0.0.1:8413"
    assert (asked["login_hint"], asked["code_challenge_method"]) == ("club@example.org", "S256")
    assert "client_secret" not in asked
    answer = browser_flow.finish(found(authority), US, visit, f"  {visited(visit.url)}\n")
    assert answer["refresh_token"] == "refresh-1-Xy7zzy"


def test_a_code_is_worthless_without_the_verifier(authority: FakeAuthority) -> None:
    """Nor can it be used for a sign-in that somebody else has begun."""
    visits = [browser_flow.begin(found(authority), US, "club", 8413) for _ in range(2)]
    stolen = visited(visits[0].url)
    with pytest.raises(VisitFailed, match="does not belong to this sign-in"):
        browser_flow.finish(found(authority), US, visits[1], stolen)
    forged = stolen.replace(visits[0].state, visits[1].state)
    with pytest.raises(AuthorityRefused, match="invalid_grant: PKCE"):
        browser_flow.finish(found(authority), US, visits[1], forged)


@pytest.mark.parametrize(
    ("words", "error", "told"),
    [
        ("", VisitFailed, "does not belong"),
        ("nonsense", VisitFailed, "does not belong"),
        ("http://[", VisitFailed, "does not belong"),
        ("http://127.0.0.1:8413/?state=STATE", VisitFailed, "no code"),
        ("http://127.0.0.1:8413/?state=STATE&error=access_denied", AuthorityRefused, "access_denied"),
    ],
)
def test_other_addresses(authority: FakeAuthority, words: str, error: type[Exception], told: str) -> None:
    visit = browser_flow.begin(found(authority), US, "club", 8413)
    with pytest.raises(error, match=told):
        browser_flow.finish(found(authority), US, visit, words.replace("STATE", visit.state))


def test_a_browser_that_comes_back(authority: FakeAuthority) -> None:
    with BrowserListener() as listener:
        visit = browser_flow.begin(found(authority), US, "club", listener.server_port)

        def browse() -> None:
            with pytest.raises(HTTPError):
                urlopen(f"{visit.redirect}/favicon.ico", timeout=20)
            with urlopen(visit.url, timeout=20) as page:
                assert b"go back to the terminal" in page.read()

        browser = threading.Thread(target=browse)
        browser.start()
        answer = browser_flow.finish(found(authority), US, visit, listener.wait(20))
        browser.join(20)
    assert answer["refresh_token"] == "refresh-1-Xy7zzy"


def test_a_browser_that_never_comes_back() -> None:
    with BrowserListener() as listener, pytest.raises(VisitFailed, match="no browser"):
        listener.wait(0)


def test_a_secret_in_a_header(authority: FakeAuthority) -> None:
    authority.header_only = True
    code = device_flow.begin(found(authority), US)
    assert device_flow.wait(found(authority), US, code, lambda _: None)["access_token"]
    assert not any("client_secret" in form for _, form in authority.asked)
    assert b64encode(f"{CLIENT}:{SECRET}".encode()).decode() not in str(authority.asked)


def test_a_public_client(authority: FakeAuthority) -> None:
    authority.secret = ""
    code = device_flow.begin(found(authority), OAuthClient(CLIENT))
    assert device_flow.wait(found(authority), OAuthClient(CLIENT), code, lambda _: None)["access_token"]
    assert not any("client_secret" in form for _, form in authority.asked)


def test_a_server_that_speaks_for_another(authority: FakeAuthority) -> None:
    authority.issuer = "https://other.test"
    with pytest.raises(AuthorityAway, match="another issuer"):
        found(authority)


def test_google_and_microsoft() -> None:
    """Endpoints as their documentation has them; nobody is asked."""
    google = find_authority("google")
    assert (google.device_endpoint, google.scopes) == ("", ("https://mail.google.com/",))
    assert "access_type=offline" in browser_flow.begin(google, US, "club", 1).url
    microsoft = find_authority("microsoft")
    assert microsoft.device_endpoint == "https://login.microsoftonline.com/common/oauth2/v2.0/devicecode"
    assert microsoft.scopes == (
        "https://outlook.office.com/IMAP.AccessAsUser.All",
        "https://outlook.office.com/SMTP.Send",
        "offline_access",
    )
    assert browser_flow.begin(microsoft, US, "club", 1).redirect == "http://localhost:1"
    ours = find_authority("microsoft/club.example", ("a", "b"))
    assert (ours.token_endpoint, ours.scopes) == (
        "https://login.microsoftonline.com/club.example/oauth2/v2.0/token",
        ("a", "b"),
    )


@pytest.mark.parametrize("name", ["", "google", "microsoft", "microsoft/1-2.x", "https://id.test/realms/club"])
def test_names_of_providers(name: str) -> None:
    assert checked_name(name) == name


@pytest.mark.parametrize(
    "name", ["yahoo", "google/x", "microsoft/", "microsoft/a/b", "http://id.test", "https://"]
)
def test_other_names(name: str) -> None:
    with pytest.raises(ValueError, match="is none of google, microsoft"):
        checked_name(name)
