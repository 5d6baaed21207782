"""Which of our mails is answered, wherever its token stands; and that no token is left in what a person wrote."""

import base64
from collections.abc import Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pbmserv.cli.bootstrap import new_token
from pbmserv.commands.server import Server
from pbmserv.mail.reading.answered import MAX_TOKENS, answered_threads, answered_tokens, without_tokens
from pbmserv.mail.reading.headers import parse_head
from pbmserv.mail.reading.read import read
from pbmserv.mail.sending.message import Envelope, envelope_sender, message_id
from pbmserv.parser.parsed import IncomingMail
from tests.every import for_each
from tests.examples import examples
from tests.mail.test_hostile import PIECES, deadline

OURS = "pbm@club.test"
TOKEN = "k3v5q2wztj4m6x7abcde"


def tokens(head: str | bytes, recipients: Sequence[str] = (), ours: str = OURS, delimiter: str = "+") -> list[str]:
    raw = head.encode() if isinstance(head, str) else head
    headers, _ = parse_head(raw, 0, len(raw))
    return [*answered_tokens(headers, recipients, ours, delimiter), *answered_threads(headers, ours)]


def written(text: str, subject: str = "", ours: str = OURS, delimiter: str = "+") -> IncomingMail:
    subject = f"=?utf-8?b?{base64.b64encode(subject.encode()).decode()}?="
    head = f"From: alice@bank.example\nSubject: {subject}\nContent-Type: text/plain; charset=utf-8\n\n"
    return read((head + text).encode(), "alice@bank.example", ours, delimiter)


# Where a token stands


@for_each(
    "head",
    [
        "Delivered-To: pbm+t1@club.test",
        "X-Original-To: pbm+t1@club.test",
        "Envelope-To: pbm+t1@club.test",
        "X-Envelope-To: <pbm+t1@club.test>",
        "X-Delivered-To: pbm+t1@club.test",
        "To: pbm+t1@club.test",
        "Cc: pbm+t1@club.test",
        "In-Reply-To: <b101.7.t1@club.test>",
        "In-Reply-To: <t1@club.test>",
        "References: <b101.7.t1@club.test>",
        "References: <b101@club.test> <other@bank.example> <b101.7.t1@club.test> <mine@bank.example>",
    ],
)
def test_each_place_tells_which_mail_is_answered(head: str) -> None:
    assert tokens(head) == ["t1"]


@for_each(
    "head",
    [
        "From: pbm+t1@club.test",
        "Sender: pbm+t1@club.test",
        "Reply-To: pbm+t1@club.test",
        "X-Forwarded-To: pbm+t1@club.test",
        "Subject: pbm+t1@club.test",
        "Message-ID: <b101.7.t1@club.test>",
        "To: <b101.7.t1@club.test>",
        "In-Reply-To: <pbm+t1@club.test>",
        "X-To: x\n\nTo: pbm+t1@club.test",
    ],
)
def test_no_other_place_does(head: str) -> None:
    assert tokens(head) == []


def test_the_envelope_tells_before_servers_and_those_before_the_sender() -> None:
    head = (
        "References: <b101.1.r1@club.test> <b101.2.r2@club.test>\nReferences: <b101.3.r3@club.test>\n"
        "In-Reply-To: <b101.4.i1@club.test>\nCc: pbm+c1@club.test\nTo: pbm+t1@club.test, pbm+t2@club.test\n"
        "X-Original-To: pbm+x1@club.test\nDelivered-To: pbm+d1@club.test\nDelivered-To: pbm+d2@club.test\n"
    )
    found = tokens(head, ["pbm@club.test", "pbm+e1@club.test", "pbm+e2@club.test"])
    assert found == ["e1", "e2", "d1", "d2", "x1", "t1", "t2", "c1", "i1", "r3", "r2", "r1"]


def test_each_is_told_once_where_it_stands_first() -> None:
    head = "To: pbm+t1@club.test, pbm+T2@club.test\nReferences: <b101.7.T1@CLUB.test> <t3@club.test>"
    assert tokens(head, ["pbm+t2@club.test"]) == ["t2", "t1", "t3", "t1"], "those of Message-IDs are apart"


def test_only_so_many_are_told() -> None:
    head = "References: " + " ".join(f"<b101.{ply}.t{ply}@club.test>" for ply in range(100))
    assert tokens(head) == [f"t{ply}" for ply in range(99, 99 - MAX_TOKENS, -1)]


@for_each(
    "value",
    [
        "<pbm+t1@club.test>",
        "PBM+T1@Club.TEST",
        "pbmserv <pbm+t1@club.test>",
        "pbmserv<pbm+t1@club.test>",
        '"pbm+t1@club.test" <pbm+t1@club.test>',
        "\"'pbm+t1@club.test'\" <alice@bank.example>",
        "'pbm+t1@club.test'",
        "pbm+t1@club.test (Board 101)",
        "(Board 101) pbm+t1@club.test",
        "bob@bank.example,pbm+t1@club.test,carol@bank.example",
        "players: bob@bank.example, pbm+t1@club.test;",
        "players:pbm+t1@club.test;",
        "<@relay.example:pbm+t1@club.test>",
        '"pbm+t1"@club.test',
        "pbm+t1 @ club.test",
        "pbm+t1@club.test.",
        "=?utf-8?q?pbm=2Bt1=40club=2Etest?=",
        "=?utf-8?b?cGJtK3QxQGNsdWIudGVzdA==?= <alice@bank.example>",
        "Älice, pbm+t1@club.test",
        "\n pbm+t1@club.test",
        "no address, " * 3000 + "pbm+t1@club.test",
    ],
    ids=lambda value: value[:60],
)
def test_an_address_is_found_in_any_form(value: str) -> None:
    assert tokens(f"To: {value}") == ["t1"]


@for_each(
    "value",
    [
        "pbm@club.test",
        "pbm+@club.test",
        "pbm+b.t1@club.test",
        "pbm+t1.x@club.test",
        "pbm+t1+x@club.test",
        "pbm=t1@club.test",
        "pbm.t1@club.test",
        "evilpbm+t1@club.test",
        "evil.pbm+t1@club.test",
        "evil-pbm+t1@club.test",
        "evil+pbm+t1@club.test",
        "evil=pbm+t1@club.test",
        "o'pbm+t1@club.test",
        "évilpbm+t1@club.test",
        "épbm+t1@club.test",
        "pbm+t1@club.test.evil.example",
        "pbm+t1@club.test-evil.example",
        "pbm+t1@club.tester",
        "pbm+t1@club.teste\u0301",
        "pbm+t1@xclub.test",
        "pbm+t1@x.club.test",
        "pbm+t1@clubxtest",
        "pbm+t1@evil.example@club.test",
        "pbm+t1@club.test@evil.example",
        "pbm+t\u212a1@club.test",
        "pbm+\u0661@club.test",
        "pbm+" + "t" * 41 + "@club.test",
    ],
)
def test_what_only_looks_like_one_is_none(value: str) -> None:
    assert tokens(f"To: {value}", [value]) == []


@for_each(
    "value",
    [
        "<B101.7.T1@CLUB.TEST>",
        "b101.7.t1@club.test",
        "Your mail of Monday <b101.7.t1@club.test>",
        '<"b101.7.t1"@club.test>',
        "=?utf-8?q?=3Cb101=2E7=2Et1=40club=2Etest=3E?=",
        "<x@y>,<b101.7.t1@club.test>,<z@y>",
        "<x@y><b101.7.t1@club.test><z@y>",
    ],
)
def test_an_id_is_found_in_any_form(value: str) -> None:
    assert tokens(f"In-Reply-To: {value}") == tokens(f"References: {value}") == ["t1"]


@for_each(
    "value",
    [
        "<b101@club.test>",
        "<B101@club.test>",
        '<"b101"@club.test>',
        "<b101.t1@club.test>",
        "<x.b101.7.t1@club.test>",
        "<b101.7.t1.x@club.test>",
        "<b101.7.t1@club.test.evil.example>",
        "<b101.7.t1@club.test@evil.example>",
        "<b101.7.t1@other.test>",
        "<b101.7.@club.test>",
        "<@club.test>",
    ],
)
def test_what_only_looks_like_an_id_of_ours_is_none(value: str) -> None:
    assert tokens(f"In-Reply-To: {value}\nReferences: {value}") == []


@for_each("delimiter", ["+", "-", ""])
def test_a_mail_of_any_delimiter_is_known_after_the_setting_has_changed(delimiter: str) -> None:
    assert tokens("To: pbm+t1@club.test, pbm-t2@club.test", delimiter=delimiter) == ["t1", "t2"]


@for_each("ours", ["play.by-mail+x@my-club.test", "P$B^M.*@club.test", r"p\1.\m@club.test"])
def test_our_own_address_means_nothing_but_itself(ours: str) -> None:
    local, _, domain = ours.partition("@")
    assert tokens(f"To: {local.upper()}+t1@{domain}", ours=ours) == ["t1"]
    assert tokens(f"To: {local.replace('.', 'x')}+t1@{domain}\nCc: pbbm+t1@{domain}", ours=ours) == []
    assert without_tokens(f"<{local}-t1@{domain}>", ours) == f"<{ours}>"
    assert (
        without_tokens(f"{local.replace('.', 'x')}+t1@{domain}", ours) == f"{local.replace('.', 'x')}+t1@{domain}"
    )


@for_each("delimiter", ["+", "-", ""])
@for_each("board", [None, 101])
def test_an_answer_to_what_we_write_names_it(delimiter: str, board: int | None) -> None:
    server, token, word = Server(OURS, delimiter), new_token(), new_token()
    envelope = Envelope(
        "alice@bank.example", "Cephalopod Board 101: alice vs bob", token, board, board and 7, thread_word=word
    )
    assert tokens("", [server.tagged(token).upper()]) == ([token] if delimiter else [])
    assert tokens(f"References: {message_id(envelope, server).upper()}") == [word]
    assert tokens("", [envelope_sender(word, server)]) == []
    for told in (server.tagged(token), envelope_sender(word, server), message_id(envelope, server)):
        cleaned = without_tokens(f"On Monday pbmserv wrote {told}", OURS, delimiter)
        assert token not in cleaned
        assert word not in cleaned


def test_a_mail_that_is_read_names_them_and_does_not_show_them() -> None:
    raw = f"From: alice@bank.example\nTo: pbm+{TOKEN}@club.test\nIn-Reply-To: <b101.7.second@club.test>\n\nd4\n"
    mail = read(raw.encode(), "alice@bank.example", OURS, "+", [f"pbm+envelope@{OURS.partition('@')[2]}"])
    assert (mail.tokens, mail.thread_words) == (("envelope", TOKEN), ("second",))
    assert TOKEN not in repr(mail)


# What a person wrote


@for_each(
    ("text", "cleaned"),
    [
        (f"On Mon pbmserv <pbm+{TOKEN}@club.test> writes", "On Mon pbmserv <pbm@club.test> writes"),
        (f"pbmserv [mailto:pbm+{TOKEN}@club.test]", "pbmserv [mailto:pbm@club.test]"),
        (f"<mailto:pbm%2B{TOKEN}@club.test?subject=d4>", "<mailto:pbm@club.test?subject=d4>"),
        (f"x=mailto%3Apbm%2b{TOKEN}%40club.test%3Fsubject", "x=mailto%3Apbm@club.test%3Fsubject"),
        (f"PBM+{TOKEN.upper()}@Club.Test.", "pbm@club.test."),
        (f"pbm-{TOKEN}@club.test", "pbm@club.test"),
        (f"pbm+b.{TOKEN}@club.test", "pbm@club.test"),
        (f'"pbm+{TOKEN}"@club.test', '"pbm@club.test'),
        (f"*pbm+{TOKEN}@club.test*", "*pbm@club.test*"),
        (f"'pbm+{TOKEN}@club.test'", "'pbm@club.test'"),
        (f"2025年1月6日pbm+{TOKEN}@club.test写道", "2025年1月6日pbm@club.test写道"),
        (f"a pbm+{TOKEN}@club.test b pbm+{TOKEN}@club.test", "a pbm@club.test b pbm@club.test"),
        (f"In article <b101.7.{TOKEN}@club.test> alice", "In article <pbm@club.test> alice"),
        (f"Message-ID: B101.7.{TOKEN.upper()}@club.test", "Message-ID: pbm@club.test"),
        (f"In-Reply-To=%3Cb101.7.{TOKEN}%40club.test%3E", "In-Reply-To=%3Cpbm@club.test%3E"),
        (f"<{TOKEN}@club.test>", "<pbm@club.test>"),
        (f"%3C{TOKEN}%40club.test%3E", "%3Cpbm@club.test%3E"),
    ],
)
def test_our_tagged_addresses_and_ids_become_the_plain_address(text: str, cleaned: str) -> None:
    assert written(f"d4\n{text}\n").text == f"d4\n{cleaned}"
    assert written("d4\n", text).subject == cleaned


@for_each(
    "text",
    [
        "pbm@club.test",
        "signup alice sesame alice@club.test",
        "add christopherrobinsons@club.test",
        "add <alice@club.test>",
        "add mypbm+games@club.test",
        "add my.pbm-games@club.test",
        "add pbm+games@other.test",
        "add pbm+games@club.tester",
        "b101@club.test",
        "yes k3v5q2wztj4m6x7abcde",
    ],
)
def test_whatever_else_people_write_stays(text: str) -> None:
    assert written(text, text).text == text
    assert written(text, text).subject == text


def test_a_token_is_not_left_standing_where_a_subject_is_cut() -> None:
    for length in range(940, 1010):
        assert TOKEN not in written("", "x" * length + f" pbm+{TOKEN}@club.test").subject


def test_a_token_put_together_from_pieces_is_seen() -> None:
    subject = f"=?utf-8?q?pbm=2B{TOKEN[:9]}?=\n =?utf-8?q?{TOKEN[9:]}=00=40cl?= =?utf-8?q?ub.test?="
    mail = read(f"From: a@b.example\nSubject: {subject}\n\n".encode(), "a@b.example", OURS)
    assert mail.subject == OURS


# Hostile mail


@pytest.mark.slow
@for_each(
    "piece",
    [
        f"To: {'pbm+t1@club.test, ' * 3000}\n",
        "To: pbm+t1@club.test\n",
        "References: <b101.7.t1@club.test>\n",
        "To: " + "pbm+" * 15_000 + "\n",
        "To: " + "pbm+" + "t" * 60_000 + "\n",
        "To: " + "pbm+t1" + " " * 60_000 + "\n",
        "To: " + "=?utf-8?q?pbm+?= " * 3000 + "\n",
        "In-Reply-To: " + "b1.1." * 12_000 + "\n",
        "References: " + "b" + "1" * 60_000 + "\n",
    ],
    ids=lambda piece: piece[:40],
)
def test_hostile_headers_are_searched_in_time(piece: str) -> None:
    raw = b"From: alice@bank.example\n" + piece.encode() * (2 * 1024 * 1024 // len(piece))
    with deadline():
        assert len(read(raw, "alice@bank.example", OURS).tokens) <= MAX_TOKENS


@pytest.mark.slow
def test_a_hundred_thousand_addresses_are_searched_in_time() -> None:
    recipients = [f"pbm+t{number}@club.test" for number in range(100_000)]
    head = "To: " + ",\n ".join(recipients)
    with deadline():
        assert tokens(head, recipients) == [f"t{number}" for number in range(MAX_TOKENS)]
        assert tokens(head) == [f"t{number}" for number in range(MAX_TOKENS)]


@pytest.mark.slow
@for_each(
    "piece", ["pbm+", f"pbm+{TOKEN}@club.test ", "pbm+b.", "b1.1.", "<aaaaaaaaaaaaaaaaaaaa", "%", "%3c", "x", "<"]
)
def test_hostile_text_is_cleaned_in_time(piece: str) -> None:
    text = "club.test " + piece * (512 * 1024 // len(piece))
    with deadline():
        assert TOKEN not in without_tokens(text, OURS)


NEAR = st.sampled_from(
    [
        *(
            b"pbm",
            b"+",
            b"-",
            b"club.test",
            b"@",
            b"b101.7.",
            b"b.",
            b"t1",
            b"%2B",
            b"%40",
            b"%3C",
            b"'",
            b".",
            b"To: ",
        ),
        *(b"Cc: ", b"Delivered-To: ", b"In-Reply-To: ", b"References: ", b"=?utf-8?q?", b"pbm+t1@club.test"),
    ]
)


@examples(500)
@given(st.lists(st.one_of(NEAR, NEAR, PIECES, st.binary(max_size=4)), max_size=60).map(b"".join))
@example(f"From: a@b.example\nSubject: pbm+{TOKEN}@club.test\n\npbm+{TOKEN}@club.test".encode())
def test_whatever_comes_tokens_are_words_and_none_is_left_in_the_text(raw: bytes) -> None:
    mail = read(raw, "alice@bank.example", OURS, "+", [raw.decode("latin-1")])
    assert len(set(mail.tokens)) == len(mail.tokens) <= MAX_TOKENS
    for token in mail.tokens:
        assert token.isascii()
        assert token.isalnum()
        assert token == token.lower()
        for place in (f"<pbm+{token}@club.test>", f"<b101.7.{token}@club.test>"):
            assert place not in mail.text.lower()
            assert place not in mail.subject.lower()
