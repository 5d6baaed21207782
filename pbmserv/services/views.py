"""Looking: what the web pages and the operator's tables are made from. Nothing here writes."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from pbmserv.matches.match import Match
from pbmserv.matches.open_offer import OpenOffer
from pbmserv.matches.player import Player
from pbmserv.matches.records import Listing, Wanted
from pbmserv.matches.replay import replay
from pbmserv.matches.state import State
from pbmserv.rendering.board import BoardView, view_board
from pbmserv.services.house import House
from pbmserv.store import inbox, matches, offers, outbox, players, turn_timing
from pbmserv.store.engine import reading
from pbmserv.store.inbox import Kept
from pbmserv.store.outbox import Queued


@dataclass(frozen=True, slots=True)
class SeenBoard:
    """A match, its state, and the view for anybody with all its moves."""

    match: Match
    state: State
    view: BoardView


def see_boards(house: House, wanted: Wanted) -> Listing:
    """A page of the listing of boards."""
    with reading(house.engine) as connection:
        return matches.listing(connection, wanted)


def see_offers(house: House, game: str | None) -> Sequence[OpenOffer]:
    """The open offers of a game, or of all, by number."""
    with reading(house.engine) as connection:
        return [offer for offer in offers.all_open(connection) if game in (None, offer.game)]


def see_board(house: House, number: int, now: datetime | None = None) -> SeenBoard | None:
    """One board with all its moves, and the time that is left at a moment; None when there is no such board."""
    with reading(house.engine) as connection:
        match = matches.load(connection, number)
        if match is None:
            return None
        board = replay(match)
        timing = None if now is None else turn_timing.timing(connection, board, now)
    return SeenBoard(board.match, board.state, view_board(board, whole=True, timing=timing))


def see_userid(house: House, typed: str) -> str | None:
    """A userid as its owner writes it, whatever case it was typed in; None when nobody has it."""
    with reading(house.engine) as connection:
        player = players.find(connection, typed)
    return None if player is None else player.userid


def see_similar_userids(house: House, typed: str) -> Sequence[str]:
    """The userids that it may be a slip for, best first, at most three."""
    with reading(house.engine) as connection:
        return players.similar(connection, typed)


def see_players(house: House) -> Sequence[Player]:
    """Everybody who has an account, by userid."""
    with reading(house.engine) as connection:
        return players.everybody(connection)


def see_inbox(house: House, status: str | None, count: int) -> Sequence[Kept]:
    """The newest mails of a status, or of any."""
    with reading(house.engine) as connection:
        return inbox.listing(connection, status, count)


def see_outbox(house: House, status: str | None, count: int) -> Sequence[Queued]:
    """The newest outgoing mails of a status, or of any."""
    with reading(house.engine) as connection:
        return outbox.listing(connection, status, count)
