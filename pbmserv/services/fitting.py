"""Which rung `robot` plays as on a board: the one that fits the person who plays there."""

from collections.abc import Iterator

from sqlalchemy import Connection

from pbmserv.games.game import Seat
from pbmserv.matches.log import rules_of
from pbmserv.matches.player import Player
from pbmserv.matches.ratings import pool_of
from pbmserv.matches.replay import GameState
from pbmserv.robots.levels import rungs_of, strengths_of
from pbmserv.robots.robot import MOST_RESULTS, Result, fitting_rung, rung_of
from pbmserv.store import robots as stored
from pbmserv.store.queries import TransactionQueries


def rung_for(connection: Connection, records: TransactionQueries, board: GameState) -> str:
    """The rung that fits those who play on a board; of several people the strongest one counts."""
    game, position = rules_of(board.match), board.state.position
    strengths = dict(zip(rungs_of(game, position), strengths_of(game, position), strict=True))
    found = [each for each in map(records.player, board.match.userids) if each is not None and each.robot is None]
    fitting = [
        fitting_rung(strengths, [*_results(connection, records, each, board)], _points(records, each, board))
        for each in found
    ]
    return max(fitting, key=[*strengths].index, default=fitting_rung(strengths, []))


def _results(
    connection: Connection, records: TransactionQueries, player: Player, now: GameState
) -> Iterator[Result]:
    """The player's games of this kind against rungs, the latest first. Most were unrated, so all are replayed."""
    for number, userid, program in stored.played_before(connection, player.id, now.match.game, MOST_RESULTS):
        board, rung = records.board(number), rung_of(program, program)
        outcome = None if board is None else board.state.outcome
        if board is None or outcome is None or rung is None or len(board.match.userids) != len(now.match.userids):
            continue
        mine, theirs = (_rank(outcome.ranks, board.match.seat_of(each)) for each in (player.userid, userid))
        yield Result(rung, 0.5 if mine == theirs else float(mine < theirs))


def _rank(ranks: tuple[int, ...], seat: Seat | None) -> int:
    return len(ranks) if seat is None else ranks[seat]


def _points(records: TransactionQueries, player: Player, board: GameState) -> int | None:
    """The player's rating where this board would count, if it is established."""
    tally = records.tallies(player, board.match.game).get(pool_of(board.match))
    return tally.rating.points if tally is not None and tally.rating.is_established else None
