"""`signup`: open an account."""

from datetime import datetime, timedelta
from typing import Final

from pbmserv.commands.changes import NewPlayer
from pbmserv.commands.command import Command
from pbmserv.commands.confirmation import Confirmation
from pbmserv.commands.decision import Decision, Question
from pbmserv.commands.library import commands
from pbmserv.commands.message import Request
from pbmserv.commands.refusals.common import (
    AddressTaken,
    AlreadyAsked,
    BadAddress,
    BadUserid,
    NotOurPlayer,
    UseridTaken,
)
from pbmserv.commands.replies.common import AccountOpened, SignedUp, Welcome
from pbmserv.commands.words import is_address, is_reserved, is_userid
from pbmserv.matches.player import Player
from pbmserv.matches.records import Records
from pbmserv.matches.refusals import Refused

ASKED_AGAIN_AFTER: Final = timedelta(days=1)
"""An address that does not answer is asked once a day at most."""

HELD_UNCONFIRMED: Final = timedelta(days=7)
"""So long a userid is kept for whoever has not answered yet."""


def run(request: Request, records: Records, now: datetime) -> Decision | Refused:
    """Opens an account for the sender's address, or for the one named."""
    userid = request.arguments.userids[0]
    if not is_userid(userid):
        return BadUserid(userid=userid[:40], why="form")
    if is_reserved(userid, commands()):
        return BadUserid(userid=userid, why="reserved")
    sender = request.actor.address
    address = (request.arguments.address or sender or "").lower()
    if not address:
        return NotOurPlayer(command="signup")
    if address != sender and not is_address(address):
        return BadAddress(address=address[:80])
    in_the_way = _in_the_way(userid, address, sender, records, now)
    if isinstance(in_the_way, Refused):
        return in_the_way
    if request.password_hash is None:
        raise ValueError("a sign-up without a password")
    is_confirmed = request.is_believed and address == sender
    replaced = tuple(player.id for player in in_the_way)
    account = NewPlayer(userid, address, request.password_hash, is_confirmed, replaced)
    if is_confirmed:
        return Decision(SignedUp(userid, address), changes=(account,))
    asked = Confirmation("sign-up", userid, address, about=f"sign-up {address}")
    return Decision(
        AccountOpened(userid, address), changes=(account,), question=Question(asked, Welcome(userid, address))
    )


def _in_the_way(
    userid: str, address: str, sender: str | None, records: Records, now: datetime
) -> tuple[Player, ...] | Refused:
    """Accounts of that userid or address that nobody has answered for in time, or why there can be no new one."""
    owner = records.owner_of(address)
    if owner is not None and owner.is_confirmed:
        return AddressTaken(address=address, userid=owner.userid if address == sender else None)
    if owner is not None and records.signed_up(owner) > now - ASKED_AGAIN_AFTER:
        return AlreadyAsked(address=address)
    namesake = records.player(userid)
    if namesake is None or namesake == owner:
        return (owner,) if owner else ()
    if namesake.is_confirmed or records.signed_up(namesake) > now - HELD_UNCONFIRMED:
        return UseridTaken(userid=userid, free=_free(userid, records))
    return (owner, namesake) if owner else (namesake,)


def _free(userid: str, records: Records) -> tuple[str, ...]:
    base = userid[:17]
    candidates = (f"{base}{number}" for number in range(2, 100))
    free = (name for name in candidates if records.player(name) is None and not is_reserved(name, commands()))
    return tuple(name for name, _ in zip(free, range(2), strict=False))


command = Command(
    name="signup",
    kind="signup",
    forms=("signup userid password [address]",),
    summary="open an account for your mail address",
    example="signup alice sesame",
    run=run,
)
