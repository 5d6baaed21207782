"""From lines that are to be taken for a player's, beside an address that only the player was told."""

from pbmserv.commands import policy
from tests.conftest import ADDRESS
from tests.services.post import Post, address_of, text_of, thread_word_of

ALICE, BOB, MALLORY = "alice@example.org", "bob@example.org", "mallory@evil.example"
NOT_YOURS = "does not\nsay that the answer is from you alone"


def attack(club: Post, sender: str, text: str = "a1") -> list[str]:
    """A mail to alice's personal address, and whom it brought a letter."""
    letter = next(letter for letter in club.sent_to(ALICE) if letter.match == 101)
    letters = club.send(club.write(sender, "Re: hi", text), MALLORY, [address_of(letter)])
    assert club.moves() == []
    assert all(
        NOT_YOURS in text_of(each) or "Are you also" in " ".join(text_of(each).split())
        for each in letters
        if each.recipient == ALICE
    )
    return [each.recipient for each in letters]


def test_her_address_before_the_real_one(club: Post) -> None:
    """Write `alice@example.org <mallory@evil.example>`, which old parsers take for alice."""
    assert attack(club, f"{ALICE} <{MALLORY}>") == [ALICE]


def test_two_addresses(club: Post) -> None:
    """Name alice among several authors."""
    assert attack(club, f"{MALLORY}, {ALICE}") == [ALICE]
    assert attack(club, f"<{ALICE}> <{MALLORY}>") == [ALICE]


def test_two_headers(club: Post) -> None:
    """Send two From headers, of which mail programs show the first and servers check the last."""
    assert attack(club, f"{ALICE}\r\nFrom: {MALLORY}") == [ALICE]
    assert attack(club, f"{MALLORY}\r\nFrom: {ALICE}") == [ALICE]


def test_a_source_route(club: Post) -> None:
    """Route alice's address through a foreign host."""
    assert attack(club, f"<@evil.example:{ALICE}>") == [ALICE]


def test_her_address_as_a_local_part(club: Post) -> None:
    """Quote alice's whole address before the @ of a foreign domain."""
    assert attack(club, f'"{ALICE}"@evil.example') == [ALICE]
    assert attack(club, f"{ALICE}({MALLORY})@evil.example") == [ALICE]


def test_her_address_in_a_comment(club: Post) -> None:
    """Hide the foreign address in a comment, or in a quoted name with brackets."""
    assert attack(club, f"{ALICE} ({MALLORY})") == [ALICE]
    assert attack(club, f'"<{MALLORY}>" <{ALICE}>') == [ALICE]


def test_a_group(club: Post) -> None:
    """Put both into a group."""
    assert attack(club, f"Club: {ALICE}, {MALLORY};") == [ALICE]


def test_an_encoded_address(club: Post) -> None:
    """Encode the foreign address as a name, so that it stands there only once decoded."""
    assert attack(club, f"=?utf-8?q?mallory=40evil=2Eexample?=, <{ALICE}>") == [ALICE]


def test_another_at(club: Post) -> None:
    """Write the foreign address with a full-width or a small @."""
    assert attack(club, f"mallory\uff20evil.example, <{ALICE}>") == [ALICE]
    assert attack(club, f"mallory\ufe6bevil.example, <{ALICE}>") == [ALICE]


def test_letters_that_look_alike(club: Post) -> None:
    """Spell her address with a Cyrillic a, which is another address, beside hers."""
    assert attack(club, f"\u0430lice@example.org <{ALICE}>") == [ALICE]


def test_nul(club: Post) -> None:
    """End her address with a NUL for parsers that stop there."""
    assert attack(club, f"{ALICE}\0 <{MALLORY}>") == [ALICE]


def test_nobody(club: Post) -> None:
    """Name nobody at all, by an empty From, an empty group, or none."""
    assert attack(club, "") == [ALICE]
    assert attack(club, "undisclosed-recipients:;") == [ALICE]


def test_a_long_header(club: Post) -> None:
    """Stand the foreign address behind 5 kB of blanks and her name, where parsers have stopped to read."""
    assert attack(club, f"{ALICE} <{ALICE}>{' ' * 5000}, {MALLORY}") == [ALICE]


def test_her_address_as_a_name(club: Post) -> None:
    """Bear her address as a name, `"alice@example.org" <mallory@evil.example>`, and answer a mail of hers."""
    assert attack(club, f'"{ALICE}" <{MALLORY}>') == [ALICE]
    assert attack(club, f"=?utf-8?q?alice=40example.org?= <{MALLORY}>", "101 a1") == []


def test_from_elsewhere(club: Post) -> None:
    """Answer a mail of hers from an address that is nobody's: she alone is asked, and once a week at most."""
    assert attack(club, MALLORY) == [ALICE]
    assert attack(club, MALLORY, "help") == []
    assert attack(club, "eve@evil.example", "101 resign") == []


def test_another_player_beside_her(club: Post) -> None:
    """As bob, answer a mail of alice's with both addresses in From, or with his own twice."""
    assert attack(club, f"{ALICE}, {BOB}") == [ALICE]
    assert attack(club, f"{BOB} <{BOB}>") == [ALICE]


def test_a_made_up_word(club: Post) -> None:
    """Write her address oddly beside a word that was guessed: nobody is mailed anything."""
    raw = club.write(f"{ALICE} <{ALICE}>", "Re: hi", "a1")
    assert club.send(raw, MALLORY, ["pbmserv+abcdefghij2345678901@club.test"]) == []
    assert club.mail(f"{ALICE} <{ALICE}>", "hi", "101 a1") == []
    assert club.moves() == []


def test_a_message_id(club: Post) -> None:
    """Write her address oddly beside a Message-ID's word, as a reference or in our address: it proves nothing."""
    letter = next(letter for letter in club.sent_to(ALICE) if letter.match == 101)
    odd = f"{ALICE} <{ALICE}>"
    assert club.mail(odd, "Re: hi", "a1", In_Reply_To=letter.message_id, References=letter.message_id) == []
    assert club.send(club.write(odd, "Re: hi", "a1"), ALICE, [f"pbmserv+{thread_word_of(letter)}@club.test"]) == []
    assert club.moves() == []


def test_a_revoked_word(club: Post) -> None:
    """Where From addresses are believed, write hers oddly beside a word that she has revoked: it is asked."""
    letter = next(letter for letter in club.sent_to(ALICE) if letter.match == 101)
    club.answer(letter, "revoke")
    here = club.with_server(confirm="from")
    letters = here.send(here.write(f"{ALICE} <{ALICE}>", "Re: hi", "101 a1"), MALLORY, [address_of(letter)])
    assert (here.moves(), [each.recipient for each in letters]) == ([], [ALICE])


def test_a_bomb(club: Post) -> None:
    """Have alice told of forged mails without end."""
    told = [each for number in range(policy.NOT_THEIRS.most + 10) for each in attack(club, "", f"a{number}")]
    assert told == [ALICE] * policy.NOT_THEIRS.most


def test_a_second_copy(club: Post) -> None:
    """Send one forged mail by two roads: she gets one notice."""
    letter = next(letter for letter in club.sent_to(ALICE) if letter.match == 101)
    raw = club.write(f"{ALICE}, {MALLORY}", "Re: hi", "a1")
    assert len(club.send(raw, MALLORY, [address_of(letter)])) == 1
    assert club.send(raw, MALLORY, [address_of(letter)]) == []


def test_a_machine(club: Post) -> None:
    """Answer by a machine with an odd From: no effect and no answer, as for any machine."""
    letter = next(letter for letter in club.sent_to(ALICE) if letter.match == 101)
    for sender, headers in [
        (f"{ALICE} <{ALICE}>", {"Auto_Submitted": "auto-replied"}),
        ("noreply@evil.example <noreply@evil.example>", {}),
        (f"{ADDRESS} <{ADDRESS}>", {}),
    ]:
        assert club.send(club.write(sender, "Re: hi", "a1", **headers), MALLORY, [address_of(letter)]) == []
    assert club.moves() == []
