"""Open offers: accepting one, and what goes when a player goes."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from pbmserv.commands.boards import no_such_player
from pbmserv.commands.changes import EndedOffer, JoinedOffer, LeftOffer
from pbmserv.commands.decision import Decision, Remark
from pbmserv.commands.message import Request
from pbmserv.commands.refusals.account import TakesNoChallenges
from pbmserv.commands.refusals.offer import AlreadyJoined, NoSuchOffer, OwnOffer, YouBlocked
from pbmserv.commands.replies.common import Challenged, Reply
from pbmserv.commands.replies.offer import JoinedIn, OfferGone, OfferTaken
from pbmserv.commands.starting import Terms, apart, opened, over_limits
from pbmserv.games.library import games
from pbmserv.matches.open_offer import OpenOffer, in_order_of_play
from pbmserv.matches.player import Player
from pbmserv.matches.records import Records
from pbmserv.matches.refusals import Refused
from pbmserv.matches.replay import replay

MOST_LISTED = 5


def accept_offer(request: Request, records: Records, now: datetime) -> Decision | Refused:
    """Takes a seat; when it was the last one, the match begins. The offer's number is in the request."""
    player, number = request.actor.player, request.arguments.offer
    if player is None or number is None:
        raise ValueError("an offer is accepted without a player or a number")
    offer = records.offer(number)
    if offer is None or offer.status != "open":
        others = [each for each in records.open_offers() if player.userid not in each.players]
        match = offer.match if offer else None
        return NoSuchOffer(number=number, command="accept", match=match, offers=tuple(others[:MOST_LISTED]))
    if offer.seeker == player.userid:
        return OwnOffer(number=number)
    if player.userid in offer.joined:
        return AlreadyJoined(offer=offer)
    players = _players(offer, player, records)
    if isinstance(players, Refused):
        return players
    refused = _unwilling(offer, players, player, records) or over_limits(players, player, records, now)
    if refused is not None:
        return refused
    if offer.missing > 1:
        joined = replace(offer, joined=(*offer.joined, player.userid))
        return Decision(JoinedIn(joined), changes=(JoinedOffer(offer.id, player.id),))
    return _begun(offer, players, player, records, now)


def _players(offer: OpenOffer, player: Player, records: Records) -> tuple[Player, ...] | Refused:
    """Those who play, in that order."""
    found = []
    for userid in in_order_of_play(offer, player.userid):
        each = records.player(userid)
        if each is None:
            return no_such_player(userid, records)
        found.append(each)
    return tuple(found)


def _unwilling(offer: OpenOffer, players: Sequence[Player], player: Player, records: Records) -> Refused | None:
    """Why these cannot sit at one board with `player`. That one takes no challenges is no reason: this is none."""
    for other in players:
        if records.is_blocked(player.userid, by=other.userid):
            return TakesNoChallenges(userid=other.userid)
        if records.is_blocked(other.userid, by=player.userid):
            return YouBlocked(number=offer.number, userid=other.userid)
    return apart(players, records)


def _begun(
    offer: OpenOffer, players: Sequence[Player], player: Player, records: Records, now: datetime
) -> Decision:
    terms = Terms(offer.game, offer.options, offer.rated, offer.clock)
    match = opened(terms, players, player, records, now)
    taken = OfferTaken(offer.number, offer.seeker)
    return Decision(
        Challenged(match.number, games()[offer.game].info, match.userids),
        opened=match,
        boards=(replay(match),),
        changes=(EndedOffer(offer.id, "taken", match.number),),
        remarks=tuple(Remark(match.number, userid, taken) for userid in offer.players),
    )


def without(
    player: Player, records: Records
) -> tuple[tuple[EndedOffer | LeftOffer, ...], tuple[tuple[str, Reply], ...]]:
    """What becomes of the offers in which a player who goes has a part, and who is to be told of it."""
    changes: list[EndedOffer | LeftOffer] = []
    tells: list[tuple[str, Reply]] = []
    for offer in records.open_offers():
        if offer.seeker == player.userid:
            changes.append(EndedOffer(offer.id, "withdrawn"))
            tells += told_of_end(offer)
        elif player.userid in offer.joined:
            changes.append(LeftOffer(offer.id, player.id))
    return tuple(changes), tuple(tells)


def told_of_end(offer: OpenOffer) -> list[tuple[str, Reply]]:
    """What those who wait are told when an offer is withdrawn."""
    return [(userid, OfferGone(offer.number, offer.game, offer.seeker)) for userid in offer.joined]
