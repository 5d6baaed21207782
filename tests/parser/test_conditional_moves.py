"""The language of `queue`, beyond what `conditional_moves.txt` shows: bounds, and that reading takes any text."""

from hypothesis import given
from hypothesis import strategies as st

from pbmserv.commands.queue_notation import Misread, read, write
from pbmserv.matches.conditional_moves import DEEPEST, MOST_MOVES, Branch, joined

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


def test_nothing() -> None:
    assert read("") == Misread("", "", "end")


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
