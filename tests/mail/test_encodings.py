"""The meaning of a mail does not change with how its characters are carried."""

import base64
import binascii
from collections.abc import Callable
from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from pbmserv.mail.reading.decoding import one_line
from pbmserv.mail.reading.quotes import reply_text
from pbmserv.mail.reading.read import read
from pbmserv.parser.parsed import IncomingMail
from tests.examples import examples

ASCII = "abcdefgh ABC 0123456789 .,:=?_-<>#()\t\n"
ANY = st.text(
    st.one_of(
        st.sampled_from(ASCII),
        st.characters(exclude_categories=("Cc", "Cs"), exclude_characters="\ufeff", codec="utf-8"),
    ),
    max_size=80,
)

TEXTS = {
    "us-ascii": st.text(ASCII, max_size=80),
    "utf-8": ANY,
    "utf-16": ANY,
    "utf-16be": ANY,
    "iso-8859-1": st.text(ASCII + "äöüßéÉ¿§\u00a0", max_size=80),
    "iso-8859-15": st.text(ASCII + "äöü€Š", max_size=80),
    "windows-1252": st.text(ASCII + "äöü€“”–—…", max_size=80),
    "koi8-r": st.text(ASCII + "абвгдАБВГД", max_size=80),
    "windows-1251": st.text(ASCII + "абвгдАБВГД«»", max_size=80),
    "shift_jis": st.text(ASCII + "あいうアイウ漢字表ソ能", max_size=80),
    "iso-2022-jp": st.text(ASCII + "あいうアイウ漢字表ソ能", max_size=80),
    "euc-kr": st.text(ASCII + "안녕하세요", max_size=80),
    "gb18030": ANY,
    "big5": st.text(ASCII + "你好功許蓋", max_size=80),
}


def quoted_printable(data: bytes) -> bytes:
    # Line ends count as data here, as they must for charsets whose newline is not one byte.
    return binascii.b2a_qp(data, istext=False, quotetabs=True)


TRANSFERS: dict[str, Callable[[bytes], bytes]] = {
    "8bit": bytes,
    "quoted-printable": quoted_printable,
    "base64": base64.encodebytes,
}


@dataclass(frozen=True)
class Way:
    """One way of carrying a mail."""

    charset: str
    transfer: str
    newline: str
    text_newline: str
    subject_words: str
    folded: bool
    traces: bool
    identified: bool


@st.composite
def carried(draw: st.DrawFn) -> tuple[str, str, Way]:
    charset = draw(st.sampled_from(sorted(TEXTS)))
    wide = charset.startswith("utf-16")
    way = Way(
        charset,
        draw(st.sampled_from(["quoted-printable", "base64"] if wide else sorted(TRANSFERS))),
        draw(st.sampled_from(["\n", "\r\n"])),
        draw(st.sampled_from(["\n", "\r\n"])),
        draw(st.sampled_from(["bare", "q", "b"])),
        draw(st.booleans()),
        draw(st.booleans()),
        draw(st.booleans()),
    )
    subject = draw(TEXTS[charset]).replace("\n", " ")
    if way.subject_words == "bare":
        subject = subject.replace("=?", "")
    return subject, draw(TEXTS[charset]), way


def words(subject: str, way: Way) -> bytes:
    if way.subject_words == "bare":
        return subject.encode()
    charset = "utf-8" if way.charset.startswith("utf-16") else way.charset
    pieces = []
    for start in range(0, len(subject), 7):
        data = subject[start : start + 7].encode(charset)
        encoded = (
            base64.b64encode(data) if way.subject_words == "b" else b"".join(b"=%02X" % byte for byte in data)
        )
        pieces.append(f"=?{charset}?{way.subject_words}?".encode() + encoded + b"?=")
    return b" ".join(pieces)


def carry(subject: str, text: str, way: Way) -> IncomingMail:
    body = TRANSFERS[way.transfer](text.replace("\n", way.text_newline).encode(way.charset))
    value = words(subject, way)
    head = [
        b"From: alice@bank.example",
        b"Message-ID: <1@bank.example>" if way.identified else b"Date: Mon, 6 Jan 2025 11:15:00 +0100",
        b"Subject: " + (value.replace(b" ", b"\n ") if way.folded else value),
        f'Content-Type: text/plain; charset="{way.charset}"'.encode(),
        f"Content-Transfer-Encoding: {way.transfer}".encode(),
    ]
    if way.traces:
        head.insert(0, b"Received: from a by b;\n\tMon, 6 Jan 2025 10:15:02 +0000")
    newline = way.newline.encode()
    if way.transfer != "8bit":
        body = body.replace(b"\n", newline)
    raw = b"\n".join(head).replace(b"\n", newline) + newline * 2 + body
    return read(raw, "alice@bank.example", "pbm@club.test")


@examples(500)
@given(carried())
def test_subject_text_and_content_key_do_not_depend_on_the_way(case: tuple[str, str, Way]) -> None:
    subject, text, way = case
    incoming = carry(subject, text, way)
    assert incoming.text == reply_text(text)
    assert incoming.subject == one_line(subject)
    assert incoming == carry(subject, text, Way("utf-8", "8bit", "\n", "\n", "b", False, False, way.identified))
