"""Boards in text, to the letter."""

from dataclasses import replace
from datetime import UTC, datetime

from pbmserv.commands.server import Server
from pbmserv.games import games
from pbmserv.games.choices import Choice
from pbmserv.matches.log import Match
from pbmserv.matches.moves import AmbiguousMove, play, resign
from pbmserv.matches.replay import replay
from pbmserv.rendering.board import Comment, view_board
from pbmserv.rendering.markup import laid_out
from pbmserv.rendering.open_moves import OpenMoves
from pbmserv.rendering.templates import render, say

NOW = datetime(2026, 1, 1, tzinfo=UTC)

SAMPLE = """\
alice played D3. Your turn.
alice writes:
| Good luck!

Summary of Cephalopod Board 101
alice (n) 2, bob <n> 1.

        A   B   C   D   E

    5  ... ... ... ... ...  5

    4  ... ... <1> ... ...  4

    3  ... ... (1) (1) ...  3

    2  ... ... ... ... ...  2

    1  ... ... ... ... ...  1

        A   B   C   D   E

Moves: 1 alice C3, 2 bob C4, 3 alice D3.
Captures: D4 takes C4 and D3.

To move, answer this mail with your move in its first line, for example
    d4
Other answers: show, preview, chat, propose, undo, help, resign.
"""


def played(userids: tuple[str, ...], moves: str, size: str = "5x5") -> Match:
    """A match between these, after moves (and `resign`) in the order of turns."""
    rules = games()["cephalopod"].info.rules
    match = Match(101, "cephalopod", rules, (("size", size),), True, userids, userids[0], NOW)
    for text in moves.split():
        board = replay(match)
        assert board.state.to_move is not None
        entry = (
            resign(board, board.state.to_move, NOW)
            if text == "resign"
            else play(board, board.state.to_move, text, None, NOW)
        )
        match = match.with_entries((entry,))
    return match


def board_mail(match: Match, viewer: str | None, comment: Comment | None = None) -> str:
    """The text of a board's mail."""
    view = view_board(replay(match), viewer, comment)
    return laid_out(
        render(
            "mail/notice.txt", view=view, alone=True, server=Server("pbm@club.test", variants=True, confirm="from")
        )
    )


def test_the_golden_sample() -> None:
    """The mail that players of such servers, and programs that read their mail, know."""
    assert board_mail(played(("alice", "bob"), "c3 c4 d3"), "bob", Comment("alice", "Good luck!")) == SAMPLE


def test_only_who_is_on_turn_is_told_how_to_move() -> None:
    """The others see the position and no prompt."""
    match = played(("alice", "bob"), "c3 c4 d3")
    for viewer, news in (("alice", "You played D3."), (None, "alice played D3.")):
        text = board_mail(match, viewer)
        assert text.startswith(f"{news} It is bob's turn.\n")
        assert "To move" not in text
        assert "Captures" not in text


def test_a_running_game_shows_its_last_moves() -> None:
    """Eight of them, in a line; a finished game shows all, in columns."""
    match = played(("alice", "bob"), "a1 a3 a5 c1 c3 c5 e1 e3 e5")
    text = " ".join(board_mail(match, "bob").split())
    assert "Last moves: 2 bob A3, 3 alice A5, 4 bob C1, 5 alice C3, 6 bob C5, 7 alice E1, 8 bob" in text
    assert view_board(replay(match)).moves.text == ""
    over = played(("alice", "bob"), "a1 a3 a5 c1 c3 c5 e1 e3 e5 resign")
    assert len(view_board(replay(over)).moves.text.split("\n")) == 7


def test_columns_are_as_wide_as_the_longest_word() -> None:
    """Fourteen, or the longest of userid, side and move and six more."""
    match = played(("alice", "alexandria-the-great"), "a1 c1 b1xa1,c1")
    assert view_board(replay(match), whole=True).moves.text.split("\n") == [
        "   Paren                     Angle",
        "   alice                     alexandria-the-great",
        "   1 A1                      2 C1",
        "   3 B1xA1,C1",
    ]


def test_too_wide_for_columns_is_a_list() -> None:
    """Six players with long names: one move below the other."""
    userids = tuple(f"player-number-{number}" for number in range(6))
    match = played(userids, "a1 a3 a5 c1 c3 c5 e1 e3 e5")
    lines = view_board(replay(match), whole=True).moves.text.split("\n")
    assert len(lines) == 9
    assert lines[1] == "  2 player-number-1 A3"
    assert lines[-1] == "  9 player-number-2 E5"
    assert max(map(len, board_mail(match, None).split("\n"))) <= 72


def test_a_move_by_an_earlier_seat_begins_a_new_line() -> None:
    """After somebody left, the columns still tell who moved when."""
    match = played(("alice", "bob", "carol"), "a1 a3 a5 c1 resign c3")
    drawn = view_board(replay(match), whole=True).moves.text.split("\n")[2:]
    assert drawn == ["   1 A1          2 A3          3 A5", "   4 C1            resigns     5 C3"]


def test_wide_boards_have_letters_over_their_squares() -> None:
    """Nine columns, each letter over the middle of its cells."""
    match = played(("alice", "bob"), "i9 a1", size="9x9")
    lines = view_board(replay(match)).diagram.text.split("\n")
    assert lines[0].index("I") == lines[2].index("(1)") + 1
    assert lines[-1].index("A") == lines[-3].index("<1>") + 1
    assert lines[2].startswith("    9  ")


def choosing(starts: int, ways: int, more: int = 0) -> str:
    """What a player reads with so many beginnings and ways to go on from each; and more that go on in 20 ways."""
    counts = [ways] * starts + [20] * more
    found = tuple(Choice(place, count, f"a{place}", None) for place, count in enumerate(counts, 1))
    lists = [(f"A{place}", tuple(f"a{place}-b{way}" for way in range(ways))) for place in range(1, starts + 1)]
    board = replay(played(("alice", "bob"), ""))
    view = replace(view_board(board, "alice"), open_moves=OpenMoves(found, (), tuple(lists), "a1-b0", sum(counts)))
    return " ".join(render("mail/several.txt", view=view).split())


def test_moves_that_begin_alike() -> None:
    """They are listed in 24 lines at most; of more a mail says where they begin, if that is not anywhere."""
    assert choosing(2, 3) == (
        "Where more than one move begins alike, choose one of these: a1-b0 a1-b1 a1-b2 a2-b0 a2-b1 a2-b2"
    )
    assert choosing(24, 2, more=1).endswith(
        " a24-b0 a24-b1 More moves begin with a25. Send it as your move, and the server lists how it goes on."
    )
    assert choosing(36, 8) == (
        f"Several moves each begin with {', '.join(f'a{place}' for place in range(1, 36))} or a36."
        " Send one of these as your move, and the server lists how it goes on."
    )
    assert choosing(100, 3) == (
        "There are 300 moves, too many to list. Send as your move where yours begins, and the server lists how it"
        " goes on."
    )


def test_very_many_ways_to_go_on() -> None:
    """A refusal lists 24 of them, and says how many there are."""
    ways = tuple(f"j10-{place}" for place in range(360))
    said = say(AmbiguousMove(board=101, begun=(1,), choices=ways), Server("pbm@club.test"))
    lines = [line for line in laid_out(said).splitlines() if line]
    assert len(lines) == 27
    assert lines[-1] == "These are 24 of 360; the others are written in the same way."
