"""`signup`: open an account."""

from datetime import datetime, timedelta
from itertools import islice
from typing import Final

from pbmserv.commands.changes import NewPlayer
from pbmserv.commands.command import Command
from pbmserv.commands.confirmation import Confirmation
from pbmserv.commands.decision import Decision, Question
from pbmserv.commands.message import Request
from pbmserv.commands.names import is_kept_back, names_like, skeleton
from pbmserv.commands.refusals.account import OurAddress
from pbmserv.commands.refusals.common import (
    AddressTaken,
    BadAddress,
    BadUserid,
    NotOurPlayer,
    UseridTaken,
)
from pbmserv.commands.replies.common import AccountOpened, SignedUp, Welcome
from pbmserv.commands.words import is_address, is_userid
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
    sender = request.actor.address
    address = (request.arguments.address or sender or "").lower()
    if not address:
        return NotOurPlayer(command="signup")
    if not is_userid(userid):
        return BadUserid(why="form", free=_free("", request, records))
    if is_kept_back(userid, request.server):
        return BadUserid(why="reserved", free=_free(userid, request, records))
    if address != sender and not is_address(address):
        return BadAddress()
    if request.server is not None and request.server.owns(address):
        return OurAddress(address=address)
    other = _namesake(userid, address, records, now)
    taken = UseridTaken(userid=userid, like=other.userid, free=_free(userid, request, records)) if other else None
    owner = records.owner_of(address)
    if owner is not None and owner.is_confirmed and address == sender:
        return AddressTaken(address=address, userid=owner.userid)
    if taken is not None:
        return taken
    if owner is not None and (owner.is_confirmed or records.signed_up(owner) > now - ASKED_AGAIN_AFTER):
        # Who names another's address is told the same, whoever has it.
        return Decision(AccountOpened(userid, address))
    if request.password_hash is None:
        raise ValueError("a sign-up without a password")
    is_confirmed = request.is_believed and address == sender
    in_the_way = {each.id for each in (owner, records.player(userid)) if each is not None}
    replaced = tuple(sorted(in_the_way))
    account = NewPlayer(userid, address, request.password_hash, is_confirmed, replaced)
    if is_confirmed:
        return Decision(SignedUp(userid, address), changes=(account,))
    asked = Confirmation("sign-up", userid, address, about=f"sign-up {address}")
    return Decision(
        AccountOpened(userid, address), changes=(account,), question=Question(asked, Welcome(userid, address))
    )


def _namesake(userid: str, address: str, records: Records, now: datetime) -> Player | None:
    """Somebody else who is called so, or nearly so; whoever has not answered in time is nobody."""
    for each in sorted(
        records.named_like(skeleton(userid)), key=lambda each: each.userid.lower() != userid.lower()
    ):
        is_there = each.is_confirmed or records.signed_up(each) > now - HELD_UNCONFIRMED
        if is_there and (each.is_confirmed or each.address != address):
            return each
    return None


def _free(userid: str, request: Request, records: Records) -> tuple[str, ...]:
    names = names_like(userid, request.actor.address or "", request.server)
    return tuple(islice((name for name in names if not records.named_like(skeleton(name))), 2))


command = Command(
    name="signup",
    kind="signup",
    forms=("signup userid password [address]",),
    summary="open an account for your mail address",
    example="signup alice sesame",
    run=run,
)
