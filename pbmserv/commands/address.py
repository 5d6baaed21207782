"""`signup`, `add` and `change address`: opens an account, and adds or changes its mail addresses.

A new address is asked to confirm first; `yes_no` handles its `yes`.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import islice
from typing import Final, Literal

from pbmserv.commands.changes import NewPlayer
from pbmserv.commands.command import (
    Command,
    Confirmation,
    Decision,
    NotOurPlayer,
    Question,
    Reply,
    Request,
)
from pbmserv.commands.server import Server
from pbmserv.commands.vocabulary import is_address, is_kept_back, is_userid, names_like, skeleton
from pbmserv.matches.errors import CommandError
from pbmserv.matches.player import PersonalQuestion, Player
from pbmserv.matches.queries import Queries


class AddressAsked(Reply):
    """To the player: a mail was sent to `address`, and must be answered from there."""

    address: str


class AddressWanted(Reply):
    """The question to a new address of `userid`; it takes the place of the first one when it `is_first`."""

    userid: str
    address: str
    is_first: bool


class MayTakeBack(Reply):
    """To the first address of `userid`: a new address was added, or, with `is_first`, replaces it."""

    userid: str
    address: str
    is_first: bool


class AlsoYours(Reply):
    """The question to a player's first address: a mail answering one of theirs came from `address`. Its commands,
    `lines`, wait for the answer."""

    address: str
    lines: tuple[str, ...] = ()


class NotAnAddress(CommandError):
    """The text after `command` is not an address."""

    command: str


class OurAddress(CommandError):
    """`address` is one of the server's own."""

    address: str


class AddressIsYours(CommandError):
    """The address is already the player's; `is_first` if mail goes there."""

    address: str
    is_first: bool


class TooManyAddresses(CommandError):
    """The player has `limit` addresses, or (`are_asked`) `limit` unanswered questions to new ones.

    `last` is one of the player's addresses, and not the first unless it is the only one.
    """

    limit: int
    are_asked: bool
    last: str


MOST_ADDRESSES: Final = 10
MOST_ASKED: Final = 5
"""The most addresses asked at a time for one player, so that our questions cannot be used as a mail bomb."""

TAKEN_BACK_WITHIN: Final = timedelta(days=7)
"""The same time as any question stays open."""

Place = Literal["address", "first address"]


def ask_address(request: Request, records: Queries, place: Place) -> Decision:
    """Mails the named address the question whether it is the player's, unless that is refused.

    An address of another account, confirmed or not, is not asked; the answer is the same, so that it does not
    reveal who plays here.
    """
    player, address = request.player, request.arguments.address.lower()
    _require_new_address(request, records)
    owner = records.owner_of(address)
    if owner is not None and owner.id != player.id:
        return Decision(AddressAsked(address))
    confirmation = Confirmation(
        kind=place, userid=player.userid, address=address, about=f"{place} {player.userid} {address}"
    )
    words = AddressWanted(player.userid, address, is_first=place == "first address")
    return Decision(AddressAsked(address), question=Question(confirmation, words, rests_days=1))


def ask_own_address(
    player: Player, address: str, lines: tuple[str, ...] = (), shown: tuple[tuple[int, int], ...] = ()
) -> Question:
    """Asks a player at their first address whether another one is theirs too. `lines` wait for the answer; their
    writer had seen the boards in `shown`, each after that ply.
    """
    asked = Confirmation(
        kind="own address",
        userid=player.userid,
        address=player.address,
        about=f"own address {player.userid} {address}",
        lines=(address, *lines),
        shown=shown,
    )
    return Question(asked, AlsoYours(address, lines))


def tell_first(player: Player, address: str, is_first: bool, records: Queries, now: datetime) -> Question:
    """The mail to a player's first address about a new one, which can be answered with `no`."""
    stay = tuple(each for each in records.addresses(player) if each != address)
    told = Confirmation(
        kind="take back",
        userid=player.userid,
        address=player.address,
        about=f"take back {player.userid} {address} {now.isoformat()}",
        lines=stay,
    )
    return Question(told, MayTakeBack(player.userid, address, is_first), is_due=True)


def takes_back(player: Player, records: Queries, now: datetime) -> Sequence[PersonalQuestion]:
    """The address changes that a player can still take back, the oldest first."""
    open_since = now - TAKEN_BACK_WITHIN
    found = (each for each in records.questions(player) if each.kind == "take back" and each.asked > open_since)
    # Of two that came in one moment the older one knows fewer addresses.
    return sorted(found, key=lambda each: (each.asked, len(each.lines)))


def unanswered(address: str, player: Player, records: Queries) -> tuple[int, ...]:
    """The unconfirmed account, if any, that holds an address which has just been shown to be the player's."""
    owner = records.owner_of(address)
    return () if owner is None or owner.id == player.id or owner.is_confirmed else (owner.id,)


def _require_new_address(request: Request, records: Queries) -> None:
    player, address = request.player, request.arguments.address.lower()
    if not is_address(address):
        raise NotAnAddress(command=request.command.name)
    if request.server.owns(address):
        raise OurAddress(address=address)
    theirs = records.addresses(player)
    if address == player.address or (request.command.name == "add" and address in theirs):
        raise AddressIsYours(address=address, is_first=address == player.address)
    if request.command.name == "add" and len(theirs) >= MOST_ADDRESSES:
        raise TooManyAddresses(limit=MOST_ADDRESSES, are_asked=False, last=theirs[-1])
    asked = [each.address for each in records.questions(player) if "address" in each.kind]
    if address not in asked and len(set(asked)) >= MOST_ASKED:
        raise TooManyAddresses(limit=MOST_ASKED, are_asked=True, last=theirs[-1])


def run_add(request: Request, records: Queries, now: datetime) -> Decision:
    """Asks the address; it becomes the player's with a `yes` from there."""
    return ask_address(request, records, "address")


add_command = Command(
    name="add",
    forms=("add [userid password] address",),
    summary="add another email address of yours",
    example="add alice@work.example",
    run=run_add,
)


def run_change_address(request: Request, records: Queries, now: datetime) -> Decision:
    """Asks the new address, even if it is the player's already: its `yes` shows that mail arrives there."""
    return ask_address(request, records, "first address")


change_address_command = Command(
    name="change address",
    forms=("change address [userid password] address",),
    summary="have your mail go to another address",
    example="change address alice@home.example",
    run=run_change_address,
)


class SignedUp(Reply):
    """An account was opened with a confirmed address: the server's mail goes there.

    It has no password if none was chosen, or if several were and it is unclear whose counts.
    """

    userid: str
    address: str
    has_password: bool = False


class AccountOpened(Reply):
    """To the sender of a `signup`: a mail was sent to the account's address, and must be answered from there."""

    userid: str
    address: str


class Welcome(Reply):
    """The first mail to a new address: asks for an answer, either a first move or `yes`."""

    userid: str
    address: str


class UseridTaken(CommandError):
    """The name `userid`, or a similar one (`like`), is taken; those in `free` are not."""

    userid: str
    like: str
    free: tuple[str, ...]


class BadUserid(CommandError):
    """The word cannot be a userid, because of its form or because it means something else; `free` can."""

    why: Literal["form", "reserved"]
    free: tuple[str, ...]


class BadAddress(CommandError):
    """The word in an address's place is not a mail address."""


class AddressTaken(CommandError):
    """The address already belongs to a player; only a mail to that address names the `userid`."""

    address: str
    userid: str | None


ASKED_AGAIN_AFTER: Final = timedelta(days=1)
"""An address that does not answer is asked at most once a day."""

HELD_UNCONFIRMED: Final = timedelta(days=7)
"""How long a userid is kept for an account that has not answered yet."""


def run_signup(request: Request, records: Queries, now: datetime) -> Decision:
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
        # One who names another's address gets the same answer, whether it is taken or not.
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
        question=Question(asked, Welcome(userid, address)),
    )


def _namesake(userid: str, address: str, records: Queries, now: datetime) -> Player | None:
    """A player with this or a similar name; expired unconfirmed accounts do not count."""
    for each in sorted(
        records.named_like(skeleton(userid)), key=lambda each: each.userid.lower() != userid.lower()
    ):
        is_there = each.is_confirmed or records.signed_up(each) > now - HELD_UNCONFIRMED
        if is_there and (each.is_confirmed or each.address != address):
            return each
    return None


def free_names(userid: str, address: str, server: Server, records: Queries) -> tuple[str, ...]:
    """Free names to suggest, given the wanted name and the address."""
    names = names_like(userid, address, server)
    return tuple(islice((name for name in names if not records.named_like(skeleton(name))), 2))


signup_command = Command(
    name="signup",
    kind="signup",
    forms=("signup userid [password] [address]",),
    summary="open an account for your mail address",
    example="signup alice",
    run=run_signup,
)
