"""A bare move in an answer to a mail that shows no match: a practice board that is not there yet, or a puzzle.

Such an answer is read as one to a board is, so that whatever people write around a move is understood. What comes
of it is a line `practice MOVE` or `puzzle NUMBER MOVE`.
"""

from dataclasses import dataclass, replace
from typing import Final

from sqlalchemy import Connection

from pbmserv.commands.command import Arguments, commands
from pbmserv.commands.practice import NOT_THERE_YET, SOLUTION, practice_terms
from pbmserv.commands.server import Server
from pbmserv.commands.vocabulary import CLOSING, OPENING
from pbmserv.games import games
from pbmserv.games.info import Info
from pbmserv.mail.reading.our_copies import OurWords
from pbmserv.matches.puzzles import Puzzle, board_number_of
from pbmserv.parser.parsed import IncomingMail, Parsed, Unparsed, WhichOne
from pbmserv.parser.words import normalised
from pbmserv.services.reply_text import ReplyText, reply_text
from pbmserv.services.sender import SenderIdentity
from pbmserv.store.queries import TransactionQueries

_NO: Final = "no"


@dataclass(frozen=True, slots=True)
class AnsweredApart:
    """What a mail answers that is no match."""

    # None: the practice board.
    puzzle: Puzzle | None = None

    @property
    def number(self) -> int:
        """The number of the board that it is read as an answer to."""
        return NOT_THERE_YET if self.puzzle is None else board_number_of(self.puzzle.number)

    def game(self, server: Server) -> Info:
        """The game that a move is one of."""
        return games()[practice_terms(server).game if self.puzzle is None else self.puzzle.game].info

    def line(self, move: str, ply: int | None) -> Parsed:
        """The line that a bare move stands for."""
        if self.puzzle is not None:
            number = self.puzzle.number
            arguments = Arguments(words=(f"{number}",), move=move)
            return Parsed(f"puzzle {number} {move}", commands()["puzzle"], arguments)
        guard = "" if ply is None else f"#{ply}"
        return Parsed(f"practice {move}{guard}", commands()["practice"], Arguments(move=move, ply=ply))


def answered_apart(connection: Connection, identity: SenderIdentity) -> AnsweredApart | None:
    """What a mail answers, if the mail that it answers shows something that is no match."""
    if identity.confirmation is not None:
        return AnsweredApart() if identity.confirmation.kind == "sign-up" else None
    shown = dict(identity.answered.shown) if identity.answered is not None else {}
    if NOT_THERE_YET in shown:
        return AnsweredApart()
    found = [-number for number in shown if number < NOT_THERE_YET]
    puzzle = TransactionQueries(connection).puzzle(found[0]) if len(shown) == len(found) == 1 else None
    return None if puzzle is None else AnsweredApart(puzzle)


def with_move_apart(
    plain: ReplyText,
    mail: IncomingMail,
    ours: OurWords,
    apart: AnsweredApart,
    server: Server,
    addresses: frozenset[str],
) -> ReplyText:
    """What a mail says with its bare move as one there; as it was read without a board, if it has none.

    Whoever says `no` to an account does not play.
    """
    names = [line.command.name for line in plain.parsed.lines if isinstance(line, Parsed)]
    if _NO in names:
        return plain
    if apart.puzzle is not None and not names and _first_line(plain) == SOLUTION:
        return replace(plain, parsed=replace(plain.parsed, lines=(apart.line(SOLUTION, None),)))
    written = reply_text(mail, ours, apart.number, server.address, addresses, apart.game(server))
    lines = written.parsed.lines
    about = [line for line in lines if _is_about(line, apart.number)]
    if not about or not all(map(_is_move, about)):
        return plain
    moved = tuple(_moved(line, apart) for line in lines)
    return replace(written, parsed=replace(written.parsed, lines=moved, board=None))


def _first_line(written: ReplyText) -> str:
    """What somebody wrote first, without what may stand around a word."""
    lines = (normalised(line).strip(OPENING + CLOSING) for line in written.mail.text.split("\n"))
    return next(filter(None, lines), "").lower()


def _is_about(line: Parsed | Unparsed, number: int) -> bool:
    if isinstance(line, Unparsed):
        return line.error.board == number
    return any(ref.number == number for ref in line.arguments.boards)


def _is_move(line: Parsed | Unparsed) -> bool:
    """Whether a line is a move, or several of which one is meant."""
    return isinstance(line.error, WhichOne) if isinstance(line, Unparsed) else line.command.name == "move"


def _moved(line: Parsed | Unparsed, apart: AnsweredApart) -> Parsed | Unparsed:
    if not _is_about(line, apart.number):
        return line
    if isinstance(line, Unparsed):
        return replace(line, error=replace(line.error, board=None))
    return apart.line(line.arguments.move, line.arguments.ply)
