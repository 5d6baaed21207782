"""Opens the transport for outgoing mail that the settings name."""

from pathlib import Path
from typing import Protocol

from pbmserv.mail.bearer import Credential
from pbmserv.mail.mail_urls import relay_address
from pbmserv.mail.sending.maildir import Maildir
from pbmserv.mail.sending.smtp import Relay
from pbmserv.mail.sending.transport import Batch


class Transport(Protocol):
    """Delivers mail. For one thread."""

    def deliver(self, batch: Batch) -> None:
        """Send the mails of a batch until it gives no other. It never raises; the outcomes say what went wrong."""

    def close(self) -> None:
        """Close the connection. The next delivery opens it again."""

    def hang_up(self) -> None:
        """End a delivery that takes too long. The one method that another thread may call."""


def open_transport(
    setting: str, *, password: Credential = "", hostname: str = "localhost", timeout: float = 60.0
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
