"""Logging in at a relay, by password or by token, and what keeps us from it, in words for its operator."""

import smtplib
import socket
import ssl
from base64 import b64encode
from typing import Final, NamedTuple

from pbmserv.mail.bearer import BearerExchange, Credential, NoToken, TokenCommand, chosen_mechanism
from pbmserv.mail.mail_urls import RelayAddress
from pbmserv.mail.sending.transport import reason

LONGEST_LINE: Final = 510
"""Bytes of a command before its CRLF (RFC 5321 4.5.3.1.4). A longer first answer waits for a 334 (RFC 4954 4)."""

GO_ON: Final = 334


class RelayLoginError(smtplib.SMTPException):
    """We cannot log in at a relay. The message is half a sentence without a secret."""


def log_in(link: smtplib.SMTP, address: RelayAddress, password: Credential) -> None:
    """Log in at the relay. Raises RelayLoginError without the relay's text, which may repeat what we sent."""
    try:
        if isinstance(password, str):
            link.login(address.user, password)
        else:
            _log_in_by_token(link, address, password)
    except NoToken as error:
        raise RelayLoginError(str(error)) from None
    except smtplib.SMTPResponseException as error:
        raise RelayLoginError(f"it refuses the login: {error.smtp_code}") from None
    except smtplib.SMTPNotSupportedError:
        raise RelayLoginError("it offers no login that we know") from None
    except (OSError, ValueError) as error:
        raise RelayLoginError(f"the login fails: {type(error).__name__}") from None


def _log_in_by_token(link: smtplib.SMTP, address: RelayAddress, tokens: TokenCommand) -> None:
    mechanism = chosen_mechanism(link.esmtp_features.get("auth", "").split())
    if mechanism is None:
        raise smtplib.SMTPNotSupportedError
    _say(link, BearerExchange(mechanism, address.user, tokens.token(), address.host, address.port))


def _say(link: smtplib.SMTP, exchange: BearerExchange) -> None:
    first = _encoded(exchange.respond())
    command = f"AUTH {exchange.mechanism}"
    if len(command) + 1 + len(first) <= LONGEST_LINE:
        code, text = link.docmd(f"{command} {first}")
    else:
        code, text = link.docmd(command)
        if code == GO_ON:
            code, text = link.docmd(first)
    if code == GO_ON:  # the reason of a refusal, which wants an answer before the refusal itself
        code, text = link.docmd(_encoded(exchange.respond(text)))
    if code not in (235, 503):
        raise smtplib.SMTPAuthenticationError(code, text)


def _encoded(words: str) -> str:
    return b64encode(words.encode()).decode()


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
