"""The way out to a mail relay by SMTP, over one connection for many mails, and the values of every way out."""

import contextlib
import re
import smtplib
import ssl
from dataclasses import dataclass, field
from typing import Literal

ABOUT_THE_SESSION = (
    421,  # the relay goes away (RFC 5321 3.8)
    503,  # commands out of order (RFC 5321 4.2.2)
    530,  # STARTTLS or AUTH wanted first (RFC 3207 4, RFC 4954 6)
)
ADDRESS = re.compile(r"{0}+@{0}+".format(r'[^\s\x00-\x20\x7f\ud800-\udfff()<>\[\]:;,\\"@]'))
END_OF_MAIL = 10  # RFC 5321 4.5.3.2: ten minutes for the reply after the dot, where other replies have one to five
POLITENESS = 5.0  # seconds that the reply to QUIT is worth


@dataclass(frozen=True, slots=True)
class Outgoing:
    """One mail to one recipient; the envelope sender of a mail that wants no report is "" or "<>"."""

    envelope_sender: str
    recipient: str
    raw: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Sent:
    """Taken over by the next server."""


@dataclass(frozen=True, slots=True)
class Deferred:
    """Not taken now, or perhaps taken: to be tried again. The reason is one line."""

    reason: str


@dataclass(frozen=True, slots=True)
class Failed:
    """This mail will never be taken for this recipient. The reason is one line."""

    reason: str


Outcome = Sent | Deferred | Failed


@dataclass(frozen=True, slots=True)
class RelayAddress:
    """Where a relay is, who we are to it ("" for nobody), and how TLS begins there."""

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

    def deliver(self, mail: Outgoing) -> Outcome:
        """Hand one mail to the relay; whatever happens on the way is an Outcome.

        5xx is about this mail only in reply to MAIL, RCPT, DATA or the mail; elsewhere it is about the relay or
        our settings. Where the connection breaks after DATA nobody knows: Deferred, and the mail may come twice.
        """
        if flaw := malformed(mail):
            return Failed(flaw)
        try:
            link = self._open()
            return self._hand_over(link, mail)
        except (OSError, ValueError) as error:  # all of smtplib's and ssl's are OSErrors; ValueError: no such host
            self._drop()
            return Deferred(reason(error))

    def close(self) -> None:
        """Take leave of the relay. The next delivery connects anew."""
        if self._link is not None:
            with contextlib.suppress(OSError):
                if self._link.sock is not None:
                    self._link.sock.settimeout(min(self._timeout, POLITENESS))
                self._link.quit()
            self._drop()

    def _open(self) -> smtplib.SMTP:
        """A connection that is ready for a mail: the one in use if it still answers, or a new one."""
        if self._link is not None:
            with contextlib.suppress(OSError):
                if self._link.rset()[0] == 250:
                    return self._link
            self._drop()
        self._link = self._connect()
        return self._link

    def _connect(self) -> smtplib.SMTP:
        where = self._address
        if where.tls == "implicit":
            context = ssl.create_default_context()
            link: smtplib.SMTP = smtplib.SMTP_SSL(
                where.host, where.port, self._hostname, timeout=self._timeout, context=context
            )
        else:
            link = smtplib.SMTP(where.host, where.port, self._hostname, timeout=self._timeout)
        try:
            greet(link)
            if where.tls == "starttls":
                link.starttls(context=ssl.create_default_context())  # raises where it is not offered: no downgrade
                greet(link)
            if where.user:
                log_in(link, where.user, self._password)
        except BaseException:
            link.close()
            raise
        return link

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
        if refused := refusal(*link.mail(sender, options)):
            return refused
        if refused := refusal(*link.rcpt(mail.recipient)):
            return refused
        if link.sock is not None:
            link.sock.settimeout(self._timeout * END_OF_MAIL)
        try:
            return refusal(*link.data(raw)) or Sent()
        except smtplib.SMTPDataError as error:
            return refusal(error.smtp_code, error.smtp_error) or Deferred(reason(error))
        finally:
            if link.sock is not None:
                link.sock.settimeout(self._timeout)

    def _drop(self) -> None:
        if self._link is not None:
            self._link.close()
            self._link = None


def greet(link: smtplib.SMTP) -> None:
    """Say EHLO and learn what the relay can do. Raises SMTPHeloError, where the relay does not greet back."""
    code, text = link.ehlo()
    if code != 250:
        raise smtplib.SMTPHeloError(code, text)


def log_in(link: smtplib.SMTP, user: str, password: str) -> None:
    """Prove to the relay who we are. Raises SMTPException without its words: they may repeat what we sent."""
    try:
        link.login(user, password)
    except (OSError, ValueError) as error:
        what = f"{type(error).__name__} {getattr(error, 'smtp_code', '')}"
        raise smtplib.SMTPException(f"login refused: {what}") from None


def refusal(code: int, text: bytes | str) -> Deferred | Failed | None:
    """What a reply to MAIL, RCPT or DATA means for the mail, None for a yes.

    Raises SMTPResponseException for a reply after which the connection is of no use: it says so, or is no reply.
    """
    if 200 <= code < 300:
        return None
    error = smtplib.SMTPResponseException(code, text)
    if code in ABOUT_THE_SESSION or not 400 <= code < 600:
        raise error
    return (Deferred if code < 500 else Failed)(reason(error))


def malformed(mail: Outgoing) -> str | None:
    """What is wrong with a mail's addresses, None if nothing.

    What could end or extend an SMTP command is wrong, and so is every address that needs quoting (RFC 5321 4.1.2:
    such mailboxes should not be made): smtplib sends some of them as another address.
    """
    for address in (mail.envelope_sender.removeprefix("<>") or "null@sender", mail.recipient):
        if not ADDRESS.fullmatch(address):
            return f"malformed address {address!a}"
    return None


def with_crlf(raw: bytes) -> bytes:
    r"""The mail with every line ended by CR LF, as SMTP wants it (RFC 5321 2.3.8); smtplib sends bytes as is.

    >>> with_crlf(b"a\nb\r\nc\rd")
    b'a\r\nb\r\nc\r\nd'
    """
    return re.sub(rb"\r\n|\r|\n", b"\r\n", raw)


def reason(error: Exception) -> str:
    """An error as one printable line of bounded length."""
    if isinstance(error, smtplib.SMTPResponseException):
        words = error.smtp_error
        text = f"{error.smtp_code} {words.decode('utf-8', 'replace') if isinstance(words, bytes) else words}"
    else:
        text = f"{type(error).__name__}: {error}"
    return "".join(c if c.isprintable() else "?" for c in " ".join(text.split()))[:300]
