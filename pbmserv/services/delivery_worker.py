"""A way out with a thread of its own: whoever sends can see to other things while a relay takes its time."""

from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from queue import SimpleQueue
from threading import Thread
from time import monotonic

from pbmserv.mail.sending.destination import Transport
from pbmserv.mail.sending.transport import Deferred, Outcome, Outgoing
from pbmserv.store.outbox import QueuedMessage


@dataclass(slots=True)
class Delivery:
    """A mail on its way; moments are of the monotonic clock, in seconds."""

    mail: QueuedMessage
    outcome: Future[Outcome]
    begun_at: float
    renewed_at: float


class DeliveryWorker:
    """A road and its thread, with one mail on it at most. Used by one thread."""

    def __init__(self, road: Transport) -> None:
        self._road = road
        self._tasks: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        # Of its own and no executor's: the end of a process waits for those, however long a relay hangs.
        self._thread = Thread(target=_work, args=(self._tasks,), name="road", daemon=True)
        self._thread.start()
        self._is_open = False
        self._used_at = 0.0
        self.errand: Delivery | None = None

    def carry(self, mail: QueuedMessage) -> Delivery:
        """Sets out with a mail."""
        now = monotonic()
        outcome: Future[Outcome] = Future()
        self._tasks.put(partial(_carry, self._road, mail, outcome))
        self.errand = Delivery(mail, outcome, now, now)
        self._is_open = True
        return self.errand

    def take_back(self) -> tuple[QueuedMessage, Outcome] | None:
        """A mail that has come to its outcome, once; None while there is none."""
        if self.errand is None or not self.errand.outcome.done():
            return None
        done, self.errand = self.errand, None
        self._used_at = monotonic()
        return done.mail, done.outcome.result()

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


def _carry(road: Transport, mail: QueuedMessage, outcome: Future[Outcome]) -> None:
    try:
        outcome.set_result(_deliver(road, mail))
    except BaseException as error:  # for whoever waits for the outcome
        outcome.set_exception(error)


def _deliver(road: Transport, mail: QueuedMessage) -> Outcome:
    try:
        return road.deliver(Outgoing(mail.envelope_sender, mail.recipient, mail.raw))
    except Exception as error:
        # No road raises; should one all the same, it must not keep all others from being sent.
        return Deferred(f"a fault of this server: {type(error).__name__}")
