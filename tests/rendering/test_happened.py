"""What a board tells beside the moves: how it ended, what waits for consent, what the operator has done.

In the text, in words, in HTML: the same sentences.
"""

import re
from dataclasses import replace

from pbmserv.commands.server import Server
from pbmserv.matches.clock import TimeControl
from pbmserv.matches.log import Entry, EntryKind
from pbmserv.matches.replay import GameState, replay
from pbmserv.rendering.board import view_board
from pbmserv.rendering.html_board import draw_board
from pbmserv.rendering.markup import laid_out
from pbmserv.rendering.templates import render
from pbmserv.web.board_page import BoardPageQuery
from pbmserv.web.boards import board_page
from pbmserv.web.layout import Frame, html
from tests.every import for_each
from tests.rendering.letters import ADDRESS, FOUR, NOON, PAIR, SERVER, played
from tests.web.tree import parse

Thing = tuple[EntryKind, int | None, str]


def board_after(things: list[Thing], userids: tuple[str, ...] = PAIR, moves: str = "a1 c3 e1 e5") -> GameState:
    """A board on which this has followed after four moves."""
    start = played(moves, userids)
    board = replay(replace(start.match, clock=TimeControl()))
    for kind, seat, text in things:
        board = board.apply(Entry(101, board.state.entries + 1, NOON, kind, seat, text))
    return board


def forms(board: GameState, viewer: str | None = "alice") -> dict[str, str]:
    """What is told of it, by form, on one line."""
    view = view_board(board, viewer)
    drawn = draw_board(view, ADDRESS)
    assert drawn is not None
    frame = Frame(Server("pbm@club.test", variants=True))
    shown = board_page(view_board(board, whole=True), BoardPageQuery("/boards/101"), frame)
    page = html(shown, frame)
    told = {
        "text": laid_out(render("mail/notice.txt", view=view, alone=True, server=SERVER)),
        "words": laid_out(render("mail/notice.txt", words=True, view=view, alone=True, server=SERVER)),
        "html": parse(drawn).text,
        "page": parse(page).text,
    }
    return {form: " ".join(text.split()) for form, text in told.items()}


ENDINGS: list[tuple[list[Thing], tuple[str, ...], str, str]] = [
    (
        [("resigned", 1, "")],
        PAIR,
        "You won: bob resigned.",
        "The game is over: alice wins, since bob has resigned.",
    ),
    (
        [("forfeited", 1, "")],
        PAIR,
        "You won: bob ran out of time.",
        "The game is over: alice wins, since bob has run out of time.",
    ),
    (
        [("forfeited", 0, "")],
        PAIR,
        "You are out of time; bob won.",
        "The game is over: bob wins, since alice has run out of time.",
    ),
    (
        [("removed", 1, "")],
        PAIR,
        "You won: the operator took bob off the board.",
        "The game is over: alice wins, since bob was taken off the board by the operator.",
    ),
    (
        [("proposed", 0, ""), ("accepted", 1, "")],
        PAIR,
        "You and bob have agreed on a draw.",
        "The game is over: alice and bob have agreed on a draw.",
    ),
    (
        [("awarded", 1, "")],
        PAIR,
        "The operator has given bob the win.",
        "The game is over: the operator has given the win to bob.",
    ),
    (
        [("annulled", None, "")],
        PAIR,
        "The operator has declared this game void. It does not count.",
        "The operator has made this game void. It counts for nobody.",
    ),
    (
        [("resigned", 0, ""), ("annulled", None, "")],
        PAIR,
        "The operator has declared this game void.",
        "The operator has made this game void.",
    ),
    (
        [("declined", 1, "")],
        PAIR,
        "bob declined this game. It does not count.",
        "bob has declined this game. It counts for nobody.",
    ),
    ([("resigned", 1, "")], FOUR, "bob resigned. Your turn", "bob has resigned; the others play on."),
    (
        [("forfeited", 1, "")],
        FOUR,
        "bob ran out of time. Your turn",
        "bob has run out of time; the others play on.",
    ),
    (
        [("removed", 1, "")],
        FOUR,
        "bob was taken off the board by the operator. Your turn",
        "bob was taken off the board by the operator; the others play on.",
    ),
    (
        [("resigned", 1, ""), ("forfeited", 2, ""), ("removed", 0, "")],
        FOUR,
        "The operator took you off the board; dave won. You came 2nd of 4.",
        "The game is over: dave wins, since alice was taken off the board by the operator.",
    ),
    (
        [("resigned", 1, ""), ("proposed", 0, ""), ("accepted", 3, ""), ("accepted", 2, "")],
        FOUR,
        "You, carol and dave have agreed on a draw.",
        "The game is over: alice, carol and dave have agreed on a draw.",
    ),
]


def check_forms(board: GameState, news: str, on_the_page: str) -> None:
    """Whether each form of a mail has the news, and the page the same for anybody."""
    for form, text in forms(board).items():
        assert (on_the_page if form == "page" else news) in text, form


@for_each(("things", "userids", "news", "on_the_page"), ENDINGS)
def test_how_it_ended(things: list[Thing], userids: tuple[str, ...], news: str, on_the_page: str) -> None:
    """In every form."""
    check_forms(board_after(things, userids), news, on_the_page)


@for_each(
    ("kind", "does"),
    [("resigned", "resigns"), ("forfeited", "forfeits"), ("removed", "is removed"), ("declined", "declines")],
)
@for_each("userids", [PAIR, FOUR])
def test_the_list_of_moves_tells_how_somebody_left(kind: EntryKind, does: str, userids: tuple[str, ...]) -> None:
    """And the table of players how they have gone."""
    told = forms(board_after([(kind, 1, "")], userids))
    for form, text in told.items():
        assert does in text, form
        assert len(re.findall("resigns|forfeits|is removed|declines", text)) == 1, form
    assert kind in told["html"]
    assert kind in told["page"]


HAPPENED: list[tuple[list[Thing], tuple[str, ...], str, str]] = [
    (
        [("proposed", 0, "")],
        PAIR,
        "You offered a draw. Your turn",
        "alice proposes a draw. bob has still to answer.",
    ),
    (
        [("asked", 1, "3")],
        PAIR,
        "bob asks to take back E5. Your turn",
        "bob asks to take back E5. alice has still to answer.",
    ),
    (
        [("asked", 0, "2")],
        PAIR,
        "You asked to take back E1 and the move after it.",
        "alice asks to take back E1, and with it the move played since. bob has",
    ),
    (
        [("asked", 0, "0")],
        FOUR,
        "You asked to take back A1 and the 3 moves after it.",
        "alice asks to take back A1, and with it the 3 moves played since. bob, carol and dave have",
    ),
    (
        [("proposed", 0, ""), ("accepted", 3, "")],
        FOUR,
        "dave has accepted; bob and carol have still to answer.",
        "alice proposes a draw. dave has accepted; bob and carol have",
    ),
    (
        [("proposed", 0, ""), ("rejected", 1, "")],
        PAIR,
        "bob declined your offer of a draw.",
        "bob does not accept the draw that alice proposed.",
    ),
    (
        [("asked", 0, "2"), ("rejected", 1, "")],
        PAIR,
        "bob did not agree to take back your move.",
        "bob does not accept the take-back that alice asked for.",
    ),
    (
        [("asked", 0, "2"), ("rejected", 0, "")],
        PAIR,
        "You have withdrawn the wish to take a move back.",
        "alice has withdrawn the wish to take a move back.",
    ),
    (
        [("asked", 0, "2"), ("accepted", 1, "")],
        PAIR,
        "bob agreed: your move is taken back. Your turn",
        "The take-back that alice asked for is agreed",
    ),
    (
        [("rewound", None, "2")],
        PAIR,
        "The operator has taken moves back: the board stands as it did after move 2.",
        "The operator has taken moves back: the board stands as it did after ply 2.",
    ),
    (
        [("rewound", None, "0")],
        PAIR,
        "The operator has taken moves back: the board stands as it did at the start.",
        "The operator has taken moves back: the board stands as it did at the start.",
    ),
    (
        [("extended", 1, "72")],
        PAIR,
        "The operator has given bob 3 days more.",
        "The operator has given bob 3 days more.",
    ),
    (
        [("extended", 0, "5")],
        PAIR,
        "The operator has given you 5 hours more.",
        "The operator has given alice 5 hours more.",
    ),
    (
        [("paused", None, "")],
        PAIR,
        "The operator has stopped the clock.",
        "alice",
    ),
    (
        [("paused", None, ""), ("resumed", None, "")],
        PAIR,
        "The operator has started the clock again.",
        "The operator had stopped the clocks of this board",
    ),
]


@for_each(("things", "userids", "news", "on_the_page"), HAPPENED)
def test_what_happened_in_this_turn(
    things: list[Thing], userids: tuple[str, ...], news: str, on_the_page: str
) -> None:
    """In every form; after the next move it is told no more, nor of an earlier ply."""
    board = board_after(things, userids)
    check_forms(board, news, on_the_page)
    seat = board.state.to_move
    assert seat is not None
    later = board.apply(Entry(101, board.state.entries + 1, NOON, "played", seat, "C1"))
    assert news not in " ".join(forms(later).values())
    past = view_board(board.at(1), "alice", ply=1)
    assert news not in " ".join(render("mail/notice.txt", view=past, alone=True, server=SERVER).split())


@for_each(
    ("viewer", "lines", "links"),
    [
        ("bob", ["    accept", "    reject"], {"accept": "accept%20101", "reject": "reject%20101"}),
        ("alice", ["    reject"], {"withdraw it": "reject%20101"}),
        ("carol", [], {}),
        (None, [], {}),
    ],
)
def test_ready_answers(viewer: str | None, lines: list[str], links: dict[str, str]) -> None:
    """To whoever may answer: lines in the text, links in HTML. Beside other boards the lines name theirs."""
    board = board_after([("proposed", 0, ""), ("accepted", 2, "")], FOUR)
    view = view_board(board, viewer)
    text = laid_out(render("mail/notice.txt", view=view, alone=True, server=SERVER)).split("\n")
    assert [line for line in text if re.fullmatch(" +(accept|reject)", line)] == lines
    text = laid_out(render("mail/notice.txt", view=view, alone=False, server=SERVER)).split("\n")
    assert [line for line in text if re.fullmatch(" +101 (accept|reject)", line)] == [
        line.replace("    ", "    101 ") for line in lines
    ]
    drawn = draw_board(view, ADDRESS)
    assert drawn is not None
    found = re.findall(r'href="mailto:[^"]*subject=([^&"]*)"[^>]*>(accept|reject|withdraw it)<', drawn)
    assert {words: subject for subject, words in found} == links


def test_what_is_void_is_told_no_more() -> None:
    """A leaving ends what was asked, though the turn goes on."""
    board = board_after([("proposed", 2, ""), ("resigned", 3, "")], FOUR)
    assert board.state.to_move == 0
    told = " ".join(forms(board).values())
    assert "proposes a draw" not in told
    assert "offers a draw" not in told
