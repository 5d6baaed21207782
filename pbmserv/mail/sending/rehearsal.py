"""A delivery without a mail: `doctor` goes as far as the envelope, by the connection that the sender uses."""

import smtplib
import socket
import ssl

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
        raise _of_connection(error) from None
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


def _of_connection(error: Exception) -> RelayTrouble:
    match error:
        case ssl.SSLCertVerificationError():
            return RelayTrouble(
                f"its certificate is not trusted: {error.verify_message}",
                "name the host in `out` as its certificate does; name a private authority's file in SSL_CERT_FILE",
            )
        case ssl.SSLError():
            return RelayTrouble(
                f"TLS fails: {reason(error)}", "smtps:// is TLS from the start, smtp:// is STARTTLS"
            )
        case smtplib.SMTPNotSupportedError():
            return RelayTrouble(
                "offers no STARTTLS, or no login that we know",
                "use smtps:// if it takes TLS from the start; ?starttls=no is for networks that you trust",
            )
        case smtplib.SMTPException() if "login refused" in str(error):
            return RelayTrouble(
                reason(error).partition(": ")[2],
                "see the user in `out` and the password in `out_password_file`; providers want an app password",
            )
        case smtplib.SMTPException():
            return RelayTrouble(f"refuses us: {reason(error)}", "see the relay's log")
        case socket.gaierror():
            return RelayTrouble("there is no host of that name", "correct the host in `out`")
        case TimeoutError():
            return RelayTrouble(
                "does not answer", "see whether a firewall closes that port, and the port in `out`"
            )
        case _:
            return RelayTrouble(
                f"cannot be reached: {reason(error)}", "see that it runs, and the host and port in `out`"
            )


def _said(code: int, words: bytes) -> str:
    return reason(smtplib.SMTPResponseException(code, words))
