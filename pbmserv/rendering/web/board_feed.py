"""The feed of a board (Atom, RFC 4287): each thing that happened there is an entry."""

from typing import Final

from pbmserv.commands.server import Server
from pbmserv.matches.replay import Replayed
from pbmserv.rendering.environment import render
from pbmserv.rendering.story import tell_story
from pbmserv.rendering.web.preview import board_preview

MOST_ENTRIES: Final = 50


def board_feed(board: Replayed, server: Server) -> str:
    """The feed as XML, what happened last first; entries are named for their place in the log.

    A log is only added to, so that a name never comes to mean something else.
    """
    story = tell_story(board)
    newest = [*enumerate(story.log, 1)][: -MOST_ENTRIES - 1 : -1]
    preview = board_preview(story.view)
    return render("web/board_feed.xml", story=story, newest=newest, preview=preview, server=server)
