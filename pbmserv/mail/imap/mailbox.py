"""One connection to a mailbox (IMAP, RFC 3501): what imapclient makes of it, with every failure as one of ours."""

import contextlib
import logging
import selectors
import ssl
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from imapclient import IMAPClient, SocketTimeout
from imapclient.exceptions import IMAPClientAbortError, IMAPClientError, IMAPClientReadOnlyError, LoginError

from pbmserv.mail.imap.address import MailboxAddress

CONNECT_WITHIN: Final = 10.0
READ_WITHIN: Final = 30.0
"""Seconds without a byte, while something is asked; searching or moving may take a busy provider some."""

CHECK_EVERY: Final = 4.0
"""Seconds of IDLE until the server must show that it is there.

A connection may be dead without the network telling, and a session that hangs keeps its connection: only an answer
proves anything. A check is 84 bytes with Dovecot, 1.8 MB a day and TLS around it. What providers
slow down is logging in again and again, and that it spares.
"""

POLL_EVERY: Final = 30.0
"""Seconds between two looks where there is no IDLE."""

LOOK_AROUND: Final = 0.25
MAX_HEAD: Final = 256 * 1024

log = logging.getLogger(__name__)


class Trouble(Exception):
    """The connection is of no use any more; the text says why, without secrets."""


class Silence(Trouble):
    """A server that idled did not answer in time."""


class LoginRefused(Trouble):
    """User and password are not taken; the text is the server's."""


class Refused(Exception):
    """The server declined one command, and the connection goes on; the text is the server's."""


@dataclass(frozen=True, slots=True)
class Filing:
    """What becomes of a mail that was kept: it is moved to a folder, or deleted."""

    done: Literal["move", "delete"] = "move"
    folder: str = "Kept"


@dataclass(frozen=True, slots=True)
class Mark:
    """How a folder stands: while it stays the same, no mail has come. `exists` counts the mails in it."""

    uidvalidity: int
    uidnext: int | None
    exists: int


class Mailbox:
    """A mailbox, logged in. For one thread. Each method may raise Trouble, and those that say so Refused."""

    def __init__(self, client: IMAPClient, folder: str, filing: Filing) -> None:
        self._client, self._folder, self._filing = client, folder, filing
        self._flagged: set[int] = set()
        self._may_delete = True
        with _asking("CAPABILITY"):
            self._can_move, self._can_expunge, self._can_idle = (
                client.has_capability(name) for name in ("MOVE", "UIDPLUS", "IDLE")
            )
        if filing.done == "move":
            self._kept = _full_name(client, filing.folder)
            self._make_folder()

    def select(self) -> Mark:
        """Looks at the folder as it is now. Raises Refused, as where there is no such folder."""
        with _asking("SELECT"):
            told = self._client.select_folder(self._folder)
            self._may_delete = rb"\Deleted" in told.get(b"PERMANENTFLAGS", (rb"\Deleted",))
            return Mark(told.get(b"UIDVALIDITY", 0), told.get(b"UIDNEXT"), told[b"EXISTS"])

    def listed(self, first: int | None = None) -> list[int]:
        """The UIDs of the mails that nobody has flagged as deleted, ascending; only of the `first` so many mails.

        imaplib takes no line of more than a million bytes: not the UIDs of a mailbox with 150,000 mails.
        """
        with _asking("SEARCH"):
            return sorted(self._client.search("UNDELETED" if first is None else f"1:{first} UNDELETED"))

    def sizes(self, uids: Sequence[int]) -> dict[int, int]:
        """The bytes of each mail, as far as the server tells. Raises Refused."""
        with _asking("FETCH"):
            found = self._client.fetch(uids, ["RFC822.SIZE"])
        return {uid: size for uid, told in found.items() if isinstance(size := told.get(b"RFC822.SIZE"), int)}

    def bodies(self, uids: Sequence[int]) -> dict[int, bytes]:
        """The mails themselves, without those of which no body came. They stay unread. Raises Refused."""
        return self._fetched(uids, "BODY.PEEK[]")

    def heads(self, uids: Sequence[int]) -> dict[int, bytes]:
        """Only the headers of mails, up to MAX_HEAD bytes. Raises Refused."""
        return self._fetched(uids, f"BODY.PEEK[HEADER]<0.{MAX_HEAD}>")

    def put_away(self, uids: Sequence[int]) -> None:
        """Moves mails that were kept to their folder, or deletes them; none other. Raises Refused."""
        if self._filing.done == "delete":
            self._delete(uids)
            return
        try:
            self._move(uids)
        except Refused:
            if not self._make_folder():
                raise
            self._move(uids)

    def wait(self, stop: threading.Event, patience: float) -> bool:
        """Waits for news, but CHECK_EVERY seconds at most (POLL_EVERY without IDLE); whether there may be some.

        `stop` ends it too. Afterwards the server has shown that it is there: Silence when it does not within
        `patience` seconds.
        """
        if not self._can_idle:
            stop.wait(POLL_EVERY)
            return True
        try:
            with _asking("IDLE", Silence):
                # For all that is read from here on; `idle_check` is not used, it cannot tell an end from silence.
                self._client.socket().settimeout(patience)
                self._client.idle()
                self._until_readable(stop)
                _, told = self._client.idle_done()
                self._client.socket().settimeout(READ_WITHIN)
        except Refused as error:
            # News before the `+` of IDLE, which imapclient does not expect, among others.
            raise Trouble(str(error)) from None
        return any(each[:1] != (b"OK",) for each in told)

    def close(self) -> None:
        """Takes leave, if the server still listens."""
        with contextlib.suppress(Exception):
            self._client.socket().settimeout(2.0)
            self._client.logout()
        _drop(self._client)

    def _fetched(self, uids: Sequence[int], part: str) -> dict[int, bytes]:
        with _asking("FETCH"):
            found = self._client.fetch(uids, [part])
        bodies = {}
        for uid, told in found.items():
            body = next((value for name, value in told.items() if name.startswith(b"BODY[")), None)
            if isinstance(body, bytes):
                bodies[uid] = body
        return bodies

    def _until_readable(self, stop: threading.Event) -> None:
        until = time.monotonic() + CHECK_EVERY
        with selectors.DefaultSelector() as selector:
            selector.register(self._client.socket(), selectors.EVENT_READ)
            while not stop.is_set() and time.monotonic() < until and not selector.select(LOOK_AROUND):
                pass

    def _make_folder(self) -> bool:
        try:
            with _asking("CREATE"):
                self._client.create_folder(self._kept)
        except Refused:  # mostly since it is there; where it may not be made, moving will be refused and told
            return False
        with contextlib.suppress(Refused), _asking("SUBSCRIBE"):
            self._client.subscribe_folder(self._kept)
        log.info("folder %r made", self._kept)
        return True

    def _move(self, uids: Sequence[int]) -> None:
        if self._can_move:
            with _asking("MOVE"):
                self._client.move(uids, self._kept)
            return
        self._require_deleting()  # or a copy would be made at each try
        with _asking("COPY"):
            self._client.copy(uids, self._kept)
        self._delete(uids)

    def _delete(self, uids: Sequence[int]) -> None:
        self._require_deleting()
        with _asking("STORE"):
            self._client.delete_messages(uids, silent=True)
        if self._can_expunge:
            with _asking("UID EXPUNGE"):
                self._client.uid_expunge(uids)
            return
        # EXPUNGE takes all that is flagged, and some may have been flagged by another, who can still change his
        # mind. What is left behind troubles nobody: `listed` does not list it.
        self._flagged.update(uids)
        with _asking("EXPUNGE"):
            if self._flagged.issuperset(self._client.search("DELETED")):
                self._client.expunge()
                self._flagged.clear()

    def _require_deleting(self) -> None:
        if not self._may_delete:
            raise Refused("no mail may be deleted from the folder")


def open_mailbox(address: MailboxAddress, password: str, filing: Filing) -> Mailbox:
    """Connects, with the certificate verified, and logs in. Raises Trouble, LoginRefused."""
    # Its debugging output holds mails.
    logging.getLogger("imapclient").setLevel(logging.WARNING)
    client = None
    try:
        with _asking("connecting"):
            client = IMAPClient(
                address.host,
                address.port,
                ssl=address.tls == "implicit",
                ssl_context=ssl.create_default_context() if address.tls == "implicit" else None,
                timeout=SocketTimeout(CONNECT_WITHIN, READ_WITHIN),
            )
            if address.tls == "starttls":
                client.starttls(ssl.create_default_context())
        _log_in(client, address.user, password)
        return Mailbox(client, address.folder, filing)
    except BaseException as error:
        if client is not None:
            _drop(client)
        if isinstance(error, Refused):
            raise Trouble(str(error)) from None
        raise


def _log_in(client: IMAPClient, user: str, password: str) -> None:
    with _asking("logging in"):
        try:
            if client.has_capability("AUTH=PLAIN"):
                client.plain_login(user, password)
            elif client.has_capability("LOGINDISABLED"):
                raise LoginRefused("it takes no login by password")
            elif not (user + password).isascii():
                raise LoginRefused("it takes no user or password that is not ASCII")
            else:
                client.login(_quoted(user), password)  # imaplib quotes the second only
        except LoginError as error:
            words = str(error)
            # imapclient makes a refused login of a lost connection too.
            if isinstance(error.__context__, IMAPClientAbortError) or "[UNAVAILABLE]" in words:
                raise Trouble(_told(words)) from None
            raise LoginRefused(_told(words.replace(password, "***"))) from None


def _full_name(client: IMAPClient, folder: str) -> str:
    """A folder's name as servers want it that have all folders below INBOX (RFC 2342)."""
    with _asking("NAMESPACE"):
        personal = client.namespace().personal if client.has_capability("NAMESPACE") else None
    prefix = personal[0][0] if personal else ""
    return folder if folder.startswith(prefix) else f"{prefix}{folder}"


@contextlib.contextmanager
def _asking(command: str, silence: type[Trouble] = Trouble) -> Iterator[None]:
    """Makes Trouble or Refused of whatever the library raises, over whatever bytes a server may send."""
    try:
        yield
    except (Trouble, Refused):
        raise
    except IMAPClientReadOnlyError:
        raise Trouble("the folder can only be read") from None
    except TimeoutError:
        raise silence(f"no answer to {command}") from None
    except ssl.SSLCertVerificationError as error:
        raise Trouble(f"its certificate is not trusted: {error.verify_message}") from None
    except (IMAPClientAbortError, OSError) as error:
        raise Trouble(f"{command}: {_told(error)}") from None
    except IMAPClientError as error:
        raise Refused(f"{command}: {_told(error)}") from None
    except Exception as error:
        raise Trouble(f"{command}: an answer that makes no sense ({type(error).__name__})") from None


def _told(words: Any) -> str:
    return "".join(each if each.isprintable() else " " for each in str(words))[:200]


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _drop(client: IMAPClient) -> None:
    with contextlib.suppress(Exception):
        client.shutdown()
