"""The language of `queue`: what people write, and that reading takes any text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbmserv.commands.queue_lines import CUT, Misread, read, write
from pbmserv.matches.queued import DEEPEST, MOST_MOVES, Branch, joined

B2_C3 = Branch(("b2",), "c3")
D4_E5 = Branch(("d4",), "e5")
A1_A2 = Branch(("a1",), "a2")

MOVES = st.sampled_from(["a1", "b2", "c3", "d4xc4,d3", "pass", "e5xd5,e4,e6"])
CONDITIONS = st.lists(MOVES, max_size=3).map(tuple)
LEAVES = st.builds(Branch, CONDITIONS, MOVES)


def _with_followers(followers: st.SearchStrategy[Branch]) -> st.SearchStrategy[Branch]:
    return st.builds(Branch, CONDITIONS, MOVES, st.lists(followers, max_size=2).map(_tree))


def _tree(branches: list[Branch]) -> tuple[Branch, ...]:
    return joined(branches, first_wins=True)


TREES = st.lists(st.recursive(LEAVES, _with_followers, max_leaves=8), min_size=1, max_size=3).map(_tree)
WORDS = st.sampled_from(
    ["if", "IF", "then", "and", "or", "else", ";", ".", ",", "->", "b2", "C3,", "c3.", "'d4'", "hi"]
)


@pytest.mark.parametrize(
    ("line", "tree"),
    [
        ("c3", (Branch((), "c3"),)),
        ("C3.", (Branch((), "c3"),)),
        ("if b2 then c3", (B2_C3,)),
        ("If B2, then C3.", (B2_C3,)),
        ('"if b2 then c3"', (B2_C3,)),
        ("if b2 -> c3", (B2_C3,)),
        ("if b2 then c3;", (B2_C3,)),
        ("if b2 then c3; if d4 then e5", (B2_C3, D4_E5)),
        ("if b2 then c3;if d4 then e5", (B2_C3, D4_E5)),
        ("If b2 then c3. If d4 then e5.", (B2_C3, D4_E5)),
        ("if b2 then c3 or if d4 then e5", (B2_C3, D4_E5)),
        ("if b2 then c3, else if d4 then e5", (B2_C3, D4_E5)),
        ("if b2 then c3; otherwise d4", (B2_C3, Branch((), "d4"))),
        ("if b2 then c3, else d4", (B2_C3, Branch((), "d4"))),
        ("if d4 then e5 if a1 then a2", (Branch(("d4",), "e5", (A1_A2,)),)),
        ("if d4 then e5 and then if a1 then a2", (Branch(("d4",), "e5", (A1_A2,)),)),
        ("if d4 then e5, then if a1, then a2", (Branch(("d4",), "e5", (A1_A2,)),)),
        ("c3 then d4", (Branch((), "c3", (Branch((), "d4"),)),)),
        ("c3 if d4 then e5", (Branch((), "c3", (D4_E5,)),)),
        ("if b2 c2 then c3", (Branch(("b2", "c2"), "c3"),)),
        ("if b2, c2 then c3", (Branch(("b2", "c2"), "c3"),)),
        ("if b2 then d4xc4,d3", (Branch(("b2",), "d4xc4,d3"),)),
        ("if d4 then e5; if d4 then e5 if a1 then a2", (Branch(("d4",), "e5", (A1_A2,)),)),
        (
            "if d4 then e5 if a1 then a2; if d4 then e5 if b2 then c3",
            (Branch(("d4",), "e5", (A1_A2, B2_C3)),),
        ),
    ],
)
def test_what_people_write(line: str, tree: tuple[Branch, ...]) -> None:
    """Cases, what follows on them, and the marks and capitals of a sentence."""
    assert read(line) == tree


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        ("", Misread("", "", "end")),
        ("if b2", Misread("if b2", "", "end")),
        ("if b2 then", Misread("if b2 then", "", "end")),
        ("if b2 then; if d4 then e5", Misread("if b2 then", ";", "end")),
        ("if then c3", Misread("if", "then", "word")),
        ("if b2 then if d4 then e5", Misread("if b2 then", "if", "word")),
        ("c3 d4", Misread("c3", "d4", "word")),
        ("if b2 then c3; if b2 then c4", Misread("if b2 then", "c4", "twice")),
        ("c3; d4", Misread("", "d4", "twice")),
        (f"if b2 then c3 {CUT}", Misread("", "", "cut")),
    ],
)
def test_what_cannot_be_read(line: str, wrong: Misread) -> None:
    """The place is told, and nothing is guessed."""
    assert read(line) == wrong


@pytest.mark.parametrize("glue", [",", " and", ", and"])
def test_a_comma_between_cases_is_asked_back(glue: str) -> None:
    """Nobody can tell whether the second is another case or follows on the first; both ways are offered."""
    wrong = read(f"if b2 then c3{glue} if d4 then e5")
    assert isinstance(wrong, Misread)
    assert wrong.why == "unclear"
    assert [read(choice) for choice in wrong.choices] == [
        (B2_C3, D4_E5),
        (Branch(("b2",), "c3", (D4_E5,)),),
    ]


def test_bounds() -> None:
    """Twenty deep and a hundred moves go, one more does not."""
    assert isinstance(read(" then ".join(["c3"] * DEEPEST)), tuple)
    deep = read(" then ".join(["c3"] * (DEEPEST + 1)))
    assert isinstance(deep, Misread)
    assert deep.why == "deep"
    cases = [f"if a{number} then b{number}" for number in range(1, MOST_MOVES // 2 + 1)]
    assert isinstance(read("; ".join(cases)), tuple)
    assert read("; ".join([*cases, "c3"])) == Misread("", "", "large")


@given(TREES)
def test_what_is_written_reads_the_same(tree: tuple[Branch, ...]) -> None:
    """Whatever the tree."""
    assert read(write(tree)) == tree


@given(st.one_of(st.text(), st.lists(WORDS).map(" ".join)))
def test_any_text_is_read(text: str) -> None:
    """Into a tree that can be written again, or a reason."""
    said = read(text)
    if isinstance(said, tuple):
        assert read(write(said)) == said
    else:
        assert said.why
        for choice in said.choices:
            assert not isinstance(read(choice), Misread) or read(choice) != said
