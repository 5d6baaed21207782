"""A mailed text as blocks that a page can set at any width: the same words in the same order."""

import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import ClassVar

from pbmserv.rendering.environment import WIDTH

_BAR = "|"
_NUMBER = re.compile(r"([0-9]{1,2}\.) +")


@dataclass(frozen=True, slots=True)
class Heading:
    """A line of its own that begins in capitals."""

    kind: ClassVar[str] = "heading"
    text: str


@dataclass(frozen=True, slots=True)
class Prose:
    """A paragraph, its lines made one."""

    kind: ClassVar[str] = "prose"
    text: str


@dataclass(frozen=True, slots=True)
class Verbatim:
    """Indented lines that are to be seen as they stand: what people send, and figures."""

    kind: ClassVar[str] = "verbatim"
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Quoted:
    """What a player wrote, without the bars before it, each of its own lines whole again."""

    kind: ClassVar[str] = "quoted"
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Item:
    """A numbered paragraph, with the lines indented below it; `number` has its dot."""

    number: str
    parts: tuple[Prose | Verbatim | Quoted, ...]


@dataclass(frozen=True, slots=True)
class Numbered:
    """Numbered paragraphs that follow on each other."""

    kind: ClassVar[str] = "numbered"
    items: tuple[Item, ...]


Block = Heading | Prose | Verbatim | Quoted | Numbered


def blocks_of(text: str) -> tuple[Block, ...]:
    """The blocks of a text that is laid out for mail.

    >>> blocks_of("MOVE: play\\n\\n1. Send\\n       help\\n   in a\\n   mail.")[1].items[0].parts
    (Prose(text='Send'), Verbatim(lines=('help',)), Prose(text='in a mail.'))
    """
    blocks: list[Block] = []
    width = 0
    for is_blank, found in groupby(text.split("\n"), key=lambda line: not line.strip()):
        if is_blank:
            continue
        lines = list(found)
        number = _NUMBER.match(lines[0])
        if number:
            width = number.end()
            item = Item(number[1], _parts(_outdented(lines, number.end())))
            if blocks and isinstance(blocks[-1], Numbered):
                blocks[-1] = Numbered((*blocks[-1].items, item))
            else:
                blocks.append(Numbered((item,)))
        elif blocks and isinstance(blocks[-1], Numbered) and all(line.startswith(" " * width) for line in lines):
            *before, last = blocks[-1].items
            more = _parts([line[width:] for line in lines])
            blocks[-1] = Numbered((*before, Item(last.number, (*last.parts, *more))))
        elif len(lines) == 1 and _is_heading(lines[0]):
            blocks.append(Heading(lines[0]))
        else:
            blocks += _parts(lines)
    return tuple(blocks)


def _outdented(lines: Sequence[str], width: int) -> list[str]:
    # A line that stands further left than its paragraph still belongs to it.
    return [lines[0][width:], *(line[min(width, len(line) - len(line.lstrip())) :] for line in lines[1:])]


def _parts(lines: Sequence[str]) -> tuple[Prose | Verbatim | Quoted, ...]:
    parts: list[Prose | Verbatim | Quoted] = []
    for first, found in groupby(lines, key=_first):
        if first == _BAR:
            parts.append(Quoted(_whole_again([line[2:] for line in found])))
        elif first:
            parts.append(Verbatim(tuple(textwrap.dedent("\n".join(found)).split("\n"))))
        else:
            parts.append(Prose(" ".join(found)))
    return tuple(parts)


def _first(line: str) -> str:
    """What tells of which kind a line is: a blank, a bar that stands by itself, or nothing."""
    is_quoted = line == _BAR or line.startswith(f"{_BAR} ")
    return _BAR if is_quoted else " " if line.startswith(" ") else ""


def _whole_again(lines: Sequence[str]) -> tuple[str, ...]:
    """Lines that were broken where the next word had no room; whoever broke one there is not heeded.

    >>> _whole_again(["a " * 33 + "word", "more", "", "An end."])
    ('a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a word more', '', 'An end.')
    """
    whole: list[str] = []
    before = ""
    for line in lines:
        word = line.partition(" ")[0]
        if before and word and len(f"{_BAR} {before} {word}") >= WIDTH:
            whole[-1] = f"{whole[-1]} {line}"
        else:
            whole.append(line)
        before = line
    return tuple(whole)


def _is_heading(line: str) -> bool:
    return not line.startswith(" ") and line.partition(":")[0].isupper()
