"""Sending: at least once, in order, with the bytes that were queued, and not for ever."""

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from time import monotonic

import pytest
from sqlalchemy import event

from pbmserv.commands.letter import AT_ONCE
from pbmserv.mail.sending.transport import Closed, Deferred, Delivered, Failed, Outcome, Outgoing
from pbmserv.services.app import App
from pbmserv.services.deliver import (
    BATCH,
    GIVE_UP_AFTER,
    LEASE,
    LONGEST_WAIT,
    MOST_IN_HAND,
    MOST_LANES,
    MOST_REFUSALS,
    RetryTimes,
    Sender,
    next_wait,
)
from pbmserv.store import outbox
from pbmserv.store.engine import writing
from pbmserv.store.outbox import MailKeys, OutboxMessage, QueuedMessage
from tests.cli.processes import PATIENCE, wait_for
from tests.conftest import Clock
from tests.mail.one_by_one import OneByOne
from tests.services.post import Post
from tests.services.sending import deliver_due


class Killed(BaseException):
    """The end of the process."""


@dataclass
class Way(OneByOne):
    """A road that answers as it is told, and remembers what it was given."""

    answers: Callable[[Outgoing], Outcome] = lambda mail: Delivered()
    given: list[Outgoing] = field(default_factory=list)

    def outcome_of(self, mail: Outgoing) -> Outcome:
        """Remembers and answers."""
        self.given.append(mail)
        return self.answers(mail)

    @property
    def recipients(self) -> list[str]:
        """To whom, in order."""
        return [mail.recipient for mail in self.given]


def letter(token: str) -> OutboxMessage:
    """A letter to token@example.org."""
    return OutboxMessage(
        token=token,
        keys=MailKeys(token),
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
            outbox.queue(connection, [letter(token)], post.clock())


def row(post: Post, token: str) -> QueuedMessage:
    """A letter as it stands in the outbox."""
    return next(each for each in post.letters() if each.message_id == f"<{token}@club.test>")


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
    names = [f"n{number:03}" for number in range(BATCH + 3)]
    queue(post, *names)
    way = Way()
    assert [deliver_due(post.house, way, post.clock) for _ in range(3)] == [BATCH, 3, 0]
    assert way.recipients == [f"{name}@example.org" for name in names]


def test_so_many_are_noted_in_one_commit(post: Post) -> None:
    """Each commit notes the mails before it and leases the next ones."""
    queue(post, *(f"n{number:02}" for number in range(2 * MOST_IN_HAND + 5)))
    commits = []
    event.listen(post.house.engine, "commit", lambda connection: commits.append(len(way.given)))
    way = Way()
    sender = Sender(post.house, lambda: way, post.clock)
    assert sender.send_due() == 2 * MOST_IN_HAND + 5
    sender.close()
    assert sorted({*commits}) == [0, MOST_IN_HAND, 2 * MOST_IN_HAND, 2 * MOST_IN_HAND + 5]
    assert commits.count(MOST_IN_HAND) == 1


def test_it_looks_for_mail_while_others_write(sqlite_post: Post) -> None:
    """Where nothing is due, it does not wait for the lock that SQLite has for one writer."""
    with writing(sqlite_post.house.engine):
        assert deliver_due(sqlite_post.house, Way(), sqlite_post.clock) == 0


def test_a_slow_way_has_fewer_in_hand(sqlite_post: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it takes its time for is noted soon, and no later mail waits for that."""
    monkeypatch.setattr("pbmserv.mail.sending.transport.A_MOMENT", 0.0)
    queue(sqlite_post, *"abcd")
    seen: list[list[str]] = []

    def look(mail: Outgoing) -> Outcome:
        seen.append([each.status for each in sqlite_post.letters()])
        return Delivered()

    assert deliver_due(sqlite_post.house, Way(look), sqlite_post.clock) == 4
    assert seen == [["sent"] * number + ["waiting"] * (4 - number) for number in range(4)]
    assert {(each.status, each.tries) for each in sqlite_post.letters()} == {("sent", 1)}


def test_refused_for_good(post: Post) -> None:
    queue(post, "a", "b")
    way = Way(lambda mail: Failed("550 no such user") if "a@" in mail.recipient else Delivered())
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


def test_several_senders_never_share_a_mail(postgresql_house: App, clock: Clock) -> None:
    post = Post(postgresql_house, clock)
    queue(post, "a", "b", "c")
    until = clock() + LEASE
    with postgresql_house.engine.connect() as one, postgresql_house.engine.connect() as other:
        with one.begin(), other.begin():
            other.exec_driver_sql("SET lock_timeout = '20s'")
            leased = [outbox.lease(each, clock(), until, 2) for each in (one, other, one, other)]
            assert [[mail.recipient[0] for mail in each] for each in leased] == [["a", "b"], ["c"], [], []]
        with one.begin(), other.begin():
            assert outbox.lease(one, clock(), until, 2) == []
            again = outbox.lease(other, until, until + LEASE, 1)
            assert [mail.recipient[0] for mail in again] == ["a"]


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
    way, other = SlowWay("a"), Way()
    sender = Sender(post.house, lambda: way, post.clock, HASTY)
    assert sender.send_due(lambda: len(way.on_the_way) > 0) == 1
    sender.send_due(lambda: True)
    assert deliver_due(post.house, other, post.clock) == 2
    way.arrives.set()
    sender.close()
    assert (way.recipients, other.recipients) == (["a@example.org"], ["b@example.org", "c@example.org"])


def test_a_road_that_breaks_keeps_nobody_waiting(post: Post) -> None:
    """A fault of ours in sending one mail: the others go out, and it is tried again."""
    queue(post, "a", "b")

    def broken(mail: Outgoing) -> Outcome:
        if mail.recipient == "a@example.org":
            raise ZeroDivisionError("sesame")
        return Delivered()

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


HUNG_UP_ON = Deferred("hung up on")


class SlowWay(Way):
    """A road on which mails to some wait until they are let go, or until it is hung up on."""

    def __init__(self, *slow: str, cut_short: Outcome = HUNG_UP_ON) -> None:
        super().__init__(self._answer)
        self._slow, self._cut_short = slow, cut_short
        self.on_the_way: list[str] = []
        self.arrives, self.is_hung_up = threading.Event(), threading.Event()

    def _answer(self, mail: Outgoing) -> Outcome:
        if mail.recipient.partition("@")[0] not in self._slow:
            return Delivered()
        self.on_the_way.append(mail.recipient)
        self.arrives.wait(PATIENCE)
        return self._cut_short if self.is_hung_up.is_set() else Delivered()

    def hang_up(self) -> None:
        """Ends what waits."""
        self.is_hung_up.set()
        self.arrives.set()


@contextmanager
def sender_over(post: Post, way: SlowWay, patience: RetryTimes) -> Iterator[Sender]:
    """A sender that ends at the end."""
    sender = Sender(post.house, lambda: way, post.clock, patience)
    try:
        yield sender
    finally:
        way.arrives.set()
        sender.close()


HASTY = RetryTimes(slow=0.01)


def test_a_mail_that_takes_long_lets_all_others_pass_but_those_to_the_same_recipient(post: Post) -> None:
    queue(post, "a", "b", "c")
    with writing(post.house.engine) as connection:
        outbox.queue(connection, [replace(letter("d"), recipient="a@example.org")], post.clock())
    way = SlowWay("a")
    with sender_over(post, way, HASTY) as sender:
        assert sender.send_due() == 3
        assert sender.send_due() == 0
        assert sorted(way.recipients) == ["a@example.org", "b@example.org", "c@example.org"]
        assert [row(post, token).status for token in "bc"] == ["sent", "sent"]
        assert [each.tries for each in post.letters() if each.recipient == "a@example.org"] == [0, 0]
        way.arrives.set()
        wait_for(lambda: sender.send_due() == 1)
    assert {(each.status, each.tries) for each in post.letters()} == {("sent", 1)}
    assert way.given[-1].envelope_sender == letter("d").envelope_sender


def test_so_many_roads_and_no_more(post: Post) -> None:
    names = [f"n{number}" for number in range(MOST_LANES + 2)]
    queue(post, *names)
    way = SlowWay(*names)
    roads = []

    def open_road() -> Way:
        roads.append(way)
        return way

    sender = Sender(post.house, open_road, post.clock, HASTY)
    assert [sender.send_due(), sender.send_due()] == [MOST_LANES, 0]
    assert len(roads) == MOST_LANES
    way.arrives.set()
    wait_for(lambda: sender.send_due() + len(way.given) == len(names))
    sender.close()
    assert {(each.status, each.tries) for each in post.letters()} == {("sent", 1)}
    assert sorted(way.recipients) == [f"{name}@example.org" for name in names]


def test_all_roads_taken_for_long_one_is_cleared_for_who_waits(post: Post) -> None:
    """The one that was taken longest; without anybody who waits each may take its time."""
    slow = [f"n{number}" for number in range(MOST_LANES)]
    queue(post, *slow)
    ways: list[SlowWay] = []

    def open_road() -> Way:
        ways.append(SlowWay(*slow))
        return ways[-1]

    sender = Sender(post.house, open_road, post.clock, replace(HASTY, fair=0.0))
    assert [sender.send_due(), sender.send_due()] == [MOST_LANES, 0]
    assert not any(way.is_hung_up.is_set() for way in ways)
    queue(post, "good")
    assert sender.send_due() == 1
    wait_for(lambda: sender.send_due() == 0 and row(post, "good").status == "sent")
    # On a busy machine the first road may have come too late for the first mail.
    assert [way.on_the_way for way in ways if way.is_hung_up.is_set()] == [["n0@example.org"]]
    assert (row(post, "n0").tries, row(post, "n0").error) == (1, "hung up on")
    for way in ways:
        way.arrives.set()
    sender.close()
    assert [row(post, name).status for name in slow] == ["waiting", "sent", "sent", "sent"]


def test_all_roads_taken_each_keeps_its_fair_time(sqlite_post: Post) -> None:
    slow = [f"n{number}" for number in range(MOST_LANES)]
    queue(sqlite_post, *slow, "good")
    way = SlowWay(*slow)
    with sender_over(sqlite_post, way, HASTY) as sender:
        assert [sender.send_due(), sender.send_due()] == [MOST_LANES, 0]
        assert not way.is_hung_up.is_set()
        assert row(sqlite_post, "good").not_before == AT_ONCE


class DeafWay(SlowWay):
    """A road on which nothing can be ended."""

    def hang_up(self) -> None:
        """Nothing."""


def test_a_road_that_cannot_be_cleared_is_left(post: Post) -> None:
    slow = [f"n{number}" for number in range(MOST_LANES)]
    queue(post, *slow, "good")
    way = DeafWay(*slow)
    with sender_over(post, way, replace(HASTY, fair=0.0)) as sender:
        assert sender.send_due() == MOST_LANES + 1
        wait_for(lambda: sender.send_due() >= 0 and row(post, "good").status == "sent")
        assert row(post, "n0").tries == 1


def test_the_end_waits_for_nobody_for_ever(sqlite_post: Post) -> None:
    """Neither it nor the end of the process: a thread that hangs does not live longer than that."""
    queue(sqlite_post, "a")
    way = DeafWay("a")
    sender = Sender(sqlite_post.house, lambda: way, sqlite_post.clock, RetryTimes(slow=0.01, last=0.01))
    assert sender.send_due() == 1
    begun = monotonic()
    sender.close()
    assert monotonic() < begun + 5
    assert all(thread.daemon for thread in threading.enumerate() if thread.name == "road")
    assert row(sqlite_post, "a").not_before == sqlite_post.clock() + LEASE
    way.arrives.set()


def test_a_sender_keeps_what_its_relay_takes_long_for(post: Post) -> None:
    """Ten minutes for the reply after the dot are within the standard: nobody else may send the mail meanwhile."""
    queue(post, "a")
    way, other = SlowWay("a"), Way()
    with sender_over(post, way, replace(HASTY, renew=0.0)) as sender:
        assert sender.send_due() == 1
        for _ in range(5):
            post.clock.now += LEASE - timedelta(seconds=1)
            assert sender.send_due() == 0
            assert deliver_due(post.house, other, post.clock) == 0
    assert (row(post, "a").status, other.given) == ("sent", [])


@pytest.mark.parametrize("late", [Deferred("hung up on"), Failed("550 no"), Closed("gone")])
def test_a_sender_that_hangs_itself_loses_its_lease_but_what_is_sent_stays_sent(
    late: Outcome, sqlite_post: Post
) -> None:
    """Stopped for long it does not renew: another sends the mail again, and no late word undoes that."""
    queue(sqlite_post, "a")
    way = SlowWay("a", cut_short=late)
    with sender_over(sqlite_post, way, HASTY) as sender:
        assert sender.send_due() == 1
        sqlite_post.clock.now += LEASE
        assert deliver_due(sqlite_post.house, Way(), sqlite_post.clock) == 1
        way.hang_up()
    found = row(sqlite_post, "a")
    assert (found.status, found.tries, found.error) == ("sent", 1, None)


def test_what_never_ends_is_hung_up_on(post: Post) -> None:
    queue(post, "a")
    way = SlowWay("a")
    with sender_over(post, way, replace(HASTY, longest=0.0)) as sender:
        sender.send_due()
        wait_for(lambda: sender.send_due() == 0 and row(post, "a").tries == 1)
    assert way.is_hung_up.is_set()
    assert (row(post, "a").status, row(post, "a").error) == ("waiting", "hung up on")


def test_told_to_stop_it_waits_a_little_for_what_is_on_its_way(post: Post) -> None:
    queue(post, "a")
    way = SlowWay("a")
    sender = Sender(post.house, lambda: way, post.clock, HASTY)
    assert sender.send_due() == 1
    threading.Timer(0.05, way.arrives.set).start()
    sender.close()
    assert row(post, "a").status == "sent"


def test_told_to_stop_it_hangs_up_on_what_takes_too_long(post: Post) -> None:
    queue(post, "a", "b")
    way = SlowWay("a")
    sender = Sender(post.house, lambda: way, post.clock, RetryTimes(slow=0.01, last=0.01))
    assert sender.send_due(lambda: len(way.on_the_way) > 0) == 1
    sender.close()
    assert (row(post, "a").status, row(post, "a").tries) == ("waiting", 1)
    assert (row(post, "b").status, row(post, "b").tries) == ("waiting", 0)
    assert deliver_due(post.house, Way(), post.clock) == 1, "the other is free at once"


def test_a_closed_way_out_costs_no_mail_a_try(post: Post, caplog: pytest.LogCaptureFixture) -> None:
    """A relay that is away for weeks: told once, tried with one mail, and all goes out in order after."""
    caplog.set_level(logging.INFO)
    queue(post, "a", "b", "c")
    is_closed = True
    way = Way(lambda mail: Closed("connection refused") if is_closed else Delivered())
    sender = Sender(post.house, lambda: way, post.clock, RetryTimes(first_pause=1e-9, longest_pause=1e-9))
    assert sender.send_due() == BATCH
    assert set(way.recipients) == {"a@example.org"}
    post.clock.move(days=30)
    found = row(post, "a")
    assert (found.status, found.tries, found.error) == ("waiting", 0, "connection refused")
    is_closed = False
    way.given.clear()
    assert sender.send_due() == 3
    sender.close()
    assert way.recipients == ["a@example.org", "b@example.org", "c@example.org"]
    told = [record.getMessage() for record in caplog.records if record.name == "pbmserv.services.deliver"]
    closed, opened, *sent = told
    assert (closed, opened) == (
        'the way out is closed, and mail waits error="connection refused"',
        "the way out is open again",
    )
    assert sent == [f"sent out={row(post, token).id} to={token}@example.org tries=1" for token in "abc"]


def test_a_relay_that_closes_itself_to_one_mail_only_holds_up_no_other(post: Post) -> None:
    """Where it has let us in, it may be the mail; each third time running counts as one try."""
    queue(post, "a", "b")
    gone = Closed("421 4.7.0 not this one", at_mail=True)
    way = Way(lambda mail: gone if "a@" in mail.recipient else Delivered())
    sender = Sender(post.house, lambda: way, post.clock, RetryTimes(first_pause=1e-9, longest_pause=1e-9))
    assert sender.send_due() == MOST_REFUSALS + 1
    assert way.recipients == ["a@example.org"] * MOST_REFUSALS + ["b@example.org"]
    assert (row(post, "a").status, row(post, "a").tries, row(post, "a").error) == ("waiting", 1, gone.reason)
    assert row(post, "b").status == "sent"
    post.clock.move(minutes=1)
    assert sender.send_due() == MOST_REFUSALS
    sender.close()
    assert row(post, "a").tries == 2


def test_a_relay_that_is_away_in_between_is_no_fault_of_the_mail(sqlite_post: Post) -> None:
    queue(sqlite_post, "a")
    said = [Closed("421 busy", at_mail=True), Closed("connection refused")] * (MOST_REFUSALS - 1)
    answers: Iterator[Outcome] = iter([*said, Delivered()])
    sender = Sender(
        sqlite_post.house, lambda: Way(lambda mail: next(answers)), sqlite_post.clock, RetryTimes(first_pause=1e-9)
    )
    wait_for(lambda: sender.send_due() >= 0 and row(sqlite_post, "a").status == "sent")
    sender.close()
    assert row(sqlite_post, "a").tries == 1


def test_a_closed_way_out_is_left_in_peace_for_a_while(sqlite_post: Post) -> None:
    queue(sqlite_post, "a")
    way = Way(lambda mail: Closed("connection refused"))
    sender = Sender(sqlite_post.house, lambda: way, sqlite_post.clock, RetryTimes(first_pause=3600.0))
    assert [sender.send_due() for _ in range(3)] == [1, 0, 0]
    sender.close()
    assert len(way.given) == 1


def test_a_relay_that_refuses_us_is_told_of_once(post: Post, caplog: pytest.LogCaptureFixture) -> None:
    """Nothing fails for what the operator can mend; once it is, all goes out."""
    queue(post, "a", "b", "c")
    refuses = True
    way = Way(lambda mail: Deferred("554 5.7.1 relay denied", is_ours=True) if refuses else Delivered())
    assert deliver_due(post.house, way, post.clock) == 3
    errors = [record.getMessage() for record in caplog.records if record.levelno == logging.ERROR]
    assert errors == [
        'the relay refuses what we send, which may be a setting here or there error="554 5.7.1 relay denied"'
    ]
    refuses = False
    post.clock.move(minutes=1)
    assert deliver_due(post.house, way, post.clock) == 3
    assert {each.status for each in post.letters()} == {"sent"}
