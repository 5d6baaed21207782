"""Where the boards of a mail stand on the web; whoever can move on one of them gets a key to play there."""

from collections.abc import Sequence
from dataclasses import replace

from pbmserv.rendering.board import BoardView
from pbmserv.services.house import House


def linked(house: House, views: Sequence[BoardView]) -> tuple[tuple[BoardView, ...], str]:
    """The boards of one mail with their links, and the key in these, which is empty where its reader has no turn.

    The key is the mail's, and a secret of its own: the token in the mail's Message-ID goes on to whoever is sent
    a copy of an answer.
    """
    if not house.server.site_url:
        return tuple(views), ""
    key = (house.new_key or house.new_token)() if any(view.is_viewers_turn for view in views) else ""
    return tuple(replace(view, link=_link(house.server.site_url, view, key)) for view in views), key


def _link(site: str, view: BoardView, key: str) -> str:
    if view.imagined:
        return ""
    if view.is_viewers_turn:
        return f"{site}/play/{view.number}/{key}"
    return f"{site}/boards/{view.number}" + ("" if view.ply is None else f"?ply={view.ply}")
