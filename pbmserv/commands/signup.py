"""`signup`: open an account."""

from datetime import datetime, timedelta
from itertools import islice
from typing import Final, Literal

from pbmserv.commands.address import OurAddress
from pbmserv.commands.changes import NewPlayer
from pbmserv.commands.command import (
    Command,
    Confirmation,
    Decision,
    Notifications,
    NotOurPlayer,
    Question,
    Reply,
    Request,
)
from pbmserv.commands.server import Server
from pbmserv.commands.vocabulary import is_address, is_kept_back, is_userid, names_like, skeleton
from pbmserv.matches.errors import CommandError
from pbmserv.matches.player import Player
from pbmserv.matches.queries import Queries


class SignedUp(Reply):
    """An account was opened, and its address is believed: the server's mail goes there.

    Without a password where none was chosen, or more than one, and nobody can tell by whom.
    """

    userid: str
    address: str
    has_password: bool = False


class AccountOpened(Reply):
    """An account waits for an answer from its address, to which a mail has gone. It is told to whoever asked."""

    userid: str
    address: str


class Welcome(Reply):
    """The first mail to a new address: whoever reads it there is to answer, by a first move or by `yes`."""

    userid: str
    address: str


class UseridTaken(CommandError):
    """Somebody else is called `userid`, or `like` it; `free` are not taken."""

    userid: str
    like: str
    free: tuple[str, ...]


class BadUserid(CommandError):
    """The word for a userid cannot be one: its form, or that it means something else; `free` could be."""

    why: Literal["form", "reserved"]
    free: tuple[str, ...]


class BadAddress(CommandError):
    """What stood in an address's place is no mail address."""


class AddressTaken(CommandError):
    """The address already belongs to a player; `userid` is told only to the address itself."""

    address: str
    userid: str | None


ASKED_AGAIN_AFTER: Final = timedelta(days=1)
"""An address that does not answer is asked once a day at most."""

HELD_UNCONFIRMED: Final = timedelta(days=7)
"""So long a userid is kept for whoever has not answered yet."""


def run(request: Request, records: Queries, now: datetime) -> Decision:
    """Opens an account for the sender's address, or for the one named."""
    userid = request.arguments.userid
    sender = request.actor.address
    address = (request.arguments.address or sender or "").lower()
    if not address:
        raise NotOurPlayer(command="signup")
    if not is_userid(userid):
        raise BadUserid(why="form", free=free_names("", sender or "", request.server, records))
    if is_kept_back(userid, request.server):
        raise BadUserid(why="reserved", free=free_names(userid, sender or "", request.server, records))
    if address != sender and not is_address(address):
        raise BadAddress()
    if request.server.owns(address):
        raise OurAddress(address=address)
    other = _namesake(userid, address, records, now)
    owner = records.owner_of(address)
    if owner is not None and owner.is_confirmed and address == sender:
        raise AddressTaken(address=address, userid=owner.userid)
    if other is not None:
        free = free_names(userid, sender or "", request.server, records)
        raise UseridTaken(userid=userid, like=other.userid, free=free)
    if owner is not None and (owner.is_confirmed or records.signed_up(owner) > now - ASKED_AGAIN_AFTER):
        # Who names another's address is told the same, whoever has it.
        return Decision(AccountOpened(userid, address))
    is_confirmed = request.actor.is_believed and address == sender
    in_the_way = {each.id for each in (owner, records.player(userid)) if each is not None}
    replaced = tuple(sorted(in_the_way))
    account = NewPlayer(userid, address, request.password_hash, is_confirmed, replaced)
    if is_confirmed:
        return Decision(SignedUp(userid, address, account.password_hash is not None), changes=(account,))
    asked = Confirmation("sign-up", userid, address, about=f"sign-up {address}")
    return Decision(
        AccountOpened(userid, address),
        changes=(account,),
        notifications=Notifications(question=Question(asked, Welcome(userid, address))),
    )


def _namesake(userid: str, address: str, records: Queries, now: datetime) -> Player | None:
    """Somebody else who is called so, or nearly so; whoever has not answered in time is nobody."""
    for each in sorted(
        records.named_like(skeleton(userid)), key=lambda each: each.userid.lower() != userid.lower()
    ):
        is_there = each.is_confirmed or records.signed_up(each) > now - HELD_UNCONFIRMED
        if is_there and (each.is_confirmed or each.address != address):
            return each
    return None


def free_names(userid: str, address: str, server: Server, records: Queries) -> tuple[str, ...]:
    """Names that nobody has, for one who wants this name and has this address."""
    names = names_like(userid, address, server)
    return tuple(islice((name for name in names if not records.named_like(skeleton(name))), 2))


command = Command(
    name="signup",
    kind="signup",
    forms=("signup userid [password] [address]",),
    summary="open an account for your mail address",
    example="signup alice",
    run=run,
)
