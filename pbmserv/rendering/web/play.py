"""Pages for whoever came by the personal link of a board mail."""

import re
from dataclasses import dataclass, fields
from typing import Literal

from pbmserv.rendering.blocks import Block, blocks_of
from pbmserv.rendering.board import BoardView
from pbmserv.rendering.environment import laid_out, render
from pbmserv.rendering.web.board import Board
from pbmserv.rendering.web.page import Page

Outcome = Literal["waits", "played", "refused", "twice", "unanswered"]


@dataclass(frozen=True, slots=True)
class Spent(Board):
    """A board for whoever comes by a link that allows nothing any more."""

    template = "web/play.html"


@dataclass(frozen=True, slots=True)
class NoLink(Page):
    """There is no such link to board `number`, or none any more."""

    template = "web/no_link.html"
    number: int


@dataclass(frozen=True, slots=True)
class Played(Page):
    """What came of a move by a link. `answer` is what its player was mailed, `path` the page's own address.

    `view` is the board as it stands, `standing` a sentence about it.
    """

    template = "web/played.html"
    section = "games"
    outcome: Outcome
    answer: tuple[Block, ...]
    view: BoardView
    standing: tuple[Block, ...]
    path: str


def spent_page(board: Board) -> Spent:
    """The page of a board, for a link that allows nothing any more."""
    return Spent(**{each.name: getattr(board, each.name) for each in fields(board)})


def played_page(outcome: Outcome, answer: str, view: BoardView, path: str) -> Played:
    """The page that tells what came of a move, from the text of the mail that answers it."""
    standing = blocks_of(laid_out(render("mail/standing.txt", view=view)))
    return Played(outcome, blocks_of(said_above(answer, view.number)), view, standing, path)


def said_above(answer: str, board: int) -> str:
    """What an answer says before it comes to its board, drawn or in words."""
    begins = re.search(
        rf"(?m)^(?:(?:Summary|Preview) of .* Board {board}$|Board {board}(?:,| as it would stand))", answer
    )
    return answer[: begins.start()] if begins else answer
