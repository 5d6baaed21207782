"""`seek`: offer a game to whoever accepts."""

from dataclasses import dataclass
from datetime import datetime

from pbmserv.commands.base.changes import NewOffer
from pbmserv.commands.base.decision import Decision, Reply
from pbmserv.commands.base.new_game import (
    BadOptionValue,
    Options,
    UnknownOption,
    read_game,
    read_terms,
    require_offered,
)
from pbmserv.commands.base.registry import PlayerCommand
from pbmserv.commands.base.request import PlayerRequest
from pbmserv.games import games
from pbmserv.matches.errors import CommandError
from pbmserv.matches.open_offer import LAST_OFFER, OpenOffer, number_after
from pbmserv.matches.player import Player
from pbmserv.matches.queries import Queries


@dataclass(frozen=True, slots=True)
class SeekArguments:
    """A game and its options."""

    game: str | None
    options: tuple[tuple[str, str], ...]


class OfferOpened(Reply):
    """The sender's offer is open."""

    offer: OpenOffer


class TooManyOffers(CommandError):
    """So many offers may be open: the sender's own, which are `own`, or (then it is empty) all there are."""

    limit: int
    own: tuple[int, ...]


OFFERS_OF_ONE = 3

PLAYERS = "players"
LAST = "last"


def run(request: PlayerRequest[SeekArguments], records: Queries, now: datetime) -> Decision:
    """Opens the offer under a number of its own."""
    seeker = request.player
    game = read_game(request.arguments.game, "seek", request.server)
    options = request.arguments.options
    seats = _seats(game, options)
    of_match = tuple((name, value) for name, value in options if name not in (PLAYERS, LAST))
    terms = read_terms(game, of_match, seats, "seek", more=(PLAYERS, LAST))
    if dict(options).get(LAST):
        raise UnknownOption(game=game, options=(PLAYERS, LAST), command="seek")
    require_offered(terms, request.server)
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
        raise BadOptionValue(game=game, name=PLAYERS, choices=choices, userids=())
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


command = PlayerCommand(
    name="seek",
    kind="opening",
    forms=("[game] seek [-options]", "seek game [-options]"),
    summary="offer a game to anyone who accepts",
    example="cephalopod seek",
    arguments=SeekArguments,
    run=run,
    help="commands/seek.txt:help_seek",
)
