"""URLs that settings name: of the relay that takes our mail, and of the listeners that take mail from others."""

from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, cast
from urllib.parse import unquote, urlsplit

from pbmserv.mail.secure_places import TlsMode, is_loopback, tls_mode

FORMS = "maildir:PATH, smtp://[USER@]HOST[:PORT][?starttls=yes|no] or smtps://[USER@]HOST[:PORT]"
PORTS = MappingProxyType({"smtp": 25, "smtps": 465})
LISTENER_PORTS = MappingProxyType({"smtp": 25, "lmtp": 24})
SUBMISSION = 587  # RFC 6409: where one logs in to send


@dataclass(frozen=True, slots=True)
class RelayAddress:
    """Where a relay is, our user there ("" for none), and how TLS begins."""

    host: str
    port: int
    user: str = ""
    tls: TlsMode = "starttls"


def relay_address(url: str) -> RelayAddress:
    """A relay's URL as a value.

    smtps:// begins with TLS. smtp:// begins in the clear and requires STARTTLS, except to this machine without a
    login. `?starttls=no` is for trusted networks, `?starttls=yes` for relays on this machine.

    >>> relay_address("smtp://pbm%40club.test@mail.club.test")
    RelayAddress(host='mail.club.test', port=587, user='pbm@club.test', tls='starttls')
    >>> relay_address("smtp://localhost").tls, relay_address("smtps://mail.club.test").tls
    ('none', 'implicit')
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise ValueError(f"mail goes out by {FORMS}") from None  # the first error's text may hold a password
    host, user = parts.hostname or "", unquote(parts.username or "")
    if parts.scheme not in PORTS or not host or parts.path.strip("/") or parts.fragment:
        raise ValueError(f"mail goes out by {FORMS}")
    if parts.password is not None:
        raise ValueError("the relay's password does not belong in its URL, it has a setting of its own")
    if not port:
        port = SUBMISSION if user and parts.scheme == "smtp" else PORTS[parts.scheme]
    return RelayAddress(
        host, port, user, tls_mode(parts, "relay", bool(user), may_be_plain=not user and is_loopback(host))
    )


def split(url: str) -> tuple[Literal["smtp", "lmtp"], str, int]:
    """Kind, host and port of a listener's URL. Raises ValueError with one sentence.

    >>> split("lmtp://127.0.0.1:8024")
    ('lmtp', '127.0.0.1', 8024)
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    if (
        parts.scheme not in LISTENER_PORTS
        or not parts.hostname
        or parts.username
        or parts.path.strip("/")
        or parts.query
    ):
        raise ValueError(f"a listener is smtp://HOST:PORT or lmtp://HOST:PORT, not {url!r}")
    kind = cast(Literal["smtp", "lmtp"], parts.scheme)
    return kind, parts.hostname, LISTENER_PORTS[kind] if port is None else port
