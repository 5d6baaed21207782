"""Sending: at least once, in order, with the bytes that were queued, and not for ever."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta

import pytest

from pbmserv.mail.smtp import Deferred, Failed, Outcome, Outgoing, Sent
from pbmserv.services.deliver import BATCH, GIVE_UP_AFTER, LEASE, LONGEST_WAIT, deliver_due, next_wait
from pbmserv.services.house import House
from pbmserv.store import outbox
from pbmserv.store.engine import writing
from pbmserv.store.outbox import Letter, Queued
from tests.conftest import Clock
from tests.services.post import Post


class Killed(BaseException):
    """The end of the process."""


@dataclass
class Way:
    """A road that answers as it is told, and remembers what it was given."""

    answers: Callable[[Outgoing], Outcome] = lambda mail: Sent()
    given: list[Outgoing] = field(default_factory=list)

    def deliver(self, mail: Outgoing) -> Outcome:
        """Remembers and answers."""
        self.given.append(mail)
        return self.answers(mail)

    def close(self) -> None:
        """Nothing."""

    @property
    def recipients(self) -> list[str]:
        """To whom, in order."""
        return [mail.recipient for mail in self.given]


def letter(token: str) -> Letter:
    """A letter to token@example.org."""
    return Letter(
        token=token,
        kind="answer",
        proven=True,
        recipient=f"{token}@example.org",
        envelope_sender=f"pbmserv+b.{token}@club.test",
        message_id=f"<{token}@club.test>",
        raw=f"Message-ID: <{token}@club.test>\r\n\r\n{token}\0\xff".encode("latin-1"),
    )


def queue(post: Post, *tokens: str) -> None:
    """Queues a letter for each."""
    with writing(post.house.engine) as connection:
        for token in tokens:
            outbox.queue(connection, letter(token), post.clock())


def row(post: Post, token: str) -> Queued:
    """A letter as it stands in the outbox."""
    return next(each for each in post.letters() if each.recipient == f"{token}@example.org")


def test_the_oldest_first_and_once(post: Post) -> None:
    queue(post, "a", "b")
    post.clock.move(seconds=1)
    queue(post, "c")
    way = Way()
    assert deliver_due(post.house, way, post.clock) == 3
    assert deliver_due(post.house, way, post.clock) == 0
    assert way.recipients == ["a@example.org", "b@example.org", "c@example.org"]
    assert way.given[0] == Outgoing("pbmserv+b.a@club.test", "a@example.org", letter("a").raw)
    assert {(each.status, each.tries, each.error) for each in post.letters()} == {("sent", 1, None)}


def test_in_batches(post: Post) -> None:
    names = [f"n{number:02}" for number in range(BATCH + 3)]
    queue(post, *names)
    way = Way()
    assert [deliver_due(post.house, way, post.clock) for _ in range(3)] == [BATCH, 3, 0]
    assert way.recipients == [f"{name}@example.org" for name in names]


def test_refused_for_good(post: Post) -> None:
    queue(post, "a", "b")
    way = Way(lambda mail: Failed("550 no such user") if "a@" in mail.recipient else Sent())
    deliver_due(post.house, way, post.clock)
    assert (row(post, "a").status, row(post, "a").error, row(post, "a").tries) == ("failed", "550 no such user", 1)
    assert row(post, "b").status == "sent"
    post.clock.move(days=9)
    assert deliver_due(post.house, way, post.clock) == 0


def test_the_waits_double_to_six_hours() -> None:
    waits = [next_wait(tries).total_seconds() / 60 for tries in range(1, 12)]
    assert waits == [1, 2, 4, 8, 16, 32, 64, 128, 256, 360, 360]
    assert next_wait(10_000) == LONGEST_WAIT


def test_refused_for_now_until_it_is_taken(post: Post) -> None:
    queue(post, "a")
    way = Way(lambda mail: Deferred("451 not now"))
    for tries in range(1, 6):
        assert deliver_due(post.house, way, post.clock) == 1
        found = row(post, "a")
        assert (found.status, found.tries, found.error) == ("waiting", tries, "451 not now")
        assert found.not_before == post.clock() + next_wait(tries)
        post.clock.now = found.not_before - timedelta(microseconds=1)
        assert deliver_due(post.house, way, post.clock) == 0
        post.clock.move(microseconds=1)
    assert deliver_due(post.house, Way(), post.clock) == 1
    assert (row(post, "a").status, row(post, "a").error) == ("sent", None)
    assert len({mail.raw for mail in way.given}) == 1


def until_over(post: Post, way: Way) -> timedelta:
    """Goes on trying the moment it is due, and gives how long that was."""
    begun = post.clock()
    while row(post, "a").status == "waiting":
        post.clock.now = max(post.clock.now, row(post, "a").not_before)
        deliver_due(post.house, way, post.clock)
    return post.clock() - begun


def test_given_up_after_five_days(sqlite_post: Post) -> None:
    queue(sqlite_post, "a")
    took = until_over(sqlite_post, Way(lambda mail: Deferred("451 not now")))
    assert GIVE_UP_AFTER <= took < GIVE_UP_AFTER + LONGEST_WAIT
    assert (row(sqlite_post, "a").status, row(sqlite_post, "a").error) == ("failed", "451 not now")


def test_a_sender_that_slept_for_a_week_gives_all_a_fair_chance(sqlite_post: Post) -> None:
    """Neither the time in the outbox counts, nor that in the inbox (an answer is dated by the mail it answers)."""
    queue(sqlite_post, "a")
    sqlite_post.clock.move(days=7)
    assert until_over(sqlite_post, Way(lambda mail: Deferred("450 greylisted"))) >= GIVE_UP_AFTER


def test_one_that_dies_sends_again_the_same_bytes(post: Post) -> None:
    """Between the handing over and the note of it: the mail goes out twice rather than never."""
    queue(post, "a", "b")
    died: list[Outgoing] = []

    def die(mail: Outgoing) -> Outcome:
        died.append(mail)
        raise Killed

    with pytest.raises(Killed):
        deliver_due(post.house, Way(die), post.clock)
    way = Way()
    post.clock.now += LEASE - timedelta(microseconds=1)
    assert deliver_due(post.house, way, post.clock) == 1, "somebody else may have the first in hand"
    assert way.recipients == ["b@example.org"]
    post.clock.move(microseconds=1)
    assert deliver_due(post.house, way, post.clock) == 1
    assert way.given[1] == died[0]


def test_several_senders_never_share_a_mail(postgresql_house: House, clock: Clock) -> None:
    post = Post(postgresql_house, clock)
    queue(post, "a", "b", "c")
    until = clock() + LEASE
    with postgresql_house.engine.connect() as one, postgresql_house.engine.connect() as other:
        with one.begin(), other.begin():
            other.exec_driver_sql("SET lock_timeout = '20s'")
            leased = [outbox.lease(each, clock(), until) for each in (one, other, one, other)]
            assert [each.recipient[0] for each in leased if each] == ["a", "b", "c"]
        with one.begin(), other.begin():
            assert outbox.lease(one, clock(), until) is None
            again = outbox.lease(other, until, until + LEASE)
            assert again is not None
            assert again.recipient[0] == "a"


def test_told_to_stop_it_gives_the_rest_back(post: Post) -> None:
    queue(post, "a", "b", "c")
    way = Way()
    assert deliver_due(post.house, way, post.clock, lambda: len(way.given) > 0) == 1
    other = Way()
    assert deliver_due(post.house, other, post.clock) == 2
    assert (way.recipients, other.recipients) == (["a@example.org"], ["b@example.org", "c@example.org"])
    assert {each.tries for each in post.letters()} == {1}


def test_a_slow_relay_keeps_only_one_mail(post: Post) -> None:
    """While one sender waits for its relay, another takes all the others."""
    queue(post, *"abc")
    other = Way()

    def slowly(mail: Outgoing) -> Outcome:
        assert deliver_due(post.house, other, post.clock) == 2
        return Sent()

    way = Way(slowly)
    assert deliver_due(post.house, way, post.clock) == 1
    assert (way.recipients, other.recipients) == (["a@example.org"], ["b@example.org", "c@example.org"])


def test_a_road_that_breaks_keeps_nobody_waiting(post: Post) -> None:
    """A fault of ours in sending one mail: the others go out, and it is tried again."""
    queue(post, "a", "b")

    def broken(mail: Outgoing) -> Outcome:
        if mail.recipient == "a@example.org":
            raise ZeroDivisionError("sesame")
        return Sent()

    assert deliver_due(post.house, Way(broken), post.clock) == 2
    assert (row(post, "a").status, row(post, "b").status) == ("waiting", "sent")
    assert row(post, "a").error == "a fault of this server: ZeroDivisionError"


def test_what_is_sent_is_what_was_answered(post: Post) -> None:
    """From a mail in to the bytes on the road, with the Message-ID that stands in the row."""
    post.people(alice="sesame")
    way = Way()
    deliver_due(post.house, way, post.clock)
    (only,) = post.letters()
    assert [mail.raw for mail in way.given] == [only.raw]
    assert f"Message-ID: {only.message_id}\r\n".encode() in only.raw
    assert way.given[0].envelope_sender == only.envelope_sender
