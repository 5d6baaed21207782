"""What a mail about a board needs to know is read at once, and is the same as if it were asked one by one."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from itertools import product
from typing import Any, get_args

import pytest
from sqlalchemy import event

from pbmserv.matches.conditional_moves import PlanKind
from pbmserv.services import worker
from pbmserv.services.app import App
from pbmserv.services.worker import process_some
from pbmserv.services.writer import write_now
from pbmserv.store import clocks
from pbmserv.store.engine import reading, writing
from pbmserv.store.outbox import Shown
from pbmserv.store.queries import TransactionQueries
from tests.services.post import Post, address_of

BOARDS = (101, 102, 103, 104)
PEOPLE = ("alice", "bob", "carol", "dora")


@pytest.fixture
def post(house: App) -> Post:
    """A club in which people queue, watch, ignore, are away and leave."""
    club = Post(house)
    club.people(alice="sesame", bob="poppy", carol="saffron", dora="cumin")
    club.mail("alice@example.org", "challenge alice bob")
    club.mail("alice@example.org", "challenge alice bob carol dora")
    club.mail("alice@example.org", "challenge -nagtime=none -forfeittime=none alice carol")
    club.mail("dora@example.org", "challenge dora alice")
    return club


@contextmanager
def statements(post: Post) -> Iterator[list[str]]:
    """All statements that are run meanwhile."""
    seen: list[str] = []

    def note(connection: Any, cursor: Any, statement: str, *_: object) -> None:
        seen.append(statement)

    event.listen(post.house.engine, "before_cursor_execute", note)
    try:
        yield seen
    finally:
        event.remove(post.house.engine, "before_cursor_execute", note)


def answers(records: TransactionQueries, post: Post) -> list[object]:
    """What the records say of all boards and people."""
    told: list[object] = []
    for number in BOARDS:
        board = records.board(number)
        assert board is not None
        told += [board, [*records.watchers(number)], records.timing(board, post.clock())]
        told += [records.plan(number, seat, kind) for seat, kind in product(range(4), get_args(PlanKind))]
    told += [records.player(userid) for userid in PEOPLE]
    return [*told, *(records.is_blocked(one, by=other) for one, other in product(PEOPLE, PEOPLE))]


def deliver(post: Post) -> None:
    """Every board has reached whoever is to move there."""
    with writing(post.house.engine) as connection:
        records = TransactionQueries(connection)
        boards = [board for board in map(records.board, BOARDS) if board is not None and board.on_turn]
        for board in boards:
            player = records.player(board.on_turn or "")
            shown = Shown(player.id if player else None, ((board.match.number, board.state.plies),))
            clocks.turns_delivered(connection, [shown], post.clock())


def check_that_both_agree(post: Post) -> None:
    with reading(post.house.engine) as connection:
        gathered = TransactionQueries(connection)
        gathered.prefetch([*BOARDS, 999])
        assert answers(gathered, post) == answers(TransactionQueries(connection), post)


def test_gathered_or_asked_one_by_one(post: Post) -> None:
    check_that_both_agree(post)
    for sender, line in (
        ("alice", "move 101 c3"),
        ("bob", "queue 102 c4"),
        ("alice", "queue 101 d3"),
        ("alice", "submit 103 d4"),
        ("carol", "subscribe 101"),
        ("dora", "subscribe 103"),
        ("bob", "block alice"),
        ("carol", "block dora"),
        ("alice", "set vacation 2026-02-01 2026-02-10"),
        ("carol", "resign 102"),
        ("dora", "move 104 c3"),
    ):
        post.mail(f"{sender}@example.org", line)
        check_that_both_agree(post)
        deliver(post)
        check_that_both_agree(post)
    post.clock.move(days=35)
    check_that_both_agree(post)
    post.mail("dora@example.org", "delete dora")
    check_that_both_agree(post)


def test_a_turn_that_begins_after_it_was_read(post: Post) -> None:
    """What is gathered before a move tells of the clock after it."""
    with reading(post.house.engine) as connection:
        before = TransactionQueries(connection)
        before.prefetch(BOARDS)
        post.mail("alice@example.org", "move 101 c3")
        board = post_board(post)
        now = post.clock() + timedelta(minutes=1)
        told = before.timing(board, now)
    with reading(post.house.engine) as connection:
        assert told == TransactionQueries(connection).timing(board, now)


def post_board(post: Post) -> Any:
    with reading(post.house.engine) as connection:
        return TransactionQueries(connection).board(101)


def test_a_move_asks_few_questions_and_none_twice(post: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    """While it is decided; and while its two letters are written, none but what waits for either."""
    (*_, letter) = (each for each in post.letters() if each.match == 101 and each.recipient == "alice@example.org")
    raw = post.write(letter.recipient, "Re: Board 101", "c3", To=address_of(letter))
    post.put(raw, letter.recipient, [address_of(letter)])
    decided: list[tuple[Any, ...]] = []
    monkeypatch.setattr(worker, "write_now", lambda *given: decided.append(given))
    with statements(post) as seen:
        assert process_some(post.house, post.clock)
    asked = [each for each in seen if each.startswith("SELECT") and "FROM inbox" not in each]
    assert post.moves() == ["C3"]
    # Who has written is asked twice: when the mail is read, and once more under the lock.
    assert len(asked) - len(set(asked)) <= 3
    assert len(set(asked)) < 12
    with statements(post) as seen:
        write_now(*decided[0])
    asked = [each for each in seen if each.startswith("SELECT")]
    asked = [each for each in asked if "FROM letters" not in each]
    assert len(set(asked)) == len(asked)
    assert len(asked) < 6
