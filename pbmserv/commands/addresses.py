"""What `add` and `change address` have in common: may a player ask for this address, and the question to it."""

from typing import Final, Literal

from pbmserv.commands.confirmation import Confirmation
from pbmserv.commands.decision import Decision, Question
from pbmserv.commands.message import Request
from pbmserv.commands.refusals.account import (
    AddressIsYours,
    AddressNotFree,
    NotAnAddress,
    TooManyAddresses,
)
from pbmserv.commands.replies.account import AddressAsked, AddressWanted
from pbmserv.commands.words import is_address
from pbmserv.matches.player import Player
from pbmserv.matches.records import Records
from pbmserv.matches.refusals import Refused

MOST_ADDRESSES: Final = 10
MOST_ASKED: Final = 5
"""Addresses that may be asked at a time for one player: our questions must not become a bomb."""

Place = Literal["address", "first address"]


def ask_address(request: Request, player: Player, records: Records, place: Place) -> Decision | Refused:
    """Mails the address named the question whether it is the player's, unless something speaks against it."""
    address = request.arguments.address.lower()
    refused = _refused(request, player, records)
    if refused is not None:
        return refused
    confirmation = Confirmation(
        kind=place, userid=player.userid, address=address, about=f"{place} {player.userid} {address}"
    )
    words = AddressWanted(player.userid, address, is_first=place == "first address")
    return Decision(AddressAsked(address), question=Question(confirmation, words, rests_days=1))


def _refused(request: Request, player: Player, records: Records) -> Refused | None:
    address = request.arguments.address.lower()
    if not is_address(address):
        return NotAnAddress(address=address[:80], command=request.command.name)
    theirs = records.addresses(player)
    if address in theirs:
        return AddressIsYours(address=address, is_first=address == player.address)
    if records.owner_of(address) is not None:
        return AddressNotFree(address=address)
    if request.command.name == "add" and len(theirs) >= MOST_ADDRESSES:
        return TooManyAddresses(limit=MOST_ADDRESSES, are_asked=False, last=theirs[-1])
    asked = [each.address for each in records.questions(player) if "address" in each.kind]
    if address not in asked and len(set(asked)) >= MOST_ASKED:
        return TooManyAddresses(limit=MOST_ASKED, are_asked=True, last=theirs[-1])
    return None
