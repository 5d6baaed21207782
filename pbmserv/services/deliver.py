"""Sending: what waits in the outbox is handed over at least once, with the Message-ID it was queued with.

One mail after the other over one connection, oldest first, MOST_IN_HAND of them leased and noted in one commit. A
mail that takes long keeps only those to the same recipient waiting: the others go on over a second connection, and
so on up to MOST_LANES. When mails that take long have all of these, the others wait until one of them ends, or has
had its fair time and is hung up on.
"""

import logging
from collections.abc import Callable, Sequence
from concurrent.futures import Future, wait
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from math import inf
from queue import SimpleQueue
from threading import Thread
from time import monotonic
from typing import Final

from sqlalchemy import Connection

from pbmserv.mail.log_words import Pairs, pairs
from pbmserv.mail.sending.destination import Transport
from pbmserv.mail.sending.transport import Batch, Closed, Deferred, Delivered, Failed, Outcome, Outgoing, Untried
from pbmserv.services.app import App
from pbmserv.services.bounces import count_refusal
from pbmserv.services.writer import deciding
from pbmserv.store import clocks, mail_history, outbox, retention
from pbmserv.store.bounces import BouncedMail
from pbmserv.store.engine import cause_of, is_database_trouble, reading, writing
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
        """Takes leave of a relay that nothing was brought to for this many seconds."""
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
    except BaseException as error:  # for the one who waits for the end
        end.set_exception(error)


def _deliver(road: Transport, batch: Batch) -> None:
    try:
        road.deliver(batch)
    except Exception as error:
        # No road raises; should one all the same, it must not keep all others from being sent.
        batch.withdraw()
        while len(batch.outcomes) < batch.begun:
            batch.end(Deferred(f"a fault of this server: {type(error).__name__}"))


LEASE: Final = timedelta(minutes=3)
"""How long a sender that died keeps the mails it had in hand from the others, and by how much the clocks of
several hosts may differ. A sender that lives renews its leases, however long a relay takes to answer."""

FIRST_WAIT: Final = timedelta(minutes=1)
LONGEST_WAIT: Final = timedelta(hours=6)
GIVE_UP_AFTER: Final = timedelta(days=5)


@dataclass(frozen=True, slots=True)
class RetryTimes:
    """How long a sender waits for what, in seconds.

    A mail is slow after `slow`, and hung up on after `longest`: more than a relay may take for all its replies,
    ten minutes of them for the one after the dot (RFC 5321 4.5.3.2). Where all lanes are taken and other mail is
    due, the one that was taken longest is hung up on after `fair` already. Leases are renewed each `renew`. A
    connection that nothing goes over is closed after `idle`. A way out that is closed is tried again after
    `first_pause`, doubling to `longest_pause`. Who ends waits `last` for what is on its way, hangs up, and waits
    that long again.
    """

    slow: float = 5.0
    longest: float = 1200.0
    fair: float = 60.0
    renew: float = 30.0
    idle: float = 30.0
    first_pause: float = 1.0
    longest_pause: float = 60.0
    last: float = 10.0


USUAL: Final = RetryTimes()


def next_wait(tries: int) -> timedelta:
    """How long to wait after this many tries: a minute, doubling to six hours.

    >>> [str(next_wait(tries)) for tries in (1, 2, 3, 20)]
    ['0:01:00', '0:02:00', '0:04:00', '6:00:00']
    """
    return min(FIRST_WAIT * (1 << min(tries - 1, 16)), LONGEST_WAIT)


def waited(tries: int) -> timedelta:
    """How long a mail was kept waiting between this many tries; counted so, a sender that slept costs none.

    >>> [str(waited(tries)) for tries in (1, 2, 3, 28)]
    ['0:00:00', '0:01:00', '0:03:00', '4 days, 20:31:00']
    """
    return sum(map(next_wait, range(1, tries)), timedelta())


def is_given_up(tries: int) -> bool:
    """Whether a mail that was deferred so often is given up.

    >>> is_given_up(28), is_given_up(29)
    (False, True)
    """
    return waited(tries) >= GIVE_UP_AFTER


BATCH: Final = 100
"""Mails tried before `send_due` returns."""

MOST_IN_HAND: Final = 10
"""Mails that go over one connection until they are noted: all may be sent again after a kill. They are fewer
where a relay takes its time, since none is begun a tenth of a second after the first."""

log = logging.getLogger(__name__)


MOST_LANES: Final = 4

MOST_REFUSALS: Final = 3
"""How often running a relay that has let us in may close itself to one mail, until it is thought to be that mail's
fault: it is deferred then, and no longer stands before all others."""

_A_MOMENT: Final = 1.0


class Sender:
    """Hands over what is due. For one thread; knows between two calls what the outbox could not be told yet."""

    def __init__(
        self,
        app: App,
        open_road: Callable[[], Transport],
        clock: Callable[[], datetime],
        patience: RetryTimes = USUAL,
    ) -> None:
        """`open_road` gives a way out of its own for each thread that sends."""
        self._app = app
        self._open_road = open_road
        self._clock = clock
        self._patience = patience
        self._lanes: list[DeliveryWorker] = []
        self._most = MOST_IN_HAND
        self._unnoted: list[tuple[QueuedMessage, Outcome]] = []
        self._refusals: dict[int, int] = {}
        self._pause = 0.0
        self._closed_until = 0.0
        self._refused = ""
        self._closed = ""

    @property
    def trouble(self) -> str:
        """Why nothing goes out at present; empty if something does, or would."""
        return self._closed or self._refused

    def send_due(self, stopping: Callable[[], bool] = lambda: False) -> int:
        """Tries the mails that are due, oldest first, and gives how many were taken in hand.

        What a relay takes long for is still in hand then; a later call, or `close`, notes what became of it.
        """
        begun = 0
        while True:
            self._look_after_lanes()
            may_lease = begun < BATCH and not stopping() and monotonic() >= self._closed_until
            lane = self._free_lane() or self._late_lane() if may_lease else None
            mails = self._note_and_lease(min(self._most, BATCH - begun) if lane else 0)
            if lane is None or not mails:
                return begun
            if lane.errand is not None:
                lane = self._cleared(lane)
            begun += self._carry(lane, mails, stopping)

    def seconds_of_rest(self) -> float:
        """How long there is nothing to do, as long as no other mail is queued."""
        if self._unnoted or any(lane.errand is not None for lane in self._lanes):
            return 0.0
        if (closed := self._closed_until - monotonic()) > 0:
            return closed
        with reading(self._app.engine) as connection:
            due = outbox.next_due(connection)
        return inf if due is None else (due - self._clock()).total_seconds()

    def close(self) -> None:
        """Waits a little for the mails on their way, hangs up on the rest, and notes what became of them.

        What hangs all the same keeps its lease until that ends. A later call of `send_due` begins anew.
        """
        on_their_way = [lane.errand.end for lane in self._lanes if lane.errand is not None]
        wait(on_their_way, self._patience.last)
        for lane in self._lanes:
            if lane.errand is not None and not lane.errand.end.done():
                lane.hang_up()
        wait(on_their_way, self._patience.last)
        try:
            self._look_after_lanes()
            self._note_and_lease(0)
        except Exception as error:
            if not is_database_trouble(error):
                raise
            told = pairs(count=len(self._unnoted), error=cause_of(error))
            log.warning("what became of mails could not be noted; they may be sent again %s", told)
        finally:
            self._end_lanes()

    def _carry(self, lane: DeliveryWorker, mails: Sequence[QueuedMessage], stopping: Callable[[], bool]) -> int:
        """Has mails carried until they are sent or it gets slow, and gives how many were begun."""
        errand = lane.carry(mails, stopping)
        wait([errand.end], self._patience.slow)
        errand.batch.withdraw()
        begun = errand.batch.begun
        self._unnoted += [(mail, Untried()) for mail in mails[begun:]]
        self._most = min(max(2 * begun, 1), MOST_IN_HAND)
        return begun

    def _end_lanes(self) -> None:
        for lane in self._lanes:
            lane.end()
        until = monotonic() + _A_MOMENT
        for lane in self._lanes:
            lane.wait_for_end(until - monotonic())
        self._lanes.clear()

    def _free_lane(self) -> DeliveryWorker | None:
        free = next((lane for lane in self._lanes if lane.errand is None), None)
        if free is None and len(self._lanes) < MOST_LANES:
            free = DeliveryWorker(self._open_road())
            self._lanes.append(free)
        return free

    def _late_lane(self) -> DeliveryWorker | None:
        """The lane that was taken longest, where that is longer than fair."""
        begun = {lane.errand.begun_at: lane for lane in self._lanes if lane.errand is not None}
        longest = min(begun, default=monotonic())
        return begun[longest] if monotonic() > longest + self._patience.fair else None

    def _cleared(self, late: DeliveryWorker) -> DeliveryWorker:
        """Hangs up on a lane, and gives it free; another in its place where it cannot even be hung up on."""
        errand = late.errand
        assert errand is not None
        late.hang_up()
        wait([errand.end], self._patience.slow)
        self._look_after_lanes()
        if late.errand is None:
            return late
        late.end()
        for mail in errand.on_their_way:
            self._take_outcome(mail, Deferred("it takes too long, and cannot be hung up on"))
        lane = DeliveryWorker(self._open_road())
        self._lanes[self._lanes.index(late)] = lane
        return lane

    def _take_outcome(self, mail: QueuedMessage, outcome: Outcome) -> None:
        self._note_relay(outcome)
        refusals = self._refusals.pop(mail.id, 0)
        if isinstance(outcome, Closed) and outcome.at_mail:
            refusals += 1
            if refusals >= MOST_REFUSALS:
                outcome, refusals = Deferred(outcome.reason), 0
        if refusals and isinstance(outcome, Closed):  # one who does not let us in has said nothing about the mail
            self._refusals[mail.id] = refusals
        self._unnoted.append((mail, outcome))

    def _look_after_lanes(self) -> None:
        for lane in self._lanes:
            for mail, outcome in lane.take_back():
                self._take_outcome(mail, outcome)
            if lane.errand is not None and monotonic() > lane.errand.begun_at + self._patience.longest:
                lane.hang_up()
            lane.rest(self._patience.idle)

    def _note_relay(self, outcome: Outcome) -> None:
        """What an outcome says about the relay; the operator learns of it once."""
        if isinstance(outcome, Closed):
            if not self._pause:
                log.error("the way out is closed, and mail waits %s", pairs(error=outcome.reason))
            self._closed = f"the way out is closed: {outcome.reason}"
            self._pause = min(max(self._pause * 2, self._patience.first_pause), self._patience.longest_pause)
            self._closed_until = monotonic() + self._pause
            return
        if self._pause:
            log.info("the way out is open again")
            self._pause = self._closed_until = 0.0
            self._closed = ""
        if isinstance(outcome, Deferred) and outcome.is_ours:
            if not self._refused:
                told = pairs(error=outcome.reason)
                log.error("the relay refuses what we send, which may be a setting here or there %s", told)
            self._refused = f"the relay refuses what we send: {outcome.reason}"
        elif isinstance(outcome, Delivered):
            self._refused = ""

    def _count_refusal(self, mail: QueuedMessage, reason: str, now: datetime) -> None:
        """By itself, so that no fault of ours in counting can undo what was noted, or end the sender."""
        try:
            with deciding(self._app, now) as work:
                count_refusal(work, BouncedMail(mail.id, mail.recipient), reason)
        except Exception as error:
            log.error("a refusal is not counted %s", pairs(out=mail.id, error=cause_of(error)))

    def _note_and_lease(self, count: int) -> list[QueuedMessage]:
        """Notes what became of mails, renews leases, and leases as many of the mails that are due; one commit."""
        errands = [lane.errand for lane in self._lanes if lane.errand is not None]
        old = [errand for errand in errands if monotonic() > errand.renewed_at + self._patience.renew]
        now = self._clock()
        if not (self._unnoted or old or (count and self._is_any_due(now))):
            return []
        on_their_way = [mail.recipient for errand in errands for mail in errand.on_their_way]
        with writing(self._app.engine) as connection:
            note(connection, self._unnoted, now)
            for errand in old:
                outbox.extend_leases(connection, errand.on_their_way, now + LEASE)
            mails = outbox.lease(connection, now, now + LEASE, count, on_their_way) if count else []
        noted, self._unnoted = self._unnoted, []
        for tried, outcome in noted:
            if isinstance(outcome, Failed) and outcome.refuses_recipient and tried.kind != "goodbye":
                self._count_refusal(tried, outcome.reason, now)
        for errand in old:
            errand.renewed_at = monotonic()
        return mails

    def _is_any_due(self, now: datetime) -> bool:
        """Without the lock that SQLite has for one writer."""
        with reading(self._app.engine) as connection:
            return outbox.is_any_due(connection, now)


def note(connection: Connection, outcomes: Sequence[tuple[QueuedMessage, Outcome]], now: datetime) -> None:
    """Writes down what became of mails. The clocks of the boards in those that were handed over begin."""
    sent = {mail.id: outcome.queue_id for mail, outcome in outcomes if isinstance(outcome, Delivered)}
    if sent:
        clocks.turns_delivered(connection, outbox.mark_sent(connection, [*sent], now), now)
        mail_history.note_queue_ids(connection, sent)
    for mail, outcome in outcomes:
        _note(connection, mail, outcome, now)
        if mail.kind == "goodbye":
            # Its recipient is forgotten: nothing may tell where they can be reached.
            retention.redact_sent(connection, mail.id, now)


def _note(connection: Connection, mail: QueuedMessage, outcome: Outcome, now: datetime) -> None:
    match outcome:
        case Delivered(queue):
            log.info("sent %s", _told(mail, queue=queue))
        case Untried():
            outbox.release(connection, mail, mail.error)
        case Closed(reason):
            outbox.release(connection, mail, reason)
        case Deferred(reason) if not is_given_up(mail.tries + 1):
            again = now + next_wait(mail.tries + 1)
            outbox.mark_deferred(connection, mail.id, reason, again)
            log.warning("deferred %s", _told(mail, again=again, error=reason))
        case Deferred(reason) | Failed(reason):
            outbox.mark_failed(connection, mail.id, reason)
            log.error("failed %s", _told(mail, error=reason))


def _told(mail: QueuedMessage, queue: str = "", again: datetime | None = None, error: str = "") -> Pairs:
    to, tries = "" if mail.kind == "goodbye" else mail.recipient, mail.tries + 1
    of = mail.inbox_id
    return pairs(out=mail.id, mail=of, to=to, board=mail.match, tries=tries, queue=queue, again=again, error=error)
