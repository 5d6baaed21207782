"""What the commands about addresses have in common: may a player ask for one, the question to it, the way back.

Whoever is a player's first address is told of each new one and can take it back for a week, whatever has happened
meanwhile: a thief may have changed it more than once. So each such mail knows the addresses that were there before
it, the oldest to an address is the one that counts, and nothing but an older one can close it.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final, Literal

from pbmserv.commands.confirmation import Confirmation
from pbmserv.commands.decision import Decision, Question
from pbmserv.commands.message import Request
from pbmserv.commands.refusals.account import AddressIsYours, NotAnAddress, OurAddress, TooManyAddresses
from pbmserv.commands.replies.account import AddressAsked, AddressWanted, MayTakeBack
from pbmserv.commands.words import is_address
from pbmserv.matches.kept import KeptQuestion
from pbmserv.matches.player import Player
from pbmserv.matches.records import Records
from pbmserv.matches.refusals import Refused

MOST_ADDRESSES: Final = 10
MOST_ASKED: Final = 5
"""Addresses that may be asked at a time for one player: our questions must not become a bomb."""

TAKEN_BACK_WITHIN: Final = timedelta(days=7)
"""As long as any question is open."""

Place = Literal["address", "first address"]


def ask_address(request: Request, player: Player, records: Records, place: Place) -> Decision | Refused:
    """Mails the address named the question whether it is the player's, unless something speaks against it.

    One that is another's, answered for or not, is not asked, and who named it is told the same: it is nobody's
    business who plays here.
    """
    address = request.arguments.address.lower()
    refused = _refused(request, player, records)
    if refused is not None:
        return refused
    owner = records.owner_of(address)
    if owner is not None and owner.id != player.id:
        return Decision(AddressAsked(address))
    confirmation = Confirmation(
        kind=place, userid=player.userid, address=address, about=f"{place} {player.userid} {address}"
    )
    words = AddressWanted(player.userid, address, is_first=place == "first address")
    return Decision(AddressAsked(address), question=Question(confirmation, words, rests_days=1))


def tell_first(player: Player, address: str, is_first: bool, records: Records, now: datetime) -> Question:
    """What a player's first address is told of a new one, and can answer with `no`."""
    stay = tuple(each for each in records.addresses(player) if each != address)
    told = Confirmation(
        kind="take back",
        userid=player.userid,
        address=player.address,
        about=f"take back {player.userid} {address} {now.isoformat()}",
        lines=stay,
    )
    return Question(told, MayTakeBack(player.userid, address, is_first), is_due=True)


def takes_back(player: Player, records: Records, now: datetime) -> Sequence[KeptQuestion]:
    """What can still be taken back of a player's addresses, the oldest first."""
    open_since = now - TAKEN_BACK_WITHIN
    found = (each for each in records.questions(player) if each.kind == "take back" and each.asked > open_since)
    # Of two that came in one moment the older one knows fewer addresses.
    return sorted(found, key=lambda each: (each.asked, len(each.lines)))


def unanswered(address: str, player: Player, records: Records) -> tuple[int, ...]:
    """Whose account is in the way of an address that has just shown itself to be the player's, though nobody has
    ever answered for it."""
    owner = records.owner_of(address)
    return () if owner is None or owner.id == player.id or owner.is_confirmed else (owner.id,)


def _refused(request: Request, player: Player, records: Records) -> Refused | None:
    address = request.arguments.address.lower()
    if not is_address(address):
        return NotAnAddress(command=request.command.name)
    if request.server is not None and request.server.owns(address):
        return OurAddress(address=address)
    theirs = records.addresses(player)
    if address == player.address or (request.command.name == "add" and address in theirs):
        return AddressIsYours(address=address, is_first=address == player.address)
    if request.command.name == "add" and len(theirs) >= MOST_ADDRESSES:
        return TooManyAddresses(limit=MOST_ADDRESSES, are_asked=False, last=theirs[-1])
    asked = [each.address for each in records.questions(player) if "address" in each.kind]
    if address not in asked and len(set(asked)) >= MOST_ASKED:
        return TooManyAddresses(limit=MOST_ASKED, are_asked=True, last=theirs[-1])
    return None
