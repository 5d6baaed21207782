"""`puzzle`: a position to solve, and what somebody's answer to it is worth."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from pbmserv.commands.changes import PuzzleAnswered, PuzzleSent
from pbmserv.commands.command import Arguments, Command, Decision, Reply, Request
from pbmserv.commands.echo import echo_words
from pbmserv.commands.lookup import require_game
from pbmserv.games.choices import MOST_LISTED
from pbmserv.matches.errors import CommandError
from pbmserv.matches.log import rules_of
from pbmserv.matches.moves import AmbiguousMove, IllegalMove, NoPass, UnreadableMove, play
from pbmserv.matches.puzzles import (
    Puzzle,
    PuzzleEnd,
    PuzzleScore,
    PuzzleTry,
    answered,
    is_best,
    puzzle_board,
    score_of,
)
from pbmserv.matches.queries import Queries
from pbmserv.matches.replay import GameState

SOLUTION: Final = "solution"
"""What stands in the move's place to be told it."""

TOLD_AFTER: Final = 2
"""So many wrong answers may be given before the solution comes unasked."""

_LONGEST_ECHO: Final = 40

_BY_DAY: Final = 50
"""After so many days strangers get the first puzzle again, if there are as many."""


class PuzzlePosed(Reply):
    """The puzzle `puzzle` is set; the board below says what is asked. `is_again`: it was sent before."""

    puzzle: int
    is_again: bool


class PuzzleMissed(Reply):
    """`move` is not the best one, since `opponent` answers with `reply` (empty: the game is over then)."""

    puzzle: int
    move: str
    opponent: str
    reply: str


class PuzzleSolved(Reply):
    """`move` is the best one: it takes what stands on the cells `taken`, and `wins`, or not.

    `line` may follow, beginning with the opponent's answer.
    It took so many `tries`. `score` is what the sender's puzzles have come to; None where this answer
    does not count.
    """

    puzzle: int
    move: str
    wins: bool
    taken: tuple[str, ...]
    opponent: str
    line: tuple[str, ...]
    tries: int
    score: PuzzleScore | None


class PuzzleShown(Reply):
    """The solution, asked for, or told after `missed`, a last wrong move, to which `reply` was the answer."""

    puzzle: int
    best: str
    wins: bool
    taken: tuple[str, ...]
    opponent: str
    line: tuple[str, ...]
    missed: str
    reply: str
    score: PuzzleScore | None


class NoSuchPuzzle(CommandError):
    """There is no puzzle of that number."""

    number: int


class NoMorePuzzles(CommandError):
    """The sender has had all puzzles, of `game` or of any (None)."""

    game: str | None


class BadPuzzleMove(CommandError):
    """`move` cannot be played in the puzzle, by the rule of that number, if one forbids it; `choices` could be."""

    puzzle: int
    move: str
    game: str
    rule: int | None
    choices: tuple[str, ...]


def run(request: Request, records: Queries, now: datetime) -> Decision:
    """Sets a puzzle, or judges the answer to one: that counts only where it is proven who gave it."""
    arguments, player = request.arguments, request.actor.player
    tries = records.puzzle_tries(player) if player else {}
    puzzle = _chosen(arguments, records, tries, player is not None, now)
    number = puzzle.number
    if not arguments.move:
        changes = (PuzzleSent(player.id, number),) if player and number not in tries else ()
        return Decision(PuzzlePosed(number, number in tries), changes=changes)
    before = tries.get(number, PuzzleTry(number, now, by_week=False))
    if player is None or not request.actor.proven:
        before = replace(before, tries=0)
    reply, hows = _judged(puzzle, arguments.move, before, now)
    if player is None or not request.actor.proven or not before.is_open:
        return Decision(reply)
    after = before
    for how in hows:
        after = answered(after, how)
    if isinstance(reply, PuzzleSolved | PuzzleShown):
        reply = replace(reply, score=score_of((dict(tries) | {number: after}).values()))
    return Decision(reply, changes=tuple(PuzzleAnswered(player.id, number, how) for how in hows))


def _chosen(
    arguments: Arguments, records: Queries, seen: Collection[int], is_known: bool, now: datetime
) -> Puzzle:
    """The puzzle that is named, or else one that the sender has not had. Strangers get another one each day."""
    for word in arguments.words:
        named = records.puzzle(int(word))
        if named is None:
            raise NoSuchPuzzle(number=int(word))
        return named
    require_game(arguments.game)
    had = seen if is_known else range(now.toordinal() % _BY_DAY + 1)
    puzzle = records.unseen_puzzle(had, arguments.game) or records.unseen_puzzle(seen, arguments.game)
    if puzzle is None:
        raise NoMorePuzzles(game=arguments.game)
    return puzzle


def _judged(
    puzzle: Puzzle, text: str, before: PuzzleTry, now: datetime
) -> tuple[PuzzleShown | PuzzleSolved | PuzzleMissed, Sequence[PuzzleEnd]]:
    """What a move, or the wish for the solution, is answered with, and what it comes to."""
    board = puzzle_board(puzzle)
    seat = board.state.to_move or 0
    opponent = board.match.userids[1 - seat]
    taken = _taken(board, puzzle.best)
    shown = PuzzleShown(puzzle.number, puzzle.best, puzzle.wins, taken, opponent, puzzle.line, "", "", None)
    if text.lower() == SOLUTION:
        return shown, ("shown",)
    move = _legal(puzzle, board, text, now)
    if is_best(rules_of(board.match), board.state.position, puzzle, move):
        tries = before.tries + 1
        solved = PuzzleSolved(puzzle.number, move, puzzle.wins, taken, opponent, puzzle.line, tries, None)
        return solved, ("solved",)
    reply = dict(puzzle.replies).get(move, "")
    if before.is_open and before.tries + 1 >= TOLD_AFTER:
        return replace(shown, missed=move, reply=reply), ("missed", "shown")
    return PuzzleMissed(puzzle.number, move, opponent, reply), ("missed",)


def _taken(board: GameState, text: str) -> tuple[str, ...]:
    """The cells on which a move in stored notation captures."""
    game, position = rules_of(board.match), board.state.position
    names = game.scene(position).board.names
    events = game.play(position, game.read(position, text))[1]
    return tuple(names[cell] for event in events if event.kind == "captured" for cell in event.cells)


def _legal(puzzle: Puzzle, board: GameState, text: str, now: datetime) -> str:
    """A move in stored notation. Raises BadPuzzleMove, which names no board: there is none."""
    rule: int | None = None
    try:
        return play(board.match, board.state, board.state.to_move or 0, text, None, now).text
    except IllegalMove as error:
        rule, choices = error.rule, error.choices or error.near or (puzzle.example,)
    except AmbiguousMove as error:
        choices = error.choices[:MOST_LISTED]
    except (UnreadableMove, NoPass):
        choices = (puzzle.example,)
    raise BadPuzzleMove(
        puzzle=puzzle.number,
        move=echo_words(text[:_LONGEST_ECHO]),
        game=puzzle.game,
        rule=rule,
        choices=tuple(each.lower() for each in choices),
    )


command = Command(
    name="puzzle",
    kind="open",
    forms=("puzzle number move", "puzzle number", "puzzle [game]"),
    summary="solve a position with one clearly best move",
    example="puzzle",
    run=run,
)
