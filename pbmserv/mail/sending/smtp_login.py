"""Where a relay is, and logging in there, by password or by token."""

import smtplib
from base64 import b64encode
from typing import Final

from pbmserv.mail.bearer import BearerExchange, Credential, NoToken, TokenCommand, chosen_mechanism
from pbmserv.mail.mail_urls import RelayAddress

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
