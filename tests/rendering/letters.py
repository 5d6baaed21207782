"""HTML parts of mails in many states, as people get them."""

from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from itertools import product

from pbmserv.commands.address import SignedUp
from pbmserv.commands.boards import BoardList
from pbmserv.commands.command import Reply
from pbmserv.commands.help import page
from pbmserv.commands.move import MovePlayed
from pbmserv.commands.server import Server
from pbmserv.games import games
from pbmserv.matches.clock import TimeControl
from pbmserv.matches.errors import CommandError
from pbmserv.matches.log import Match
from pbmserv.matches.moves import IllegalMove, play, resign
from pbmserv.matches.queries import BoardRow, ListingQuery
from pbmserv.matches.replay import GameState, replay
from pbmserv.matches.state import Summary
from pbmserv.rendering.board import BoardView, Comment, view_board
from pbmserv.rendering.document import Document
from pbmserv.rendering.html_mail import Content, html_part
from pbmserv.rendering.markup import document_of
from pbmserv.rendering.templates import say

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
SERVER = Server("pbmserv@club.test", variants=True)
ADDRESS = "pbmserv+k3j4h5k6j7h8a2@club.test"
PAIR = ("alice", "bob")
FOUR = ("alice", "bob", "carol", "dave")
SIX = ("alice", "bob", "carol", "dave", "alexandria-the-great", "frank")
MIDDLE = "c3 c4 d3 d4xc4,d3 c4xc3,d4 b2 b4 a2 c2 d3"


def played(moves: str, userids: tuple[str, ...] = PAIR, size: str = "5x5", number: int = 101) -> GameState:
    """A board between these, after moves (and `resign`) in the order of turns."""
    rules = games()["cephalopod"].info.rules
    board = replay(Match(number, "cephalopod", rules, (("size", size),), True, userids, userids[0], NOON))
    for text in moves.split():
        seat = board.state.to_move
        assert seat is not None
        entry = resign(board, seat, NOON) if text == "resign" else play(board, seat, text, None, NOON)
        board = board.apply(entry)
    return board


def checkered(columns: int, rows: int) -> str:
    """A die on every other square: on each of the others there is the most to choose from."""
    squares = product(range(columns), range(rows))
    return " ".join(f"{chr(97 + column)}{row + 1}" for column, row in squares if (column + row) % 2 == 0)


def first_moves(count: int, size: str = "5x5", userids: tuple[str, ...] = PAIR) -> str:
    """So many moves, or all there are, each the last that the rules list."""
    board = played("", userids, size)
    texts: list[str] = []
    while len(texts) < count and board.state.to_move is not None:
        rules = games()["cephalopod"]
        *_, move = rules.moves(board.state.position)
        texts.append(rules.write(board.state.position, move))
        entry = play(board, board.state.to_move, texts[-1], None, NOON)
        board = board.apply(entry)
    return " ".join(texts)


def linked(view: BoardView) -> BoardView:
    """A board with its link to the pages, which is personal for whoever is on turn."""
    way = f"play/{view.number}/k3j4h5k6j7h8a2k3j4h5" if view.is_viewers_turn else f"boards/{view.number}"
    return replace(view, link=f"https://club.test/{way}")


def letter(*views: BoardView, said: Document | None = None) -> str:
    """The HTML part of a mail that holds these."""
    title = f"Cephalopod Board {views[0].number}" if len(views) == 1 else "pbmserv: next"
    html = html_part(Content(said or document_of(""), views), title, ADDRESS, SERVER)
    assert html is not None
    return html


def told(reply: Reply | CommandError | None) -> Document:
    """A reply or a refusal as its sender is told it."""
    assert reply is not None
    return document_of(say(reply, SERVER))


def listing(count: int) -> BoardList:
    """A listing of so many boards."""
    summary = Summary("active", 1, 17, NOON, "C3")
    facts = ("cephalopod", (("size", "3x5"),), ("alexandria-the-great", "bob"), NOON, summary, True, TimeControl())
    lines = tuple(BoardRow(101 + each, *facts) for each in range(count))
    return BoardList(ListingQuery(), lines, count + 3)


@cache
def every_letter() -> dict[str, str]:
    """One of each kind, by name."""
    middle = played(MIDDLE)
    illegal = IllegalMove(board=101, game="cephalopod", rule=4, choices=("C5xB5,C4", "C5xC4,D5"), example="a1")
    comment = Comment(
        "bob", "That was quick!\n\nSee <img src=x> you <b>soon</b> & well: \N{SNOWMAN}\n" + "long" * 40
    )
    opening = view_board(played(""), "bob")
    many = [view_board(played(MIDDLE, number=101 + each), "alice") for each in range(20)]
    return {
        "start": letter(view_board(played(""), "alice"), said=document_of("Board 101 is begun.")),
        "invited": letter(opening),
        "middle": letter(linked(view_board(middle, "alice", comment))),
        "waiting": letter(linked(view_board(middle, "bob")), said=told(MovePlayed(101, "D3"))),
        "choices": letter(view_board(played(checkered(5, 5)), "bob")),
        "wide": letter(view_board(played(checkered(9, 9), size="9x9"), "bob")),
        "seven": letter(view_board(played(checkered(7, 5), size="7x5"), "alice")),
        "four": letter(view_board(played(first_moves(14, userids=FOUR), FOUR), "carol")),
        "six": letter(view_board(played(first_moves(30, "7x7", SIX), SIX, "7x7"), "alice")),
        "finished": letter(view_board(played(first_moves(500)), "bob")),
        "resigned": letter(view_board(played("c3 c4 d3 resign"), "bob")),
        "refused": letter(view_board(middle, "alice"), said=told(illegal)),
        "help": letter(said=told(page("move", SERVER))),
        "tutorial": letter(said=told(page("tutorial", SERVER))),
        "rules": letter(said=told(page("cephalopod", SERVER))),
        "commands": letter(said=told(page("commands", SERVER))),
        "welcome": letter(said=told(SignedUp("alice", "alice@example.org"))),
        "listing": letter(said=told(listing(8))),
        "several": letter(*many[:3], said=document_of("[1] move 101 c3\n\nYou played C3 on board 101.")),
        "twenty": letter(*map(linked, many)),
    }
