"""`no`: what was asked about will not be done, or a change of addresses that was told is taken back."""

from datetime import datetime

from pbmserv.commands.addresses import takes_back, unanswered
from pbmserv.commands.boards import waiting_boards
from pbmserv.commands.changes import Erased, RestoredAddress, RevokedWords
from pbmserv.commands.command import Command
from pbmserv.commands.confirmation import Confirmation
from pbmserv.commands.consent import nothing_to_confirm
from pbmserv.commands.decision import Decision
from pbmserv.commands.message import Request
from pbmserv.commands.refusals.common import AddressTaken
from pbmserv.commands.replies.account import AddressGone, TakenBack
from pbmserv.commands.replies.common import Dropped, NotOpened
from pbmserv.matches.player import Player
from pbmserv.matches.records import Records
from pbmserv.matches.refusals import Refused


def run(request: Request, records: Records, now: datetime) -> Decision | Refused:
    """Closes the question; an account that was only just asked for is none then."""
    asked = request.confirmation
    player = records.player(asked.userid) if asked else None
    if asked is None or player is None or (asked.kind == "sign-up" and player.is_confirmed):
        return nothing_to_confirm(request, records)
    if asked.kind == "sign-up":
        return Decision(NotOpened(player.userid), changes=(Erased(player.id),))
    if asked.kind == "take back":
        return _take_back(asked, player, records, now)
    return Decision(Dropped(asked.lines))


def _take_back(asked: Confirmation, player: Player, records: Records, now: datetime) -> Decision | Refused:
    """The addresses are those from before the first change that this address can still take back."""
    owner = records.owner_of(asked.address)
    if owner is not None and owner.id != player.id and owner.is_confirmed:
        return AddressTaken(address=asked.address, userid=None)
    oldest = next(each for each in takes_back(player, records, now) if each.address == asked.address)
    gone = tuple(each for each in records.addresses(player) if each not in (*oldest.lines, asked.address))
    replaced = unanswered(asked.address, player, records)
    waiting = waiting_boards(player, records)
    is_news = player.address != asked.address
    return Decision(
        TakenBack(player.userid, asked.address, gone, waiting.numbers, waiting.more),
        shows=waiting.refs,
        changes=(
            RestoredAddress(player.id, asked.address, oldest.lines, oldest.asked, replaced),
            RevokedWords(player.id),
        ),
        news=((player.address, AddressGone(player.userid, player.address)),) if is_news else (),
    )


command = Command(
    name="no",
    kind="token",
    forms=("no [token]",),
    summary="do not do what a mail has asked, or take back what it told",
    example="no",
    run=run,
)
