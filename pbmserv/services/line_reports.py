"""What the answer to a mail says of each of its lines."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Final, Literal

from pbmserv.commands.challenge import Challenged
from pbmserv.commands.command import Confirmation, Decision
from pbmserv.commands.help import HelpCommand, HelpGame, HelpTopic
from pbmserv.commands.letter import AnsweredLine
from pbmserv.commands.lookup import WrongForm
from pbmserv.commands.move import Declined, MovePlayed, Resigned
from pbmserv.commands.practice import PracticeBegun
from pbmserv.commands.server import Server
from pbmserv.commands.talk import NothingToSay, NoWords
from pbmserv.commands.vocabulary import is_userid
from pbmserv.matches.errors import CommandError
from pbmserv.matches.log import LEAVING, EntryKind
from pbmserv.matches.queries import Queries
from pbmserv.matches.replay import GameState
from pbmserv.parser.parsed import NotPlainlySaid, Parsed, WhichOne, echo
from pbmserv.parser.prose import TALKING
from pbmserv.rendering.board import BoardView
from pbmserv.rendering.templates import say
from pbmserv.services.run import CommandResult, SkippedCommand
from pbmserv.store.queries import TransactionQueries

BRIEF = 2_000
A_SENTENCE = 300
"""How many characters a brief answer has for all lines, and how many one line may always have."""


@dataclass(frozen=True, slots=True)
class LineReport:
    """What `mail/answer.txt` says about one line."""

    fate: Literal["done", "waits", "refused", "not run"]
    # The line as it was written.
    line: str
    # The sentences about it.
    text: str
    # For a line that was not run: the board on which an earlier line was refused; None if all lines stop.
    board: int | None = None
    # How many words below it wait for a `yes` too; an answer never repeats them.
    words: int = 0
    # Whether there is no room for the sentences.
    left_out: bool = False


def answered_line(
    result: CommandResult, records: Queries, asks: Confirmation | None, known: frozenset[str] | None
) -> AnsweredLine:
    """What is to be told of one line; `asks` is what the letter asks, `known` are userids that exist.

    Without those it goes to an unknown sender: nothing that they wrote is repeated.
    """
    # What waits for a `yes` must be told as it will be run; its words are all understood.
    line = "" if known is None else result.line.line if result.awaits_yes else echo(result.line, known)
    match result.outcome:
        case Decision(reply=reply, question=question):
            if question is not None and question.confirmation == asks:
                return AnsweredLine("done", line, question.words)
            fate: Literal["waits", "done"] = "waits" if result.awaits_yes else "done"
            is_told = is_told_by_board(result)
            return AnsweredLine(
                fate, line, reply, words=len(waiting_words(result).split()), is_told_by_board=is_told
            )
        case CommandError():
            refused = _without_words(result.outcome) if known is None else result.outcome
            return AnsweredLine("refused", "" if isinstance(refused, NotPlainlySaid | WhichOne) else line, refused)
        case SkippedCommand(board):
            return AnsweredLine("not run", line, board=board)


def report_of(told: AnsweredLine, server: Server, words: bool, is_told: bool) -> LineReport:
    """What is said of a line; `is_told`: the board in the same letter says all that could be said of it."""
    text = "" if told.said is None or is_told else say(told.said, server, words)
    return LineReport(told.fate, told.line, text, told.board, told.words)


def is_told_by_board(result: CommandResult) -> bool:
    """Whether the news of its board says all that could be said of a line, if the mail shows that board."""
    match result.outcome:
        case Decision(reply=MovePlayed() | Resigned() | Declined(rematch=None) | Challenged() | PracticeBegun()):
            return not result.awaits_yes
    return False


_TURNS: Final[frozenset[EntryKind]] = frozenset({"played", "declined", *LEAVING})


def entry_before(board: GameState, results: Sequence[CommandResult]) -> int | None:
    """The last entry of a board before a mail; None if the mail took no turn there, or took some back."""
    entries = [
        entry
        for result in results
        if isinstance(result.outcome, Decision)
        for entry in result.outcome.entries
        if entry.match == board.match.number
    ]
    took_turn = any(entry.kind in _TURNS for entry in entries) and not board.state.since
    return entries[0].seq - 1 if took_turn else None


def subject_of(first: CommandResult) -> str:
    """What the Subject of an answer says that is about no one board: the first line's command."""
    if not isinstance(first.line, Parsed):
        return first.outcome.command if isinstance(first.outcome, WrongForm) else "your mail"
    name = first.line.command.name
    if isinstance(first.outcome, Decision) and isinstance(first.outcome.reply, HelpCommand | HelpGame | HelpTopic):
        return f"{name} {' '.join(first.line.arguments.words)}"
    return name


def waiting_words(result: CommandResult) -> str:
    """The words below a line that others get once it is confirmed."""
    if not result.awaits_yes or not isinstance(result.line, Parsed):
        return ""
    command = result.line.command
    is_for_others = command.kind == "opening" or command.scope in ("board", "players") or command.name in TALKING
    return result.comment if is_for_others else ""


def _without_words(refused: CommandError) -> CommandError:
    """An error for an unknown sender, without what they wrote: the address may be somebody else's."""
    typed = {"word", "userid", "address"} & {each.name for each in fields(refused)}
    long: dict[str, Any] = {name: "..." for name in typed if not is_userid(str(getattr(refused, name)))}
    return replace(refused, **long)


def shortened(reports: Sequence[LineReport], views: Sequence[BoardView]) -> tuple[list[LineReport], list[str]]:
    """The reports that there is room for, and the commands that ask for the rest."""
    short: list[LineReport] = []
    rest: dict[str, None] = {}
    room = BRIEF
    for each in reports:
        is_short = len(each.text) <= max(room, A_SENTENCE)
        short.append(each if is_short else replace(each, text="", left_out=True))
        room -= len(each.text) if is_short else 0
        if not is_short and each.line:
            rest[each.line] = None
    boards = dict.fromkeys(view.number for view in views[1:] if not view.previewed)
    if boards:
        rest[f"show {' '.join(map(str, boards))}"] = None
    return short, [*rest]


_TO_PLAYERS: Final = "message"


def sendable_words(
    records: TransactionQueries, results: Sequence[CommandResult], left_out: Sequence[str]
) -> tuple[str, ...]:
    """Commands that would pass on these words to those who were meant to get them; none if nobody was."""
    for result in results if left_out else ():
        if not isinstance(result.line, Parsed) or result.actor is None or not result.actor.proven:
            continue
        talked = isinstance(result.outcome, NothingToSay | NoWords)
        if result.line.command.name == _TO_PLAYERS and (talked or isinstance(result.outcome, Decision)):
            # A mail may hold only one such line.
            return (f"{_TO_PLAYERS} {' '.join(result.line.arguments.userids)}: {left_out[0]}",)
        boards = [*result.outcome.changed_boards] if isinstance(result.outcome, Decision) else [*result.boards]
        if boards and (talked or isinstance(result.outcome, Decision)):
            return tuple(f"chat {boards[0]} {_not_as_credentials(records, line)}" for line in left_out)
    return ()


def _not_as_credentials(records: TransactionQueries, words: str) -> str:
    """The words, quoted if they begin with a userid: that would be taken for credentials."""
    return f'"{words}"' if records.player(words.split()[0]) is not None else words
