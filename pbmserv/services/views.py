"""What web pages and the command line show: boards, listings, players, mails. Nothing here writes."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from sqlalchemy import Connection

from pbmserv.matches.evaluations import Evaluation
from pbmserv.matches.open_offer import OpenOffer
from pbmserv.matches.player import Player
from pbmserv.matches.queries import BoardSearch, Listing, ListingQuery, Profile, RatedGame, SearchPage
from pbmserv.matches.ratings import Pool, Section, Standings
from pbmserv.matches.replay import GameState
from pbmserv.rendering.board import BoardView, view_board
from pbmserv.services.app import App
from pbmserv.store import inbox, listing, matches, outbox, players, seatings
from pbmserv.store.engine import reading
from pbmserv.store.inbox import InboxMessage
from pbmserv.store.outbox import QueuedMessage
from pbmserv.store.queries import TransactionQueries


def load_board(app: App, number: int, now: datetime | None = None) -> BoardView | None:
    """One board as anybody sees it, with all its moves and the time left at `now`; None if there is none."""
    with reading(app.engine) as connection:
        board = _game_state(connection, app, number)
        if board is None:
            return None
        timing = None if now is None else TransactionQueries(connection).timing(board, now)
        to_move = None if board.on_turn is None else players.find(connection, board.on_turn)
    waits_for_robot = to_move is not None and to_move.robot is not None
    view = view_board(board, whole=True, timing=timing)
    return replace(view, players=replace(view.players, waits_for_robot=waits_for_robot))


def load_game_state(app: App, number: int) -> GameState | None:
    """A board with its whole log; None if there is no such board. Raises BrokenLog."""
    with reading(app.engine) as connection:
        return _game_state(connection, app, number)


def _game_state(connection: Connection, app: App, number: int) -> GameState | None:
    """Replays a board. It is cached apart from boards that are played on, which browsing must not push out."""
    known = app.recent.find(number) or app.looked_at.find(number)
    board = matches.replayed(connection, number, known)
    if board is not None:
        app.looked_at.remember([board])
    return board


def load_evaluations(app: App, board: GameState) -> Sequence[Evaluation]:
    """What is known of the positions of a board, from its start."""
    with reading(app.engine) as connection:
        return TransactionQueries(connection).evaluations(board)


def count_entries(app: App, boards: Sequence[int]) -> Mapping[int, int]:
    """How many entries the logs of some boards have: cheap enough to be asked every second."""
    with reading(app.engine) as connection:
        return seatings.entry_counts(connection, boards)


def list_boards(app: App, wanted: ListingQuery) -> Listing:
    """A page of the listing of boards."""
    with reading(app.engine) as connection:
        return TransactionQueries(connection).boards(wanted)


def search_boards(app: App, wanted: BoardSearch) -> SearchPage:
    """A page of search results; its cost does not grow with the number of boards."""
    with reading(app.engine) as connection:
        return listing.search(connection, wanted)


def list_offers(app: App, game: str | None) -> Sequence[OpenOffer]:
    """The open offers of a game, or of all, by number."""
    with reading(app.engine) as connection:
        return [offer for offer in TransactionQueries(connection).open_offers() if game in (None, offer.game)]


def list_inbox(app: App, status: str | None, count: int) -> Sequence[InboxMessage]:
    """The newest mails of a status, or of any."""
    with reading(app.engine) as connection:
        return inbox.listing(connection, status, count)


def list_outbox(app: App, status: str | None, count: int) -> Sequence[QueuedMessage]:
    """The newest outgoing mails of a status, or of any."""
    with reading(app.engine) as connection:
        return outbox.listing(connection, status, count)


MOST_BOARDS: Final = 20
"""The most boards of each kind on a player's page."""

MOST_DRAWN: Final = 300
"""The most matches in a plot."""


def load_profile(app: App, userid: str, now: datetime) -> Profile | None:
    """The profile of a player; the case of the userid does not matter. None if nobody has it."""
    with reading(app.engine) as connection:
        records = TransactionQueries(connection)
        player = records.player(userid)
        if player is None:
            return None
        theirs = (player.userid,)
        # A robot may play on thousands of boards and moves within a minute, so its turns are not listed.
        next_ones = ListingQuery(userids=theirs, filter="next", count=MOST_BOARDS)
        waiting = () if player.robot else records.boards(next_ones).lines
        running = listing.search(connection, BoardSearch(userids=theirs, count=2 * MOST_BOARDS))
        tallies = records.tallies(player)
        return Profile(
            userid=player.userid,
            robot=player.robot,
            ratings=tuple(
                RatedGame(pool, tally, tally.section(now), records.course(player, pool, MOST_DRAWN))
                for pool, tally in tallies.items()
            ),
            waiting=waiting,
            others=tuple(line for line in running.lines if player.robot or line.to_move != player.userid)[
                :MOST_BOARDS
            ],
            running=running.total,
            results=records.results(player, MOST_BOARDS),
            rated=sum(tally.counted for tally in tallies.values()),
        )


def load_standings(
    app: App, pool: Pool, sections: Sequence[Section], now: datetime, first: int, count: int
) -> tuple[Standings, Sequence[Pool]]:
    """A page of the rating list of a pool, and all pools of its game in which anybody has a rating."""
    with reading(app.engine) as connection:
        records = TransactionQueries(connection)
        return records.standings(pool, sections, now, first, count), records.rated_pools(pool.game)


def resolve_userids(
    app: App, typed: Sequence[str]
) -> tuple[Mapping[str, str | None], Mapping[str, Sequence[str]]]:
    """The userids as their owners write them, None for unknown ones; and for these up to three suggestions."""
    with reading(app.engine) as connection:
        records = TransactionQueries(connection)
        found = {each: records.player(each) for each in typed}
        similar = {each: records.similar_userids(each) for each in typed if found[each] is None}
    return {each: None if player is None else player.userid for each, player in found.items()}, similar


def similar_userids(app: App, typed: str) -> Sequence[str]:
    """Up to three userids that may have been meant, best first."""
    with reading(app.engine) as connection:
        return TransactionQueries(connection).similar_userids(typed)


def list_players(app: App) -> Sequence[Player]:
    """All players, by userid."""
    with reading(app.engine) as connection:
        return players.everybody(connection)
