"""What holds of a line beyond what `lines.txt` and its neighbours show: what gives up, and what is told again."""

from itertools import product

from pbmserv.commands.command import commands
from pbmserv.commands.lookup import WrongForm
from pbmserv.commands.vocabulary import NEVER_BY_SLIP
from pbmserv.parser.line import parse_line
from pbmserv.parser.parsed import UnknownCommand
from pbmserv.parser.words import normalised
from tests.every import every
from tests.parser.meaning import meaning

BOARD = 101


def test_what_gives_up_is_always_read() -> None:
    """However it is written; done only where it stands alone in an answer to a board."""
    lines = "- 101 {}", "Please move 101 {}", "board 101 {}", '"move 101 {}"', "{}.", "{} please", "I {}"

    def check(case: tuple[str, str, int | None]) -> None:
        line, word, answered = case
        told = meaning(line.format(word), answered)
        is_plain = line == "{}." and answered == BOARD
        if is_plain and any("board" in form for form in commands()[word].forms):
            assert told == f"{word} {BOARD}"
        else:
            assert told.startswith(("meant? ", "prose", "refused "))

    every(product(lines, sorted(NEVER_BY_SLIP), [None, BOARD]), check)


def test_nothing_fatal_by_slip() -> None:
    """Not even in an answer, where the board is known."""

    def check(word: str) -> None:
        read = parse_line(normalised(word), BOARD)
        assert read.unparsed is not None
        assert isinstance(read.unparsed.error, UnknownCommand)
        assert read.unparsed.error.suggestions == ("resign",)
        assert read.unparsed.error.board == BOARD

    every(["resig", "resgin", "resigm", "rseign", "res"], check)
    assert {"resign", "signoff", "delete", "undo", "propose", "accept"} == NEVER_BY_SLIP


def test_a_refused_form_names_its_board() -> None:
    """So that the answer can show it."""
    for line, answered, board in [("move 105 x y", None, 105), ("move", 101, 101), ("games 105 x", 101, None)]:
        read = parse_line(line, answered)
        assert read.unparsed is not None
        assert isinstance(read.unparsed.error, WrongForm)
        assert read.unparsed.error.board == board


def test_what_is_told_of_a_line() -> None:
    """Neither a password nor the words of a message."""

    def check(line: str) -> None:
        parsed = parse_line(line, None).parsed
        assert parsed is not None
        assert "sesame" not in parsed.line
        assert "soon" not in parsed.line

    lines = ["set alice sesame digest off", "set alice sesame digest daily 07:30", "set alice sesame html off"]
    every([*lines, "Message bob, carol: See you: soon", "message bob : soon"], check)


def test_an_empty_line_is_prose() -> None:
    assert meaning("") == meaning("", BOARD) == "prose"
