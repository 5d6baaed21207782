"""Robots at the boards: they choose while nobody waits for them, then give the same commands as people."""

import logging
from datetime import datetime
from functools import partial
from typing import Final

from pbmserv.commands.base.arguments import Arguments, BoardRef
from pbmserv.commands.base.registry import commands
from pbmserv.games.game import Seat, scores_of
from pbmserv.matches.log import rules_of
from pbmserv.matches.replay import GameState
from pbmserv.parser.parsed import Parsed
from pbmserv.robots.chance import seed_of
from pbmserv.robots.robot import Budget, robots, userid_of, userids
from pbmserv.services.admin.act import Operated, give
from pbmserv.services.app import App
from pbmserv.store import robots as stored
from pbmserv.store.engine import is_database_trouble, reading, run_again, writing
from pbmserv.store.queries import TransactionQueries
from pbmserv.store.robots import Waiting

NODES: Final = 500
"""Positions that a plain robot may look at for one move; one that thinks may look at more."""

PLAIN_CELLS: Final = 64
"""On a larger board a position takes longer to look at, and so fewer are."""

PROMPT: Final = 30
"""Where more boards wait, robots think the less on each, so that all are answered within about a minute."""

log = logging.getLogger(__name__)


def play_robots(app: App, now: datetime) -> bool:
    """Has a robot act on the board that has waited longest; whether any did, so that there may be more.

    Whichever robot is no player yet becomes one. A board that fails is told to the operator once, and left alone
    for a while. Raises what is trouble with the database.
    """
    with reading(app.engine) as connection:
        there = stored.names(connection)
        waiting = stored.waiting(connection)
    for name in [name for name in robots() if name not in there]:
        run_again(partial(_seat, app, name, now))
    due = [each for each in waiting if not app.failing.rests(each.board, now)]
    haste = max(1, len(due) / PROMPT)
    return any(_act_safely(app, each, now, haste) for each in due)


def _seat(app: App, name: str, now: datetime) -> None:
    """Makes a robot a player."""
    with writing(app.engine) as connection:
        if name in stored.names(connection):
            return
        userid = stored.add(connection, name, userids(name), now)
    if userid == userid_of(name):
        log.info("%s is there to be challenged", userid)
    else:
        log.warning("somebody else is called %s: the robot is called %s", userid_of(name), userid)


def _act_safely(app: App, waiting: Waiting, now: datetime, haste: float) -> bool:
    """Whether something was done."""
    try:
        is_done = _act(app, waiting, now, haste)
    except Exception as error:
        if is_database_trouble(error):
            raise
        if app.failing.failed(waiting.board, now):
            log.exception("board %d: %s cannot play: %s", waiting.board, waiting.userid, type(error).__name__)
        return False
    app.failing.mended(waiting.board)
    return is_done


def _act(app: App, waiting: Waiting, now: datetime, haste: float) -> bool:
    """Chooses and does what a board waits for; False when it no longer waits, since another was quicker."""
    board = _board(app, waiting.board)
    seat = None if board is None else board.match.seat_of(waiting.userid)
    line = None if board is None or seat is None else _wanted(board, seat, waiting.robot, haste)
    if board is None or line is None:
        return False
    # A mail that was kept since this round began may be handled already: nothing is answered before it was said.
    done = give(app, waiting.userid, line, max(now, board.state.last_at))
    if not done.done and not _has_changed(app, board):
        raise _Refused(line, done)
    return done.done


class _Refused(Exception):
    """What a robot gave was refused on the very board that it was chosen for."""

    def __init__(self, line: Parsed, done: Operated) -> None:
        super().__init__(f"{line.line}: {done.text}")


def _wanted(board: GameState, seat: Seat, robot: str, haste: float) -> Parsed | None:
    """The command that a robot gives; None where nothing waits for it."""
    number, state = board.match.number, board.state
    if state.offer is not None and seat in state.offer.waits_for:
        agrees = state.offer.kind == "undo" or _is_behind(board, seat)
        return _command("accept" if agrees else "reject", Arguments(boards=(BoardRef(number),)))
    if state.to_move != seat:
        return None
    game = rules_of(board.match)
    player = robots()[robot]
    cells = len(game.scene(state.position).board.names)
    nodes = NODES * player.thinking * min(1, PLAIN_CELLS / cells) / haste if player.thinking > 1 else NODES
    move = player.choose(game, state.position, Budget(seed_of(number, state.entries), round(nodes)))
    text = game.write(state.position, move)
    return _command("move", Arguments(boards=(BoardRef(number),), move=text, ply=state.plies + 1))


def _command(name: str, arguments: Arguments) -> Parsed:
    words = (name, str(arguments.boards[0].number), arguments.move)
    return Parsed(" ".join(filter(None, words)), commands()[name], arguments)


def _is_behind(board: GameState, seat: Seat) -> bool:
    """Whether another seat that is in the game has more points."""
    scores = scores_of(rules_of(board.match), board.state.position)
    return bool(scores) and any(scores[other] > scores[seat] for other in board.state.seats_in)


def _has_changed(app: App, chosen_on: GameState) -> bool:
    board = _board(app, chosen_on.match.number)
    return board is None or board.state.entries != chosen_on.state.entries


def _board(app: App, number: int) -> GameState | None:
    with reading(app.engine) as connection:
        return TransactionQueries(connection, app.recent).board(number)
