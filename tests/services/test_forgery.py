"""Mails that are not from whom they seem: what they bring about, and how much of it anybody else is mailed."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from pbmserv.commands import policy
from pbmserv.commands.server import Server
from pbmserv.services.app import App
from tests.conftest import ADDRESS, Clock, long_tokens
from tests.services.post import Post

ALICE, BOB, MALLORY, VICTIM = "alice@example.org", "bob@example.org", "mallory@evil.example", "victim@example.net"


@pytest.fixture
def club(sqlite_house: App, clock: Clock) -> Post:
    """Alice and bob at board 101 of 3x3, where it is alice's turn; From addresses prove nothing."""
    post = Post(replace(sqlite_house, server=Server(ADDRESS, variants=True), new_token=long_tokens()), clock)
    post.people(alice="sesame", bob="poppy")
    post.mail(ALICE, "challenge alice bob -size=3x3")
    post.clock.move(days=2)
    return post


# Headers that are to be taken for another's


FORGED = [
    "alice@example.org <mallory@evil.example>",
    "mallory@evil.example, alice@example.org",
    "alice@example.org\r\nFrom: mallory@evil.example",
    "mallory@evil.example\r\nFrom: alice@example.org",
    "<alice@example.org> <mallory@evil.example>",
    "<@evil.example:alice@example.org>",
    '"alice@example.org"@evil.example',
    "alice@example.org(mallory@evil.example)@evil.example",
    "=?utf-8?q?alice=40example.org?= <mallory@evil.example>",
    "alice@example.org\x00 <mallory@evil.example>",
    "Club: alice@example.org, mallory@evil.example;",
    "",
]


@pytest.mark.parametrize("confirm", ["ask", "from"])
def test_forged_from_headers(club: Post, confirm: str) -> None:
    """One address without any doubt, or nobody's: also where From is believed."""
    here = club.with_server(confirm=confirm)
    before = here.sent_to(ALICE)
    for sender in FORGED:
        here.send(here.write(sender, "hi", "101 a1"), MALLORY)
    assert here.moves() == []
    assert here.sent_to(ALICE) == before


@pytest.mark.parametrize("header", ["Sender", "Reply_To", "Resent_From", "X_Sender", "Return_Path", "Errors_To"])
def test_no_other_header_grants_anything(club: Post, header: str) -> None:
    here = club.with_server(confirm="from")
    here.mail(MALLORY, "101 a1", **{header: ALICE})
    here.mail(ALICE, "hello", "help", **{header: "<spy@evil.example>"})
    here.mail(ALICE, "101 a1", **{header: "spy@evil.example"})
    here.mail(MALLORY, "forgot alice", **{header: "spy@evil.example"})
    assert here.moves() == ["A1"]
    assert here.sent_to("spy@evil.example") == []
    assert {letter.recipient for letter in here.letters()} == {ALICE, BOB, MALLORY}


def test_our_mails_name_no_other_address(club: Post) -> None:
    """Nothing of a sender's headers gets into ours."""
    club.mail(ALICE, "help\r\nBcc: spy@evil.example", Reply_To="spy@evil.example", Cc="spy@evil.example")
    club.mail(ALICE, "=?utf-8?q?help=0D=0ABcc=3A_spy=40evil=2Eexample?=")
    club.mail(ALICE, "hi", "help", Message_ID="<a@b>\r\nBcc: spy@evil.example")
    assert not [letter for letter in club.letters() if b"\nBcc:" in letter.raw or b"\nReply-To:" in letter.raw]


# Bombs: what an attacker has us mail to others


def help_as_alice(post: Post, number: int) -> bytes:
    """Answers to what alice never wrote."""
    return post.write(ALICE, "help", str(number))


def help_as_stranger(post: Post, number: int) -> bytes:
    """The same for somebody who has no account."""
    return post.write(VICTIM, "help", str(number))


def short_as_stranger(post: Post, number: int) -> bytes:
    """Commands that need an account."""
    return post.write(VICTIM, f"resign {number + 101}")


def wrong_passwords(post: Post, number: int) -> bytes:
    """Refusals."""
    return post.write(ALICE, f"as alice wrong{number}", "next")


def moves_as_alice(post: Post, number: int) -> bytes:
    """Questions about one thing."""
    return post.write(ALICE, "101 a1", str(number))


def much_as_alice(post: Post, number: int) -> bytes:
    """Questions about many things."""
    return post.write(ALICE, "hi", f"block player{number}\nset html off\nresign 101\nadd a{number}@example.net")


def nothing_as_alice(post: Post, number: int) -> bytes:
    """Mails without a command."""
    return post.write(ALICE, "hello", "How are you?" + "?" * number)


def forgot_by_many(post: Post, number: int) -> bytes:
    """Many strangers say that alice has forgotten her password."""
    return post.write(f"s{number}@evil.example", "forgot alice")


def forgot_as_alice(post: Post, number: int) -> bytes:
    """She says so herself, it seems."""
    return post.write(ALICE, "forgot", str(number))


def sign_up_by_many(post: Post, number: int) -> bytes:
    """Many strangers want an account for the victim."""
    return post.write(f"s{number}@evil.example", f"signup user{number} pepper {VICTIM}")


def sign_up_as_stranger(post: Post, number: int) -> bytes:
    """The victim wants many accounts, it seems."""
    return post.write(VICTIM, f"signup user{number} pepper")


def add_by_bob(post: Post, number: int) -> bytes:
    """Bob has proven who he is, and says that the victim's address is his."""
    return post.write(BOB, "as bob poppy", f"{'add' if number % 2 else 'change address'} {VICTIM}")


def challenges_as_bob(post: Post, _: int) -> bytes:
    """Games that bob seems to start with alice."""
    return post.write(BOB, "challenge bob alice")


def chat_as_bob(post: Post, number: int) -> bytes:
    """Words that bob seems to say."""
    return post.write(BOB, f"chat 101 Buy {number} pounds!")


def set_up_again(post: Post, number: int) -> bytes:
    """The victim says no, it seems, and is asked again."""
    return post.write(VICTIM if number % 2 else BOB, "no" if number % 2 else f"add {VICTIM}")


Way = Callable[[Post, int], bytes]
A_MAIL_EACH: dict[Way, tuple[str, int, int]] = {
    help_as_alice: (ALICE, policy.ANSWERS_AN_HOUR.most + 1, policy.ANSWERS_A_DAY.most + 5),
    help_as_stranger: (VICTIM, policy.ANSWERS_AN_HOUR.most + 1, policy.ANSWERS_A_DAY.most + 5),
    wrong_passwords: (ALICE, policy.ANSWERS_AN_HOUR.most + 1, policy.ANSWERS_A_DAY.most + 5),
    much_as_alice: (ALICE, policy.ANSWERS_AN_HOUR.most + 1, policy.ANSWERS_A_DAY.most + 5),
    moves_as_alice: (ALICE, policy.ANSWERS_AN_HOUR.most + 1, policy.ANSWERS_A_DAY.most + 5),
    forgot_as_alice: (ALICE, policy.ANSWERS_AN_HOUR.most + 1, policy.ANSWERS_A_DAY.most + 5),
    nothing_as_alice: (ALICE, 0, 0),
    short_as_stranger: (VICTIM, 3, 3),
    forgot_by_many: (ALICE, 1, 1),
    sign_up_by_many: (VICTIM, 1, 1),
    sign_up_as_stranger: (VICTIM, 1, 1),
    add_by_bob: (VICTIM, policy.QUESTIONS_AN_HOUR.most, policy.QUESTIONS_A_DAY.most),
    set_up_again: (VICTIM, policy.QUESTIONS_AN_HOUR.most, policy.QUESTIONS_A_DAY.most),
    challenges_as_bob: (ALICE, 3, 3),
    chat_as_bob: (ALICE, 0, 0),
}
"""Each way to have a victim mailed; who that is, and the most mails within an hour and within a day."""


def test_the_limits_are_as_agreed() -> None:
    """An hour, and a day; what a victim may be mailed follows from them."""
    assert (policy.ANSWERS_AN_HOUR.most, policy.ANSWERS_A_DAY.most) == (20, 100)
    assert (policy.QUICK.most, policy.CHATS.most) == (3, 40)
    assert (policy.QUESTIONS_AN_HOUR.most, policy.QUESTIONS_A_DAY.most, policy.ALL_QUESTIONS.most) == (3, 6, 200)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("way", A_MAIL_EACH, ids=lambda way: way.__name__)
def test_no_bomb(club: Post, way: Way) -> None:
    victim, an_hour, a_day = A_MAIL_EACH[way]
    before, number = len(club.sent_to(victim)), 0
    for hour in range(6):
        for _ in range(25):
            number += 1
            # The envelope is forged too: another sender there would bring a stranger no answer.
            club.put(way(club, number), VICTIM if victim == VICTIM else MALLORY)
        club.work()
        club.clock.move(minutes=59)
        if hour == 0:
            assert len(club.sent_to(victim)) - before <= an_hour
        club.clock.move(minutes=1, seconds=1)
    assert len(club.sent_to(victim)) - before <= a_day
    assert len(club.sent_to(victim)) - before >= min(a_day, 1), "else this shows nothing"


def test_an_account_is_no_licence_to_write_to_all_the_world(club: Post) -> None:
    """Twenty addresses a mail, every mail proven."""
    for number in range(15):
        lines = "\n".join(f"signup user{number}x{each} pepper v{number}x{each}@example.net" for each in range(20))
        club.put(club.write(BOB, "as bob poppy", lines), MALLORY)
    club.work()
    asked = [letter for letter in club.letters() if letter.recipient.endswith("@example.net")]
    assert len(asked) == policy.ALL_QUESTIONS.most


def test_talk_comes_to_an_end(club: Post) -> None:
    """Whoever shares a board can move only in turn, but talk without end, with all the proof in the world."""
    before = len(club.sent_to(ALICE))
    for number in range(policy.CHATS.most + 5):
        club.put(club.write(BOB, "hi", f"101 bob poppy\nchat 101 Look {number}"), BOB)
        club.put(club.write(BOB, "as bob poppy", f"chat 101\n\nLook here, {number}"), BOB)
    club.work()
    assert len(club.sent_to(ALICE)) - before == policy.CHATS.most
    (refusal,) = club.mail(BOB, "as bob poppy", "chat 101 Still here?")
    assert refusal.recipient == BOB
    assert len(club.mail(ALICE, "101 alice sesame a1")) == 2, "moves go on"
    club.clock.move(hours=1)
    assert len(club.mail(BOB, "as bob poppy", "chat 101 Good morning.")) == 2


def test_whoever_has_blocked_a_talker_gets_nothing_of_it(club: Post) -> None:
    """Among three: not even the board, which goes to the one who listens."""
    club.people(carol="cumin")
    club.mail(ALICE, "challenge alice bob carol")
    club.mail(ALICE, "as alice sesame", "block bob")
    before = len(club.sent_to(ALICE))
    letters = club.mail(BOB, "as bob poppy", "chat 102 Buy now!")
    assert [letter.recipient for letter in letters] == [BOB, "carol@example.org"]
    assert len(club.sent_to(ALICE)) == before
    club.mail(ALICE, "as alice sesame", "102 c3")
    club.mail(BOB, "as bob poppy", "102 d3\nchat 102 Buy now!")
    club.mail("carol@example.org", "as carol cumin", "102 b3")
    assert len(club.sent_to(ALICE)) == before + 2, "what happens on the board, they get"


def test_silence_about_forged_mail_keeps_nobody_from_playing(club: Post) -> None:
    """After as many forged mails as there may be, alice's own are carried out and answered."""
    for number in range(30):
        club.put(help_as_alice(club, number), MALLORY)
    club.work()
    assert club.mail(ALICE, "help") == []
    letter = next(letter for letter in club.sent_to(ALICE) if letter.match == 101)
    assert len(club.answer(letter, "a1")) == 2
    assert len(club.mail(BOB, "101 bob poppy c3")) == 2
    assert len(club.mail(ALICE, "as alice sesame", "help")) == 1
    (refusal,) = club.answer(letter, "a1")
    assert refusal.match == 101
    assert club.moves() == ["A1", "C3"]


def test_proven_moves_are_not_limited(club: Post) -> None:
    """A hundred and more within an hour, by answers alone, on many boards."""
    here = club.with_server(confirm="from")
    for number in range(7):
        here.people(**{f"player{number}": "pepper"})
        for _ in range(3):
            here.mail(f"player{number}@example.org", f"challenge player{number} alice -size=3x3")
    club.clock.move(hours=1)
    asking = here.with_server(confirm="ask")
    squares = ("a1", "c3", "a3", "c1", "b2")
    played = 0
    for turn, square in enumerate(squares):
        for board in range(102, 123):
            mover = ALICE if turn % 2 else f"player{(board - 102) // 3}@example.org"
            (letter,) = [each for each in asking.sent_to(mover) if each.match == board][-1:]
            played += len(asking.answer(letter, square)) >= 1
    assert played == len(squares) * 21 > 100


WORDS = "Please find the invoice attached."


@pytest.mark.parametrize(
    ("envelope", "text", "headers", "is_answered"),
    [
        (ALICE, WORDS, {}, True),
        ("secretary@example.org", WORDS, {}, True),
        ("SRS0=x1=2y=example.org=alice@forwarder.example", WORDS, {}, True),
        (MALLORY, WORDS, {}, False),
        (ALICE, WORDS, {"X_Spam_Flag": "YES"}, False),
        (MALLORY, "Where can I play with bob?", {}, True),
        (MALLORY, "Is chess played here too?", {}, True),
        (MALLORY, "games alice", {}, True),
    ],
)
def test_words_in_a_players_name(
    asking_post: Post, envelope: str, text: str, headers: dict[str, str], is_answered: bool
) -> None:
    """From another domain, or called spam, they get an answer only if they name something that is here."""
    asking_post.people(alice="sesame", bob="poppy")
    letters = asking_post.send(asking_post.write(ALICE, "Hello", text, **headers), envelope)
    assert bool(letters) == is_answered
