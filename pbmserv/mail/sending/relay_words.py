"""What keeps us from a relay, in words for whoever runs the server: what happens, and what mends it."""

import smtplib
import socket
import ssl
from typing import Final, NamedTuple

from pbmserv.mail.sending.smtp_login import RelayLoginError
from pbmserv.mail.sending.transport import reason

_LOOK: Final = "see the relay's log"


class RelayWords(NamedTuple):
    """Two half sentences without a secret."""

    found: str
    mend: str


def words_of(error: Exception) -> RelayWords:
    """About an error that came before the relay would take a mail: connecting, TLS, greeting, login."""
    match error:
        case ssl.SSLCertVerificationError():
            return RelayWords(
                f"its certificate is not trusted: {error.verify_message}",
                "name the host in `out` as its certificate does; name a private authority's file in SSL_CERT_FILE",
            )
        case ssl.SSLError():
            return RelayWords(f"TLS fails: {reason(error)}", "smtps:// is TLS from the start, smtp:// is STARTTLS")
        case RelayLoginError():
            return RelayWords(
                str(error),
                "see the user in `out` and the password in `out_password_file`; providers want an app password",
            )
        case smtplib.SMTPNotSupportedError():
            return RelayWords(
                "it offers no STARTTLS",
                "use smtps:// if it takes TLS from the start; ?starttls=no is for networks that you trust",
            )
        case smtplib.SMTPServerDisconnected():
            return RelayWords(f"it hangs up: {error}", _LOOK)
        case smtplib.SMTPException():
            return RelayWords(f"it refuses us: {reason(error)}", _LOOK)
        case socket.gaierror():
            return RelayWords("there is no host of that name", "correct the host in `out`")
        case TimeoutError():
            return RelayWords(
                "it does not answer", "see whether a firewall closes that port, and the port in `out`"
            )
        case _:
            return RelayWords(
                f"it cannot be reached: {getattr(error, 'strerror', None) or reason(error)}",
                "see that it runs, and the host and port in `out`",
            )
