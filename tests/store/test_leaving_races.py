"""Somebody leaves while another worker seats them: either is first, and no board is left that nobody can end."""

import threading
import time
from collections.abc import Callable

import pytest
from sqlalchemy import text

from pbmserv.matches.queries import ListingQuery
from pbmserv.services.admin.act import run_as
from pbmserv.services.admin.check import check
from pbmserv.services.app import App
from pbmserv.services.views import list_boards, load_board
from pbmserv.services.worker import process_next, process_one
from pbmserv.store import accounts
from pbmserv.store.engine import reading
from pbmserv.store.queries import TransactionQueries
from tests.conftest import Clock
from tests.services.post import Post, header_of, text_of

ALICE = "alice@example.org"
PATIENCE = 60.0
WAITING = text("SELECT count(*) FROM pg_locks WHERE NOT granted")

Task = Callable[[], object]


@pytest.fixture
def post(postgresql_house: App, clock: Clock) -> Post:
    """Alice sits at board 101, and bob has no board yet."""
    made = Post(postgresql_house, clock)
    made.people(alice="sesame", bob="poppy", carol="pepper")
    made.mail(ALICE, "challenge carol alice -size=3x3")
    return made


def leaving(post: Post, command: str) -> bytes:
    """The mail that takes alice from all her boards: the command, or the `yes` to what it is asked; or `signoff`
    behind the `yes` by which a new address becomes hers.
    """
    if command == "signoff":
        return post.write(ALICE, command)
    asked = post.mail(ALICE, command)[-1]
    headers = {"To": header_of(asked, "From"), "In_Reply_To": header_of(asked, "Message-ID")}
    return post.write(asked.recipient, "", "yes" if command == "delete" else "yes\nsignoff", **headers)


def challenge(post: Post) -> bytes:
    """The mail by which bob seats alice."""
    return post.write("bob@example.org", "challenge alice bob -size=3x3")


def meanwhile(monkeypatch: pytest.MonkeyPatch, post: Post, module: object, name: str, task: Task) -> None:
    """Handles the oldest mail. Where that first calls the function, the task begins in another thread, and the
    function is not run before the task has ended, or waits for this thread.
    """
    real: Callable[..., object] = getattr(module, name)
    others: list[threading.Thread] = []

    def interrupted(*arguments: object) -> object:
        if not others:
            others.append(threading.Thread(target=task))
            others[0].start()
            until_it_waits(post, others[0])
        return real(*arguments)

    monkeypatch.setattr(module, name, interrupted)
    oldest = min(kept.id for kept in post.inbox() if kept.status == "waiting")
    assert process_one(post.house, oldest, post.clock)
    others[0].join(PATIENCE)
    assert not others[0].is_alive()
    monkeypatch.undo()


def until_it_waits(post: Post, other: threading.Thread) -> None:
    """Returns when a thread has ended, or some transaction waits for another one."""
    deadline = time.monotonic() + PATIENCE
    while other.is_alive() and time.monotonic() < deadline:
        with reading(post.house.engine) as connection:
            if connection.execute(WAITING).scalar_one():
                return
        other.join(0.02)


def next_mail(post: Post) -> Task:
    """Another worker handles the next mail."""
    return lambda: process_next(post.house, post.clock)


def active(post: Post) -> int:
    """How many boards go on. Nothing else is out of order, and no mail had to be tried again."""
    assert check(post.house) == []
    assert {(kept.status, kept.tries) for kept in post.inbox()} == {("handled", 0)}
    return list_boards(post.house, ListingQuery()).total


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("delete", "No player here has that name"),
        ("signoff", "no challenges"),
        ("add alice@work.example", "no challenges"),
    ],
)
def test_a_challenge_while_somebody_leaves(
    post: Post, monkeypatch: pytest.MonkeyPatch, command: str, told: str
) -> None:
    """The boards are left already, the player still stands there: the challenge waits, and then is too late."""
    post.put(leaving(post, command))
    post.put(challenge(post))
    meanwhile(monkeypatch, post, accounts, "write_account_change", next_mail(post))
    assert active(post) == 0
    assert load_board(post.house, 102) is None
    assert told in text_of(post.sent_to("bob@example.org")[-1])


def test_an_operators_challenge_while_somebody_leaves(post: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    """As by mail."""
    post.put(leaving(post, "delete"))
    line = "challenge alice bob -size=3x3"
    meanwhile(
        monkeypatch, post, accounts, "write_account_change", lambda: run_as(post.house, "bob", line, post.clock())
    )
    assert active(post) == 0
    assert load_board(post.house, 102) is None


@pytest.mark.parametrize("command", ["delete", "signoff", "add alice@work.example"])
def test_leaving_while_a_challenge_is_decided(post: Post, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    """The challenge has seen the player: leaving waits, and then leaves the new board as well."""
    mail = leaving(post, command)
    post.put(challenge(post))
    post.put(mail)
    meanwhile(monkeypatch, post, TransactionQueries, "next_number", next_mail(post))
    assert active(post) == 0
    left = load_board(post.house, 102)
    assert left is not None
    assert left.state.status == "declined"
