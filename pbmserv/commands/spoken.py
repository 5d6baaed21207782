"""What is said on a command's own line, `chat 101 Well played!`: it goes the way of the text below commands."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from pbmserv.commands.board_refusals import ChatAmongOthers
from pbmserv.commands.message import Parsed, Unparsed


def heard(lines: Sequence[Parsed | Unparsed]) -> tuple[list[Parsed | Unparsed], str]:
    """The lines, and what is said on them.

    The text of a mail goes to every board that it changes. So that nobody hears what was said on another board's
    line, such a line is refused unless all that the mail does is done on one board.
    """
    changing = [line for line in lines if isinstance(line, Parsed) and line.command.kind != "open"]
    if len({line.arguments.boards for line in changing}) == 1:
        return list(lines), said_on(lines)
    return [_unheard(line) if isinstance(line, Parsed) and line.arguments.text else line for line in lines], ""


def said_on(lines: Iterable[Parsed | Unparsed]) -> str:
    """All that is said on those lines."""
    texts = (line.arguments.text for line in lines if isinstance(line, Parsed))
    return "\n".join(text for text in texts if text)


def _unheard(line: Parsed) -> Unparsed:
    return Unparsed(line.line, ChatAmongOthers(board=line.arguments.boards[0].number))


def whole(line: Parsed, read: str, unread: str) -> Parsed:
    """The line with all that is said on it, of which only `read`, up to what is `unread`, has been looked at."""
    words = line.arguments.text
    if not unread or not read.rstrip().endswith(words):
        return line
    blanks = read[len(read.rstrip()) :]
    return replace(line, arguments=replace(line.arguments, text=f"{words}{blanks}{unread}"))
