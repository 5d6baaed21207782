"""The page of one board: as it stands, after a ply, or after a move that is only tried."""

from dataclasses import dataclass, field, replace

from markupsafe import Markup

from pbmserv.games.game import Seat
from pbmserv.matches.match import Match, rules_of
from pbmserv.matches.refusals import Refused
from pbmserv.matches.state import State
from pbmserv.rendering.blocks import Block, Verbatim, blocks_of
from pbmserv.rendering.board import BoardView, view_board
from pbmserv.rendering.environment import laid_out
from pbmserv.rendering.html_board import said
from pbmserv.rendering.picture.pieces import piece_id, samples, symbols
from pbmserv.rendering.sentences import say
from pbmserv.rendering.web.page import Frame, Page, help_path, mailto
from pbmserv.rendering.web.preview import Preview, board_preview
from pbmserv.rendering.web.question import LONGEST_ECHO
from pbmserv.rendering.web.replaying import Replay, read_ply, replay_of
from pbmserv.rendering.web.squares import Row, rows_of
from pbmserv.rendering.web.trouble import Missing
from pbmserv.rendering.web.trying import Choosing, Open, Tried, open_moves, try_move


@dataclass(frozen=True, slots=True)
class Wish:
    """What is asked of a board's page: a ply and a move as they were typed, "" for none.

    `path` is the page's own address, which its links to plies and moves keep: `/boards/101`, or that of a player's
    personal link. `may_move`: whoever looks may be the one to move, who can try moves.
    """

    path: str
    ply: str = ""
    move: str = ""
    may_move: bool = False


@dataclass(frozen=True, slots=True)
class Sitting:
    """One seat: its side and the name of a piece of it, its player, its score; its rank once the game is over."""

    seat: Seat
    side: str
    mark: str
    piece: str
    userid: str
    score: int
    rank: int | None
    is_on_turn: bool


@dataclass(frozen=True, slots=True)
class Said:
    """What the mails say of a board: how it stands, who was put out, what happened in the turn, what waits."""

    standing: tuple[Block, ...]
    gone: tuple[Block, ...]
    events: tuple[Block, ...]
    offer: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Board(Page):
    """One board. `view` is what is drawn of it, `now` how it stands; they differ where a ply or move is asked for.

    `said` is of how it stands. `rows` are the drawing, `symbols` the pieces in it. Of a move that was asked for,
    one is there: `tried`, `choosing`, or the `refusal`, with `links` for its lines. `is_open`: moves may be tried.
    """

    template = "web/board.html"
    section = "games"
    path: str
    now: BoardView
    view: BoardView
    said: Said
    sittings: tuple[Sitting, ...]
    rows: tuple[Row, ...]
    symbols: Markup
    replay: Replay
    preview: Preview
    is_open: bool = False
    tried: Tried | None = None
    choosing: Choosing | None = None
    refusal: tuple[Block, ...] = ()
    links: dict[str, str] = field(default_factory=dict)

    @property
    def match(self) -> Match:
        """What was agreed at the start."""
        return self.now.board.match

    @property
    def state(self) -> State:
        """How the match stands."""
        return self.now.board.state

    @property
    def is_personal(self) -> bool:
        """Whether a player came here by a link that is theirs alone."""
        return self.path != f"/boards/{self.now.number}"

    @property
    def is_passing(self) -> bool:
        """Whether it is one of the many faces of a page, which search engines need not know."""
        return self.is_personal or self.view is not self.now or bool(self.refusal or self.choosing)

    @property
    def then(self) -> Said | None:
        """The same of what is drawn, where that is another moment."""
        return None if self.view is self.now else _said(self.view)

    @property
    def size(self) -> int:
        """The greater number of its columns and rows: squares get smaller with it."""
        return max(len(self.view.scene.columns), len(self.view.scene.rows))


def board_page(now: BoardView, wish: Wish, frame: Frame) -> Board | Missing:
    """The page of a board, from its view for anybody as it stands."""
    if wish.ply:
        ply = read_ply(wish.ply, now.plies)
        if ply is None:
            return Missing("ply", wish.ply[:LONGEST_ECHO], board=now.number)
        return _page(now, view_board(now.board.at(ply), whole=True, ply=ply), wish)
    if not wish.may_move or now.to_move is None:
        page = _page(now, now, wish)
        # On a board that is over nothing can be tried, and it says why.
        return _answered(page, wish, frame, Open({})) if wish.move and now.to_move is None else page
    open_now = open_moves(now)
    page = replace(_page(now, now, wish, open_now), is_open=True)
    return _answered(page, wish, frame, open_now) if wish.move else page


def _answered(page: Board, wish: Wish, frame: Frame, open_now: Open) -> Board:
    """The page with what becomes of the move that was asked for."""
    found = try_move(page.now, wish.move, open_now)
    if isinstance(found, Tried):
        return replace(_page(page.now, found.view, wish), tried=found, is_open=True)
    if isinstance(found, Refused):
        blocks = blocks_of(laid_out(say(found, frame.server)))
        return replace(page, refusal=blocks, links=_links(blocks, page, frame))
    rows = rows_of(page.now.scene, page.now.userids, open_now.takes, found.square)
    return replace(page, choosing=found, rows=rows)


def _page(now: BoardView, view: BoardView, wish: Wish, open_now: Open | None = None) -> Board:
    info = rules_of(now.board.match).info
    sides, pieces = info.sides, samples(info)[: len(now.userids)]
    return Board(
        path=wish.path,
        now=now,
        view=view,
        said=_said(now),
        sittings=tuple(
            Sitting(
                seat=seat,
                side=sides[seat].name,
                mark=sides[seat].mark,
                piece=piece_id(pieces[seat]),
                userid=userid,
                score=view.scene.scores[seat],
                rank=view.outcome.ranks[seat] if view.outcome else None,
                is_on_turn=userid == view.to_move,
            )
            for seat, userid in enumerate(view.userids)
        ),
        rows=rows_of(view.scene, view.userids, None if open_now is None else open_now.takes),
        symbols=symbols([*pieces, *(cell for cells in view.scene.cells for cell in cells)]),
        replay=replay_of(now.board.state, len(now.userids), view.ply, wish.path),
        preview=board_preview(now if view.imagined else view),
    )


def _said(view: BoardView) -> Said:
    return Said(
        standing=said("mail/standing.txt", view),
        gone=said("mail/gone.txt", view),
        events=said("mail/events.txt", view),
        offer=said("mail/offer.txt", view),
    )


def _links(blocks: tuple[Block, ...], page: Board, frame: Frame) -> dict[str, str]:
    """Where the lines of a refusal lead to: moves are tried here, help is shown, all else begins a mail."""
    number = page.now.number
    lines = [line.strip() for block in blocks if isinstance(block, Verbatim) for line in block.lines]
    found = {}
    for line in filter(None, lines):
        word, _, rest = line.partition(" ")
        if line.startswith(f"move {number} "):
            found[line] = f"{page.path}?move={rest.partition(' ')[2]}#turn"
        else:
            found[line] = help_path(rest) if word == "help" else mailto(frame, line)
    return found
