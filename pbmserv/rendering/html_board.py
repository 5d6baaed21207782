"""A board in HTML for mails: what is said of it, its cells, and the links below them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from markupsafe import Markup

from pbmserv.commands.command import commands
from pbmserv.matches.log import rules_of
from pbmserv.rendering.board import BoardView
from pbmserv.rendering.document import Block
from pbmserv.rendering.html_cells import (
    MoveLinks,
    draw_grid,
    mailto,
    marks_of,
    takes_of,
)
from pbmserv.rendering.html_grid import grid_of
from pbmserv.rendering.markup import as_shown, document_of, on_one_line, without_controls
from pbmserv.rendering.templates import render

Listed = Literal["links", "texts", "not"]
"""How moves to choose from are listed below a board."""

LISTED: Final[tuple[Listed, ...]] = ("links", "texts", "not")
"""The same, the best first."""


@dataclass(frozen=True, slots=True)
class MoveLink:
    """A move, or the beginning of some, that can be chosen."""

    text: str
    # Writes the mail; empty if there is no room for links.
    href: str


@dataclass(frozen=True, slots=True)
class HtmlTexts:
    """What the text of the mail says, too: above the board, how to answer an offer, and what else there is."""

    first: tuple[Block, ...]
    news: tuple[Block, ...]
    above: tuple[Block, ...]
    offer: tuple[Block, ...]
    below: tuple[Block, ...]
    # What lies in hands, and what joins cells.
    beside: tuple[Block, ...]
    # What was agreed before the game, the moves that are listed, and until when the turn lasts; empty if there are
    # none.
    terms: str
    moves: str
    deadline: str


@dataclass(frozen=True, slots=True)
class HtmlDiagram:
    """The context of `mail/board.html`."""

    view: BoardView
    alone: bool
    said: HtmlTexts
    # What the pieces of each player look like.
    signs: tuple[Markup, ...]
    # The grid with its cells.
    drawn: str
    # The cells with several moves.
    choices: tuple[tuple[str, tuple[MoveLink, ...]], ...]
    # The words that are moves.
    words: tuple[MoveLink, ...]
    # Links by the name of their command.
    actions: dict[str, str]
    comment: tuple[str, ...]

    @property
    def marks(self) -> frozenset[str]:
        """The marks in the diagram, so that the legend can explain them."""
        told: set[str] = {*marks_of(self.view).values()}
        if self.view.is_viewers_turn:
            if any(isinstance(step, int) for step in takes_of(self.view)):
                told.add("takes")
            if any(choice.ways > 1 for choice in self.view.open_moves.choices if isinstance(choice.step, int)):
                told.add("ways")
        return frozenset(told)


def draw_board(
    view: BoardView, address: str, alone: bool = True, listed: Listed = "links", is_personal: bool = False
) -> str | None:
    """The board in HTML, with links to `address`; None if it is too large for a phone or a mail.

    `alone`: the mail has no other board. `listed`: how the moves to choose from are, for which there may be no
    room. `is_personal`: the address is that of this mail alone.
    """
    scene = view.diagram.scene
    grid = grid_of(scene.board, rules_of(view.match).info.sides)
    if grid is None:
        return None
    links = MoveLinks(view, address, is_personal, alone, has_list=listed != "not")
    notes, actions = view.notes, _actions(view, address)
    diagram = HtmlDiagram(
        view=view,
        alone=alone,
        said=HtmlTexts(
            first=_blocks(notes.first),
            news=document_of(view.words.news).blocks,
            above=_blocks(notes.above),
            offer=said("mail/offer_answer.txt", view, alone) if "reject" in actions else (),
            below=(
                *_blocks(notes.below),
                *(said("mail/time.txt", view, alone) if view.time and view.time.has_more else ()),
            ),
            beside=said("mail/beside.txt", view) if view.players.hands or view.strokes else (),
            terms=on_one_line(render("mail/terms.txt", view=view)),
            moves=on_one_line(view.words.moves),
            deadline=on_one_line(view.words.deadline).removesuffix("."),
        ),
        signs=grid.signs,
        drawn=draw_grid(view, links, grid),
        choices=_choices(view, links if listed == "links" else None) if listed != "not" else (),
        words=tuple(
            MoveLink(word.lower(), links(word)) for word in (view.open_moves.words if view.is_viewers_turn else ())
        ),
        actions=actions,
        comment=tuple(without_controls(as_shown(view.comment.text)).split("\n")) if view.comment else (),
    )
    return "\n".join(filter(str.strip, render("mail/board.html", board=diagram).split("\n")))


def _choices(view: BoardView, links: MoveLinks | None) -> tuple[tuple[str, tuple[MoveLink, ...]], ...]:
    """The moves of each cell that has several."""
    if not view.is_viewers_turn:
        return ()
    return tuple(
        (name, tuple(MoveLink(text.lower(), links(text) if links else "") for text in texts))
        for name, texts in view.open_moves.several
    )


def _blocks(sentences: Sequence[str]) -> tuple[Block, ...]:
    return tuple(block for each in sentences for block in document_of(each).blocks)


def said(template: str, view: BoardView, alone: bool = True) -> tuple[Block, ...]:
    """What a text template of mails says of a board, as blocks; what links do is left out."""
    return document_of(render(template, view=view, alone=alone, is_html=True)).blocks


def _actions(view: BoardView, address: str) -> dict[str, str]:
    """The links for other commands about this board, by their first word."""
    found = {"show": mailto(address, f"show {view.number}")}
    is_playing = view.is_present and view.viewer in view.players.userids and view.viewer not in view.players.gone
    if is_playing and view.others and "chat" in commands():
        found["chat"] = mailto(address, f"chat {view.number}")
    found["rules"] = mailto(address, f"help {view.match.game}")
    found["help"] = mailto(address, "help")
    offer = view.pending
    if offer and view.viewer in offer.waits_for:
        found["accept"] = mailto(address, f"accept {view.number}")
    if offer and view.viewer in (offer.by, *offer.waits_for):
        found["reject"] = mailto(address, f"reject {view.number}")
    if view.rematch:
        found["rematch"] = mailto(address, f"rematch {view.number}")
    if is_playing and view.state.status == "active":
        found["resign"] = mailto(address, f"resign {view.number}")
    return found
