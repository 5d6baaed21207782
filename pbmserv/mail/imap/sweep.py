"""Sweeping a mailbox: each mail in the folder is kept, then put away; once, whatever happens in between."""

import hashlib
import logging
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeVar

from pbmserv.commands.server import Server
from pbmserv.mail.imap.envelope import recipients_in
from pbmserv.mail.imap.mailbox import Mailbox, Mark, Refused
from pbmserv.mail.read import envelope_sender_of
from pbmserv.mail.reception import MOST_HOPS, hops, told

Keep = Callable[[bytes, str, tuple[str, ...], int | None], int]
"""(raw, envelope sender, recipients, full size): stores a mail for good and gives its number; raises where not.

The full size is None but for a mail that is too large, of which raw is the head. ToldToStop ends the sweep.
"""

PAGE: Final = 500
"""Mails that are listed, and told of, at a time."""

BATCH: Final = 50
BATCH_BYTES: Final = 4 * 2**20
MOST_TRIES: Final = 3
MOST_REMEMBERED: Final = 100_000

T = TypeVar("T")

log = logging.getLogger(__name__)


class ToldToStop(Exception):
    """The mail in hand was not kept, nor is any other: the server stops."""


class Sweeper:
    """What is known of a folder from one sweep, and one connection, to the next.

    A mail that was kept and could not be put away is not kept again. One that could not be fetched or kept is
    tried last and by itself, MOST_TRIES times until it is forgiven: the others come first, even if the server
    hangs up over it.
    """

    def __init__(self, server: Server, keep: Keep, max_size: int) -> None:
        self._server, self._keep, self._max_size = server, keep, max_size
        self._uidvalidity: int | None = None
        self._kept: set[int] = set()
        self._tries: Counter[int] = Counter()
        self._swept: Mark | None = None
        self._try_again_to_put_away = False
        self._has_told_of_refusal = False

    def start_over(self, forgive: bool = False) -> None:
        """The next sweep looks at everything, and tries again to put away what is still there."""
        self._swept = None
        self._try_again_to_put_away = True
        if not self._uidvalidity:
            # A server without UIDVALIDITY (RFC 3501 2.3.1.1) may give the UIDs of old mails to new ones.
            self._kept.clear()
        if forgive:
            self._tries.clear()
            self._has_told_of_refusal = False

    def sweep(self, mailbox: Mailbox, stop: threading.Event) -> None:
        """Goes on until there is nothing new in the folder. Raises what `mailbox` raises, and ToldToStop.

        It ends with a SELECT that shows nothing new: the server may tell of a mail only once, at the end of any
        command, where it would be overheard, but tells of all that come after a SELECT.
        """
        taken = 0
        while not stop.is_set():
            mark = mailbox.select()
            self._meet(mark.uidvalidity)
            if mark == self._swept:
                return
            fresh = self._fresh(mailbox, mark.exists)
            if fresh:
                self._take(mailbox, fresh[:PAGE], stop)
                taken += min(PAGE, len(fresh))
                if mark.exists > PAGE:
                    log.info("%d mails fetched, about %d to go", taken, mark.exists - PAGE)
            else:
                self._swept = mark

    def _meet(self, uidvalidity: int) -> None:
        if self._uidvalidity not in (None, uidvalidity):
            log.warning("the folder was made anew (UIDVALIDITY %s is now %s)", self._uidvalidity, uidvalidity)
        if self._uidvalidity != uidvalidity:
            self._uidvalidity = uidvalidity
            self._kept.clear()
            self._tries.clear()

    def _fresh(self, mailbox: Mailbox, exists: int) -> list[int]:
        """The UIDs of mails to be fetched: some of the first, or none when there is none in all the folder."""
        window = PAGE + len(self._kept)
        while True:
            is_all = window >= exists
            found = mailbox.listed(None if is_all else window)
            if is_all:
                self._kept.intersection_update(found)
            if self._try_again_to_put_away:
                self._try_again_to_put_away = not is_all
                self._put_away(mailbox, [uid for uid in found if uid in self._kept])
            fresh = [uid for uid in found if uid not in self._kept and self._tries[uid] < MOST_TRIES]
            if fresh or is_all:
                return fresh
            window *= 4

    def _take(self, mailbox: Mailbox, uids: Sequence[int], stop: threading.Event) -> None:
        sizes = _asked(mailbox.sizes, uids)
        self._tries.update(uid for uid in uids if uid not in sizes)
        for batch in self._batches([uid for uid in uids if uid in sizes], sizes):
            if stop.is_set():
                return
            self._take_batch(mailbox, batch, sizes)

    def _batches(self, uids: Sequence[int], sizes: dict[int, int]) -> Iterator[list[int]]:
        """All UIDs, in batches that fit into memory; by itself is what is too large or was tried before."""
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

    def _take_batch(self, mailbox: Mailbox, uids: Sequence[int], sizes: dict[int, int]) -> None:
        self._tries.update(uids)  # before: the server may hang up over one of them
        is_too_large = sizes[uids[0]] > self._max_size
        found = _asked(mailbox.heads if is_too_large else mailbox.bodies, uids)
        done = []
        for uid in uids:
            raw = found.get(uid)
            if raw is not None and (raw or not sizes[uid]) and self._keep_one(uid, raw, sizes[uid]):
                done.append(uid)
                self._kept.add(uid)
                del self._tries[uid]
            elif self._tries[uid] == MOST_TRIES:
                log.error("uid %d: not to be had after %d tries, tried again later", uid, MOST_TRIES)
        self._put_away(mailbox, done)

    def _keep_one(self, uid: int, raw: bytes, size: int) -> bool:
        """Whether the mail may now be put away."""
        name = f"uid {uid}: mail {hashlib.sha256(raw).hexdigest()[:12]} of {size} bytes"
        if hops(raw) > MOST_HOPS:
            log.warning("%s: more than %d hops, put away without being looked at", name, MOST_HOPS)
            return True
        full_size = max(size, len(raw)) if max(size, len(raw)) > self._max_size else None
        if full_size is not None:
            raw = _head(raw)
        try:
            number = self._keep(raw, envelope_sender_of(raw), recipients_in(raw, self._server), full_size)
        except ToldToStop:
            raise
        except Exception as error:  # one mail must not keep the others from being kept
            log.error("%s: not kept, %s", name, told(error))
            return False
        log.info("%s: kept as %d", name, number)
        return True

    def _put_away(self, mailbox: Mailbox, uids: Sequence[int]) -> None:
        if not uids:
            return
        try:
            mailbox.put_away(uids)
        except Refused as error:
            if len(uids) > 1:
                for uid in uids:
                    self._put_away(mailbox, [uid])
            elif not self._has_told_of_refusal:
                self._has_told_of_refusal = True
                log.warning("uid %d was kept but stays in the folder, as others may: %s", uids[0], error)
        if len(self._kept) > MOST_REMEMBERED:  # the oldest may be kept again, as duplicates
            self._kept = set(sorted(self._kept)[-MOST_REMEMBERED:])


def _asked(ask: Callable[[Sequence[int]], dict[int, T]], uids: Sequence[int]) -> dict[int, T]:
    """What is told of these mails; asked one by one where the server declines to tell of all."""
    try:
        return ask(uids)
    except Refused:
        if len(uids) == 1:
            return {}
        return {uid: answer for each in uids for uid, answer in _asked(ask, [each]).items()}


def _head(raw: bytes) -> bytes:
    """The headers alone."""
    end = min((end for blank in (b"\r\n\r\n", b"\n\n") if (end := raw.find(blank)) >= 0), default=len(raw))
    return raw[: end + 2]
