"""Faults of ours: nothing is half done, the mail is tried again and then set aside, everybody else goes on."""

import importlib
import logging
from collections.abc import Callable
from typing import Any

import pytest
from jinja2 import TemplateNotFound
from sqlalchemy.exc import OperationalError

from pbmserv.services import carry_out, handle, letters
from pbmserv.services.handle import WAITS_BETWEEN_TRIES, count_kill, handle_next
from pbmserv.services.operator.retry import retry
from pbmserv.services.views.boards import see_board
from pbmserv.services.views.people import see_players
from tests.services.post import Post, header_of, text_of

SENTENCE = "a fault of this server"


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
    "keeping": ("store.matches:keep", lambda _, decision: bool(decision.entries)),
    "a template of the answer": ("services.answer:render", lambda name, **_: name == "mail/answer.txt"),
    "a template of a notice": ("services.letters:render", lambda name, **_: name == "mail/notice.txt"),
    "laying out": ("services.letters:laid_out", lambda text: "Your move" in text),
    "writing": ("services.letters:write", lambda envelope, *_: envelope.ply == 1),
    "queueing": ("store.outbox:queue", lambda _, letters, now: any(letter.kind == "board" for letter in letters)),
    "finishing": ("store.inbox:finish", lambda *_: True),
}


@pytest.mark.parametrize("stage", STAGES)
def test_wherever_it_fails_nothing_is_done(post: Post, monkeypatch: pytest.MonkeyPatch, stage: str) -> None:
    """There is never a move without its answer, nor an answer without its move."""
    club(post)
    before = post.letters()
    spoil(monkeypatch, *STAGES[stage])
    mail_id = post.put(post.write("alice@example.org", "move 101 b2", "hello"))
    assert handle_next(post.house, post.clock)
    seen = see_board(post.house, 101)
    assert seen is not None
    assert seen.match.entries == ()
    assert post.letters() == before
    assert (post.row(mail_id).status, post.row(mail_id).tries) == ("waiting", 1)
    monkeypatch.undo()
    post.clock.move(seconds=1)
    post.work()
    seen = see_board(post.house, 101)
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
    seen = see_board(post.house, 101)
    assert seen is not None
    assert seen.match.entries == ()
    assert see_board(post.house, 102) is None
    assert len(see_players(post.house)) == 3


def break_for_clumsy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every mail of clumsy's fails from now on."""
    spoil(monkeypatch, "services.carry_out:answer", lambda _, __, to, *___: to.recipient == "clumsy@example.org")


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
            assert not handle_next(post.house, post.clock)
            post.clock.move(seconds=0.001)
        assert handle_next(post.house, post.clock)
        assert not handle_next(post.house, post.clock)
        row = post.row(mail_id)
        assert (row.status, row.tries) == ("waiting" if tries < 5 else "set aside", tries)
    (letter,) = post.letters()[before:]
    assert letter.recipient == "clumsy@example.org"
    assert SENTENCE in text_of(letter)
    assert header_of(letter, "In-Reply-To") == f"<in-{post.written}@example.org>"
    post.clock.move(days=1)
    assert not handle_next(post.house, post.clock)


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
    assert "try 1 failed: Bug" in caplog.text


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

    def missing(*_: object, **__: object) -> str:
        raise TemplateNotFound("mail/subject_other.txt")

    monkeypatch.setattr(letters, "render", missing)
    before = post.letters()
    fail_for_good(post)
    assert post.letters() == before


def test_trouble_with_the_database_is_no_try(post: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    club(post)

    def away(*_: object) -> None:
        raise OperationalError("SELECT", {}, Exception("gone"))

    mail_id = post.put(post.write("alice@example.org", "help"))
    monkeypatch.setattr(carry_out, "answer", away)
    for _ in range(10):
        with pytest.raises(OperationalError):
            handle_next(post.house, post.clock)
    assert (post.row(mail_id).status, post.row(mail_id).tries) == ("waiting", 0)
    monkeypatch.undo()
    post.work()
    assert post.row(mail_id).status == "handled"


def test_five_kills_set_a_mail_aside(post: Post) -> None:
    club(post)
    before = len(post.letters())
    mail_id = post.put(post.write("clumsy@example.org", "help"))
    for kills in (1, 2, 3, 4):
        count_kill(post.house, mail_id, post.clock())
        assert (post.row(mail_id).status, post.row(mail_id).kills) == ("waiting", kills)
    count_kill(post.house, mail_id, post.clock())
    assert post.row(mail_id).status == "set aside"
    (letter,) = post.letters()[before:]
    assert SENTENCE in text_of(letter)
    count_kill(post.house, mail_id, post.clock())
    assert len(post.letters()) == before + 1
    post.work()
    assert retry(post.house, mail_id, post.clock())
    post.work()
    assert (post.row(mail_id).status, post.row(mail_id).kills) == ("handled", 0)


def test_the_kill_counts_even_if_telling_kills_too(post: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading the mail once more, to tell its sender, may be what kills."""
    club(post)
    mail_id = post.put(post.write("clumsy@example.org", "help"))

    def kill(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(handle, "read_kept", kill)
    for _ in range(4):
        count_kill(post.house, mail_id, post.clock())
    with pytest.raises(KeyboardInterrupt):
        count_kill(post.house, mail_id, post.clock())
    assert post.row(mail_id).status == "set aside"
    count_kill(post.house, mail_id, post.clock())


def test_what_is_decided_counts_from_when_the_mail_was_kept(post: Post) -> None:
    """A server that slept costs nobody's time; what it sends then is dated when it is written."""
    club(post)
    kept_at = post.clock()
    post.put(post.write("alice@example.org", "move 101 b2"))
    post.put(post.write("bob@example.org", "challenge bob alice"))
    post.clock.move(days=2)
    post.work()
    moved, begun = see_board(post.house, 101), see_board(post.house, 102)
    assert moved is not None
    assert begun is not None
    assert (moved.match.entries[0].at, begun.match.started) == (kept_at, kept_at)
    assert {letter.created_at for letter in post.letters()[-4:]} == {post.clock()}


def test_the_mail_in_hand_is_told_first(post: Post) -> None:
    """Before anything is done with it, so that the one which kills is known."""
    mail_id = post.put(post.write("alice@example.org", "help"))
    told: list[tuple[int, str]] = []
    handle_next(post.house, post.clock, lambda each: told.append((each, post.row(each).status)))
    assert told == [(mail_id, "waiting")]
    assert not handle_next(post.house, post.clock, lambda each: told.append((each, "")))
    assert len(told) == 1
