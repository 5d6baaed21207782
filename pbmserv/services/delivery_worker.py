"""A way out with a thread of its own: whoever sends can see to other things while a relay takes its time."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from queue import SimpleQueue
from threading import Thread
from time import monotonic

from pbmserv.mail.sending.destination import Transport
from pbmserv.mail.sending.transport import Batch, Deferred, Outcome, Outgoing
from pbmserv.store.outbox import QueuedMessage


@dataclass(slots=True)
class Delivery:
    """Mails on their way; moments are of the monotonic clock, in seconds."""

    mails: Sequence[QueuedMessage]
    batch: Batch
    end: Future[None]
    begun_at: float
    renewed_at: float
    taken: int = 0
    """How many outcomes were taken back."""

    @property
    def on_their_way(self) -> Sequence[QueuedMessage]:
        """The mails that were begun, and whose outcome nobody has taken back yet."""
        return self.mails[self.taken : self.batch.begun]

    def outcomes(self) -> list[tuple[QueuedMessage, Outcome]]:
        """The mails that have come to their outcome since this was asked last."""
        new = self.batch.outcomes[self.taken :]
        found = list(zip(self.on_their_way, new, strict=False))
        self.taken += len(new)
        return found


class DeliveryWorker:
    """A road and its thread, with one batch of mails on it at most. Used by one thread."""

    def __init__(self, road: Transport) -> None:
        self._road = road
        self._tasks: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        # Of its own and no executor's: the end of a process waits for those, however long a relay hangs.
        self._thread = Thread(target=_work, args=(self._tasks,), name="road", daemon=True)
        self._thread.start()
        self._is_open = False
        self._used_at = 0.0
        self.errand: Delivery | None = None

    def carry(self, mails: Sequence[QueuedMessage], stopping: Callable[[], bool]) -> Delivery:
        """Sets out with mails, and begins no other of them once it is `stopping`."""
        now = monotonic()
        batch = Batch([Outgoing(mail.envelope_sender, mail.recipient, mail.raw) for mail in mails], stopping)
        self.errand = Delivery(mails, batch, Future(), now, now)
        self._tasks.put(partial(_carry, self._road, batch, self.errand.end))
        self._is_open = True
        return self.errand

    def take_back(self) -> list[tuple[QueuedMessage, Outcome]]:
        """The mails that have come to their outcome, each once; the last of them ends the errand."""
        errand = self.errand
        if errand is None:
            return []
        if errand.end.done():
            self.errand = None
            self._used_at = monotonic()
            errand.end.result()
        return errand.outcomes()

    def hang_up(self) -> None:
        """Ends a delivery that takes too long."""
        self._road.hang_up()

    def rest(self, after: float) -> None:
        """Takes leave of a relay that nothing was brought to for so many seconds."""
        if self._is_open and self.errand is None and monotonic() > self._used_at + after:
            self._is_open = False
            self._tasks.put(self._road.close)

    def end(self) -> None:
        """Takes leave for good, once what is on its way has come to its outcome; waits for neither."""
        self._tasks.put(self._road.close)
        self._tasks.put(None)

    def wait_for_end(self, seconds: float) -> None:
        """Waits for what `end` has begun, so long at most; what hangs then is left to the end of the process."""
        self._thread.join(max(seconds, 0))


def _work(tasks: SimpleQueue[Callable[[], None] | None]) -> None:
    while (task := tasks.get()) is not None:
        with suppress(Exception):  # taking leave: whatever it was, the next mail connects anew
            task()


def _carry(road: Transport, batch: Batch, end: Future[None]) -> None:
    try:
        _deliver(road, batch)
        end.set_result(None)
    except BaseException as error:  # for whoever waits for the end
        end.set_exception(error)


def _deliver(road: Transport, batch: Batch) -> None:
    try:
        road.deliver(batch)
    except Exception as error:
        # No road raises; should one all the same, it must not keep all others from being sent.
        batch.withdraw()
        while len(batch.outcomes) < batch.begun:
            batch.end(Deferred(f"a fault of this server: {type(error).__name__}"))
