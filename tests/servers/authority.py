"""An authorization server on loopback: device flow, browser, refresh tokens that are used once, introspection."""

import hashlib
import json
import threading
import time
from base64 import b64decode, urlsafe_b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from typing import Any
from urllib.parse import parse_qs, quote, unquote_plus, urlsplit

CLIENT, SECRET = "club-server", "s3cret&Xy7zzy"
SCOPE = "mail offline_access"


@dataclass
class FakeAuthority:
    """The server: what it was asked, what it gave, and how it may fail."""

    port: int = 0
    user: str = "club"
    secret: str = SECRET
    """What the client must know; empty for a public client."""

    life: int = 3600
    rotates: bool = True
    """A refresh token is good once; used again, all that came of it is revoked (RFC 9700 section 4.14.2)."""

    failures: list[tuple[int, str]] = field(default_factory=list)
    """Answers (status, body) that the token endpoint gives instead of its own, one after the other."""

    delay: float = 0.0
    """Seconds that the token endpoint takes."""

    polls: list[str] = field(default_factory=list)
    """Errors with which the next questions of a device are answered; then somebody has signed in."""

    header_only: bool = False
    issuer: str = ""
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    is_held: threading.Event = field(default_factory=threading.Event)
    forgets: bool = False
    """It drops what it was asked at the token endpoint, after its delay."""

    _numbers: Iterator[int] = field(default_factory=lambda: count(1))
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _refresh: dict[str, bool] = field(default_factory=dict)  # token: still good
    _access: set[str] = field(default_factory=set)
    _codes: dict[str, tuple[str, str]] = field(default_factory=dict)  # code: challenge, redirect

    @property
    def url(self) -> str:
        """Where it is; its issuer, too."""
        return f"http://127.0.0.1:{self.port}"

    def grants(self, kind: str) -> list[dict[str, str]]:
        """The forms of that grant type that the token endpoint got."""
        return [
            form for path, form in self.asked if path == "/token" and form.get("grant_type", "").endswith(kind)
        ]

    def revoke_access(self) -> None:
        """No token given so far is good for a mailbox."""
        self._access.clear()

    def revoke_refresh(self) -> None:
        """No refresh token given so far is good."""
        self._refresh = dict.fromkeys(self._refresh, False)

    def is_good(self, token: str) -> bool:
        """Whether a mailbox takes it."""
        return token in self._access

    def give(self) -> dict[str, Any]:
        """New tokens."""
        number = next(self._numbers)
        access, refresh = f"access-{number}-Xy7zzy", f"refresh-{number}-Xy7zzy"
        self._access.add(access)
        self._refresh[refresh] = True
        return {"access_token": access, "refresh_token": refresh, "expires_in": self.life, "token_type": "Bearer"}

    def token(self, form: dict[str, str], knows_secret: bool) -> tuple[int, dict[str, Any]]:
        """The answer of the token endpoint."""
        if form.get("client_id") != CLIENT or not knows_secret:
            return 401, {"error": "invalid_client", "error_description": "who are you? " + json.dumps(form)}
        grant = form.get("grant_type", "")
        if grant.endswith(":device_code"):
            if self.polls:
                return 400, {"error": self.polls.pop(0)}
            return 200, self.give()
        if grant == "authorization_code":
            challenge, redirect = self._codes.pop(form.get("code", ""), ("", ""))
            digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
            if urlsafe_b64encode(digest).decode().rstrip("=") != challenge or redirect != form.get("redirect_uri"):
                return 400, {"error": "invalid_grant", "error_description": "PKCE"}
            return 200, self.give()
        if grant != "refresh_token" or not self._refresh.get(form.get("refresh_token", "")):
            self.revoke_refresh()
            told = f"{form.get('refresh_token')} is used up"
            return 400, {"error": "invalid_grant", "error_description": told}
        given = self.give()
        if self.rotates:
            self._refresh[form["refresh_token"]] = False
        else:
            self._refresh.pop(given.pop("refresh_token"))
        return 200, given


class _AuthorityRequest(BaseHTTPRequestHandler):
    authority: FakeAuthority

    def do_GET(self) -> None:
        ours, parts = self.authority, urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        ours.asked.append((parts.path, query))
        if parts.path == "/.well-known/openid-configuration":
            ways = ["client_secret_basic"] + ["client_secret_post"] * (not ours.header_only)
            self.say(
                200,
                {
                    "issuer": ours.issuer or ours.url,
                    "token_endpoint": f"{ours.url}/token",
                    "authorization_endpoint": f"{ours.url}/authorize",
                    "device_authorization_endpoint": f"{ours.url}/device",
                    "token_endpoint_auth_methods_supported": ways,
                },
            )
        elif parts.path == "/authorize":
            code = f"code-{len(ours.asked)}"
            ours._codes[code] = (query["code_challenge"], query["redirect_uri"])
            self.send_response(302)
            self.send_header("Location", f"{query['redirect_uri']}?code={code}&state={quote(query['state'])}")
            self.end_headers()
        else:
            self.say(404, {})

    def do_POST(self) -> None:
        ours = self.authority
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        form = {name: values[0] for name, values in parse_qs(body).items()}
        ours.asked.append((self.path, form))
        if self.path == "/device":
            code = {
                "device_code": "dev-Xy7zzy",
                "user_code": "WDJB-MJHT",
                "verification_uri": f"{ours.url}/activate",
            }
            self.say(200, {**code, "interval": 1, "expires_in": 10})
        elif self.path == "/introspect":
            is_good = ours.is_good(form.get("token", ""))
            self.say(200, {"active": is_good, **({"username": ours.user} if is_good else {})})
        elif self.path == "/token":
            ours.is_held.set()
            time.sleep(ours.delay)
            if ours.forgets:
                return
            with ours._lock:
                if ours.failures:
                    status, answer = ours.failures.pop(0)
                    self.raw(status, answer.encode())
                else:
                    self.say(*ours.token(form, self.knows_secret(form)))

    def knows_secret(self, form: dict[str, str]) -> bool:
        """Whether the client has shown its secret in the right place."""
        if not self.authority.header_only:
            return form.get("client_secret", "") == self.authority.secret
        given = self.headers.get("Authorization", "").removeprefix("Basic ")
        name, _, secret = b64decode(given).decode().partition(":")
        return (unquote_plus(name), unquote_plus(secret)) == (CLIENT, self.authority.secret)

    def say(self, status: int, answer: dict[str, Any]) -> None:
        """Sends a JSON object."""
        self.raw(status, json.dumps(answer).encode())

    def raw(self, status: int, body: bytes) -> None:
        """Sends anything; a redirect leads back here."""
        self.send_response(status)
        if status in (302, 307):
            self.send_header("Location", f"{self.authority.url}/elsewhere")
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Tests read `asked`."""


@contextmanager
def running_authority() -> Iterator[FakeAuthority]:
    """One that runs."""
    ours = FakeAuthority()
    handler = type("Handler", (_AuthorityRequest,), {"authority": ours})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        ours.port = server.server_port
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield ours
        finally:
            server.shutdown()
            thread.join(60)
