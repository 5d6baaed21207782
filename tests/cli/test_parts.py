"""The parts of a running server: marks of workers, loops that outlive trouble, one end that is the end of all."""

import logging
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy.exc import OperationalError

from pbmserv.cli.serve import run_parts
from pbmserv.mail.sending.transport import Delivered, Outcome, Outgoing
from pbmserv.server import in_flight, parts
from pbmserv.server.in_flight import abandoned_markers, acquire_marker
from pbmserv.server.parts import Part, sending, working
from pbmserv.server.robots import playing
from pbmserv.services import failures
from pbmserv.services.app import App
from pbmserv.services.failures import set_back
from tests.cli import deadly
from tests.cli.terminal import RealClock
from tests.mail.one_by_one import OneByOne
from tests.services.post import Post

PATIENCE = 60.0


def left_by_a_killed_worker(folder: Path, mail_id: int) -> None:
    """What a process leaves that is killed over a mail: its mark, which nobody holds any more."""
    mark = acquire_marker(folder)
    mark.put(mail_id)
    mark.close()


def test_a_mark_outlives_its_process(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "data"
    mark = acquire_marker(folder)
    assert mark.left_behind() is None
    mark.put(123456789012345)
    mark.put(7)
    mark.close()
    mark = acquire_marker(folder)
    assert mark.left_behind() == 7
    mark.clear()
    mark.close()
    mark = acquire_marker(folder)
    assert mark.left_behind() is None
    mark.close()


def test_workers_have_marks_of_their_own(tmp_path: Path) -> None:
    one, two = acquire_marker(tmp_path), acquire_marker(tmp_path)
    one.put(1)
    two.put(2)
    three = acquire_marker(tmp_path)
    assert three.left_behind() is None
    one.close()
    heir = acquire_marker(tmp_path)
    assert heir.left_behind() == 1
    for mark in (two, three, heir):
        mark.close()


def test_what_more_workers_left_behind_is_found(tmp_path: Path) -> None:
    """One worker may follow upon three; a mark that is held by a living one is not touched."""
    marks = [acquire_marker(tmp_path) for _ in range(3)]
    for number, mark in enumerate(marks, 1):
        mark.put(number)
    for mark in marks[1:]:
        mark.close()
    found = []
    for mark in abandoned_markers(tmp_path):
        found.append(mark.left_behind())
        mark.clear()
    assert found == [2, 3]
    assert [mark.left_behind() for mark in abandoned_markers(tmp_path)] == [None, None]
    assert marks[0].left_behind() == 1
    marks[0].close()


@pytest.mark.parametrize("content", [b"", b" " * 32, b"x", b"12", b"-5 ", b"\xff\xfe 7 ", b"\0" * 40])
def test_a_mark_that_makes_no_sense_is_none(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "worker-0.mark").write_bytes(content)
    mark = acquire_marker(tmp_path)
    assert mark.left_behind() is None
    mark.put(5)
    mark.close()
    mark = acquire_marker(tmp_path)
    assert mark.left_behind() == 5
    mark.close()


@contextmanager
def running(part: Part) -> Iterator[threading.Event]:
    """A part in a thread of its own; told to stop at the end, it does."""
    stop = threading.Event()
    thread = threading.Thread(target=part, args=(stop,))
    thread.start()
    try:
        yield stop
    finally:
        stop.set()
        thread.join(PATIENCE)
        assert not thread.is_alive()


def wait_for(what: Callable[[], bool]) -> None:
    """Until it is so."""
    tick = threading.Event()
    for _ in range(int(PATIENCE / 0.01)):
        if what():
            return
        tick.wait(0.01)
    raise TimeoutError


@pytest.fixture
def post(sqlite_house: App) -> Post:
    """On SQLite, by the real clock."""
    return Post(sqlite_house, RealClock())


def put(post: Post, sender: str, line: str, text: str = "") -> int:
    """Keeps a mail that a mail server on its way has no doubts about."""
    return post.put(post.write(sender, line, text), sender)


def test_a_worker_counts_the_kill_and_tries_again(post: Post, tmp_path: Path) -> None:
    mail_id = put(post, "alice@example.org", "help")
    other = put(post, "bob@example.org", "help")
    left_by_a_killed_worker(tmp_path, mail_id)
    bell, done = threading.Event(), threading.Event()
    with running(working(post.house, tmp_path, bell, done)):
        assert done.wait(PATIENCE)
        wait_for(lambda: post.fates() == ["handled", "handled"])
    assert [(post.row(each).kills, post.row(each).setbacks) for each in (mail_id, other)] == [(0, 1), (0, 0)]
    mark = acquire_marker(tmp_path)
    assert mark.left_behind() is None
    mark.close()


DEADLY = (sys.executable, deadly.__file__)


def make_quick(monkeypatch: pytest.MonkeyPatch, folder: Path, **waits: object) -> None:
    """Processes of mails' own find the house in this folder; nobody waits between tries."""
    monkeypatch.setenv("PBMSERV_DATA", str(folder))
    monkeypatch.setenv("PBMSERV_CONFIRM", "from")
    monkeypatch.setenv("PBMSERV_VARIANTS", "true")
    monkeypatch.setattr(failures, "WAITS_BETWEEN_TRIES", (timedelta(),) * 5)
    for name, seconds in ({"ALL_ARE_DEAD": 0.01} | waits).items():
        monkeypatch.setattr(in_flight, name, seconds)


@pytest.mark.slow
def test_what_kills_whatever_reads_it_is_set_aside(
    post: Post, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worker lives on, and handles everything else; not even telling the sender harms it."""
    make_quick(monkeypatch, tmp_path)
    killer = suspect(post, "help", deadly.KILLS)
    behind = put(post, "alice@example.org", "list")
    other = put(post, "bob@example.org", "list")
    with running(working(post.house, tmp_path, threading.Event(), threading.Event(), DEADLY)):
        wait_for(lambda: post.row(killer).status == "set aside")
        wait_for(lambda: {post.row(each).status for each in (behind, other)} == {"handled"})
    assert (post.row(killer).kills, post.row(killer).tries) == (5, 0)
    assert sorted(letter.recipient for letter in post.letters()) == ["alice@example.org", "bob@example.org"]


def suspect(post: Post, line: str, text: str = "") -> int:
    """A mail that two workers were killed over."""
    mail_id = put(post, "alice@example.org", line, text)
    for _ in range(2):
        set_back(post.house, mail_id, "a worker ended", post.clock())
    return mail_id


@pytest.mark.slow
def test_an_innocent_mail_is_handled_by_a_process_of_its_own(
    post: Post, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_quick(monkeypatch, tmp_path)
    mail_id = suspect(post, "signup alice sesame")
    with running(working(post.house, tmp_path, threading.Event(), threading.Event(), DEADLY)):
        wait_for(lambda: post.row(mail_id).status == "handled")
    assert post.is_confirmed("alice")
    assert (post.row(mail_id).kills, post.row(mail_id).setbacks) == (0, 2)


def test_one_that_hangs_is_ended_and_not_blamed(
    post: Post, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may wait for a lock that somebody else holds."""
    make_quick(monkeypatch, tmp_path, MOST_SECONDS=0.2)
    mail_id = suspect(post, "help", deadly.HANGS)
    with running(working(post.house, tmp_path, threading.Event(), threading.Event(), DEADLY)):
        wait_for(lambda: post.row(mail_id).setbacks == 3)
    assert (post.row(mail_id).status, post.row(mail_id).kills) == ("waiting", 0)


def test_a_worker_told_to_stop_does_not_wait_for_one_that_hangs(
    post: Post, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Nor does it hold the end of that process against the mail."""
    caplog.set_level(logging.INFO)
    make_quick(monkeypatch, tmp_path)
    mail_id = suspect(post, "help", deadly.HANGS)
    with running(working(post.house, tmp_path, threading.Event(), threading.Event(), DEADLY)):
        wait_for(lambda: "processing a mail in isolation" in caplog.text)
    assert (post.row(mail_id).kills, post.row(mail_id).setbacks) == (0, 2)
    mark = acquire_marker(tmp_path)
    assert mark.left_behind() is None
    mark.close()


def test_a_mark_of_a_mail_long_done_is_forgotten(post: Post, tmp_path: Path) -> None:
    mail_id = put(post, "alice@example.org", "help")
    post.work()
    for left in (mail_id, 999):
        left_by_a_killed_worker(tmp_path, left)
        next_id = put(post, "alice@example.org", "list")
        with running(working(post.house, tmp_path, threading.Event(), threading.Event())):
            wait_for(lambda each=next_id: post.row(each).status == "handled")  # type: ignore[misc]
    assert {kept.kills for kept in post.inbox()} == {0}


def test_no_secret_stays_in_the_log_of_the_database(post: Post, tmp_path: Path) -> None:
    """SQLite's write-ahead log holds what was overwritten until it is emptied; a server may run for months."""
    with running(working(post.house, tmp_path, threading.Event(), threading.Event())):
        for word in ("Xy7zzy-Q", "Xy7zzy-R"):
            mail_id = post.put(post.write("alice@example.org", f"signup alice {word}"))
            wait_for(lambda each=mail_id: post.row(each).status == "handled")  # type: ignore[misc]
            wait_for(lambda: not (tmp_path / "pbmserv.db-wal").read_bytes())
            assert word.encode() not in (tmp_path / "pbmserv.db").read_bytes()


class Trouble:
    """A step that meets a database which is away for a while."""

    def __init__(self, times: int, error: Exception | None = None) -> None:
        self.calls = 0
        self._times, self._error = times, error or OperationalError("SELECT 1", {}, Exception("gone"))

    def __call__(self, *_: object) -> bool:
        """Raises the first times."""
        self.calls += 1
        if self.calls <= self._times:
            raise self._error
        return False


def test_a_worker_outlives_the_absence_of_its_database(
    post: Post, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """It says so once, waits, says so once when all is well again; the mail loses nothing by it."""
    trouble = Trouble(3)
    monkeypatch.setattr(parts, "process_some", trouble)
    caplog.set_level(logging.INFO)
    with running(working(post.house, tmp_path, threading.Event(), threading.Event())):
        wait_for(lambda: trouble.calls > 5)
    assert caplog.text.count("the database is away") == 1
    assert caplog.text.count("the database is back") == 1


def test_told_to_stop_it_does_not_wait_for_the_database(
    post: Post, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trouble = Trouble(10**9)
    monkeypatch.setattr(parts, "process_some", trouble)
    monkeypatch.setattr(parts, "LOOK_EVERY", 10**6)
    monkeypatch.setattr(parts, "LONGEST_PAUSE", 10**6)
    with running(working(post.house, tmp_path, threading.Event(), threading.Event())):
        wait_for(lambda: trouble.calls > 0)


def test_a_fault_ends_the_worker_and_frees_its_mark(
    post: Post, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parts, "process_some", Trouble(1, ValueError("bug")))
    with pytest.raises(ValueError, match="bug"):
        working(post.house, tmp_path, threading.Event(), threading.Event())(threading.Event())
    mark = acquire_marker(tmp_path)
    assert (mark.left_behind(), len([*tmp_path.glob("*.mark")])) == (None, 1)
    mark.close()


def test_a_sender_closes_its_road(post: Post) -> None:
    closed, sent = threading.Event(), threading.Event()

    class Way(OneByOne):
        def outcome_of(self, mail: Outgoing) -> Outcome:
            sent.set()
            return Delivered()

        def close(self) -> None:
            if sent.is_set():
                closed.set()

    post.mail("alice@example.org", "help")
    with running(sending(post.house, Way, threading.Event())):
        assert sent.wait(PATIENCE)
        assert not closed.is_set()
    assert closed.is_set()


def test_robots_play_where_they_cannot_make_way(
    post: Post, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The systemd units forbid them to change their priority."""

    def forbidden(by: int) -> int:
        raise PermissionError

    monkeypatch.setattr("os.nice", forbidden)
    caplog.set_level(logging.INFO)
    with running(playing(post.house)):
        wait_for(lambda: "is there to be challenged" in caplog.text)


def test_what_robots_do_first(post: Post, caplog: pytest.LogCaptureFixture) -> None:
    """What comes later in the row is done when nothing before it is left, even if that fails each time."""
    done: list[str] = []

    def urgent(app: App, now: datetime) -> bool:
        done.append("urgent")
        return len(done) < 3

    def broken(app: App, now: datetime) -> bool:
        raise ValueError("bug")

    def idle(app: App, now: datetime) -> bool:
        done.append("idle")
        return False

    with running(playing(post.house, (urgent, broken, idle))):
        wait_for(lambda: len(done) >= 6)
    assert done[:6] == ["urgent", "urgent", "urgent", "idle", "urgent", "idle"]
    assert "a job of the robots has failed job=broken error=ValueError" in caplog.text


def until_told(stop: threading.Event) -> None:
    """A part that runs."""
    stop.wait(PATIENCE)


@pytest.mark.parametrize("error", [ValueError("bug"), SystemExit(3), KeyboardInterrupt(), None])
def test_a_part_that_ends_ends_all(error: BaseException | None, caplog: pytest.LogCaptureFixture) -> None:
    def end(stop: threading.Event) -> None:
        if error is not None:
            raise error

    stop = threading.Event()
    assert not run_parts({"one": until_told, "two": end, "three": until_told}, stop)
    assert stop.is_set()
    assert "a part has ended, and so does all beside it part=two" in caplog.text
    assert ("a part has failed part=two" in caplog.text) is (error is not None)


def test_parts_that_are_told_to_stop_end_well() -> None:
    stop = threading.Event()
    threading.Timer(0.05, stop.set).start()
    assert run_parts({"one": until_told, "two": until_told}, stop)


def test_a_fault_while_stopping_is_told_but_no_early_end(caplog: pytest.LogCaptureFixture) -> None:
    def stumble(stop: threading.Event) -> None:
        stop.wait(PATIENCE)
        raise ValueError("too late")

    stop = threading.Event()
    threading.Timer(0.05, stop.set).start()
    assert run_parts({"one": until_told, "two": stumble}, stop)
    assert "too late" in caplog.text
