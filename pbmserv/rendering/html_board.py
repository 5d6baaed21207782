"""A board in HTML for mails: what is said of it, its cells, and the links below them."""

from dataclasses import dataclass

from markupsafe import Markup

from pbmserv.commands.base.registry import commands
from pbmserv.games.game import Seat
from pbmserv.matches.log import rules_of
from pbmserv.rendering.board import BoardView
from pbmserv.rendering.document import Block
from pbmserv.rendering.html_cells import (
    Fit,
    HtmlRow,
    HtmlSquare,
    column_labels,
    command_of,
    drawn,
    drawn_without_link,
    fit_of,
    mailto,
    rows_of,
)
from pbmserv.rendering.language import leaving_word
from pbmserv.rendering.markup import as_shown, document_of, without_controls
from pbmserv.rendering.piece_style import PieceStyle, are_black_and_white, looks_of
from pbmserv.rendering.templates import render


@dataclass(frozen=True, slots=True)
class MoveLink:
    """A move, or the beginning of some, that can be chosen."""

    text: str
    # Writes the mail; empty if there is no room for links.
    href: str


@dataclass(frozen=True, slots=True)
class ListedMove:
    """One of the listed moves."""

    # None if the player has left.
    ply: int | None
    seat: Seat
    userid: str
    text: str


@dataclass(frozen=True, slots=True)
class HtmlTexts:
    """What the text of the mail says above the board: its state, who is out, what else holds in this turn."""

    standing: tuple[Block, ...]
    gone: tuple[Block, ...]
    circumstances: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class HtmlDiagram:
    """The context of `mail/board.html`."""

    view: BoardView
    alone: bool
    fit: Fit
    said: HtmlTexts
    columns: tuple[str, ...]
    rows: tuple[HtmlRow, ...]
    # The cells with several moves.
    choices: tuple[tuple[str, tuple[MoveLink, ...]], ...]
    # The words that are moves.
    words: tuple[MoveLink, ...]
    listed_moves: tuple[ListedMove, ...]
    # Links by the name of their command.
    actions: dict[str, str]
    comment: tuple[str, ...]
    looks: tuple[PieceStyle, ...]

    @property
    def lists_all(self) -> bool:
        """Whether all moves are listed."""
        return not self.listed_moves or self.listed_moves[0].ply in (1, None)

    @property
    def marks(self) -> frozenset[str]:
        """The marks in the diagram, so that the legend can explain them."""
        squares = [square for row in self.rows for square in row.cells if square]
        told: set[str] = {square.mark for square in squares if square.mark}
        if any(square.takes for square in squares):
            told.add("takes")
        if any(square.ways > 1 for square in squares):
            told.add("ways")
        return frozenset(told)

    @property
    def sign(self) -> str:
        """What an empty cell shows."""
        return "+" if self.view.diagram.scene.board.layout.shape == "point" else "\N{MIDDLE DOT}"

    def names(self, cells: tuple[int, ...]) -> tuple[str, ...]:
        """What cells are called."""
        return tuple(self.view.diagram.scene.board.names[cell] for cell in cells)

    def drawn(self, square: HtmlSquare) -> Markup:
        """The cell of a square."""
        return (drawn if square.href else drawn_without_link)(
            square, self.fit, self.sign, self.looks, are_black_and_white(self.looks)
        )


def draw_board(view: BoardView, address: str, alone: bool = True, links_choices: bool = True) -> str | None:
    """The board in HTML, with links to `address`; None if it is too large for a phone or a mail.

    `alone`: the mail has no other board. `links_choices`: moves to choose from are links, which take much room.
    """
    scene = view.diagram.scene
    fit = fit_of(scene.board)
    if fit is None:
        return None
    looks = looks_of(rules_of(view.match).info.sides)
    diagram = HtmlDiagram(
        view=view,
        alone=alone,
        fit=fit,
        said=HtmlTexts(
            said("mail/standing.txt", view),
            said("mail/gone.txt", view),
            said("mail/circumstances.txt", view, alone),
        ),
        columns=column_labels(scene.board),
        rows=rows_of(view, address, fit, looks),
        choices=_choices(view, address if links_choices else ""),
        words=tuple(
            _linked(word, view, address) for word in (view.open_moves.words if view.is_viewers_turn else ())
        ),
        listed_moves=tuple(
            ListedMove(turn.ply, turn.seat, view.players.userids[turn.seat], turn.move or leaving_word(turn.kind))
            for turn in view.moves.turns
        ),
        actions=_actions(view, address),
        looks=looks,
        comment=tuple(without_controls(as_shown(view.comment.text)).split("\n")) if view.comment else (),
    )
    return render("mail/board.html", board=diagram)


def _choices(view: BoardView, address: str) -> tuple[tuple[str, tuple[MoveLink, ...]], ...]:
    """The moves of each cell that has several."""
    if not view.is_viewers_turn:
        return ()
    return tuple(
        (name, tuple(_linked(text, view, address) for text in texts)) for name, texts in view.open_moves.several
    )


def said(template: str, view: BoardView, alone: bool = True) -> tuple[Block, ...]:
    """What a text template of mails says of a board, as blocks; what links do is left out."""
    return document_of(render(template, view=view, alone=alone, is_html=True)).blocks


def _linked(text: str, view: BoardView, address: str) -> MoveLink:
    return MoveLink(text.lower(), mailto(address, command_of(view, text)) if address else "")


def _actions(view: BoardView, address: str) -> dict[str, str]:
    """The links for other commands about this board, by their first word."""
    found = {"show": mailto(address, f"show {view.number}")}
    is_playing = view.is_present and view.viewer in view.players.userids and view.viewer not in view.players.gone
    if is_playing and "chat" in commands():
        found["chat"] = mailto(address, f"chat {view.number}", is_whole=False)
    found["rules"] = mailto(address, f"help {view.match.game}")
    found["help"] = mailto(address, "help")
    offer = view.pending
    if offer and view.viewer in offer.waits_for:
        found["accept"] = mailto(address, f"accept {view.number}")
    if offer and view.viewer in (offer.by, *offer.waits_for):
        found["reject"] = mailto(address, f"reject {view.number}")
    if view.rematch_opener:
        found["rematch"] = mailto(address, f"rematch {view.number}")
    if is_playing and view.state.status == "active":
        found["resign"] = mailto(address, f"resign {view.number}")
    return found
