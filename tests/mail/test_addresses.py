import pytest

from pbmserv.mail.addresses import MAX_FROM, one_address

ALICE = "alice@bank.example"


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
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
        "a" * 65 + "@bank.example",
        "alice@" + "b" * 64 + ".example",
        "alice@" + "b." * 125 + "example",
        "a" * MAX_FROM + " <alice@bank.example>",
    ],
)
def test_what_is_doubtful_is_unknown(value: str) -> None:
    assert one_address([value.encode()]) is None


def test_there_must_be_exactly_one_header() -> None:
    assert one_address([]) is None
    assert one_address([ALICE.encode()]) == ALICE
    assert one_address([ALICE.encode(), ALICE.encode()]) is None
