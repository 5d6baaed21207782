"""Mails to ourselves: they are handed to the relay, must come back, and tell who signed and judged them."""

import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Final

from pbmserv.commands.server import Server
from pbmserv.mail.reading.answered import DOCTOR_HEADER
from pbmserv.mail.reading.authentication import every_result
from pbmserv.mail.reading.headers import Headers
from pbmserv.mail.sending.destination import Transport
from pbmserv.mail.sending.message import Envelope, envelope_sender, message_id, write
from pbmserv.mail.sending.transport import Batch, Delivered, Outgoing
from pbmserv.rendering.markup import laid_out
from pbmserv.rendering.templates import render
from pbmserv.services.admin.doctor import compare_clocks, silent_parts
from pbmserv.services.admin.findings import Finding, Verdict, spell
from pbmserv.services.app import App
from pbmserv.services.compose import other_subject
from pbmserv.store import operating
from pbmserv.store.engine import reading, writing
from pbmserv.store.mail_history import find_received
from pbmserv.store.operating import WORKER, ReturnedMail, find_returned_mail

ONE_CLICK: Final = ("list-unsubscribe", "list-unsubscribe-post")
"""What a signature must cover for mail programs to show a button (RFC 8058, section 4)."""

_NAME: Final = re.compile(r"[A-Za-z0-9_.-]{1,250}")
_METHODS: Final = ("spf", "dkim", "dmarc")
_ADDRESS: Final = re.compile(r"\[(?:IPv6:)?([0-9a-fA-F.:]{7,45})\]")
_CLIENT: Final = re.compile(r"client-ip=([0-9a-fA-F.:]{7,45})")


@dataclass(frozen=True, slots=True)
class Signature:
    """A DKIM-Signature (RFC 6376, section 3.5), as far as it matters here."""

    domain: str
    selector: str
    covers: frozenset[str]
    """Headers, in lower case."""


def signatures(head: Headers) -> list[Signature]:
    """The signatures of a mail, the topmost first; those without a domain and a selector are left out."""
    found = []
    for value in head.every("dkim-signature"):
        tags = {
            name.strip().lower(): "".join(content.split())
            for name, _, content in (each.partition("=") for each in value.decode("latin-1").split(";"))
        }
        if all(_NAME.fullmatch(tags.get(tag, "")) for tag in "ds"):
            covers = frozenset(tags.get("h", "").lower().split(":"))
            found.append(Signature(tags["d"].lower().rstrip("."), tags["s"].lower(), covers))
    return found


def sending_address(head: Headers) -> IPv4Address | IPv6Address | None:
    """The public address from which our mail came to the server that judged it; None where it stayed at home."""
    told = [_CLIENT, *[_ADDRESS] * len(head.every("received"))]
    values = [head.first("received-spf"), *head.every("received")]
    for pattern, value in zip(told, values, strict=True):
        for found in pattern.findall(value.decode("latin-1")):
            try:
                address = ip_address(found)
            except ValueError:
                continue
            if address.is_global:
                return address
    return None


def see_judgement(head: Headers, server: Server) -> Finding:
    """What the mail's Authentication-Results say, and whether we believe their writer."""
    name, results = "authentication", every_result(head)
    believed = server.authserv_id.lower()
    told = results[0] if results else None
    if told is None:
        found = "nobody judges incoming mail: it has no Authentication-Results"
        if not believed:
            return Finding(name, Verdict.FINE, f"{found}, so every sender is asked for a yes")
        mend = 'let that server judge all mail, or set authserv_id = ""'
        return Finding(name, Verdict.ATTENTION, f"{found}, and authserv_id waits for those of {believed}", mend)
    judged = [(method, result) for method, result in told.results if method in _METHODS]
    words = " ".join(f"{method}={result}" for method, result in judged) or "nothing"
    figures: dict[str, object] = {"authserv_id": told.server, "results": dict(judged)}
    if failed := [method for method, result in judged if result in ("fail", "permerror", "softfail")]:
        mend = f"other servers will take our mail for spam: see what is said about {', '.join(failed)} here"
        return Finding(name, Verdict.ATTENTION, f"{told.server} says {words} of our own mail", mend, figures)
    found = f"{told.server} says {words}"
    if not believed:
        mend = (
            f'authserv_id = "{told.server}" would believe it, if all mail comes that way: docs, "Whom to believe"'
        )
        return Finding(name, Verdict.FINE, f"{found}; that is not believed", mend, figures)
    if believed not in {each.server for each in results}:
        mend = f'authserv_id = "{told.server}"'
        return Finding(name, Verdict.ATTENTION, f"{found}, but authserv_id waits for {believed}", mend, figures)
    return Finding(name, Verdict.FINE, f"{found}, and is believed", figures=figures)


def see_signature(head: Headers, server: Server, is_public: bool) -> Finding:
    """Whether the mail is signed in the name of our domain, and what the signature covers."""
    found = signatures(head)
    if not found:
        sign = "switch DKIM on at the provider, or sign with OpenDKIM or rspamd behind the relay"
        verdict = Verdict.ATTENTION if is_public else Verdict.FINE
        return Finding("DKIM", verdict, "our mail is not signed", sign if is_public else "")
    ours = [each for each in found if are_aligned(each.domain, server.domain)]
    figures: dict[str, object] = {"signatures": [f"{each.selector}._domainkey.{each.domain}" for each in found]}
    if not ours:
        domains = ", ".join(each.domain for each in found)
        mend = f"have it signed with d={server.domain} as well, else the signature does not count for DMARC"
        return Finding("DKIM", Verdict.ATTENTION, f"our mail is signed by {domains} alone", mend, figures)
    signed = f"signed with d={ours[0].domain} s={ours[0].selector}"
    wanted = [each for each in ONE_CLICK if head.every(each)]
    if missing := [each for each in wanted if not any(each in signature.covers for signature in ours)]:
        names = " and ".join(_title(each) for each in missing)
        mend = f"add {names} to SignHeaders (OpenDKIM) or sign_headers (rspamd), else there is no button to leave"
        return Finding("DKIM", Verdict.ATTENTION, f"{signed}, which does not cover {names}", mend, figures)
    return Finding("DKIM", Verdict.FINE, signed, figures=figures)


def see_mail_clock(head: Headers, sent_at: datetime, came_at: datetime) -> Finding | None:
    """Whether the clock of the server that took our mail last agrees with ours; None where it tells no time."""
    for moment in _times(head):
        return compare_clocks("mail clock", "the mail server's clock", moment, sent_at, came_at)
    return None


def are_aligned(one: str, other: str) -> bool:
    """Whether one of two domains is the other, or above it: what DMARC calls relaxed, near enough."""
    return one == other or one.endswith(f".{other}") or other.endswith(f".{one}")


def _times(head: Headers) -> Iterator[datetime]:
    for value in head.every("received")[:1]:
        try:
            time = parsedate_to_datetime(value.decode("latin-1").rpartition(";")[2].strip())
        except (ValueError, IndexError, OverflowError):
            continue
        if time.tzinfo is not None:
            yield time


def _title(header: str) -> str:
    return "-".join(each.capitalize() for each in header.split("-"))


LOOK_EVERY: Final = 0.25


@dataclass(frozen=True, slots=True)
class MailToSelf:
    """A mail to the server's own address, plain or with a tag."""

    word: str = field(repr=False)
    message_id: str
    mail: Outgoing


@dataclass(frozen=True, slots=True)
class Trip:
    """A mail to ourselves, and what came of it."""

    sent_at: datetime
    mail: MailToSelf | None
    """None: the relay did not take it."""
    returned: ReturnedMail | None = None
    refusal: str = ""
    """In one line, why the relay did not take it."""


def write_to_self(app: App, is_tagged: bool, now: datetime) -> MailToSelf:
    """A mail to our plain address, or to one with a tag; its word is known to the database from now on.

    It has the headers of a mail to a player, so that it is signed and judged as theirs are.
    """
    word, server = app.new_token(), app.server
    envelope = Envelope(
        server.tagged(f"d.{word}") if is_tagged else server.address,
        other_subject(server, "a mail to itself"),
        token="",
        thread_word=word,
        is_notice=True,
        unsubscribe="unsubscribe",
        leave_link=f"{server.site_url}/leave/{word}" if server.site_url else "",
    )
    raw = write(envelope, laid_out(render("mail/doctor.txt")), server, now)
    with writing(app.engine) as connection:
        operating.expect_doctor_mail(connection, word, now)
    marked = f"{DOCTOR_HEADER}: {word}\r\n".encode() + raw
    mail = Outgoing(envelope_sender(word, server), envelope.recipient, marked)
    return MailToSelf(word, message_id(envelope, server), mail)


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
    """The same once all have come back, or after these seconds; `waiting` gets how many have passed."""
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
        return Finding(
            name, Verdict.BROKEN, f"{address} cannot be reached: {reason or 'no reason is given'}", mend
        )
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
        reason = trip.returned.head.decode() or "no reason is given"
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
