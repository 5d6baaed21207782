"""The roads of mail: the mailbox and the relay, opened as the poller and the sender open them."""

from collections.abc import Callable
from contextlib import closing

from pbmserv.commands.server import Server
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
