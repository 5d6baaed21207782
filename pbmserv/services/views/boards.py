"""One board, looked at."""

from dataclasses import dataclass
from datetime import datetime

from pbmserv.matches.match import Match
from pbmserv.matches.replay import replay
from pbmserv.matches.state import State
from pbmserv.rendering.board import BoardView, view_board
from pbmserv.services.house import House
from pbmserv.store import matches, turn_timing
from pbmserv.store.engine import reading


@dataclass(frozen=True, slots=True)
class SeenBoard:
    """A match, its state, and the view for anybody with all its moves."""

    match: Match
    state: State
    view: BoardView


def see_board(house: House, number: int, now: datetime | None = None) -> SeenBoard | None:
    """One board with all its moves, and the time that is left at a moment; None when there is no such board."""
    with reading(house.engine) as connection:
        match = matches.load(connection, number)
        if match is None:
            return None
        board = replay(match)
        timing = None if now is None else turn_timing.timing(connection, board, now)
    return SeenBoard(board.match, board.state, view_board(board, whole=True, timing=timing))
