"""Mails with several boards, and what all mails with boards share: links, remarks, records, the Subject."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final, TypeVar

from pbmserv.commands.boards import NextBoards
from pbmserv.commands.challenge import PlayedOn
from pbmserv.commands.command import Reply
from pbmserv.commands.letter import Digest
from pbmserv.commands.offers import OfferTaken
from pbmserv.commands.server import Server
from pbmserv.mail.sending.message import Attachment
from pbmserv.matches.player import Player
from pbmserv.matches.queries import Listing, ListingQuery, Queries
from pbmserv.matches.replay import GameState
from pbmserv.matches.turn_time import left
from pbmserv.rendering.board import BoardView, view_board
from pbmserv.rendering.formats import file_of, standard_record, suffix_of
from pbmserv.rendering.html_mail import Content
from pbmserv.rendering.markup import document_of
from pbmserv.rendering.news import BoardNotes, Opening
from pbmserv.rendering.overview import Overview, overview_rows
from pbmserv.rendering.record import as_file, file_name, game_log, record_of
from pbmserv.rendering.templates import render, say
from pbmserv.services.app import App
from pbmserv.services.compose import (
    MailBody,
    NothingLeft,
    OutgoingMail,
    build_message,
    in_words,
    other_subject,
    takes_html,
)
from pbmserv.services.notices import readable
from pbmserv.services.unit_of_work import UnitOfWork
from pbmserv.store.letters import known_up_to
from pbmserv.store.outbox import OutboxMessage


def with_links(app: App, views: Sequence[BoardView]) -> tuple[tuple[BoardView, ...], str]:
    """The boards of one mail with links to their pages, and the key in the links, empty if the reader has no turn.

    The key is another secret than the mail's token: the token is in the Message-ID, which others may see who get
    a copy of an answer.
    """
    if not app.server.site_url:
        return tuple(views), ""
    key = (app.makers.key or app.new_token)() if any(view.is_viewers_turn for view in views) else ""
    return tuple(replace(view, link=_link(app.server.site_url, view, key)) for view in views), key


def _link(site: str, view: BoardView, key: str) -> str:
    if view.previewed:
        return ""
    if view.is_viewers_turn:
        return f"{site}/play/{view.number}/{key}"
    return f"{site}/boards/{view.number}" + ("" if view.ply is None else f"?ply={view.ply}")


def board_notes(remarks: Sequence[Reply], server: Server, words: bool) -> BoardNotes:
    """What a mail says of a board by these remarks, each where it stands there."""

    def at(place: str) -> tuple[str, ...]:
        return tuple(say(each, server, words) for each in remarks if each.place == place)

    kinds = {type(each) for each in remarks}
    opening: Opening | None = "offer" if OfferTaken in kinds else "challenge" if PlayedOn in kinds else None
    return BoardNotes(at("first"), at("above"), at("below"), opening=opening)


def board_subject(view: BoardView) -> str:
    """The Subject of mails about a match: always the same, so that they stay in one thread."""
    return render(
        "mail/subject_board.txt", title=view.title, number=view.number, userids=view.players.userids
    ).strip()


MOST_LISTED: Final = 50
"""Lines of the table. The desk shows more."""

LARGEST: Final = 90_000
"""Bytes of a whole mail with several boards: mail programs cut larger ones, or hide their end."""

Made = TypeVar("Made")


def overview_of(work: UnitOfWork, userid: str, found: Listing, key: str) -> Overview:
    """The table of boards where it is the turn of `userid`; `key` is in the mail's links, if it goes to them."""
    site = work.app.server.site_url

    def link(number: int) -> str:
        if not site:
            return ""
        return f"{site}/play/{number}/{key}" if key else f"{site}/boards/{number}"

    listed = found.lines[:MOST_LISTED]
    desk = f"{site}/desk/{key}" if site and key else ""
    return Overview(overview_rows(listed, userid, work.now, link), found.total - len(listed), desk)


def overview_for(work: UnitOfWork, asked: NextBoards, key: str) -> Overview:
    """The table in the answer to `next`; `key` is that of its links, empty for somebody else's boards."""
    found = work.records.boards(
        ListingQuery(userids=(asked.userid,), filter="next", count=MOST_LISTED, with_practice=True)
    )
    return overview_of(work, asked.userid, found, key)


def fitted(build: Callable[[int], Made], size: Callable[[Made], int], most: int) -> Made:
    """What is built with as many boards as fit into one mail, `most` of them at best."""
    made = build(most)
    while most and size(made) > LARGEST:
        most = min(most - 1, most * LARGEST // size(made))
        made = build(most)
    return made


MOST_SHOWN: Final = 20

MOST_WEIGHED: Final = 200
"""Boards of one player that are looked at for the most urgent ones; of more, those that wait longest."""

_NEVER_OVER: Final = timedelta.max


def digest_mail(work: UnitOfWork, digest: Digest, player: Player) -> OutboxMessage:
    """The mail with every board where it is a player's turn, the most urgent first. Raises NothingLeft."""
    app, now, records = work.app, work.now, work.records
    found = records.boards(
        ListingQuery(userids=(player.userid,), filter="next", count=MOST_WEIGHED, with_practice=True)
    )
    looked_at = (readable(records, line.number, "digest") for line in found.lines)
    boards = [board for board in looked_at if board is not None]
    if not boards:
        raise NothingLeft
    boards.sort(key=lambda board: _urgency(board, records, now))
    lines = {line.number: line for line in found.lines}

    def seen(board: GameState) -> BoardView:
        notes = BoardNotes(since=since_known(work, board, player))
        return view_board(board, player.userid, timing=records.timing(board, now), notes=notes)

    views, key = with_links(app, [seen(board) for board in boards[:MOST_SHOWN]])
    order = tuple(lines[board.match.number] for board in boards)
    whole = found.total - (len(found.lines) - len(boards))
    table = overview_of(work, player.userid, Listing(order, whole), key) if len(boards) > 1 else None
    remarks = tuple(say(each, app.server, in_words(player)) for each in digest.notes)

    def build(most: int) -> OutboxMessage:
        drawn = replace(table, drawn=min(most, len(views))) if table else None
        return build_message(app, _digest_draft(app, player, views[:most], key, drawn, remarks), now)

    return fitted(build, lambda message: len(message.raw), MOST_SHOWN)


def _digest_draft(
    app: App,
    player: Player,
    views: tuple[BoardView, ...],
    key: str,
    overview: Overview | None,
    remarks: tuple[str, ...],
) -> OutgoingMail:
    alone = views[0].number if overview is None else None

    def told(views: Sequence[BoardView], table: Overview | None, words: bool) -> str:
        total = len(overview.rows) + overview.more if overview else 1
        first = overview.rows[0].number if overview else alone
        context = {
            "total": total,
            "alone": alone,
            "first": first,
            "overview": table,
            "remarks": remarks,
            "server": app.server,
        }
        return render("mail/digest.txt", words, views=views, **context)

    def html() -> Content:
        return Content(document_of(told((), None, words=False)), views, overview=overview)

    return OutgoingMail(
        kind="notice",
        recipient=player.address,
        player=player,
        subject=other_subject(app.server, "your turn"),
        body=MailBody(
            told(views, overview, in_words(player)),
            views,
            content=html() if takes_html(player) else None,
            key=key,
            named=overview.named if overview else (),
        ),
        # With one board alone, a bare move will do as the answer.
        board=alone,
        leaves="digest",
    )


def since_known(work: UnitOfWork, board: GameState, player: Player) -> int | None:
    """After which entry of a board's log there is news for a player; None: after that of their own last turn."""
    known = known_up_to(work.connection, board.match.number, player.id)
    return None if known is None else board.known_to(board.match.seat_of(player.userid), known)


def _urgency(board: GameState, records: Queries, now: datetime) -> tuple[timedelta, datetime]:
    """The least time left first; without a clock, and where as much is left, what waits longest."""
    time_left = left(board, records.timing(board, now))
    return (_NEVER_OVER if time_left is None else time_left, board.state.last_at)


LARGEST_RECORDS: Final = 400_000
"""Bytes of all files of a mail; a third comes to it on the way."""


def attached(boards: Iterable[GameState], server: Server) -> tuple[Attachment, ...]:
    """The records of boards as files, each once, as long as there is room: JSON, and the format of the game."""
    files: dict[str, Attachment] = {}
    room = LARGEST_RECORDS
    for board in boards:
        for file in _files(board, server):
            if file.name not in files and len(file.content) <= room:
                room -= len(file.content)
                files[file.name] = file
    return tuple(files.values())


def _files(board: GameState, server: Server) -> Iterator[Attachment]:
    number = board.match.number
    yield Attachment(file_name(number), as_file(record_of(board, server)))
    standard = standard_record(board, server.domain)
    if standard:
        yield Attachment(file_of(number, standard.suffix), standard.content, standard.media_type)


def record_texts(
    boards: Iterable[GameState], files: Sequence[Attachment], server: Server, words: bool
) -> list[str]:
    """The records that were asked for as texts, not yet laid out; `files` go along with them."""
    names = {each.name for each in files}
    return [
        record_text(board, server, words, tuple(name for name in _names(board) if name in names))
        for board in boards
    ]


def _names(board: GameState) -> Iterator[str]:
    """How the files of a board are called."""
    yield file_name(board.match.number)
    suffix = suffix_of(board)
    if suffix:
        yield file_of(board.match.number, suffix)


def record_text(board: GameState, server: Server, words: bool = False, attached: Sequence[str] = ()) -> str:
    """The record of a board as text, not yet laid out; `attached` are the names of files that go along with it."""
    return render("mail/record.txt", words=words, story=game_log(board), attached=attached, server=server)
