"""What a template says, before any layout: blocks that the text, the HTML part and the pages each set anew."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import ClassVar, Literal

CommandUse = Literal["send", "answer", "example"]
"""What a tap on a command does: sends it, answers the mail that holds it, or begins a mail, from a page only."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A line that says what the following is about."""

    kind: ClassVar[str] = "heading"
    text: str
    is_tight: bool = False
    """In a text no blank line stands between this and the block before it; for every kind of block."""


@dataclass(frozen=True, slots=True)
class Prose:
    """A paragraph."""

    kind: ClassVar[str] = "prose"
    lines: tuple[str, ...]
    """As the template breaks them, which matters only in text."""
    is_tight: bool = False
    flows: bool = False
    """Its lines were joined: only a text breaks it."""

    @property
    def text(self) -> str:
        """The paragraph without line breaks."""
        return " ".join(self.lines)


@dataclass(frozen=True, slots=True)
class CommandLink:
    """A command in a line."""

    text: str
    """As the line has it, which it begins."""
    sends: str
    """The command itself."""
    use: CommandUse


@dataclass(frozen=True, slots=True)
class VerbatimLine:
    """A line as it stands."""

    text: str
    command: CommandLink | None = None


@dataclass(frozen=True, slots=True)
class Verbatim:
    """Lines that are to be seen as they stand."""

    kind: ClassVar[str] = "verbatim"
    lines: tuple[VerbatimLine, ...]
    indent: int = 4
    """Blanks before each line in a text."""
    is_tight: bool = False


@dataclass(frozen=True, slots=True)
class Quoted:
    """What a player wrote, each of its lines whole."""

    kind: ClassVar[str] = "quoted"
    lines: tuple[str, ...]
    is_tight: bool = False


@dataclass(frozen=True, slots=True)
class Plot:
    """A row of numbers from 0 to 100 that is drawn as a curve."""

    kind: ClassVar[str] = "plot"
    points: tuple[int, ...]
    marks: tuple[int, ...] = ()
    """The places of those points that are pointed out."""
    is_tight: bool = False


Part = Prose | Verbatim | Quoted


@dataclass(frozen=True, slots=True)
class Item:
    """A numbered paragraph, with the lines indented below it."""

    number: str
    """With its dot."""
    parts: tuple[Part, ...]
    indent: int = 3
    """Characters of the number and the blanks behind it."""
    is_tight: bool = False


@dataclass(frozen=True, slots=True)
class Numbered:
    """Numbered paragraphs that follow on each other."""

    kind: ClassVar[str] = "numbered"
    items: tuple[Item, ...]
    is_tight: bool = False


Block = Heading | Part | Numbered | Plot


@dataclass(frozen=True, slots=True)
class Document:
    """What a template says, for renderers to set."""

    blocks: tuple[Block, ...] = ()

    def then(self, other: "Document") -> "Document":
        """This and another one below it."""
        return Document((*self.blocks, *other.blocks))

    def items(self) -> Iterator[Item]:
        """Every numbered paragraph."""
        for block in self.blocks:
            if isinstance(block, Numbered):
                yield from block.items


def between(document: Document, first: int, last: int | None) -> Sequence[Block]:
    """The blocks of a document from one numbered paragraph to another; None is the last block of all.

    What stands above paragraph 1 belongs to it.
    """
    found: list[Block] = []
    is_within = first == 1
    for block in document.blocks:
        if isinstance(block, Numbered):
            numbers = [int(item.number.rstrip(".")) for item in block.items]
            wanted = [first <= number and (last is None or number <= last) for number in numbers]
            is_within = any(wanted)
            block = replace(block, items=tuple(compress(block.items, wanted)))
        if is_within:
            found.append(block)
        if isinstance(block, Numbered) and last in numbers:
            break
    return found
