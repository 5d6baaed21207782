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
from starlette.requests import Request
from starlette.responses import Response

from pbmserv.commands import help as manual
from pbmserv.commands.command import Command, Reply, commands
from pbmserv.commands.help import HelpCommands, HelpGame, HelpTopic
from pbmserv.commands.vocabulary import close_to
from pbmserv.games import games
from pbmserv.games.info import Info
from pbmserv.rendering.document import Heading, Verbatim, VerbatimLine
from pbmserv.rendering.markup import document_of
from pbmserv.rendering.piece_style import PIECE_STYLES, looks_of
from pbmserv.rendering.svg.pieces import piece_id, samples, symbols
from pbmserv.rendering.templates import say
from pbmserv.web.figures import DrawnBlock, DrawnNumbered, pieces_in, with_figures
from pbmserv.web.layout import Frame, NotFoundPage, Page, help_path, mailto, slug
from pbmserv.web.query import LONGEST_ECHO
from pbmserv.web.site import Routes, Site

_ADDRESS = r"https?://[^\s,;()]*[^\s,;().]"
_FEWEST_CONTENTS = 3
"""Headings that a table of contents is worth its room for."""


@dataclass(frozen=True, slots=True)
class CommandIndex:
    """All commands, in the place of the lines that list them."""

    kind: ClassVar[str] = "index"
    commands: tuple[Command, ...]


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
    games: tuple[Info, ...]
    commands: tuple[str, ...]

    @property
    def has_contents(self) -> bool:
        """Whether the page is long enough for a table of contents."""
        return len(self.anchors) >= _FEWEST_CONTENTS

    def cut(self, text: str) -> Iterator[tuple[str, str]]:
        """A sentence in pieces, each with where it leads to; "" is nowhere. Addresses of pages lead there."""
        found = re.split("|".join([f"({_ADDRESS}", *map(re.escape, self.phrases)]) + ")", text)
        for place, piece in enumerate(found):
            is_address = place % 2 == 1 and piece not in self.phrases
            yield piece, piece if is_address else self.phrases.get(piece, "")


def help_page(asked: str, frame: Frame) -> Help | NotFoundPage:
    """The help page that has this name in its address ("" is the index), its text being what `help` mails."""
    wanted = asked.lower()
    known = {slug(subject): subject for subject in ("", *manual.subjects(), *manual.ELSEWHERE)}
    subject = known.get(slug(wanted))
    if subject is None:
        return NotFoundPage("help", asked[:LONGEST_ECHO], close_to(wanted, manual.subjects()))
    return _page(manual.ELSEWHERE.get(subject, subject), frame)


@lru_cache(maxsize=256)  # every subject, for a visitor from anywhere and one at home
def _page(subject: str, frame: Frame) -> Help:
    reply = manual.page(subject, frame.server)
    if reply is None:
        raise LookupError(f"{subject} has no help page")
    first, *rest = document_of(say(reply, frame.server)).blocks
    heading = first.text if isinstance(first, Heading) else ""
    about = _about(reply.game) if isinstance(reply, HelpGame) else None
    drawn_as = reply.game.name if isinstance(reply, HelpGame | HelpTopic) else ""
    blocks = with_figures(rest if heading else (first, *rest), drawn_as)
    listed = _reading_order()
    place = listed.index(subject) if subject in listed else -1
    return Help(
        subject=subject,
        heading=heading,
        blocks=_with_index(blocks, reply),
        pieces=_drawings(blocks, about),
        links=_links(blocks, subject, frame),
        phrases=_phrases(subject, frame),
        anchors={block.text: slug(block.text.lower()) for block in blocks if isinstance(block, Heading)},
        about=about,
        before=listed[place - 1] if place > 0 else "",
        after=listed[place + 1] if place + 1 < len(listed) else "",
        topics=("tutorial", *(topic for topic in manual.TOPICS if topic != "tutorial")),
        games=tuple(game.info for game in games().values()),
        commands=tuple(commands()),
    )


def _drawings(blocks: Iterable[DrawnBlock], about: About | None) -> Markup:
    """The pieces of the figures, in the styles of the game that the page is about, or else of all seats."""
    shown = pieces_in(blocks)
    if about is None:
        return symbols(shown, PIECE_STYLES)
    return symbols((*shown, *samples(about.info)), looks_of(about.info.sides))


def _reading_order() -> tuple[str, ...]:
    """Every page but the index, as the chapters of a book: how to begin, the rules, the rest, the commands."""
    first = ("tutorial", *(page for name in games() for page in (name, f"tutorial {name}")))
    return (*first, *(topic for topic in manual.TOPICS if topic not in first), "commands", *commands())


def _with_index(blocks: tuple[DrawnBlock, ...], reply: Reply) -> tuple[DrawnBlock | CommandIndex, ...]:
    if not isinstance(reply, HelpCommands):
        return blocks
    lines = [line for command in reply.commands for line in (*command.forms, f"    {command.summary}")]
    return tuple(
        CommandIndex(reply.commands)
        if isinstance(block, Verbatim) and [line.text for line in block.lines] == lines
        else block
        for block in blocks
    )


def _about(info: Info) -> About:
    sides = zip(info.sides, samples(info), strict=True)
    return About(info, tuple(SideShown(side.name, side.mark, piece_id(piece)) for side, piece in sides))


def _links(blocks: Iterable[DrawnBlock], subject: str, frame: Frame) -> dict[str, str]:
    """Where each line that stands by itself leads to: a page, or a mail that it begins."""
    forms = {form: help_path(command.name) for command in commands().values() for form in command.forms}
    pages = {line: path for line, path in {**forms, **_asking()}.items() if path != help_path(subject)}
    leading = {**pages, frame.server.address: mailto(frame)}
    lines = {line.text.strip(): line for line in _lines(blocks)}
    found = {text: leading.get(text) or _begun(line, frame) for text, line in lines.items()}
    return {line: href for line, href in found.items() if href} | pages


def _begun(line: VerbatimLine, frame: Frame) -> str:
    """The link that begins a mail with the command in a line; to a new mail nobody can answer."""
    link = line.command
    return mailto(frame, link.sends) if link and link.use != "answer" else ""


def _lines(blocks: Iterable[DrawnBlock]) -> Iterator[VerbatimLine]:
    for block in blocks:
        if isinstance(block, DrawnNumbered):
            for item in block.items:
                yield from _lines(item.parts)
        elif isinstance(block, Verbatim):
            yield from block.lines


def _phrases(subject: str, frame: Frame) -> dict[str, str]:
    """Where words within a sentence lead to; an inventor's site is the only one elsewhere."""
    named = {game.info.credit.site for game in games().values()} - {""}
    sites = {site: f"https://{site}/" for site in sorted(named)}
    asking = {f'"{line}"': path for line, path in _asking().items() if path != help_path(subject)}
    return {**asking, **sites, frame.server.address: mailto(frame)}


def _asking() -> dict[str, str]:
    """The pages by the lines that ask for them in a mail."""
    return {f"help {subject}".rstrip(): help_path(subject) for subject in ("", *manual.subjects())}


@dataclass(frozen=True, slots=True)
class Privacy(Page):
    """What is kept of people, in the words of `help privacy`, and who runs the club; linked from every page."""

    template = "web/privacy.html"
    told: Help


def routes(site: Site) -> Routes:
    """The help pages, and `/privacy`."""

    def show(request: Request, subject: str = "") -> Response:
        page = help_page(subject or request.query_params.get("subject", ""), site.frame(request))
        if isinstance(page, NotFoundPage):
            return site.show(request, page, 404)
        return site.show_kept(request, page, page.subject)

    def privacy(request: Request) -> Response:
        told = help_page("privacy", site.frame(request))
        assert isinstance(told, Help), "the manual has a page about it"
        return site.show_kept(request, Privacy(told))

    return {"/help": show, "/help/{subject}": show, "/privacy": privacy}
