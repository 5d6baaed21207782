"""Robots at the boards: on which rung they play, how they think, and how they give the same commands as people."""

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Final

from sqlalchemy import Connection

from pbmserv.commands.command import Arguments, BoardRef, Remark, Reply, commands
from pbmserv.games.game import Seat, scores_of
from pbmserv.mail.log_words import pairs
from pbmserv.matches.errors import CommandError
from pbmserv.matches.log import rules_of
from pbmserv.matches.player import Player
from pbmserv.matches.ratings import pool_of
from pbmserv.matches.replay import GameState
from pbmserv.parser.parsed import Parsed
from pbmserv.rendering.templates import say
from pbmserv.robots.levels import Level, move_of, rungs_of, strengths_of
from pbmserv.robots.robot import (
    FITTING,
    MOST_RESULTS,
    PROGRAMS,
    Result,
    fitting_rung,
    level_at,
    rung_of,
    userid_of,
    userids,
)
from pbmserv.robots.thought import seed_of
from pbmserv.services.admin.act import give
from pbmserv.services.app import App
from pbmserv.store import robots as stored
from pbmserv.store.engine import is_database_trouble, reading, run_again, writing
from pbmserv.store.queries import TransactionQueries
from pbmserv.store.robots import Waiting

CLAIMED_FOR: Final = timedelta(seconds=10)
_TIMES_EXPECTED: Final = 3
"""Nobody else thinks about a board for so long, and this many times as long as the thought is expected to take. A
process that was killed holds it up no longer. One that is slower loses its own thought: nobody moves twice."""

log = logging.getLogger(__name__)


class PlaysAs(Reply):
    """`userid`, who plays as strong as fits its opponent, plays on this board as `rung` does."""

    userid: str
    rung: str


@dataclass(frozen=True, slots=True)
class _Share:
    """The part of its level's iterations that a board gets, where this many boards wait."""

    part: float
    of: int


@dataclass(frozen=True, slots=True)
class _Turn:
    """What a robot is about to do: on which board, and as which rung, if it is one; how it thinks, if it does."""

    waiting: Waiting
    board: GameState
    seat: Seat
    rung: str | None
    level: Level
    iterations: int


def play_robots(app: App, now: datetime) -> bool:
    """Has a robot act on the board whose turn it is; whether any did, so that there may be more.

    Whichever robot is no player yet becomes one. A board that fails is logged once, and left alone
    for a while. Raises what is trouble with the database.
    """
    with reading(app.engine) as connection:
        there = stored.names(connection)
        waiting = stored.waiting(connection, now)
    for program in [each for each in PROGRAMS if each not in there]:
        run_again(partial(_seat, app, program, now))
    # Those that another thinks about are done when it is their turn; they are not shared out again.
    elsewhere = {each.holder for each in waiting} - {None, app.thinking.holder}
    due = app.thinking.in_turn(
        [
            each
            for each in waiting
            if each.holder not in elsewhere and not app.thinking.failing.rests(each.board, now)
        ],
        now,
    )
    parts = {proven: app.thinking.part(due, 1 + len(elsewhere), now, proven) for proven in (True, False)}

    def act(waiting: Waiting) -> bool:
        begun = app.thinking.clock()
        try:
            return _act_safely(app, waiting, now, _Share(parts[waiting.is_proven], len(due)))
        finally:
            app.thinking.took(waiting, app.thinking.clock() - begun)

    return any(map(act, due))


def _seat(app: App, program: str, now: datetime) -> None:
    """Makes a robot a player."""
    with writing(app.engine) as connection:
        if program in stored.names(connection):
            return
        userid = stored.add(connection, program, userids(program), now)
    if userid == userid_of(program):
        log.info("a robot is there to be challenged %s", pairs(robot=userid))
    else:
        taken = userid_of(program)
        log.warning("a player has the name of a robot, so it gets another %s", pairs(player=taken, robot=userid))


def _act_safely(app: App, waiting: Waiting, now: datetime, share: _Share) -> bool:
    """Whether something was done."""
    try:
        turn = _claimed(app, waiting, now, share)
        is_done = turn is not None and _act(app, turn, now)
    except Exception as error:
        if is_database_trouble(error):
            raise
        if app.thinking.failing.failed(waiting.board, now):
            told = pairs(board=waiting.board, robot=waiting.userid, error=type(error).__name__)
            log.exception("a robot cannot play %s", told)
        return False
    app.thinking.failing.mended(waiting.board)
    return is_done


def _claimed(app: App, waiting: Waiting, now: datetime, share: _Share) -> _Turn | None:
    """Claims a board, and notes which rung plays there; None where somebody else has it, or nothing waits."""
    with reading(app.engine) as connection:
        records = TransactionQueries(connection, app.recent)
        board, rung = records.board(waiting.board), waiting.rung
        seat = None if board is None else board.match.seat_of(waiting.userid)
        if board is None or seat is None:
            return None
        if waiting.robot == FITTING and rung is None:
            rung = rung_for(connection, records, board)
    level = level_at(waiting.robot, rung, rules_of(board.match), board.state.position)
    if level is None:
        raise LookupError(f"no program is called {waiting.robot}")
    iterations = app.thinking.iterations(waiting, level, share.part)
    expected = timedelta(seconds=iterations * app.thinking.each(waiting, level))

    def claim() -> bool:
        with writing(app.engine) as connection:
            until = now + CLAIMED_FOR + expected * _TIMES_EXPECTED
            is_ours = stored.claim(connection, waiting.board, app.thinking.holder, now, until)
            # The one who had it before may have chosen another one.
            return is_ours and (rung is None or stored.note_rung(connection, waiting.board, rung) == rung)

    if not run_again(claim):
        return None
    if iterations < level.iterations:
        log.info(
            "a robot thinks fewer iterations, since others wait %s",
            pairs(
                board=waiting.board,
                robot=waiting.userid,
                count=iterations,
                most=level.iterations,
                left=share.of,
            ),
        )
    return _Turn(waiting, board, seat, rung, level, iterations)


def _act(app: App, turn: _Turn, now: datetime) -> bool:
    """Chooses and does what a board waits for; False when it no longer waits, since another was quicker."""
    begun = app.thinking.clock()
    line, thought_for = _wanted(app, turn)
    if line is None:
        return False
    # A mail that was kept since this round began may be handled already: nothing is answered before it was said.
    moves_at = max(now + timedelta(seconds=thought_for), turn.board.state.last_at)
    given = give(app, turn.waiting.userid, line, moves_at, _remarks(turn))
    app.thinking.learn_besides(app.thinking.clock() - begun - thought_for)
    if isinstance(given.outcome, CommandError) and not _has_changed(app, turn.board):
        raise _Refused(f"{line.line}: {say(given.outcome, app.server)}")
    return not isinstance(given.outcome, CommandError)


class _Refused(Exception):
    """What a robot gave was refused on the very board that it was chosen for."""


def _remarks(turn: _Turn) -> tuple[Remark, ...]:
    """With its first move, people are told as which rung a robot plays that can be any."""
    number = turn.board.match.number
    if turn.rung is None or turn.waiting.robot != FITTING or turn.board.state.plies_of(turn.seat):
        return ()
    return (Remark(number, None, PlaysAs(turn.waiting.userid, userid_of(turn.rung))),)


def _wanted(app: App, turn: _Turn) -> tuple[Parsed | None, float]:
    """The command that a robot gives (None where nothing waits for it), and how many seconds it thought."""
    board, seat, state = turn.board, turn.seat, turn.board.state
    number = board.match.number
    if state.offer is not None and seat in state.offer.waits_for:
        agrees = state.offer.kind == "undo" or _is_behind(board, seat)
        return _command("accept" if agrees else "reject", Arguments(boards=(BoardRef(number),))), 0.0
    if state.to_move != seat:
        return None, 0.0
    text, seconds = _thought(app, turn)
    return _command("move", Arguments(boards=(BoardRef(number),), move=text, ply=state.plies + 1)), seconds


def _thought(app: App, turn: _Turn) -> tuple[str, float]:
    """The move that a robot makes, as it is written, and how many seconds it thought."""
    state, game = turn.board.state, rules_of(turn.board.match)
    begun = app.thinking.clock()
    seed = seed_of(turn.waiting.board, state.entries)
    move, _ = move_of(turn.level, game, state.position, seed, turn.iterations)
    seconds = app.thinking.clock() - begun
    app.thinking.learn(turn.waiting, turn.level, turn.iterations, seconds)
    return game.write(state.position, move), seconds


def _command(name: str, arguments: Arguments) -> Parsed:
    words = (name, str(arguments.boards[0].number), arguments.move)
    return Parsed(" ".join(filter(None, words)), commands()[name], arguments)


def _is_behind(board: GameState, seat: Seat) -> bool:
    """Whether another seat that is in the game has more points."""
    scores = scores_of(rules_of(board.match), board.state.position)
    return bool(scores) and any(scores[other] > scores[seat] for other in board.state.seats_in)


def _has_changed(app: App, chosen_on: GameState) -> bool:
    with reading(app.engine) as connection:
        board = TransactionQueries(connection, app.recent).board(chosen_on.match.number)
    return board is None or board.state.entries != chosen_on.state.entries


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
