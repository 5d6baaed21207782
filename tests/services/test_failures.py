"""Faults of ours: nothing is half done, the mail is tried again and then set aside, everybody else goes on."""

import importlib
import logging
import sqlite3
from collections.abc import Callable
from typing import Any, Literal

import pytest
from jinja2 import TemplateNotFound
from sqlalchemy.exc import OperationalError

from pbmserv.services import compose, process, respond
from pbmserv.services.admin.mails import retry
from pbmserv.services.failures import WAITS_BETWEEN_TRIES, IsolatedEnd, set_back, tell_quarantined
from pbmserv.services.views import list_players, load_board
from pbmserv.services.worker import Safeguards, process_next, process_one, process_some
from tests.services.post import Post, header_of, text_of

SENTENCE = "an error in this server"


class Bug(Exception):
    """Ours."""


def club(post: Post) -> Post:
    """Alice and bob at a board where it is alice's turn; `clumsy` is the mark of the mails that fail."""
    post.people(alice="sesame", bob="poppy", clumsy="tahini")
    post.mail("alice@example.org", "challenge alice bob -size=3x3")
    return post


def spoil(monkeypatch: pytest.MonkeyPatch, place: str, breaks: Callable[..., bool]) -> None:
    """From now on the function at `module:name` raises, after its work, for the arguments that `breaks` picks."""
    module, _, name = place.partition(":")
    target = importlib.import_module(f"pbmserv.{module}")
    real = getattr(target, name)

    def broken(*arguments: Any, **named: Any) -> Any:
        result = real(*arguments, **named)
        if breaks(*arguments, **named):
            raise Bug("sesame")
        return result

    monkeypatch.setattr(target, name, broken)


STAGES: dict[str, tuple[str, Callable[..., bool]]] = {
    "a command": ("services.run:decide", lambda request, *_: request.command.name == "move"),
    "keeping": ("store.matches:write", lambda _, decision: bool(decision.entries)),
    "what is answered": ("services.process:answer_to", lambda *_, **__: True),
    "what others are told": ("services.respond:board_notices", lambda *_, **__: True),
    "letters": ("store.letters:add", lambda _, letters, now: any(letter.kind == "board" for letter in letters)),
    "finishing": ("store.inbox:finish", lambda *_: True),
}


@pytest.mark.parametrize("stage", STAGES)
def test_wherever_it_fails_nothing_is_done(post: Post, monkeypatch: pytest.MonkeyPatch, stage: str) -> None:
    """There is never a move without its answer, nor an answer without its move."""
    club(post)
    before = post.letters()
    spoil(monkeypatch, *STAGES[stage])
    mail_id = post.put(post.write("alice@example.org", "move 101 b2", "hello"))
    assert process_next(post.house, post.clock)
    seen = load_board(post.house, 101)
    assert seen is not None
    assert seen.match.entries == ()
    assert post.letters() == before
    assert (post.row(mail_id).status, post.row(mail_id).tries) == ("waiting", 1)
    monkeypatch.undo()
    post.clock.move(seconds=1)
    post.work()
    seen = load_board(post.house, 101)
    assert seen is not None
    assert [entry.text for entry in seen.match.entries] == ["B2"]
    assert [letter.recipient for letter in post.letters()[len(before) :]] == [
        "alice@example.org",
        "bob@example.org",
    ]
    assert post.row(mail_id).error is None


def test_earlier_commands_of_the_mail_are_undone_too(post: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    club(post)
    spoil(monkeypatch, "services.run:decide", lambda request, *_: request.command.name == "help")
    text = "signup eve pepper\nchallenge alice bob -size=3x3\nmove 101 b2\nhelp"
    post.put(post.write("alice@example.org", "many", text))
    post.work()
    seen = load_board(post.house, 101)
    assert seen is not None
    assert seen.match.entries == ()
    assert load_board(post.house, 102) is None
    assert len(list_players(post.house)) == 3


def break_for_clumsy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every mail of clumsy's fails from now on."""
    spoil(
        monkeypatch,
        "services.process:answer_to",
        lambda _, to, *__, **___: to.recipient == "clumsy@example.org",
    )


def test_tried_five_times_then_set_aside(post: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    """At 0, 1, 10, 60 and 600 seconds after one another; then its sender is told, once."""
    club(post)
    before = len(post.letters())
    break_for_clumsy(monkeypatch)
    mail_id = post.put(post.write("clumsy@example.org", "help"))
    assert [wait.total_seconds() for wait in WAITS_BETWEEN_TRIES] == [0, 1, 10, 60, 600]
    for tries, wait in enumerate(WAITS_BETWEEN_TRIES, 1):
        if wait:
            post.clock.move(seconds=wait.total_seconds() - 0.001)
            assert not process_next(post.house, post.clock)
            post.clock.move(seconds=0.001)
        assert process_next(post.house, post.clock)
        assert not process_next(post.house, post.clock)
        row = post.row(mail_id)
        assert (row.status, row.tries) == ("waiting" if tries < 5 else "set aside", tries)
    (letter,) = post.letters()[before:]
    assert letter.recipient == "clumsy@example.org"
    assert SENTENCE in text_of(letter)
    assert header_of(letter, "In-Reply-To") == f"<in-{post.written}@example.org>"
    post.clock.move(days=1)
    assert not process_next(post.house, post.clock)


def test_the_place_is_kept_and_no_value(
    post: Post, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The bug's own text quotes a password: it goes neither into the row nor into the log."""
    club(post)
    break_for_clumsy(monkeypatch)
    with caplog.at_level(logging.DEBUG):
        mail_id = post.put(post.write("clumsy@example.org", "as clumsy sesame", "help"))
        post.work()
    error = post.row(mail_id).error
    assert error is not None
    assert error.endswith("Bug")
    assert "test_failures.py:" in error
    assert "sesame" not in error + caplog.text
    assert "tries=1 error=Bug" in caplog.text


def test_others_go_on_and_the_senders_own_wait(post: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    club(post)
    break_for_clumsy(monkeypatch)
    first = post.put(post.write("clumsy@example.org", "help"))
    second = post.put(post.write("Clumsy <CLUMSY@example.org>", "list"))
    other = post.put(post.write("alice@example.org", "list"))
    post.work()
    assert [post.row(each).status for each in (first, second, other)] == ["waiting", "waiting", "handled"]
    assert post.row(second).tries == 0
    monkeypatch.undo()
    post.clock.move(seconds=1)
    post.work()
    assert [post.row(each).status for each in (first, second)] == ["handled", "handled"]
    assert [header_of(letter, "Subject") for letter in post.letters()[-2:]] == ["pbmserv: help", "pbmserv: list"]


def fail_for_good(post: Post) -> int:
    """A mail of clumsy's that is set aside."""
    mail_id = post.put(post.write("clumsy@example.org", "help"))
    for wait in WAITS_BETWEEN_TRIES:
        post.clock.move(seconds=wait.total_seconds())
        post.work()
    assert post.row(mail_id).status == "set aside"
    return mail_id


def test_retry_brings_it_back(post: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once the bug is mended; later mails of the sender were handled meanwhile."""
    club(post)
    break_for_clumsy(monkeypatch)
    mail_id = fail_for_good(post)
    monkeypatch.undo()
    assert len(post.mail("clumsy@example.org", "list")) == 1
    before = len(post.letters())
    post.clock.move(days=9)
    assert retry(post.house, mail_id, post.clock())
    post.work()
    (letter,) = post.letters()[before:]
    assert header_of(letter, "Subject") == "pbmserv: help"
    assert post.row(mail_id).status == "handled"
    assert not retry(post.house, mail_id, post.clock())


def test_retry_too_early_fails_again(post: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    club(post)
    break_for_clumsy(monkeypatch)
    mail_id = fail_for_good(post)
    assert retry(post.house, mail_id, post.clock())
    post.work()
    assert (post.row(mail_id).status, post.row(mail_id).tries) == ("waiting", 1)


def test_a_robot_is_not_told(post: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    club(post)
    spoil(monkeypatch, "store.inbox:finish", lambda *_: True)
    before = post.letters()
    mail_id = post.put(post.write("mailer-daemon@example.org", "help"), "<>")
    for wait in WAITS_BETWEEN_TRIES:
        post.clock.move(seconds=wait.total_seconds())
        post.work()
    assert post.row(mail_id).status == "set aside"
    assert post.letters() == before


def test_set_aside_even_where_its_sender_cannot_be_told(post: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    """The template that is broken is the one that tells of it."""
    club(post)
    break_for_clumsy(monkeypatch)

    def missing(*_: object, **__: object) -> str:
        raise TemplateNotFound("mail/subject_other.txt")

    monkeypatch.setattr(compose, "render", missing)
    before = post.letters()
    fail_for_good(post)
    assert post.letters() == before


def test_trouble_with_the_database_is_no_try(post: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    club(post)

    def away(*_: object, **__: object) -> None:
        raise OperationalError("SELECT", {}, Exception("gone"))

    mail_id = post.put(post.write("alice@example.org", "help"))
    monkeypatch.setattr(process, "answer_to", away)
    for _ in range(10):
        with pytest.raises(OperationalError):
            process_next(post.house, post.clock)
    assert (post.row(mail_id).status, post.row(mail_id).tries) == ("waiting", 0)
    monkeypatch.undo()
    post.work()
    assert post.row(mail_id).status == "handled"


FIVE: tuple[IsolatedEnd, ...] = ("killed",) * 5


class Processes:
    """Stands for the processes of mails' own: each ends as the next of `ends` has it, else well."""

    def __init__(self, post: Post, *ends: IsolatedEnd) -> None:
        self.post, self.ends, self.begun = post, [*ends], list[tuple[str, int]]()

    def __call__(self, task: Literal["handle", "tell"], mail_id: int) -> IsolatedEnd:
        self.begun.append((task, mail_id))
        end = self.ends.pop(0) if self.ends else "well"
        if end == "well" and task == "handle":
            process_one(self.post.house, mail_id, self.post.clock)
        elif end == "well":
            tell_quarantined(self.post.house, mail_id, self.post.clock())
        return end

    def work(self) -> None:
        """As Post.work."""
        while process_some(self.post.house, self.post.clock, Safeguards(isolate=self)):
            pass


def killed_with_its_worker(post: Post, mail_id: int, times: int = 1) -> None:
    """What workers note that start after others were killed."""
    for _ in range(times):
        set_back(post.house, mail_id, "a worker ended", post.clock())


def trouble_of(post: Post, mail_id: int) -> tuple[str, int, int, int]:
    """Status, tries, kills, setbacks."""
    kept = post.row(mail_id)
    return kept.status, kept.tries, kept.kills, kept.setbacks


def test_a_mail_in_hand_when_a_worker_was_killed_is_tried_again_at_once(post: Post) -> None:
    club(post)
    mail_id = post.put(post.write("alice@example.org", "move 101 b2"))
    killed_with_its_worker(post, mail_id)
    processes = Processes(post)
    processes.work()
    assert (trouble_of(post, mail_id), processes.begun) == (("handled", 0, 0, 1), [])


def test_after_the_second_kill_it_has_a_process_of_its_own(post: Post) -> None:
    """On either database other mails of the same batch have none."""
    club(post)
    mails = [post.put(post.write("alice@example.org", line)) for line in ("list", "move 101 b2", "help")]
    killed_with_its_worker(post, mails[1], 2)
    processes = Processes(post)
    processes.work()
    assert processes.begun == [("handle", mails[1])]
    assert [trouble_of(post, each)[0] for each in mails] == ["handled"] * 3
    assert post.moves() == ["B2"]


def test_five_processes_killed_over_a_mail_set_it_aside(post: Post) -> None:
    """At 0, 1, 10, 60 and 600 seconds after one another; a sixth process tells its sender, once."""
    club(post)
    before = len(post.letters())
    mail_id = post.put(post.write("clumsy@example.org", "help"))
    behind = post.put(post.write("clumsy@example.org", "list"))
    killed_with_its_worker(post, mail_id, 2)
    processes = Processes(post, *FIVE)
    for kills, wait in enumerate(WAITS_BETWEEN_TRIES, 1):
        assert trouble_of(post, mail_id) == ("waiting", 0, kills - 1, 2)
        assert post.row(behind).status == "waiting"
        post.clock.move(seconds=wait.total_seconds())
        processes.work()
    assert processes.begun == [*[("handle", mail_id)] * 5, ("tell", mail_id)]
    assert trouble_of(post, mail_id) == ("set aside", 0, 5, 2)
    letter, listing = post.letters()[before:]
    assert SENTENCE in text_of(letter)
    assert header_of(listing, "Subject") == "pbmserv: list"
    assert post.row(mail_id).error == "killed 5 processes of its own"
    assert retry(post.house, mail_id, post.clock())
    processes.work()
    assert trouble_of(post, mail_id) == ("handled", 0, 0, 0)


def test_whatever_kills_the_worker_too_never_sets_it_aside(post: Post) -> None:
    """As the OOM killer or a power cut does: it waits a minute, then longer, at most six hours, for ever."""
    club(post)
    mail_id = post.put(post.write("alice@example.org", "move 101 b2"))
    rests = []
    for _ in range(20):
        killed_with_its_worker(post, mail_id)
        rests.append((post.row(mail_id).not_before - post.clock()).total_seconds() / 60)
    assert rests == [0, 0, 1, 2, 4, 8, 16, 32, 64, 128, 256, *[360] * 9]
    assert trouble_of(post, mail_id) == ("waiting", 0, 0, 20)
    processes = Processes(post)
    post.clock.move(hours=6, seconds=-1)
    processes.work()
    assert processes.begun == []
    post.clock.move(seconds=1)
    processes.work()
    assert post.moves() == ["B2"]


def test_its_senders_later_mails_wait_with_it_and_nobody_elses(post: Post) -> None:
    club(post)
    first = post.put(post.write("alice@example.org", "move 101 b2"))
    killed_with_its_worker(post, first, 3)
    second = post.put(post.write("alice@example.org", "chat 101 Your turn."))
    other = post.put(post.write("bob@example.org", "show 101"))
    processes = Processes(post)
    processes.work()
    assert [post.row(each).status for each in (first, second, other)] == ["waiting", "waiting", "handled"]
    post.clock.move(minutes=1)
    processes.work()
    assert [post.row(each).status for each in (first, second)] == ["handled", "handled"]


@pytest.mark.parametrize(("end", "setbacks"), [("broken off", 3), ("stopped", 2)])
def test_a_process_that_was_not_killed_blames_nothing(post: Post, end: IsolatedEnd, setbacks: int) -> None:
    """One that hung, or was asked to end; and one that ended with its worker, which was told to stop."""
    club(post)
    mail_id = post.put(post.write("alice@example.org", "move 101 b2"))
    killed_with_its_worker(post, mail_id, 2)
    assert process_some(post.house, post.clock, Safeguards(isolate=Processes(post, end)))
    assert trouble_of(post, mail_id) == ("waiting", 0, 0, setbacks)


def test_it_is_set_aside_even_if_telling_its_sender_kills_too(
    post: Post, caplog: pytest.LogCaptureFixture
) -> None:
    """Reading the mail once more may be what kills: the worker does not."""
    club(post)
    before = post.letters()
    mail_id = post.put(post.write("clumsy@example.org", "help"))
    killed_with_its_worker(post, mail_id, 2)
    processes = Processes(post, *FIVE, "killed")
    for wait in WAITS_BETWEEN_TRIES:
        post.clock.move(seconds=wait.total_seconds())
        processes.work()
    assert trouble_of(post, mail_id) == ("set aside", 0, 5, 2)
    assert post.letters() == before
    assert f"the sender of a quarantined mail cannot be notified mail={mail_id}" in caplog.text


def test_an_exception_in_a_process_of_its_own_is_a_try(post: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    club(post)
    break_for_clumsy(monkeypatch)
    mail_id = post.put(post.write("clumsy@example.org", "help"))
    killed_with_its_worker(post, mail_id, 2)
    Processes(post).work()
    assert trouble_of(post, mail_id) == ("waiting", 1, 0, 2)


class LockNeverGot(Exception):
    """As PostgreSQL has it."""

    sqlstate = "55P03"
    sqlite_errorcode = sqlite3.SQLITE_IOERR | 1 << 8


def test_what_the_database_refuses_it_alone_waits_and_others_go_on(
    post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A lock that is never to be had, a page that cannot be read: no worker stands still for it."""
    club(post)
    real = respond.answer_to

    def refused(records: Any, to: Any, *others: Any, **named: Any) -> Any:
        if to.recipient == "clumsy@example.org":
            raise OperationalError("SELECT", {}, LockNeverGot())
        return real(records, to, *others, **named)

    monkeypatch.setattr(process, "answer_to", refused)
    mail_id = post.put(post.write("clumsy@example.org", "help"))
    other = post.put(post.write("alice@example.org", "list"))
    processes = Processes(post)
    processes.work()
    assert trouble_of(post, mail_id) == ("waiting", 0, 0, 3)
    assert "OperationalError" in str(post.row(mail_id).error)
    assert post.row(other).status == "handled"
    monkeypatch.undo()
    post.clock.move(minutes=1)
    processes.work()
    assert post.row(mail_id).status == "handled"


def test_the_sender_is_told_no_more_than_is_true(post: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody knows whether it will ever be done: nothing must make them lean back."""
    club(post)
    break_for_clumsy(monkeypatch)
    fail_for_good(post)
    said = " ".join(text_of(post.letters()[-1]).split())
    assert "arrived, but it is NOT done" in said
    assert "The operator has your mail" in said
    assert "need not" not in said


def test_what_is_decided_counts_from_when_the_mail_was_kept(post: Post) -> None:
    """A server that slept costs nobody's time; what it sends then is dated when it is written."""
    club(post)
    kept_at = post.clock()
    post.put(post.write("alice@example.org", "move 101 b2"))
    post.put(post.write("bob@example.org", "challenge bob alice"))
    post.clock.move(days=2)
    post.work()
    moved, begun = load_board(post.house, 101), load_board(post.house, 102)
    assert moved is not None
    assert begun is not None
    assert (moved.match.entries[0].at, begun.match.started) == (kept_at, kept_at)
    assert {letter.created_at for letter in post.letters()[-4:]} == {post.clock()}


def test_the_mail_in_hand_is_told_first(post: Post) -> None:
    """Before anything is done with it, so that the one which kills is known."""
    mail_id = post.put(post.write("alice@example.org", "help"))
    told: list[tuple[int, str]] = []
    process_next(post.house, post.clock, Safeguards(lambda each: told.append((each, post.row(each).status))))
    assert told == [(mail_id, "waiting")]
    assert not process_next(post.house, post.clock, Safeguards(lambda each: told.append((each, ""))))
    assert len(told) == 1
