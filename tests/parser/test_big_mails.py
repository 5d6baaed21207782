"""Nothing that anybody sends keeps the server: reading is linear in the size of a mail."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbmserv.parser.parse import as_kept, parse_mail
from pbmserv.parser.parsed import MOST_COMMENT_CHARACTERS
from tests.every import for_each
from tests.examples import examples
from tests.parser.corpus import MADE_UP
from tests.parser.test_language import ANSWER, mail

pytestmark = pytest.mark.slow
MEBIBYTE = 1 << 20


@pytest.mark.parametrize("subject", ["", ANSWER], ids=["", "in an answer"])
@pytest.mark.parametrize(
    "line",
    [
        "101 c3",
        "c3",
        "mvoe 101 c3",
        "as anna pw{}",
        "move 101 anna pw{} c3",
        "move 101",
        "Hello",
        "",
        "\ufdfa" * 40,
        "c3 " + "x " * 450,
        "show " + "101 " * 240,
        "challenge " + "-a=b " * 190,
        "(" * 900,
        "\u2013" * 900,
        "* **c3**, please!",
        '"' * 400 + "c3" + '"' * 400,
        "challenge a b " + "-size 3 " * 120,
        "yes",
        "I resign",
        "1. please board 101 c3",
        "pass",
        "no, pass",
        "e8 queen " * 100,
        "11 x " * 200 + "11",
        "tic tac toe " * 80,
        "c3 to " * 150 + "c3",
    ],
    ids=lambda line: line[:9].encode("ascii", "replace").decode().strip() or "blank",
)
def test_a_big_mail_is_no_burden(line: str, subject: str) -> None:
    """Time is linear in the size: nothing that anybody sends keeps the server."""
    count = MEBIBYTE // (len(line.encode()) + 1)
    sent = mail(subject, "102 d4\n" + "\n".join(line.replace("{}", str(number)) for number in range(count)))
    start = time.perf_counter()
    reading = parse_mail(sent, game=MADE_UP)
    as_kept(reading)
    assert time.perf_counter() - start < 10
    assert len(reading.comment) <= MOST_COMMENT_CHARACTERS


@for_each("piece", ["Re: ", "[", "[club] ", "[Fwd", "a", "Re[1", "\u2460", "101 ", '"', "R:"])
def test_a_big_subject_is_no_burden(piece: str) -> None:
    """Nor is what mail programs put before it."""
    start = time.perf_counter()
    parse_mail(mail(piece * (MEBIBYTE // len(piece)), "c3"))
    assert time.perf_counter() - start < 10


PIECES = [
    "as ",
    "move ",
    "101",
    "101: ",
    "c3",
    " ",
    "\n",
    "Re:",
    "[",
    '"',
    "*",
    "- ",
    "-size ",
    "3 ",
    "yes",
    "x",
    "1. ",
]


@examples(60)
@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=3), min_size=1, max_size=12), st.booleans())
def test_any_text_in_any_size(pieces: list[str], is_answer: bool) -> None:
    """Whatever is repeated, the time does not run away as it grows."""
    text = "".join(pieces)
    for size in (1 << 10, 1 << 14, 1 << 17):
        repeated = text * (size // max(1, len(text)))
        start = time.perf_counter()
        as_kept(parse_mail(mail(ANSWER if is_answer else repeated, repeated)))
        assert time.perf_counter() - start < 10


def test_a_comment_full_of_secrets_is_dropped() -> None:
    """There is no searching for thousands of them, and no letting them through."""
    sent = mail("101 c3", "\n".join(f"as anna secret{number}" for number in range(1, 60_000)))
    start = time.perf_counter()
    reading = parse_mail(sent)
    kept = as_kept(reading)
    assert time.perf_counter() - start < 10
    assert reading.comment == ""
    assert kept == "move 101 c3"
