"""Guessing at passwords comes to an end: after many wrong ones no password in a mail proves anything for a while.

A right one neither, else whoever guesses would learn it then. Answers to our mails go on proving who wrote them.

Who writes from an address of their own is not shut out by what others guess: there only the wrong passwords from
that very address count. Whoever forges it can shut its owner's password out there, for an hour, and nowhere else.
"""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import Connection

from pbmserv.services.identify import Proofs
from pbmserv.services.incoming import Opened
from pbmserv.store import false_claims

FALSE_FOR_A_USERID: Final = 10
FALSE_FROM_HOME: Final = 10
"""From an address of the player whose userid it is."""

FALSE_FROM_A_SENDER: Final = 20
"""So many in an hour: From addresses are forged easily, and guesses come from many."""

FALSE_IN_ALL: Final = 200
"""An hour: each costs as much as some ten mails. Then only those count who write from an address of their own."""

_WHILE: Final = timedelta(hours=1)


def unheard(connection: Connection, userids: Iterable[str], opened: Opened, now: datetime) -> frozenset[str]:
    """Those of these userids, in lower case, whose passwords prove nothing in that mail."""
    asked, since = {userid.lower() for userid in userids}, now - _WHILE
    if not asked:
        return frozenset()
    sender, standing = opened.mail.sender, opened.standing
    home = standing.player.userid.lower() if standing.player else None
    # Whose domain stands for the mail has forged nothing.
    at_home = 0 if standing.is_believed else false_claims.count_pair(connection, home or "", sender, since)
    resting = {home} if at_home >= FALSE_FROM_HOME else set()
    strange = asked - {home}
    if strange and (
        false_claims.count_from(connection, sender, since) >= FALSE_FROM_A_SENDER
        or false_claims.count_all(connection, since) >= FALSE_IN_ALL
    ):
        return frozenset(asked & (strange | resting))
    counted = ((userid, false_claims.count_for(connection, userid, since)) for userid in strange)
    resting |= {userid for userid, count in counted if count >= FALSE_FOR_A_USERID}
    return frozenset(asked & resting)


def reckoned(connection: Connection, proofs: Proofs, opened: Opened, now: datetime) -> Proofs:
    """The proofs as they count under the lock, others having guessed meanwhile; notes what is false."""
    later = unheard(connection, proofs.seen, opened, now)
    if proofs.false_claim is not None:
        false_claims.note(connection, proofs.false_claim.userid, opened.mail.sender, now)
    return replace(proofs, unheard=proofs.unheard | later)
