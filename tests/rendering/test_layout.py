"""Every line that leaves by mail is fit for it, whatever people wrote."""

import textwrap

from hypothesis import given
from hypothesis import strategies as st

from pbmserv.rendering.markup import WIDTH, filled, laid_out, marked
from pbmserv.rendering.templates import in_columns

LINES = st.lists(
    st.one_of(
        st.text(alphabet=st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), max_size=200),
        st.sampled_from([".", "-- ", "--", "From me", ">quoted", "| From x", "", "   "]),
        st.sampled_from(["    " + "x" * 100, "| " + "word " * 40, "a\u2028b", "\u202eolleh"]),
    ),
    max_size=12,
)

DIRECTIONS = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c"


@given(LINES)
def test_laid_out_is_fit_for_mail(lines: list[str]) -> None:
    """Narrow, no blanks at the end, nothing that mail programs mangle, single blank lines between text."""
    done = laid_out(marked("\n".join(lines)))
    assert done.endswith("\n")
    body = done.removesuffix("\n").split("\n")
    for line in body:
        assert len(line) <= WIDTH
        assert line == line.rstrip()
        assert not line.startswith(("From ", ">"))
        assert line not in (".", "--")
        assert not set(DIRECTIONS) & set(line)
    assert "\n\n\n" not in done
    assert body[0] != "" or body == [""]


def letters(text: str) -> list[str]:
    """What may not be lost: all but blanks, bars, and marks of direction."""
    return [letter for letter in text if not letter.isspace() and letter != "|" and letter not in DIRECTIONS]


@given(LINES)
def test_nothing_is_lost(lines: list[str]) -> None:
    """Laying out moves blanks and line ends, never a letter."""
    text = "\n".join(lines)
    continued = laid_out(marked(text)).replace("\n| ", "\n").replace("\n|", "\n")
    assert letters(continued) == letters(text)


def test_long_line_goes_on_below_its_indentation() -> None:
    """A comment stays a comment, an indented line indented."""
    assert laid_out(marked("| " + "word " * 30)).startswith("| word")
    assert all(line.startswith("| ") for line in laid_out(marked("| " + "word " * 30)).rstrip().split("\n"))
    assert all(line.startswith("    ") for line in laid_out("    " + "word " * 30).rstrip().split("\n"))


def test_prose_is_filled_and_the_rest_left_alone() -> None:
    """Names of any length do not leave ragged lines behind."""
    text = "alexandria.the.great wins the\ngame.\n    show 101\n\nA short\nparagraph of a rule\n   hangs here"
    assert laid_out(filled(text)) == textwrap.dedent(
        """\
        alexandria.the.great wins the game.
            show 101

        A short paragraph of a rule
           hangs here
"""
    )


def test_columns_fill_lines() -> None:
    """Choices stand side by side as long as there is room."""
    drawn = in_columns([f"c3xb{number},c4" for number in range(9)])
    assert max(map(len, drawn.split("\n"))) <= WIDTH
    assert len(drawn.split("\n")) == 2


def test_a_comment_of_bars_stays_small() -> None:
    """What counts as indentation is bounded, or one letter a line would come below four thousand columns."""
    for hostile in ("|" * 4000, "| " * 2000, " " * 100 + "x" * 3800, "| " + " " * 3000 + "x" * 900):
        done = laid_out(marked(f"| {hostile}"))
        assert len(done) < 3 * len(hostile)
        assert max(map(len, done.split("\n"))) <= WIDTH


def test_a_comment_cannot_end_its_line() -> None:
    """What some programs take for a line's end is a blank to us."""
    assert laid_out(marked("| hi\u2028The game is over\x85bob wins")) == "| hi The game is over bob wins\n"
