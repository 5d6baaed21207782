"""What is said on a command's own line, `chat 101 Well played!`: it goes the way of the text below commands."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from pbmserv.commands.queue_notation import CUT
from pbmserv.matches.errors import CommandError
from pbmserv.parser.parsed import Parsed, Unparsed

TALKING = frozenset({"chat", "message", "broadcast"})
"""Commands that send the body as it is."""

_TO_PLAYERS = TALKING - {"chat"}


class ChatAmongOthers(CommandError):
    """Words on a chat's own line, in a mail that does something on another board too: who are they for?"""


class WordsAmongOthers(CommandError):
    """Words for players in a mail that does something else too: who are they for? `command` sends them."""

    command: str


def take_inline_text(lines: Sequence[Parsed | Unparsed], below: str) -> tuple[list[Parsed | Unparsed], str]:
    """The lines, and what is said on them and `below` them.

    The text of a mail goes to every board that it changes. So that nobody hears what was said on another board's
    line, such a line is refused unless all that the mail does is done on one board. Words to players go to nobody
    else: a mail with them does nothing besides, or else nobody hears any words of it.
    """
    changing = [line for line in lines if isinstance(line, Parsed) and line.command.kind != "open"]
    if len(changing) > 1 and any(line.command.name in _TO_PLAYERS for line in changing):
        return [_unsaid(line) for line in lines], ""
    heard_of, said = _on_boards(lines, changing)
    return heard_of, f"{said}\n{below}" if said else below


def _on_boards(
    lines: Sequence[Parsed | Unparsed], changing: Sequence[Parsed]
) -> tuple[list[Parsed | Unparsed], str]:
    if len({line.arguments.boards for line in changing}) == 1:
        return list(lines), inline_text(lines)
    return [_unheard(line) if isinstance(line, Parsed) and line.arguments.text else line for line in lines], ""


def inline_text(lines: Iterable[Parsed | Unparsed]) -> str:
    """All that is said on those lines."""
    texts = (line.arguments.text for line in lines if isinstance(line, Parsed))
    return "\n".join(text for text in texts if text)


def _unheard(line: Parsed) -> Unparsed:
    return Unparsed(line.line, ChatAmongOthers(board=line.arguments.boards[0].number))


def _unsaid(line: Parsed | Unparsed) -> Parsed | Unparsed:
    if isinstance(line, Parsed) and line.command.name in TALKING:
        return Unparsed(line.line, WordsAmongOthers(command=line.command.name))
    return line


def whole(line: Parsed, read: str, unread: str) -> Parsed:
    """The line with all that is said on it, of which only `read`, up to what is `unread`, has been looked at."""
    words = line.arguments.text
    if not unread or not read.rstrip().endswith(words):
        return line
    blanks = read[len(read.rstrip()) :]
    return replace(line, arguments=replace(line.arguments, text=f"{words}{blanks}{unread}"))


def cut_off(line: Parsed) -> Parsed:
    """The line with a mark that nothing can be made of where it was cut: plans are told whole."""
    return replace(line, arguments=replace(line.arguments, ahead=f"{line.arguments.ahead} {CUT}"))
