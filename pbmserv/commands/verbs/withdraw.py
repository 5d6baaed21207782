"""`withdraw`: take an open offer back, or step back from one that was accepted and still waits."""

from datetime import datetime

from pbmserv.commands.changes import EndedOffer, LeftOffer
from pbmserv.commands.command import Command
from pbmserv.commands.decision import Decision
from pbmserv.commands.message import Request
from pbmserv.commands.open_offers import told_of_end
from pbmserv.commands.refusals.offer import NoSuchOffer, NotYourOffer
from pbmserv.commands.replies.offer import OfferWithdrawn, SteppedBack
from pbmserv.matches.records import Records
from pbmserv.matches.refusals import Refused


def run(request: Request, records: Records, now: datetime) -> Decision | Refused:
    """Closes the sender's own offer, or gives the sender's seat in another one free."""
    player, number = request.actor.player, request.arguments.offer
    if player is None or number is None:
        raise ValueError("an offer is withdrawn without a player or a number")
    offer = records.offer(number)
    if offer is None or offer.status != "open":
        own = tuple(each for each in records.open_offers() if player.userid in each.players)
        match = offer.match if offer else None
        return NoSuchOffer(number=number, command="withdraw", match=match, offers=own)
    if offer.seeker == player.userid:
        tells = tuple(told_of_end(offer))
        changes = (EndedOffer(offer.id, "withdrawn"),)
        return Decision(OfferWithdrawn(number, offer.joined), changes=changes, tells=tells)
    if player.userid not in offer.joined:
        return NotYourOffer(number=number, seeker=offer.seeker)
    return Decision(SteppedBack(number, offer.seeker), changes=(LeftOffer(offer.id, player.id),))


command = Command(
    name="withdraw",
    kind="opening",
    forms=("withdraw offer",),
    summary="take back an open offer, or your seat in one",
    example="withdraw 99",
    run=run,
)
