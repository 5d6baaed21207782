"""Reading takes short cuts through most mails. What is read is the same as the long way round."""

import quopri
from base64 import encodebytes
from itertools import product
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pbmserv.mail.reading import mime, quotes
from pbmserv.mail.reading.read import read
from pbmserv.parser.parsed import IncomingMail

AWKWARD = sorted(Path(__file__).with_name("awkward").glob("*.eml"))
HEAD = b"From: alice@bank.example\nSubject: hi\nContent-Type: multipart/alternative; boundary=b\n\n"

TYPES = (
    "text/plain",
    "text/plain; charset=utf-8",
    "text/html; charset=utf-8",
    "text/html",
    "text/calendar; charset=utf-8",
)
CHARSETS = ("utf-8", "us-ascii", "windows-1252", "utf-16", "iso-2022-jp", "")
WORDS = (
    "d4",
    "<p>d4</p>",
    "<s>d4</s>",
    "<S >d4</s>",
    "<de\x01l>d4</del>",
    "<strike\n>d4</strike>",
    "<s\x0c>d4</s>",
    "e5",
    "<b style='text-decoration:line-through'>d4</b>",
    "<style>.a{text-decoration:LINE-THROUGH}</style><i class=a>d4</i>",
    "<div class=gmail_quote>",
    "This mail is in HTML",
    "\n",
    " \n",
    "=\n",
    "\u00e9\u2028",
    "> c3\n",
    "<style>",
    "<span>",
)


def read_plainly(raw: bytes) -> IncomingMail:
    return read(raw, "alice@bank.example", "pbm@club.test")


def read_the_long_way(raw: bytes) -> IncomingMail:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mime, "_plain_alone", lambda *_: None)
        patch.setattr(quotes, "_without_long_end", lambda lines: lines)
        return read_plainly(raw)


def test_stored_mails() -> None:
    differing = [path.name for path in AWKWARD if read_plainly(raw := path.read_bytes()) != read_the_long_way(raw)]
    assert differing == []
    assert len(AWKWARD) > 100


def test_both_ways_are_taken() -> None:
    taken: list[bool] = []
    short_cut = mime._plain_alone
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mime, "_plain_alone", lambda *given: taken.append(short_cut(*given) is not None))
        for path in AWKWARD:
            read_plainly(path.read_bytes())
    assert set(taken) == {True, False}


ENCODINGS = ("", "quoted-printable", "base64")
DISPOSITIONS = ("", "Content-Disposition: inline\n", "Content-Disposition: attachment\n")


def part(kind: str, text: str, charset: str, encoding: str, disposition: str) -> bytes:
    body = text.encode(charset or "utf-8", "replace")
    body = encodebytes(body) if encoding == "base64" else quopri.encodestring(body) if encoding else body
    head = kind if not charset or "charset" in kind else f"{kind}; charset={charset}"
    return f"Content-Type: {head}\nContent-Transfer-Encoding: {encoding}\n{disposition}\n".encode() + body


def differ(*parts: bytes) -> bool:
    raw = HEAD + b"".join(b"--b\n" + each + b"\n" for each in parts) + b"--b--\n"
    return read_plainly(raw) != read_the_long_way(raw)


def test_text_beside_html() -> None:
    plain = part("text/plain", "c3", "utf-8", "", "")
    ways = product(WORDS, CHARSETS, ENCODINGS, DISPOSITIONS)
    assert [way for way in ways if differ(plain, part("text/html", way[0] + "<p>d5", *way[1:]))] == []


text = st.lists(st.sampled_from(WORDS), max_size=5).map("".join)
parts = st.builds(
    part,
    st.sampled_from(TYPES),
    text,
    st.sampled_from(CHARSETS),
    st.sampled_from(ENCODINGS),
    st.sampled_from(DISPOSITIONS),
)


@given(st.lists(parts, min_size=1, max_size=4))
def test_any_alternatives(alternatives: list[bytes]) -> None:
    assert not differ(*alternatives)


LINES = (
    "d4",
    "",
    " ",
    "> c3",
    ">",
    "AB> c3",
    "_" * 30,
    "https://club.test/list",
    "-----Original Message-----",
    "From: Bob",
    "Sent: Monday 5 May 2025 10:00",
    "To: Al <al@bank.example>",
    "Subject: c3",
    "On 5 May 2025 at 10:00, Bob wrote:",
    "| c3",
    "pbmserv wrote:",
    "Sent from my iPhone",
    "-- ",
    "-----BEGIN PGP SIGNATURE-----",
)


FOOTER = ["d4", "_" * 30, "https://club.test/list"]


@given(
    st.lists(st.sampled_from(LINES), max_size=8),
    st.integers(0, 40),
    st.lists(st.sampled_from(("", "> x")), max_size=4),
)
@example(FOOTER, 5, [])
@example(FOOTER, 30, [])
@example(["d4", "On 5 May 2025 at 10:00, Bob wrote:"], 30, [""])
def test_any_quote_at_the_end(above: list[str], quoted: int, below: list[str]) -> None:
    lines = [*above, *["> c3"] * quoted, *below]
    raw = b"From: alice@bank.example\nSubject: hi\n\n" + "\n".join(lines).encode()
    assert read_plainly(raw) == read_the_long_way(raw)
