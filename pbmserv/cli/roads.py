"""What the settings ask for: the mailbox that mail is fetched from, its way out, the parts that see to it."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from pbmserv.cli.config import PREFIX, Settings, WrongSetting
from pbmserv.mail.mail_urls import relay_address
from pbmserv.mail.oauth.access_tokens import AccessTokens
from pbmserv.mail.oauth.requests import OAuthClient
from pbmserv.mail.oauth.token_file import TokenFile
from pbmserv.mail.receiving.imap_address import mailbox_address
from pbmserv.mail.receiving.imap_mailbox import Disposition, ImapMailbox, open_mailbox
from pbmserv.mail.sending.destination import Transport, open_transport


def road_out(settings: Settings) -> Callable[[], Transport]:
    """What opens the way out, any number of times. Raises WrongSetting, and what it gives nothing."""
    user = relay_user(settings)
    password = _password("OUT_PASSWORD", settings.out_password, settings.out_password_file)
    opening = partial(
        open_transport,
        settings.way_out,
        password=password or (access_tokens(settings, user) if user and settings.oauth else ""),
        hostname=settings.server().domain,
    )
    try:
        opening().close()
    except ValueError as error:
        raise WrongSetting(f"{PREFIX}OUT: {error}") from error
    return opening


def mailbox(settings: Settings) -> Callable[[], ImapMailbox]:
    """What connects to the mailbox, which must be named. Raises WrongSetting."""
    address, filing = mailbox_address(settings.imap), Disposition(settings.imap_done, settings.imap_kept)
    password = _password("IMAP_PASSWORD", settings.imap_password, settings.imap_password_file)
    if not password and not settings.oauth:
        raise WrongSetting(f"{PREFIX}IMAP names a mailbox, and {PREFIX}IMAP_PASSWORD is empty")
    if filing.done == "move" and filing.folder.casefold() == address.folder.casefold():
        raise WrongSetting(f"{PREFIX}IMAP_KEPT must be another folder than the one that mail comes to")
    return partial(open_mailbox, address, password or access_tokens(settings, address.user), filing)


def relay_user(settings: Settings) -> str:
    """Our user at the relay, "" where nobody logs in."""
    return "" if settings.outgoing is not None else relay_address(settings.way_out).user


def users_of_tokens(settings: Settings) -> list[str]:
    """Those who log in by token, each once: the mailbox's user, then the relay's. Raises WrongSetting."""
    if not settings.oauth:
        return []
    users = []
    if settings.imap and not _password("IMAP_PASSWORD", settings.imap_password, settings.imap_password_file):
        users.append(mailbox_address(settings.imap).user)
    if not _password("OUT_PASSWORD", settings.out_password, settings.out_password_file):
        users.append(relay_user(settings))
    return list(dict.fromkeys(user for user in users if user))


def oauth_client(settings: Settings) -> OAuthClient:
    """What the provider knows this server as. Raises WrongSetting."""
    if not settings.oauth_client_id:
        raise WrongSetting(f"{PREFIX}OAUTH names a provider, and {PREFIX}OAUTH_CLIENT_ID is empty")
    secret = _password("OAUTH_CLIENT_SECRET", settings.oauth_client_secret, settings.oauth_client_secret_file)
    return OAuthClient(settings.oauth_client_id, secret)


def access_tokens(settings: Settings, user: str) -> AccessTokens:
    """The tokens of a user. Raises WrongSetting; whether somebody has signed in shows when one is asked for."""
    return AccessTokens(TokenFile(settings.data, user), settings.oauth, oauth_client(settings))


def _password(name: str, value: str, file: Path | None) -> str:
    try:
        return value if file is None else file.read_text().strip()
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", "") or "it is not text"
        raise WrongSetting(f"{PREFIX}{name}_FILE cannot be read: {reason}") from None
