"""`pbmserv admin report` and `admin games --stuck`."""

from datetime import timedelta

import pytest
from sqlalchemy import delete, insert, update

from pbmserv.services.app import utc_now
from pbmserv.store.engine import writing
from pbmserv.store.operating import ROBOTS
from pbmserv.store.tables import addresses, bounces, entries, heartbeats, inbox, matches, players
from tests.cli.terminal import Terminal


def test_who_writes_and_guesses(club: Terminal) -> None:
    """Each figure by address, and no word of any mail."""
    post = club.post()
    for number in range(3):
        post.mail("bob@example.org", f"move 101 z{number}9")
        post.mail("eve@spam.example", f"resign 101 bob wrong{number}word")
    club.succeed("admin", "ban", "@spam.example")
    post.mail("eve@spam.example", "list")
    with writing(post.house.engine) as connection:
        bounced = {
            "outbox_id": 1,
            "address": "bob@example.org",
            "at": utc_now(),
            "is_hard": True,
            "reason": "gone",
        }
        connection.execute(insert(bounces), bounced)
        old = utc_now() - timedelta(days=8)
        connection.execute(update(inbox).where(inbox.c.sender == "alice@example.org").values(received_at=old))
    post.house.engine.dispose()
    found = {row["address"]: row for row in club.run("admin", "report", "--json").rows}
    bob, eve = found["bob@example.org"], found["eve@spam.example"]
    assert (bob["userid"], bob["in_vain"], bob["bounced"], bob["guesses"]) == ("bob", 3, 1, 0)
    assert (eve["userid"], eve["mails"], eve["guesses"]) == ("", 4, 3)
    assert eve["unanswered"] >= 1
    assert "alice@example.org" not in found
    assert "alice@example.org" in club.succeed("admin", "report", "--since", "9d")
    assert "wrong" not in club.succeed("admin", "report")
    done = club.run("admin", "report", "--since", "soon")
    assert (done.code, "use hours or days" in done.sentence) == (2, True)


def test_a_club_in_order_has_no_stuck_board(club: Terminal) -> None:
    assert club.succeed("admin", "games", "--stuck") == "No stuck boards.\n"


@pytest.mark.parametrize(
    ("why", "mend"),
    [
        ("idle", "pbmserv admin resend 101 --to bob"),
        ("unreachable", "pbmserv admin lift bob"),
        ("gone", "pbmserv admin end 101 --annul"),
        ("mail off", "pbmserv admin end 101 --award USERID, or --annul"),
        ("paused", "pbmserv admin resume 101"),
        ("unreadable", "pbmserv admin check; a backup may have its log"),
    ],
)
def test_why_a_board_does_not_go_on(club: Terminal, why: str, mend: str) -> None:
    """Each with what could be done; exit code 1."""
    long_ago = utc_now() - timedelta(days=40)
    if why == "paused":
        club.succeed("admin", "pause", "101")
    post = club.post()
    with writing(post.house.engine) as connection:
        connection.execute(update(matches).values(last_at=long_ago))
        if why == "unreachable":
            connection.execute(update(addresses).values(suspended_at=long_ago))
        if why == "gone":
            connection.execute(update(players).where(players.c.userid == "bob").values(banned_at=long_ago))
        if why == "mail off":
            connection.execute(update(players).values(mail_off_at=long_ago))
        if why == "unreadable":
            connection.execute(update(entries).values(text="Z99"))
    post.house.engine.dispose()
    done = club.run("admin", "games", "--stuck", "--json")
    (row,) = done.rows
    assert (done.code, row["number"], row["why"], row["mend"]) == (1, 101, why, mend)


def test_a_robot_that_does_not_move(club: Terminal) -> None:
    """An hour after its turn began; whether any process thinks is told."""
    post = club.post()
    with writing(post.house.engine) as connection:
        connection.execute(update(players).where(players.c.userid == "bob").values(robot="random"))
    assert club.succeed("admin", "games", "--stuck") == "No stuck boards.\n"
    with writing(post.house.engine) as connection:
        connection.execute(update(matches).values(last_at=utc_now() - timedelta(hours=2)))
        connection.execute(delete(heartbeats))
    (row,) = club.run("admin", "games", "--stuck", "--json").rows
    assert (row["number"], row["why"]) == (101, "robot")
    assert "no process thinks" in row["detail"]
    with writing(post.house.engine) as connection:
        connection.execute(insert(heartbeats).values(part=ROBOTS, at=utc_now()))
    (row,) = club.run("admin", "games", "--stuck", "--json").rows
    assert "robots think, but not about it" in row["detail"]
    post.house.engine.dispose()
