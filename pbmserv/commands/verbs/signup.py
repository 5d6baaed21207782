"""`signup`: open an account."""

from datetime import datetime

from pbmserv.commands.command import Command
from pbmserv.commands.decision import Decision, NewPlayer
from pbmserv.commands.library import commands
from pbmserv.commands.message import Request
from pbmserv.commands.refusals import (
    AddressTaken,
    BadAddress,
    BadUserid,
    NotOurPlayer,
    SignUpFromThere,
    UseridTaken,
)
from pbmserv.commands.replies import SignedUp
from pbmserv.commands.words import is_address, is_reserved, is_userid
from pbmserv.matches.records import Records
from pbmserv.matches.refusals import Refused


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
    if address != sender and not request.may_sign_up_elsewhere:
        return SignUpFromThere(userid=userid, address=address)
    owner = records.player_at(address)
    if owner is not None:
        return AddressTaken(address=address, userid=owner.userid if address == sender else None)
    if records.player(userid) is not None:
        return UseridTaken(userid=userid, free=_free(userid, records))
    if request.password_hash is None:
        raise ValueError("a sign-up without a password")
    return Decision(SignedUp(userid, address), account=NewPlayer(userid, address, request.password_hash))


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
