"""Outgoing mails and the outcomes of deliveries: the values that all transports share."""

import re
import smtplib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from threading import Lock
from time import monotonic
from typing import Final

A_MOMENT: Final = 0.1
"""Seconds after which no further mail of a batch is started, so that what was sent is recorded soon."""

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

    queue_id: str = field(default="", compare=False)
    """That server's queue id for it; empty if it did not say."""


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
    """No mail can be sent now, for a reason other than this mail. The reason is one line."""

    reason: str
    at_mail: bool = False
    """The relay said so to MAIL, after login. If one mail meets this often, that mail may be the reason."""


@dataclass(frozen=True, slots=True)
class Untried:
    """It was not started, for lack of time."""


Outcome = Delivered | Deferred | Failed | Closed | Untried


class Batch:
    """Mails to deliver in order over one connection, and the outcomes of those started.

    One thread delivers: it takes each mail by `begin` and reports it by `end`. Another may look on, and `withdraw`
    the mails that were not begun. None is begun after one that found the way closed, or after A_MOMENT.
    """

    def __init__(self, mails: Sequence[Outgoing], stopping: Callable[[], bool] = lambda: False) -> None:
        """Once it is `stopping`, no mail is begun."""
        self._mails = mails
        self._stopping = stopping
        self._lock = Lock()
        self._count = len(mails)
        self._until = 0.0
        self._is_promised = False
        self.begun = 0
        """How many mails were begun, from the first."""
        self.outcomes: list[Outcome] = []
        """What became of them; a mail that was begun and has none yet is on its way."""

    def look_ahead(self) -> Outgoing | None:
        """The mail that `begin` gives next, unless it is withdrawn; None if no other is to be begun."""
        has_time = not self.begun or monotonic() < self._until
        self._is_promised = self.begun < self._count and has_time and not self._stopping()
        return self._mails[self.begun] if self._is_promised else None

    def begin(self) -> Outgoing | None:
        """The next mail, which the caller now has to deliver; None if no other is to be begun."""
        if not self._is_promised and self.look_ahead() is None:
            return None
        self._is_promised = False
        with self._lock:
            if self.begun == self._count:
                return None
            self.begun += 1
        if self.begun == 1:
            self._until = monotonic() + A_MOMENT
        return self._mails[self.begun - 1]

    def end(self, outcome: Outcome) -> None:
        """Records the outcome of the earliest started mail that has none yet."""
        self.outcomes.append(outcome)
        if isinstance(outcome, Closed):
            self.withdraw()

    def withdraw(self) -> None:
        """Stops the batch: no further mail is started."""
        with self._lock:
            self._count = self.begun


def malformed(mail: Outgoing) -> str | None:
    """What is wrong with a mail's addresses; None if nothing is.

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
