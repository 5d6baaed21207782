"""The setting that names the mailbox from which mail is fetched."""

import re
from dataclasses import dataclass
from types import MappingProxyType
from urllib.parse import unquote, urlsplit

from pbmserv.mail.secure_places import TlsMode, is_loopback, tls_mode

FORMS = "imaps://USER@HOST[:PORT][/FOLDER] or imap://USER@HOST[:PORT][/FOLDER][?starttls=yes|no]"
PORTS = MappingProxyType({"imap": 143, "imaps": 993})


@dataclass(frozen=True, slots=True)
class MailboxAddress:
    """Where a mailbox is, whose it is, which of its folders mail comes to, and how TLS begins."""

    host: str
    port: int
    user: str
    folder: str
    tls: TlsMode

    @property
    def place(self) -> str:
        """What operators are told of it."""
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
        raise ValueError(f"a mailbox is {FORMS}") from None  # the first error's text may hold a password
    host = parts.hostname or ""
    if parts.scheme not in PORTS or not host or not user or parts.fragment:
        raise ValueError(f"a mailbox is {FORMS}")
    if parts.password is not None:
        raise ValueError("the mailbox's password does not belong in its URL, it has a setting of its own")
    if re.search(r"[\x00-\x1f\x7f]", user + folder):
        raise ValueError("the mailbox's user and folder must be plain text")
    tls = tls_mode(parts, "mailbox", has_login=True, may_be_plain=is_loopback(host))
    return MailboxAddress(host, port or PORTS[parts.scheme], user, folder or "INBOX", tls)
