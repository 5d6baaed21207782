"""`seek`: offer a game to whoever accepts."""

from datetime import datetime

from pbmserv.commands.changes import NewOffer
from pbmserv.commands.command import Command
from pbmserv.commands.decision import Decision
from pbmserv.commands.message import Request
from pbmserv.commands.refusals.common import BadOptionValue, UnknownOption
from pbmserv.commands.refusals.offer import TooManyOffers
from pbmserv.commands.replies.offer import Sought
from pbmserv.commands.starting import Options, read_game, read_terms
from pbmserv.games.library import games
from pbmserv.matches.open_offer import LAST_OFFER, OpenOffer, number_after
from pbmserv.matches.player import Player
from pbmserv.matches.records import Records
from pbmserv.matches.refusals import Refused

OFFERS_OF_ONE = 3

PLAYERS = "players"
LAST = "last"


def run(request: Request, records: Records, now: datetime) -> Decision | Refused:
    """Opens the offer under a number of its own."""
    seeker = request.actor.player
    if seeker is None:
        raise ValueError("an offer without a player")
    game = read_game(request.arguments.game, "seek")
    if isinstance(game, Refused):
        return game
    options = request.arguments.options
    seats = _seats(game, options)
    if isinstance(seats, Refused):
        return seats
    of_match = tuple((name, value) for name, value in options if name not in (PLAYERS, LAST))
    terms = read_terms(game, of_match, seats, "seek", more=(PLAYERS, LAST))
    if isinstance(terms, Refused):
        return terms
    if dict(options).get(LAST):
        return UnknownOption(game=game, options=(PLAYERS, LAST), command="seek")
    number = _number(seeker, records)
    if isinstance(number, Refused):
        return number
    moves_last = LAST in dict(options)
    facts = (terms.game, terms.options, terms.rated, terms.clock, seats, moves_last)
    new = NewOffer(number, seeker.id, *facts)
    return Decision(Sought(OpenOffer(0, number, seeker.userid, *facts, made=now)), changes=(new,))


def _seats(game: str, options: Options) -> int | Refused:
    info = games()[game].info
    choices = tuple(str(count) for count in range(info.least_seats, info.most_seats + 1))
    wanted = dict.fromkeys(value for name, value in options if name == PLAYERS)
    if not wanted:
        return info.least_seats
    value = " ".join(wanted)
    if value not in choices:
        return BadOptionValue(game=game, name=PLAYERS, choices=choices, userids=())
    return int(value)


def _number(seeker: Player, records: Records) -> int | Refused:
    offers = records.open_offers()
    own = tuple(offer.number for offer in offers if offer.seeker == seeker.userid)
    if len(own) >= OFFERS_OF_ONE:
        return TooManyOffers(limit=OFFERS_OF_ONE, own=own)
    number = number_after(records.last_offer_number(), frozenset(offer.number for offer in offers))
    return TooManyOffers(limit=LAST_OFFER, own=()) if number is None else number


command = Command(
    name="seek",
    kind="opening",
    forms=("[game] seek [-options]", "seek game [-options]"),
    summary="offer a game to whoever accepts",
    example="cephalopod seek",
    run=run,
)
