"""What goes wrong with a mailbox, as one of our exceptions, whatever the library raises."""

import contextlib
import ssl
from collections.abc import Iterator
from typing import Any

from imapclient.exceptions import IMAPClientAbortError, IMAPClientError, IMAPClientReadOnlyError


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
