"""What mails with boards share: links to their pages, remarks, the Subject."""

from collections.abc import Sequence
from dataclasses import replace

from pbmserv.commands.challenge import PlayedOn
from pbmserv.commands.command import Reply
from pbmserv.commands.offers import OfferTaken
from pbmserv.commands.server import Server
from pbmserv.rendering.board import BoardView
from pbmserv.rendering.news import BoardNotes, Opening
from pbmserv.rendering.templates import render, say
from pbmserv.services.app import App


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
