"""`propose`, `undo`, `accept`, `reject`: as commands, in a move's place, and alone in an answer to a board."""

import pytest

from pbmserv.commands.agreements import Agreed, DrawAgreed, DrawProposed, NotAgreed, OfferDropped, UndoAsked
from pbmserv.commands.lookup import NotYourBoard
from pbmserv.commands.move import MovePlayed
from pbmserv.matches.moves import NoPass, NothingToAnswer
from tests.commands.memory import Table
from tests.parser.meaning import meaning

BOARD = 101
WORDS = ["propose", "undo", "accept", "reject"]


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("{} 101", "{} 101"),
        ("101 {}", "{} 101"),
        ("cephalopod {} 101", "cephalopod {} 101"),
        ("{} 101 anna sesame", "{} 101 by anna/sesame"),
        ("move 101 {}", "move 101 {}"),
        ("move 101 anna sesame {}", "move 101 {} by anna/sesame"),
    ],
)
def test_how_it_is_written(word: str, line: str, expected: str) -> None:
    """As `resign` is, whether or not a board is answered."""
    for answered in (None, BOARD):
        assert meaning(line.format(word), answered) == expected.format(word)
        assert meaning(line.format(word.upper()), answered).lower() == expected.format(word)


@pytest.mark.parametrize("word", WORDS)
def test_alone_in_an_answer(word: str) -> None:
    """As phones write it; with a mark of doubt, or a word more, it is asked back. Elsewhere a board is missing."""
    for written in (word, word.capitalize(), f"{word}.", f"{word} !", word.upper()):
        assert meaning(written, BOARD) == f"{word} 101"
    assert meaning(f"{word}?", BOARD) == f"meant? {word} 101"
    assert meaning(word) == "refused WrongForm"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("I accept", "meant? accept 101"),
        ("accept, please", "meant? accept 101"),
        ("undo please", "meant? undo 101"),
        ("acept", "meant? accept"),
        ("porpose", "meant? propose"),
        ("Accept my congratulations", "prose"),
        ("I do not accept that", "prose"),
        ("pass", "move 101 pass"),
        ("Pass.", "move 101 pass"),
        ("pass?", "prose"),
    ],
)
def test_in_other_words(line: str, expected: str) -> None:
    """What may give something up is done only where it is written as it should be."""
    assert meaning(line, BOARD) == expected


def test_nobody_passes_without_a_board() -> None:
    assert meaning("pass") == "prose"


def test_a_course_of_it(table: Table) -> None:
    """In whatever form, and told to whom it concerns."""
    assert table.give("101 pass", "bob") == NoPass(board=101, game="cephalopod", example="b3")
    assert table.give("move 101 c3", "bob") == MovePlayed(101, "C3")
    assert table.give("move 101 UNDO", "anna") == UndoAsked(101, "A1", 1, ("bob",))
    assert table.give("reject 101", "bob") == NotAgreed(101, "undo", "Anna")
    assert table.give("101 propose", "anna") == DrawProposed(101, ("bob",))
    assert table.give("reject", "anna", board=101) == OfferDropped(101, "draw")
    assert table.give("move 101 propose", "bob") == DrawProposed(101, ("Anna",))
    assert table.give("move 101 accept", "cora") == NotYourBoard(board=101, userid="cora")
    assert table.give("move 101 accept", "anna") == DrawAgreed(101)


def test_of_three(table: Table) -> None:
    """The last who agrees brings it about."""
    table.give("challenge anna bob cora", "anna")
    for player, square in (("anna", "a1"), ("bob", "c3"), ("cora", "e5")):
        table.give(f"102 {square}", player)
    assert table.give("102 accept", "bob") == NothingToAnswer(board=102, may_undo=True)
    table.give("102 propose", "cora")
    assert table.give("102 accept", "bob") == Agreed(102, "draw", "cora", ("Anna",))
    assert table.give("102 accept", "anna") == DrawAgreed(102)
