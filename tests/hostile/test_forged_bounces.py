"""Reports of mail that came back, forged by a player who wants their clock to stand still, or by somebody else."""

import pytest

from pbmserv.mail.sending.transport import Delivered
from pbmserv.services.app import App
from pbmserv.services.bounces import see_suspended
from pbmserv.services.deliver import note
from pbmserv.services.receive import receive_mail
from pbmserv.services.scheduler.clocks import look_after_clocks
from pbmserv.services.scheduler.retention import tell_over
from pbmserv.services.views import list_outbox, load_board
from pbmserv.store.engine import writing
from pbmserv.store.outbox import QueuedMessage
from tests.conftest import Clock
from tests.services.post import Post, text_of, thread_word_of
from tests.services.test_bounces import report

ALICE, BOB = "alice@example.org", "bob@example.org"
FORFEIT = 4


@pytest.fixture
def post(sqlite_house: App, clock: Clock) -> Post:
    """Alice does not want to lose board 101, where it is her turn; four days are hers."""
    built = Post(sqlite_house, clock)
    built.people(alice="sesame", bob="poppy")
    built.mail(BOB, f"challenge alice bob -size=3x3 -forfeittime={FORFEIT} -nagtime=none")
    hand_over(built)
    return built


def hand_over(post: Post) -> list[QueuedMessage]:
    """All that waits is handed over; what it was."""
    waiting = [*reversed(list_outbox(post.house, "waiting", 1000))]
    with writing(post.house.engine) as connection:
        for letter in waiting:
            note(connection, [(letter, Delivered())], post.clock())
    return waiting


def days_until_forfeit(post: Post, most: int) -> int | None:
    """How many days it takes until alice has lost, while the steward looks twice a day."""
    for half in range(1, 2 * most + 1):
        post.clock.move(hours=12)
        while look_after_clocks(post.house, post.clock()):
            pass
        tell_over(post.house, post.clock())
        hand_over(post)
        if is_over(post):
            return (half + 1) // 2
    return None


def is_over(post: Post) -> bool:
    seen = load_board(post.house, 101)
    assert seen is not None
    return seen.state.status == "finished"


def forge(post: Post) -> None:
    """Three reports, as by alice's provider, about the newest mails that she has had."""
    for _ in range(3 - len(post.sent_to(ALICE))):
        post.mail(ALICE, "show 101")
    post.clock.move(seconds=1)
    for letter in post.sent_to(ALICE)[-3:]:
        receive_mail(post.house, report(), "<>", [letter.envelope_sender], post.clock())
    post.work()
    hand_over(post)


def come_back(post: Post) -> None:
    """Alice writes, which frees her address, and so brings three mails that may come back again."""
    for _ in range(3):
        post.mail(ALICE, "show 101")
    post.clock.move(seconds=1)
    hand_over(post)


def test_three_forged_bounces(post: Post) -> None:
    """A player forges three bounces of their own mails and leaves: the clock is to stand still for ever."""
    forge(post)
    assert [each.userid for each in see_suspended(post.house)] == ["alice"]
    assert days_until_forfeit(post, 60) == 30 + FORFEIT


def test_again_and_again(post: Post) -> None:
    """A player forges bounces, comes back, forges again, every other day: each is to give the whole turn anew."""
    stood = 0
    while not is_over(post) and stood < 100:
        forge(post)
        days_until_forfeit(post, 2)
        stood += 2
        if not is_over(post):
            come_back(post)
    assert stood <= 30 + FORFEIT + 2


def test_in_the_last_hour_of_a_turn(post: Post) -> None:
    """A player forges bounces when the turn is nearly over, to be given it once more: what is left is all."""
    assert days_until_forfeit(post, FORFEIT - 1) is None
    forge(post)
    assert days_until_forfeit(post, 5) is None
    come_back(post)
    assert days_until_forfeit(post, 3) == 1


def test_once_more_on_another_board(post: Post) -> None:
    """A player has spent the thirty days on one board and forges bounces for the next: they are one player's."""
    forge(post)
    assert days_until_forfeit(post, 60) == 30 + FORFEIT
    come_back(post)
    post.mail(BOB, f"challenge alice bob -size=3x3 -forfeittime={FORFEIT} -nagtime=none")
    hand_over(post)
    forge(post)
    for _ in range(2 * FORFEIT):
        days_until_forfeit(post, 1)
    seen = load_board(post.house, 102)
    assert seen is not None
    assert seen.state.status == "finished"


def test_both_sides_are_told_the_truth(post: Post) -> None:
    """Nobody is to be left waiting unawares: the opponent knows how long at most, and that it runs again."""
    forge(post)
    told = " ".join(text_of(post.sent_to(BOB)[-1]).split())
    assert "alice's clock stops, but at the latest on 2026-01-31 12:00 UTC it runs again" in told
    days_until_forfeit(post, 31)
    assert any("running again on board 101" in " ".join(text_of(each).split()) for each in post.sent_to(BOB))
    come_back(post)
    assert any("Your clocks stopped until 2026-01-31 12:00 UTC" in text_of(each) for each in post.sent_to(ALICE))


def test_three_leaked_message_ids(post: Post) -> None:
    """Three of alice's Message-IDs, which everybody sees who is sent a copy of an answer: made into addresses, or
    into mails that a report returns, they are soft bounces at most, and nothing is held back."""
    letters = post.mail(ALICE, "show 101") + post.mail(ALICE, "show 101") + post.mail(ALICE, "show 101")
    post.clock.move(seconds=1)
    for letter in letters:
        word = thread_word_of(letter)
        returned = report(returned=f"Message-ID: <b101.0.{word}@club.test>\r\n\r\nboard")
        for raw, address in ((report(), f"pbmserv+b.{word}@club.test"), (returned, "pbmserv@club.test")):
            receive_mail(post.house, raw, "<>", [address], post.clock())
    post.work()
    assert see_suspended(post.house) == []


def test_the_envelope_senders_of_mails_that_were_forwarded(post: Post) -> None:
    """The heads of mails that alice has passed on whole: what was sent before her last proven mail has arrived."""
    forge_later = post.sent_to(ALICE) + post.mail(ALICE, "show 101")
    hand_over(post)
    post.clock.move(seconds=1)
    post.mail(ALICE, "show 101")
    post.clock.move(seconds=1)
    for letter in forge_later:
        receive_mail(post.house, report(), "<>", [letter.envelope_sender], post.clock())
    post.work()
    assert see_suspended(post.house) == []


def test_without_the_address_of_the_mail(post: Post) -> None:
    """Somebody else forges bounces of alice's mails, to have her time run out unread: nothing is counted."""
    for word in ("b.aaaaaaaaaaaaaaaaaaaa", "b.1", "aaaaaaaaaaaaaaaaaaaa"):
        local, _, domain = post.house.server.address.partition("@")
        receive_mail(post.house, report(), "<>", [f"{local}+{word}@{domain}"], post.clock())
    post.work()
    assert see_suspended(post.house) == []
