"""Opens the transport that the settings name for outgoing mail."""

from pathlib import Path
from types import MappingProxyType
from typing import Protocol
from urllib.parse import unquote, urlsplit

from pbmserv.mail.oauth.access_tokens import AccessTokens
from pbmserv.mail.secure_places import is_loopback, tls_mode
from pbmserv.mail.sending.maildir import Maildir
from pbmserv.mail.sending.smtp import Relay, RelayAddress
from pbmserv.mail.sending.transport import Batch

FORMS = "maildir:PATH, smtp://[USER@]HOST[:PORT][?starttls=yes|no] or smtps://[USER@]HOST[:PORT]"
PORTS = MappingProxyType({"smtp": 25, "smtps": 465})
SUBMISSION = 587  # RFC 6409: where one logs in to send


class Transport(Protocol):
    """Delivers mail. For one thread."""

    def deliver(self, batch: Batch) -> None:
        """Send the mails of a batch until it gives no other. It never raises; the outcomes say what went wrong."""

    def close(self) -> None:
        """Close the connection. The next delivery opens it again."""

    def hang_up(self) -> None:
        """End a delivery that takes too long. The one method that another thread may call."""


def open_transport(
    setting: str, *, password: str | AccessTokens = "", hostname: str = "localhost", timeout: float = 60.0
) -> Transport:
    """The transport that a setting names: `maildir:PATH`, or a relay's URL.

    `password` is the URL user's, or what gives tokens in its place; `hostname` is our name in EHLO, `timeout`
    (seconds) is for each step. Raises ValueError with one sentence that contains neither the URL nor the password.
    """
    if setting.startswith("maildir:"):
        path = Path(setting.removeprefix("maildir:")).expanduser()
        if path == Path() or (path.exists() and not path.is_dir()):
            raise ValueError("maildir: wants the path of a folder after it")
        return Maildir(path)
    address = relay_address(setting)
    if address.user and not password:
        raise ValueError("the relay's URL names a user, and there is no password for it")
    if password and not address.user:
        raise ValueError("there is a password, and the relay's URL names no user: smtp://USER@HOST")
    if isinstance(password, str) and not (address.user + password).isascii():
        raise ValueError("the relay's user and password must be ASCII, smtplib sends no others")
    return Relay(address, password, hostname, timeout)


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
