"""Guessing at passwords comes to an end: after many wrong ones no password in a mail proves anything for a while.

A right one neither, else whoever guesses would learn it then. Answers to our mails go on proving who wrote them.
"""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import Connection

from pbmserv.services.identify import Proofs
from pbmserv.store import false_claims

FALSE_FOR_A_USERID: Final = 10
FALSE_FROM_A_SENDER: Final = 20
"""So many in an hour: From addresses are forged easily, and guesses come from many."""

_WHILE: Final = timedelta(hours=1)


def unheard(connection: Connection, userids: Iterable[str], sender: str | None, now: datetime) -> frozenset[str]:
    """Those of these userids, in lower case, whose passwords prove nothing in a mail from that sender."""
    asked, since = {userid.lower() for userid in userids}, now - _WHILE
    if not asked:
        return frozenset()
    if false_claims.count_from(connection, sender, since) >= FALSE_FROM_A_SENDER:
        return frozenset(asked)
    counted = ((userid, false_claims.count_for(connection, userid, since)) for userid in asked)
    return frozenset(userid for userid, count in counted if count >= FALSE_FOR_A_USERID)


def reckoned(connection: Connection, proofs: Proofs, sender: str | None, now: datetime) -> Proofs:
    """The proofs as they count under the lock, others having guessed meanwhile; notes what is false."""
    later = unheard(connection, proofs.seen, sender, now)
    if proofs.false_claim is not None:
        false_claims.note(connection, proofs.false_claim.userid, sender, now)
    return replace(proofs, unheard=proofs.unheard | later)
