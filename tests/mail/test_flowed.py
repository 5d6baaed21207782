"""format=flowed (RFC 3676) does not change what a mail says."""

from hypothesis import given
from hypothesis import strategies as st

from pbmserv.mail.reading.decoding import unflowed
from pbmserv.mail.reading.read import read
from tests.every import for_each


@for_each(
    ("text", "expected"),
    [
        ("", ""),
        ("c3\nd4", "c3\nd4"),
        ("move \n101 \nc3\nd4", "move 101 c3\nd4"),
        ("a \n\nb", "a\n\nb"),
        ("a ", "a"),
        (" a\n  b", "a\n b"),
        ("> a \n> b\nc", "> a b\nc"),
        ("> a \nb", "> a\nb"),
        (">> a \n> b", ">> a\n> b"),
        ("> a \n> b \n> c", "> a b c"),
        ("a \n-- \nAlice", "a\n-- \nAlice"),
        ("-- \nAlice", "-- \nAlice"),
        (" > a", "> a"),
    ],
)
def test_paragraphs_become_lines(text: str, expected: str) -> None:
    assert unflowed(text, delete_space=False) == expected


def test_the_space_may_be_part_of_the_break() -> None:
    assert unflowed("mo \nve 101 \n c3", delete_space=True) == "move 101c3"
    assert unflowed("> mo \n> ve", delete_space=True) == "> move"


LINE = st.lists(st.sampled_from(["move", "101", "c3", "Hello,", "a-b"]), min_size=1, max_size=8).map(" ".join)


@given(st.lists(st.one_of(LINE, st.just("")), max_size=5), st.booleans())
def test_lines_broken_at_every_blank_come_back(lines: list[str], delete_space: bool) -> None:
    broken = [line.replace(" ", "  \n" if delete_space else " \n") for line in lines]
    head = (
        f"From: a@b.example\nContent-Type: text/plain; format=Flowed; DelSp={'yes' if delete_space else 'no'}\n\n"
    )
    fixed = "From: a@b.example\n\n" + "\n".join(lines)
    assert (
        read((head + "\n".join(broken)).encode(), "a@b.example", "pbm@club.test").text
        == read(fixed.encode(), "a@b.example", "pbm@club.test").text
    )


def test_only_what_says_so_is_flowed() -> None:
    raw = b"From: a@b.example\nContent-Type: text/plain; format=fixed\n\nmove \n101"
    assert read(raw, "a@b.example", "pbm@club.test").text == "move \n101"
