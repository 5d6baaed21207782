"""Clocks that jump, and hosts whose clocks differ: nothing waits for ever, and the order stays."""

from contextlib import ExitStack
from pathlib import Path

import pytest

from pbmserv.mail.sending.maildir import Maildir
from pbmserv.mail.sending.transport import Outcome, Outgoing
from pbmserv.services import process
from pbmserv.services.app import App
from pbmserv.services.worker import process_next
from tests.cli.processes import running, wait_for
from tests.conftest import Clock
from tests.faults import hindered
from tests.faults.feeding import (
    Feeding,
    assert_each_handled_once,
    message_ids,
    sign_up,
    wait_until_quiet,
)
from tests.faults.test_disk import sent_of, settings_for, url_in
from tests.mail.one_by_one import OneByOne
from tests.services.post import Post
from tests.services.sending import deliver_due

HINDERED = Path(hindered.__file__)
PARTS = ("listen", "work", "send")
DAY, TEN_MINUTES = 86_400, 600
PEOPLE = ("alice", "bob")

JUMPS = (
    {"listen": DAY, "work": 0, "send": 0},
    {"listen": TEN_MINUTES, "work": 0, "send": 0},
    {"listen": 0, "work": DAY, "send": 0},
    {"listen": 0, "work": TEN_MINUTES, "send": 0},
    {"listen": 0, "work": 0, "send": DAY},
    {"listen": 0, "work": 0, "send": 0},
    {"listen": -DAY, "work": -DAY, "send": -DAY},
    {"listen": 0, "work": 0, "send": 0},
)


def test_parts_with_clocks_of_their_own(tmp_path: Path) -> None:
    """Whatever each part takes the time to be, a mail is handled and answered now."""
    data = tmp_path / "data"
    sign_up(url_in(data), PEOPLE)
    settings = settings_for(data)
    feed = Feeding(int(settings["PBMSERV_LISTEN"].rpartition(":")[2]), PEOPLE)
    clocks = {part: tmp_path / f"clock of {part}" for part in PARTS}
    for clock in clocks.values():
        hindered.write_clock(clock, 0)
    with ExitStack() as stack:
        for part, clock in clocks.items():
            hindrance = {"HINDER_CLOCK": str(clock)}
            stack.enter_context(running(settings | hindrance, tmp_path, part, program=HINDERED))
        for number, jump in enumerate(JUMPS):
            for part, seconds in jump.items():
                hindered.write_clock(clocks[part], seconds)
            for name in PEOPLE:
                feed.bring(name, number)
            wait_until_quiet(url_in(data))
            wait_for(lambda: sent_of(data) == message_ids(data / "outgoing").keys() != set())
    assert set(message_ids(data / "outgoing").values()) == {1}
    assert_each_handled_once(url_in(data), len(PEOPLE) * (1 + len(JUMPS)), by_one_clock=False)


@pytest.fixture
def post(house: App, clock: Clock) -> Post:
    """On either database, by a clock that can be moved."""
    built = Post(house, clock)
    built.people(alice="sesame")
    return built


def test_a_failed_try_by_a_clock_that_ran_ahead(post: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is tried again within minutes of the right time, not tomorrow; the sender's next mail stays behind it."""
    first = post.put(post.write("alice@example.org", "help"))
    second = post.put(post.write("alice@example.org", "list"))
    post.clock.move(days=1)
    with monkeypatch.context() as patch:
        patch.setattr(process, "answer_to", None)
        for seconds in (0, 1, 10):
            post.clock.move(seconds=seconds)
            assert process_next(post.house, post.clock)
    assert (post.row(first).status, post.row(first).tries) == ("waiting", 3)
    post.clock.move(days=-1)
    post.work()
    assert [post.row(each).status for each in (first, second)] == ["handled", "handled"]
    letters = [letter for letter in post.letters() if b"alice@example.org" in letter.raw][-2:]
    assert [b"Subject: pbmserv: help" in letter.raw for letter in letters] == [True, False]


def test_a_mail_deferred_by_a_clock_that_ran_ahead(post: Post, tmp_path: Path) -> None:
    """Its sender's clock is set right, and it goes out; so does one that was leased and never noted."""
    maildir, blocked = Maildir(tmp_path / "outgoing"), Maildir(Path("/dev/null/outgoing"))
    post.clock.move(days=1)
    assert deliver_due(post.house, blocked, post.clock) == 1
    post.mail("alice@example.org", "help")

    class Killed(BaseException):
        pass

    class Killing(OneByOne):
        def outcome_of(self, mail: Outgoing) -> Outcome:
            raise Killed

    with pytest.raises(Killed):
        deliver_due(post.house, Killing(), post.clock)
    assert deliver_due(post.house, maildir, post.clock) == 0
    post.clock.move(days=-1)
    assert deliver_due(post.house, maildir, post.clock) == 2
    assert len(message_ids(tmp_path / "outgoing")) == 2
