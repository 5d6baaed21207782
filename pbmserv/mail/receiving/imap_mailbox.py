"""One connection to a mailbox (IMAP, RFC 3501), by imapclient, with every failure as one of our exceptions."""

import contextlib
import logging
import selectors
import ssl
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from imapclient import IMAPClient, SocketTimeout

from pbmserv.mail.bearer import Credential
from pbmserv.mail.mail_urls import MailboxAddress
from pbmserv.mail.receiving.imap_client import BoundedImapClient, log_in, translating_errors
from pbmserv.mail.receiving.imap_client import ImapError as ImapError
from pbmserv.mail.receiving.imap_client import ImapRefused as ImapRefused
from pbmserv.mail.receiving.imap_client import LoginRefused as LoginRefused
from pbmserv.mail.receiving.imap_client import Silence as Silence
from pbmserv.mail.receiving.imap_client import UntrustedCertificate as UntrustedCertificate

CONNECT_WITHIN: Final = 10.0
READ_WITHIN: Final = 30.0
"""Seconds without a byte during a command. Searching or moving may take a busy provider a while."""

CHECK_EVERY: Final = 4.0
"""Seconds of IDLE after which the server must answer.

A connection can be dead without a sign from the network, and a hanging session keeps its connection open: only an
answer proves anything. A check takes 84 bytes with Dovecot, or 1.8 MB a day before TLS.
"""

POLL_EVERY: Final = 30.0
"""Seconds between two checks if the server has no IDLE."""

STOP_CHECK_EVERY: Final = 0.25
MAX_HEAD: Final = 256 * 1024

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Disposition:
    """What is done with a mail once it is stored: it is moved to a folder, or deleted."""

    done: Literal["move", "delete"] = "move"
    folder: str = "Kept"


@dataclass(frozen=True, slots=True)
class MessageKey:
    """The state of a folder. As long as it stays the same, no mail has arrived."""

    uidvalidity: int
    uidnext: int | None
    exists: int  # mails in it


class ImapMailbox:
    """A mailbox, logged in. For one thread. Each method may raise ImapError, some ImapRefused too."""

    def __init__(self, client: IMAPClient, folder: str, disposition: Disposition) -> None:
        self._client, self._folder, self._disposition = client, folder, disposition
        self._flagged: set[int] = set()
        self._may_delete = True
        with translating_errors("CAPABILITY"):
            self._can_move, self._can_expunge, self._can_idle = (
                client.has_capability(name) for name in ("MOVE", "UIDPLUS", "IDLE")
            )
        if disposition.done == "move":
            self._processed_folder = _full_name(client, disposition.folder)
            self._make_folder()

    def select(self, kept: bool = False) -> MessageKey:
        """Selects the folder, or that for stored mail, and gives its state. Raises ImapRefused: no such folder."""
        with translating_errors("SELECT"):
            response = self._client.select_folder(self._processed_folder if kept else self._folder)
            self._may_delete = rb"\Deleted" in response.get(b"PERMANENTFLAGS", (rb"\Deleted",))
            return MessageKey(response.get(b"UIDVALIDITY", 0), response.get(b"UIDNEXT"), response[b"EXISTS"])

    def listed(self, first: int | None = None) -> list[int]:
        """The UIDs of mails not flagged as deleted, ascending; only among the `first` that many mails.

        imaplib accepts lines up to a million bytes: too few for the UIDs of 150,000 mails.
        """
        with translating_errors("SEARCH"):
            return sorted(self._client.search("UNDELETED" if first is None else f"1:{first} UNDELETED"))

    def sizes(self, uids: Sequence[int]) -> dict[int, int]:
        """The size of each mail in bytes, as far as the server tells. Raises ImapRefused."""
        with translating_errors("FETCH"):
            found = self._client.fetch(uids, ["RFC822.SIZE"])
        return {
            uid: size for uid, response in found.items() if isinstance(size := response.get(b"RFC822.SIZE"), int)
        }

    def bodies(self, uids: Sequence[int]) -> dict[int, bytes]:
        """The mails themselves, without those the server left out. They stay unread. Raises ImapRefused."""
        return self._fetched(uids, "BODY.PEEK[]")

    def heads(self, uids: Sequence[int]) -> dict[int, bytes]:
        """Only the headers of mails, up to MAX_HEAD bytes. Raises ImapRefused."""
        return self._fetched(uids, f"BODY.PEEK[HEADER]<0.{MAX_HEAD}>")

    def put_away(self, uids: Sequence[int]) -> None:
        """Moves stored mails to their folder, or deletes them, and no others. Raises ImapRefused."""
        if self._disposition.done == "delete":
            self._delete(uids)
            return
        try:
            self._move(uids)
        except ImapRefused:
            if not self._make_folder():
                raise
            self._move(uids)

    def wait(self, stop: threading.Event, patience: float) -> bool:
        """Waits for new mail, at most CHECK_EVERY seconds (POLL_EVERY without IDLE). Whether there may be some.

        `stop` ends the wait too. Raises Silence if the server does not answer within `patience` seconds then.
        """
        if not self._can_idle:
            stop.wait(POLL_EVERY)
            return True
        try:
            with translating_errors("IDLE", Silence):
                # For all reads from here on. `idle_check` cannot tell a closed connection from silence.
                self._client.socket().settimeout(patience)
                self._client.idle()
                self._until_readable(stop)
                _, response = self._client.idle_done()
                self._client.socket().settimeout(READ_WITHIN)
        except ImapRefused as error:
            # For example, news before the `+` of IDLE, which imapclient does not expect.
            raise ImapError(str(error)) from None
        return any(each[:1] != (b"OK",) for each in response)

    def close(self) -> None:
        """Logs out, if the server still listens, and disconnects."""
        with contextlib.suppress(Exception):
            self._client.socket().settimeout(2.0)
            self._client.logout()
        _drop(self._client)

    def _fetched(self, uids: Sequence[int], part: str) -> dict[int, bytes]:
        with translating_errors("FETCH"):
            found = self._client.fetch(uids, [part])
        bodies = {}
        for uid, response in found.items():
            body = next((value for name, value in response.items() if name.startswith(b"BODY[")), None)
            if isinstance(body, bytes):
                bodies[uid] = body
        return bodies

    def _until_readable(self, stop: threading.Event) -> None:
        until = time.monotonic() + CHECK_EVERY
        with selectors.DefaultSelector() as selector:
            selector.register(self._client.socket(), selectors.EVENT_READ)
            while not stop.is_set() and time.monotonic() < until and not selector.select(STOP_CHECK_EVERY):
                pass

    def _make_folder(self) -> bool:
        try:
            with translating_errors("CREATE"):
                self._client.create_folder(self._processed_folder)
        except ImapRefused:  # mostly because it exists; if it may not be created, moving will fail and be logged
            return False
        with contextlib.suppress(ImapRefused), translating_errors("SUBSCRIBE"):
            self._client.subscribe_folder(self._processed_folder)
        log.info("the folder for fetched mail was created")
        return True

    def _move(self, uids: Sequence[int]) -> None:
        if self._can_move:
            with translating_errors("MOVE"):
                self._client.move(uids, self._processed_folder)
            return
        self._require_deleting()  # else each try would make another copy
        with translating_errors("COPY"):
            self._client.copy(uids, self._processed_folder)
        self._delete(uids)

    def _delete(self, uids: Sequence[int]) -> None:
        self._require_deleting()
        with translating_errors("STORE"):
            self._client.delete_messages(uids, silent=True)
        if self._can_expunge:
            with translating_errors("UID EXPUNGE"):
                self._client.uid_expunge(uids)
            return
        # EXPUNGE deletes all flagged mails, perhaps also some flagged by another program whose user may change
        # their mind. Mails left behind do no harm: `listed` does not list them.
        self._flagged.update(uids)
        with translating_errors("EXPUNGE"):
            if self._flagged.issuperset(self._client.search("DELETED")):
                self._client.expunge()
                self._flagged.clear()

    def _require_deleting(self) -> None:
        if not self._may_delete:
            raise ImapRefused("no mail may be deleted from the folder")


def open_mailbox(address: MailboxAddress, password: Credential, disposition: Disposition) -> ImapMailbox:
    """Connects, verifies the certificate, and logs in. Raises ImapError, LoginRefused."""
    # Its debugging output holds mails.
    logging.getLogger("imapclient").setLevel(logging.WARNING)
    client = None
    try:
        with translating_errors("connecting"):
            client = BoundedImapClient(
                address.host,
                address.port,
                ssl=address.tls == "implicit",
                ssl_context=ssl.create_default_context() if address.tls == "implicit" else None,
                timeout=SocketTimeout(CONNECT_WITHIN, READ_WITHIN),
            )
            if address.tls == "starttls":
                client.starttls(ssl.create_default_context())
        log_in(client, address, password)
        return ImapMailbox(client, address.folder, disposition)
    except BaseException as error:
        if client is not None:
            _drop(client)
        if isinstance(error, ImapRefused):
            raise ImapError(str(error)) from None
        raise


def _full_name(client: IMAPClient, folder: str) -> str:
    """A folder's full name, for servers that have all folders below INBOX (RFC 2342)."""
    with translating_errors("NAMESPACE"):
        personal = client.namespace().personal if client.has_capability("NAMESPACE") else None
    prefix = personal[0][0] if personal else ""
    return folder if folder.startswith(prefix) else f"{prefix}{folder}"


def _drop(client: IMAPClient) -> None:
    with contextlib.suppress(Exception):
        client.shutdown()
