"""How the world reaches us: the pages by `site_url`, and the mailbox and the relay as the server opens them."""

import html
import http.client
import ssl
import urllib.error
import urllib.request
from collections.abc import Callable
from contextlib import closing
from typing import Final
from urllib.parse import urlsplit

from pbmserv.commands.server import Server
from pbmserv.mail.bounded_answers import bounded_response
from pbmserv.mail.mail_urls import MailboxAddress
from pbmserv.mail.receiving.imap_mailbox import (
    ImapError,
    ImapMailbox,
    ImapRefused,
    LoginRefused,
    UntrustedCertificate,
)
from pbmserv.mail.sending.destination import Transport
from pbmserv.mail.sending.smtp import Relay, RelayTrouble, rehearse
from pbmserv.services.admin.findings import Finding, Verdict

PATIENCE: Final = 10.0
"""Seconds without a byte of the answer."""

WHOLE_WITHIN: Final = 60.0
"""Seconds for all of it."""

MOST_BYTES: Final = 500_000


class _Connection(http.client.HTTPConnection):
    response_class = bounded_response(WHOLE_WITHIN, 2 * MOST_BYTES)


class _SecureConnection(http.client.HTTPSConnection):
    response_class = bounded_response(WHOLE_WITHIN, 2 * MOST_BYTES)


class _Plain(urllib.request.HTTPHandler):
    def http_open(self, request: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(_Connection, request)


class _Secure(urllib.request.HTTPSHandler):
    def https_open(self, request: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(_SecureConnection, request, context=ssl.create_default_context())


def see_pages(site_url: str, server: Server) -> Finding:
    """Whether the address of the pages answers with a page of ours. `site_url` is empty where none is set."""
    figures: dict[str, object] = {"site_url": site_url}
    if not site_url:
        return Finding("site_url", Verdict.FINE, "none is set: mails name no pages", figures=figures)
    host = urlsplit(site_url).hostname
    proxy = "see the web server in front of the pages, and whether `web` runs"
    try:
        page = _fetched(f"{site_url.rstrip('/')}/")
    except urllib.error.HTTPError as error:
        error.close()
        return Finding(
            "site_url", Verdict.BROKEN, f"{site_url} answers {error.code} {error.reason}", proxy, figures
        )
    except (OSError, http.client.HTTPException, ValueError) as error:
        cause = getattr(error, "reason", error)
        if isinstance(cause, ssl.SSLCertVerificationError):
            found = f"the certificate of {host} is not trusted: {cause.verify_message}"
            mend = "renew it, and see that it is for that name; visitors see a warning"
            return Finding("site_url", Verdict.BROKEN, found, mend, figures)
        words = getattr(cause, "strerror", None) or str(cause) or type(cause).__name__
        return Finding("site_url", Verdict.BROKEN, f"{site_url} does not answer: {words}", proxy, figures)
    if html.escape(server.address) not in page:
        found = f"{site_url} answers with a page that is not ours"
        return Finding("site_url", Verdict.BROKEN, found, f"let {host} hand on to `web`; {proxy}", figures)
    return Finding("site_url", Verdict.FINE, f"{site_url} shows our page", figures=figures)


def _fetched(url: str) -> str:
    request = urllib.request.Request(url, headers={"User-Agent": "pbmserv doctor"})  # noqa: S310 - the operator's
    with urllib.request.build_opener(_Plain, _Secure).open(request, timeout=PATIENCE) as answer:
        content: bytes = answer.read(MOST_BYTES)
        return content.decode("utf-8", "replace")


NO_MAILBOX = Finding("mailbox", Verdict.FINE, "none is set: mail comes by the listener or a pipe")

NO_RELAY = Finding("relay", Verdict.FINE, "none is set: mail is written to a folder, and nobody gets it")


def see_mailbox(open_mailbox: Callable[[], ImapMailbox], address: MailboxAddress, kept: str) -> Finding:
    """Whether we can log in to the mailbox and use its folders; `kept` is empty where fetched mail is deleted."""
    figures: dict[str, object] = {"mailbox": address.place}
    try:
        with closing(open_mailbox()) as mailbox:
            return _folders(mailbox, address, kept, figures)
    except LoginRefused as error:
        return Finding(
            "mailbox",
            Verdict.BROKEN,
            f"{address.place} refuses the login: {error}",
            "see the user in `imap` (@ is written %40) and `imap_password_file`; providers want an app password",
            figures,
        )
    except ImapError as error:
        words = str(error)
        mend = (
            "name the host in `imap` as its certificate does; name a private authority's file in SSL_CERT_FILE"
            if isinstance(error, UntrustedCertificate)
            else "see the host and the port in `imap`, and whether a firewall lets us through"
        )
        return Finding("mailbox", Verdict.BROKEN, f"{address.host}:{address.port}: {words}", mend, figures)


def _folders(mailbox: ImapMailbox, address: MailboxAddress, kept: str, figures: dict[str, object]) -> Finding:
    try:
        waiting = mailbox.select().exists
    except ImapRefused as error:
        return Finding(
            "mailbox",
            Verdict.BROKEN,
            f"{address.place} has no folder to read: {error}",
            "correct the folder at the end of `imap`",
            figures,
        )
    try:
        stored = mailbox.select(kept=True).exists if kept else 0
    except ImapRefused as error:
        return Finding(
            "mailbox",
            Verdict.BROKEN,
            f"{address.place} has no folder {kept} for fetched mail, and makes none: {error}",
            f'create {kept} by a mail program, name another in `imap_kept`, or set `imap_done = "delete"`',
            figures,
        )
    figures |= {"waiting": waiting, "kept": stored}
    told = f", {stored} in {kept}" if kept else ""
    return Finding(
        "mailbox",
        Verdict.FINE,
        f"{address.place} lets us in: {waiting} mails in the folder{told}",
        figures=figures,
    )


def see_relay(transport: Transport, place: str, server: Server) -> Finding:
    """Whether the relay lets us in, and takes a mail of ours to ourselves. `place` is what it is called."""
    if not isinstance(transport, Relay):
        return NO_RELAY
    sender = server.tagged("b.doctor")
    figures: dict[str, object] = {"relay": place}
    try:
        rehearse(transport, sender, server.address)
    except RelayTrouble as trouble:
        verdict = Verdict.ATTENTION if trouble.is_passing else Verdict.BROKEN
        return Finding("relay", verdict, f"{place}: {trouble}", trouble.mend, figures)
    finally:
        transport.close()
    return Finding("relay", Verdict.FINE, f"{place} takes mail from {sender}", figures=figures)
