"""What the head of our own mail tells when it is back: who signed it, who judged it, and by which way it came."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Final

from pbmserv.commands.server import Server
from pbmserv.mail.reading.authentication import every_result
from pbmserv.mail.reading.headers import Headers
from pbmserv.services.admin.doctor import compare_clocks
from pbmserv.services.admin.findings import Finding, Verdict

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
    """What the mail's Authentication-Results say, and whether we believe whoever wrote them."""
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
    for time in _times(head):
        return compare_clocks("mail clock", "the mail server's clock", time, sent_at, came_at)
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
