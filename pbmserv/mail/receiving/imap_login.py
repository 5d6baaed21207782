"""Logging in to a mailbox, by password or by token."""

from imapclient import IMAPClient
from imapclient.exceptions import IMAPClientAbortError, LoginError

from pbmserv.mail.bearer import MECHANISMS, BearerExchange, Credential, NoToken, TokenCommand, chosen_mechanism
from pbmserv.mail.receiving.imap_address import MailboxAddress
from pbmserv.mail.receiving.imap_errors import (
    ImapError,
    LoginRefused,
    printable,
    translating_errors,
)


def log_in(client: IMAPClient, address: MailboxAddress, password: Credential) -> None:
    """Logs in. Raises ImapError, LoginRefused."""
    if isinstance(password, str):
        _log_in_by_password(client, address.user, password)
    else:
        _log_in_by_token(client, address, password)


def _log_in_by_password(client: IMAPClient, user: str, password: str) -> None:
    with translating_errors("logging in"):
        try:
            if client.has_capability("AUTH=PLAIN"):
                client.plain_login(user, password)
            elif client.has_capability("LOGINDISABLED"):
                raise LoginRefused("it takes no login by password")
            elif not (user + password).isascii():
                raise LoginRefused("it takes no user or password that is not ASCII")
            else:
                client.login(_quoted(user), password)  # imaplib quotes the second only
        except LoginError as error:
            words = str(error)
            # imapclient reports a lost connection as a refused login too.
            if isinstance(error.__context__, IMAPClientAbortError) or "[UNAVAILABLE]" in words:
                raise ImapError(printable(words)) from None
            raise LoginRefused(printable(words.replace(password, "***"))) from None


def _log_in_by_token(client: IMAPClient, address: MailboxAddress, tokens: TokenCommand) -> None:
    with translating_errors("logging in"):
        mechanism = chosen_mechanism([each for each in MECHANISMS if client.has_capability(f"AUTH={each}")])
    if mechanism is None:
        raise LoginRefused("it takes no login by OAuth2 (XOAUTH2 or OAUTHBEARER)")
    try:
        token = tokens.token()
    except NoToken as error:
        raise ImapError(str(error)) from None
    exchange = BearerExchange(mechanism, address.user, token, address.host, address.port)
    with translating_errors("logging in"):
        try:
            client.sasl_login(mechanism, exchange.respond)
        except LoginError as error:
            words = str(error)
            if isinstance(error.__context__, IMAPClientAbortError) or "[UNAVAILABLE]" in words:
                raise ImapError(printable(words)) from None
            raise LoginRefused(printable(words.replace(token, "***"))) from None


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
