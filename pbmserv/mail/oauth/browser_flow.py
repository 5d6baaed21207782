"""Signing in with a browser: the authorization code with PKCE (RFC 7636), coming back to this machine (RFC 8252).

Where the browser runs elsewhere, the address that it was sent back to is carried here by hand.
"""

import hashlib
import hmac
import secrets
import time
from base64 import urlsafe_b64encode
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any, Final
from urllib.parse import parse_qs, urlencode, urlsplit

from pbmserv.mail.oauth.authority import Authority
from pbmserv.mail.oauth.requests import AuthorityRefused, OAuthClient, ask

BACK_WITHIN: Final = 900.0
"""Seconds that somebody has to sign in."""

PASTE_PORT: Final = 8413
"""The port in the address that a browser on another machine comes back to; nothing listens there."""


@dataclass(frozen=True, slots=True)
class BrowserVisit:
    """One visit to the provider's page."""

    url: str
    """What the browser opens."""

    redirect: str
    """Where the provider sends it afterwards."""

    state: str = field(repr=False)
    verifier: str = field(repr=False)


class VisitFailed(Exception):
    """The browser came back with nothing that can be used, or not at all. The text says why."""


def begin(authority: Authority, client: OAuthClient, user: str, port: int) -> BrowserVisit:
    """A visit from which the browser comes back to this port of this machine."""
    state, verifier = secrets.token_urlsafe(24), secrets.token_urlsafe(64)
    challenge = urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")
    # No slash after it: Microsoft compares it with the address that was registered, but for the port.
    redirect = f"http://{authority.loopback}:{port}"
    query = {
        "response_type": "code",
        "client_id": client.id,
        "redirect_uri": redirect,
        "scope": " ".join(authority.scopes),
        "state": state,
        "code_challenge": challenge,
        "code_challenge_method": "S256",
        "login_hint": user,
        **dict(authority.wishes),
    }
    begins = "&" if urlsplit(authority.authorization_endpoint).query else "?"
    url = f"{authority.authorization_endpoint}{begins}{urlencode(query)}"
    return BrowserVisit(url, redirect, state, verifier)


def finish(authority: Authority, client: OAuthClient, visit: BrowserVisit, came_back_to: str) -> dict[str, Any]:
    """The token endpoint's answer. Raises VisitFailed, AuthorityAway, AuthorityRefused.

    `came_back_to` is the address that the provider sent the browser to.
    """
    try:
        query = parse_qs(urlsplit(came_back_to.strip()).query)
    except ValueError:
        query = {}
    first = {name: values[0] for name, values in query.items()}
    if not hmac.compare_digest(first.get("state", "").encode(), visit.state.encode()):
        raise VisitFailed("that address does not belong to this sign-in; begin again and paste all of it")
    if "error" in first:
        told = "".join(each for each in first["error"] if each.isprintable())[:100]
        raise AuthorityRefused(told, told)
    if "code" not in first:
        raise VisitFailed("there is no code in that address")
    form = {
        "grant_type": "authorization_code",
        "code": first["code"],
        "redirect_uri": visit.redirect,
        "code_verifier": visit.verifier,
    }
    return ask(authority.token_endpoint, client, form, authority.by_header)


class BrowserListener(HTTPServer):
    """Waits on this machine for the browser to come back."""

    came_back_to = ""
    timeout = 1.0

    def __init__(self, port: int = 0) -> None:
        """`port` 0 is any that is free. Raises OSError."""
        super().__init__(("127.0.0.1", port), _BrowserRequest)

    def wait(self, within: float = BACK_WITHIN) -> str:
        """The address that the browser came back to. Raises VisitFailed after so many seconds."""
        until = time.monotonic() + within
        while not self.came_back_to:
            if time.monotonic() > until:
                raise VisitFailed("no browser came back")
            self.handle_request()
        return self.came_back_to


class _BrowserRequest(BaseHTTPRequestHandler):
    timeout = 5.0
    server: BrowserListener

    def do_GET(self) -> None:
        is_it = "state=" in urlsplit(self.path).query  # browsers ask for /favicon.ico too
        body = b"Thank you. Please go back to the terminal; this page can be closed.\n" if is_it else b""
        self.send_response(200 if is_it else 404)
        self.send_header("Content-Type", "text/plain; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        if is_it:
            self.server.came_back_to = self.path

    def log_message(self, *_: Any) -> None:
        """Nothing is logged: the path holds the code."""
