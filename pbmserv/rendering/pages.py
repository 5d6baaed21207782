"""The web pages: for each template of `web/` the value that it is made from.

A page's class names its template and the entry of the navigation that it stands under; the value itself is
`page` in the template, beside `server`, `style` and `icon` (versions of those assets), `mailto(subject)` and
`help_path(subject)`.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import ClassVar, Literal
from urllib.parse import quote

from pbmserv.commands.library import commands
from pbmserv.commands.server import Server
from pbmserv.commands.verbs import help as manual
from pbmserv.commands.words import close_to
from pbmserv.games.game import Info, Scene, Seat
from pbmserv.games.library import games
from pbmserv.matches.match import Match, rules_of
from pbmserv.matches.open_offer import OpenOffer
from pbmserv.matches.records import Filter, Listing
from pbmserv.matches.state import State, Turn
from pbmserv.rendering.blocks import Block, blocks_of
from pbmserv.rendering.board import BoardView, draw_squares
from pbmserv.rendering.environment import laid_out, render, templates_folder
from pbmserv.rendering.question import BOARDS_A_PAGE, LONGEST_ECHO, STATUSES, Asked
from pbmserv.rendering.sentences import say

LEFT_MARGIN = " " * 4
"""Of the board in a mail; a page has its own."""


@dataclass(frozen=True, slots=True)
class Page:
    """The root of all pages."""

    template: ClassVar[str]
    section: ClassVar[Literal["home", "games", "help", ""]] = ""


@dataclass(frozen=True, slots=True)
class Home(Page):
    """What this is and how to start; `games` are those on offer."""

    template = "web/home.html"
    section = "home"
    games: tuple[Info, ...]


@dataclass(frozen=True, slots=True)
class Games(Page):
    """A page of the listing of boards, with the open offers; `titles` are the games' names as people read them."""

    template = "web/games.html"
    section = "games"
    asked: Asked
    listing: Listing
    titles: Mapping[str, str]
    offers: tuple[OpenOffer, ...] = ()
    statuses: tuple[Filter, ...] = STATUSES

    @property
    def pages(self) -> int:
        """How many pages there are, at least one."""
        return max(1, -(-self.listing.total // BOARDS_A_PAGE))


@dataclass(frozen=True, slots=True)
class Piece:
    """A bit of the drawn board: a square, or what stands between two (`square` is empty then)."""

    text: str
    square: str = ""
    seat: Seat | None = None
    is_last: bool = False
    is_taken: bool = False


@dataclass(frozen=True, slots=True)
class Sitting:
    """One seat: its side, its player, its score; its rank once the game is over."""

    seat: Seat
    side: str
    mark: str
    userid: str
    score: int
    rank: int | None
    has_gone: bool
    is_on_turn: bool


@dataclass(frozen=True, slots=True)
class Board(Page):
    """One board. `squares` add up to the drawn text, `across` is its width rounded up to fives.

    `rounds` are the moves in the order of play, one place for each seat, None where it has no turn in the round.
    """

    template = "web/board.html"
    section = "games"
    match: Match
    state: State
    view: BoardView
    sittings: tuple[Sitting, ...]
    squares: tuple[Piece, ...]
    across: int
    rounds: tuple[tuple[Turn | None, ...], ...]


@dataclass(frozen=True, slots=True)
class Help(Page):
    """A help page: the mailed text as blocks; `links` says where a line of them leads to. The rest leads on."""

    template = "web/help.html"
    section = "help"
    subject: str
    blocks: tuple[Block, ...]
    links: Mapping[str, str]
    topics: tuple[str, ...]
    games: tuple[str, ...]
    commands: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Missing(Page):
    """Nothing is at that address: no board `word`, no help on `word`, no such page, or nothing that is sent to."""

    template = "web/missing.html"
    what: Literal["board", "help", "page", "method"]
    word: str = ""
    suggestions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Trouble(Page):
    """It is our fault, or (`passing`) the database is away for a moment."""

    template = "web/trouble.html"
    passing: bool


AssetName = Literal["style.css", "icon.svg"]


@dataclass(frozen=True, slots=True)
class Asset:
    """A file that pages refer to; `version` changes with its content."""

    content: bytes
    media_type: str
    version: str


@lru_cache(maxsize=8)
def asset(name: AssetName) -> Asset:
    """The stylesheet or the icon."""
    content = (templates_folder() / "web" / name).read_bytes()
    media_type = "image/svg+xml" if name.endswith("svg") else "text/css; charset=utf-8"
    return Asset(content, media_type, hashlib.sha256(content).hexdigest()[:12])


def html(page: Page, server: Server) -> str:
    """A page, ready to be sent."""
    return render(
        page.template,
        page=page,
        server=server,
        style=asset("style.css").version,
        icon=asset("icon.svg").version,
        mailto=partial(mailto, server),
        help_path=help_path,
    )


def mailto(server: Server, subject: str = "") -> str:
    """A link that begins a mail to the server.

    >>> mailto(Server("pbm@club.test"), "help tutorial")
    'mailto:pbm@club.test?subject=help%20tutorial'
    """
    address = quote(server.address, safe="@")
    return f"mailto:{address}?subject={quote(subject)}" if subject else f"mailto:{address}"


def home() -> Home:
    """The first page."""
    return Home(tuple(game.info for game in games().values()))


def games_page(asked: Asked, listing: Listing, offers: Sequence[OpenOffer] = ()) -> Games:
    """The listing that answers a question, and the offers that anybody may accept."""
    titles = {name: game.info.title for name, game in games().items()}
    return Games(asked, listing, titles, tuple(offers))


def board_page(match: Match, state: State, view: BoardView) -> Board:
    """The page of a board, from its view for anybody."""
    game = rules_of(match)
    scene = game.scene(state.position)
    squares = _pieces(scene)
    widest = max(map(len, "".join(piece.text for piece in squares).split("\n")))
    ranks = view.outcome.ranks if view.outcome else (None,) * len(match.userids)
    sittings = tuple(
        Sitting(
            seat=seat,
            side=game.info.sides[seat].name,
            mark=game.info.sides[seat].mark,
            userid=userid,
            score=scene.scores[seat],
            rank=ranks[seat],
            has_gone=seat in state.gone,
            is_on_turn=seat == state.to_move,
        )
        for seat, userid in enumerate(match.userids)
    )
    return Board(match, state, view, sittings, squares, -(-widest // 5) * 5, _rounds(state.turns, len(sittings)))


def _pieces(scene: Scene) -> tuple[Piece, ...]:
    """The drawing cut where a square begins and ends; how it is laid out is known to `draw_squares` alone."""
    text = "\n".join(line.removeprefix(LEFT_MARGIN) for line in draw_squares(scene).split("\n"))
    pieces: list[Piece] = []
    done = 0
    for cell in (cell for row in scene.cells for cell in row):
        start = text.index(cell.text, done)
        pieces.append(Piece(text[done:start]))
        done = start + len(cell.text)
        is_last, is_taken = cell.square in scene.last, cell.square in scene.taken
        pieces.append(Piece(cell.text, cell.square, cell.seat, is_last, is_taken))
    return (*pieces, Piece(text[done:]))


def _rounds(turns: Sequence[Turn], seats: int) -> tuple[tuple[Turn | None, ...], ...]:
    rounds: list[dict[Seat, Turn]] = []
    for turn in turns:
        if not rounds or any(seat >= turn.seat for seat in rounds[-1]):
            rounds.append({})
        rounds[-1][turn.seat] = turn
    return tuple(tuple(each.get(seat) for seat in range(seats)) for each in rounds)


def help_page(slug: str, server: Server) -> Help | Missing:
    """The help page that has this name in its address ("" is the index), its text being what `help` mails."""
    wanted = slug.lower()
    known = {_slug(subject): subject for subject in ("", *manual.subjects())}
    subject = known.get(_slug(wanted))
    reply = None if subject is None else manual.page(subject)
    if subject is None or reply is None:
        return Missing("help", slug[:LONGEST_ECHO], close_to(wanted, manual.subjects()))
    return Help(
        subject=subject,
        blocks=blocks_of(laid_out(say(reply, server))),
        links={line: path for line, path in _links(server).items() if path != help_path(subject)},
        topics=("tutorial", *(topic for topic in manual.TOPICS if topic != "tutorial")),
        games=tuple(games()),
        commands=tuple(commands()),
    )


def _links(server: Server) -> dict[str, str]:
    """Where a line leads to that names a help page, gives a form of a command, or is the server's address."""
    asking = {f"help {subject}".rstrip(): help_path(subject) for subject in ("", *manual.subjects())}
    forms = {form: help_path(command.name) for command in commands().values() for form in command.forms}
    return {**asking, **forms, server.address: mailto(server)}


def help_path(subject: str) -> str:
    """The address of a help page.

    >>> help_path("change password")
    '/help/change-password'
    """
    return f"/help/{_slug(subject)}".rstrip("/")


def _slug(subject: str) -> str:
    return subject.replace(" ", "-").replace("_", "-")
