"""The URLs in settings, of relay, mailbox and listeners, and whether secrets may be sent there."""

import ipaddress
import re
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, cast
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

TlsMode = Literal["none", "starttls", "implicit"]


def is_loopback(host: str) -> bool:
    """Whether a host is this machine itself.

    >>> is_loopback("localhost"), is_loopback("::1"), is_loopback("localhost.evil.test")
    (True, True, False)
    """
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def checked_address(url: str) -> str:
    """The address of a page, if secrets may go there: https, or this machine itself. Raises ValueError.

    >>> checked_address("https://id.example.org/token")
    'https://id.example.org/token'
    >>> checked_address("http://id.example.org/token")
    Traceback (most recent call last):
    ValueError: is not an https:// address
    """
    parts = urlsplit(url)
    if parts.scheme != "https" and not (parts.scheme == "http" and is_loopback(parts.hostname or "")):
        raise ValueError("is not an https:// address")
    if not parts.hostname or parts.username is not None or parts.fragment or parts.port == 0:
        raise ValueError("is not the plain address of a server")
    return url


def tls_mode(parts: SplitResult, whose: str, has_login: bool, may_be_plain: bool) -> TlsMode:
    """How TLS begins at the server with this URL; `whose` is "relay" or "mailbox". Raises ValueError.

    `may_be_plain`: STARTTLS is only used if the URL asks for it.
    """
    query = parse_qsl(parts.query, keep_blank_values=True)
    if parts.scheme.endswith("s"):
        if query:
            raise ValueError(f"{parts.scheme}:// takes nothing after a ?, it is TLS from its beginning")
        return "implicit"
    if query not in ([], [("starttls", "yes")], [("starttls", "no")]):
        raise ValueError(f"after a {whose}'s ? there is starttls=yes or starttls=no")
    if query == [("starttls", "no")]:
        if has_login and not is_loopback(parts.hostname or ""):
            raise ValueError(f"starttls=no would send the {whose}'s password in the clear")
        return "none"
    return "none" if not query and may_be_plain else "starttls"


FORMS = "maildir:PATH, smtp://[USER@]HOST[:PORT][?starttls=yes|no] or smtps://[USER@]HOST[:PORT]"
PORTS = MappingProxyType({"smtp": 25, "smtps": 465})
LISTENER_PORTS = MappingProxyType({"smtp": 25, "lmtp": 24})
SUBMISSION = 587  # RFC 6409: where one logs in to send


@dataclass(frozen=True, slots=True)
class RelayAddress:
    """A relay's host and port, our user there ("" for none), and how TLS begins."""

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


MAILBOX_FORMS = "imaps://USER@HOST[:PORT][/FOLDER] or imap://USER@HOST[:PORT][/FOLDER][?starttls=yes|no]"
MAILBOX_PORTS = MappingProxyType({"imap": 143, "imaps": 993})


@dataclass(frozen=True, slots=True)
class MailboxAddress:
    """A mailbox's host and port, its user, the folder that receives mail, and how TLS begins."""

    host: str
    port: int
    user: str
    folder: str
    tls: TlsMode

    @property
    def place(self) -> str:
        """The mailbox as shown to operators."""
        scheme = "imaps" if self.tls == "implicit" else "imap"
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{scheme}://{self.user}@{host}:{self.port}/{self.folder}"


def mailbox_address(url: str) -> MailboxAddress:
    """A mailbox's URL as a value; ValueError with one sentence, which holds neither the URL nor a password.

    imaps:// begins with TLS. imap:// begins in the clear and then demands STARTTLS, except to this very machine;
    `?starttls=yes` demands it there too. User and folder may be percent-encoded.

    >>> mailbox_address("imaps://club%40example.org@imap.example.org")
    MailboxAddress(host='imap.example.org', port=993, user='club@example.org', folder='INBOX', tls='implicit')
    >>> address = mailbox_address("imap://club@localhost/Games/Moves")
    >>> address.folder, address.tls
    ('Games/Moves', 'none')
    """
    try:
        parts = urlsplit(url)
        port = parts.port
        user, folder = (
            unquote(parts.username or "", errors="strict"),
            unquote(parts.path.strip("/"), errors="strict"),
        )
    except ValueError:
        raise ValueError(f"a mailbox is {MAILBOX_FORMS}") from None  # the first error's text may hold a password
    host = parts.hostname or ""
    if parts.scheme not in MAILBOX_PORTS or not host or not user or parts.fragment:
        raise ValueError(f"a mailbox is {MAILBOX_FORMS}")
    if parts.password is not None:
        raise ValueError("the mailbox's password does not belong in its URL, it has a setting of its own")
    if re.search(r"[\x00-\x1f\x7f]", user + folder):
        raise ValueError("the mailbox's user and folder must be plain text")
    tls = tls_mode(parts, "mailbox", has_login=True, may_be_plain=is_loopback(host))
    return MailboxAddress(host, port or MAILBOX_PORTS[parts.scheme], user, folder or "INBOX", tls)
