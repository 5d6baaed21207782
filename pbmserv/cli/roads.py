"""What the settings ask for: the mailbox that mail is fetched from, its way out, the parts that see to it."""

import shlex
from collections.abc import Callable
from functools import partial
from pathlib import Path

from pbmserv.cli.config import PREFIX, Settings, WrongSetting
from pbmserv.mail.bearer import TokenCommand
from pbmserv.mail.mail_urls import mailbox_address, relay_address
from pbmserv.mail.receiving.imap_mailbox import Disposition, ImapMailbox, open_mailbox
from pbmserv.mail.sending.destination import Transport, open_transport


def road_out(settings: Settings) -> Callable[[], Transport]:
    """What opens the way out, any number of times. Raises WrongSetting, and what it gives nothing."""
    user = relay_user(settings)
    password = _password("OUT_PASSWORD", settings.out_password, settings.out_password_file)
    opening = partial(
        open_transport,
        settings.way_out,
        password=password or (tokens(settings, user) if user and settings.token_command else ""),
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
    if not password and not settings.token_command:
        raise WrongSetting(
            f"{PREFIX}IMAP names a mailbox, and {PREFIX}IMAP_PASSWORD and {PREFIX}TOKEN_COMMAND are empty"
        )
    if filing.done == "move" and filing.folder.casefold() == address.folder.casefold():
        raise WrongSetting(f"{PREFIX}IMAP_KEPT must be another folder than the one that mail comes to")
    return partial(open_mailbox, address, password or tokens(settings, address.user), filing)


def relay_user(settings: Settings) -> str:
    """Our user at the relay, "" where nobody logs in."""
    return "" if settings.outgoing is not None else relay_address(settings.way_out).user


def tokens(settings: Settings, user: str) -> TokenCommand:
    """What prints tokens for a user; whether it does shows when one is asked for."""
    return TokenCommand(tuple(shlex.split(settings.token_command)), user)


def _password(name: str, value: str, file: Path | None) -> str:
    try:
        return value if file is None else file.read_text().strip()
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", "") or "it is not text"
        raise WrongSetting(f"{PREFIX}{name}_FILE cannot be read: {reason}") from None
