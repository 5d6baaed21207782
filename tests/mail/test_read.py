import json
from pathlib import Path

import pytest

from pbmserv.mail.reading.headers import MAX_VALUE, head_of, parse_head, sender_of
from pbmserv.mail.reading.read import MAX_REFERENCES, read
from pbmserv.parser.parsed import IncomingMail
from tests.every import every, for_each

AWKWARD = sorted(Path(__file__).with_name("awkward").glob("*.eml"))
OURS = "pbm@club.test"

BODY = b"move 101 c3\nhello\n"
PLAIN = b"From: alice@bank.example\nMessage-ID: <1@bank.example>\nSubject: list\n\n" + BODY


def mail(raw: bytes) -> IncomingMail:
    return read(raw, "alice@bank.example", OURS)


def with_body(body: bytes, *headers: bytes) -> IncomingMail:
    return mail(b"\n".join((b"From: alice@bank.example", b"Message-ID: <1@bank.example>", *headers, b"", body)))


def multipart(kind: bytes, *parts: bytes) -> IncomingMail:
    body = b"".join(b"--b\n" + part + b"\n" for part in parts) + b"--b--\n"
    return with_body(body, b"Content-Type: multipart/" + kind + b"; boundary=b")


def test_awkward_mail_is_read_as_its_json_says() -> None:
    every(AWKWARD, check_awkward, lambda path: path.stem)


def check_awkward(path: Path) -> None:
    expected = json.loads(path.with_suffix(".json").read_text())
    raw = path.read_bytes()
    incoming = read(raw, expected["envelope_sender"], OURS)
    seen = {
        "awkward": expected["awkward"],
        "envelope_sender": expected["envelope_sender"],
        "sender": incoming.sender,
        "subject": incoming.subject,
        "text": incoming.text,
        "message_id": incoming.message_id,
        "references": list(incoming.references),
        "automatic": incoming.automatic,
    }
    assert seen == expected
    assert sender_of(head_of(raw)) == incoming.sender


def test_awkward_mail_reads_alike_after_a_relay_changed_its_line_ends_and_added_traces() -> None:
    every(AWKWARD, check_relayed, lambda path: path.stem)


def check_relayed(path: Path) -> None:
    lines = path.read_bytes().replace(b"\r\n", b"\n")
    raw = b"Received: from a by b;\n\tMon, 6 Jan 2025 10:15:02 +0000\nDKIM-Signature: v=1; a=b\n" + lines
    if lines.startswith(b"From ") or b":" not in lines.partition(b"\n")[0]:
        raw = lines
    assert mail(raw.replace(b"\n", b"\r\n")) == mail(lines)


def test_there_are_enough_awkward_mails() -> None:
    assert len(AWKWARD) >= 80


# The content key


@for_each(
    "copy",
    [
        PLAIN.replace(b"\n", b"\r\n"),
        b"Received: by somebody\nX-Spam-Score: 1\n" + PLAIN,
        PLAIN.replace(b"Subject: list", b"Subject:\n =?utf-8?q?li?=\n =?iso-8859-1?b?c3Q=?="),
        PLAIN.replace(b"From: alice@bank.example", b'From: "Alice" <ALICE@bank.example>'),
        PLAIN.replace(b"\n\n", b"\nContent-Transfer-Encoding: base64\n\n").replace(
            BODY, b"bW92ZSAxMDEgYzMN\nCmhlbGxvDQo="
        ),
        PLAIN.replace(b"\n\n", b"\nContent-Transfer-Encoding: quoted-printable\n\n").replace(b" c3", b"=20=\nc3"),
        PLAIN.replace(b"c3\n", b"c3  \n") + b"\n\n",
    ],
)
def test_copies_of_one_mail_share_their_content_key(copy: bytes) -> None:
    assert mail(copy).content_key == mail(PLAIN).content_key


@for_each(
    "other",
    [
        PLAIN.replace(b"c3", b"d4"),
        PLAIN.replace(b"Subject: list", b"Subject: help"),
        PLAIN.replace(b"alice", b"bob"),
        PLAIN.replace(b"<1@", b"<2@"),
        PLAIN.replace(b"c3\n", b"c3\n-- \nAlice\n"),
        PLAIN.replace(b"Message-ID: <1@bank.example>\n", b""),
    ],
)
def test_another_mail_has_another_content_key(other: bytes) -> None:
    assert mail(other).content_key != mail(PLAIN).content_key


def test_html_only_mails_with_one_id_and_other_contents_are_two_mails() -> None:
    first = with_body(b"<p>move 101 c3</p>", b"Content-Type: text/html")
    assert first.content_key != with_body(b"<p>move 101 d4</p>", b"Content-Type: text/html").content_key


def test_doubtful_senders_are_told_apart_by_what_they_wrote_there() -> None:
    one, other = (PLAIN.replace(b"alice@bank", b"alice@bank.example <mallory@" + name) for name in (b"x", b"y"))
    assert mail(one).sender is None
    assert mail(one).content_key != mail(other).content_key


def test_without_a_message_id_the_mail_less_its_traces_is_the_key() -> None:
    bare = b"From: alice@bank.example\nDate: Mon, 6 Jan 2025 11:15:00 +0100\nSubject: list\n\nc3\n"
    key = mail(bare).content_key
    assert mail(b"Received: by somebody\nReturn-Path: <alice@bank.example>\n" + bare).content_key == key
    assert mail(bare.replace(b"\n", b"\r\n")).content_key == key
    assert mail(bare.replace(b"11:15", b"11:16")).content_key != key
    assert mail(bare.replace(b"c3", b"c4")).content_key != key
    assert mail(b"Message-ID: no id\n" + bare).content_key != key


def test_the_text_of_one_mail_cannot_pass_for_the_headers_of_another() -> None:
    one = b"From: a@b.example\nSubject: x\n\ny"
    assert mail(one).content_key != mail(b"From: a@b.example\n\nx\0y").content_key


# Ids


@for_each(
    ("header", "expected"),
    [
        (b"<a@b>", "<a@b>"),
        (b"  <a@b>  (comment)", "<a@b>"),
        (b"\n <a@b>", "<a@b>"),
        (b"=?utf-8?q?=3Ca=40b=3E?=", "<a@b>"),
        (b"a@b", None),
        (b"<a b>", None),
        (b"<>", None),
        (b"", None),
        (b"<a\x00@b>", None),
        ("<ä@b>".encode(), None),
        (b"<" + b"a" * 248 + b">", "<" + "a" * 248 + ">"),
        (b"<" + b"a" * 249 + b">", None),
    ],
)
def test_a_message_id_is_one_token_in_angle_brackets(header: bytes, expected: str | None) -> None:
    assert mail(b"From: a@b\nMessage-ID: " + header + b"\n\n").message_id == expected


def test_references_are_those_replied_to_and_then_the_newest_first() -> None:
    incoming = with_body(b"", b"References: <1@x>\n <2@x> <3@x>", b"In-Reply-To: <3@x>")
    assert incoming.references == ("<3@x>", "<2@x>", "<1@x>")


def test_of_many_references_the_newest_are_kept() -> None:
    incoming = with_body(b"", b"References: " + b" ".join(b"<%d@x>" % n for n in range(1000)))
    assert len(incoming.references) == MAX_REFERENCES
    assert incoming.references[0] == "<999@x>"


# Heads


def test_a_line_that_is_no_header_begins_the_body() -> None:
    assert mail(b"From: a@b.example\nmove 101 c3\nFrom: c@d.example\n").text.startswith("move 101 c3")
    assert mail(b"From: a@b.example\nmove 101 c3\nFrom: c@d.example\n").sender == "a@b.example"


@for_each("second", [b"From:", b"FROM:", b"From :", b"from\t:"])
def test_a_second_from_header_in_any_spelling_makes_the_sender_unknown(second: bytes) -> None:
    assert mail(second + b" mallory@evil.example\n" + PLAIN).sender is None


def test_a_head_too_long_to_be_read_names_no_sender() -> None:
    assert mail(b"X: y\n" * 4000 + PLAIN).sender == "alice@bank.example"
    assert mail(b"From: alice@bank.example\n" + b"X: y\n" * 5000 + b"\nmove 101 c3\n").sender is None


def test_a_long_header_before_from_does_not_hide_it() -> None:
    incoming = mail(b"Subject: " + b"x" * 1_000_000 + b"\nFrom: a@b.example\n\nhello\n")
    assert (incoming.sender, incoming.text, incoming.subject) == ("a@b.example", "hello", "x" * 998)


def test_carriage_returns_alone_and_doubled_ones_end_lines_too() -> None:
    assert mail(PLAIN.replace(b"\n", b"\r")) == mail(PLAIN)
    assert mail(PLAIN.replace(b"\n", b"\r\r\n")) == mail(PLAIN)


@for_each("newline", [b"\n", b"\r\n"])
def test_the_line_end_before_a_delimiter_belongs_to_it(newline: bytes) -> None:
    raw = PLAIN.replace(b"\n\n", b"\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nc3\n--b\n\nd4\n--b--\n")
    assert mail(raw.replace(b"\n", newline)).text == "c3\nd4"


def test_a_name_may_be_parted_from_its_colon() -> None:
    assert mail(b"From : a@b.example\nSubject\t: list\n\n").subject == "list"
    assert mail(b"From : a@b.example\nSubject\t: list\n\n").sender == "a@b.example"


def test_of_a_header_folded_for_ever_only_the_beginning_is_kept() -> None:
    head = b"To: x\n" + (b" " + b"y" * 1000 + b"\n") * 200
    assert len(parse_head(head, 0, len(head))[0].first("to")) <= MAX_VALUE


def test_a_carriage_return_inside_a_header_begins_no_new_one() -> None:
    assert mail(b"Subject: x\rFrom: alice@bank.example\n\n").sender is None
    assert mail(b"From: mallory@evil.example\rFrom: alice@bank.example\n\n").sender is None


# Parts


def test_alternatives_are_read_once() -> None:
    texts = (b"Content-Type: text/plain\n\nc3", b"Content-Type: text/plain\n\nd4")
    assert multipart(b"alternative", *texts).text == "c3"
    assert multipart(b"mixed", *texts).text == "c3\nd4"


def test_an_empty_alternative_gives_way() -> None:
    assert multipart(b"alternative", b"\n \n", b"Content-Type: text/plain\n\nd4").text == "d4"


def test_the_messages_of_a_digest_are_not_read() -> None:
    assert multipart(b"digest", b"\nSubject: resign 101\n\nresign 101").text == ""


def test_an_unclosed_multipart_goes_on_to_the_end() -> None:
    assert (
        with_body(b"preamble\n--b\n\nmove 101 c3", b"Content-Type: multipart/mixed; boundary=b").text
        == "move 101 c3"
    )


def test_a_multipart_without_boundary_is_plain_text_and_one_without_parts_has_none() -> None:
    assert with_body(b"--\n\nc3\n", b"Content-Type: multipart/mixed").text == "--\n\nc3"
    assert with_body(b"c3\n", b"Content-Type: multipart/mixed; boundary=b").text == ""


def test_a_line_that_only_begins_like_a_delimiter_is_text() -> None:
    incoming = with_body(b"--b\n\nc3\n--bc\n x--b\n--b--\n", b"Content-Type: multipart/mixed; boundary=b")
    assert incoming.text == "c3\n--bc\n x--b"


@pytest.mark.parametrize(
    "boundary", [b'"a b:c?"', b'"a\\"b"', b"'x'", b"=_x.(1)"], ids=["blank", "escaped", "ticks", "regex"]
)
def test_odd_boundaries(boundary: bytes) -> None:
    delimiter = b"--" + boundary.strip(b'"').replace(b"\\", b"")
    body = delimiter + b"\n\nc3\n" + delimiter + b"--\n"
    assert with_body(body, b"Content-Type: multipart/mixed; boundary=" + boundary).text == "c3"


@for_each(
    "disposition",
    [b"attachment", b"ATTACHMENT; x=y", b"strange", b'inline; filename="c3.txt"', b"; filename*0=c3"],
)
def test_attachments_are_not_read(disposition: bytes) -> None:
    part = b"Content-Disposition: " + disposition + b"\n\nresign 101"
    assert multipart(b"mixed", b"\nc3", part).text == "c3"


@for_each("kind", [b"text", b"text/plain; charset", b"text/plain charset=utf-8", b'"', b"TEXT/PLAIN;", b""])
def test_a_content_type_that_cannot_be_read_is_plain_text(kind: bytes) -> None:
    assert with_body(b"c3", b"Content-Type: " + kind).text == "c3"


@for_each("kind", [b"text/calendar", b"application/octet-stream", b"message/rfc822", b"image/svg+xml"])
def test_what_is_no_text_is_not_read(kind: bytes) -> None:
    assert with_body(b"\nc3", b"Content-Type: " + kind).text == ""


# Bytes to text


@for_each(
    ("charset", "data", "expected"),
    [
        ("utf-8", b"\xef\xbb\xbfc3", "c3"),
        ("utf-16", b"\x00c\x003", "c3"),
        ("utf-16", b"c\x003\x00", "c3"),
        ("utf-16", b"\xff\xfec\x003\x00\r\x00\n\x00x\x00", "c3\nx"),
        ("utf-16", b"c\x003\x00!", "c3\ufffd"),
        ("iso-8859-1", b"\x93c3\x94", "\u201cc3\u201d"),
        ("ISO_8859-1:1987", b"\xe9", "é"),
        ("gb2312", "你好".encode("gbk"), "你好"),
        ("ks_c_5601-1987", "안녕".encode("cp949"), "안녕"),
        ("shift_jis", b"c3 \x83\xff", "c3 \ufffd"),
        ("x-unknown", "é".encode(), "é"),
        ("x-unknown", b"\xe9\x80", "é€"),
        ("", b"\xe9\x81", "é"),
        ("windows-31j", b"\x82\xa0", "あ"),
        ("x-sjis", b"\x87\x40", "①"),
        ("euc-jp", b"\xa4\xa2", "あ"),
        ("gbk", b"\xc4\xe3", "你"),
        ("big5-hkscs", b"\xa7\x41", "你"),
        ("koi8-u", b"\xa4", "є"),
        ("iso-8859-9", b"\xfe", "ş"),
        ("iso-8859-8-i", b"\xf9", "ש"),
        ("macintosh", b"\x8a", "ä"),
        ("utf-32le", "c3".encode("utf-32-le"), "c3"),
        ("unicode_escape", b"\\u0041", "\\u0041"),
        ("utf-7", b"+AGM-3", "+AGM-3"),
        ("rot13", b"c3", "c3"),
        ("../../x", b"c3", "c3"),
    ],
)
def test_charsets(charset: str, data: bytes, expected: str) -> None:
    assert with_body(data, b"Content-Type: text/plain; charset=" + charset.encode()).text.startswith(expected)


@for_each(
    ("encoding", "body", "expected"),
    [
        (b"base64", b"YzM=", "c3"),
        (b"base64", b"YzM", "c3"),
        (b"base64", b"Yz!M\n", "c3"),
        (b"base64", b"YzMgY", "c3 "),
        (b"base64", b"=", ""),
        (b"Base64 ", b"YzM=\ntrailer", "c3"),
        (b"quoted-printable", b"c=\n3=", "c3"),
        (b"quoted-printable", b"c= \n3", "c3"),
        (b"quoted-printable", b"=3D=zz=", "==zz"),
        (b"x-strange", b"c3=20", "c3=20"),
        (b"8bit", b"c3", "c3"),
    ],
)
def test_transfer_encodings(encoding: bytes, body: bytes, expected: str) -> None:
    assert with_body(body, b"Content-Transfer-Encoding: " + encoding).text == expected


def test_only_newlines_end_lines_and_other_control_characters_go() -> None:
    text = "a\x0bb\x0cc\u2028d\u2029e\x85f\x00g\x1b[0m\th\x7f\ri\u00a0j"
    assert with_body(text.encode(), b"Content-Type: text/plain; charset=utf-8").text == (
        "abc\u2028d\u2029efg[0m\th\ni\u00a0j"
    )


@for_each(
    ("subject", "expected"),
    [
        (b"=?utf-8?q?a?= =?utf-8?q?b?=", "ab"),
        (b"=?utf-8?q?a?= b =?utf-8?q?c?=", "a b c"),
        (b"=?utf-8?q?=C3?=\n =?UTF-8?b?qQ==?=", "é"),
        (b"=?utf-8*en?q?a_b?=", "a b"),
        (b"=?utf-8?q?a=?=", "a"),
        (b"=?utf-8?x?a?=", "=?utf-8?x?a?="),
        (b"=?utf-8?q?a", "=?utf-8?q?a"),
        (b"=?punycode?q?a?=", "a"),
        (b" a\t\n  b ", "a b"),
        (b"a =?utf-8?q?=0D=0ABcc:_x=00?=", "a Bcc: x"),
        (b"x" * 997 + b" y", "x" * 997),
        ("a\u2028b\u0085c".encode(), "a b c"),
        (b"a\x00\x1b\x7fb", "ab"),
    ],
)
def test_subjects(subject: bytes, expected: str) -> None:
    assert with_body(b"", b"Subject: " + subject).subject == expected
