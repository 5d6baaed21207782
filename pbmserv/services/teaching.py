"""What a robot does while no board waits for it: it evaluates the positions of games, and looks for puzzles.

What a puzzle keeps of its game is the moves up to its position: neither the board nor who played there. Any number
of hosts may look; they go on at one place, and what two have found at once is stored once.
"""

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Final, cast

from pbmserv.commands.analyse import Analysed, course_of
from pbmserv.commands.letter import MailCause
from pbmserv.games import games
from pbmserv.games.game import Game
from pbmserv.mail.log_words import pairs
from pbmserv.matches.evaluations import Evaluation, gone_before, is_complete
from pbmserv.matches.log import Match, rules_of
from pbmserv.matches.puzzles import SEATS, Puzzle
from pbmserv.matches.replay import GameState, line, positions
from pbmserv.robots.analysis import Estimate, compare, estimate
from pbmserv.robots.levels import thinker_of
from pbmserv.robots.puzzles import solution_of
from pbmserv.robots.search import uct
from pbmserv.robots.thought import Thinker, seed_of
from pbmserv.services.app import App
from pbmserv.services.limits import may_be_mailed, send
from pbmserv.services.notices import notice_to
from pbmserv.services.unit_of_work import UnitOfWork
from pbmserv.services.writer import deciding
from pbmserv.store import matches, players, puzzles, robots
from pbmserv.store.engine import is_database_trouble, reading, run_again, writing
from pbmserv.store.queries import TransactionQueries

AT_ONCE: Final = 0.4
"""Seconds of thinking after which it is stored what was found, and a board that waits for a robot comes first."""

FIRST_LOOK: Final = timedelta(days=30)
"""Boards that have not changed for longer are evaluated only if somebody asks for it."""

OVERLAP: Final = timedelta(hours=1)
"""A mail may be processed so much later than it came, which is when its board has changed."""

Clock = Callable[[], float]

log = logging.getLogger(__name__)


def teach(app: App, now: datetime, clock: Clock = time.monotonic) -> bool:
    """Thinks for a moment about a board of which not all is known; whether there may be more to do.

    Analyses that people wait for come first, then, if the operator wants that, the boards that changed last. It
    depends on the clock how much is done at a time, but never what is found.
    """
    return analyse_asked(app, now, clock) or (
        app.backlog.is_eager and _teach_about(app, _next_unasked(app, now), now, clock)
    )


def analyse_asked(app: App, now: datetime, clock: Clock = time.monotonic) -> bool:
    """The same, only where somebody waits for an analysis."""
    with reading(app.engine) as connection:
        number = robots.requested_analysis(connection, app.backlog.failing.resting(now))
    return _teach_about(app, number, now, clock)


def _teach_about(app: App, number: int | None, now: datetime, clock: Clock) -> bool:
    if number is None:
        return False
    try:
        _think_about(app, number, now, clock)
    except Exception as error:
        if is_database_trouble(error):
            raise
        if app.backlog.failing.failed(number, now):
            log.exception("a board cannot be evaluated %s", pairs(board=number, error=type(error).__name__))
    else:
        app.backlog.failing.mended(number)
    return True


def _next_unasked(app: App, now: datetime) -> int | None:
    with reading(app.engine) as connection:
        since = app.backlog.since or now - FIRST_LOOK
        number = robots.newest_lacking(connection, since, app.backlog.failing.resting(now))
        if number is None:
            changed = robots.last_change(connection)
            app.backlog.since = max(since, changed - OVERLAP) if changed else since
        return number


def _think_about(app: App, number: int, now: datetime, clock: Clock) -> None:
    with reading(app.engine) as connection:
        board = matches.replayed(connection, number, app.looked_at.find(number))
        known = TransactionQueries(connection).evaluations(board) if board is not None else ()
    if board is None:
        return
    app.looked_at.remember([board])
    until = clock() + AT_ONCE
    known = extended(board, known, lambda: clock() < until)
    run_again(lambda: _store(app, board, known, now))


def extended(board: GameState, known: Sequence[Evaluation], goes_on: Callable[[], bool]) -> tuple[Evaluation, ...]:
    """What is known of a board after some more thinking: until all is known, or it does not go on."""
    game, path, gone = rules_of(board.match), positions(board.match), gone_before(board)
    moves = [*(turn.move or "" for turn in board.state.turns if turn.ply is not None), ""]
    found = [*known]
    while True:
        lacking = next((ply for ply, each in enumerate(found[:-1]) if each.played_value is None), None)
        if lacking is not None:
            found[lacking] = _compared(game, board, lacking, path[lacking], moves[lacking], found)
        elif len(found) < len(path):
            ply = len(found)
            # With the moves that were made: what is stored before they were judged must be recognised later.
            if found:
                found[-1] = replace(found[-1], played=moves[ply - 1])
            found.append(replace(_evaluated(game, board, path[ply], ply), gone=gone[ply], played=moves[ply]))
        else:
            return tuple(found)
        if not goes_on():
            return tuple(found)


def _evaluated(game: Game, board: GameState, position: object, ply: int) -> Evaluation:
    thought = estimate(game, position, seed_of("evaluate", board.match.number, ply))
    if thought.best is None:
        return Evaluation(None, thought.chances)
    best = game.write(position, thought.best)
    return Evaluation(game.to_move(position), thought.chances, best, thought.best_value)


def _compared(
    game: Game, board: GameState, ply: int, position: object, move: str, found: Sequence[Evaluation]
) -> Evaluation:
    now, then = found[ply], found[ply + 1]
    seen = compare(
        game,
        position,
        game.read(position, move),
        Estimate(now.chances, game.read(position, now.best), now.best_value),
        Estimate(then.chances, None, 0.0),
        seed_of("compare", board.match.number, ply),
    )
    return replace(
        now,
        best=game.write(position, seen.best),
        best_value=seen.best_value,
        played=move,
        played_value=seen.played_value,
    )


def _store(app: App, board: GameState, known: Sequence[Evaluation], now: datetime) -> None:
    """Stores what was found, and mails the analysis to those who wait for it, once it is whole."""
    is_whole = is_complete(known, board)
    with deciding(app, now) as work:
        robots.store_evaluations(work.connection, board, known, is_whole)
        if is_whole:
            _mail(work, board, known)


def _mail(work: UnitOfWork, board: GameState, known: Sequence[Evaluation]) -> None:
    connection, number = work.connection, board.match.number
    for asked in robots.take_requests(connection, number):
        player = players.find(connection, asked.userid)
        if player is None or not player.address or player.is_banned or board.state.status != "finished":
            continue
        if asked.proven or may_be_mailed(connection, player.address, work.now):
            words = Analysed(number, course_of(board, known, player.userid))
            about = f"analysis of board {number}"
            send(work, notice_to(player, words, MailCause(proven=asked.proven), about))


ENOUGH: Final = 200
"""Puzzles of one game after which no more are looked for in that game."""

FIRST_PLY: Final = 5
"""Before that a position is an opening."""

REST: Final = 8
"""Plies of a game that are passed over after a puzzle, so that the next one is another."""

MOST_CELLS: Final = 64
"""On a larger board a thought takes too long."""

KNOWING: Final = 1500
SEARCHING: Final = 300
"""Iterations of a first thought: of a thinker with knowledge of the game, and of one without."""


class _BoardWaits(Exception):
    """A board waits for a robot, so that the position is looked at another time."""


def find_puzzle(app: App, now: datetime) -> bool:
    """Looks at the next position of a finished game; whether there was one. Raises what is database trouble."""
    with reading(app.engine) as connection:
        before = puzzles.search_place(connection)
        place, match = before, None
        if place is not None and place.ply >= 0:
            match = matches.load(connection, place.match)
        if match is None:
            found_already = puzzles.counts(connection)
            wanted = [name for name in games() if found_already.get(name, 0) < ENOUGH]
            place = puzzles.next_searched(connection, before, wanted, SEATS)
            match = None if place is None else matches.load(connection, place.match)
    if place is None or match is None:
        return False
    try:
        found, ply = _look(app, match, place.ply, now)
    except _BoardWaits:
        return False
    except Exception as error:
        if is_database_trouble(error):
            raise
        # It must not be tried for ever: the other games are looked through.
        told = pairs(board=match.number, error=type(error).__name__)
        log.exception("a board cannot be looked through for puzzles %s", told)
        found, ply = None, _DONE
    with writing(app.engine) as connection:
        if puzzles.move_search_on(connection, before, replace(place, ply=ply)) and found is not None:
            puzzles.add(connection, found, now)
            log.info("a puzzle was found %s", pairs(game=found.game))
    return True


def _look(app: App, match: Match, ply: int, now: datetime) -> tuple[Puzzle | None, int]:
    """The puzzle after a ply of a match, if there is one, and the ply to look at next (_DONE: none)."""
    states, game = line(match), rules_of(match)
    here = max(ply, FIRST_PLY)
    if here >= len(states) - 1 or match.practice or len(game.scene(states[0].position).cells) > MOST_CELLS:
        return None, _DONE
    state = states[here]
    iterations = SEARCHING if thinker_of(game, state.position) is cast(Thinker, uct) else KNOWING
    seed = seed_of("puzzle", match.number, here)
    found = solution_of(game, state.position, seed, iterations, partial(_require_spare_time, app, now))
    if found is None:
        return None, here + 1
    puzzle = Puzzle(
        number=0,
        game=match.game,
        options=match.options,
        moves=tuple(turn.move for turn in state.turns if turn.move),
        best=found.best,
        line=found.line,
        replies=tuple(found.replies.items()),
        wins=found.wins,
    )
    return puzzle, here + REST


def _require_spare_time(app: App, now: datetime) -> None:
    with reading(app.engine) as connection:
        if robots.waiting(connection, now):
            raise _BoardWaits


_DONE: Final = -1
