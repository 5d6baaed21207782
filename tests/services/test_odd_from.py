"""From lines as programs write them, beside a token: each with what becomes of a move in that mail."""

import pytest

from tests.services.post import Post, address_of, text_of

ALICE = "alice@example.org"
WORK = "a.example@work.example"

PLAYED = [
    "alice@example.org",
    "Alice <alice@example.org>",
    "alice@example.org <alice@example.org>",
    "'alice@example.org' <alice@example.org>",
    "Example, Alice <alice@example.org>",
    "Alice [home] <alice@example.org>",
    "Alice: home <alice@example.org>",
    "alice@example.org.",
    "Alice <alice@example.org.>",
    "alice@example.org,",
    "<alice@example.org>;",
    "alice@example.org <>",
    "Alice alice@example.org",
    "Alice <<alice@example.org>>",
    "Alice <alice@example.org",
    "Alice alice@example.org>",
    "<alice@example.org> Alice",
    '"Alice <alice@example.org>',
    '"<Alice>" <alice@example.org>',
    '"<alice@example.org>" <alice@example.org>',
    "alice@example.org (",
    "(alice@example.org) alice@example.org",
    "mailto:alice@example.org",
    "[alice@example.org]",
    "friends: alice@example.org;",
    "=?utf-8?q?Alice_=3Calice=40example.org=3E?=",
    "=?utf-8?b?YWxpY2VAZXhhbXBsZS5vcmc=?=",
    "=?utf-8?q?Example=2C?= Alice, <ALICE@EXAMPLE.ORG>",
    "\u00c4lice, <alice@example.org>",
    "Alice\x07 <alice@example.org>",
    "alice@example.org\r\nFrom: alice@example.org",
    "alice@example.org\r\nFrom:",
    f"Alice <alice@example.org>, {WORK}",
]
TOLD = [
    "",
    "Alice",
    "undisclosed-recipients:;",
    "alice@example.org, bob@example.org",
    "alice@example.org\r\nFrom: bob@example.org",
    "friends: alice@example.org, bob@example.org;",
    "alice@ example.org",
    '"alice"@example.org',
    "alice@example.org@example.org",
    "alice@[192.0.2.1]",
    "\u00e4lice@example.org",
    "alice@ex\u00e4mple.org",
    "Alice @ home, <alice@example.org>",
    "alice@elsewhere.example <alice@elsewhere.example>",
]


@pytest.fixture
def club(asking_post: Post) -> Post:
    """Alice, who has two addresses, and bob at board 101; a move of alice's waits."""
    asking_post.people(alice="sesame", bob="poppy")
    for letter in asking_post.mail(ALICE, "as alice sesame", f"add {WORK}"):
        if letter.recipient == WORK:
            asking_post.answer(letter, "yes")
    asking_post.mail(ALICE, "as alice sesame", "challenge alice bob")
    return asking_post


@pytest.mark.sampled(10)
@pytest.mark.parametrize("sender", PLAYED)
def test_all_addresses_are_hers(club: Post, sender: str) -> None:
    """Then her personal address proves, as ever, and the answer goes to her first address."""
    letter = club.sent_to(ALICE)[-1]
    letters = club.send(club.write(sender, "Re: hi", "c3"), ALICE, [address_of(letter)])
    assert club.moves() == ["C3"]
    assert [each.recipient for each in letters] == [ALICE, "bob@example.org"]


@pytest.mark.parametrize("sender", TOLD)
def test_it_names_others_or_nobody(club: Post, sender: str) -> None:
    """Then nothing is done, and she is told how to send it so that it is."""
    letter = club.sent_to(ALICE)[-1]
    (told,) = club.send(club.write(sender, "Re: hi", "c3"), ALICE, [address_of(letter)])
    assert (club.moves(), told.recipient) == ([], ALICE)
    assert "    alice@example.org\n" in text_of(told)
    assert "c3" not in text_of(told)
    (answered, _) = club.answer(letter, "c3")
    assert (club.moves(), answered.recipient) == (["C3"], ALICE)


def test_what_she_is_told(club: Post) -> None:
    letter = club.sent_to(ALICE)[-1]
    (told,) = club.send(club.write("", "Re: hi", "c3"), ALICE, [address_of(letter)])
    assert text_of(told) == (
        "Somebody answered one of our mails to you, but the From line does not\n"
        "say that the answer is from you alone. So nothing in it was done.\n"
        "\n"
        "If you wrote it, send it again with a From line that has one of your\n"
        "addresses and no other, such as\n"
        "    alice@example.org\n"
        "or begin it with\n"
        "    as alice PASSWORD\n"
        "If you didn't, somebody else knows the address that one of our mails\n"
        "came from. To make that address worthless, answer with\n"
        "    revoke\n"
    )


def test_a_newcomer_confirms(asking_post: Post) -> None:
    """The welcome mail's question is answered from its address, however that is written."""
    (welcome,) = asking_post.mail("eva@example.org", "signup eva sesame")
    asking_post.send(
        asking_post.write("eva@example.org <eva@example.org>", "Re: hi", "yes"), ALICE, [address_of(welcome)]
    )
    assert asking_post.is_confirmed("eva")


def test_nothing_is_believed_without_a_token(post: Post) -> None:
    """Not even where a clean From is."""
    post.people(alice="sesame", bob="poppy")
    post.mail(ALICE, "challenge alice bob")
    assert post.mail(f"{ALICE} <{ALICE}>", "101 c3") == []
    assert post.moves() == []


def test_mails_stay_in_order_however_from_is_written(post: Post) -> None:
    """By the one address in it; where it names several, by the envelope's."""
    senders = [
        "alice@example.org <ALICE@example.org>",
        "Example, Alice <alice@example.org>",
        "a@x.example, b@x.example",
    ]
    for sender in senders:
        post.put(post.write(sender, "hi"), "envelope@example.org")
    assert [kept.sender for kept in post.inbox()] == [ALICE, ALICE, "envelope@example.org"]
