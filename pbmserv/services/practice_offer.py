"""The practice board in the answer to a mail: for whoever could begin on it now."""

from collections.abc import Iterable

from pbmserv.commands.base.decision import Decision
from pbmserv.commands.base.declaration import Confirmation
from pbmserv.commands.base.practice import practice_to_come
from pbmserv.commands.base.server import Server
from pbmserv.commands.practice import BadFirstMove, PracticeOffered
from pbmserv.commands.signup import SignedUp, Welcome
from pbmserv.rendering.practice import PracticeView, view_practice
from pbmserv.services.run import CommandResult
from pbmserv.store.queries import TransactionQueries


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
    return view_practice(practice_to_come(player.userid, server))


def _newcomer(result: CommandResult, asks: Confirmation | None) -> str | None:
    """The player whose practice board belongs to what is said of a line."""
    match result.outcome:
        case BadFirstMove(userid=userid):
            return userid
        case Decision(reply=SignedUp(userid=userid) | PracticeOffered(userid=userid)):
            return userid
        case Decision(notifications=told) if told.question is not None and told.question.confirmation == asks:
            words = told.question.words
            return words.userid if isinstance(words, Welcome) else None
    return None
