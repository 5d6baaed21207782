"""Single words: what a userid may be, what is one slip away from another word, what an address looks like."""

import re

import pbmserv.mail.reading.phrases
import pbmserv.parser.words
from pbmserv.commands.vocabulary import is_address, is_reserved, is_userid
from pbmserv.commands.word_lists import word_lists
from pbmserv.parser.slips import is_one_slip_away, likely_commands
from pbmserv.parser.words import normalised, phrases
from tests.docs import ROOT
from tests.parser.meaning import meaning


def test_a_long_line_is_cut() -> None:
    """What is read of a line is bounded, whatever its length."""
    assert meaning("101 c3" + " " * 5000) == "move 101 c3"
    assert len(meaning("move 101 " + "x" * 5000)) < 1100


def test_a_userid() -> None:
    """Two to twenty letters, digits, `-`, `_`, `.`; a letter first, no dot last."""
    good = ["ab", "Anna", "a-b", "a_b", "a.b", "a1", "x" * 20, "anna-", "anna_", "K9", "o.O"]
    assert [word for word in good if not is_userid(word)] == []


def test_no_userid() -> None:
    """Everything else; letters mean ASCII, and nothing may hide at the end."""
    bad = [
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
    ]
    assert [word for word in [*bad, "\u017fa", "#ab"] if is_userid(word)] == []


def test_reserved() -> None:
    """Nobody may be called like a command, a game, a filter, a word of prose, or what reads as a square."""
    words = "move RESIGN password change Cephalopod all next inactive yes no server as stop quit end"
    words += " a1 C3xB3 d4-e5 you Please board USERID SOMEBODY"
    assert [word for word in words.split() if not is_reserved(word)] == []


def test_not_reserved() -> None:
    """A name that merely resembles one is free."""
    assert not any(is_reserved(word) for word in ("anna", "mover", "k9dog", "allan", "nextdoor"))


def test_one_slip() -> None:
    """One letter too many, too few, wrong, or two swapped; but another first letter makes another word."""
    near = ["mvoe", "mov", "movve", "more", "omve", "moev"]
    far = ["move", "love", "ove", "vome", ""]
    assert [word for word in [*near, *far] if is_one_slip_away(word, "move")] == near
    assert is_one_slip_away("nxet", "next")


def test_shortenings_begin_at_three_letters() -> None:
    """Two could be anything."""
    assert likely_commands(["mo", "101"]) == likely_commands(["mve", "101"]) == []
    assert [slip.name for slip in likely_commands(["mov", "101"])] == ["move"]


def test_an_address() -> None:
    """As far as its form tells."""
    words = ["anna@example.org", "anna@example", "anna", "@example.org", "a@b@c.de"]
    assert [word for word in words if is_address(word)] == ["anna@example.org"]


def test_one_kind_of_blank_and_dash() -> None:
    """`normalised` gives every line one dress, and that twice is that once."""
    line = normalised("\uff2dove\u00a0101  c3\u2013b3\u2007\ufeff")
    assert line == "Move 101 c3-b3"
    assert normalised(line) == line


def test_every_list_of_words_is_used() -> None:
    """By its name, in the package that holds it, and no phrase of it is longer than is looked for."""
    for module in (pbmserv.parser.words, pbmserv.mail.reading.phrases):
        package = str(module.__package__)
        code = "".join(path.read_text() for path in (ROOT / package.replace(".", "/")).glob("*.py"))
        lists = word_lists("phrases.toml", package)
        assert [name for name in lists if not re.search(rf'["(]{name}[")]', code)] == []
    assert [
        phrase
        for name in word_lists("phrases.toml", "pbmserv.parser")
        for phrase in phrases(name)
        if len(phrase) > 6
    ] == []
