"""Authorization servers: endpoints and scopes of Google and Microsoft, and what others tell of themselves."""

import re
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote, urlsplit, urlunsplit

from pbmserv.mail.oauth.requests import AuthorityAway, AuthorityRefused, look_up
from pbmserv.mail.secure_places import checked_address

GOOGLE: Final = "google"
MICROSOFT: Final = "microsoft"
FORMS: Final = "google, microsoft, microsoft/TENANT or https://ISSUER"

USUAL_SCOPES: Final = ("openid", "email", "offline_access")
"""What is asked of a server that is neither Google's nor Microsoft's, if the settings name nothing else."""


@dataclass(frozen=True, slots=True)
class Authority:
    """An authorization server."""

    token_endpoint: str
    authorization_endpoint: str
    """Where a browser goes; empty if there is none."""

    device_endpoint: str
    """Where a device flow (RFC 8628) begins; empty if there is none that grants mail."""

    scopes: tuple[str, ...]
    """What is asked for: mailbox and relay at once, and a refresh token."""

    wishes: tuple[tuple[str, str], ...] = ()
    """What else goes into the address that the browser opens."""

    loopback: str = "127.0.0.1"
    """What this machine is called in the address to which the browser comes back (RFC 8252 section 7.3)."""

    by_header: bool = False
    """Whether the client's secret goes into a header, not into the form."""


def checked_name(name: str) -> str:
    """The setting that names an authorization server, "" for none. Raises ValueError."""
    kind, _, tenant = name.partition("/")
    is_ours = name in ("", GOOGLE, MICROSOFT) or (kind == MICROSOFT and re.fullmatch(r"[A-Za-z0-9.-]+", tenant))
    if not is_ours:
        try:
            checked_address(name)
        except ValueError:
            raise ValueError(f"is none of {FORMS}") from None
    return name


def find_authority(name: str, scopes: tuple[str, ...] = ()) -> Authority:
    """The server of that name; `scopes` take the place of its own. Raises AuthorityAway, AuthorityRefused.

    Google: https://developers.google.com/identity/protocols/oauth2/native-app; its device flow has no mail scope.
    Microsoft: https://learn.microsoft.com/exchange/client-developer/legacy-protocols (IMAP, SMTP by OAuth).
    """
    if name == GOOGLE:
        return Authority(
            token_endpoint="https://oauth2.googleapis.com/token",  # noqa: S106
            authorization_endpoint="https://accounts.google.com/o/oauth2/v2/auth",
            device_endpoint="",
            scopes=scopes or ("https://mail.google.com/",),
            wishes=(("access_type", "offline"), ("prompt", "consent")),  # else no second refresh token
        )
    kind, _, tenant = name.partition("/")
    if kind == MICROSOFT:
        base = f"https://login.microsoftonline.com/{quote(tenant or 'common', safe='')}/oauth2/v2.0"
        usual = [f"https://outlook.office.com/{each}" for each in ("IMAP.AccessAsUser.All", "SMTP.Send")]
        return Authority(
            token_endpoint=f"{base}/token",
            authorization_endpoint=f"{base}/authorize",
            device_endpoint=f"{base}/devicecode",
            scopes=scopes or (*usual, "offline_access"),
            loopback="localhost",  # of 127.0.0.1 it demands the very port that was registered
        )
    return _discovered(name.rstrip("/"), scopes)


def _discovered(issuer: str, scopes: tuple[str, ...]) -> Authority:
    """By OpenID Connect Discovery 1.0, else RFC 8414."""
    parts = urlsplit(issuer)
    path = f"/.well-known/oauth-authorization-server{parts.path}"
    try:
        found = look_up(f"{issuer}/.well-known/openid-configuration")
    except (AuthorityAway, AuthorityRefused):
        found = look_up(urlunsplit((parts.scheme, parts.netloc, path, "", "")))
    if str(found.get("issuer", "")).rstrip("/") != issuer:
        raise AuthorityAway(f"{parts.netloc} says that it is another issuer than {issuer}")
    methods = found.get("token_endpoint_auth_methods_supported", ["client_secret_basic"])
    return Authority(
        token_endpoint=_endpoint(found, "token_endpoint") or _missing(parts.netloc),
        authorization_endpoint=_endpoint(found, "authorization_endpoint"),
        device_endpoint=_endpoint(found, "device_authorization_endpoint"),
        scopes=scopes or USUAL_SCOPES,
        by_header="client_secret_post" not in methods,
    )


def _endpoint(found: dict[str, Any], name: str) -> str:
    try:
        return checked_address(str(found.get(name, "")))
    except ValueError:
        return ""


def _missing(where: str) -> str:
    raise AuthorityAway(f"{where} names no place that gives tokens")
