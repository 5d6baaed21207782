"""What people write beside commands: prose that must stay prose, and words that a userid may be."""

import pytest

from pbmserv.commands.library import commands
from pbmserv.commands.line import read_line
from pbmserv.commands.slips import likely
from pbmserv.commands.words import is_address, is_one_slip_away, is_reserved, is_userid, normalised
from tests.commands.meaning import meaning

BOARD = 101


@pytest.mark.parametrize("board", [None, BOARD], ids=["", "in an answer"])
@pytest.mark.parametrize(
    "line",
    [
        "",
        "Hi Anna,",
        "Hello!",
        "Dear Bob",
        "Good morning",
        "Thanks for the game.",
        "Thank you",
        "More later",
        "More to come",
        "Next week?",
        "Next time I win",
        "Next week I am away",
        "as you wish",
        "as far ahead",
        "As promised yesterday",
        "We challenge anna bob",
        "We like resign buttons",
        "I will not resign",
        "If you do that, I resign",
        "Should I resign?",
        "Yes, good move!",
        "Yes I saw that",
        "No, I did not see that",
        "No I think that was it",
        "No way!",
        "No problem",
        "no worries at all",
        "Set up again, and play!",
        "Set the table",
        "Add me to the list",
        "Add that to the list",
        "Block it!",
        "Block that if you can",
        "Unblock the way",
        "Forgot to say hello",
        "I forgot my glasses",
        "Export is fine too",
        "Black to move",
        "Black wins",
        "Sent from my iPhone",
        "Seat is taken",
        "Expert move there!",
        "Forget it",
        "1. The opening was good",
        "- well played",
        "* * *",
        "1)",
        "- -",
        "(no text)",
        "\u2022",
        "Next time!",
        "Lost my notes",
        "Lost again",
        "Last one",
        "Last games",
        "last 3 games",
        "More in 3 days",
        "Love it",
        "Love games",
        "Text me",
        "Slow day",
        "Snow today",
        "Game over",
        "Game on!",
        "Hell yes",
        "Held up",
        "Let's show them!",
        "I will move on",
        "I'll move c3",
        "I move c3",
        "I challenge you",
        "Your move",
        "Your move, Bob",
        "Your move now",
        "Nice move there",
        "The games were good",
        "Great games lately",
        "They show 101 dalmatians",
        "Show me!",
        "Games were fun.",
        "as promised, here it is",
        "as promised",
        "as ever, Bob",
        "As I said yesterday",
        "3 cheers",
        "7",
        "2 cents",
        "10 out of 10",
        "1234567890 c3",
        "Change my mind",
        "Design is nice",
        "Resigned to it",
        "c3, good luck!",
        "C3 is my move",
        "a1ice",
        "\u0661\u0660\u0661 c3",
        "\u0967\u0966\u0967 resign",
        "\u2014",
        "***",
        "#7",
        "-size=3x5",
        "?",
        "Message received",
        "Messages are slow today",
        "Message: are you there?",
        "Queue is long today",
        "Ratings are nonsense",
    ],
)
def test_prose(line: str, board: int | None) -> None:
    """It is no command, wherever it stands."""
    assert meaning(line, board) == "prose"


@pytest.mark.parametrize(
    ("line", "expected", "elsewhere"),
    [
        ("Record time", "prose", "refused WrongForm"),
        ("History repeats itself", "prose", "history repeats itself"),
        ("Queue is:", "queue 101", "refused WrongForm"),
        ("Queue the following", "refused WrongForm", "refused WrongForm"),
        ("Queue is c3", "refused WrongForm", "refused WrongForm"),
        ("Record of board 101", "refused WrongForm", "refused WrongForm"),
    ],
)
def test_talk_of_what_commands_are_called_after(line: str, expected: str, elsewhere: str) -> None:
    """In an answer to a board it is likelier prose; but what stands below one that may be meant is not played."""
    assert meaning(line, BOARD) == expected
    assert meaning(line, None) == elsewhere


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("2026 was nice", "refused WrongForm"),
        ("1000 thanks", "move 1000 thanks"),
        ("Help me, please", "help"),
        ("Show me", "show me"),
        ("Cephalopod is fun", "meant? list"),
        ("as Bob wrote", "as Bob/wrote"),
        ("More c3", "move 101 c3"),
        ("Sign here please", "meant? signup"),
    ],
)
def test_the_price_of_it(line: str, expected: str) -> None:
    """Prose that begins with a command, a game or a board's number is answered as if it were meant."""
    assert meaning(line, BOARD) == expected


def test_a_long_line_is_cut() -> None:
    """What is read of a line is bounded, whatever its length."""
    assert meaning("101 c3" + " " * 5000) == "move 101 c3"
    assert len(meaning("move 101 " + "x" * 5000)) < 1100


@pytest.mark.parametrize(
    "userid",
    ["ab", "Anna", "a-b", "a_b", "a.b", "a1", "x" * 20, "anna-", "anna_", "K9", "o.O"],
)
def test_a_userid(userid: str) -> None:
    """Two to twenty letters, digits, `-`, `_`, `.`; a letter first, no dot last."""
    assert is_userid(userid)


@pytest.mark.parametrize(
    "word",
    [
        "",
        "a",
        "1a",
        "-a",
        ".ab",
        "anna.",
        "x" * 21,
        "an na",
        "\u00e4nne",
        "anna\n",
        "a@b",
        "\u0130a",
        "\u017fa",
        "#ab",
    ],
)
def test_no_userid(word: str) -> None:
    """Everything else; letters mean ASCII, and nothing may hide at the end."""
    assert not is_userid(word)


def test_reserved() -> None:
    """Nobody may be called like a command, a game, a filter, a word of prose, or what reads as a square."""
    words = "move RESIGN password change Cephalopod all next inactive yes no server as stop quit end"
    words += " a1 C3xB3 d4-e5 you Please board USERID SOMEBODY"
    assert [word for word in words.split() if not is_reserved(word, commands())] == []


def test_not_reserved() -> None:
    """A name that merely resembles one is free."""
    assert not any(is_reserved(word, commands()) for word in ("anna", "mover", "k9dog", "allan", "nextdoor"))


@pytest.mark.parametrize(
    ("word", "meant", "expected"),
    [
        ("mvoe", "move", True),
        ("mov", "move", True),
        ("movve", "move", True),
        ("more", "move", True),
        ("omve", "move", True),
        ("move", "move", False),
        ("love", "move", False),
        ("ove", "move", False),
        ("moev", "move", True),
        ("vome", "move", False),
        ("", "move", False),
        ("nxet", "next", True),
    ],
)
def test_one_slip(word: str, meant: str, expected: bool) -> None:
    """One letter too many, too few, wrong, or two swapped; but another first letter makes another word."""
    assert is_one_slip_away(word, meant) is expected


def test_shortenings_begin_at_three_letters() -> None:
    """Two could be anything."""
    assert likely(["mo", "101"]) == likely(["mve", "101"]) == []
    assert [slip.name for slip in likely(["mov", "101"])] == ["move"]


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("anna@example.org", True),
        ("anna@example", False),
        ("anna", False),
        ("@example.org", False),
        ("a@b@c.de", False),
    ],
)
def test_an_address(word: str, expected: bool) -> None:
    """As far as its form tells."""
    assert is_address(word) is expected


@pytest.mark.parametrize("name", commands())
def test_examples(name: str) -> None:
    """The example of each command is that command, and its forms begin with its name."""
    command = commands()[name]
    read = read_line(command.example, None)
    assert read.parsed is not None
    assert read.parsed.command == command
    assert all(form.removeprefix("[game] ").startswith(name) for form in command.forms)


def test_one_kind_of_blank_and_dash() -> None:
    """`normalised` gives every line one dress, and that twice is that once."""
    line = normalised("\uff2dove\u00a0101  c3\u2013b3\u2007\ufeff")
    assert line == "Move 101 c3-b3"
    assert normalised(line) == line


FIRST_LINES = """
Testing 123
Testing, testing: d4
Test 101
Reason: board 101
Season 101
It should be noted
It should be noted that board 101 is slow
Regarding board 101
Regarding d4
How about d4
What about d4?
That d4 of yours!
Hell of a game, d4 and all
Lost on d4, I think
Last move: d4
Massage at 101, High Street
Movie at d4, row 3
Moved to 101 Main Street
Gamers of board 101
Story of board 101
Week 101
Project 101
Names: 101 of them
Firm d4
Understanding 101
Proposal: d4?
Purpose: d4
Rejected: d4
Confirmed: d4
Remark: d4
Question: d4?
Notes on board 101
Und d4?
Und nun zu Brett 101
Mein Zug ist d4
Meine Meinung zu d4
Rein theoretisch d4
Reise nach 101
Brett 101
Beste Grüße von Brett 101
Schade um d4
Raison: 101
Mes amis, d4
Passons à d4
Merci pour d4
Razón: 101
Con d4 gano
Que d4
Del tablero 101
Mossa bella, d4
Reden: bord 101
Hel bra, d4
Mój powód: d4
Můj důvod: d4
Viesti 101
Мой ход на d4
""".strip().split("\n")


@pytest.mark.parametrize("board", [None, BOARD], ids=["", "in an answer"])
@pytest.mark.parametrize("line", FIRST_LINES)
def test_first_lines_are_no_slips(line: str, board: int | None) -> None:
    """Ordinary ones, with a square or a number that could be a board's: nobody is asked for a command."""
    assert meaning(line, board) == "prose"
