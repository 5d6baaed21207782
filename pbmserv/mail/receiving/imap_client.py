"""imapclient's client made safe: bounded answers, our own exceptions, and the login by password or token."""

import contextlib
import imaplib
import io
import socket
import ssl
from collections.abc import Iterator
from typing import Any, Final

from imapclient import IMAPClient
from imapclient.exceptions import IMAPClientAbortError, IMAPClientError, IMAPClientReadOnlyError, LoginError
from imapclient.imap4 import IMAP4WithTimeout
from imapclient.tls import IMAP4_TLS

from pbmserv.mail.bearer import MECHANISMS, BearerExchange, Credential, NoToken, TokenCommand, chosen_mechanism
from pbmserv.mail.bounded_answers import BoundedReader
from pbmserv.mail.mail_urls import MailboxAddress


class ImapError(Exception):
    """The connection is unusable. The text says why, without secrets."""


class Silence(ImapError):
    """An idling server did not answer in time."""


class UntrustedCertificate(ImapError):
    """The server's certificate is not trusted. The text says why."""


class LoginRefused(ImapError):
    """The server refused user and password, or token. The text is the server's."""


class ImapRefused(Exception):
    """The server refused one command; the connection goes on. The text is the server's."""


@contextlib.contextmanager
def translating_errors(command: str, silence: type[ImapError] = ImapError) -> Iterator[None]:
    """Turns whatever the library raises into ImapError or ImapRefused, whatever bytes a server sends."""
    try:
        yield
    except (ImapError, ImapRefused):
        raise
    except IMAPClientReadOnlyError:
        raise ImapError("the folder can only be read") from None
    except TimeoutError:
        raise silence(f"no answer to {command}") from None
    except ssl.SSLCertVerificationError as error:
        raise UntrustedCertificate(f"its certificate is not trusted: {error.verify_message}") from None
    except (IMAPClientAbortError, OSError) as error:
        raise ImapError(f"{command}: {printable(error)}") from None
    except IMAPClientError as error:
        raise ImapRefused(f"{command}: {printable(error)}") from None
    except Exception as error:
        raise ImapError(f"{command}: an answer that makes no sense ({type(error).__name__})") from None


def printable(words: Any) -> str:
    """A server's words as one line."""
    return "".join(each if each.isprintable() else " " for each in str(words))[:200]


WHOLE_WITHIN: Final = 300.0
"""Seconds that an answer may take, from what we sent last; a silent server is given up much sooner."""

MOST_OF_AN_ANSWER: Final = 2**27
"""Octets; the largest mail that a setting allows has 100 MB."""

LONGEST_LINE: Final = 1_000_000
"""Octets, as imaplib has it."""


class _BoundedAnswers(imaplib.IMAP4):
    """Reads what its class reads, by a reader of its own."""

    _source: socket.socket | None = None
    _reader: BoundedReader
    _answers: "io.BufferedReader[BoundedReader]"

    def open(self, *where: Any, **manner: Any) -> None:
        super().open(*where, **manner)
        self._begin()

    def send(self, data: Any) -> None:
        super().send(data)
        self._begin()

    def read(self, size: int) -> bytes:
        return self._answers.read(size)

    def readline(self) -> bytes:
        line = self._answers.readline(LONGEST_LINE + 1)
        if len(line) > LONGEST_LINE:
            raise self.error(f"got more than {LONGEST_LINE} bytes")
        return line

    def shutdown(self) -> None:
        self._answers.close()
        super().shutdown()

    def _begin(self) -> None:
        if self._source is not self.sock:  # STARTTLS puts another in its place
            self._source, self._reader = self.sock, BoundedReader(self.sock)
            self._answers = io.BufferedReader(self._reader)
        self._reader.begin(WHOLE_WITHIN, MOST_OF_AN_ANSWER)


class _InTheClear(_BoundedAnswers, IMAP4WithTimeout):  # type: ignore[misc]  # it has no types
    pass


class _InTls(_BoundedAnswers, IMAP4_TLS):  # type: ignore[misc]
    pass


class BoundedImapClient(IMAPClient):  # type: ignore[misc]  # it has no types
    """The same by name and use."""

    def _create_IMAP4(self) -> imaplib.IMAP4:  # noqa: N802
        within = self._timeout.connect
        if self.ssl:
            return _InTls(self.host, self.port, self.ssl_context, within)  # type: ignore[call-arg]
        return _InTheClear(self.host, self.port, within)


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
