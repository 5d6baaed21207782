import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbmserv.mail.unquote import own_text

ALIKE = st.lists(
    st.sampled_from(
        ["", " ", "c3", "> quoted", " > quoted", ">", "Alice wrote:", "On Monday,", "-- ", "--", "x" * 70]
    ),
    max_size=12,
).map("\n".join)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("c3", "c3"),
        ("\n \n c3 \n\n", " c3 "),
        ("> c3", ""),
        (">c3\n  > d4\n\t>e5\n\u00a0>f6", ""),
        ("a > b", "a > b"),
        ("c3\n> q\nd4\n>> q\ne5", "c3\nd4\ne5"),
        ("c3\n\n\n> q\n\nd4", "c3\n\n\n\nd4"),
        ("c3\n-- \nAlice\nresign 101", "c3"),
        ("-- \nAlice", ""),
        ("c3\n--\nd4", "c3\n--\nd4"),
        ("c3\n --  \nd4", "c3\n --  \nd4"),
        ("> -- \nc3", "c3"),
        ("c3\n---- \nd4", "c3\n---- \nd4"),
    ],
)
def test_quotes_and_signatures_go_and_the_rest_stays(text: str, expected: str) -> None:
    assert own_text(text) == expected


@pytest.mark.parametrize(
    "attribution",
    [
        "On Mon, Jan 6, 2025 at 10:12, Bob wrote:",
        "Am 06.01.2025 um 10:12 schrieb Bob: ",
        "Le lun. 6 janv. 2025 à 10:12, Bob <bob@bank.example> a écrit\u00a0:",
        "2025年1月6日(月) 10:12 Bob <bob@bank.example>:",
        "在 2025年1月6日，Bob 写道：",
        "On Mon, Jan 6, 2025 at 10:12 AM Cephalopod Board 101 <\npbm+b.k3x9@club.test> wrote:",
        "On Monday the 6th of January 2025 at 10:12:44 Central European Time Bob\nwrote:",
        "On Monday, 6 January 2025,\nBob wrote:",
    ],
)
@pytest.mark.parametrize("gap", ["\n", "\n\n", "\n \n"])
@pytest.mark.parametrize("above", ["", "c3\n\n", "> older\n"])
def test_the_attribution_goes_with_the_quote_in_any_language(attribution: str, gap: str, above: str) -> None:
    left = own_text(f"{above}{attribution}{gap}> quoted\n\nd4")
    assert [line for line in left.split("\n") if line.strip()] == (["c3", "d4"] if "c3" in above else ["d4"])


@pytest.mark.parametrize(
    "text",
    [
        "c3:\nd4",
        "my moves:\n\n\n> too far above",
        "c3\n> no attribution",
        "c3\n\n> no attribution",
        "hello:",
    ],
)
def test_a_line_that_is_no_attribution_stays(text: str) -> None:
    assert own_text(text) == text.partition("\n>")[0].rstrip("\n")


@pytest.mark.parametrize("command", ["c3", "move 101 c3", "signup alice sesame alice@bank.example"])
def test_a_command_right_above_an_attribution_is_not_lost(command: str) -> None:
    assert own_text(f"{command}\nOn Monday Bob wrote:\n> quoted") == command


def test_a_paragraph_that_ends_in_a_colon_loses_only_its_last_line() -> None:
    long = "a line so long that the next one must have been broken off from it, I say"
    assert own_text(f"first\n{long}\nsecond:\n> quoted") == f"first\n{long}"


@given(ALIKE)
def test_what_is_left_is_part_of_the_text_in_its_order(text: str) -> None:
    left = own_text(text).split("\n")
    lines = iter(text.split("\n"))
    assert left == [""] or all(line in lines for line in left)


@given(ALIKE)
def test_nothing_quoted_is_left_and_twice_is_once(text: str) -> None:
    once = own_text(text)
    assert not any(line.lstrip().startswith(">") for line in once.split("\n"))
    assert "-- " not in once.split("\n")
    assert own_text(once) == once


@given(ALIKE.filter(lambda text: ">" not in text and "-- " not in text.split("\n")))
def test_a_text_without_quotes_and_signature_stays_whole(text: str) -> None:
    assert own_text(text).split() == text.split()


@pytest.mark.parametrize(
    "head",
    [
        "From: pbmserv <pbm+x@club.test>\nSent: Thursday\nTo: bob@example.org\nSubject: Board 101",
        "-----Original Message-----\nFrom: pbm@club.test\nSent: Thursday\nTo: bob@example.org",
        "________________________________\nVon: pbm@club.test\nGesendet: Donnerstag\nAn: bob@example.org",
        "*From:* pbm@club.test\n*Sent:* Thursday\n*To:* bob@example.org",
    ],
)
def test_a_mail_quoted_without_marks_falls_away(head: str) -> None:
    """The opponent must read neither the board once more nor the sender's address."""
    assert own_text(f"c3\n\nNice game!\n\n{head}\n\nSummary of Cephalopod Board 101\nd4") == "c3\n\nNice game!"


def test_a_line_with_an_address_is_no_head() -> None:
    """Only three lines of a head together are one."""
    text = "signup bob poppy bob@example.org\nNote: I am new\nand I like dice"
    assert own_text(text) == text
