"""`practice` and `puzzle`: a first game against an easy robot, and positions to solve.

A practice board is created by its first move. Until then it is shown as number 0, which no board has. It is in no
list and does not count, and each player gets one.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import chain
from typing import Final

from pbmserv.commands.changes import PuzzleAnswered, PuzzleSent
from pbmserv.commands.command import Arguments, Command, Decision, Remark, Reply, Request
from pbmserv.commands.echo import echo_words
from pbmserv.commands.lookup import require_game
from pbmserv.commands.new_game import Options, Terms, games_offered, variant_of
from pbmserv.commands.server import Server
from pbmserv.games import games
from pbmserv.games.choices import MOST_LISTED
from pbmserv.games.game import Game
from pbmserv.matches import puzzles
from pbmserv.matches.errors import CommandError
from pbmserv.matches.log import VARIANT, Entry, Match, rules_of
from pbmserv.matches.moves import AmbiguousMove, IllegalMove, NoPass, StalePly, UnreadableMove, play
from pbmserv.matches.puzzles import Puzzle, PuzzleEnd, PuzzleScore, PuzzleTry
from pbmserv.matches.queries import Queries
from pbmserv.matches.replay import GameState, replay
from pbmserv.robots.robot import RANDOM, userid_of

ROBOT: Final = RANDOM
"""The robot that newcomers play against, weak enough for them to win."""

NOT_THERE_YET: Final = 0
"""The number of a practice board that nobody has moved on yet."""

_LIKED_BEST: Final[tuple[tuple[str, Options], ...]] = (("cephalopod", (("size", "3x5"),)),)
"""If the club offers one of these, newcomers begin with it."""

_TWO: Final = 2


def practice_terms(server: Server) -> Terms:
    """The terms: a small form of an offered game, even one that real games do not use."""
    offered = games_offered(server)
    liked = next(((name, options) for name, options in _LIKED_BEST if name in offered), None)
    if liked is not None:
        return Terms(*liked, rated=False)
    name = server.default_game if server.default_game in offered else next(iter(offered))
    return Terms(name, min(_forms(games()[name]), key=lambda form: _cells(games()[name], form)), rated=False)


def practice_match(number: int, userid: str, robot: str, server: Server, now: datetime) -> Match:
    """The match of a player, who moves first, against the robot of a username."""
    terms = practice_terms(server)
    return Match(
        number=number,
        game=terms.game,
        rules=games()[terms.game].info.rules + (VARIANT if variant_of(terms) else ""),
        options=terms.options,
        rated=False,
        userids=(userid, robot),
        started_by=userid,
        started=now,
        practice=True,
    )


def practice_to_come(userid: str, server: Server) -> GameState:
    """The board as a player sees it before the first move."""
    begins = datetime(1970, 1, 1, tzinfo=UTC)
    return replay(practice_match(NOT_THERE_YET, userid, userid_of(ROBOT), server, begins))


def _forms(game: Game) -> Iterator[Options]:
    """The forms of a game for two players, the usual one first."""
    single = (
        ((option.name, value),) for option in game.info.options for value in (*option.choices, *option.variants)
    )
    yield from chain(((),), single)


def _cells(game: Game, form: Options) -> int:
    return len(game.scene(game.start(_TWO, dict(form))).board.names)


class PracticeBegun(Reply):
    """The first move created the practice board of `userid`; `is_new`: and opened the account."""

    userid: str
    is_new: bool


class RealGames(Reply, place="below"):
    """How `userid` begins a game that counts."""

    userid: str


class PracticeOffered(Reply):
    """The practice board of `userid` waits for a first move."""

    userid: str


class PracticeThere(CommandError):
    """The player `userid` already has a practice board; `is_over` if its game is over."""

    userid: str
    robot: str
    is_over: bool


class BadFirstMove(CommandError):
    """The game cannot begin with `move`, because of `rule`, if one forbids it; `choices` are legal.

    `userid` is the player who would own the practice board.
    """

    userid: str
    move: str
    game: str
    rule: int | None
    choices: tuple[str, ...]


def run_practice(request: Request, records: Queries, now: datetime) -> Decision:
    """Creates the player's practice board with its first move."""
    player, text = request.player, request.arguments.move
    robot = records.robot(ROBOT)
    if robot is None:
        raise LookupError(f"{ROBOT} is no player")
    number = records.practice_of(player)
    if number is not None:
        there = records.board(number)
        is_over = there is None or there.state.status != "active"
        raise PracticeThere(board=number, userid=player.userid, robot=robot.userid, is_over=is_over)
    if not text:
        return Decision(PracticeOffered(player.userid))
    match = practice_match(records.next_number(), player.userid, robot.userid, request.server, now)
    entry = _first_entry(match, text, request.arguments.ply, now)
    begun = PracticeBegun(player.userid, is_new=request.actor.proof == "confirmed")
    said = (Remark(match.number, player.userid, words) for words in (begun, RealGames(player.userid)))
    return Decision(
        begun,
        opened=match,
        entries=(entry,),
        boards=(replay(match).apply(entry),),
        remarks=tuple(said),
    )


def _first_entry(match: Match, text: str, ply: int | None, now: datetime) -> Entry:
    """The entry of the first move. Raises BadFirstMove, which names no board, since there is none."""
    try:
        return play(replay(match), 0, text, ply, now)
    except CommandError as error:
        rule, choices = _instead_of(error)
        raise BadFirstMove(
            userid=match.started_by, move=text, game=match.game, rule=rule, choices=choices
        ) from error


def _instead_of(refused: CommandError, example: str = "") -> tuple[int | None, tuple[str, ...]]:
    """The rule that forbids a move, if any, and what to play instead: at least `example`."""
    match refused:
        case IllegalMove():
            found = refused.choices or refused.near or (example or refused.example,)
            return refused.rule, tuple(each.lower() for each in found)
        case AmbiguousMove():
            return None, tuple(each.lower() for each in refused.choices[:MOST_LISTED])
        case UnreadableMove() | NoPass():
            return None, ((example or refused.example).lower(),)
        case StalePly():
            return None, (refused.again.lower(),)
    raise refused


practice_command = Command(
    name="practice",
    kind="opening",
    forms=("practice move[#ply]", "practice"),
    summary="play a first game against an easy robot",
    example="practice b2",
    run=run_practice,
)


SOLUTION: Final = "solution"
"""The word in a move's place that asks for the solution."""

TOLD_AFTER: Final = 2
"""Wrong answers after which the solution is shown unasked."""

_LONGEST_ECHO: Final = 40

_BY_DAY: Final = 50
"""Days after which strangers get the first puzzle again, if there are enough puzzles."""


class PuzzlePosed(Reply):
    """The puzzle `puzzle`; the board below asks the question. `is_again`: it was sent before."""

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
    It took `tries`. `score` is the sender's total for puzzles; None if this answer does
    not count.
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
    """The solution, on request, or after a last wrong move, `missed`, which `reply` answers."""

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
    """`move` cannot be played in the puzzle, because of `rule`, if one forbids it; `choices` are legal."""

    puzzle: int
    move: str
    game: str
    rule: int | None
    choices: tuple[str, ...]


def run_puzzle(request: Request, records: Queries, now: datetime) -> Decision:
    """Sends a puzzle, or judges an answer, which counts only if the sender is proven."""
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
        after = puzzles.answered(after, how)
    if isinstance(reply, PuzzleSolved | PuzzleShown):
        reply = replace(reply, score=puzzles.score_of((dict(tries) | {number: after}).values()))
    return Decision(reply, changes=tuple(PuzzleAnswered(player.id, number, how) for how in hows))


def _chosen(
    arguments: Arguments, records: Queries, seen: Collection[int], is_known: bool, now: datetime
) -> Puzzle:
    """The named puzzle, or else one that the sender has not had. Strangers get a different one each day."""
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
    """The reply to a move or a request for the solution, and how the puzzle ends."""
    board = puzzles.puzzle_board(puzzle)
    seat = board.state.to_move or 0
    opponent = board.match.userids[1 - seat]
    taken = _taken(board, puzzle.best)
    shown = PuzzleShown(puzzle.number, puzzle.best, puzzle.wins, taken, opponent, puzzle.line, "", "", None)
    if text.lower() == SOLUTION:
        return shown, ("shown",)
    move = _legal(puzzle, board, text, now)
    if puzzles.is_best(rules_of(board.match), board.state.position, puzzle, move):
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
    """A move in stored notation. Raises BadPuzzleMove, which names no board, since there is none."""
    try:
        return play(board, board.state.to_move or 0, text, None, now).text
    except CommandError as error:
        rule, choices = _instead_of(error, puzzle.example)
        word = echo_words(text[:_LONGEST_ECHO])
        raise BadPuzzleMove(
            puzzle=puzzle.number, move=word, game=puzzle.game, rule=rule, choices=choices
        ) from error


puzzle_command = Command(
    name="puzzle",
    kind="open",
    forms=("puzzle number move", "puzzle number", "puzzle [game]"),
    summary="solve a position with one clearly best move",
    example="puzzle",
    run=run_puzzle,
)
