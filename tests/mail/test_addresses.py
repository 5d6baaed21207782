from pbmserv.mail.reading.headers import MAX_FROM, doubtful_addresses, head_of, one_address, sender_of
from pbmserv.mail.reading.read import read
from tests.every import for_each

ALICE = "alice@bank.example"
MALLORY = "mallory@evil.example"


@for_each(
    "value",
    [
        "alice@bank.example",
        "Alice@Bank.EXAMPLE",
        "  alice@bank.example\t",
        "<alice@bank.example>",
        "< alice@bank.example >",
        "Alice<alice@bank.example>",
        "Alice Q. Example <alice@bank.example>",
        "Alice O'Neill <alice@bank.example>",
        '"Example, Alice" <alice@bank.example>',
        '"Alice \\"Al\\" Example" <alice@bank.example>',
        '"alice@bank.example" <alice@bank.example>',
        '"mallory@evil.example" <alice@bank.example>',
        '"(not a comment" <alice@bank.example>',
        '"" <alice@bank.example>',
        "=?utf-8?q?alice=40evil=2Eexample?= <alice@bank.example>",
        "alice@bank.example (Alice)",
        "(Alice) alice@bank.example",
        "(a (nested) \\) comment) Alice <alice@bank.example> (and more)",
        "Älice <alice@bank.example>",
    ],
)
def test_plain_addresses_are_read(value: str) -> None:
    assert one_address([value.encode()]) == ALICE


@for_each(
    "value",
    [
        "o'neill+tag=x!y%z@bank.example",
        "{a|b}~`c`@a-b.c0.example",
        "a@localhost",
        "a" * 64 + "@" + "b" * 63 + ".example",
    ],
)
def test_unusual_addresses_are_addresses(value: str) -> None:
    assert one_address([value.encode()]) == value


@for_each(
    "value",
    [
        "",
        " ",
        "alice",
        "Alice <>",
        "Alice <alice>",
        "alice@",
        "@bank.example",
        "alice@bank.example <mallory@evil.example>",
        "Alice <alice@bank.example> <mallory@evil.example>",
        "alice@bank.example mallory@evil.example",
        "alice@bank.example, <mallory@evil.example>",
        "alice@bank.example <>",
        "alice@bank.example (mallory@evil.example)",
        "alice@bank.example (<mallory@evil.example>)",
        "<alice@bank.example>(<mallory@evil.example>)",
        "alice@bank.example;",
        "alice@bank.example; mallory@evil.example",
        "alice@bank.example\tmallory@evil.example",
        "alice@bank.example%00 <mallory@evil.example>",
        "=?utf-8?q?alice=40bank.example?=",
        "<=?utf-8?q?alice=40bank.example?=>",
        "=?utf-8?q?Alice_=3Calice=40bank.example=3E?=",
        "=?utf-8?b?YWxpY2VAYmFuay5leGFtcGxl?=",
        "alice@bank.example, mallory@evil.example",
        "Example, Alice <alice@bank.example>",
        "<alice@bank.example>,",
        "friends: alice@bank.example;",
        "friends: alice@bank.example, bob@bank.example;",
        "undisclosed-recipients:;",
        "<@evil.example:alice@bank.example>",
        "alice@bank.example@evil.example",
        "Alice alice@bank.example",
        "Alice <alice@bank.example> Example",
        "Alice <alice@bank.example",
        "Alice alice@bank.example>",
        "Alice <<alice@bank.example>>",
        '"<mallory@evil.example>" <alice@bank.example>',
        "(<mallory@evil.example>) alice@bank.example",
        "(mallory@evil.example) alice@bank.example",
        "alice@bank.example(",
        "alice@bank.example )",
        '"Alice <alice@bank.example>',
        '"Alice\\',
        "Alice \\<alice@bank.example>",
        "alice(comment)@bank.example",
        "alice @bank.example",
        "alice@ bank.example",
        '"alice"@bank.example',
        '"a b"@bank.example',
        "alice..b@bank.example",
        ".alice@bank.example",
        "alice.@bank.example",
        "alice@[192.0.2.1]",
        "alice@bank..example",
        "alice@bank.example.",
        "alice@-bank.example",
        "alice@bank-.example",
        "alice@bank_.example",
        "älice@bank.example",
        "alice@bänk.example",
        "\u212a@bank.example",
        "alice\u00a0@bank.example",
        "alice@bank.example\u00a0",
        "alice@bank.example\0",
        "Ali\0ce <alice@bank.example>",
        "mallory@evil.example\r <alice@bank.example>",
        "Mallory\r\n <alice@bank.example>",
        '"Mallory\x1b" <alice@bank.example>',
        "alice@bank.example\rBcc: x@y.example",
        "\u0430lice@bank.example",
        "alice@b\u0430nk.example",
        "alice@bank\uff0eexample",
        "alice\uff20bank.example",
        "\uff41lice@bank.example",
        "alice\u200b@bank.example",
        "alice\u00ad@bank.example",
        "\u202ealice@bank.example",
        "\ufeffalice@bank.example",
        "al\u0131ce@bank.example",
        "Alice\0 <alice@bank.example>",
        "alice@bank.example\x7f",
        "alice@bank.example\x0b<mallory@evil.example>",
        "a" * 65 + "@bank.example",
        "alice@" + "b" * 64 + ".example",
        "alice@" + "b." * 125 + "example",
        "a" * MAX_FROM + " <alice@bank.example>",
    ],
)
def test_what_is_doubtful_is_unknown(value: str) -> None:
    assert one_address([value.encode()]) is None


@for_each(
    "value",
    [
        '"alice@bank.example" <mallory@evil.example>',
        '"Alice (alice@bank.example)" <mallory@evil.example>',
        "=?utf-8?q?alice=40bank.example?= <mallory@evil.example>",
        "=?utf-8?q?alice=40bank.example=3E_=3C?= <mallory@evil.example>",
        "=?utf-8?b?YWxpY2VAYmFuay5leGFtcGxl?= <mallory@evil.example>",
        "alice at bank.example <mallory@evil.example>",
        "Alice \uff20bank.example <mallory@evil.example>",
        "\u202eAlice <mallory@evil.example>",
        "(Alice) mallory@evil.example",
    ],
)
def test_a_name_that_looks_like_an_address_is_a_name(value: str) -> None:
    assert one_address([value.encode()]) == MALLORY


@for_each(
    ("value", "seen"),
    [
        ("alice@xn--bnk-5cd.example", "alice@xn--bnk-5cd.example"),
        ("alice@bank.examp1e", "alice@bank.examp1e"),
        ("alice%bank.example@evil.example", "alice%bank.example@evil.example"),
        ("alice=bank.example@evil.example", "alice=bank.example@evil.example"),
        ("alice@bank.example.evil.example", "alice@bank.example.evil.example"),
        ("=?utf-8?q?alice?=@bank.example", "=?utf-8?q?alice?=@bank.example"),
    ],
)
def test_what_looks_like_another_address_is_the_one_it_is(value: str, seen: str) -> None:
    assert one_address([value.encode()]) == seen


@for_each(
    "name",
    ["Sender", "Reply-To", "Return-Path", "Resent-From", "Resent-Sender", "X-Original-From", "X-Sender", "From-"],
)
def test_no_other_header_names_or_changes_the_sender(name: str) -> None:
    for lines in ((f"{name}: {ALICE}", f"From: {MALLORY}"), (f"From: {MALLORY}", f"{name}: {ALICE}")):
        raw = "\n".join((*lines, "", "d4")).encode()
        assert read(raw, ALICE, "pbm@club.test").sender == sender_of(head_of(raw)) == MALLORY
    assert read(f"{name}: {ALICE}\n\nd4".encode(), ALICE, "pbm@club.test").sender is None


def test_two_from_headers_name_nobody() -> None:
    for first, second in ((ALICE, ALICE), (ALICE, MALLORY), (ALICE, ""), ("", ALICE)):
        raw = f"From: {first}\nSubject: d4\nFROM : {second}\n\nd4".encode()
        assert read(raw, ALICE, "pbm@club.test").sender is None


def test_there_must_be_exactly_one_header() -> None:
    assert one_address([]) is None
    assert one_address([ALICE.encode()]) == ALICE
    assert one_address([ALICE.encode(), ALICE.encode()]) is None


@for_each(
    ("values", "expected"),
    [
        ([], ()),
        ([""], ()),
        (["Alice"], ()),
        (["alice@bank.example <Alice@Bank.example>"], (ALICE,)),
        (["Example, Alice <alice@bank.example>", "mallory@evil.example."], (ALICE, MALLORY)),
        (["=?utf-8?q?mallory=40evil=2Eexample?=, <alice@bank.example>"], (ALICE, MALLORY)),
        (["Alice @ home, <alice@bank.example>"], ()),
        (["alice@bank.example, @evil.example"], ()),
        (["'alice@bank.example, <alice@bank.example>"], ("'alice@bank.example", ALICE)),
        (["\u212aim@bank.example"], ()),
        (["=?utf-8?b?4oSqaW1AYmFuay5leGFtcGxl?="], ()),
        (["mallory\uff20evil.example, <alice@bank.example>"], ()),
        (["<alice@bank.example>" + " " * MAX_FROM], ()),
    ],
)
def test_all_addresses_of_a_doubtful_from(values: list[str], expected: tuple[str, ...]) -> None:
    """In their order; none as soon as anything with an `@` is no address."""
    assert set(doubtful_addresses([value.encode() for value in values])) == set(expected)
