"""Mails to ourselves: they are handed to the relay, and must come back."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from pbmserv.mail.sending.destination import Transport
from pbmserv.mail.sending.transport import Batch, Delivered
from pbmserv.services.admin.doctor import silent_parts
from pbmserv.services.admin.findings import Finding, Verdict, spell
from pbmserv.services.app import App
from pbmserv.services.doctor_mail import MailToSelf, write_to_self
from pbmserv.store.engine import reading
from pbmserv.store.mail_history import find_received
from pbmserv.store.operating import WORKER, ReturnedMail, find_returned_mail

LOOK_EVERY: Final = 0.25


@dataclass(frozen=True, slots=True)
class Trip:
    """A mail to ourselves, and what came of it."""

    sent_at: datetime
    mail: MailToSelf | None
    """None: the relay did not take it."""
    returned: ReturnedMail | None = None
    refusal: str = ""
    """In one line, why the relay did not take it."""


def depart(app: App, transport: Transport, is_tagged: bool, clock: Callable[[], datetime]) -> Trip:
    """Hands a mail to ourselves to the relay."""
    mail = write_to_self(app, is_tagged, clock())
    batch, sent_at = Batch([mail.mail]), clock()
    transport.deliver(batch)
    outcome = batch.outcomes[0]
    if isinstance(outcome, Delivered):
        return Trip(sent_at, mail)
    return Trip(sent_at, None, refusal=getattr(outcome, "reason", "it was not tried"))


def wait_for(app: App, trips: Sequence[Trip], seconds: float, waiting: Callable[[int], None]) -> list[Trip]:
    """The same once all have come back, or after so many seconds; `waiting` is told how many have passed."""
    began = time.monotonic()
    while True:
        trips = [_looked_up(app, trip) for trip in trips]
        passed = time.monotonic() - began
        if all(trip.returned or trip.mail is None for trip in trips) or passed > seconds:
            return list(trips)
        waiting(round(passed))
        time.sleep(LOOK_EVERY)


def see_trip(app: App, trip: Trip, seconds: float, parts: Sequence[str], now: datetime) -> Finding:
    """Whether the mail to our plain address has come back. `parts` are those that have to run for that."""
    name, address = "mail to itself", app.server.address
    if trip.mail is None:
        mend = "see what is said about the relay above, and its log"
        return Finding(name, Verdict.BROKEN, f"the relay did not take it: {trip.refusal}", mend)
    back = trip.returned
    if back is not None and not back.is_report:
        # The clocks of two hosts may differ by a little.
        span = max(back.came_at - trip.sent_at, timedelta())
        figures: dict[str, object] = {"seconds": round(span.total_seconds(), 1)}
        return Finding(name, Verdict.FINE, f"came back after {spell(span)}", figures=figures)
    if back is not None:
        reason = back.head.decode()
        mend = f"see that the mailbox of {address} exists, and that the relay hands its mail there"
        return Finding(name, Verdict.BROKEN, f"{address} cannot be reached: {reason or 'no reason is told'}", mend)
    with reading(app.engine) as connection:
        is_stored = find_received(connection, address.lower(), trip.mail.message_id) is not None
        silent = silent_parts(connection, [WORKER] if is_stored else [*parts, WORKER], now)
    mend = "start the server: systemctl start pbmserv; journalctl -u pbmserv tells why it ended"
    if is_stored:
        found = f"has come in and is not handled after {seconds:g} seconds"
        mend = mend if silent else "see `pbmserv admin inbox --all` and the worker in journalctl -u pbmserv"
    else:
        found = f"is not back after {seconds:g} seconds"
        mend = mend if silent else "the relay took it: see its log, the spam folder of the mailbox, --wait 600"
    told = f"; {', '.join(silent)}" if silent else ""
    return Finding(name, Verdict.BROKEN, f"{found}{told}", mend, {"silent": silent, "stored": is_stored})


def see_tag(app: App, trip: Trip, plain: Trip, seconds: float) -> Finding:
    """Whether a mail to an address with a tag has come back, seen beside the one to our plain address."""
    name, server = "tagged address", app.server
    example = server.tagged("tag")
    lost = (
        'if the provider knows another sign, set it: delimiter = "-"; '
        'if it knows none: delimiter = "" (answers then prove the next move alone)'
    )
    if trip.returned is not None and not trip.returned.is_report:
        return Finding(name, Verdict.FINE, f"mail to {example} comes back")
    if trip.returned is not None:
        reason = trip.returned.head.decode() or "no reason is told"
        return Finding(name, Verdict.BROKEN, f"mail to {example} is refused: {reason}", lost)
    if trip.mail is None:
        return Finding(name, Verdict.BROKEN, f"the relay takes no mail to {example}: {trip.refusal}", lost)
    if plain.returned is None or plain.returned.is_report:
        return Finding(name, Verdict.ATTENTION, "nothing is known while the mail to itself does not come back")
    return Finding(name, Verdict.BROKEN, f"mail to {example} is lost: not back after {seconds:g} seconds", lost)


def _looked_up(app: App, trip: Trip) -> Trip:
    if trip.mail is None or trip.returned is not None:
        return trip
    with reading(app.engine) as connection:
        return Trip(trip.sent_at, trip.mail, find_returned_mail(connection, trip.mail.word))
