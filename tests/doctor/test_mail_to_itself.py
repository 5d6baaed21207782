"""The mail of `doctor` to the server itself: it is known by its word, and does nothing else."""

from datetime import timedelta

import pytest

from pbmserv.mail.sending.transport import Batch, Closed, Delivered, Outcome, Outgoing
from pbmserv.services.admin.doctor.files import see_clock
from pbmserv.services.admin.doctor.round_trip import Trip, depart, see_tag, see_trip, wait_for, write_to_self
from pbmserv.services.admin.findings import Finding, Verdict
from pbmserv.services.app import App, utc_now
from pbmserv.services.scheduler.retention import purge
from pbmserv.services.views import list_inbox, list_outbox
from pbmserv.store.engine import reading
from pbmserv.store.operating import ReturnedMail, find_returned_mail
from tests.conftest import ADDRESS
from tests.services.post import Post
from tests.services.test_bounces import report

TAGGED = ADDRESS.replace("@", "+tag@")


def returned(house: App, word: str) -> ReturnedMail | None:
    with reading(house.engine) as connection:
        return find_returned_mail(connection, word)


def come_back(post: Post, mail: Outgoing, raw: bytes | None = None) -> None:
    """It reaches us as a mail does; nobody is mailed because of it."""
    assert post.send(raw or mail.raw, mail.envelope_sender, [mail.recipient]) == []


@pytest.mark.parametrize("is_tagged", [False, True])
def test_it_is_known_by_its_word(post: Post, is_tagged: bool) -> None:
    """Its head is stored for the operator, the mail counts as silent, and nobody is answered."""
    sent = write_to_self(post.house, is_tagged, post.clock())
    assert returned(post.house, sent.word) is None
    post.clock.now += timedelta(seconds=7)
    come_back(post, sent.mail, b"Authentication-Results: mx.club.test; spf=pass\r\n" + sent.mail.raw)
    back = returned(post.house, sent.word)
    assert back is not None
    assert (back.came_at, back.is_report) == (post.clock(), False)
    assert back.head.startswith(b"Authentication-Results: mx.club.test")
    assert b"The operator" not in back.head
    assert [mail.status for mail in list_inbox(post.house, None, 10)] == ["silent"]
    assert list_outbox(post.house, None, 10) == []


def test_a_tag_is_known_without_the_header(post: Post) -> None:
    """Some servers take away headers that they do not know."""
    sent = write_to_self(post.house, True, post.clock())
    come_back(post, sent.mail, sent.mail.raw.partition(b"\r\n")[2])
    assert returned(post.house, sent.word) is not None


def test_what_came_first_is_kept(post: Post) -> None:
    sent = write_to_self(post.house, False, post.clock())
    come_back(post, sent.mail)
    first = returned(post.house, sent.word)
    post.clock.now += timedelta(minutes=1)
    come_back(post, sent.mail, b"X-Second: yes\r\n" + sent.mail.raw)
    assert returned(post.house, sent.word) == first


def test_a_report_in_its_place(post: Post) -> None:
    """It says why, and counts against nobody."""
    sent = write_to_self(post.house, True, post.clock())
    assert sent.mail.envelope_sender == ADDRESS.replace("@", f"+b.{sent.word}@")
    post.send(
        report().replace(ADDRESS.encode(), sent.mail.envelope_sender.encode()), "<>", [sent.mail.envelope_sender]
    )
    back = returned(post.house, sent.word)
    assert back is not None
    assert back.is_report
    assert b"550 5.1.1 User unknown" in back.head


def test_a_made_up_word_is_nobodys(post: Post) -> None:
    """It is treated as any mail from a machine, or from a person."""
    sent = write_to_self(post.house, False, post.clock())
    come_back(post, sent.mail, sent.mail.raw.replace(sent.word.encode(), b"a" * 20))
    assert returned(post.house, sent.word) is None
    answers = post.mail("alice@example.org", "help", X_Pbmserv_Doctor=sent.word)
    assert len(answers) == 1
    assert returned(post.house, sent.word) is None


def test_it_is_forgotten_after_a_day(post: Post) -> None:
    sent = write_to_self(post.house, False, post.clock())
    come_back(post, sent.mail)
    later = post.clock() + timedelta(days=1, seconds=1)
    assert list(purge(post.house, later - timedelta(days=90), later)) == []
    assert returned(post.house, sent.word) is None


class Road:
    """A transport that keeps what it takes, or refuses all."""

    def __init__(self, outcome: Outcome) -> None:
        self.outcome = outcome
        self.taken: list[Outgoing] = []

    def deliver(self, batch: Batch) -> None:
        """Takes one (pbmserv.mail.sending.destination.Transport)."""
        mail = batch.begin()
        assert mail is not None
        self.taken.append(mail)
        batch.end(self.outcome)

    def close(self) -> None:
        """Nothing."""

    def hang_up(self) -> None:
        """Nothing."""


def gone_out(post: Post) -> tuple[Road, Trip, Trip]:
    """Both mails, taken by the relay."""
    road = Road(Delivered())
    plain, tagged = (depart(post.house, road, is_tagged, post.clock) for is_tagged in (False, True))
    return road, plain, tagged


def seen(post: Post, plain: Trip, tagged: Trip) -> tuple[Finding, Finding]:
    """What is said after a moment."""
    plain, tagged = wait_for(post.house, [plain, tagged], 0, lambda _: None)
    return (
        see_trip(post.house, plain, 60, ["poller"], post.clock()),
        see_tag(post.house, tagged, plain, 60),
    )


def test_both_are_back(post: Post) -> None:
    road, plain, tagged = gone_out(post)
    assert [mail.recipient == ADDRESS for mail in road.taken] == [True, False]
    post.clock.now += timedelta(seconds=3)
    for mail in road.taken:
        come_back(post, mail)
    first, second = seen(post, plain, tagged)
    assert (first.verdict, first.found) == (Verdict.FINE, "came back after 3 seconds")
    assert (second.verdict, second.found) == (Verdict.FINE, f"mail to {TAGGED} comes back")


def test_the_tag_is_lost(post: Post) -> None:
    road, plain, tagged = gone_out(post)
    come_back(post, road.taken[0])
    first, second = seen(post, plain, tagged)
    assert first.verdict is Verdict.FINE
    assert second.verdict is Verdict.BROKEN
    assert 'delimiter = ""' in second.mend


def test_none_is_back(post: Post) -> None:
    """Parts that are silent are named; nothing is said of tags."""
    _, plain, tagged = gone_out(post)
    first, second = seen(post, plain, tagged)
    assert first.found == "is not back after 60 seconds; no poller ever ran, no worker ever ran"
    assert second.verdict is Verdict.ATTENTION


def test_it_waits_for_a_worker(post: Post) -> None:
    """It is in the inbox, and nobody handles it."""
    road, plain, tagged = gone_out(post)
    post.put(road.taken[0].raw, road.taken[0].envelope_sender)
    first, _ = seen(post, plain, tagged)
    assert first.found == "has come in and is not handled after 60 seconds; no worker ever ran"
    assert "systemctl start" in first.mend


def test_the_relay_refuses(post: Post) -> None:
    road = Road(Closed("535 no"))
    plain = depart(post.house, road, False, post.clock)
    found, _ = seen(post, plain, plain)
    assert (found.verdict, found.found) == (Verdict.BROKEN, "the relay did not take it: 535 no")


def test_the_databases_clock(post: Post) -> None:
    """An hour is told, where it has a clock of its own."""
    engine = post.house.engine
    now = utc_now()
    assert see_clock(engine, now).verdict is Verdict.FINE
    found = see_clock(engine, now + timedelta(hours=3))
    if engine.dialect.name == "postgresql":
        assert (found.verdict, found.found) == (
            Verdict.ATTENTION,
            "the database's clock and ours are 3 hours apart",
        )
        assert "timedatectl" in found.mend
    else:
        assert found.verdict is Verdict.FINE
