"""What an answer says above its board is found, however the board is shown: templates' words are the limit."""

from datetime import UTC, datetime

from pbmserv.commands.server import Server
from pbmserv.matches.log import Entry, Match
from pbmserv.matches.replay import replay
from pbmserv.rendering.board import BoardView, view_board
from pbmserv.rendering.markup import laid_out
from pbmserv.rendering.templates import render
from pbmserv.web.play import said_above
from tests.every import for_each

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
MATCH = Match(101, "cephalopod", "cephalopod/1", (), True, ("alice", "bob"), "alice", NOON)
BOARD = replay(
    MATCH.with_entries((Entry(101, 1, NOON, "played", 0, "C3"), Entry(101, 2, NOON, "played", 1, "C4")))
)
VIEWS = {
    "as it stands": view_board(BOARD, "alice"),
    "earlier": view_board(BOARD.at(1), "alice", ply=1),
    "tried": view_board(BOARD, "alice", whole=True, previewed=1),
}
SAID = "You played C4 on board 101.\n\n"


@for_each("words", [False, True])
@for_each("view", VIEWS.values())
def test_what_is_said_ends_where_the_board_begins(view: BoardView, words: bool) -> None:
    """Drawn and in words, at any moment; a board of another number is part of what is said."""
    shown = render(
        "mail/board.txt", words=words, view=view, alone=True, server=Server("pbm@club.test", variants=True)
    )
    answer = SAID + laid_out(shown)
    said = said_above(answer, 101)
    assert said.startswith(SAID)
    assert "Board 101" not in said.removeprefix(SAID)
    assert "C3" not in said.removeprefix(SAID)
    assert said_above(answer, 102) == answer
