"""How often words without a command are answered: people are, and machines come to rest."""

from dataclasses import replace

import pytest
from sqlalchemy import select

from pbmserv.commands import policy
from pbmserv.commands.server import Server
from pbmserv.services.app import App
from pbmserv.services.scheduler.retention import purge
from pbmserv.store.engine import reading
from pbmserv.store.outbox import QueuedMessage
from pbmserv.store.tables import counts
from tests.conftest import ADDRESS, Clock
from tests.services.plain_mails import entries
from tests.services.post import Post, header_of, text_of

ALICE, BOB, EVE = "alice@example.org", "bob@example.org", "eve@example.net"
AGAIN = "You have had our answer to this within the hour."


@pytest.fixture
def club(sqlite_house: App, clock: Clock) -> Post:
    """Alice and bob at board 101, where it is alice's turn and a From address proves nothing."""
    server = Server(ADDRESS, variants=True, authserv_id="mx.club.test")
    post = Post(replace(sqlite_house, server=server), clock)
    post.people(alice="sesame", bob="poppy")
    post.mail(ALICE, "challenge alice bob")
    post.clock.move(hours=2)
    return post


def says(post: Post, text: str, seconds: int = 60) -> list[QueuedMessage]:
    """What alice gets who answers her board in plain words, a while after the last mail."""
    post.clock.move(seconds=seconds)
    board = next(letter for letter in post.sent_to(ALICE) if letter.match == 101)
    return post.answer(board, text)


def test_a_talkative_person(club: Post) -> None:
    """Thirty answers an hour, then one sentence that says what still works; moves always do."""
    assert policy.WORDS.most == 30
    topics: dict[str, list[str]] = {}
    for entry in entries("mid_game.txt"):
        if not entry.headers and entry.means != "words":
            topics.setdefault(entry.means, []).append(entry.text)
    words = [said[0] for said in topics.values()] + [said[-1] for said in topics.values()]
    letters = [says(club, text) for text in words[: policy.WORDS.most]]
    assert [len(each) for each in letters] == [1] * policy.WORDS.most
    (last,) = says(club, words[policy.WORDS.most])
    assert header_of(last, "Subject") == "pbmserv: limit"
    assert "Moves, and all commands that change a game" in " ".join(text_of(last).split())
    assert says(club, words[policy.WORDS.most + 1]) == []
    assert says(club, "c3")
    assert club.moves() == ["C3"]
    club.clock.move(hours=1)
    assert says(club, "How do I resign, please?")


def test_the_same_topic_is_told_once_an_hour(club: Post) -> None:
    """The second time a line says so, the third time nothing does. Another topic is answered."""
    assert "The rules of Cephalopod in short" in text_of(says(club, "rules")[0])
    (again,) = says(club, "What are the rules?")
    assert AGAIN in text_of(again)
    assert says(club, "Please send me the rules.") == []
    assert says(club, "Who is winning?")
    club.clock.move(hours=1)
    assert "The rules of Cephalopod in short" in text_of(says(club, "Explain the rules")[0])


def test_each_board_has_topics_of_its_own(club: Post) -> None:
    """Whoever asks about two boards gets two answers."""
    club.mail(ALICE, "challenge alice bob")
    second = club.sent_to(ALICE)[-1]
    assert AGAIN not in text_of(says(club, "whose turn is it?")[0])
    club.clock.move(minutes=1)
    (letter,) = club.answer(second, "Whose turn is it here?")
    assert "It is your turn on board 102." in text_of(letter)


def test_the_same_words_are_answered_once_a_day(club: Post) -> None:
    """Digits do not make them others: a ticket has a number. A command in between does."""
    assert says(club, "We have received your request 1234.")
    club.clock.move(hours=5)
    assert says(club, "We have received your request 99871-2.") == []
    assert says(club, "We have received your requests, thank you.")
    assert says(club, "show 101")
    club.clock.move(hours=5)
    assert says(club, "We have received your request 5.")
    club.clock.move(hours=24)
    assert says(club, "We have received your request 6.")


@pytest.mark.parametrize("is_numbered", [True, False])
def test_an_unmarked_ticket_system_gets_six_mails_a_day(club: Post, is_numbered: bool) -> None:
    """It answers each of our mails within seconds, marks nothing, and never says the same if its words are odd."""
    before, number = len(club.sent_to(ALICE)), 0
    for _ in range(4):
        club.clock.move(hours=5)
        waiting = club.mail(BOB, "as bob poppy\nchat 101 Are you there?")[-1:]
        while waiting:
            number += 1
            ticket = f"[{number}]" if is_numbered else f"[{'abcdefghijklmnopqrstuvwxyz'[number % 26] * 5}]"
            club.clock.move(seconds=3)
            letter = waiting.pop()
            if letter.recipient == ALICE:
                waiting += club.answer(letter, f"Your message has reached our help desk as ticket {ticket}.")
    answers = [each for each in club.sent_to(ALICE)[before:] if each.kind in ("puzzled", "limit")]
    assert 1 <= len(answers) <= (1 if is_numbered else 3)
    assert club.moves() == []


def test_a_command_ends_the_silence_of_a_quick_one(club: Post) -> None:
    """Somebody who wrote three mails in a row offline is not shut out."""
    asked = ("a hint", "whose turn is it", "who are you", "how long do I have")
    assert [len(says(club, text, seconds=4)) for text in ("rules", *asked)] == [1, 1, 1, 1, 0]
    assert says(club, "What is my rating?", seconds=4000) == [], "however long they wait"
    assert says(club, "c3")
    assert club.moves() == ["C3"]
    assert says(club, "What is my rating now?")


def test_words_in_her_name_do_not_silence_her(club: Post) -> None:
    """Mails with a forged From address are counted apart, and have the limit of what proves nothing."""
    for number in range(10):
        club.mail(ALICE, "hi", f"{'abcdefghij'[number] * 4} rules")
    for number in range(policy.ANSWERS_AN_HOUR.most + 2):
        club.mail(ALICE, "list", str(number))
    assert club.fates()[-1] == "silent"
    assert "The rules of Cephalopod in short" in text_of(says(club, "rules")[0])


def test_looking_is_answered_sixty_times_an_hour(club: Post) -> None:
    """Then one sentence, and silence; but what changes something is done."""
    assert policy.SHOWN.most == 60
    assert [len(says(club, f"show 101#{number % 2}", 1)) for number in range(60)] == [1] * 60
    assert header_of(says(club, "show 101")[0], "Subject") == "pbmserv: limit"
    assert says(club, "help") == []
    assert says(club, "set html off")
    assert says(club, "set html off") == [], "that was so already"
    assert says(club, "c3")
    assert club.moves() == ["C3"]


def test_words_that_answer_no_board(club: Post) -> None:
    """They are answered with the board that waits, and name the others."""
    for _ in range(2):
        club.mail(ALICE, "challenge alice bob")
    (letter,) = club.mail(ALICE, "a question", "How long do I have?")
    said = text_of(letter)
    assert "Summary of Cephalopod Board 101" in said
    assert "It is also your turn on boards 102 and 103. To see them:\n    show 102 103" in said
    assert letter.match == 101, "and a move in answer to it is played there"
    club.answer(letter, "b2")
    assert club.moves() == ["B2"]


def test_what_was_counted_is_forgotten(club: Post) -> None:
    """Two days later nothing is left of it; and nothing ever was of the words."""
    says(club, "rules")
    club.clock.move(days=2, seconds=1)
    for _ in purge(club.house, club.clock(), club.clock()):
        pass
    with reading(club.house.engine) as connection:
        assert connection.execute(select(counts)).all() == []


# The letter to unknown senders


def test_a_mailbox_gets_three_letters_a_day(club: Post) -> None:
    """Its tags make it no other."""
    for tag in ("", "+games", "+more"):
        assert [letter.kind for letter in club.mail(f"eve{tag}@example.net", "hello")] == ["short"]
    assert club.mail("eve+other@example.net", "hello again") == []
    assert club.mail("EVE@example.net", "hello again") == []
    club.clock.move(days=1)
    assert len(club.mail("eve+more@example.net", "hello again")) == 1


@pytest.mark.parametrize(
    ("domain", "most"),
    [("sub{}.club.example", policy.LETTERS_A_DOMAIN.most), ("gmail.com", policy.LETTERS_A_PROVIDER.most)],
)
def test_a_domain_gets_few_letters_a_day(club: Post, domain: str, most: int) -> None:
    """Five with all its subdomains; a large provider has more people."""
    assert (policy.LETTERS_A_DOMAIN.most, policy.LETTERS_A_PROVIDER.most) == (5, 25)
    got = [len(club.mail(f"p{number}@{domain.format(number)}", "hello")) for number in range(most + 2)]
    assert got == [1] * most + [0, 0]
    assert len(club.mail(EVE, "hello")) == 1


@pytest.mark.parametrize(
    ("headers", "envelope", "is_answered"),
    [
        ({}, EVE, True),
        ({}, "prvs=0123abcd=eve@example.net", True),
        ({}, "bounces@lists.example", False),
        ({"To": "somebody@example.com"}, EVE, False),
        ({"To": "somebody@example.com", "Cc": f"Games <{ADDRESS}>"}, EVE, True),
        ({"X-Spam-Flag": "YES"}, EVE, False),
        ({"X-Spam-Status": "Yes, score=9.9"}, EVE, False),
        ({"X-Spam-Status": "No, score=-1.0"}, EVE, True),
        ({"Authentication-Results": "mx.club.test; spf=fail smtp.mailfrom=example.net"}, EVE, False),
        ({"Authentication-Results": "mx.club.test; spf=pass; dmarc=fail (p=none)"}, EVE, False),
        ({"Authentication-Results": "mx.club.test; spf=softfail; dmarc=none"}, EVE, True),
        ({"Authentication-Results": "mx.evil.example; spf=fail"}, EVE, True),
    ],
)
def test_signs_of_a_forged_sender(club: Post, headers: dict[str, str], envelope: str, is_answered: bool) -> None:
    """With any of them neither words nor an open command are answered; a sign-up has limits of its own."""
    for subject in ("hello", "help"):
        raw = club.write(EVE, subject, "", **headers)
        assert bool(club.send(raw, envelope)) == is_answered


def test_a_mail_to_a_personal_address_of_somebody_else_warns_them(club: Post) -> None:
    """As before: who answers a player's mail from an unknown address gets no letter, and the player is told."""
    board = club.sent_to(ALICE)[-1]
    assert [letter.recipient for letter in club.answer(board, "hello", sender=EVE)] == [ALICE]
