"""The policy of limits: each row at its edge, its counts while they are looked at and after, and its page."""

from dataclasses import replace
from datetime import timedelta

from pbmserv.commands import policy
from pbmserv.commands.policy import AT_A_TIME, POLICY, Counted, Limit
from pbmserv.services.app import App
from pbmserv.services.limits import left, spend
from pbmserv.services.scheduler.retention import purge
from pbmserv.store import counts
from pbmserv.store.engine import reading, writing
from tests.conftest import NOON

INSTANT = timedelta(microseconds=1)
COUNTED = [limit for limit in POLICY if limit.per != AT_A_TIME]


def test_each_limit_at_its_edge(sqlite_house: App) -> None:
    """One less than the most leaves one; the most leaves none, for the whole span alone; others are free."""
    with writing(sqlite_house.engine) as connection:
        for limit in COUNTED:
            # Those with one name share their counts.
            ann, ben = (f"{name}-{limit.most}-{limit.per.days}@home.example" for name in ("Ann", "Ben"))
            spend(connection, [limit.count(ann, limit.most - 1)], NOON)
            assert left(connection, limit, ann, NOON) == 1, limit
            spend(connection, [limit.count(ann.lower())], NOON)
            assert left(connection, limit, ann, NOON) == 0, limit
            spend(connection, [limit.count(ann)], NOON)
            assert left(connection, limit, ann, NOON + limit.per - INSTANT) == -1, limit
            assert left(connection, limit, ann, NOON + limit.per) == limit.most, limit
            assert left(connection, limit, ben, NOON) == limit.most, limit
            assert left(connection, limit, "", NOON) == limit.most, limit


def test_retention_forgets_what_no_limit_looks_at(sqlite_house: App) -> None:
    """Each count outlasts its longest span, and is gone in the end."""
    ann = "ann@home.example"
    with writing(sqlite_house.engine) as connection:
        spend(connection, [limit.count(ann) for limit in COUNTED], NOON)
        everything = {limit.name: counts.total(connection, limit.name, ann, NOON - INSTANT) for limit in COUNTED}
    for limit in sorted(COUNTED, key=lambda limit: limit.per):
        with writing(sqlite_house.engine) as connection:
            counts.purge(connection, NOON + limit.per - INSTANT)
            kept = counts.total(connection, limit.name, ann, NOON - INSTANT)
            assert kept == everything[limit.name] > 0, limit
    for _ in purge(sqlite_house, NOON - timedelta(days=90), NOON + timedelta(days=30)):
        pass
    with reading(sqlite_house.engine) as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM counts").scalar_one() == 0


def test_what_has_an_owner_is_released_for_them_alone(sqlite_house: App) -> None:
    """An address confirms: its sign-ups no longer count, in all and for its domain; others do."""
    with writing(sqlite_house.engine) as connection:
        for owner in ("ann@home.example", "ben@home.example"):
            spend(connection, [policy.SIGN_UPS.count(owner=owner)], NOON)
        counts.release(connection, "ann@home.example", policy.SIGN_UPS)
        assert left(connection, policy.SIGN_UPS, "", NOON) == policy.SIGN_UPS.most - 1


def test_no_address_is_stored(sqlite_house: App) -> None:
    """Digests alone."""
    with writing(sqlite_house.engine) as connection:
        spend(connection, [Counted("any name", "ann@home.example", owner="ann@home.example")], NOON)
        (row,) = connection.exec_driver_sql("SELECT * FROM counts").all()
    assert "ann" not in repr(row)


def test_limits_with_one_name_tell_of_one_thing() -> None:
    """Each row of the table is there once, and counts what has its name, whatever its cause."""
    assert len({replace(limit, then="") for limit in POLICY}) == len(POLICY)
    declared = {each for each in vars(policy).values() if isinstance(each, Limit)}
    assert declared == {*POLICY}
