"""Fetches mails from a mailbox: each is stored, then moved away. Recipients are read from the headers, since a
mailbox keeps no envelope."""

import logging
import re
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeVar

from pbmserv.commands.server import Server
from pbmserv.mail.log_words import pairs
from pbmserv.mail.reading.headers import MOST_HOPS, count_hops, envelope_sender_of, parse_head
from pbmserv.mail.receiving.imap_mailbox import ImapMailbox, ImapRefused, MessageKey
from pbmserv.mail.receiving.smtp_handler import (
    MOST_RECIPIENTS,
    describe_error,
    short_digest,
)

RECIPIENT_HEADERS: Final = ("delivered-to", "x-original-to", "envelope-to", "x-envelope-to", "to", "cc")
"""Headers written by mail servers come before those written by the sender."""

MAX_HEAD: Final = 512 * 1024

_ADDRESS: Final = re.compile(rb"[!#-'*+\--9=?A-Z^-~]{1,255}@[A-Za-z0-9.-]{1,253}")


def recipients_in(raw: bytes, server: Server) -> tuple[str, ...]:
    """Our addresses, with their tags, that a mail was sent to; the plain one if it names none.

    >>> recipients_in(b"To: Club <pbm+t1@club.test>, bob@club.test\\r\\n\\r\\n", Server("pbm@club.test"))
    ('pbm+t1@club.test',)
    """
    head = raw[:MAX_HEAD].replace(b"\r\n", b"\n")
    headers, _ = parse_head(head, 0, len(head))
    found = (
        address.decode("ascii")
        for name in RECIPIENT_HEADERS
        for value in headers.every(name)
        for address in _ADDRESS.findall(value)
    )
    ours = dict.fromkeys(address for address in found if server.takes(address))
    return tuple(ours)[:MOST_RECIPIENTS] or (server.address,)


StoreMail = Callable[[bytes, str, tuple[str, ...], int | None], int]
"""(raw, envelope sender, recipients, full size): stores a mail durably and gives its id, or raises.

If a mail is too large, raw is its head and the full size is set; otherwise that is None. ShutdownRequested ends
the fetch.
"""

PAGE: Final = 500
"""Mails listed, and logged, at a time."""

BATCH: Final = 50
BATCH_BYTES: Final = 4 * 2**20
MOST_TRIES: Final = 3
MOST_REMEMBERED: Final = 100_000

Value = TypeVar("Value")

log = logging.getLogger(__name__)


class ShutdownRequested(Exception):
    """The server stops: neither this mail nor any other is stored."""


class MailFetcher:
    """Fetches new mails of one folder, and remembers its state across fetches and connections.

    A mail that was stored but could not be moved away is not stored again. One that could not be fetched or stored
    is tried after all others, by itself and at most MOST_TRIES times, in case the server disconnects over it.
    """

    def __init__(self, server: Server, store: StoreMail, max_size: int) -> None:
        self._server, self._store, self._max_size = server, store, max_size
        self._uidvalidity: int | None = None
        self._stored: set[int] = set()
        self._tries: Counter[int] = Counter()
        self._finished_at: MessageKey | None = None
        self._retry_put_away = False
        self._has_logged_refusal = False

    def start_over(self, retry_failed: bool = False) -> None:
        """The next fetch checks everything, and tries again to move away what is still there.

        With `retry_failed`, also try the mails that failed.
        """
        self._finished_at = None
        self._retry_put_away = True
        if not self._uidvalidity:
            # A server without UIDVALIDITY (RFC 3501 2.3.1.1) may give the UIDs of old mails to new ones.
            self._stored.clear()
        if retry_failed:
            self._tries.clear()
            self._has_logged_refusal = False

    def fetch_new(self, mailbox: ImapMailbox, stop: threading.Event) -> None:
        """Fetches until the folder has nothing new. Raises what `mailbox` raises, and ShutdownRequested.

        It ends with a SELECT that shows nothing new. A server may announce a mail only once, at the end of any
        command, where we would miss it; but it announces all mails that arrive after a SELECT.
        """
        fetched = 0
        while not stop.is_set():
            mark = mailbox.select()
            self._note_uidvalidity(mark.uidvalidity)
            if mark == self._finished_at:
                return
            not_fetched = self._not_fetched(mailbox, mark.exists)
            if not_fetched:
                self._fetch_page(mailbox, not_fetched[:PAGE], stop)
                fetched += min(PAGE, len(not_fetched))
                if mark.exists > PAGE:
                    log.info("mails are being fetched %s", pairs(count=fetched, left=mark.exists - PAGE))
            else:
                self._finished_at = mark

    def _note_uidvalidity(self, uidvalidity: int) -> None:
        if self._uidvalidity not in (None, uidvalidity):
            log.warning("the folder of the mailbox was made anew: another UIDVALIDITY")
        if self._uidvalidity != uidvalidity:
            self._uidvalidity = uidvalidity
            self._stored.clear()
            self._tries.clear()

    def _not_fetched(self, mailbox: ImapMailbox, exists: int) -> list[int]:
        """The UIDs of some of the first mails to fetch; empty only if the whole folder has none."""
        window = PAGE + len(self._stored)
        while True:
            is_all = window >= exists
            found = mailbox.listed(None if is_all else window)
            if is_all:
                self._stored.intersection_update(found)
            if self._retry_put_away:
                self._retry_put_away = not is_all
                self._put_away(mailbox, [uid for uid in found if uid in self._stored])
            not_fetched = [uid for uid in found if uid not in self._stored and self._tries[uid] < MOST_TRIES]
            if not_fetched or is_all:
                return not_fetched
            window *= 4

    def _fetch_page(self, mailbox: ImapMailbox, uids: Sequence[int], stop: threading.Event) -> None:
        sizes = _one_by_one_if_refused(mailbox.sizes, uids)
        self._tries.update(uid for uid in uids if uid not in sizes)
        for batch in self._batches([uid for uid in uids if uid in sizes], sizes):
            if stop.is_set():
                return
            self._fetch_batch(mailbox, batch, sizes)

    def _batches(self, uids: Sequence[int], sizes: dict[int, int]) -> Iterator[list[int]]:
        """All UIDs, in batches that fit into memory. Mails that are too large or have failed come one by one."""
        batch: list[int] = []
        for uid in sorted(uids, key=lambda uid: (self._tries[uid], uid)):
            is_alone = sizes[uid] > self._max_size or self._tries[uid] > 0
            is_full = len(batch) == BATCH or sizes[uid] + sum(sizes[each] for each in batch) > BATCH_BYTES
            if batch and (is_alone or is_full):
                yield batch
                batch = []
            batch.append(uid)
            if is_alone:
                yield batch
                batch = []
        if batch:
            yield batch

    def _fetch_batch(self, mailbox: ImapMailbox, uids: Sequence[int], sizes: dict[int, int]) -> None:
        self._tries.update(uids)  # before the fetch: the server may disconnect over one of them
        is_too_large = sizes[uids[0]] > self._max_size
        found = _one_by_one_if_refused(mailbox.heads if is_too_large else mailbox.bodies, uids)
        done = []
        for uid in uids:
            raw = found.get(uid)
            if raw is not None and (raw or not sizes[uid]) and self._store_one(uid, raw, sizes[uid]):
                done.append(uid)
                self._stored.add(uid)
                del self._tries[uid]
            elif self._tries[uid] == MOST_TRIES:
                log.error("a mail is not to be had, tried again later %s", pairs(uid=uid, tries=MOST_TRIES))
        self._put_away(mailbox, done)

    def _store_one(self, uid: int, raw: bytes, size: int) -> bool:
        """Stores a mail; gives whether it may now be moved away."""
        if count_hops(raw) > MOST_HOPS:
            told = pairs(uid=uid, digest=short_digest(raw), size=size, most=MOST_HOPS)
            log.warning("a mail that goes round in circles was moved away unread %s", told)
            return True
        full_size = max(size, len(raw)) if max(size, len(raw)) > self._max_size else None
        if full_size is not None:
            raw = _head(raw)
        try:
            number = self._store(raw, envelope_sender_of(raw), recipients_in(raw, self._server), full_size)
        except ShutdownRequested:
            raise
        except Exception as error:  # one mail must not stop the others
            told = pairs(uid=uid, digest=short_digest(raw), size=size, error=describe_error(error))
            log.error("a mail was not stored %s", told)
            return False
        log.info("stored %s", pairs(mail=number, uid=uid, size=size))
        return True

    def _put_away(self, mailbox: ImapMailbox, uids: Sequence[int]) -> None:
        if not uids:
            return
        try:
            mailbox.put_away(uids)
        except ImapRefused as error:
            if len(uids) > 1:
                for uid in uids:
                    self._put_away(mailbox, [uid])
            elif not self._has_logged_refusal:
                self._has_logged_refusal = True
                told = pairs(uid=uids[0], error=str(error))
                log.warning("a mail was stored but stays in the folder, as others may %s", told)
        if len(self._stored) > MOST_REMEMBERED:  # the oldest may be stored again, as duplicates
            self._stored = set(sorted(self._stored)[-MOST_REMEMBERED:])


def _one_by_one_if_refused(
    ask: Callable[[Sequence[int]], dict[int, Value]], uids: Sequence[int]
) -> dict[int, Value]:
    """The server's answers for these mails, asked one by one if it refuses to answer for all."""
    try:
        return ask(uids)
    except ImapRefused:
        if len(uids) == 1:
            return {}
        return {uid: answer for each in uids for uid, answer in _one_by_one_if_refused(ask, [each]).items()}


def _head(raw: bytes) -> bytes:
    """The headers alone."""
    end = min((end for blank in (b"\r\n\r\n", b"\n\n") if (end := raw.find(blank)) >= 0), default=len(raw))
    return raw[: end + 2]
