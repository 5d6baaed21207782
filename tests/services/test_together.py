"""Mails that wait on SQLite share a commit, and yet each is handled as if it were alone."""

from datetime import datetime

import pytest
from sqlalchemy import event

from pbmserv.commands.base.arguments import Arguments
from pbmserv.commands.base.decision import Decision
from pbmserv.commands.base.permission import decide
from pbmserv.commands.base.request import Request
from pbmserv.matches.queries import Queries
from pbmserv.services.app import App
from pbmserv.services.batch import MOST_TOGETHER
from pbmserv.services.views import load_board
from pbmserv.services.worker import process_some
from tests.services.post import Post


@pytest.fixture
def post(sqlite_house: App) -> Post:
    """A club of two at two boards."""
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
    """Also moves that follow on one another on one board, and a second copy of a mail among them."""
    commits: list[object] = []
    event.listen(post.house.engine, "commit", commits.append)
    put(post, "alice", "move 101 c3")
    twice = post.write("bob@example.org", "move 101 c4")
    post.put(twice)
    copy = post.put(twice)
    put(post, "alice", "move 101 d3")
    others = [put(post, "alice", "show 102") for _ in range(MOST_TOGETHER)]
    commits.clear()
    assert process_some(post.house, post.clock)
    assert len(commits) == 1
    assert moves(post, 101) == ["C3", "C4", "D3"]
    assert post.row(copy).status == "duplicate"
    assert [post.row(each).status for each in others] == ["handled"] * 6 + ["waiting"] * 4
    assert process_some(post.house, post.clock)
    assert not process_some(post.house, post.clock)


def test_one_that_fails_takes_none_along(post: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of a batch that was undone is remembered: the boards go on from what was committed."""
    first = put(post, "alice", "move 101 c3")
    bad = put(post, "bob", "show 102")
    last = put(post, "carl", "list")

    def failing(request: Request[Arguments], records: Queries, now: datetime) -> Decision:
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
    for played in (["C3"], ["C3", "C4"], ["C3", "C4", "D3"]):
        assert process_some(post.house, post.clock)
        assert moves(post, 101) == played
    assert post.row(secret).status == "handled"


def test_the_one_in_hand_is_marked(post: Post) -> None:
    """Whichever of them ends the process is to blame, not the first."""
    ids = [put(post, "alice", "move 101 c3"), put(post, "bob", "move 101 c4")]
    marked: list[int] = []
    assert process_some(post.house, post.clock, marked.append)
    assert marked == ids
