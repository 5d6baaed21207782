"""The mail with one board, and the boards of any mail with links to their pages."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from pbmserv.commands.challenge import PlayedOn
from pbmserv.commands.command import Decision, Reply
from pbmserv.commands.move import Previewed, Submitted
from pbmserv.commands.offers import OfferTaken
from pbmserv.commands.server import Server
from pbmserv.commands.set import LeaveKind
from pbmserv.matches.clock import Timing
from pbmserv.matches.player import Player
from pbmserv.matches.replay import GameState
from pbmserv.rendering.board import BoardView, Comment, view_board
from pbmserv.rendering.news import Opening, Telling
from pbmserv.rendering.templates import render, say
from pbmserv.services.app import App
from pbmserv.services.attachments import attached, has_record
from pbmserv.services.compose import UNCAUSED, MailBody, MailCause, OutgoingMail, build_message, in_words
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


def board_mail(
    app: App,
    board: GameState,
    player: Player,
    now: datetime,
    comment: Comment | None = None,
    cause: MailCause = UNCAUSED,
    timing: Timing | None = None,
    remarks: Sequence[Reply] = (),
    leaves: LeaveKind = "mail",
    is_talk: bool = False,
    author: str = "",
    since: int | None = None,
) -> OutboxMessage:
    """The mail with one board to one of its players, or to somebody who watches it, who did not ask for it.

    `timing` is None for a turn that begins with this mail. `leaves` is what unsubscribing from it
    means. The record of a finished game is attached, unless the mail only passes on words (`is_talk`).
    `author` is the username of the person who did what it tells; empty for a robot, the clock, and the operator.
    The news begins after `since` turns; None: after the reader's own last one.
    """
    is_told = is_talk and comment is not None
    telling = replace(telling_of(remarks, app.server, in_words(player)), is_told=is_told, since=since)
    shown = view_board(board, player.userid, comment, timing=timing, telling=telling)
    (view,), key = with_links(app, [shown])
    draft = OutgoingMail(
        kind="board",
        recipient=player.address,
        player=player,
        subject=board_subject(view),
        body=MailBody(
            render("mail/notice.txt", words=in_words(player), view=view, alone=True, server=app.server),
            (view,),
            attachments=attached([board], app.server) if has_record(board) and not is_talk else (),
            key=key,
        ),
        board=view.number,
        cause=cause,
        leaves=leaves,
        author=author,
    )
    return build_message(app, draft, now)


def telling_of(remarks: Sequence[Reply], server: Server, words: bool) -> Telling:
    """What a mail says of a board by these remarks, each where it stands there."""

    def at(place: str) -> tuple[str, ...]:
        return tuple(say(each, server, words) for each in remarks if each.place == place)

    kinds = {type(each) for each in remarks}
    opening: Opening | None = "offer" if OfferTaken in kinds else "challenge" if PlayedOn in kinds else None
    return Telling(at("first"), at("above"), at("below"), opening=opening)


def preview_views(decision: Decision, userid: str | None) -> list[BoardView]:
    """The boards on which moves were only tried, as `userid` (None: anybody) sees them, with all moves."""
    tried = len(decision.reply.moves) if isinstance(decision.reply, Previewed | Submitted) else 0
    return [view_board(board, userid, whole=True, previewed=tried) for board in decision.shown.previews]


def board_subject(view: BoardView) -> str:
    """The Subject of mails about a match: always the same, so that they stay in one thread."""
    return render(
        "mail/subject_board.txt", title=view.title, number=view.number, userids=view.players.userids
    ).strip()
