"""What the page of a board tells: who sits there, what is drawn, and what became of a move that is tried."""

from dataclasses import dataclass
from datetime import datetime

from markupsafe import Markup

from pbmserv.games.game import Seat
from pbmserv.matches.log import Match, rules_of
from pbmserv.matches.state import State
from pbmserv.rendering.board import BoardView
from pbmserv.rendering.document import Block
from pbmserv.rendering.html_board import said
from pbmserv.rendering.piece_style import NAMED_STYLES, looks_of
from pbmserv.rendering.svg.table import Table, draw_scores
from pbmserv.web.layout import Page, Preview, board_preview
from pbmserv.web.replay import Replay
from pbmserv.web.touch import Choosing, Touch, Tried, Way


@dataclass(frozen=True, slots=True)
class BoardPageQuery:
    """The query of a board's page."""

    # The page's own address, with which its links begin: `/boards/101`, or a player's personal link.
    path: str
    # As they were typed; "" for none.
    ply: str = ""
    move: str = ""
    # Whether the visitor may be the player to move, and so may try moves.
    may_move: bool = False


@dataclass(frozen=True, slots=True)
class Sitting:
    """One seat with its player."""

    seat: Seat
    side: str
    mark: str
    # The id of the SVG symbol of one of its pieces.
    piece: str
    userid: str
    # None in games that have none.
    score: int | None
    # Once the game is over.
    rank: int | None
    is_on_turn: bool


@dataclass(frozen=True, slots=True)
class BoardRemark:
    """What the mails say about a board: its state, who is out, what happened in the turn, open offers."""

    standing: tuple[Block, ...]
    gone: tuple[Block, ...]
    events: tuple[Block, ...]
    offer: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class DrawnBoard:
    """The drawing of a position, the SVG symbols of the pieces in it, and what can be touched."""

    table: Table
    symbols: Markup
    touches: tuple[Touch, ...] = ()
    # The words that are moves now.
    words: tuple[Way, ...] = ()


@dataclass(frozen=True, slots=True)
class RefusedMove:
    """Why the move that the visitor asked for cannot be played."""

    blocks: tuple[Block, ...]
    # Where lines of the blocks lead to.
    links: dict[str, str]


@dataclass(frozen=True, slots=True)
class BoardPage(Page):
    """The page of one board. Of `tried`, `choosing` and `refused` at most one is set."""

    template = "web/board.html"
    section = "games"
    path: str
    # The board as it stands.
    now: BoardView
    # What is drawn: another moment if the visitor asked for a ply or a move.
    view: BoardView
    # What is said about the board as it stands.
    said: BoardRemark
    sittings: tuple[Sitting, ...]
    drawn: DrawnBoard
    replay: Replay
    # When it is looked at.
    at: datetime
    # Whether the visitor may try moves.
    is_open: bool = False
    # The move that is shown without being played.
    tried: Tried | None = None
    # The beginning of several moves, which was asked for.
    choosing: Choosing | None = None
    refused: RefusedMove | None = None

    @property
    def match(self) -> Match:
        """What was agreed at the start."""
        return self.now.match

    @property
    def state(self) -> State:
        """How the match stands."""
        return self.now.state

    @property
    def is_personal(self) -> bool:
        """Whether the visitor came by a personal link."""
        return self.path != f"/boards/{self.now.number}"

    @property
    def is_passing(self) -> bool:
        """Whether it is one of the many variants of a page, which search engines should not index."""
        return self.is_personal or self.view is not self.now or bool(self.refused or self.choosing)

    @property
    def then(self) -> BoardRemark | None:
        """The same for what is drawn, if that is another moment."""
        return None if self.view is self.now else said_of(self.view)

    @property
    def preview(self) -> Preview:
        """What other sites show of it."""
        return board_preview(self.now if self.view.previewed else self.view)

    @property
    def names_sides(self) -> bool:
        """Whether a side's name tells more than its piece: that of a colour, or where all have the same pieces."""
        pieces = {sitting.piece for sitting in self.sittings}
        return len(pieces) == 1 or all(sitting.side in NAMED_STYLES for sitting in self.sittings)

    @property
    def bar(self) -> Markup:
        """How the scores of what is drawn stand to each other; empty in games that have none."""
        scores = [score for _, score in self.view.players.scores]
        return draw_scores(scores, looks_of(rules_of(self.match).info.sides))

    @property
    def again(self) -> str:
        """Who would begin a rematch; empty where none can be asked for."""
        userids = self.now.players.userids
        # A former player's name is two words.
        return userids[1] if self.state.status != "active" and not any(" " in userid for userid in userids) else ""


def said_of(view: BoardView) -> BoardRemark:
    """What the mails say about a board that stands so."""
    return BoardRemark(
        standing=said("mail/standing.txt", view),
        gone=said("mail/gone.txt", view),
        events=said("mail/events.txt", view),
        offer=said("mail/offer.txt", view),
    )
