"""`seek`, `withdraw`, and `accept` for an open offer: games for anyone who accepts."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Literal

from pbmserv.commands import new_game
from pbmserv.commands.challenge import Challenged
from pbmserv.commands.changes import EndedOffer, JoinedOffer, LeftOffer, NewOffer
from pbmserv.commands.command import Command, Decision, Remark, Reply, Request
from pbmserv.commands.lookup import find_player
from pbmserv.commands.new_game import Options, Terms
from pbmserv.games import games
from pbmserv.matches.errors import CommandError
from pbmserv.matches.log import title_of
from pbmserv.matches.open_offer import LAST_OFFER, OpenOffer, in_order_of_play, number_after
from pbmserv.matches.player import Player
from pbmserv.matches.queries import Queries
from pbmserv.matches.replay import replay


class OfferOpened(Reply):
    """The sender's offer is open."""

    offer: OpenOffer


class TooManyOffers(CommandError):
    """`limit` offers are open: the sender's own (`own`), or, if that is empty, those of everybody."""

    limit: int
    own: tuple[int, ...]


OFFERS_OF_ONE = 3

PLAYERS = "players"
LAST = "last"


def run_seek(request: Request, records: Queries, now: datetime) -> Decision:
    """Opens the offer under a number of its own."""
    seeker = request.player
    game = new_game.read_game(request.arguments.game, "seek", request.server)
    options = request.arguments.options
    seats = _seats(game, options)
    of_match = tuple((name, value) for name, value in options if name not in (PLAYERS, LAST))
    terms = new_game.read_terms(game, of_match, seats, "seek", more=(PLAYERS, LAST))
    if dict(options).get(LAST):
        raise new_game.UnknownOption(game=game, options=(PLAYERS, LAST), command="seek")
    new_game.require_offered(terms, request.server)
    number = _number(seeker, records)
    moves_last = LAST in dict(options)
    # Robots accept no offers, so it is for people.
    is_rated = terms.rated is not False
    facts = (terms.game, terms.options, is_rated, terms.clock, seats, moves_last)
    new = NewOffer(number, seeker.id, *facts)
    return Decision(OfferOpened(OpenOffer(0, number, seeker.userid, *facts, made=now)), changes=(new,))


def _seats(game: str, options: Options) -> int:
    info = games()[game].info
    choices = tuple(str(count) for count in range(info.least_seats, info.most_seats + 1))
    wanted = dict.fromkeys(value for name, value in options if name == PLAYERS)
    if not wanted:
        return info.least_seats
    value = " ".join(wanted)
    if value not in choices:
        raise new_game.BadOptionValue(game=game, name=PLAYERS, choices=choices, userids=())
    return int(value)


def _number(seeker: Player, records: Queries) -> int:
    offers = records.open_offers()
    own = tuple(offer.number for offer in offers if offer.seeker == seeker.userid)
    if len(own) >= OFFERS_OF_ONE:
        raise TooManyOffers(limit=OFFERS_OF_ONE, own=own)
    number = number_after(records.last_offer_number(), frozenset(offer.number for offer in offers))
    if number is None:
        raise TooManyOffers(limit=LAST_OFFER, own=())
    return number


seek_command = Command(
    name="seek",
    kind="opening",
    forms=("[game] seek [-options]", "seek game [-options]"),
    summary="offer a game to anyone who accepts",
    example="cephalopod seek",
    run=run_seek,
)


class JoinedIn(Reply):
    """The sender has accepted an offer that still waits for others; `offer` includes the sender."""

    offer: OpenOffer


class OfferTaken(Reply, place="below"):
    """Offer `number` of `seeker` became a match: told to the players who had accepted it before the last one."""

    number: int
    seeker: str


class OfferWithdrawn(Reply):
    """The sender's offer is no longer open."""

    number: int
    joined: tuple[str, ...]


class SteppedBack(Reply):
    """The sender has given up their seat in an offer of `seeker`."""

    number: int
    seeker: str


class OfferGone(Reply):
    """To a player who had accepted an offer: `seeker` has withdrawn it."""

    number: int
    game: str
    seeker: str


class NoSuchOffer(CommandError):
    """Offer `number` is not open; it may have become `match`. `offers` would work with `command`."""

    number: int
    command: Literal["accept", "withdraw"]
    match: int | None
    offers: tuple[OpenOffer, ...]


class OwnOffer(CommandError):
    """The sender's own offer cannot be accepted by the sender."""

    number: int


class AlreadyJoined(CommandError):
    """The sender has accepted that offer already, and it still waits for others."""

    offer: OpenOffer


class YouBlocked(CommandError):
    """The sender has blocked `userid`, who takes part in the offer."""

    number: int
    userid: str


class NotYourOffer(CommandError):
    """The sender takes no part in that offer of `seeker`."""

    number: int
    seeker: str


MOST_LISTED = 5


def accept_offer(request: Request, number: int, records: Queries, now: datetime) -> Decision:
    """Takes a seat in offer `number`; if it was the last one, the match begins."""
    player = request.player
    offer = records.offer(number)
    if offer is None or offer.status != "open":
        others = [each for each in records.open_offers() if player.userid not in each.players]
        match = offer.match if offer else None
        raise NoSuchOffer(number=number, command="accept", match=match, offers=tuple(others[:MOST_LISTED]))
    if offer.seeker == player.userid:
        raise OwnOffer(number=number)
    if player.userid in offer.joined:
        raise AlreadyJoined(offer=offer)
    players = _players(offer, player, records)
    _require_willing(offer, players, player, records)
    new_game.require_offered(Terms(offer.game, offer.options), request.server)
    new_game.require_within_limits(players, request, records, now)
    if offer.missing > 1:
        joined = replace(offer, joined=(*offer.joined, player.userid))
        return Decision(JoinedIn(joined), changes=(JoinedOffer(offer.id, player.id),))
    return _begun(offer, players, player, records, now)


def _players(offer: OpenOffer, player: Player, records: Queries) -> tuple[Player, ...]:
    """The players, in order of play."""
    return tuple(find_player(userid, records) for userid in in_order_of_play(offer, player.userid))


def _require_willing(offer: OpenOffer, players: Sequence[Player], player: Player, records: Queries) -> None:
    """Raises if these cannot play with `player`. Unlike a challenge, an offer is open to all."""
    for other in players:
        if records.is_blocked(player.userid, by=other.userid):
            raise new_game.TakesNoChallenges(userid=other.userid)
        if records.is_blocked(other.userid, by=player.userid):
            raise YouBlocked(number=offer.number, userid=other.userid)
    new_game.require_together(players, records)


def _begun(
    offer: OpenOffer, players: Sequence[Player], player: Player, records: Queries, now: datetime
) -> Decision:
    terms = Terms(offer.game, offer.options, offer.rated, offer.clock)
    match = new_game.opened(terms, players, player, records, now)
    taken = OfferTaken(offer.number, offer.seeker)
    return Decision(
        Challenged(match.number, title_of(match), match.userids),
        opened=match,
        boards=(replay(match),),
        changes=(EndedOffer(offer.id, "taken", match.number),),
        remarks=tuple(Remark(match.number, userid, taken) for userid in offer.players),
    )


def without(
    player: Player, records: Queries
) -> tuple[tuple[EndedOffer | LeftOffer, ...], tuple[tuple[str, Reply], ...]]:
    """The changes to offers in which a leaving player takes part, and the notices about them."""
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
    """The notices to players who had accepted an offer that is withdrawn."""
    return [(userid, OfferGone(offer.number, offer.game, offer.seeker)) for userid in offer.joined]


def run_withdraw(request: Request, records: Queries, now: datetime) -> Decision:
    """Closes the sender's own offer, or frees the sender's seat in another one."""
    player, number = request.player, request.arguments.offer
    assert number is not None, "its form names an offer"
    offer = records.offer(number)
    if offer is None or offer.status != "open":
        own = tuple(each for each in records.open_offers() if player.userid in each.players)
        match = offer.match if offer else None
        raise NoSuchOffer(number=number, command="withdraw", match=match, offers=own)
    if offer.seeker == player.userid:
        tells = tuple(told_of_end(offer))
        changes = (EndedOffer(offer.id, "withdrawn"),)
        return Decision(OfferWithdrawn(number, offer.joined), changes=changes, to_players=tells)
    if player.userid not in offer.joined:
        raise NotYourOffer(number=number, seeker=offer.seeker)
    return Decision(SteppedBack(number, offer.seeker), changes=(LeftOffer(offer.id, player.id),))


withdraw_command = Command(
    name="withdraw",
    forms=("withdraw offer",),
    summary="take back an open offer, or your seat in one",
    example="withdraw 99",
    run=run_withdraw,
)
