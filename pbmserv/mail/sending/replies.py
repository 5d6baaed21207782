"""What the replies of a relay mean for a mail: RFC 5321's codes, RFC 3463's status, whose fault it is, and what
the relay calls a mail that it takes."""

import re
import smtplib
from typing import Final

from pbmserv.mail.reading.delivery_report import judge, stated
from pbmserv.mail.sending.transport import Closed, Deferred, Failed, reason

ABOUT_THE_SESSION: Final = (  # and not about the mail, although said to MAIL
    421,  # the relay goes away (RFC 5321 3.8)
    503,  # commands out of order (RFC 5321 4.2.2)
    530,  # STARTTLS or AUTH wanted first (RFC 3207 4, RFC 4954 6)
)
ABOUT_THE_MAIL: Final = (
    (5, 3, 4),  # too large for the system (RFC 3463)
    (5, 2, 3),  # too large for the mailbox
    (5, 6, 7),  # non-ASCII addresses are not taken (RFC 6531 3.5)
)
CONVERSION: Final = 6  # the subject of a status that is about what the mail is made of (RFC 3463 3.7)
FULL: Final = (2, 2)  # the mailbox is full (RFC 3463 3.3)
GO_ON: Final = 354  # the reply to DATA before the mail

_OUR_QUOTA: Final = re.compile(r"quota|\b(?:sending|rate|hourly|hour|daily|day)\b", re.IGNORECASE)


def refused_sender(code: int, text: bytes | str) -> Closed | Deferred | Failed | None:
    """What a reply to MAIL means for the mail, None for a yes. Raises as `refusal` does."""
    if code in ABOUT_THE_SESSION:
        # 530 is about our login whatever the mail.
        return Closed(reason(smtplib.SMTPResponseException(code, text)), at_mail=code != 530)
    refused = refusal(code, text)
    if not isinstance(refused, Failed):
        return refused
    return refused if _is_too_large(code, refused.reason) else Deferred(refused.reason, is_ours=True)


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
    is_full = code == 552 or (status is not None and status[1:] == FULL)
    return refused if status in ABOUT_THE_MAIL else Deferred(refused.reason, is_ours=not is_full)


def refused_mail(code: int, text: bytes | str) -> Deferred | Failed | None:
    """What a reply to DATA, or to the mail itself, means for it, None for a yes. Raises as `refusal` does.

    Whatever is not about the recipient, the size or the form of the mail may be about us: our name, our signature,
    our address on a list, a filter that mistakes a board for spam. The operator can mend that, so the mail waits.
    """
    refused = refusal(code, text)
    if not isinstance(refused, Failed):
        return refused
    status = stated(refused.reason)
    if (status is not None and status[1] == CONVERSION) or _is_too_large(code, refused.reason):
        return refused
    # Filters that look at the whole mail refuse recipients only now. A bare 550 is no such refusal.
    is_exact = status is not None and status[2] != 0
    return refused_recipient(code, text) if is_exact else Deferred(refused.reason, is_ours=True)


def _is_too_large(code: int, said: str) -> bool:
    """Whether a relay refuses a mail for its size or its letters, and not for a quota of ours."""
    status = stated(said)
    is_unsaid = code == 552 and (status is None or status[1:] == (3, 0))
    return status in ABOUT_THE_MAIL or (is_unsaid and not _OUR_QUOTA.search(said))


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


LONGEST_QUEUE_ID: Final = 100

_STATUS: Final = re.compile(r"\s*(?:[245]\.\d{1,3}\.\d{1,3}\s+)?")
_QUEUE_IDS: Final = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        r"\bqueued (?:as|with id) <?([\w.+/=-]{3,80}?)>?\.?(?=\s|$)",  # Postfix, Stalwart, Mailgun
        r"^OK id=([\w-]{6,40})",  # Exim
        r"^([\w.-]{8,80}) Message accepted for delivery",  # Sendmail, OpenSMTPD
        r"^OK\s+\d{9,11} ([\w.-]{8,100}) - gsmtp",  # Gmail
        r"\[InternalId=(\d+)",  # Exchange and Microsoft 365
        r"^OK ([0-9a-f][0-9a-f-]{20,80})$",  # Amazon SES
        r"^OK \d{9,11} qp (\d+)",  # qmail
    )
)


def queue_id(reply: bytes | str) -> str:
    """The queue id in a reply to a mail, without its code.

    There is no standard for it (RFC 5321 4.2 leaves the text free). Where a reply has none of the usual forms, its
    text stands for the queue id: in short, printable, and without the enhanced status.

    >>> queue_id(b"2.0.0 Ok: queued as 4F1A2B3C4D"), queue_id("OK id=1tFkXy-00000001AbC-2dEf")
    ('4F1A2B3C4D', '1tFkXy-00000001AbC-2dEf')
    >>> queue_id(b"2.0.0 5AB1cdEF012345 Message accepted for delivery"), queue_id("2.0.0 fine, thank you")
    ('5AB1cdEF012345', 'fine, thank you')
    """
    text = " ".join((reply.decode("utf-8", "replace") if isinstance(reply, bytes) else reply).split())
    said = text[_STATUS.match(text).end() :]  # type: ignore[union-attr]  # it matches the empty text, too
    found = next((match[1] for form in _QUEUE_IDS if (match := form.search(said))), said)
    return "".join(letter if letter.isprintable() else "?" for letter in found[:LONGEST_QUEUE_ID])
