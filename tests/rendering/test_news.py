"""News from an entry of the log: what somebody reads who was told all before it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbmserv.matches.log import Entry, EntryKind
from pbmserv.matches.moves import play
from pbmserv.matches.replay import GameState
from pbmserv.rendering.board import view_board
from pbmserv.rendering.news import MOST_TOLD, BoardNotes
from pbmserv.rendering.templates import render
from tests.rendering.letters import FOUR, NOON, played

THREE = FOUR[:3]


def news(board: GameState, since: int | None, reader: str = "alice") -> str:
    """The first paragraph of a mail."""
    view = view_board(board, reader, notes=BoardNotes(since=since))
    return " ".join(render("mail/news.txt", view=view).split())


def with_entry(board: GameState, kind: EntryKind, seat: int | None, text: str = "") -> GameState:
    """A board after one thing more."""
    return board.apply(Entry(101, board.state.entries + 1, NOON, kind, seat, text))


@pytest.mark.parametrize(
    ("since", "told"),
    [
        (None, "bob played E5. Your turn."),
        (4, "Your turn."),
        (3, "bob played E5. Your turn."),
        (2, "You played E1, bob answered E5. Your turn."),
        (1, "bob played C3, you played E1, bob answered E5. Your turn."),
        (0, "You played A1, bob answered C3, you played E1, bob answered E5. Your turn."),
    ],
)
def test_from_an_older_entry_between_two(since: int | None, told: str) -> None:
    """The reader's own move stands in the middle, and what followed it is an answer."""
    assert news(played("a1 c3 e1 e5"), since) == told


@pytest.mark.parametrize(
    ("since", "told"),
    [
        (None, "bob played A5, carol played C1. Your turn."),
        (2, "carol played E1, you played E5, bob played A5, carol played C1. Your turn."),
        (1, "bob played C3, carol played E1, you played E5, bob played A5, carol played C1. Your turn."),
    ],
)
def test_from_an_older_entry_between_three(since: int | None, told: str) -> None:
    """Nobody answers anybody."""
    assert news(played("a1 c3 e1 e5 a5 c1", THREE), since) == told


def test_at_most_so_many_moves_are_told() -> None:
    """The last ones."""
    board = played("a1 c3 e1 e5 a5 c1 a3 c5")
    assert news(board, 0) == (
        "You played E1, bob answered E5, you played A5, bob answered C1, you played A3, bob answered C5."
        " Your turn."
    )


def test_moves_and_all_else_since_an_entry() -> None:
    """In the order in which they came; what was told before the entry is not told again."""
    board = with_entry(with_entry(played("a1 c3 e1 e5"), "extended", 0, "5"), "proposed", 1)
    assert news(board, 3) == (
        "bob played E5. The operator has given you 5 hours more. bob offers a draw. Your turn."
    )
    assert news(board, 4) == "The operator has given you 5 hours more. bob offers a draw. Your turn."
    assert news(board, 5) == "bob offers a draw. Your turn."
    paused = with_entry(with_entry(with_entry(board, "rejected", 0), "paused", None), "extended", 1, "24")
    assert news(paused, 6) == (
        "You declined bob's offer of a draw. The operator has given bob 1 day more. The operator has stopped the"
        " clock. Your turn."
    )
    assert news(paused, None) == "The operator has given bob 1 day more. Your turn."


def test_what_was_taken_back() -> None:
    """A move that was told is gone; one that nobody told is not told any later."""
    asked = with_entry(played("a1 c3 e1 e5"), "asked", 1, "3")
    agreed = with_entry(asked, "accepted", 0)
    assert news(agreed, 5, "bob") == "alice agreed: your move is taken back. Your turn."
    assert news(agreed, 2, "bob") == "alice played E1. alice agreed: your move is taken back. Your turn."


def test_a_leaving_is_told_though_the_operator_did_something_before() -> None:
    """The turn in which the operator gave time goes on after somebody else has left."""
    board = with_entry(with_entry(played("a1 c3 e1", THREE), "extended", 0, "5"), "resigned", 1)
    assert news(board, None) == "bob played C3, carol played E1, bob resigned. Your turn."
    assert news(board, 3) == "bob resigned. The operator has given you 5 hours more. Your turn."


THINGS = st.sampled_from(["play", "play", "play", "offer", "answer", "extend", "letter"])


@given(st.integers(2, 3), st.integers(0, 2), st.lists(st.tuples(THINGS, st.integers(0, 99)), max_size=30))
def test_each_move_of_others_is_told_once(seats: int, reader: int, things: list[tuple[str, int]]) -> None:
    """Whenever letters are written, each from where the one before ended, own moves at its head left out."""
    reader %= seats
    userids = FOUR[:seats]
    board = played("", userids)
    told: list[str] = []
    cursor = 0
    cells = ("A1", "C1", "E1", "A3", "C3", "E3", "A5", "C5", "E5")
    for what, number in [*things, ("letter", 0)]:
        state = board.state
        seat = number % seats
        if what == "play" and state.to_move is not None:
            free = [name for name in cells if name not in [turn.move for turn in state.turns]]
            if free:
                entry = play(board, state.to_move, free[number % len(free)], None, NOON)
                board = board.apply(entry)
        elif what == "offer" and state.offer is None and ("draw", seat) not in state.offered:
            board = with_entry(board, "proposed", seat)
        elif what == "answer" and state.offer is not None:
            board = with_entry(board, "rejected", seat)
        elif what == "extend":
            board = with_entry(board, "extended", seat, "5")
        if what == "letter" or board.state.entries - cursor == MOST_TOLD:
            after = board.match.entries[cursor:]
            assert board.has_news(reader, cursor) is any(
                each.seat != reader or each.kind == "extended" for each in after
            )
            view = view_board(board, userids[reader], notes=BoardNotes(since=board.known_to(reader, cursor)))
            assert view.news is not None
            told += [each.text for each in view.news.moves if each.userid != userids[reader]]
            cursor = board.state.entries
    assert told == [turn.move for turn in board.state.turns if turn.seat != reader]
