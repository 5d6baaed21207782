"""Unwanted messages: who gets them, how many, and what their sender learns."""

import pytest

from tests.services.post import Post, text_of

ALICE, BOB, CARL = "alice@example.org", "bob@example.org", "carl@example.org"


def messages_to(post: Post, address: str) -> int:
    """How many messages an address was sent."""
    return sum("writes to you" in text_of(each) for each in post.sent_to(address))


def test_many_strangers_write_to_one_player(club: Post) -> None:
    """Ten accounts of one sender write to a player whom none has played with: five get through."""
    for number in range(10):
        club.people(**{f"spam{number}x": "poppy"})
        club.clock.move(hours=1)
        (told, *_) = club.mail(f"spam{number}x@example.org", "", f"as spam{number}x poppy\nmessage carl: Buy!")
    assert messages_to(club, CARL) == 5
    assert "tomorrow" in text_of(told)
    assert "challenge spam9x carl" in text_of(told)
    club.clock.move(days=1)
    club.mail("spam1x@example.org", "", "as spam1x poppy\nmessage carl: Buy!")
    assert messages_to(club, CARL) == 6


def test_one_stranger_writes_and_writes(club: Post) -> None:
    """One sender writes to one player whom they have never played with, again and again."""
    for _ in range(8):
        club.mail(CARL, "", "as carl lotus\nmessage bob: Hello?")
    assert messages_to(club, BOB) == 5


def test_whom_one_has_played_with_is_no_stranger(club: Post) -> None:
    """No attack: those who play together write as much as anybody, though strangers have used up their five."""
    for _ in range(6):
        club.mail(CARL, "", "as carl lotus\nmessage bob: Hello?")
    for _ in range(7):
        club.mail(ALICE, "", "as alice sesame\nmessage bob: Your move!")
    assert messages_to(club, BOB) == 5 + 7


@pytest.mark.parametrize(("wanted", "from_alice", "from_carl"), [("on", 1, 1), ("known", 1, 0), ("off", 0, 0)])
def test_messages_are_not_wanted(club: Post, wanted: str, from_alice: int, from_carl: int) -> None:
    """A player who wants no messages, or none from strangers, is written to all the same."""
    club.mail(BOB, f"set bob poppy messages {wanted}")
    club.mail(ALICE, "", "as alice sesame\nmessage bob: Your move!")
    assert messages_to(club, BOB) == from_alice
    (told, *_) = club.mail(CARL, "", "as carl lotus\nmessage bob: Hello?")
    assert messages_to(club, BOB) == from_alice + from_carl
    assert ("not sent" in text_of(told)) != bool(from_carl)


def test_a_game_that_was_declined_makes_nobody_known(club: Post) -> None:
    """A stranger challenges a player to be known, is declined, and writes."""
    club.mail(BOB, "set bob poppy messages known")
    club.mail(CARL, "challenge carl bob -size=3x3")
    club.mail(BOB, "resign 102 bob poppy")
    club.mail(CARL, "", "as carl lotus\nmessage bob: Hello?")
    assert messages_to(club, BOB) == 0


def test_what_is_no_value(club: Post) -> None:
    """A wrong value for `set messages` is answered with the right ones."""
    (refused,) = club.mail(BOB, "set bob poppy messages maybe")
    assert "set messages known" in text_of(refused)
    assert "maybe" not in text_of(refused)
