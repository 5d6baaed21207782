"""What goes out, and what can become of it: the values that every way out shares."""

import re
import smtplib
from dataclasses import dataclass, field

ADDRESS = re.compile(r"{0}+@{0}+".format(r'[^\s\x00-\x20\x7f\ud800-\udfff()<>\[\]:;,\\"@]'))


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
    """Not taken now, or perhaps taken: to be tried again. The reason is one line.

    `is_ours`: it was refused for good, but for what the operator can mend, such as a sender who may not send.
    """

    reason: str
    is_ours: bool = False


@dataclass(frozen=True, slots=True)
class Failed:
    """This mail will never be taken for this recipient. The reason is one line.

    `refuses_recipient`: it is the recipient that was refused, and not the mail or its sender.
    """

    reason: str
    refuses_recipient: bool = False


@dataclass(frozen=True, slots=True)
class Closed:
    """The way out is closed to every mail, and nothing was said about this one. The reason is one line.

    `at_mail`: the relay had let us in, and said so to MAIL. Where the same mail meets that again and again it may
    be about the mail after all.
    """

    reason: str
    at_mail: bool = False


Outcome = Sent | Deferred | Failed | Closed


def malformed(mail: Outgoing) -> str | None:
    """What is wrong with a mail's addresses, None if nothing.

    What could end or extend an SMTP command is wrong, and so is every address that needs quoting (RFC 5321 4.1.2:
    such mailboxes should not be made): smtplib sends some of them as another address.
    """
    for address in (mail.envelope_sender.removeprefix("<>") or "null@sender", mail.recipient):
        if not ADDRESS.fullmatch(address):
            return f"malformed address {address!a}"
    return None


def reason(error: Exception) -> str:
    """An error as one printable line of bounded length."""
    if isinstance(error, smtplib.SMTPResponseException):
        words = error.smtp_error
        text = f"{error.smtp_code} {words.decode('utf-8', 'replace') if isinstance(words, bytes) else words}"
    else:
        text = f"{type(error).__name__}: {error}"
    return "".join(c if c.isprintable() else "?" for c in " ".join(text.split()))[:300]
