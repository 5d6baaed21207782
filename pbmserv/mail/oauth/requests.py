"""Requests to an authorization server: a form or nothing goes there, a JSON object comes back.

By the standard library: the protocol is a form and a JSON object, and certificates are verified by the same
context as those of mailboxes and relays. No redirect is followed: a secret must not be sent to another place.
"""

import json
import ssl
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import Any, Final
from urllib.error import HTTPError
from urllib.parse import quote_plus, urlencode, urlsplit
from urllib.request import (
    BaseHandler,
    HTTPHandler,
    HTTPRedirectHandler,
    HTTPSHandler,
    OpenerDirector,
    Request,
    build_opener,
)

from pbmserv.mail.bounded_answers import bounded_response
from pbmserv.mail.secure_places import checked_address

ANSWER_WITHIN: Final = 20.0
"""Seconds without a byte of the answer."""

WHOLE_WITHIN: Final = 60.0
"""Seconds for all of it."""

MOST_BYTES: Final = 256 * 1024

_PUBLIC: Final = ("grant_type", "client_id", "redirect_uri", "scope")
"""Fields of a form that may be shown; all others are secrets."""


class AuthorityAway(Exception):
    """The authorization server could not be asked, or gave no answer: try again later. The text has no secret."""


class AuthorityRefused(Exception):
    """The authorization server said no. The text is its own, without the secrets that we sent."""

    def __init__(self, code: str, text: str) -> None:
        """`code` is its error code (RFC 6749 section 5.2, RFC 8628 section 3.5), such as "invalid_grant"."""
        super().__init__(text)
        self.code = code


@dataclass(frozen=True, slots=True)
class OAuthClient:
    """What the provider knows this server as: the operator registers it there."""

    id: str
    secret: str = field(default="", repr=False)
    """Empty for a public client."""


def ask(url: str, client: OAuthClient, form: Mapping[str, str], by_header: bool = False) -> dict[str, Any]:
    """Sends a form with the client's name and secret. Raises AuthorityAway, AuthorityRefused.

    `by_header`: the secret goes into the header Authorization (RFC 6749 section 2.3.1), not into the form.
    """
    fields, headers = {**form, "client_id": client.id}, {"Content-Type": "application/x-www-form-urlencoded"}
    if client.secret and by_header:
        pair = f"{quote_plus(client.id)}:{quote_plus(client.secret)}"
        headers["Authorization"] = f"Basic {b64encode(pair.encode()).decode()}"
    elif client.secret:
        fields["client_secret"] = client.secret
    secrets = [client.secret, *(value for name, value in fields.items() if name not in _PUBLIC)]
    return _answer(Request(url, urlencode(fields).encode(), headers, method="POST"), secrets)  # noqa: S310


def look_up(url: str) -> dict[str, Any]:
    """A document that says what a server can do. Raises AuthorityAway, AuthorityRefused."""
    return _answer(Request(url), [])  # noqa: S310


class _NoRedirect(HTTPRedirectHandler):
    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


class _Connection(HTTPConnection):
    response_class = bounded_response(WHOLE_WITHIN, 2 * MOST_BYTES)


class _SecureConnection(HTTPSConnection):
    response_class = bounded_response(WHOLE_WITHIN, 2 * MOST_BYTES)


class _Plain(HTTPHandler):
    def http_open(self, request: Request) -> HTTPResponse:
        return self.do_open(_Connection, request)


class _Secure(HTTPSHandler):
    def https_open(self, request: Request) -> HTTPResponse:
        return self.do_open(_SecureConnection, request, context=ssl.create_default_context())


def bounded_opener(*handlers: BaseHandler) -> OpenerDirector:
    """What opens addresses, with an end to its patience."""
    return build_opener(_Plain, _Secure, *handlers)


def _answer(request: Request, secrets: list[str]) -> dict[str, Any]:
    try:
        checked_address(request.full_url)
    except ValueError as error:
        raise AuthorityAway(f"the provider's address {error}") from None
    request.add_header("Accept", "application/json")
    request.add_header("User-Agent", "pbmserv")
    where = urlsplit(request.full_url).netloc
    try:
        with bounded_opener(_NoRedirect()).open(request, timeout=ANSWER_WITHIN) as response:
            status, body = response.status, response.read(MOST_BYTES)
    except HTTPError as error:
        with error:
            status, body = error.code, _read(error)
    except (OSError, HTTPException, ValueError) as error:
        cause = getattr(error, "reason", error)
        if isinstance(cause, ssl.SSLCertVerificationError):
            raise AuthorityAway(f"the certificate of {where} is not trusted: {cause.verify_message}") from None
        why = getattr(cause, "strerror", "") or type(cause).__name__
        raise AuthorityAway(f"{where} cannot be reached: {why}") from None
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        found = None
    if isinstance(found, dict) and isinstance(code := found.get("error"), str) and status < 500 and status != 429:
        told = found.get("error_description") or ""
        raise AuthorityRefused(code, _shown(f"{code}: {told}" if told else code, secrets))
    if status != 200 or not isinstance(found, dict):
        raise AuthorityAway(f"{where} gave no answer that makes sense (HTTP {status})")
    return found


def _read(error: HTTPError) -> bytes:
    try:
        return error.read(MOST_BYTES)
    except (OSError, HTTPException):
        return b""


def _shown(words: str, secrets: list[str]) -> str:
    """A server's words as one line, without what must not be seen."""
    for secret in secrets:
        if secret:
            words = words.replace(secret, "***")
    line = words.strip().splitlines()[0] if words.strip() else ""
    return "".join(each if each.isprintable() else " " for each in line)[:200]
