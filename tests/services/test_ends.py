"""When a board was over stands beside each of its seats: after every way to end a game, and to have it go on."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from sqlalchemy import Engine, event, select, text

from pbmserv.matches.replay import replay
from pbmserv.rendering.record import record_of
from pbmserv.services.admin import referee
from pbmserv.services.admin.check import check, rebuild
from pbmserv.services.admin.game_files import take_in
from pbmserv.services.scheduler.clocks import look_after_clocks
from pbmserv.services.writer import write_due
from pbmserv.store import matches
from pbmserv.store.engine import reading, writing
from pbmserv.store.tables import cursors, players, seats
from tests.services.post import Post, text_of
from tests.services.test_play import door_of, played

ALICE, BOB = "alice@example.org", "bob@example.org"


def ended(post: Post, board: int = 101) -> datetime | None:
    """When a board was over by all of its seats."""
    with reading(post.house.engine) as connection:
        query = select(seats.c.ended_at).distinct().where(seats.c.match == board)
        return connection.execute(query).scalar_one()  # type: ignore[no-any-return]


def begin(post: Post, plies: int = 2) -> None:
    """Board 101 of alice and bob, with clocks."""
    post.people(alice="sesame", bob="poppy")
    post.mail(ALICE, "challenge alice bob -size=3x3")
    for sender, square in ((ALICE, "a1"), (BOB, "c3"))[:plies]:
        post.clock.move(hours=1)
        post.mail(sender, f"101 {square}")
    post.clock.move(hours=1)


def run_out(post: Post) -> None:
    """Nobody moves for longer than a turn may take."""
    with writing(post.house.engine) as connection:
        connection.execute(
            text(
                "UPDATE clocks SET started_at = last, next_at = last FROM "
                "(SELECT last_at AS last FROM matches WHERE number = 101) AS found"
            )
        )
    post.clock.move(days=22)
    look_after_clocks(post.house, post.clock.now)


WAYS: dict[str, Callable[[Post], object]] = {
    "resigned": lambda post: post.mail(BOB, "resign 101"),
    "agreed": lambda post: (post.mail(ALICE, "propose 101"), post.mail(BOB, "accept 101")),
    "signed off": lambda post: post.mail(BOB, "signoff"),
    "annulled": lambda post: referee.rule(post.house, 101, referee.annul(""), post.clock.now),
    "awarded": lambda post: referee.rule(post.house, 101, referee.award("bob", ""), post.clock.now),
    "forfeited": run_out,
}


def cursors_of(post: Post) -> list[tuple[str, int]]:
    """Up to which entry of board 101 its players have been told, as far as that is kept."""
    while write_due(post.house, post.clock()):
        pass
    query = select(players.c.userid, cursors.c.entry).join(players, players.c.id == cursors.c.player_id)
    with reading(post.house.engine) as connection:
        return [tuple(row) for row in connection.execute(query.order_by(players.c.userid))]


@pytest.mark.parametrize("way", WAYS)
def test_what_each_was_told_is_kept_until_the_end(sqlite_post: Post, way: str) -> None:
    """The end was told to both then; what they ask or say later brings nothing back."""
    begin(sqlite_post)
    assert cursors_of(sqlite_post) == [("alice", 2), ("bob", 2)]
    (exported,) = sqlite_post.mail(ALICE, "export")
    assert "Boards whose news we have told you: 1\n    101  up to entry 2 of its log\n" in text_of(exported)
    WAYS[way](sqlite_post)
    assert cursors_of(sqlite_post) == []
    for line in ("show 101", "chat 101"):
        sqlite_post.mail(ALICE, line, "Thank you!")
        assert cursors_of(sqlite_post) == []


def test_what_somebody_saw_on_a_page(sqlite_post: Post) -> None:
    """The export says when they moved there; the end by a page is told by mail, and then nothing is kept."""
    post = sqlite_post.with_server(site_url="https://club.test")
    begin(post)
    played(post, door_of(post, ALICE), "b2")
    assert cursors_of(post) == [("alice", 3), ("bob", 3)]
    (exported,) = post.mail(ALICE, "export")
    assert "101  up to entry 3 of its log, last moved on a page 2026-01-01 " in text_of(exported)
    chess = post.mail(ALICE, "chess challenge alice bob")
    assert chess
    for sender, move in ((ALICE, "f3"), (BOB, "e5"), (ALICE, "g4")):
        post.mail(sender, f"102 {move}")
    assert len(cursors_of(post)) == 4
    played(post, door_of(post, BOB), "Qh4")
    assert cursors_of(post) == [("alice", 3), ("bob", 3)]


def test_who_leaves_takes_along_what_they_were_told(sqlite_post: Post) -> None:
    begin(sqlite_post)
    sqlite_post.mail(ALICE, "challenge alice bob -size=3x3")
    sqlite_post.clock.move(seconds=1)
    (asked,) = sqlite_post.mail(BOB, "delete bob poppy")
    sqlite_post.answer(asked, "yes")
    assert cursors_of(sqlite_post) == []


@pytest.mark.parametrize("way", WAYS)
def test_every_way_to_end_is_noted_and_undone(post: Post, way: str) -> None:
    """Over, on again by the operator, over again later, changed after the end."""
    begin(post)
    assert ended(post) is None
    WAYS[way](post)
    assert ended(post) == post.clock.now
    assert check(post.house) == []
    post.clock.move(hours=1)
    referee.rule(post.house, 101, referee.take_back(None, ""), post.clock.now)
    assert ended(post) is None
    assert check(post.house) == []
    post.clock.move(hours=1)
    post.mail(BOB if way != "signed off" else ALICE, "resign 101")
    assert ended(post) == post.clock.now
    post.clock.move(hours=1)
    referee.rule(post.house, 101, referee.award("bob", ""), post.clock.now)
    assert ended(post) == post.clock.now
    assert check(post.house) == []


def test_declined(post: Post) -> None:
    begin(post, plies=1)
    post.mail(BOB, "resign 101")
    assert ended(post) == post.clock.now
    assert check(post.house) == []


def test_imported(post: Post) -> None:
    """As of when it ended where it was played."""
    begin(post)
    post.mail(BOB, "resign 101")
    over = ended(post)
    with writing(post.house.engine) as connection:
        match = matches.load(connection, 101)
        assert match is not None
        record: dict[str, Any] = dict(record_of(replay(match), post.house.server))
        connection.execute(text("UPDATE matches SET started_at = '2020-01-01 00:00:00.000000' WHERE number = 101"))
    post.clock.move(days=1)
    assert take_in(post.house, record, {}, True, post.clock.now) == 102
    assert ended(post, 102) == over


def test_a_plain_move_costs_no_statement(post: Post) -> None:
    """Nor does what is said in between: seats are written when a board ends, or may go on again."""
    begin(post)
    with_seats: list[str] = []

    def note(connection: Any, cursor: Any, statement: str, *rest: Any) -> None:
        if statement.startswith("UPDATE seats"):
            with_seats.append(statement)

    engine: Engine = post.house.engine
    event.listen(engine, "before_cursor_execute", note)
    try:
        post.mail(ALICE, "101 b2")
        post.mail(BOB, "propose 101")
        assert with_seats == []
        post.mail(BOB, "resign 101")
        assert with_seats
    finally:
        event.remove(engine, "before_cursor_execute", note)


@pytest.mark.parametrize("tampered", ["NULL", "'2020-01-01 00:00:00.000000'"])
@pytest.mark.parametrize("is_over", [False, True])
def test_a_difference_is_found_and_mended(post: Post, tampered: str, is_over: bool) -> None:
    begin(post)
    if is_over:
        post.mail(BOB, "resign 101")
    right = ended(post)
    if right is None and tampered == "NULL":
        return
    with writing(post.house.engine) as connection:
        connection.execute(text(f"UPDATE seats SET ended_at = {tampered} WHERE match = 101 AND seat = 1"))
    (found,) = check(post.house)
    assert "its seats say otherwise" in found.what
    assert rebuild(post.house, [found]) == 1
    assert ended(post) == right
    assert check(post.house) == []
