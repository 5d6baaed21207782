"""The manual: the texts that `help` mails, set for a page.

A page has the mailed words in their order. What they draw is drawn; what can be sent is a link that begins the
mail; what names another page leads there.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from markupsafe import Markup

from pbmserv.commands.declaration import Declaration
from pbmserv.commands.library import commands
from pbmserv.commands.replies.common import HelpCommands, HelpGame, Reply
from pbmserv.commands.verbs import help as manual
from pbmserv.commands.words import close_to
from pbmserv.games.game import Info
from pbmserv.games.library import games
from pbmserv.rendering.blocks import Heading, Verbatim, blocks_of
from pbmserv.rendering.environment import laid_out
from pbmserv.rendering.picture.pieces import piece_id, samples, symbols
from pbmserv.rendering.sendable import sendable, to_fill_in
from pbmserv.rendering.sentences import say
from pbmserv.rendering.web.figures import DrawnBlock, DrawnNumbered, cells_in, with_figures
from pbmserv.rendering.web.page import Frame, Page, help_path, mailto, slug
from pbmserv.rendering.web.question import LONGEST_ECHO
from pbmserv.rendering.web.trouble import Missing

_FEWEST_CONTENTS = 3
"""Headings that a table of contents is worth its room for."""


@dataclass(frozen=True, slots=True)
class CommandIndex:
    """All commands, in the place of the lines that list them."""

    kind: ClassVar[str] = "index"
    commands: tuple[Declaration, ...]


@dataclass(frozen=True, slots=True)
class SideShown:
    """A side as the rules page shows it: its name, its mark, and the name of the drawing of its piece."""

    name: str
    mark: str
    piece: str


@dataclass(frozen=True, slots=True)
class About:
    """The facts beside the rules of a game, from its declaration."""

    info: Info
    sides: tuple[SideShown, ...]


@dataclass(frozen=True, slots=True)
class Help(Page):
    """A help page.

    `heading` is the first line where that is one; the rest are `blocks`. `pieces` are the drawings that figures
    use. `links` says where a whole line leads to, `phrases` where a part of a sentence does; `anchors` are the
    places of the headings, by their text. `before` and `after` are the neighbours in reading order; "" is none.
    """

    template = "web/help.html"
    section = "help"
    subject: str
    heading: str
    blocks: tuple[DrawnBlock | CommandIndex, ...]
    pieces: Markup
    links: Mapping[str, str]
    phrases: Mapping[str, str]
    anchors: Mapping[str, str]
    about: About | None
    before: str
    after: str
    topics: tuple[str, ...]
    games: tuple[str, ...]
    commands: tuple[str, ...]

    @property
    def has_contents(self) -> bool:
        """Whether the page is long enough for a table of contents."""
        return len(self.anchors) >= _FEWEST_CONTENTS

    def cut(self, text: str) -> Iterator[tuple[str, str]]:
        """A sentence in pieces, each with where it leads to; "" is nowhere."""
        if not self.phrases:
            yield text, ""
            return
        for piece in re.split(f"({'|'.join(map(re.escape, self.phrases))})", text):
            yield piece, self.phrases.get(piece, "")


def help_page(asked: str, frame: Frame) -> Help | Missing:
    """The help page that has this name in its address ("" is the index), its text being what `help` mails."""
    wanted = asked.lower()
    known = {slug(subject): subject for subject in ("", *manual.subjects(), *manual.ELSEWHERE)}
    subject = known.get(slug(wanted))
    if subject is None:
        return Missing("help", asked[:LONGEST_ECHO], close_to(wanted, manual.subjects()))
    return _page(manual.ELSEWHERE.get(subject, subject), frame)


@lru_cache(maxsize=256)  # every subject, for a visitor from anywhere and one at home
def _page(subject: str, frame: Frame) -> Help:
    reply = manual.page(subject)
    if reply is None:
        raise LookupError(f"{subject} has no help page")
    first, *rest = blocks_of(laid_out(say(reply, frame.server)))
    heading = first.text if isinstance(first, Heading) else ""
    blocks = with_figures(rest if heading else (first, *rest))
    about = _about(reply.game) if isinstance(reply, HelpGame) else None
    listed = _reading_order()
    place = listed.index(subject) if subject in listed else -1
    return Help(
        subject=subject,
        heading=heading,
        blocks=_with_index(blocks, reply),
        pieces=symbols((*cells_in(blocks), *(samples(about.info) if about else ()))),
        links=_links(blocks, subject, frame),
        phrases=_phrases(subject, frame),
        anchors={block.text: slug(block.text.lower()) for block in blocks if isinstance(block, Heading)},
        about=about,
        before=listed[place - 1] if place > 0 else "",
        after=listed[place + 1] if place + 1 < len(listed) else "",
        topics=("tutorial", *(topic for topic in manual.TOPICS if topic != "tutorial")),
        games=tuple(games()),
        commands=tuple(commands()),
    )


def _reading_order() -> tuple[str, ...]:
    """Every page but the index, as the chapters of a book: how to begin, the rules, the rest, the commands."""
    first = ("tutorial", *games())
    return (*first, *(topic for topic in manual.TOPICS if topic not in first), "commands", *commands())


def _with_index(blocks: tuple[DrawnBlock, ...], reply: Reply) -> tuple[DrawnBlock | CommandIndex, ...]:
    if not isinstance(reply, HelpCommands):
        return blocks
    lines = [line for command in reply.commands for line in (*command.forms, f"    {command.summary}")]
    return tuple(
        CommandIndex(reply.commands) if isinstance(block, Verbatim) and list(block.lines) == lines else block
        for block in blocks
    )


def _about(info: Info) -> About:
    sides = zip(info.sides, samples(info), strict=True)
    return About(info, tuple(SideShown(side.name, side.mark, piece_id(cell)) for side, cell in sides))


def _links(blocks: Iterable[DrawnBlock], subject: str, frame: Frame) -> dict[str, str]:
    """Where each line that stands by itself leads to: a page, or a mail that it begins."""
    forms = {form: help_path(command.name) for command in commands().values() for form in command.forms}
    pages = {line: path for line, path in {**forms, **_asking()}.items() if path != help_path(subject)}
    leading = {**pages, frame.server.address: mailto(frame)}
    lines = {line.strip() for line in _lines(blocks)}
    found = {line: leading.get(line) or _begun(" ".join(line.split()), frame) for line in lines}
    return {line: href for line, href in found.items() if href} | pages


def _begun(line: str, frame: Frame) -> str:
    """The link that begins a mail with the command that a line is; a secret becomes a word to be replaced."""
    if any(line in command.forms and line != command.name for command in commands().values()):
        return ""
    parsed = sendable(line)
    if parsed is not None:
        # To a new mail nobody can say yes.
        return "" if parsed.command.kind == "token" else mailto(frame, line)
    filled_in = to_fill_in(line)
    return mailto(frame, filled_in) if filled_in else ""


def _lines(blocks: Iterable[DrawnBlock]) -> Iterator[str]:
    for block in blocks:
        if isinstance(block, DrawnNumbered):
            for item in block.items:
                yield from _lines(item.parts)
        elif isinstance(block, Verbatim):
            yield from block.lines


def _phrases(subject: str, frame: Frame) -> dict[str, str]:
    """Where words within a sentence lead to; an inventor's site is the only one elsewhere."""
    sites = {game.info.credit.site: f"https://{game.info.credit.site}/" for game in games().values()}
    asking = {f'"{line}"': path for line, path in _asking().items() if path != help_path(subject)}
    return {**asking, **sites, frame.server.address: mailto(frame)}


def _asking() -> dict[str, str]:
    """The pages by the lines that ask for them in a mail."""
    return {f"help {subject}".rstrip(): help_path(subject) for subject in ("", *manual.subjects())}
