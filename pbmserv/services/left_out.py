"""How somebody can still say what was left out of the words below their commands: lines that are ready to send."""

from collections.abc import Sequence
from typing import Final

from pbmserv.commands.decision import Decision
from pbmserv.commands.message import Parsed
from pbmserv.commands.refusals.board import NothingToSay
from pbmserv.commands.refusals.talk import NoWords
from pbmserv.services.run import Result
from pbmserv.store.records import TransactionRecords

_TO_PLAYERS: Final = "message"


def sendable_words(
    records: TransactionRecords, results: Sequence[Result], left_out: Sequence[str]
) -> tuple[str, ...]:
    """Commands that say these words to those who would have been told them; none where nobody would have been."""
    for result in results if left_out else ():
        if not isinstance(result.line, Parsed) or result.actor is None or not result.actor.proven:
            continue
        talked = isinstance(result.outcome, NothingToSay | NoWords)
        if result.line.command.name == _TO_PLAYERS and (talked or isinstance(result.outcome, Decision)):
            # One such line is all that a mail may hold.
            return (f"{_TO_PLAYERS} {' '.join(result.line.arguments.userids)}: {left_out[0]}",)
        boards = [*result.outcome.touched] if isinstance(result.outcome, Decision) else [*result.boards]
        if boards and (talked or isinstance(result.outcome, Decision)):
            return tuple(f"chat {boards[0]} {_no_name(records, line)}" for line in left_out)
    return ()


def _no_name(records: TransactionRecords, words: str) -> str:
    """A player's name in the first place would be taken for a claim."""
    return f'"{words}"' if records.player(words.split()[0]) is not None else words
