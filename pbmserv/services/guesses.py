"""Limits guessing at passwords: after many failed logins no password in a mail is accepted for a while.

Even a right one is refused, so that a guesser does not learn it. Answers to our mails still prove who wrote them.

Players who write from their own address are not locked out by the guesses of others: there only failed logins from
that address count. Somebody who forges it can lock its owner's password out for mail from there, for an hour.
"""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import Connection

from pbmserv.services.authenticate import VerifiedCredentials
from pbmserv.services.pending import PendingMail
from pbmserv.store import rate_limits

FALSE_FOR_A_USERID: Final = 10
FALSE_FROM_HOME: Final = 10
"""From an address of the player who has that userid."""

FALSE_FROM_A_SENDER: Final = 20
"""In an hour. From addresses are easily forged, so guesses may come from many."""

FALSE_IN_ALL: Final = 200
"""In an hour; each costs as much as ten mails. After that, passwords count only from the player's own address."""

_WHILE: Final = timedelta(hours=1)


def too_many_guesses(
    connection: Connection, userids: Iterable[str], pending: PendingMail, now: datetime
) -> frozenset[str]:
    """Those of the userids, in lower case, whose passwords are not accepted in that mail."""
    asked, since = {userid.lower() for userid in userids}, now - _WHILE
    if not asked:
        return frozenset()
    sender, identity = pending.mail.sender, pending.identity
    home = identity.player.userid.lower() if identity.player else None
    # A mail that its domain vouches for is not forged.
    at_home = (
        0 if identity.is_believed else rate_limits.failed_logins_of_pair(connection, home or "", sender, since)
    )
    resting = {home} if at_home >= FALSE_FROM_HOME else set()
    strange = asked - {home}
    if strange and (
        rate_limits.failed_logins_from(connection, sender, since) >= FALSE_FROM_A_SENDER
        or rate_limits.failed_logins_in_all(connection, since) >= FALSE_IN_ALL
    ):
        return frozenset(asked & (strange | resting))
    counted = ((userid, rate_limits.failed_logins_for(connection, userid, since)) for userid in strange)
    resting |= {userid for userid, count in counted if count >= FALSE_FOR_A_USERID}
    return frozenset(asked & resting)


def count_failed_logins(
    connection: Connection, credentials: VerifiedCredentials, pending: PendingMail, now: datetime
) -> VerifiedCredentials:
    """Notes a failed login, and applies the limits again: others may have guessed meanwhile."""
    later = too_many_guesses(connection, credentials.stored_hashes, pending, now)
    if credentials.failed_claim is not None:
        rate_limits.record_failed_login(connection, credentials.failed_claim.userid, pending.mail.sender, now)
    return replace(credentials, rate_limited=credentials.rate_limited | later)
