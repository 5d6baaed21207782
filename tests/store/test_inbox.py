"""The inbox: whose turn a mail is, who has it in hand, and what becomes of it."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Connection, event
from sqlalchemy.exc import IntegrityError

from pbmserv.services.app import App
from pbmserv.store import abuse, inbox
from pbmserv.store.engine import reading, writing
from pbmserv.store.inbox import NewMail
from pbmserv.store.mail_history import MailFilter, inbox_listing
from tests.conftest import NOON

LATER = NOON + timedelta(minutes=1)
KEY = "5e" * 32


def keep(house: App, *senders: str) -> list[int]:
    """Keeps a mail of each of these, in order."""
    with writing(house.engine) as connection:
        return [
            inbox.add(connection, NewMail(b"raw", "<env@x.test>", ["a", "b"], sender), NOON) for sender in senders
        ]


def row(house: App, mail_id: int) -> inbox.InboxMessage:
    """A mail as it stands."""
    with reading(house.engine) as connection:
        return next(kept for kept in inbox.listing(connection, None, 1000) if kept.id == mail_id)


@contextmanager
def worker(house: App) -> Iterator[Connection]:
    """A worker's transaction, begun and then abandoned."""
    with house.engine.connect() as connection:
        transaction = connection.begin()
        connection.exec_driver_sql("SET LOCAL lock_timeout = '20s'")
        yield connection
        transaction.rollback()


def first(connection: Connection) -> int | None:
    """The number of the mail that a worker would take."""
    found = inbox.take(connection, NOON)
    return None if found is None else found.id


def test_a_mail_comes_out_as_it_went_in(house: App) -> None:
    raw = bytes(range(256)) * 3
    with writing(house.engine) as connection:
        mail_id = inbox.add(connection, NewMail(raw, "<>", ["ann@x.test", 'ü"\\\0'], "alice@x.test"), NOON)
        found = inbox.claim(connection, mail_id, NOON)
    wanted = inbox.InboxMessage(
        mail_id,
        NOON,
        "<>",
        ("ann@x.test", 'ü"\\\0'),
        "alice@x.test",
        raw,
        "waiting",
        0,
        0,
        None,
        None,
        0,
        NOON,
        len(raw),
    )
    assert found == wanted


def test_a_mail_is_not_printed(house: App) -> None:
    """Its bytes may hold a password."""
    (mail_id,) = keep(house, "a")
    assert "raw" not in repr(row(house, mail_id))


def test_the_oldest_first(house: App) -> None:
    one, two, three = keep(house, "a", "b", "c")
    for mail_id in (one, two, three):
        with writing(house.engine) as connection:
            assert first(connection) == mail_id
            inbox.finish(connection, mail_id, "handled", NOON, masked=b"")
    with reading(house.engine) as connection:
        assert first(connection) is None


def test_answers_then_players_then_strangers(house: App) -> None:
    with writing(house.engine) as connection:
        for priority, sender in ((2, "s"), (1, "p"), (0, "a"), (1, "q"), (0, "b")):
            inbox.add(connection, NewMail(b"raw", "", [], sender, priority=priority), NOON)
    assert in_order(house) == ["a", "b", "p", "q", "s"]


def test_strangers_get_their_turn(house: App) -> None:
    with writing(house.engine) as connection:
        for priority, sender in ((0, "a"), (1, "p"), (2, "s")):
            inbox.add(connection, NewMail(b"raw", "", [], sender, priority=priority), NOON)
        found = [inbox.take(connection, NOON, priorities) for priorities in ((2, 1, 0), (1, 2, 0), (0, 1, 2))]
    assert [kept.sender for kept in found if kept] == ["s", "p", "a"]


@pytest.mark.parametrize("priority", [0, 1, 2])
def test_many_in_one_name_keep_nobody_else_waiting(house: App, priority: int) -> None:
    """The second of a sender's mails stands a minute behind the first, and the hundredth far behind."""
    with writing(house.engine) as connection:
        rows = [NewMail(b"raw", "", [], "flood", priority=priority) for _ in range(5)]
        inbox.add_all(connection, rows, NOON)
        later = NOON + timedelta(seconds=59)
        inbox.add(connection, NewMail(b"raw", "", [], "other", priority=priority), later)
        inbox.add(connection, NewMail(b"raw", "", [], "third", priority=priority), later + timedelta(seconds=2))
    assert in_order(house) == ["flood", "other", "flood", "third", "flood", "flood", "flood"]


def test_an_answer_waits_for_no_other_mail_of_its_sender(house: App) -> None:
    """Those of its own lane stay in order, and what comes behind it in a slower lane waits for it."""
    with writing(house.engine) as connection:
        one, two, three, four = (
            inbox.add(connection, NewMail(b"raw", "", [], "alice", priority=priority), NOON)
            for priority in (1, 0, 0, 1)
        )
        assert first(connection) == two
        assert [inbox.claim(connection, each, NOON) is None for each in (one, two, three, four)] == [
            False,
            False,
            True,
            True,
        ]
        inbox.fail(connection, two, "bug", LATER)
        assert first(connection) == one
        inbox.finish(connection, one, "handled", NOON, masked=b"")
        assert first(connection) is None


def in_order(house: App) -> list[str]:
    """The senders of all that waits, as it is taken."""
    taken: list[str] = []
    with writing(house.engine) as connection:
        while (kept := inbox.take(connection, NOON)) is not None:
            taken.append(kept.sender)
            inbox.finish(connection, kept.id, "handled", NOON, masked=b"")
    return taken


def test_a_sender_who_has_to_wait_keeps_nobody_else_waiting(house: App) -> None:
    one, two, three = keep(house, "a", "a", "b")
    with writing(house.engine) as connection:
        inbox.fail(connection, one, "bug", LATER)
        assert first(connection) == three
        assert inbox.claim(connection, one, NOON) is None
        assert inbox.claim(connection, two, NOON) is None
        assert inbox.claim(connection, two, LATER) is None
        inbox.finish(connection, three, "handled", NOON, masked=b"")
        assert first(connection) is None
        found = inbox.take(connection, LATER)
        assert found is not None
        assert (found.id, found.tries, found.error) == (one, 1, "bug")


def test_a_wait_set_by_a_clock_that_ran_ahead_is_no_wait(house: App) -> None:
    (one,) = keep(house, "a")
    with writing(house.engine) as connection:
        inbox.fail(connection, one, "bug", NOON + timedelta(days=1))
        assert first(connection) == one


@pytest.mark.parametrize("fate", ["handled", "duplicate", "silent", "set aside"])
def test_what_is_done_with_lets_the_next_one_through(house: App, fate: str) -> None:
    one, two = keep(house, "a", "a")
    with writing(house.engine) as connection:
        if fate == "set aside":
            inbox.fail(connection, one, "bug", None)
        else:
            inbox.finish(connection, one, fate, LATER, masked=b"")  # type: ignore[arg-type]
        assert first(connection) == two
    assert row(house, one).status == fate


def looked_at(plan: dict[str, Any]) -> float:
    """How many rows the parts of an executed plan of PostgreSQL came across."""
    seen = [plan.get(name, 0) for name in ("Actual Rows", "Rows Removed by Filter", "Rows Removed by Join Filter")]
    return float(plan["Actual Loops"] * sum(seen) + sum(map(looked_at, plan.get("Plans", []))))


@pytest.mark.parametrize("analysed", ["never", "when nothing waited", "when all waited", "when a tenth waited"])
def test_few_rows_are_looked_at_however_many_wait(postgresql_house: App, analysed: str) -> None:
    """Whatever PostgreSQL believes of the table: it has never counted it, or when it was another one."""
    engine = postgresql_house.engine
    senders = [f"{number % 40}@x.test" for number in range(400)]
    if analysed != "never":
        mails = keep(postgresql_house, *senders)
        done = {"when nothing waited": mails, "when all waited": [], "when a tenth waited": mails[40:]}[analysed]
        with writing(engine) as connection:
            for mail_id in done:
                inbox.finish(connection, mail_id, "handled", NOON, masked=b"")
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.exec_driver_sql("VACUUM ANALYZE inbox")
    keep(postgresql_house, *senders)
    with writing(engine) as connection:
        executed: list[tuple[str, Any]] = []
        event.listen(connection, "before_cursor_execute", lambda *given: executed.append((given[2], given[3])))
        assert inbox.take(connection, NOON) is not None
        asked = executed[:]
        assert len(asked) == 3, "once for each lane"
        for statement, parameters in asked:
            explained = connection.exec_driver_sql(f"EXPLAIN (ANALYZE, FORMAT JSON) {statement}", parameters)
            assert looked_at(explained.scalar_one()[0]["Plan"]) < 20


def test_nobody_else_gets_a_mail_in_hand(postgresql_house: App) -> None:
    """Each of several workers takes another mail, never two of one sender, and waits for nobody."""
    house = postgresql_house
    one, two, three, four = keep(house, "a", "a", "b", "c")
    with ExitStack() as stack:
        workers = [stack.enter_context(worker(house)) for _ in range(4)]
        assert [first(each) for each in workers] == [one, three, four, None]
        assert [inbox.claim(workers[3], each, NOON) for each in (one, two, three, four)] == [None] * 4
    with writing(house.engine) as connection:
        assert first(connection) == one
        inbox.finish(connection, one, "handled", NOON, masked=b"")
        with worker(house) as other:
            assert first(other) == three
    with reading(house.engine) as connection:
        assert first(connection) == three, "the second of a sender stands back"
        assert inbox.claim(connection, two, NOON) is not None


def test_claimed_by_the_quicker_one(postgresql_house: App) -> None:
    """Two saw the mail at the same time; one gets it, and once it is done with the other gets nothing."""
    house = postgresql_house
    (one,) = keep(house, "a")
    with writing(house.engine) as quick, worker(house) as slow:
        assert inbox.claim(quick, one, NOON) is not None
        assert inbox.claim(slow, one, NOON) is None
        inbox.finish(quick, one, "handled", NOON, masked=b"")
    with writing(house.engine) as connection:
        assert inbox.claim(connection, one, NOON) is None


def test_masked_bytes_take_the_place_of_raw_ones(house: App) -> None:
    one, two = keep(house, "a", "b")
    with writing(house.engine) as connection:
        inbox.finish(connection, one, "handled", NOON, KEY, masked=b"masked")
    assert (row(house, one).raw, row(house, two).raw) == (b"masked", b"raw")


def test_one_content_is_handled_once(house: App) -> None:
    one, two, three, four = keep(house, "a", "b", "c", "d")
    with writing(house.engine) as connection:
        assert not abuse.standing(connection, KEY).is_known
        inbox.finish(connection, one, "handled", NOON, KEY, masked=b"")
        assert abuse.standing(connection, KEY).is_known
        inbox.finish(connection, two, "silent", NOON, masked=b"")
        inbox.finish(connection, three, "duplicate", NOON, masked=b"")
    with pytest.raises(IntegrityError), writing(house.engine) as connection:
        inbox.finish(connection, four, "handled", NOON, KEY, masked=b"")
    assert row(house, four).status == "waiting"


def test_failing_until_set_aside_and_back(house: App) -> None:
    (one,) = keep(house, "a")
    with writing(house.engine) as connection:
        assert not inbox.retry(connection, one, LATER)
        inbox.fail(connection, one, "first", LATER)
        inbox.fail(connection, one, "second", None)
    found = row(house, one)
    assert (found.status, found.tries, found.error) == ("set aside", 2, "second")
    with writing(house.engine) as connection:
        assert first(connection) is None
        assert inbox.retry(connection, one, NOON)
        assert not inbox.retry(connection, one, NOON)
        assert not inbox.retry(connection, 999, NOON)
        assert first(connection) == one
    assert (row(house, one).tries, row(house, one).kills) == (0, 0)


def test_a_failure_told_too_late_changes_nothing(house: App) -> None:
    """A worker fails; before it can note that, another one handles the mail."""
    (one,) = keep(house, "a")
    with writing(house.engine) as connection:
        inbox.finish(connection, one, "handled", NOON, masked=b"")
        assert not inbox.fail(connection, one, "bug", None)
    found = row(house, one)
    assert (found.status, found.tries, found.error) == ("handled", 0, None)


def test_kills_add_up(house: App) -> None:
    """Two workers that saw processes of one mail killed at the same time count one."""
    one, two = keep(house, "a", "b")
    with writing(house.engine) as connection:
        for kills in (0, 1):
            assert inbox.count_kill(connection, one, kills, "killed", NOON) is None
            assert inbox.count_kill(connection, one, kills, "killed", NOON) is None
            found = inbox.claim(connection, one, NOON)
            assert found is not None
            assert found.kills == kills + 1
        aside = inbox.count_kill(connection, one, 2, "killed for good", None)
        assert aside is not None
        assert inbox.find_quarantined(connection, one) == aside
        assert inbox.count_kill(connection, one, 3, "killed", None) is None
        inbox.finish(connection, two, "handled", NOON, masked=b"")
        assert inbox.count_kill(connection, two, 0, "killed", None) is None
        assert inbox.count_kill(connection, 999, 0, "killed", None) is None
        assert inbox.find_quarantined(connection, two) is None
    found = row(house, one)
    assert (found.status, found.kills, found.error) == ("set aside", 3, "killed for good")
    assert (row(house, two).status, row(house, two).kills) == ("handled", 0)


def test_setbacks_add_up_and_make_a_mail_wait(house: App) -> None:
    """Its sender's later mails wait behind it, other people's do not."""
    one, behind, other = keep(house, "a", "a", "b")
    hour = timedelta(hours=1)
    with writing(house.engine) as connection:
        assert inbox.set_back(connection, one, "ended", lambda _: NOON) == 1
        found = inbox.take(connection, NOON)
        assert found is not None
        assert (found.id, found.setbacks) == (one, 1)
        assert inbox.set_back(connection, one, "ended", lambda setbacks: NOON + setbacks * hour) == 2
        found = inbox.take(connection, NOON + hour)
        assert found is not None
        assert found.id == other
        assert inbox.claim(connection, behind, NOON + hour) is None
        assert [each.message.id for each in inbox_listing(connection, MailFilter(in_trouble=True), 9)] == [one]
        found = inbox.take(connection, NOON + 2 * hour)
        assert found is not None
        assert (found.id, found.not_before, found.error) == (one, NOON + 2 * hour, "ended")
        inbox.finish(connection, one, "handled", NOON, masked=b"")
        assert inbox.set_back(connection, one, "ended", lambda _: NOON) == 0
        assert inbox_listing(connection, MailFilter(in_trouble=True), 9) == []


def test_listings_are_the_newest_first(house: App) -> None:
    one, two, three = keep(house, "a", "b", "c")
    with writing(house.engine) as connection:
        inbox.fail(connection, two, "bug", None)
        assert [kept.id for kept in inbox.listing(connection, None, 2)] == [three, two]
        assert [kept.id for kept in inbox.listing(connection, "set aside", 9)] == [two]
        assert [kept.id for kept in inbox.listing(connection, "waiting", 9)] == [three, one]
