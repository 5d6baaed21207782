"""One board, looked at."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection

from pbmserv.matches.match import Match
from pbmserv.matches.replay import Replayed
from pbmserv.matches.state import State
from pbmserv.rendering.board import BoardView, view_board
from pbmserv.services.house import House
from pbmserv.store import matches, players, turn_timing
from pbmserv.store.engine import reading


@dataclass(frozen=True, slots=True)
class SeenBoard:
    """A board as anybody sees it, with all its moves. `waits_for_robot`: a program of this server is to move."""

    view: BoardView
    waits_for_robot: bool = False

    @property
    def board(self) -> Replayed:
        """The match with what its log adds up to."""
        return self.view.board

    @property
    def match(self) -> Match:
        """The match with its log."""
        return self.board.match

    @property
    def state(self) -> State:
        """How it stands."""
        return self.board.state


def see_board(house: House, number: int, now: datetime | None = None) -> SeenBoard | None:
    """One board with all its moves, and the time that is left at a moment; None when there is no such board."""
    with reading(house.engine) as connection:
        board = _replayed(connection, house, number)
        if board is None:
            return None
        timing = None if now is None else turn_timing.timing(connection, board, now)
        to_move = None if board.on_turn is None else players.find(connection, board.on_turn)
    return SeenBoard(
        view_board(board, whole=True, timing=timing), to_move is not None and to_move.robot is not None
    )


def see_replayed(house: House, number: int) -> Replayed | None:
    """A board with its whole log; None when there is none of that number. Raises BrokenLog."""
    with reading(house.engine) as connection:
        return _replayed(connection, house, number)


def _replayed(connection: Connection, house: House, number: int) -> Replayed | None:
    """A board that is remembered apart from those that are played on: whoever walks through all puts none out."""
    known = house.recent.find(number) or house.looked_at.find(number)
    board = matches.replayed(connection, number, known)
    if board is not None:
        house.looked_at.remember([board])
    return board
