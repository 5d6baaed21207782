"""Signing in on another device (RFC 8628): a code is shown here and typed there."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from pbmserv.mail.oauth.authority import Authority
from pbmserv.mail.oauth.requests import AuthorityAway, AuthorityRefused, OAuthClient, ask

GRANT: Final = "urn:ietf:params:oauth:grant-type:device_code"
USUAL_INTERVAL: Final = 5.0
SLOWER: Final = 5.0
"""Seconds by which `slow_down` makes each later pause longer (RFC 8628 section 3.5)."""

LONGEST_LIFE: Final = 1800.0


@dataclass(frozen=True, slots=True)
class DeviceCode:
    """What is shown to the person who signs in, and what we ask with meanwhile."""

    url: str
    user_code: str
    device_code: str = field(repr=False)
    interval: float
    """Seconds between two questions."""

    life: float
    """Seconds for which the code holds."""


def begin(authority: Authority, client: OAuthClient) -> DeviceCode:
    """Asks for a code. Raises AuthorityAway, AuthorityRefused."""
    form = {"scope": " ".join(authority.scopes)}
    found = ask(authority.device_endpoint, client, form, authority.by_header)
    url = found.get("verification_uri") or found.get("verification_url")  # the second is Google's word
    code, secret = found.get("user_code"), found.get("device_code")
    if not (isinstance(url, str) and isinstance(code, str) and isinstance(secret, str)):
        raise AuthorityAway("the provider gave no code")
    interval, life = _seconds(found, "interval", USUAL_INTERVAL), _seconds(found, "expires_in", LONGEST_LIFE)
    return DeviceCode(_plain(url), _plain(code), secret, interval, min(life, LONGEST_LIFE))


def wait(
    authority: Authority,
    client: OAuthClient,
    code: DeviceCode,
    sleep: Callable[[float], None] = time.sleep,
    now: Callable[[], float] = time.monotonic,
) -> dict[str, Any]:
    """The token endpoint's answer, once somebody has signed in. Raises AuthorityAway, AuthorityRefused.

    `sleep` waits for so many seconds, by the clock `now`. A server that cannot be reached is asked again.
    """
    until, pause = now() + code.life, code.interval
    form = {"grant_type": GRANT, "device_code": code.device_code}
    while True:
        sleep(pause)
        try:
            return ask(authority.token_endpoint, client, form, authority.by_header)
        except AuthorityRefused as error:
            if error.code == "slow_down":
                pause += SLOWER
            elif error.code != "authorization_pending":
                raise
        except AuthorityAway:
            pause *= 2
        if now() >= until:
            raise AuthorityRefused("expired_token", "nobody signed in while the code held")


def _seconds(found: dict[str, Any], name: str, usual: float) -> float:
    value = found.get(name)
    return float(value) if isinstance(value, int | float) and 0 < value < 86_400 else usual


def _plain(words: str) -> str:
    return "".join(each for each in words if each.isprintable())[:300]
