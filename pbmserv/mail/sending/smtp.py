"""Delivery to a mail relay by SMTP, over one connection for many mails."""

import contextlib
import re
import smtplib
import socket
import ssl
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from pbmserv.mail.reading.delivery_report import judge, stated
from pbmserv.mail.sending.transport import (
    Closed,
    Deferred,
    Delivered,
    Failed,
    Outcome,
    Outgoing,
    malformed,
    reason,
)

ABOUT_THE_SESSION = (  # and not about the mail, although said to MAIL
    421,  # the relay goes away (RFC 5321 3.8)
    503,  # commands out of order (RFC 5321 4.2.2)
    530,  # STARTTLS or AUTH wanted first (RFC 3207 4, RFC 4954 6)
)
END_OF_MAIL = 10  # RFC 5321 4.5.3.2: ten minutes for the reply after the dot, where other replies have one to five
POLITENESS = 5.0  # seconds that the reply to QUIT is worth
ABOUT_THE_MAIL = (
    (5, 3, 4),  # too large for the system (RFC 3463)
    (5, 2, 3),  # too large for the mailbox
    (5, 6, 7),  # non-ASCII addresses are not taken (RFC 6531 3.5)
)
MAILBOX = 2  # the subject of a status that is about a mailbox (RFC 3463 3.3)


@dataclass(frozen=True, slots=True)
class RelayAddress:
    """Where a relay is, our user there ("" for none), and how TLS begins."""

    host: str
    port: int
    user: str = ""
    tls: Literal["none", "starttls", "implicit"] = "starttls"


class Relay:
    """A relay to send through; connects when there is something to send. For one thread."""

    def __init__(self, address: RelayAddress, password: str, hostname: str, timeout: float) -> None:
        """`hostname` is what we call ourselves in EHLO; `timeout` (seconds) is for each step of a conversation."""
        self._address = address
        self._password = password
        self._hostname = hostname
        self._timeout = timeout
        self._link: smtplib.SMTP | None = None
        self._takes_mail = False
        self._hung_up = threading.Event()

    def deliver(self, mail: Outgoing) -> Outcome:
        """Hand one mail to the relay; whatever happens on the way is an Outcome.

        5xx is for good where it is about the recipient, the mail's size, or the mail itself; and the last only
        from a relay that has taken another mail since it refused one so. Elsewhere it is about us or our settings.
        Where the connection breaks after DATA nobody knows: Deferred, and the mail may come twice.
        """
        if flaw := malformed(mail):
            return Failed(flaw)
        self._hung_up.clear()  # what was said too late for one mail is not for the next
        is_used = self._link is not None
        outcome = self._try(mail)
        # A relay that wants no more mail over one connection says so to MAIL, and takes it over another.
        return self._try(mail) if is_used and isinstance(outcome, Closed) else outcome

    def close(self) -> None:
        """Disconnect from the relay. The next delivery connects again."""
        if self._link is not None:
            with contextlib.suppress(OSError):
                if self._link.sock is not None:
                    self._link.sock.settimeout(min(self._timeout, POLITENESS))
                self._link.quit()
            self._drop()

    def hang_up(self) -> None:
        """End the delivery that another thread is running, which makes it Deferred or Closed.

        At once, but where it waits for a name, for TCP or in a TLS handshake: there it ends with that step. No
        connection is made after it, and nothing more is read from one.
        """
        self._hung_up.set()
        link = self._link
        connection = None if link is None else link.sock
        if connection is not None:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def _try(self, mail: Outgoing) -> Outcome:
        try:
            link = self._open()
        except (OSError, ValueError) as error:  # all of smtplib's and ssl's are OSErrors; ValueError: no such host
            self._drop()
            return Closed(reason(error))
        try:
            return self._hand_over(link, mail)
        except (OSError, ValueError) as error:
            self._drop()
            return Deferred(reason(error))

    def _open(self) -> smtplib.SMTP:
        """A connection that is ready for a mail: the one in use if it still answers, or a new one."""
        if self._link is not None:
            with contextlib.suppress(OSError):
                if self._link.rset()[0] == 250:
                    return self._link
            self._drop()
        if self._hung_up.is_set():
            raise smtplib.SMTPServerDisconnected("hung up on")
        link = self._connect()
        self._introduce(link)
        return link

    def _connect(self) -> smtplib.SMTP:
        where = (self._address.host, self._address.port, self._hostname)
        if self._address.tls == "implicit":
            context = ssl.create_default_context()
            return TlsLink(self._begin, self._hung_up, *where, timeout=self._timeout, context=context)
        return Link(self._begin, self._hung_up, *where, timeout=self._timeout)

    def _begin(self, link: smtplib.SMTP) -> None:
        self._link = link

    def _introduce(self, link: smtplib.SMTP) -> None:
        greet(link)
        if self._address.tls == "starttls":
            link.starttls(context=ssl.create_default_context())  # raises where it is not offered: no downgrade
            greet(link)
        if self._address.user:
            log_in(link, self._address.user, self._password)

    def _hand_over(self, link: smtplib.SMTP, mail: Outgoing) -> Outcome:
        sender = mail.envelope_sender.removeprefix("<>")
        utf8 = not (sender + mail.recipient).isascii()
        if utf8 and not link.has_extn("smtputf8"):
            return Failed("the relay takes no non-ASCII address")
        raw = with_crlf(mail.raw)
        options = ["SMTPUTF8"] if utf8 else []
        if link.has_extn("8bitmime") and (utf8 or not raw.isascii()):
            options.append("BODY=8BITMIME")  # not offered: 8 bits go unannounced, most relays take them
        if link.has_extn("size"):
            options.append(f"SIZE={len(raw)}")
        code, text = link.mail(sender, options)
        if code in ABOUT_THE_SESSION:
            self._drop()
            # 530 is about our login whatever the mail.
            return Closed(reason(smtplib.SMTPResponseException(code, text)), at_mail=code != 530)
        if refused := refused_sender(code, text):
            return refused
        if refused := refused_recipient(*link.rcpt(mail.recipient)):
            return refused
        if link.sock is not None:
            link.sock.settimeout(self._timeout * END_OF_MAIL)
        try:
            refused = self._refused_mail(*link.data(raw))
        except smtplib.SMTPDataError as error:
            if error.smtp_code < 400:  # neither "go on" nor a refusal: who knows what it would take a mail for
                raise
            refused = self._refused_mail(error.smtp_code, error.smtp_error)
        if link.sock is not None:
            link.sock.settimeout(self._timeout)
        return refused or Delivered()

    def _refused_mail(self, code: int, text: bytes | str) -> Deferred | Failed | None:
        refused = refusal(code, text)
        if isinstance(refused, Failed) and not self._takes_mail:
            return Deferred(refused.reason, is_ours=True)
        if not isinstance(refused, Deferred):
            self._takes_mail = refused is None
        return refused

    def _drop(self) -> None:
        if self._link is not None:
            self._link.close()
            self._link = None


class Link(smtplib.SMTP):
    """A connection that can be ended while it waits for the greeting: smtplib connects and waits in one step."""

    def __init__(
        self, begin: Callable[[smtplib.SMTP], None], hung_up: threading.Event, *where: Any, **manner: Any
    ) -> None:
        """`begin` is told of it before it connects; `where` and `manner` are smtplib's own."""
        self._hung_up = hung_up
        begin(self)
        super().__init__(*where, **manner)

    def getreply(self) -> tuple[int, bytes]:
        """The next reply. Raises SMTPServerDisconnected where it was hung up before there was a socket to shut."""
        if self._hung_up.is_set():
            raise smtplib.SMTPServerDisconnected("hung up on")
        return super().getreply()


class TlsLink(Link, smtplib.SMTP_SSL):
    """The same, beginning with TLS."""


def greet(link: smtplib.SMTP) -> None:
    """Say EHLO and learn what the relay can do. Raises SMTPHeloError, where the relay does not greet back."""
    code, text = link.ehlo()
    if code != 250:
        raise smtplib.SMTPHeloError(code, text)


def log_in(link: smtplib.SMTP, user: str, password: str) -> None:
    """Log in at the relay. Raises SMTPException without the relay's text, which may repeat what we sent."""
    try:
        link.login(user, password)
    except (OSError, ValueError) as error:
        what = f"{type(error).__name__} {getattr(error, 'smtp_code', '')}"
        raise smtplib.SMTPException(f"login refused: {what}") from None


def refused_sender(code: int, text: bytes | str) -> Deferred | Failed | None:
    """What a reply to MAIL means for the mail, None for a yes. Raises as `refusal` does."""
    refused = refusal(code, text)
    if not isinstance(refused, Failed):
        return refused
    is_about_mail = code == 552 or stated(refused.reason) in ABOUT_THE_MAIL
    return refused if is_about_mail else Deferred(refused.reason, is_ours=True)


def refused_recipient(code: int, text: bytes | str) -> Deferred | Failed | None:
    """What a reply to RCPT means for the mail, None for a yes. Raises as `refusal` does.

    Many relays say only now what they have against the sender, or that they do not relay for us.
    """
    refused = refusal(code, text)
    if not isinstance(refused, Failed):
        return refused
    if judge("", refused.reason) == "hard":
        return Failed(refused.reason, refuses_recipient=True)
    status = stated(refused.reason)
    is_full = code == 552 or (status is not None and status[1] == MAILBOX)
    return refused if status in ABOUT_THE_MAIL else Deferred(refused.reason, is_ours=not is_full)


def refusal(code: int, text: bytes | str) -> Deferred | Failed | None:
    """What a reply to MAIL, RCPT, DATA or the mail says, None for a yes.

    Raises SMTPResponseException for a reply after which the connection is of no use: it says so, or is no reply.
    """
    if 200 <= code < 300:
        return None
    error = smtplib.SMTPResponseException(code, text)
    if code in ABOUT_THE_SESSION or not 400 <= code < 600:
        raise error
    return (Deferred if code < 500 else Failed)(reason(error))


def with_crlf(raw: bytes) -> bytes:
    r"""The mail with every line ended by CR LF, as SMTP wants it (RFC 5321 2.3.8); smtplib sends bytes as is.

    >>> with_crlf(b"a\nb\r\nc\rd")
    b'a\r\nb\r\nc\r\nd'
    """
    return re.sub(rb"\r\n|\r|\n", b"\r\n", raw)
