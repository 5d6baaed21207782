"""Tokens to log in with, renewed before they end and after a refusal, whichever process asks first."""

import math
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from pbmserv.mail.oauth.requests import AuthorityAway, AuthorityRefused, OAuthClient, ask
from pbmserv.mail.oauth.token_file import SignIn, TokenFile, TokensUnreadable

BEFORE_END: Final = 300.0
"""Seconds before its end at which a token is renewed, or a quarter of its life if that is less."""

USUAL_LIFE: Final = 3600.0
"""Seconds for which a token is believed to hold whose provider does not say it."""

REFUSED_ONCE_IN: Final = 300.0
"""Seconds in which one token is renewed because it was refused: who refuses the next as well wants no token."""

LITTLE: Final = 60.0
"""Seconds by which a clock may go back before it is not believed."""

ASK_AGAIN_AFTER: Final = 600.0
"""Seconds after which a refused refresh token is tried again, if nobody has signed in meanwhile."""


class SignInNeeded(Exception):
    """There is no token, and there will be none until somebody signs in. The text says so, with the command."""


class TokenDelayed(Exception):
    """There is no token now. The text says why; try again."""


class AccessTokens:
    """The tokens of one user. Any number of threads and processes may have one of these."""

    def __init__(
        self, file: TokenFile, authority: str, client: OAuthClient, now: Callable[[], float] = time.time
    ) -> None:
        """`authority` is the authorization server as the settings name it; `now` is in seconds since 1970."""
        self._file, self._authority, self._client, self._now = file, authority, client, now
        self._refused = ""
        self._may_renew_refused_at = 0.0  # monotonic
        self._dead: tuple[int, float, str] | None = None  # serial, until when (monotonic), what was told

    def token(self) -> str:
        """A token that holds for a while. Raises SignInNeeded, TokenDelayed."""
        try:
            tokens = self._mine(self._file.read())
            if self._is_fresh(tokens):
                return tokens.access_token
            with self._file.locked() as stored:
                tokens = self._mine(stored)
                return (tokens if self._is_fresh(tokens) else self._renewed(tokens)).access_token
        except (TokensUnreadable, AuthorityAway) as error:
            raise TokenDelayed(str(error)) from None

    def refuse(self, token: str) -> None:
        """A mailbox or relay did not take this token: another one is asked for next time."""
        self._refused = token

    def _mine(self, tokens: SignIn | None) -> SignIn:
        if tokens is None:
            raise SignInNeeded(f"nobody has signed in as {self._file.user}; run `pbmserv login`")
        if (tokens.authority, tokens.client_id) != (self._authority, self._client.id):
            raise SignInNeeded(
                f"{self._file.user} has signed in by another provider or client; run `pbmserv login`"
            )
        return tokens

    def _is_fresh(self, tokens: SignIn) -> bool:
        now, life = self._now(), tokens.expires_at - tokens.obtained_at
        if now < tokens.obtained_at - LITTLE:  # the clock has gone back, so it does not tell
            return False
        if tokens.access_token == self._refused and time.monotonic() >= self._may_renew_refused_at:
            return False
        return now < tokens.expires_at - min(BEFORE_END, life / 4)

    def _renewed(self, tokens: SignIn) -> SignIn:
        if self._dead and self._dead[0] == tokens.serial and time.monotonic() < self._dead[1]:
            raise SignInNeeded(self._dead[2])
        form = {"grant_type": "refresh_token", "refresh_token": tokens.refresh_token}
        try:
            with self._file.reserved() as store:
                answer = ask(tokens.token_endpoint, self._client, form, tokens.by_header)
                new = next_tokens(tokens, answer, self._now())
                store(new)
            if tokens.access_token == self._refused:
                self._may_renew_refused_at = time.monotonic() + REFUSED_ONCE_IN
        except AuthorityRefused as error:
            told = f"{self._file.user} has to sign in again ({error}); run `pbmserv login`"
            if error.code in ("invalid_client", "unauthorized_client"):
                told = f"the provider refuses the client of oauth_client_id ({error})"
            self._dead = (tokens.serial, time.monotonic() + ASK_AGAIN_AFTER, told)
            raise SignInNeeded(told) from None
        except (AuthorityAway, TokensUnreadable):
            if tokens.access_token != self._refused and tokens.obtained_at <= self._now() < tokens.expires_at:
                return tokens
            raise
        return new


def next_tokens(before: SignIn, answer: dict[str, Any], now: float) -> SignIn:
    """What holds after an answer of a token endpoint (RFC 6749 section 5.1). Raises AuthorityAway.

    A refresh token that is not replaced holds on (section 6).
    """
    token, refresh = answer.get("access_token"), answer.get("refresh_token") or before.refresh_token
    if not isinstance(token, str) or not token or not token.isascii() or not token.isprintable():
        raise AuthorityAway("the provider gave no token")
    if not isinstance(refresh, str):
        raise AuthorityAway("the provider gave no refresh token that makes sense")
    try:
        life = float(answer.get("expires_in") or USUAL_LIFE)
    except (TypeError, ValueError):
        life = USUAL_LIFE
    if not math.isfinite(life) or life <= 0:
        life = USUAL_LIFE
    return replace(
        before,
        refresh_token=refresh,
        access_token=token,
        obtained_at=now,
        expires_at=now + life,
        serial=before.serial + 1,
    )
