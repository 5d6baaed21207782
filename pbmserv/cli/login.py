"""The command `pbmserv login`: signing in at the provider that gives tokens for the mailbox and the relay."""

import time
from contextlib import closing
from dataclasses import replace
from typing import Any, Literal, get_args

import click
from rich.markup import escape

from pbmserv.cli.config import Settings, WrongSetting
from pbmserv.cli.lazy import command
from pbmserv.cli.roads import mailbox, oauth_client, users_of_tokens
from pbmserv.cli.terminal import Exit, give_up, out, settings_or_exit
from pbmserv.mail.oauth import browser_flow, device_flow
from pbmserv.mail.oauth.access_tokens import next_tokens
from pbmserv.mail.oauth.authority import Authority, find_authority
from pbmserv.mail.oauth.requests import AuthorityAway, AuthorityRefused, OAuthClient
from pbmserv.mail.oauth.token_file import SignIn, TokenFile, TokensUnreadable
from pbmserv.mail.receiving.imap_address import mailbox_address
from pbmserv.mail.receiving.imap_mailbox import ImapError, ImapRefused

SignInRoad = Literal["device", "browser", "paste"]
"""How one signs in."""


@command
@click.option(
    "--by",
    type=click.Choice(get_args(SignInRoad)),
    help="device: type a code on any device; browser: on this machine; paste: a browser elsewhere. "
    "Default: device, where the provider has it for mail, else browser",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    help="with browser: the port it comes back to; 0: any that is free",
)
def login(by: SignInRoad | None, port: int) -> None:
    """Sign in at the provider of mailbox and relay, if it wants OAuth2 (setting `oauth`); tokens are stored.

    Examples:
        pbmserv login
        pbmserv login --by paste
    """
    settings = settings_or_exit()
    if not settings.oauth:
        give_up("PBMSERV_OAUTH is empty, so there is nobody to sign in at", Exit.WRONG_SETTING)
    try:
        users, client = users_of_tokens(settings), oauth_client(settings)
        if not users:
            raise WrongSetting("mailbox and relay need no token: they have passwords, or none is named")
        authority = find_authority(settings.oauth, tuple(settings.oauth_scopes.split()))
        for user in users:
            _sign_in(settings, user, authority, client, _road(authority, by), port)
    except WrongSetting as error:
        give_up(str(error), Exit.WRONG_SETTING)
    except (AuthorityAway, TokensUnreadable) as error:
        give_up(str(error), Exit.TRY_LATER)
    except AuthorityRefused as error:
        give_up(f"the provider said no: {error}")
    except browser_flow.VisitFailed as error:
        give_up(str(error))


def _road(authority: Authority, by: SignInRoad | None) -> SignInRoad:
    road: SignInRoad = by or ("device" if authority.device_endpoint else "browser")
    if road == "device" and not authority.device_endpoint:
        raise WrongSetting("this provider has no device flow for mail: use --by browser or --by paste")
    if road != "device" and not authority.authorization_endpoint:
        raise WrongSetting("this provider has no page to sign in with a browser: use --by device")
    return road


def _sign_in(
    settings: Settings, user: str, authority: Authority, client: OAuthClient, road: SignInRoad, port: int
) -> None:
    _say(f"Sign in as {user}.")
    answer = (
        _by_device(authority, client)
        if road == "device"
        else _by_browser(authority, client, user, port, road == "paste")
    )
    if not answer.get("refresh_token"):
        give_up(
            "the provider gave no refresh token, so this would end soon; does oauth_scopes lack offline_access?"
        )
    nothing = SignIn(
        user=user,
        authority=settings.oauth,
        client_id=client.id,
        token_endpoint=authority.token_endpoint,
        by_header=authority.by_header,
        refresh_token="",
        access_token="",
        obtained_at=0,
        expires_at=0,
        serial=0,
    )
    file = TokenFile(settings.data, user)
    with file.locked() as stored, file.reserved() as store:
        before = replace(nothing, serial=stored.serial if stored else 0)
        store(next_tokens(before, answer, time.time()))
    _say(f"Signed in as {user}; the tokens are in {file.path}.")
    if settings.imap and mailbox_address(settings.imap).user == user:
        _try_mailbox(settings)


def _try_mailbox(settings: Settings) -> None:
    try:
        with closing(mailbox(settings)()):
            pass
    except (ImapError, ImapRefused) as error:
        give_up(f"but the mailbox does not open, did you sign in as somebody else? {error}")
    _say("The mailbox opens.")


def _by_device(authority: Authority, client: OAuthClient) -> dict[str, Any]:
    code = device_flow.begin(authority, client)
    _say(f"On any device, open {code.url} and type the code: {code.user_code}")
    _say(f"Waiting for that, {code.life / 60:.0f} minutes at most; Ctrl-C gives up.")
    return device_flow.wait(authority, client, code)


def _by_browser(authority: Authority, client: OAuthClient, user: str, port: int, by_hand: bool) -> dict[str, Any]:
    if by_hand:
        visit = browser_flow.begin(authority, client, user, port or browser_flow.PASTE_PORT)
        _say(f"Open this address in a browser on any machine:\n\n{visit.url}\n")
        _say(f"In the end the browser shows an error, at an address that begins with {visit.redirect}")
        return browser_flow.finish(authority, client, visit, click.prompt("Paste that address here"))
    with browser_flow.BrowserListener(port) as listener:
        visit = browser_flow.begin(authority, client, user, listener.server_port)
        _say(f"Open this address in a browser on this machine:\n\n{visit.url}\n")
        _say("Is the browser on another machine? Then give up with Ctrl-C, and use --by paste.")
        return browser_flow.finish(authority, client, visit, listener.wait())


def _say(sentence: str) -> None:
    out.print(escape(sentence), highlight=False, soft_wrap=True)
