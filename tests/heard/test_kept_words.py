"""Words beside what waits for a `yes`: they are counted in the question, kept with it, and sent by it."""

import pytest

from pbmserv.commands.server import Server
from pbmserv.services.app import App
from pbmserv.store.outbox import QueuedMessage
from tests.conftest import ADDRESS, Clock
from tests.services.post import Post, text_of

ALICE, BOB = "alice@example.org", "bob@example.org"


@pytest.fixture
def post(sqlite_house: App, clock: Clock) -> Post:
    """Alice and Bob, where a From address proves nothing. Bob takes broadcasts."""
    house = App(sqlite_house.engine, Server(ADDRESS, variants=True), sqlite_house.new_token, sqlite_house.hasher)
    club = Post(house, clock)
    club.people(alice="sesame", bob="poppy")
    club.mail(BOB, "as bob poppy", "set broadcast on")
    club.mail(BOB, "as bob poppy", "challenge bob alice")
    return club


def to(address: str, letters: list[QueuedMessage]) -> str:
    """What goes to an address; a line's end is a blank."""
    return " ".join(" ".join(text_of(each).split()) for each in letters if each.recipient == address)


COMMANDS = ["challenge alice bob", "message bob", "broadcast", "chat 101", "propose 101"]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_yes_sends_them(post: Post, command: str) -> None:
    asked = post.mail(ALICE, command, "Hello Ben, shall we?\n\nThis time I win.")
    assert "Your text below it (8 words) waits, too" in to(ALICE, asked)
    assert "Ben" not in to(ALICE, asked), "a forger may have written them"
    assert "Ben" not in to(BOB, asked)
    (question,) = [each for each in asked if each.recipient == ALICE]
    answers = post.answer(question, "yes")
    assert to(BOB, answers).count("| Hello Ben, shall we? | | This time I win.") == 1
    assert "Ben" not in to(BOB, post.answer(question, "yes"))


@pytest.mark.parametrize("command", COMMANDS)
def test_a_no_drops_them(post: Post, command: str) -> None:
    (question,) = [each for each in post.mail(ALICE, command, "Hello Ben!") if each.recipient == ALICE]
    assert "will not be done" in to(ALICE, post.answer(question, "no"))
    assert "Ben" not in to(BOB, post.answer(question, "yes"))


def test_words_below_the_yes_go_along(post: Post) -> None:
    (question,) = post.mail(ALICE, "message bob", "Hello Ben!")
    answers = post.answer(question, "yes\nPS: I am back.")
    assert "| Hello Ben! | PS: I am back." in to(BOB, answers)


def test_words_that_begin_others_are_kept(post: Post) -> None:
    """What stands below the yes may happen to contain them."""
    (question,) = post.mail(ALICE, "message bob", "hi")
    assert "| hi | this is me" in to(BOB, post.answer(question, "yes\nthis is me"))


def test_other_words_are_another_question(post: Post) -> None:
    """A mail in Alice's name does not change what her own question sends."""
    (question,) = post.mail(ALICE, "message bob", "Hello Ben!")
    post.mail(ALICE, "message bob", "You are a fool.")
    answers = post.answer(question, "yes")
    assert "Hello Ben!" in to(BOB, answers)
    assert "fool" not in to(BOB, answers)


def test_a_challenge_waits_with_its_words(post: Post) -> None:
    """So that one invitation brings both. Without words it begins at once, as ever."""
    (question,) = post.mail(ALICE, "challenge alice bob", "Hello Ben!")
    (_, invitation) = post.answer(question, "yes")
    assert "alice has challenged you" in to(BOB, [invitation])
    assert "alice writes: | Hello Ben!" in to(BOB, [invitation])
    assert "has challenged you" in to(BOB, post.mail(ALICE, "challenge alice bob"))


def test_a_challenge_in_answer_to_another_game(post: Post) -> None:
    """An answer to one player's board is no proof for words to others."""
    post.people(carol="clover")
    (question,) = post.answer(post.sent_to(ALICE)[-1], "challenge alice carol\nHello Carol!")
    assert "(2 words) waits, too" in to(ALICE, [question])
    letters = post.answer(question, "yes")
    assert "alice writes: | Hello Carol!" in to("carol@example.org", letters)


def test_a_first_challenge_from_the_welcome(post: Post) -> None:
    """Who answers our first mail has proven who they are: the words go with the invitation, in one mail."""
    (welcome,) = post.mail("hana@place.example", "", "Sign me up as hana please")
    letters = post.answer(welcome, "challenge hana bob\nHello Bob, shall we?")
    assert len([each for each in letters if each.recipient == BOB]) == 1
    assert "hana writes: | Hello Bob, shall we?" in to(BOB, letters)


def test_what_is_for_nobody_is_not_kept(post: Post) -> None:
    asked = post.mail(ALICE, "delete", "I have no time for this.")
    assert "no time" not in to(ALICE, asked)
