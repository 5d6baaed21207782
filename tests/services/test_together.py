"""Mails that wait on SQLite share a commit, and yet each is handled as if it were alone."""

import subprocess
import sys
from datetime import datetime
from pathlib import Path

import pytest
from sqlalchemy import Connection, event

from pbmserv.commands.command import Decision, Request
from pbmserv.commands.permission import decide
from pbmserv.matches.queries import Queries
from pbmserv.server.in_flight import MailClaims
from pbmserv.services import worker
from pbmserv.services.app import App
from pbmserv.services.views import load_board
from pbmserv.services.worker import MOST_TOGETHER, Safeguards, process_some
from tests.services.post import Post


@pytest.fixture
def post(sqlite_house: App, monkeypatch: pytest.MonkeyPatch) -> Post:
    """A club of two at two boards, on a machine where no decision takes long."""
    monkeypatch.setattr(worker, "LONGEST_READING", 60)
    monkeypatch.setattr(worker, "LONGEST_DECISION", 60)
    club = Post(sqlite_house)
    club.people(alice="sesame", bob="poppy")
    club.mail("alice@example.org", "challenge alice bob")
    club.mail("alice@example.org", "challenge alice bob")
    return club


def moves(post: Post, board: int) -> list[str | None]:
    """What was played on a board."""
    seen = load_board(post.house, board)
    assert seen is not None
    return [turn.move for turn in seen.state.turns]


def put(post: Post, sender: str, line: str) -> int:
    """Keeps a mail."""
    address = f"{sender}@example.org"
    return post.put(post.write(address, line), address)


def test_a_few_at_a_time_in_one_commit(post: Post) -> None:
    """A mail of each of some senders is written together, then their letters, ten at a time; a second mail of
    theirs comes after it, as it must.
    """
    names = [f"player{number}" for number in range(MOST_TOGETHER)]
    post.people(**dict.fromkeys(names, "sesame"))
    commits: list[str] = []

    def note(connection: Connection) -> None:
        if not connection.get_execution_options().get("pbmserv_reading"):
            commits.append("written")

    first = put(post, "alice", "move 101 c3")
    second = put(post, "alice", "move 102 d3")
    others = [put(post, name, "help move") for name in names]
    event.listen(post.house.engine, "commit", note)
    assert process_some(post.house, post.clock)
    # One for what was decided, two for eleven letters.
    assert len(commits) == 3
    handled = ["handled"] * (MOST_TOGETHER - 1)
    assert [post.row(each).status for each in (first, second, *others)] == [
        "handled",
        "waiting",
        *handled,
        "waiting",
    ]
    assert process_some(post.house, post.clock)
    assert len(commits) == 5
    assert (moves(post, 101), moves(post, 102)) == (["C3"], ["D3"])
    assert not process_some(post.house, post.clock)


def test_moves_that_follow_on_one_another(post: Post) -> None:
    """On one board, and a second copy of a mail among them: each is done once, in the order in which they came."""
    put(post, "alice", "move 101 c3")
    twice = post.write("bob@example.org", "move 101 c4")
    post.put(twice)
    copy = post.put(twice)
    put(post, "alice", "move 101 d3")
    post.work()
    assert moves(post, 101) == ["C3", "C4", "D3"]
    assert post.row(copy).status == "duplicate"


def test_one_that_fails_takes_none_along(post: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of a batch that was undone is remembered: the boards go on from what was committed."""
    first = put(post, "alice", "move 101 c3")
    bad = put(post, "bob", "show 102")
    last = put(post, "carl", "list")

    def failing(request: Request, records: Queries, now: datetime) -> Decision:
        if request.command.name == "show":
            raise RuntimeError("bug")
        return decide(request, records, now)

    monkeypatch.setattr("pbmserv.services.run.decide", failing)
    while process_some(post.house, post.clock):
        pass
    assert [post.row(each).status for each in (first, bad, last)] == ["handled", "waiting", "handled"]
    assert (post.row(first).tries, post.row(bad).tries) == (0, 1)
    put(post, "alice", "move 102 d4")
    monkeypatch.undo()
    post.clock.move(seconds=10)
    post.work()
    post.mail("bob@example.org", "move 101 c4")
    assert moves(post, 101) == ["C3", "C4"]
    assert moves(post, 102) == ["D4"]
    assert post.row(bad).status == "handled"


def test_a_password_among_them_is_proven_by_itself(post: Post) -> None:
    put(post, "alice", "move 101 c3")
    secret = put(post, "bob", "move 101 bob poppy c4")
    put(post, "alice", "move 101 d3")
    post.work()
    assert moves(post, 101) == ["C3", "C4", "D3"]
    assert post.row(secret).status == "handled"


def test_the_one_in_hand_is_marked(post: Post) -> None:
    """Whichever of them ends the process is to blame, not the first."""
    ids = [put(post, "alice", "move 101 c3"), put(post, "bob", "show 101")]
    marked: list[int] = []
    assert process_some(post.house, post.clock, Safeguards(marked.append))
    assert marked == ids


def test_what_another_worker_has_in_hand_is_left_to_it(post: Post, tmp_path: Path) -> None:
    """Two workers never decide one mail at a time; when one dies, its mails are anybody's again."""
    ids = [put(post, "alice", "move 101 c3"), put(post, "bob", "show 102")]
    elsewhere = f"""
import sys
from pathlib import Path
from pbmserv.server.in_flight import MailClaims
claims = MailClaims(Path({str(tmp_path)!r}))
assert claims.claim({ids[0]})
print("claimed", flush=True)
sys.stdin.read()
"""
    claims = MailClaims(tmp_path)
    marked: list[int] = []
    command = [sys.executable, "-c", elsewhere]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "claimed\n"
        assert process_some(post.house, post.clock, Safeguards(marked.append, claim=claims.claim))
        assert not process_some(post.house, post.clock, Safeguards(marked.append, claim=claims.claim))
        assert marked == ids[1:]
        other.kill()
    assert process_some(post.house, post.clock, Safeguards(marked.append, claim=claims.claim))
    assert moves(post, 101) == ["C3"]
    claims.close()
