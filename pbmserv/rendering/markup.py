"""How a template says what a block is, and the document that its output is.

A template tells by the first characters of a line of its source to which block the line belongs:

    # A heading                        ~ a line that is a paragraph of its own, with no blank line around it
    | words that a player wrote        1. a numbered paragraph, with what is indented below it

A line that is indented is to be seen as it stands, any other is prose, and blank lines part paragraphs. A command
stands in an indented line of its own and has a sign before it:

    $ show 101                 can be sent as it stands: a tap does so
    ! yes                      answers the very mail that holds it
    % move 101 c3              only shows how it is written; on a page a tap begins a mail with it
    % as ann x => as NAME      the same, where the mail is to begin with something else

`marked` replaces the signs in the source, before any value stands in it, by characters that no value can hold
(`without_marks`). So a player who writes `# Game over` writes prose.
"""

import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Final, NamedTuple

from pbmserv.rendering.document import (
    Block,
    CommandLink,
    CommandUse,
    Document,
    Heading,
    Item,
    Numbered,
    Part,
    Plot,
    Prose,
    Quoted,
    Verbatim,
    VerbatimLine,
)
from pbmserv.rendering.drawn_text import draw_curve

# Unicode sets these aside for use inside of a program: no text that is exchanged may hold them.
_HEADING, _ALONE, QUOTED, _NUMBERED, FLOWING = "\ufdd0\ufdd1\ufdd2\ufdd3\ufdd4"
_SEND, _ANSWER, _EXAMPLE, _SENDS, _END = "\ufdd5\ufdd6\ufdd7\ufdd8\ufdd9"
_PLOT: Final = "\ufdda"
_SIGNS: Final = ((re.compile("^# ", re.MULTILINE), _HEADING), (re.compile("^~ ", re.MULTILINE), _ALONE))
_SOURCE_QUOTED: Final = re.compile(r"^\| ", re.MULTILINE)
_SOURCE_NUMBERED: Final = re.compile(r"^(?=[0-9]{1,2}\. )", re.MULTILINE)
_SOURCE_COMMAND: Final = re.compile(r"^( +)([$!%]) (.*?)(?: => (.*))?$", re.MULTILINE)
_APART: Final = (_HEADING, _ALONE, _PLOT)
_PLOT_INDENT: Final = 4
_MARKS: Final = re.compile("[\ufdd0-\ufdef]")
_NUMBER: Final = re.compile(r"([0-9]{1,2}\.) +")

# Marks that turn the direction of what follows could make a board read from right to left; what others take for
# the end of a line could make a comment look like our own words.
_DIRECTIONS = (*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C)
_LINE_ENDS = (0x0B, 0x0C, 0x0D, 0x1C, 0x1D, 0x1E, 0x85, 0x2028, 0x2029)
_UNSEEN = dict.fromkeys(_DIRECTIONS) | dict.fromkeys(_LINE_ENDS, " ")
_CONTROLS = dict.fromkeys((*range(9), *range(11, 32), *range(127, 160)))
_UNSEEN_AND_CONTROLS = _CONTROLS | _UNSEEN

_USES: Final[dict[CommandUse, str]] = {"send": _SEND, "answer": _ANSWER, "example": _EXAMPLE}
_USE_OF: Final = {mark: use for use, mark in _USES.items()}

_SIGNED: Final[dict[str, CommandUse]] = {"$": "send", "!": "answer", "%": "example"}


class Marked(str):
    """Text in which marks of blocks are meant as such: what a template says, not what it is given."""

    __slots__ = ()


class Line(NamedTuple):
    """A line of a block, not yet broken."""

    text: str
    mark: str = ""
    """That of its block, on the first line of it, or on each line of what a player wrote."""
    indent: int = 0
    """Blanks that it begins with."""


def marked(source: str) -> str:
    """The source of a template, the signs at the beginnings of its lines replaced by marks."""
    for sign, mark in _SIGNS:
        source = sign.sub(mark, source)
    source = _SOURCE_COMMAND.sub(_marked_sign, source)
    return _SOURCE_NUMBERED.sub(_NUMBERED, _SOURCE_QUOTED.sub(QUOTED, source))


def _marked_sign(line: re.Match[str]) -> str:
    indent, sign, text, sends = line.groups("")
    return indent + marked_command(text, _SIGNED[sign], sends)


def marked_command(text: str, use: CommandUse, sends: str = "", rest: str | None = None) -> Marked:
    """A command with its mark; `sends` is the command where that is not the text; `rest` follows."""
    end = "" if rest is None else f"{_END}{rest}"
    return Marked(f"{_USES[use]}{text}{_SENDS if sends else ''}{sends}{end}")


def plotted(points: Iterable[int], marks: Iterable[int] = ()) -> Marked:
    """Numbers from 0 to 100 as a template says a curve of them; some places are pointed out."""
    return Marked(f"{_PLOT}{','.join(map(str, points))};{','.join(map(str, marks))}")


def without_marks(value: object) -> object:
    """A value as a template may print it: marks are left only in what another template said."""
    if not isinstance(value, str) or value.isascii() or isinstance(value, Marked) or not _MARKS.search(value):
        return value
    return type(value)(_MARKS.sub("", value))


def as_shown(text: str) -> str:
    """Text without what would make it look like something else: its only line ends are line feeds."""
    return text.translate(_UNSEEN)


def without_controls(text: str) -> str:
    """Text without the control characters that HTML may not hold, not even escaped."""
    return text.translate(_CONTROLS)


def document_of(text: str) -> Document:
    """The document that a template's output is.

    >>> text = marked("# MOVE: play\\n\\n1. Send\\n       help\\n   in a\\n   mail.")
    >>> document_of(text).blocks[1].items[0].parts[2]
    Prose(lines=('in a', 'mail.'), is_tight=True, flows=False)
    """
    blocks: list[Block] = []
    lines = [line.rstrip() for line in text.translate(_UNSEEN_AND_CONTROLS).split("\n")]
    for is_filled, found in groupby(lines, key=bool):
        for place, section in enumerate(_sections(found) if is_filled else ()):
            _add(blocks, section, is_tight=place > 0)
    return Document(tuple(blocks))


def on_one_line(text: str) -> str:
    """What a template says in one paragraph of prose; "" if that is nothing."""
    return " ".join(_MARKS.sub("", text).split())


def source_of(blocks: Sequence[Block]) -> Marked:
    """Blocks as a template says them, for one that repeats them."""
    return Marked(
        "\n".join(f"{line.mark}{' ' * line.indent}{line.text}" for line in lines_of(blocks, is_source=True))
    )


def lines_of(blocks: Sequence[Block | Item], is_source: bool = False) -> Iterator[Line]:
    """The lines of blocks, with a blank one wherever a paragraph ends; as a source with marks of commands."""
    for place, block in enumerate(blocks):
        if place and not block.is_tight:
            yield Line("")
        match block:
            case Heading():
                yield Line(block.text, _HEADING)
            case Prose():
                yield from (Line(line, FLOWING if block.flows else "") for line in block.lines)
            case Verbatim():
                texts = (_source(line) if is_source else line.text for line in block.lines)
                yield from (Line(text, indent=block.indent) for text in texts)
            case Plot(points=points, marks=marks) if is_source:
                yield Line(plotted(points, marks)[1:], _PLOT)
            case Plot(points=points, marks=marks):
                yield from (Line(line, indent=_PLOT_INDENT) for line in draw_curve(points, marks))
            case Quoted():
                yield from (Line(line, QUOTED) for line in block.lines)
            case Numbered():
                yield from lines_of(block.items, is_source)
            case Item():
                first, *rest = lines_of(block.parts, is_source)
                yield Line(block.number.ljust(block.indent) + first.text, _NUMBERED)
                yield from (line._replace(indent=line.indent + block.indent) for line in rest)


def filled(text: str) -> Marked:
    """What a template says, the lines of each paragraph of prose made one."""
    done: list[str] = []
    for is_prose, found in groupby(text.split("\n"), key=_is_prose):
        lines = [*found]
        done += [FLOWING + " ".join(lines)] if is_prose else lines
    return Marked("\n".join(done))


def _is_prose(line: str) -> bool:
    return bool(line) and not line.startswith((" ", _HEADING, _ALONE, QUOTED, _NUMBERED, FLOWING, _PLOT))


def _sections(lines: Iterator[str]) -> Iterator[list[str]]:
    """The lines of a paragraph, parted where a mark begins or ends a block."""
    section: list[str] = []
    for line in lines:
        if section and (line[0] in (*_APART, _NUMBERED) or section[0][0] in _APART):
            yield section
            section = []
        section.append(line)
    yield section


def _add(blocks: list[Block], lines: Sequence[str], is_tight: bool) -> None:
    mark, first = lines[0][0], lines[0][1:]
    last = blocks[-1] if blocks else None
    if mark == _HEADING:
        blocks.append(Heading(first, is_tight))
    elif mark == _PLOT:
        points, _, marks = first.partition(";")
        blocks.append(Plot(_numbers(points), _numbers(marks), is_tight))
    elif mark == _ALONE:
        blocks.append(Prose((first,), is_tight))
    elif mark == _NUMBERED and (number := _NUMBER.match(first)):
        indent = number.end()
        item = Item(number[1], _parts([first[indent:], *_outdented(lines[1:], indent)]), indent, is_tight)
        if isinstance(last, Numbered):
            blocks[-1] = replace(last, items=(*last.items, item))
        else:
            blocks.append(Numbered((item,), is_tight))
    elif isinstance(last, Numbered) and all(line.startswith(" " * last.items[-1].indent) for line in lines):
        *before, item = last.items
        more = _parts(_outdented(lines, item.indent), is_tight)
        blocks[-1] = replace(last, items=(*before, replace(item, parts=(*item.parts, *more))))
    else:
        blocks += _parts(lines, is_tight)


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(map(int, filter(None, text.split(","))))


def _outdented(lines: Sequence[str], width: int) -> list[str]:
    # A line that stands further left than its paragraph still belongs to it.
    return [line[min(width, len(line) - len(line.lstrip(" "))) :] for line in lines]


def _parts(lines: Sequence[str], is_tight: bool = False) -> tuple[Part, ...]:
    parts: list[Part] = []
    for kind, found in groupby(lines, key=_kind):
        run = tuple(found)
        if kind == QUOTED:
            parts.append(Quoted(tuple(line[1:] for line in run), is_tight))
        elif kind == " ":
            indent = min(len(line) - len(line.lstrip(" ")) for line in run)
            parts.append(Verbatim(tuple(_verbatim(line[indent:]) for line in run), indent, is_tight))
        else:
            parts.append(Prose(tuple(line.removeprefix(FLOWING) for line in run), is_tight, kind == FLOWING))
        is_tight = True
    return tuple(parts)


def _verbatim(line: str) -> VerbatimLine:
    use = _USE_OF.get(line[:1])
    if use is None:
        return VerbatimLine(line if line.isascii() else _MARKS.sub("", line))
    link, _, rest = line[1:].partition(_END)
    text, _, sends = link.partition(_SENDS)
    return VerbatimLine(text + rest, CommandLink(text, " ".join((sends or text).split()), use))


def _source(line: VerbatimLine) -> str:
    link = line.command
    if link is None:
        return line.text
    sends = "" if link.sends == link.text else link.sends
    return marked_command(link.text, link.use, sends, line.text[len(link.text) :])


def _kind(line: str) -> str:
    return line[0] if line.startswith((QUOTED, FLOWING, " ")) else ""


WIDTH: Final = 72
"""Columns of a line."""

_DEEPEST: Final = 24
"""Columns that a line which goes on below may be indented by, or nothing would fit."""


def as_text(document: Document) -> str:
    """A document as text.

    No line is longer than 72 columns, ends in a blank, begins with `From ` or `>`, or is only `.` or `-- `; blank
    lines come one at a time and stand neither first nor last. A long line goes on below its own indentation.
    """
    return "\n".join(part for line in lines_of(document.blocks) for part in _broken(line)) + "\n"


def laid_out(text: str) -> str:
    """What a template says, as text that a mail may carry."""
    return as_text(document_of(text))


def _broken(line: Line) -> list[str]:
    """A line as one or more that are narrow enough."""
    before = "| " if line.mark == QUOTED else " " * line.indent
    whole = (before + line.text).rstrip()
    harmless = _harmless(whole)
    if len(harmless) <= WIDTH:
        return [harmless]
    deeper = len(line.text) - len(line.text.lstrip(" "))
    # The last column is for the blank that makes a part harmless; prose that flows takes it where none needs one.
    below = before[:_DEEPEST] + " " * min(deeper, _DEEPEST - len(before[:_DEEPEST]))
    for width in (WIDTH, WIDTH - 1) if line.mark == FLOWING else (WIDTH - 1,):
        wrapped = textwrap.wrap(whole, width, subsequent_indent=below, break_on_hyphens=False)
        parts = [_harmless(part) for part in wrapped]
        if max(map(len, parts)) <= WIDTH:
            break
    return parts


def _harmless(line: str) -> str:
    return f" {line}" if line.startswith(("From ", ">")) or line in (".", "--") else line
