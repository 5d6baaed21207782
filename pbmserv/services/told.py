"""What the answer to a mail says of each of its lines."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

from pbmserv.commands.confirmation import Confirmation
from pbmserv.commands.decision import Decision
from pbmserv.commands.echoed import echoed
from pbmserv.commands.permission import speaks_on
from pbmserv.commands.server import Server
from pbmserv.commands.words import is_userid
from pbmserv.matches.records import Records
from pbmserv.matches.refusals import Refused
from pbmserv.rendering.board import BoardView
from pbmserv.rendering.sentences import say
from pbmserv.services.letters import Answering, in_words
from pbmserv.services.run import NotRun, Result
from pbmserv.store.outbox import TO_STRANGERS

BRIEF = 2_000
A_SENTENCE = 300
"""Characters of what a brief answer says of all lines, and of one that is told in any case."""


@dataclass(frozen=True, slots=True)
class ToldResult:
    """What `mail/answer.txt` says of one line: what became of it, the line as written, the sentences about it.

    For a line that was not run `board` is the one on which an earlier line was refused; None: all stop then.
    `unsaid`: the words below it were not passed on, since nothing proves whose they are. `left_out`: there is no
    room for the sentences.
    """

    fate: Literal["done", "waits", "refused", "not run"]
    line: str
    text: str
    board: int | None = None
    unsaid: bool = False
    left_out: bool = False


def tell(
    result: Result,
    records: Records,
    server: Server,
    to: Answering,
    asks: Confirmation | None,
    known: frozenset[str],
) -> ToldResult:
    """What is told of one line; `asks` is the question that the same mail asks, `known` are userids that exist."""
    with_words = to.kind not in TO_STRANGERS
    # What waits for a `yes` must be told as it will be run; its words are all understood.
    line = (result.line.line if result.awaits_yes else echoed(result.line, known)) if with_words else ""
    words = in_words(to.player)
    match result.outcome:
        case Decision(reply=reply, question=question):
            if question is not None and question.confirmation == asks:
                return ToldResult("done", line, say(question.words, server, words))
            fate: Literal["waits", "done"] = "waits" if result.awaits_yes else "done"
            return ToldResult(fate, line, say(reply, server, words), unsaid=_is_unsaid(result, records))
        case Refused():
            refused = result.outcome if with_words else _without_words(result.outcome)
            return ToldResult("refused", line, say(refused, server, words))
        case NotRun(board):
            return ToldResult("not run", line, "", board)


def _is_unsaid(result: Result, records: Records) -> bool:
    """Whether there were words below a line for others, and they did not get them."""
    if not result.comment or not isinstance(result.outcome, Decision):
        return False
    boards = result.outcome.boards
    return result.awaits_yes or not all(
        result.actor and speaks_on(result.actor, board.match, records) for board in boards
    )


def _without_words(refused: Refused) -> Refused:
    """A refusal for somebody unknown: nothing of what they wrote goes to an address that may be another's."""
    typed = {"word", "userid", "address"} & {each.name for each in fields(refused)}
    long: dict[str, Any] = {name: "..." for name in typed if not is_userid(str(getattr(refused, name)))}
    return replace(refused, **long)


def shortened(told: Sequence[ToldResult], views: Sequence[BoardView]) -> tuple[list[ToldResult], list[str]]:
    """What is told of each line as far as there is room, and the commands that ask for the rest."""
    short: list[ToldResult] = []
    rest: dict[str, None] = {}
    room = BRIEF
    for each in told:
        is_short = len(each.text) <= max(room, A_SENTENCE)
        short.append(each if is_short else replace(each, text="", left_out=True))
        room -= len(each.text) if is_short else 0
        if not is_short and each.line:
            rest[each.line] = None
    boards = dict.fromkeys(view.number for view in views[1:] if not view.imagined)
    if boards:
        rest[f"show {' '.join(map(str, boards))}"] = None
    return short, [*rest]
