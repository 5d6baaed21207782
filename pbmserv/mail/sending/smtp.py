"""Delivery to a mail relay by SMTP, over one connection for many mails, and its rehearsal for `doctor`."""

import contextlib
import io
import re
import smtplib
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, Final

from pbmserv.mail.bearer import Credential
from pbmserv.mail.bounded_answers import BoundedReader
from pbmserv.mail.mail_urls import RelayAddress as RelayAddress
from pbmserv.mail.sending.replies import GO_ON, queue_id, refused_mail, refused_recipient, refused_sender
from pbmserv.mail.sending.smtp_login import log_in, words_of
from pbmserv.mail.sending.transport import (
    Batch,
    Closed,
    Deferred,
    Delivered,
    Failed,
    Outcome,
    Outgoing,
    malformed,
    reason,
)

END_OF_MAIL: Final = 10
"""RFC 5321 4.5.3.2: ten minutes for the reply after the dot, where other replies have one to five."""

MOST_OF_A_REPLY: Final = 2**17
"""Octets; a line of a reply has 512 (RFC 5321 4.5.3.1.5)."""

POLITENESS: Final = 5.0
"""Seconds that the reply to QUIT is worth."""

ONE_BY_ONE_FOR: Final = 600.0
"""Seconds without PIPELINING after a connection that broke with it: some relays offer what they cannot do."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A mail as it is said to a relay: MAIL, RCPT and DATA, then what follows them."""

    commands: tuple[bytes, bytes, bytes]
    data: bytes = field(repr=False)


def _prepare(link: smtplib.SMTP, mail: Outgoing) -> Prepared | None:
    """A mail for the relay at the other end; None if that takes no such address."""
    sender = mail.envelope_sender.removeprefix("<>")
    utf8 = not (sender + mail.recipient).isascii()
    if utf8 and not link.has_extn("smtputf8"):
        return None
    data = _wire_form(mail.raw)
    options = " SMTPUTF8" if utf8 else ""
    if link.has_extn("8bitmime") and (utf8 or not data.isascii()):
        options += " BODY=8BITMIME"  # not offered: 8 bits go unannounced, most relays take them
    if link.has_extn("size"):
        options += f" SIZE={len(data)}"
    begin, recipient = f"mail FROM:<{sender}>{options}\r\n", f"rcpt TO:<{mail.recipient}>\r\n"
    return Prepared((begin.encode(), recipient.encode(), b"data\r\n"), data)


def _wire_form(raw: bytes) -> bytes:
    r"""The mail with every line ended by CR LF, as SMTP wants it (RFC 5321 2.3.8).

    >>> _wire_form(b"a\nb\r\nc\rd")
    b'a\r\nb\r\nc\r\nd\r\n'
    """
    lines = raw.count(b"\r\n")
    if not lines == raw.count(b"\n") == raw.count(b"\r"):
        raw = re.sub(rb"\r\n|\r|\n", b"\r\n", raw)
    return raw if raw.endswith(b"\r\n") else raw + b"\r\n"


def _dotted(data: bytes) -> bytes:
    r"""A mail as it goes after DATA, its end included (RFC 5321 4.5.2).

    >>> _dotted(b".a\r\n..b\r\n")
    b'..a\r\n...b\r\n.\r\n'
    """
    return (b"." if data.startswith(b".") else b"") + data.replace(b"\r\n.", b"\r\n..") + b".\r\n"


class PipeliningBrokenError(Exception):
    """A connection broke over several commands at once, before anything of the mail itself was sent."""


class Relay:
    """A relay to send through; connects when there is something to send. For one thread.

    A relay that offers PIPELINING (RFC 2920) gets MAIL, RCPT and DATA at once, and those of the next mail together
    with the end of the one before. So a mail takes one round trip, and the fate of one mail at most is unknown.
    """

    def __init__(self, address: RelayAddress, password: Credential, hostname: str, timeout: float) -> None:
        """`hostname` is what we call ourselves in EHLO; `timeout` (seconds) is for each step of a conversation."""
        self._address = address
        self._password = password
        self._hostname = hostname
        self._timeout = timeout
        self._link: smtplib.SMTP | None = None
        self._announced: Prepared | None = None
        self._one_by_one_until = 0.0
        self._hung_up = threading.Event()

    def deliver(self, batch: Batch) -> None:
        """Hand mails over to the relay; whatever happens on the way is an Outcome.

        5xx is for good where it is about the recipient, or the mail's size or form. Elsewhere it is about us.
        Where the connection breaks after DATA nobody knows: Deferred, and the mail may come twice.
        """
        self._hung_up.clear()  # what was said too late for one mail is not for the next
        try:
            while (mail := batch.begin()) is not None:
                flaw = malformed(mail)
                batch.end(Failed(flaw) if flaw else self._deliver(mail, batch))
        finally:
            if self._announced is not None:  # it was withdrawn, and whatever we say now would be taken for it
                self._drop()

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

    def _deliver(self, mail: Outgoing, batch: Batch) -> Outcome:
        is_used = self._link is not None
        outcome = self._try(mail, batch)
        # A relay that wants no more mail over one connection says so to MAIL, and takes it over another.
        return self._try(mail, batch) if is_used and isinstance(outcome, Closed) else outcome

    def _try(self, mail: Outgoing, batch: Batch) -> Outcome:
        try:
            link = self.ready()
        except (OSError, ValueError) as error:
            self._drop()
            return Closed(f"{self._address.host}:{self._address.port}: {words_of(error).found}")
        try:
            return self._hand_over(link, mail, batch)
        except PipeliningBrokenError:
            self._drop()
            self._one_by_one_until = monotonic() + ONE_BY_ONE_FOR
            return self._try(mail, batch)
        except (OSError, ValueError) as error:
            self._drop()
            return Deferred(reason(error))

    def ready(self) -> smtplib.SMTP:
        """A connection that is ready for a mail: the one in use if it still answers, or a new one.

        Raises what smtplib and ssl raise, which are OSErrors; ValueError: no such host.
        """
        if self._link is not None:
            if self._announced is not None:
                return self._link
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
            log_in(link, self._address, self._password)

    def _hand_over(self, link: smtplib.SMTP, mail: Outgoing, batch: Batch) -> Outcome:
        announced, self._announced = self._announced, None
        prepared = announced or _prepare(link, mail)
        if prepared is None:
            return Failed("the relay takes no non-ASCII address")
        is_pipelined = announced is not None or self._pipelines(link)
        replies = (link.getreply() if is_pipelined else ask(link, each) for each in prepared.commands)
        try:
            if is_pipelined and announced is None:
                link.send(b"".join(prepared.commands))
            refused = self._refused_envelope(replies)
        except OSError as error:
            if is_pipelined and is_broken(error) and not self._hung_up.is_set():
                raise PipeliningBrokenError from error
            raise
        if isinstance(refused, Closed):
            self._drop()
        elif refused is not None and is_pipelined:
            self._read_rest(replies)
        return refused or self._hand_over_data(link, prepared.data, self._next_after(link, batch))

    def _refused_envelope(self, replies: Iterator[tuple[int, bytes]]) -> Closed | Deferred | Failed | None:
        if refused := refused_sender(*next(replies)) or refused_recipient(*next(replies)):
            return refused
        code, text = next(replies)
        if code == GO_ON:
            return None
        if code < 400:  # neither "go on" nor a refusal: who knows what it would take a mail for
            raise smtplib.SMTPResponseException(code, text)
        return refused_mail(code, text)

    def _read_rest(self, replies: Iterator[tuple[int, bytes]]) -> None:
        """Read the other replies to a refused envelope. A relay that now waits for a mail must not get one."""
        try:
            is_ready = GO_ON not in [code for code, _ in replies]
        except OSError:
            is_ready = False
        if not is_ready:
            self._drop()

    def _next_after(self, link: smtplib.SMTP, batch: Batch) -> Prepared | None:
        """The next mail, if the relay can be told of it already."""
        following = batch.look_ahead() if self._pipelines(link) else None
        return None if following is None or malformed(following) else _prepare(link, following)

    def _hand_over_data(self, link: smtplib.SMTP, data: bytes, following: Prepared | None) -> Outcome:
        if link.sock is not None:
            link.sock.settimeout(self._timeout * END_OF_MAIL)
        link.send(_dotted(data) + b"".join(following.commands if following else ()))
        code, text = link.getreply()
        refused = refused_mail(code, text)
        if link.sock is not None:
            link.sock.settimeout(self._timeout)
        self._announced = following
        return refused or Delivered(queue_id(text))

    def _pipelines(self, link: smtplib.SMTP) -> bool:
        return link.has_extn("pipelining") and monotonic() >= self._one_by_one_until

    def _drop(self) -> None:
        self._announced = None
        if self._link is not None:
            self._link.close()
            self._link = None


class Link(smtplib.SMTP):
    """A connection that can be ended while it waits for the greeting: smtplib connects and waits in one step."""

    def __init__(
        self, begin: Callable[[smtplib.SMTP], None], hung_up: threading.Event, *where: Any, **manner: Any
    ) -> None:
        """`begin` gets it before it connects; `where` and `manner` are smtplib's own."""
        self._hung_up = hung_up
        begin(self)
        super().__init__(*where, **manner)

    def getreply(self) -> tuple[int, bytes]:
        """The next reply, whole within the timeout of its step. Raises SMTPServerDisconnected where it is not, or
        was hung up on before there was a socket to shut."""
        if self._hung_up.is_set():
            raise smtplib.SMTPServerDisconnected("hung up on")
        if self.sock is not None:
            if self.file is None:
                self._reader = BoundedReader(self.sock)
                self.file = io.BufferedReader(self._reader)
            self._reader.begin(self.sock.gettimeout() or self.timeout, MOST_OF_A_REPLY)
        return super().getreply()


class TlsLink(Link, smtplib.SMTP_SSL):
    """The same, beginning with TLS."""


def ask(link: smtplib.SMTP, command: bytes) -> tuple[int, bytes]:
    """Send one command and read the reply."""
    link.send(command)
    return link.getreply()


def is_broken(error: OSError) -> bool:
    """Whether a conversation ended without a reply that a relay may give to an envelope."""
    return not isinstance(error, smtplib.SMTPResponseException) or error.smtp_code not in (421, 530)


def greet(link: smtplib.SMTP) -> None:
    """Say EHLO and learn what the relay can do. Raises SMTPHeloError, where the relay does not greet back."""
    code, text = link.ehlo()
    if code != 250:
        raise smtplib.SMTPHeloError(code, text)


class RelayTrouble(Exception):
    """What a relay does not do. The message is one line without a secret."""

    def __init__(self, found: str, mend: str, is_passing: bool = False) -> None:
        """`found` says what happens, `mend` what helps against it; `is_passing`: the relay says to try again."""
        super().__init__(found)
        self.mend = mend
        self.is_passing = is_passing


def rehearse(relay: Relay, sender: str, recipient: str) -> None:
    """Connects, logs in, names sender and recipient, and takes both back (RSET). Raises RelayTrouble."""
    try:
        link = relay.ready()
    except (OSError, ValueError) as error:
        raise RelayTrouble(*words_of(error)) from None
    try:
        code, words = link.mail(sender)
        if code >= 400:
            raise RelayTrouble(
                f"does not take our envelope sender {sender}: {_said(code, words)}",
                "allow the relay's user to send as `address`, or set `address` to that of the relay's account",
                is_passing=code < 500,
            )
        code, words = link.rcpt(recipient)
        if code >= 400:
            raise RelayTrouble(
                f"does not take mail to our own address {recipient}: {_said(code, words)}",
                "see whether the mailbox `address` exists, and whether the relay takes mail for it from here",
                is_passing=code < 500,
            )
        link.rset()
    except OSError as error:
        raise RelayTrouble(f"ends the conversation: {reason(error)}", "see the relay's log") from None


def _said(code: int, words: bytes) -> str:
    return reason(smtplib.SMTPResponseException(code, words))
