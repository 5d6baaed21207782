"""A delivery without a mail: `doctor` goes as far as the envelope, by the connection that the sender uses."""

import smtplib

from pbmserv.mail.sending.relay_words import words_of
from pbmserv.mail.sending.smtp import Relay
from pbmserv.mail.sending.transport import reason


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
