"""Whose word about a From address is believed: our own mail server's alone, and only where it is clear."""

from hypothesis import example, given
from hypothesis import strategies as st

from pbmserv.mail.reading.authentication import MAX_RESULTS
from pbmserv.mail.reading.read import read
from tests.every import for_each
from tests.examples import examples
from tests.mail.test_hostile import PIECES, deadline

ALICE = "alice@bank.example"
SERVER = "mx.club.test"


def believed(*headers: str | bytes, sender: str = ALICE, authserv_id: str = SERVER) -> bool:
    lines = [each.encode() if isinstance(each, str) else each for each in (*headers, f"From: {sender}")]
    return read(b"\n".join((*lines, b"", b"c3")), ALICE, "pbm@club.test", authserv_id=authserv_id).authenticated


def results(value: str, sender: str = ALICE) -> bool:
    return believed(f"Authentication-Results: {value}", sender=sender)


@for_each(
    "value",
    [
        "mx.club.test; dmarc=pass",
        "mx.club.test; dmarc=pass header.from=bank.example",
        "mx.club.test; dmarc=pass header.from=Bank.EXAMPLE",
        "mx.club.test; dmarc=pass header.from=alice@bank.example",
        "mx.club.test; dmarc=pass header.from=@bank.example",
        'mx.club.test; dmarc=pass header.from="bank.example"',
        "mx.club.test; dmarc=pass (p=none) header.from=bank.example",
        "mx.club.test; dmarc=pass(p=REJECT dis=NONE) header.from=bank.example",
        "mx.club.test; dmarc=pass (p=none (sp=none) \\) dis=none) header.from=bank.example (and) (more)",
        "mx.club.test 1; dmarc=pass header.from=bank.example",
        "mx.club.test (our own) 1 (of RFC 8601); dmarc (so) / 1 = (and so) pass header (.) . from = bank.example",
        "MX.Club.Test; DMARC=Pass Header.From=bank.example",
        '"mx.club.test"; dmarc=pass header.from=bank.example',
        "(first) mx.club.test;dmarc=pass header.from=bank.example;",
        "mx.club.test;\n dkim=pass header.d=bank.example header.b=AbC/d+=;\n\tdmarc=pass header.from=bank.example",
        'mx.club.test; dmarc=pass reason="all; is (well" header.from=bank.example',
        'mx.club.test; dmarc=pass reason="a \\"quoted\\" word" header.from=bank.example',
        "mx.club.test; dmarc=pass action=none header.from=bank.example",
        "mx.club.test; dmarc=pass policy.applied-disposition=none policy.policy-from=p header.from=bank.example",
        "mx.club.test; spf=fail smtp.mailfrom=x@y.example; dmarc=pass; iprev=pass smtp.remote-ip=2001:db8::1",
        "mx.club.test; spf=pass (x@y.example designates 192.0.2.1) smtp.mailfrom=x@y.example; dmarc=pass",
        "mx.club.test; spf=pass (mx.club.test: dmarc=fail); dmarc=pass header.from=bank.example",
        'mx.club.test; spf=pass smtp.mailfrom="x; dmarc=fail"@y.example; dmarc=pass header.from=bank.example',
        "mx.club.test; dmarc=pass (Ünïcödé) header.from=bank.example",
    ],
)
def test_a_pass_of_our_own_server_is_believed(value: str) -> None:
    assert results(value)


@for_each(
    "value",
    [
        "",
        ";",
        "mx.club.test",
        "mx.club.test;",
        "mx.club.test; none",
        "mx.club.test; dmarc=fail header.from=bank.example",
        "mx.club.test; dmarc=none",
        "mx.club.test; dmarc=passed",
        "mx.club.test; dmarc=pass-x",
        "mx.club.test; dmarc=bestguesspass",
        "mx.club.test; dmarc=",
        "mx.club.test; dmarc",
        "mx.club.test; dmarc pass",
        "mx.club.test; dkim=pass header.d=bank.example; spf=pass smtp.mailfrom=alice@bank.example",
        "mx.club.test; x-dmarc=pass",
        "mx.club.test; dmarc-x=pass",
        # Another server, or none.
        "mx.evil.example; dmarc=pass",
        "mx.club.test.evil.example; dmarc=pass",
        "evil.mx.club.test; dmarc=pass",
        "club.test; dmarc=pass",
        "mx.club.test/1; dmarc=pass",
        "evil.example mx.club.test; dmarc=pass",
        "evil.example (mx.club.test); dmarc=pass",
        "evil.example; mx.club.test; dmarc=pass",
        "dmarc=pass",
        "dmarc=pass header.from=bank.example; mx.club.test",
        "; mx.club.test; dmarc=pass",
        "i=1; mx.club.test; dmarc=pass",
        # Another From.
        "mx.club.test; dmarc=pass header.from=evil.example",
        "mx.club.test; dmarc=pass header.from=mallory@bank.example",
        "mx.club.test; dmarc=pass header . from = evil.example",
        "mx.club.test; dmarc=pass header\t.\tfrom\t=\tevil.example",
        "mx.club.test; dmarc=pass header.from=sub.bank.example",
        "mx.club.test; dmarc=pass header.from=example",
        "mx.club.test; dmarc=pass header.from=bank.example.evil.example",
        "mx.club.test; dmarc=pass header.from=bank.example header.from=evil.example",
        "mx.club.test; dmarc=pass header.from=evil.example header.from=bank.example",
        'mx.club.test; dmarc=pass header.from="evil.example bank.example"',
        "mx.club.test; dmarc=pass header.from=",
        "mx.club.test; dmarc=pass header.from=bank\u212a.example",
        # Words in other places.
        "mx.club.test; (dmarc=pass) spf=pass",
        "mx.club.test; spf=pass (; dmarc=pass ;)",
        "mx.club.test; spf=pass (a (nested) ; dmarc=pass)",
        "mx.club.test; spf=pass (a \\) ; dmarc=pass)",
        'mx.club.test; spf=fail reason="dmarc=pass"',
        'mx.club.test; spf=fail reason="; dmarc=pass"',
        'mx.club.test; spf=fail reason="a\\"; dmarc=pass"',
        "mx.club.test; spf=fail smtp.mailfrom=dmarc=pass",
        "mx.club.test; spf=fail dmarc=pass",
        "mx.club.test; spf=fail x.dmarc=pass",
        'mx.club.test; "dmarc"=pass',
        'mx.club.test; dmarc="pass"',
        "mx.club.test dmarc=pass",
        # Told twice, or not by the book.
        "mx.club.test; dmarc=pass header.from=bank.example; dmarc=fail header.from=bank.example",
        "mx.club.test; dmarc=fail header.from=bank.example; dmarc=pass header.from=bank.example",
        "mx.club.test; dmarc=pass; dmarc=pass",
        "mx.club.test; none; dmarc=pass",
        "mx.club.test; ; dmarc=pass",
        "mx.club.test; dmarc=pass;;",
        "mx.club.test 2; dmarc=pass",
        "mx.club.test 11; dmarc=pass",
        "mx.club.test 1 1; dmarc=pass",
        "mx.club.test x; dmarc=pass",
        "mx.club.test; dmarc/2=pass",
        "mx.club.test; dmarc=pass fail",
        "mx.club.test; dmarc=pass header.from",
        "mx.club.test; dmarc=pass =bank.example",
        "mx.club.test; dmarc=pass (",
        "mx.club.test; dmarc=pass )",
        "mx.club.test; dmarc=pass (p=none (",
        'mx.club.test; dmarc=pass reason="',
        'mx.club.test; dmarc=pass "x" header.from=bank.example',
        "mx.club.test; dmarc=pass \\; spf=pass",
        "mx.club.test; dmarc=pass\u00a0header.from=bank.example",
        "mx.club.test\0; dmarc=pass",
        "mx.club.test; dmarc=pass\0",
        "mx.club.test; dmarc=pass (p=\0none)",
        "mx.club.test; dmarc=pass reason=\x1b",
        "mx.club.test; dmarc=pass=pass",
        'mx.club.test; dmarc=pass"fail"',
        "mx.club.test; dmarc=pass; spf=fail smtp.mailfrom=a\\b",
        "mx.club.test; dmarc=pass; spf=fail smtp.mailfrom=a)",
        "mx.club.test; dmarc=pass\r; spf=pass",
        # What a sloppy server may let a sender's envelope address do, who quotes its local part.
        'mx.club.test; spf=pass (domain of "a) ; dmarc=pass ; x=y "@evil.example) ; dmarc=fail',
        'mx.club.test; spf=pass (domain of "a) ; dmarc=pass ; x=y (b"@evil.example) ; dmarc=none',
        'mx.club.test; spf=pass (domain of "a) dmarc=pass (b"@evil.example)',
        "mx.club.test; spf=pass smtp.mailfrom=x; dmarc=pass @evil.example; dmarc=fail",
    ],
)
def test_whatever_is_unclear_is_not_believed(value: str) -> None:
    assert not results(value)


def test_a_header_too_long_to_be_read_is_not_believed() -> None:
    most = "mx.club.test; dmarc=pass; spf=fail reason="
    assert results(most + "x" * (MAX_RESULTS - len(most) - 1))
    assert not results(most + "x" * (MAX_RESULTS - len(most)))


def test_another_header_of_that_kind_says_nothing() -> None:
    assert not believed("ARC-Authentication-Results: i=1; mx.club.test; dmarc=pass header.from=bank.example")
    assert not believed("ARC-Authentication-Results: mx.club.test; dmarc=pass header.from=bank.example")
    assert not believed("X-Authentication-Results: mx.club.test; dmarc=pass header.from=bank.example")
    assert not believed("Received-SPF: pass\nX: mx.club.test; dmarc=pass")


PASS = "Authentication-Results: mx.club.test; dmarc=pass header.from=bank.example"


@for_each(
    "above",
    [
        "Authentication-Results: mx.club.test; dmarc=fail header.from=bank.example",
        "Authentication-Results: MX.club.test; spf=pass smtp.mailfrom=x@y.example",
        "Authentication-Results: mx.club.test; none",
        "Authentication-Results: mx.club.test",
        "Authentication-Results: mx.club.test 2; dmarc=pass",
        "Authentication-Results: mx.club.test; dmarc=pass (",
        'Authentication-Results: "mx.club.test"; dmarc=fail',
        "Authentication-Results: (mx.club.test; dmarc=fail",
        'Authentication-Results: "mx.club.test; dmarc=fail',
        "authentication-results : mx.club.test; dmarc=temperror",
    ],
)
def test_only_the_topmost_header_of_our_server_counts(above: str) -> None:
    assert not believed(above, PASS)
    assert believed(PASS, above)


def test_those_of_other_servers_above_it_do_not_matter() -> None:
    others = (
        "Authentication-Results: mx.other.example; dmarc=fail header.from=bank.example",
        "Authentication-Results: spf=fail (no server named) smtp.mailfrom=x; dmarc=fail action=none",
        "ARC-Authentication-Results: i=1; mx.club.test; dmarc=fail",
    )
    assert believed(*others, "Received: by mx.club.test", PASS)


def test_a_line_that_the_sender_makes_a_part_of_it_does_not_turn_it() -> None:
    assert not believed("Authentication-Results: mx.club.test; none", " ; dmarc=pass header.from=bank.example")
    assert not believed(
        "Authentication-Results: mx.club.test; dmarc=fail", " ; dmarc=pass header.from=bank.example"
    )
    assert not believed("Authentication-Results: mx.club.test; dmarc=fail (", " ) ; dmarc=pass")


def test_without_a_server_named_none_is_believed() -> None:
    assert not believed(PASS, authserv_id="")
    assert not believed("Authentication-Results: ; dmarc=pass", authserv_id="")
    assert not believed('Authentication-Results: ""; dmarc=pass', authserv_id="")
    assert believed(PASS, authserv_id="MX.Club.Test")


@for_each(
    "sender",
    [
        "alice@bank.example <mallory@evil.example>",
        "Alice <alice@bank.example>, mallory@evil.example",
        "friends: alice@bank.example;",
        "alice@bank.example\nFrom: alice@bank.example",
        "alice@bank.example\nFrom: mallory@evil.example",
        "",
    ],
)
def test_a_doubtful_sender_is_not_believed(sender: str) -> None:
    assert not believed("Authentication-Results: mx.club.test; dmarc=pass", sender=sender)
    assert not believed(PASS, sender=sender)


def test_of_a_head_too_long_to_be_read_nothing_is_believed() -> None:
    assert not believed(PASS, *["X: y"] * 5000)
    assert believed(PASS, *["X: y"] * 4000)


@for_each(
    "value",
    [
        "mx.club.test;" + " dmarc=pass;" * 5000,
        "mx.club.test; dmarc=pass" + " a.b=c" * 2500,
        "mx.club.test; dmarc=pass " + "a" * 16_000,
        "mx.club.test; dmarc=pass " + "a.b=" * 4000,
        "mx.club.test; dmarc=pass" + " " * 16_000 + "x",
        "mx.club.test; dmarc" + " " * 16_000 + "x",
        "mx.club.test" + " " * 16_000 + "x",
        "(" * 60_000,
        "mx.club.test; " + "()" * 8000,
        '"' * 60_000,
        'mx.club.test; dmarc=pass a="' + '\\"' * 8000,
        "mx.club.test; dmarc=pass a=" + '""' * 8000 + '"',
    ],
    ids=lambda value: value[:40],
)
def test_hostile_headers_are_read_in_time(value: str) -> None:
    with deadline():
        believed(*[f"Authentication-Results: {value}"] * 20)
        believed(*[f"Authentication-Results: x{value}"] * 20)


NEAR = st.sampled_from(
    [
        *(
            b"mx.club.test",
            b"dmarc",
            b"=",
            b"pass",
            b"fail",
            b";",
            b" ",
            b"(",
            b")",
            b'"',
            b"\\",
            b"/",
            b"1",
            b".",
        ),
        *(b"header.from", b"bank.example", b"; dmarc=pass", b" header.from=bank.example", b"spf=pass", b"none"),
    ]
)


@examples(500)
@given(st.lists(st.one_of(NEAR, NEAR, PIECES, st.binary(max_size=4)), max_size=40).map(b"".join))
@example(b"mx.club.test; dmarc=pass")
def test_whatever_a_sender_writes_below_or_inside_never_makes_it_a_pass(junk: bytes) -> None:
    junk = junk.replace(b"\n", b" ").replace(b"\r", b" ")
    believed(b"Authentication-Results: " + junk)
    inside = junk.translate(None, b'\\"')
    failed = b'Authentication-Results: mx.club.test; spf=pass smtp.mailfrom="' + inside + b'"@x; dmarc=fail'
    assert not believed(failed, b"Authentication-Results: " + junk)
    assert not believed(b"Authentication-Results: mx.club.test; dmarc=fail; x=y " + junk)
