"""The first move on a practice board that is not there yet, in an answer to the mail that offers it.

Such an answer is read as one to a board is, so that whatever people write around a move is understood. What comes
of it is a line `practice MOVE`.
"""

from dataclasses import replace
from typing import Final

from pbmserv.commands.base.arguments import Arguments
from pbmserv.commands.base.practice import NOT_THERE_YET, practice_terms
from pbmserv.commands.base.registry import commands
from pbmserv.commands.base.server import Server
from pbmserv.games import games
from pbmserv.mail.reading.our_copies import OurWords
from pbmserv.parser.errors import WhichOne
from pbmserv.parser.parsed import IncomingMail, Parsed, Unparsed
from pbmserv.services.reply_text import ReplyText, reply_text
from pbmserv.services.sender import SenderIdentity

_NO: Final = "no"


def is_offered_practice(identity: SenderIdentity) -> bool:
    """Whether a mail answers one that offers a practice board."""
    if identity.confirmation is not None:
        return identity.confirmation.kind == "sign-up"
    return identity.answered is not None and NOT_THERE_YET in dict(identity.answered.shown)


def with_first_move(
    plain: ReplyText, mail: IncomingMail, ours: OurWords, server: Server, addresses: frozenset[str]
) -> ReplyText:
    """What a mail says with its bare move as a first one; as it was read without a board, if it has none.

    Whoever says `no` to an account does not play.
    """
    names = [line.command.name for line in plain.parsed.lines if isinstance(line, Parsed)]
    if _NO in names:
        return plain
    game = games()[practice_terms(server).game].info
    written = reply_text(mail, ours, NOT_THERE_YET, server.address, addresses, game)
    lines = written.parsed.lines
    about = [line for line in lines if _is_about_it(line)]
    if not about or not all(map(_is_move, about)):
        return plain
    return replace(written, parsed=replace(written.parsed, lines=tuple(map(_first_move, lines)), board=None))


def _is_about_it(line: Parsed | Unparsed) -> bool:
    if isinstance(line, Unparsed):
        return line.error.board == NOT_THERE_YET
    return any(ref.number == NOT_THERE_YET for ref in line.arguments.boards)


def _is_move(line: Parsed | Unparsed) -> bool:
    """Whether a line is a move, or several of which one is meant."""
    return isinstance(line.error, WhichOne) if isinstance(line, Unparsed) else line.command.name == "move"


def _first_move(line: Parsed | Unparsed) -> Parsed | Unparsed:
    if not _is_about_it(line):
        return line
    if isinstance(line, Unparsed):
        return replace(line, error=replace(line.error, board=None))
    move, ply = line.arguments.move, line.arguments.ply
    guard = "" if ply is None else f"#{ply}"
    return Parsed(f"practice {move}{guard}", commands()["practice"], Arguments(move=move, ply=ply))
