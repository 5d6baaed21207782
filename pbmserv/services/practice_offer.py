"""What an answer shows that is no match: a puzzle, or the practice board for whoever could begin on it now."""

from collections.abc import Iterable, Sequence

from pbmserv.commands import practice
from pbmserv.commands.address import SignedUp, Welcome
from pbmserv.commands.command import Confirmation, Decision
from pbmserv.commands.server import Server
from pbmserv.rendering.practice import PracticeView, practice_text, view_practice
from pbmserv.rendering.puzzle import PuzzleView, puzzle_text, view_puzzle
from pbmserv.services.run import CommandResult
from pbmserv.store.queries import TransactionQueries


def shown_apart(
    results: Sequence[CommandResult], asks: Confirmation | None, records: TransactionQueries, server: Server
) -> PracticeView | PuzzleView | None:
    """The puzzle, or else the practice board, that an answer shows below what it says of these lines."""
    number = next(filter(None, map(_puzzle, results)), None)
    puzzle = None if number is None else records.puzzle(number)
    if puzzle is None:
        return offered_practice(results, asks, records, server)
    # Only mails to players can be recognised by the answers to them.
    return view_puzzle(puzzle, by_number=not any(each.actor and each.actor.player for each in results))


def apart_text(shown: PracticeView | PuzzleView, server: Server, words: bool) -> str:
    """The same in a text."""
    if isinstance(shown, PuzzleView):
        return puzzle_text(shown, server, words)
    return practice_text(shown, server, words)


def _puzzle(result: CommandResult) -> int | None:
    """The puzzle that somebody is to see, to try it, or to try again."""
    match result.outcome:
        case (
            practice.BadPuzzleMove(puzzle=puzzle)
            | Decision(reply=practice.PuzzlePosed(puzzle=puzzle) | practice.PuzzleMissed(puzzle=puzzle))
        ):
            return puzzle
    return None


def offered_practice(
    results: Iterable[CommandResult], asks: Confirmation | None, records: TransactionQueries, server: Server
) -> PracticeView | None:
    """The practice board that an answer shows below what it says of these lines; `asks` is what it asks.

    None once the board is there: then it is shown like any other.
    """
    userid = next(filter(None, (_newcomer(result, asks) for result in results)), None)
    player = records.player(userid) if userid else None
    if player is None or records.practice_of(player) is not None:
        return None
    return view_practice(practice.practice_to_come(player.userid, server))


def _newcomer(result: CommandResult, asks: Confirmation | None) -> str | None:
    """The player whose practice board belongs to what is said of a line."""
    match result.outcome:
        case practice.BadFirstMove(userid=userid):
            return userid
        case Decision(reply=SignedUp(userid=userid) | practice.PracticeOffered(userid=userid)):
            return userid
        case Decision(notifications=told) if told.question is not None and told.question.confirmation == asks:
            words = told.question.words
            return words.userid if isinstance(words, Welcome) else None
    return None
