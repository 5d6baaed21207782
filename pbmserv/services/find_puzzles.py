"""Looks for puzzles in finished games, a position at a time, while no board waits for a robot.

What a puzzle keeps of its game is the moves up to its position: neither the board nor who played there. Any number
of hosts may look; they go on at one place, and what two have found at once is stored once.
"""

import logging
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Final, cast

from pbmserv.games import games
from pbmserv.mail.log_words import pairs
from pbmserv.matches.log import Match, rules_of
from pbmserv.matches.puzzles import SEATS, Puzzle
from pbmserv.matches.replay import line
from pbmserv.robots.levels import thinker_of
from pbmserv.robots.puzzles import solution_of
from pbmserv.robots.search import uct
from pbmserv.robots.thought import Thinker, seed_of
from pbmserv.services.app import App
from pbmserv.store import matches, puzzles, robots
from pbmserv.store.engine import is_database_trouble, reading, writing

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

log = logging.getLogger(__name__)


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
