"""Small mails in somebody's name, for which we would mail them large ones."""

from dataclasses import replace

import pytest

from pbmserv.commands import policy
from pbmserv.commands.server import Server
from pbmserv.services.app import App
from pbmserv.store.outbox import QueuedMessage
from tests.conftest import ADDRESS, Clock
from tests.conversation import parsed
from tests.services.post import Post, text_of

ALICE, BOB = "alice@example.org", "bob@example.org"
BOARDS = range(101, 111)


@pytest.fixture
def club(sqlite_house: App, clock: Clock) -> Post:
    """Alice and bob, who play on ten boards, and have had the letter of the day; a From address proves nothing."""
    post = Post(replace(sqlite_house, server=Server(ADDRESS, variants=True, confirm="from")), clock)
    post.people(alice="sesame", bob="poppy")
    for number in BOARDS:
        post.mail(ALICE, "", f"challenge alice bob -size=5x5\n{number} c3")
        post.mail(BOB, f"{number} a1")
    post.clock.move(days=2)
    post.work()
    return post.with_server(confirm="ask")


def sizes(letters: list[QueuedMessage]) -> int:
    """Bytes of all letters."""
    return sum(len(letter.raw) for letter in letters)


def has_html(letter: QueuedMessage) -> bool:
    """Whether there is an HTML part."""
    return parsed(letter.raw).get_body(("html",)) is not None


def test_twenty_boards_for_a_small_mail(club: Post) -> None:
    """A forged mail of some hundred bytes with twenty `show`s."""
    raw = club.write(ALICE, "", "\n".join(f"show {number}" for number in (*BOARDS, *BOARDS)))
    (letter,) = club.send(raw)
    assert len(letter.raw) <= policy.FREE_BYTES.most + policy.TIMES_RECEIVED * len(raw)
    assert len(letter.raw) < 10_000
    assert not has_html(letter)
    said = text_of(letter)
    assert said.count("Summary of") == 1
    assert "show 102 103 104 105 106 107 108 109 110" in said


def test_the_rest_is_had_from_the_personal_address(club: Post) -> None:
    """The same mail, which was the player's own: an answer to what came of it brings all the rest."""
    (letter,) = club.mail(ALICE, "", "\n".join(f"show {number}" for number in BOARDS))
    (rest,) = club.answer(letter, "show 102 103 104 105 106 107 108 109 110")
    assert text_of(rest).count("Summary of") == 9
    assert has_html(rest)


def test_twenty_help_pages_for_a_small_mail(club: Post) -> None:
    """A forged mail that asks for every page of help."""
    pages = ("tutorial", "cephalopod", "commands", "move", "challenge", "queue", "set", "record", "answering")
    (letter,) = club.mail(ALICE, "", "\n".join(f"help {page}" for page in (*pages, *pages)))
    assert len(letter.raw) < 10_000
    assert "    help tutorial" in text_of(letter)


def test_an_hour_of_forged_mails(club: Post) -> None:
    """As many forged mails an hour as are answered, each of which asks for as much as it can."""
    sent = received = 0
    for _ in range(policy.ANSWERS_AN_HOUR.most + 2):
        raw = club.write(ALICE, "", "\n".join(f"show {number}" for number in (101, 102, 103)))
        letters = club.send(raw)
        sent += sizes(letters)
        received += len(raw)
        assert sent <= policy.FREE_BYTES.most + policy.TIMES_RECEIVED * received + 2_000, (
            "but for the notice of a limit"
        )
    assert club.fates()[-1] == "silent"
    club.clock.move(hours=1)
    assert has_html(club.mail(ALICE, "show 101")[0])


def test_a_padded_mail_brings_no_more_than_sixty_kilobytes_whole(club: Post) -> None:
    """Forged mails that are large enough for whole answers twenty times their size."""
    padding = "\n".join(["", "-- ", *["x" * 70] * 200])
    answers = [club.mail(ALICE, "", f"show 101{padding}")[0] for _ in range(8)]
    whole = [letter for letter in answers if has_html(letter)]
    assert 0 < sizes(whole) <= policy.BYTES.most
    assert not has_html(answers[-1])


def test_what_is_proven_stays_whole(club: Post) -> None:
    """Forged mails that use up what a player may be sent, and then the player's own, which prove it."""
    for _ in range(policy.ANSWERS_AN_HOUR.most + 2):
        club.mail(ALICE, "", "\n".join(f"show {number}" for number in BOARDS))
    (letter,) = club.mail(ALICE, "", "as alice sesame\nshow 101 102 103 104 105 106 107 108 109 110")
    assert text_of(letter).count("Summary of") == 10
    assert has_html(letter)


def test_strangers_are_sent_no_more(club: Post) -> None:
    """The same in the name of somebody who has never heard of us."""
    raw = club.write("victim@example.net", "", "\n".join(f"show {number}" for number in (*BOARDS, *BOARDS)))
    for _ in range(3):
        for letter in club.send(raw.replace(b"<in-", b"<again-")):
            assert len(letter.raw) <= policy.FREE_BYTES.most + policy.TIMES_RECEIVED * len(raw)


def test_a_challenge_is_told_though_there_is_no_room(club: Post) -> None:
    """Among forged mails a true one that changed something: that is not passed over in silence."""
    for _ in range(10):
        club.mail(ALICE, "", "\n".join(f"show {number}" for number in BOARDS))
    letters = club.mail(ALICE, "seek -size=3x3")
    assert letters
