"""Nothing that anybody sends keeps the server: reading is linear in the size of a mail."""

import time

import pytest

from pbmserv.commands.language import MOST_COMMENT_CHARACTERS, as_kept, understand
from tests.commands.test_language import ANSWER, mail

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
    ],
    ids=lambda line: line[:9].encode("ascii", "replace").decode().strip() or "blank",
)
def test_a_big_mail_is_no_burden(line: str, subject: str) -> None:
    """Time is linear in the size: nothing that anybody sends keeps the server."""
    count = MEBIBYTE // (len(line.encode()) + 1)
    sent = mail(subject, "102 d4\n" + "\n".join(line.replace("{}", str(number)) for number in range(count)))
    start = time.perf_counter()
    reading = understand(sent)
    as_kept(reading)
    assert time.perf_counter() - start < 10
    assert len(reading.comment) <= MOST_COMMENT_CHARACTERS


def test_a_comment_full_of_secrets_is_dropped() -> None:
    """There is no searching for thousands of them, and no letting them through."""
    sent = mail("101 c3", "\n".join(f"as anna secret{number}" for number in range(1, 60_000)))
    start = time.perf_counter()
    reading = understand(sent)
    kept = as_kept(reading)
    assert time.perf_counter() - start < 10
    assert reading.comment == ""
    assert kept == "move 101 c3"
