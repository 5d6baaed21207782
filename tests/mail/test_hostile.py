"""Whatever a sender does, a mail is read, soon and in little memory."""

import base64
import encodings
import random
import re
import signal
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbmserv.mail.reading.headers import MAX_LINES, MAX_MESSAGE, head_of, sender_of
from pbmserv.mail.reading.mime import MAX_DEPTH, MAX_PARTS
from pbmserv.mail.reading.read import MAX_REFERENCES, MAX_TEXT, read
from pbmserv.parser.parsed import IncomingMail
from tests.every import every, for_each
from tests.examples import examples

DEADLINE = 5.0
"""Seconds of processor time: far more than any shape takes, far less than a quadratic one would."""

MEMORY = 200 * 1024 * 1024

MIB = 1024 * 1024
QUICK_PART = 10_000
RANDOM = random.Random(1)
NOISE = RANDOM.randbytes(MIB)
AWKWARD = [path.read_bytes() for path in sorted(Path(__file__).with_name("awkward").glob("*.eml"))]
FROM = b"From: alice@bank.example\nMessage-ID: <1@bank.example>\n"


@contextmanager
def deadline() -> Iterator[None]:
    def late(_signal: int, _frame: FrameType | None) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGPROF, late)
    signal.setitimer(signal.ITIMER_PROF, DEADLINE)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def text(data: bytes, charset: bytes = b"utf-8", transfer: bytes = b"8bit") -> bytes:
    return (
        FROM
        + b"Content-Type: text/plain; charset="
        + charset
        + b"\nContent-Transfer-Encoding: "
        + transfer
        + b"\n\n"
    ) + data


def html(data: bytes) -> bytes:
    return FROM + b"Content-Type: text/html; charset=utf-8\n\n" + data


def nested(levels: int, kind: bytes = b"mixed", boundary: Callable[[int], bytes] = b"b%d".__mod__) -> bytes:
    """Multiparts in one another; each level has its own boundary unless told otherwise."""
    heads = [
        b"Content-Type: multipart/"
        + kind
        + b'; boundary="'
        + boundary(level)
        + b'"\n\n--'
        + boundary(level)
        + b"\n"
        for level in range(levels)
    ]
    return FROM + b"".join(heads) + b"\nmove 101 c3"


def mixed(body: bytes) -> bytes:
    return FROM + b"Content-Type: multipart/mixed; boundary=b\n\n" + body


SHAPES: dict[str, Callable[[], bytes]] = {
    "empty": lambda: b"",
    "a newline": lambda: b"\n",
    "noise": lambda: NOISE,
    "NULs": lambda: bytes(MIB),
    "surrogates": lambda: text(b"\xed\xa0\x80" * 1000 + "\ud800".encode("utf-16", "surrogatepass")),
    "utf-16 surrogates": lambda: text(b"\xff\xfe" + b"\x00\xd8" * (MIB // 2), b"utf-16"),
    "unknown charset": lambda: text(NOISE, b"x-" + b"y" * 10_000),
    "punycode": lambda: text(b"a" * MIB, b"punycode"),
    "utf-7": lambda: text(b"+2AA-" * 1000, b"utf-7"),
    "idna in the Subject": lambda: FROM + b"Subject: =?idna?q?" + b"a" * 60_000 + b"?=\n\n",
    "every byte undefined": lambda: text(b"\xff" * MIB, b"windows-1253"),
    "broken escape sequences": lambda: text(b"\x1b$B\xff" * (MIB // 4), b"iso-2022-jp"),
    "absurd date": lambda: FROM + b"Date: Mon, 99 Foo 99999999999999999999 99:99:99 +999999\n\nlist",
    "Subject of 1 MB": lambda: FROM + b"Subject: " + b"x" * MIB + b"\n\nlist",
    "Subject of blanks": lambda: FROM + b"Subject: " + b" " * MIB + b"x\n\nlist",
    "Subject of encoded words": lambda: FROM + b"Subject: " + b"=?utf-8?q?=C3?= " * (MIB // 16),
    "Subject of half encoded words": lambda: FROM + b"Subject: " + b"=?a?q?" * (MIB // 6),
    "Subject of openings": lambda: FROM + b"Subject: " + b"=?" * (MIB // 2),
    "long Subjects everywhere": lambda: (b"To: " + b"=?utf-8?q?=C3?= " * 4000 + b"\n") * 32,
    "hundred thousand headers": lambda: FROM + b"X: y\n" * 100_000 + b"\nlist",
    "headers only": lambda: b"a:\n" * (MIB // 3),
    "one header folded for ever": lambda: FROM + b" x\n" * (MIB // 3),
    "From of parentheses": lambda: b"From: " + b"(" * MIB,
    "From of 4,000 parentheses": lambda: b"From: " + b"(" * 4000 + b")" * 80,
    "From of quotes": lambda: b"From: " + b'"' * 4000,
    "From of backslashes": lambda: b'From: "' + b"\\" * 4000,
    "From of brackets": lambda: b"From: " + b"<" * 4000,
    "From of ats": lambda: b"From: " + b"a@" * 2000,
    "From of dots": lambda: b"From: " + b"a." * 2000,
    "From of dashes": lambda: b"From: a@" + b"a-" * 2000,
    "From of blanks": lambda: b"From: " + b" " * 4000 + b"x",
    "hundred thousand From headers": lambda: b"From: a@b.example\n" * 100_000,
    "References": lambda: FROM + b"References: " + b"<a@b> " * (MIB // 6),
    "brackets in References": lambda: FROM + b"References: " + b"<" * MIB,
    "Content-Type of quotes": lambda: FROM + b"Content-Type: text/plain" + b'; a="\\' * (MIB // 6),
    "Content-Disposition of quotes": lambda: FROM + b"Content-Disposition: " + b'x; filename="' * (MIB // 13),
    "hundred thousand parts": lambda: mixed(b"--b\n\nhello\n" * 100_000),
    "empty parts": lambda: mixed(b"--b\n" * (MIB // 4)),
    "parts with long heads": lambda: mixed((b"--b\n" + b"a:b\n" * 1000) * 250),
    "parts with odd types": lambda: mixed((b"--b\nContent-Type: text/plain" + b';a="\\' * 800 + b"\n\n") * 200),
    "nested 1,000 deep": lambda: nested(1000),
    "nested 100,000 deep": lambda: nested(100_000),
    "nested with one boundary": lambda: nested(30_000, boundary=lambda _: b"b"),
    "nested alternatives": lambda: nested(1000, b"alternative"),
    "boundaries of dashes": lambda: nested(12, boundary=lambda level: b"-" * (level + 1)) + b"\nx" + b"-" * MIB,
    "near delimiters": lambda: (
        nested(12, boundary=lambda level: b"b" * (level + 1)) + b"\n--bbbbbbbbbbbbbx" * 60_000
    ),
    "delimiter and blanks": lambda: mixed((b"--b" + b" " * 1000 + b"x\n") * 1000),
    "endless boundary": lambda: FROM + b"Content-Type: multipart/mixed; boundary=" + b"b" * MIB,
    "message in message": lambda: (FROM + b"Content-Type: message/rfc822\n\n") * 10_000,
    "1 MiB without a newline": lambda: b"x" * MIB,
    "a body without a newline": lambda: text(b"x" * MIB),
    "a body of blanks": lambda: text(b" " * MIB + b"x", transfer=b"quoted-printable"),
    "a body of newlines": lambda: text(b"\n" * MIB),
    "a body of blank lines": lambda: text(b" \n" * (MIB // 2), transfer=b"quoted-printable"),
    "a body of carriage returns": lambda: b"\r" * MIB,
    "a body of equal signs": lambda: text(b"=" * MIB, transfer=b"quoted-printable"),
    "a body of quotes": lambda: text(b">\n" * (MIB // 2)),
    "a body of attributions": lambda: text(b"a:\n>\n" * (MIB // 5)),
    "noise in base64": lambda: text(base64.encodebytes(NOISE), b"utf-16", b"base64"),
    "style sheets never opened": lambda: html(b"<style " * (MIB // 7)),
    "style sheets never closed": lambda: html(b"<style>.x{" * (MIB // 10)),
    "armour in armour": lambda: text(b"-----BEGIN PGP SIGNED MESSAGE-----\n" * (MIB // 35)),
    "names before brackets": lambda: text(b"ab> x\ncd> y\n" * (MIB // 12)),
    "a body of broken addresses": lambda: text(b"x 6.1.2025 10:12 <\n" * (MIB // 19)),
    "a body of colons": lambda: text(b":" * MIB),
    "a body of colons and lines": lambda: text(b":\n" * (MIB // 2)),
    "a body of heads": lambda: text(b"From: x@y\nTo: x\nSent: y\n> a\n" * (MIB // 29)),
    "a body of first lines of heads": lambda: text(b"From: x\n" * (MIB // 8)),
    "a body of original messages": lambda: text(b"-----Original Message-----\n> x\n" * (MIB // 31)),
    "a body of rulers": lambda: text((b"_" * 20 + b"\n") * (MIB // 21)),
    "a body of openings": lambda: text(b"On 1 x\n" * (MIB // 7)),
    "a body of who wrote": lambda: text(b"On 1 x wrote:\n> a\n" * (MIB // 18)),
    "wrote without end": lambda: text(b"wrote" * (MIB // 5) + b"1:"),
    "sent from without end": lambda: text(b"Sent from " * (MIB // 10)),
    "a flowed body": lambda: text(b"a \n" * (MIB // 3), b"utf-8; format=flowed"),
    "a flowed body of quotes": lambda: text(b">>>>> a \n" * (MIB // 9), b"utf-8; format=flowed; delsp=yes"),
    "blockquotes 100,000 deep": lambda: html(b"<blockquote>" * 100_000 + b"x"),
    "wrappings of quotes": lambda: html(b'<div class="gmail_quote">' * 2000 + b"<blockquote>" * 60_000),
    "divs with lines above": lambda: html(b'<div style="border-top:solid 1px">' * 30_000),
    "divs with bars": lambda: html(b'<div style="border-left:solid 1px">' * 30_000),
    "unclosed tags": lambda: html(b"<p><b><i><span style='" * 50_000),
    "opened tags": lambda: html(b"<a " * (MIB // 3)),
    "less-than signs": lambda: html(b"<" * MIB),
    "ampersands": lambda: html(b"&" * MIB),
    "closing tags of nothing": lambda: html(b"<b>" * 2000 + b"</i>" * (MIB // 4)),
    "crossed tags": lambda: html(b"<i></div>" * (MIB // 9)),
    "attributes": lambda: html(b"<p " + b" ".join(b"a%d=1" % n for n in range(150_000)) + b">x"),
    "attributes with brackets": lambda: html(b"<p " + b' x=a="b c=">"' * (MIB // 14) + b">x"),
    "a class of many": lambda: html(b'<p class="' + b"a " * (MIB // 2) + b'">x'),
    "styles": lambda: html((b'<p style="' + b"font-size: 0 " * 70 + b'">x') * 1000),
    "recursive styles": lambda: html((b'<p style="' + b"style:" * 1000 + b'">x') * 100),
    "wide margins": lambda: html(b'<div style="padding-left:99999em;margin-top:99999em">x' * 2000),
    "a wide table": lambda: html(
        b"<table><tr><td>" + b"x" * 300_000 + b"</td></tr>" + b"<tr><td>y</td></tr>" * 5000
    ),
    "nested tables": lambda: html(b"<table><tr><td>" * (MIB // 15)),
    "nested lists": lambda: html(b"<ul><li>" * (MIB // 8)),
    "comments": lambda: html(b"<!-- " * (MIB // 5)),
    "scripts": lambda: html(b"<script>" * (MIB // 8)),
    "line breaks": lambda: html(b"<br>" * (MIB // 4)),
    "preformatted newlines": lambda: html(b"<pre>" + b"\n" * MIB),
    "preformatted blanks": lambda: html(b"<pre>" + b" " * MIB),
    "entities": lambda: html(b"&amp;" * (MIB // 5)),
    "odd entities": lambda: html(b"&#xD800;&#0;&#7;&#xFFFE;&#x110000;" * 10_000),
    "HTML without a tag": lambda: html(b"x" * MIB),
    "noise in HTML": lambda: html(NOISE),
    "many HTML parts": lambda: mixed(b"--b\nContent-Type: text/html\n\n<p><i>x<p>\n" * 25_000),
    "far too large": lambda: text(b"list\n" * (8 * MIB // 5)),
}


def check(incoming: IncomingMail) -> None:
    """What holds for every mail that was read."""
    address = r"[a-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}@[a-z0-9.-]{1,253}"
    identifier = r"<[!-;=?-~]{1,248}>"
    control = r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]"
    assert incoming.sender is None or re.fullmatch(address, incoming.sender, re.ASCII)
    assert len(incoming.subject) <= 998
    assert not re.search(control, incoming.subject)
    assert incoming.subject == incoming.subject.strip(" ")
    assert len(incoming.text) <= MAX_TEXT
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]", incoming.text)
    assert not re.search(r"^[ \t]*>|^-- $", incoming.text, re.MULTILINE)
    assert incoming.message_id is None or re.fullmatch(identifier, incoming.message_id)
    assert all(re.fullmatch(identifier, reference) for reference in incoming.references)
    assert len(set(incoming.references)) == len(incoming.references) <= MAX_REFERENCES
    assert incoming.automatic is None or re.fullmatch("[a-z-]+", incoming.automatic)
    assert re.fullmatch("[0-9a-f]{64}", incoming.content_key)


def test_the_beginning_of_any_shape_is_read() -> None:
    def begin(shape: str) -> None:
        with deadline():
            check(read(SHAPES[shape]()[:QUICK_PART], "alice@bank.example", "pbm@club.test"))

    every(SHAPES, begin)


@pytest.mark.slow
@for_each("shape", SHAPES)
def test_any_shape_is_read_in_time(shape: str) -> None:
    raw = SHAPES[shape]()
    with deadline():
        incoming = read(raw, "alice@bank.example", "pbm@club.test")
        sender = sender_of(head_of(raw))
    check(incoming)
    assert sender == incoming.sender


@pytest.mark.slow
@for_each(
    "shape",
    [
        "noise",
        "hundred thousand headers",
        "nested 100,000 deep",
        "a body of newlines",
        "a body of blank lines",
        "far too large",
        "wide margins",
        "crossed tags",
    ],
)
def test_memory_is_bounded(shape: str) -> None:
    raw = SHAPES[shape]()
    tracemalloc.start()
    try:
        read(raw, "alice@bank.example", "pbm@club.test")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < MEMORY


@for_each(
    "shape",
    [
        "Subject of 1 MB",
        "absurd date",
        "nested 1,000 deep",
        "hundred thousand parts",
        "surrogates",
        "far too large",
    ],
)
def test_a_hostile_mail_still_names_its_sender(shape: str) -> None:
    assert read(SHAPES[shape](), "alice@bank.example", "pbm@club.test").sender == "alice@bank.example"


def test_parts_are_read_up_to_the_bounds_and_no_further() -> None:
    def lines(raw: bytes) -> int:
        return read(raw, "alice@bank.example", "pbm@club.test").text.count("move")

    assert lines(nested(MAX_DEPTH)) == 1
    assert lines(nested(MAX_DEPTH + 1)) == 0
    assert lines(mixed(b"--b\n\nmove\n" * MAX_PARTS)) == MAX_PARTS
    assert lines(mixed(b"--b\n\nmove\n" * (MAX_PARTS + 1))) == MAX_PARTS


def test_a_mail_is_read_up_to_the_bound_and_no_further() -> None:
    def late(preamble: int) -> bytes:
        return mixed(b"\n" * preamble + b"--b\n\nmove")

    most = MAX_MESSAGE - len(late(0))
    assert read(late(most), "a@b.example", "pbm@club.test").text == "move"
    assert read(late(most + 1), "a@b.example", "pbm@club.test").text == "mov"
    assert read(FROM * MAX_LINES, "a@b.example", "pbm@club.test").sender is None


def test_unknown_charsets_leave_nothing_behind() -> None:
    def mail(number: int) -> bytes:
        return text(b"x", b"x-made-up-%d" % number)

    before = len(encodings._cache)
    for number in range(100):
        read(mail(number), "a@b.example", "pbm@club.test")
    assert len(encodings._cache) - before < 10


PIECES = st.sampled_from(
    [
        b"\n",
        b"\r\n",
        b"\r",
        b"\n\n",
        b" ",
        b"\t",
        b"\0",
        b"From: ",
        b"From: a@b.example\n",
        b"alice@bank.example",
        b"<",
        b">",
        b'"',
        b"(",
        b")",
        b"\\",
        b"@",
        b",",
        b";",
        b":",
        b"Subject: ",
        b"Message-ID: <a@b>\n",
        b"References: ",
        b"<x@y> ",
        b"Content-Type: multipart/mixed; boundary=b\n",
        b"Content-Type: multipart/alternative; boundary=b\n",
        b"Content-Type: text/plain; charset=",
        b"utf-16\n",
        b"iso-2022-jp\n",
        b"hz\n",
        b"Content-Transfer-Encoding: base64\n",
        b"Content-Transfer-Encoding: quoted-printable\n",
        b"Content-Disposition: attachment\n",
        b"--b",
        b"\n--b\n",
        b"\n--b--\n",
        b"=?utf-8?q?",
        b"=?utf-16?b?",
        b"?=",
        b"=C3=A9",
        b"=",
        b"YzM=",
        b"> quoted\n",
        b"Alice wrote:\n",
        b"-- \n",
        b"move 101 c3\n",
        b"Content-Type: text/html\n\n",
        b"<p>",
        b"<blockquote>",
        b"</blockquote>",
        b'<div style="display:none',
        b'<div class="gmail_quote">',
        b"<!--",
        b"&nbsp;",
        b"On Monday Bob wrote:\n",
        b"From: x@y\n",
    ]
)
RAW = st.lists(st.one_of(PIECES, PIECES, st.binary(max_size=8)), max_size=60).map(b"".join)


@examples(1000)
@given(st.one_of(st.binary(), RAW), st.text(max_size=20))
def test_any_bytes_give_a_mail(raw: bytes, envelope_sender: str) -> None:
    incoming = read(raw, envelope_sender, "pbm@club.test")
    check(incoming)
    assert incoming == read(raw, envelope_sender, "pbm@club.test")
    named = (incoming.sender,) if incoming.sender else incoming.doubtful_senders
    assert sender_of(head_of(raw)) == (named[0] if len(named) == 1 else None)


@st.composite
def mangled(draw: st.DrawFn) -> bytes:
    """A real mail with pieces of it cut out, doubled, or replaced."""
    raw = draw(st.sampled_from(AWKWARD))
    for _ in range(draw(st.integers(1, 5))):
        start = draw(st.integers(0, len(raw)))
        end = draw(st.integers(start, min(len(raw), start + 200)))
        raw = raw[:start] + draw(st.one_of(PIECES, st.binary(max_size=4), st.just(raw[start:end] * 2))) + raw[end:]
    return raw


@examples(500)
@given(mangled())
def test_a_mangled_mail_is_a_mail(raw: bytes) -> None:
    check(read(raw, "alice@bank.example", "pbm@club.test"))
