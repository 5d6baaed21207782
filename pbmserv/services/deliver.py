"""Sending: what waits in the outbox is handed over at least once, with the Message-ID it was queued with.

One mail after the other over one connection, oldest first, MOST_IN_HAND of them leased and noted in one commit. A
mail that takes long keeps only those to the same recipient waiting: the others go on over a second connection, and
so on up to MOST_LANES. When mails that take long have all of these, the others wait until one of them ends, or has
had its fair time and is hung up on.
"""

import logging
from collections.abc import Callable, Sequence
from concurrent.futures import wait
from datetime import datetime
from math import inf
from time import monotonic
from typing import Final

from sqlalchemy import Connection

from pbmserv.mail.log_words import Pairs, pairs
from pbmserv.mail.sending.destination import Transport
from pbmserv.mail.sending.transport import Closed, Deferred, Delivered, Failed, Outcome, Untried
from pbmserv.services.app import App
from pbmserv.services.bounces import heed_refusal
from pbmserv.services.delivery_worker import DeliveryWorker
from pbmserv.services.retry_times import LEASE, USUAL, RetryTimes, is_given_up, next_wait
from pbmserv.services.writer import deciding
from pbmserv.store import clocks, mail_history, outbox, retention
from pbmserv.store.bounces import BouncedMail
from pbmserv.store.engine import cause_of, is_database_trouble, reading, writing
from pbmserv.store.outbox import QueuedMessage

BATCH: Final = 100
"""Mails tried before `send_due` returns."""

MOST_IN_HAND: Final = 10
"""Mails that go over one connection until they are noted: so many may be sent again after a kill. They are fewer
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
        self._heed(outcome)
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

    def _heed(self, outcome: Outcome) -> None:
        """What an outcome says about the relay; the operator is told once."""
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
                heed_refusal(work, BouncedMail(mail.id, mail.recipient), reason)
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
            # Whoever it went to is forgotten: nothing may tell where they can be reached.
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
