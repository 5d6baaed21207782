"""What the page of a board tells: who sits there, what is drawn, and what became of a move that is tried."""

from dataclasses import dataclass, field
from datetime import datetime

from markupsafe import Markup

from pbmserv.games.game import Seat
from pbmserv.matches.log import Match, rules_of
from pbmserv.matches.state import State
from pbmserv.rendering.board import BoardView
from pbmserv.rendering.document import Block
from pbmserv.rendering.formats import Suffix, suffix_of
from pbmserv.rendering.html_board import said
from pbmserv.rendering.piece_style import NAMED_STYLES, looks_of
from pbmserv.rendering.svg.position import Table, draw_scores
from pbmserv.rendering.turn import RematchOffer, rematch_offer
from pbmserv.services.play import times_played
from pbmserv.web.layout import Page, Preview, board_preview
from pbmserv.web.replay import Replay
from pbmserv.web.streams import stream_address
from pbmserv.web.touch import Choosing, Touch, Tried, Way


@dataclass(frozen=True, slots=True)
class Personal:
    """What is known of a visitor who came by a personal link."""

    # Whose link it is.
    userid: str
    # The address of the desk, where the visitor goes from board to board; empty elsewhere.
    desk: str = field(default="", repr=False)
    # Whether a newer link has replaced this one.
    is_past: bool = False
    # Whether the visitor has sent a move from a page that did not show the board as it stands.
    is_late: bool = False
    # The board on which the visitor has just played, on the way from there to this one.
    played_on: int | None = None
    # Whether mail to the visitor bounces.
    is_suspended: bool = False


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
    # None for anybody.
    personal: Personal | None = None


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
    # What was asked for, by whom.
    query: BoardPageQuery
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
    def path(self) -> str:
        """Its own address, with which its links begin."""
        return self.query.path

    @property
    def personal(self) -> Personal | None:
        """Who looks at it, if that is known."""
        return self.query.personal

    @property
    def standard(self) -> Suffix | None:
        """The format for programs in which its game is recorded too."""
        return suffix_of(self.now.board)

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
        return self.personal is not None

    @property
    def is_present(self) -> bool:
        """Whether it shows the board as it stands, and nothing that is tried."""
        return self.view is self.now and not (self.tried or self.choosing or self.refused)

    @property
    def changes(self) -> str:
        """Where the page learns that the game has gone on; empty where it does not wait for that."""
        goes_on = self.is_present and self.state.status == "active"
        return stream_address({self.now.number: self.state.entries}) if goes_on else ""

    @property
    def is_readers_turn(self) -> bool:
        """Whether the board waits for the visitor."""
        return self.personal is not None and self.personal.userid == self.now.players.to_move

    @property
    def waits(self) -> bool:
        """Whether the visitor waits for somebody else's move."""
        return bool(self.changes) and self.personal is not None and not self.is_readers_turn

    @property
    def readers_last(self) -> str:
        """The last move of the board, if it was the visitor's."""
        last = self.state.turns[-1] if self.state.turns else None
        is_theirs = last is not None and self.personal and self.match.userids[last.seat] == self.personal.userid
        return last.move or "" if last is not None and is_theirs else ""

    @property
    def times_played(self) -> int:
        """All plies ever played, with those taken back: a form tells by it which page it was sent from."""
        return times_played(self.now.board)

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
    def again(self) -> RematchOffer | None:
        """What one of the players, or of those who can go on, would start by asking for a rematch."""
        board = self.now.board
        userids = board.match.userids
        return rematch_offer(board, next((each for each in userids if each in board.playing), userids[0]))


def said_of(view: BoardView) -> BoardRemark:
    """What is said to anybody about a board that stands so."""
    return BoardRemark(
        standing=said("mail/standing.txt", view),
        gone=said("mail/gone.txt", view),
        events=said("mail/events.txt", view),
        offer=said("mail/offer.txt", view),
    )
