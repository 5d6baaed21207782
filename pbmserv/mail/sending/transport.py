"""Outgoing mails and the outcomes of deliveries: the values that all transports share."""

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
class Delivered:
    """The next server has accepted it."""


@dataclass(frozen=True, slots=True)
class Deferred:
    """Not accepted for now, or perhaps accepted: to be tried again. The reason is one line."""

    reason: str
    is_ours: bool = False
    """It was refused for good, but for a reason that the operator can fix, such as a sender without permission."""


@dataclass(frozen=True, slots=True)
class Failed:
    """This mail will never be accepted for this recipient. The reason is one line."""

    reason: str
    refuses_recipient: bool = False
    """The recipient was refused, not the mail or its sender."""


@dataclass(frozen=True, slots=True)
class Closed:
    """No mail can be sent now, for no fault of this one. The reason is one line."""

    reason: str
    at_mail: bool = False
    """The relay said so to MAIL, after login. If one mail meets this often, that mail may be the reason."""


Outcome = Delivered | Deferred | Failed | Closed


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
