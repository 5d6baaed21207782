"""The page of one board: now, after a ply, or after a move that is only tried."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Final
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response

from pbmserv.commands.server import Server
from pbmserv.commands.vocabulary import is_number
from pbmserv.games.choices import Choice
from pbmserv.games.game import Scene
from pbmserv.matches.errors import CommandError
from pbmserv.matches.log import rules_of
from pbmserv.matches.replay import GameState
from pbmserv.rendering.board import BoardView, view_board
from pbmserv.rendering.document import Block, Verbatim
from pbmserv.rendering.formats import MEDIA_TYPES, Suffix, standard_record
from pbmserv.rendering.markup import document_of, laid_out
from pbmserv.rendering.piece_style import looks_of
from pbmserv.rendering.record import as_file, game_log, record_of
from pbmserv.rendering.svg.pieces import piece_id, samples, symbols
from pbmserv.rendering.svg.position import draw_table, pieces_of
from pbmserv.rendering.templates import render, say
from pbmserv.services.app import utc_now
from pbmserv.services.board_mail import record_text
from pbmserv.services.views import load_board, load_evaluations, load_game_state
from pbmserv.web.board_page import BoardPage, BoardPageQuery, DrawnBoard, Personal, RefusedMove, Sitting, said_of
from pbmserv.web.kept import key_of
from pbmserv.web.layout import Frame, NotFoundPage, board_preview, help_path, mailto
from pbmserv.web.query import LONGEST_ECHO
from pbmserv.web.replay import course_drawn, read_ply, replay_of
from pbmserv.web.site import ATOM, JSON, TEXT, Routes, Site
from pbmserv.web.touch import Tried, first_choices, touches, try_move, words_of


def board_page(now: BoardView, query: BoardPageQuery, frame: Frame) -> BoardPage | NotFoundPage:
    """The page of a board, from the view of its current state for anybody."""
    if query.ply:
        ply = read_ply(query.ply, now.plies)
        if ply is None:
            return NotFoundPage("ply", query.ply[:LONGEST_ECHO], board=now.number)
        return _page(now, view_board(now.board.at(ply), whole=True, ply=ply), query)
    if not query.may_move or now.players.to_move is None:
        page = _page(now, now, query)
        # On a finished board no move can be tried; the page says why.
        return _answered(page, query, frame) if query.move and now.players.to_move is None else page
    page = replace(_page(now, now, query), is_open=True)
    return _answered(page, query, frame) if query.move else _touchable(page, first_choices(now))


def _answered(page: BoardPage, wish: BoardPageQuery, frame: Frame) -> BoardPage:
    """The page with what becomes of the move that was asked for."""
    try:
        found = try_move(page.now, wish.move)
    except CommandError as error:
        blocks = document_of(say(error, frame.server)).blocks
        refused = replace(page, refused=RefusedMove(blocks, _links(blocks, page, frame)))
        return _touchable(refused, first_choices(page.now)) if page.is_open else refused
    if isinstance(found, Tried):
        return replace(_page(page.now, found.view, wish), tried=found, is_open=True)
    return _touchable(replace(page, choosing=found), found.choices)


def _touchable(page: BoardPage, found: Sequence[Choice]) -> BoardPage:
    """The page with what can be touched next."""
    steps = page.choosing.begun if page.choosing else ()
    begun = [step for step in steps if isinstance(step, int)]
    looks = looks_of(rules_of(page.match).info.sides)
    drawn = replace(
        page.drawn,
        table=draw_table(page.now.diagram.scene, looks, chosen=begun) if begun else page.drawn.table,
        touches=touches(page.now, found, is_begun=bool(steps)),
        words=words_of(found),
    )
    return replace(page, drawn=drawn)


def _page(now: BoardView, view: BoardView, query: BoardPageQuery) -> BoardPage:
    info, scene = rules_of(now.match).info, view.diagram.scene
    sides, pieces = info.sides, samples(info)[: len(now.players.userids)]
    looks, before = looks_of(sides), _before(now, view)
    shown = [*pieces, *pieces_of(scene), *(pieces_of(before) if before else ())]
    return BoardPage(
        query=query,
        now=now,
        view=view,
        said=said_of(now),
        sittings=tuple(
            Sitting(
                seat=seat,
                side=sides[seat].name,
                mark=sides[seat].mark,
                piece=piece_id(pieces[seat]),
                userid=userid,
                score=scene.scores[seat] if scene.scores else None,
                rank=view.players.outcome.ranks[seat] if view.players.outcome else None,
                is_on_turn=userid == view.players.to_move,
            )
            for seat, userid in enumerate(view.players.userids)
        ),
        drawn=DrawnBoard(draw_table(scene, looks, before), symbols(shown, looks)),
        replay=replay_of(now.state, len(now.players.userids), view.ply, query.path),
        at=utc_now(),
    )


def _before(now: BoardView, view: BoardView) -> Scene | None:
    """The board one ply before the one that is drawn, where something was taken since."""
    if not view.diagram.scene.captured:
        return None
    if view.previewed:
        return now.diagram.scene
    plies = view.state.plies
    return view_board(now.board.at(plies - 1), ply=plies - 1).diagram.scene if plies else None


def _links(blocks: tuple[Block, ...], page: BoardPage, frame: Frame) -> dict[str, str]:
    """Where the lines of an error lead to: moves are tried here, help is shown, anything else begins a mail."""
    number = page.now.number
    lines = [line for block in blocks if isinstance(block, Verbatim) for line in block.lines]
    found = {}
    for line, sends in ((line.text.strip(), line.command.sends) for line in lines if line.command):
        word, _, rest = sends.partition(" ")
        if sends.startswith(f"move {number} "):
            found[line] = f"{page.path}?move={quote(rest.partition(' ')[2])}#turn"
        else:
            found[line] = help_path(rest) if word == "help" else mailto(frame, sends)
    return found


Write = Callable[[GameState], str | bytes]


def routes(site: Site) -> Routes:
    """The routes of a board's page, and of the same game in other formats."""
    server = site.app.server

    def show(request: Request, number: str) -> Response:
        return show_board(site, request, number)

    return {
        "/boards/{number}": show,
        "/boards/{number}/record.txt": _written(site, TEXT, lambda board: laid_out(record_text(board, server))),
        "/boards/{number}/record.json": _written(site, JSON, lambda board: as_file(record_of(board, server))),
        **{f"/boards/{{number}}/record.{suffix}": _standard(site, suffix) for suffix in MEDIA_TYPES},
        "/boards/{number}/feed.atom": _written(site, ATOM, lambda board: board_feed(board, server)),
    }


def show_board(
    site: Site,
    request: Request,
    number: str,
    path: str = "",
    personal: Personal | None = None,
    headers: Mapping[str, str] = MappingProxyType({}),
) -> Response:
    """The page of the board with that number, as the query asks.

    `path` is the page's own address for somebody who came by a `personal` link.
    """
    seen = load_board(site.app, int(number), utc_now()) if is_number(number) else None
    if seen is None:
        return _missing(site, request, number, headers)
    is_theirs = personal is None or (personal.userid == seen.players.to_move and not personal.is_past)
    query = BoardPageQuery(
        path=path or f"/boards/{seen.match.number}",
        ply=request.query_params.get("ply", "").strip(),
        move=request.query_params.get("move", "").strip(),
        may_move=is_theirs and not seen.players.waits_for_robot,
        personal=personal,
    )
    page = board_page(seen, query, site.frame(request))
    if isinstance(page, BoardPage) and seen.state.status == "finished" and page.tried is None:
        known, reader = load_evaluations(site.app, seen.board), personal.userid if personal else None
        course = course_drawn(seen.board, known, reader, page.replay.shown)
        page = replace(page, replay=replace(page.replay, course=course))
    return site.show(request, page, 404 if isinstance(page, NotFoundPage) else 200, headers)


def _missing(
    site: Site, request: Request, number: str, headers: Mapping[str, str] = MappingProxyType({})
) -> Response:
    return site.show(request, NotFoundPage("board", number[:LONGEST_ECHO]), 404, headers)


def _standard(site: Site, suffix: Suffix) -> Callable[..., Response]:
    """The handler of a board's record in a standard format, where its game has that one."""

    def show(request: Request, number: str) -> Response:
        board = load_game_state(site.app, int(number)) if is_number(number) else None
        record = standard_record(board, site.app.server.domain) if board else None
        if record is None or record.suffix != suffix:
            return _missing(site, request, number)
        return site.send(request, record.content, record.media_type)

    return show


def _written(site: Site, media_type: str, write: Write) -> Callable[..., Response]:
    """The handler of a board in another format than its page."""

    def show(request: Request, number: str) -> Response:
        board = load_game_state(site.app, int(number)) if is_number(number) else None
        if board is None:
            return _missing(site, request, number)
        return site.send_kept(request, "record", (write, key_of(board)), lambda: write(board), media_type)

    return show


MOST_ENTRIES: Final = 50


def board_feed(board: GameState, server: Server) -> str:
    """The feed of a board as XML, the latest entry first.

    The id of an entry is its place in the log, which is append-only, so an id never changes its meaning.
    """
    story = game_log(board)
    newest = [*enumerate(story.log, 1)][: -MOST_ENTRIES - 1 : -1]
    preview = board_preview(story.view)
    return render("web/board_feed.xml", story=story, newest=newest, preview=preview, server=server)
