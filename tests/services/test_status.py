"""What `status` finds, and how an operator is told of what lasts."""

import json
import logging
import shutil
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from threading import Event, Thread
from types import SimpleNamespace

import pytest
from sqlalchemy import update

from pbmserv.server.health import HealthPages, showing_health
from pbmserv.services.admin.findings import Finding, Verdict, worst
from pbmserv.services.admin.pulse import record_backup, record_heartbeat, record_trouble
from pbmserv.services.admin.status import Premises, look_around
from pbmserv.services.failures import APART_FROM, set_back
from pbmserv.services.scheduler.alarms import watch
from pbmserv.store import outbox
from pbmserv.store.engine import writing
from pbmserv.store.inbox import QUARANTINED
from pbmserv.store.tables import addresses, inbox
from tests.services.post import Post, text_of

PARTS = ("listener", "poller", "worker", "sender", "scheduler", "robots")
OPERATOR = "op@example.net"
DAY = timedelta(days=1)


@pytest.fixture(autouse=True)
def room(monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk with much room."""
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: SimpleNamespace(free=5 * 10**9, total=10**10))


@pytest.fixture
def club(post: Post, tmp_path: Path) -> Post:
    """A club where all is well."""
    post.people(alice="sesame", bob="poppy", carol="tahini")
    beat(post, *PARTS)
    record_backup(post.house.engine, Path("/backups/today"), post.clock())
    for letter in post.letters():
        send(post, letter.id)
    return post


def beat(post: Post, *parts: str) -> None:
    for part in parts:
        record_heartbeat(post.house, part, post.clock())


def send(post: Post, letter: int) -> None:
    with writing(post.house.engine) as connection:
        outbox.mark_sent(connection, [letter], post.clock())


def found(post: Post, folder: Path) -> dict[str, Finding]:
    return {each.name: each for each in look_around(post.house, Premises(folder, PARTS), post.clock())}


def bad(post: Post, folder: Path) -> dict[str, Verdict]:
    return {name: each.verdict for name, each in found(post, folder).items() if each.verdict}


def test_all_is_well(club: Post, tmp_path: Path) -> None:
    """Every line says so, and the whole does."""
    assert bad(club, tmp_path) == {}
    assert worst(found(club, tmp_path).values()) is Verdict.FINE
    assert {*PARTS, "mailbox", "relay", "mail in", "mail out", "backup", "disk"} <= found(club, tmp_path).keys()


@pytest.mark.parametrize("part", PARTS)
def test_a_part_that_has_stopped(club: Post, tmp_path: Path, part: str) -> None:
    """Mail stops without any of them but robots; the words that mend it name the part."""
    club.clock.now += timedelta(minutes=4)
    beat(club, *(each for each in PARTS if each != part))
    assert bad(club, tmp_path) == {part: Verdict.ATTENTION if part == "robots" else Verdict.BROKEN}
    line = found(club, tmp_path)[part]
    assert line.found == "has stopped: not heard of for 4 minutes"
    assert f"admin parts --retire {part}" in line.mend


def test_a_part_that_never_was(post: Post, tmp_path: Path) -> None:
    """As on the first day, if a unit was forgotten."""
    assert bad(post, tmp_path)["worker"] is Verdict.BROKEN
    assert found(post, tmp_path)["worker"].found == "has never run"


@pytest.mark.parametrize(("part", "name"), [("poller", "mailbox"), ("sender", "relay")])
def test_trouble_of_a_road(club: Post, tmp_path: Path, part: str, name: str) -> None:
    """It may be over at the next try; from half a minute on it is broken. What is over is told no more."""
    record_trouble(club.house, part, "mail.test: the login is refused", club.clock())
    assert bad(club, tmp_path) == {name: Verdict.ATTENTION}
    club.clock.now += timedelta(seconds=40)
    record_trouble(club.house, part, "mail.test: the login is refused", club.clock())
    assert bad(club, tmp_path) == {name: Verdict.BROKEN}
    assert found(club, tmp_path)[name].found == "mail.test: the login is refused (for 40 seconds)"
    record_trouble(club.house, part, "", club.clock())
    assert bad(club, tmp_path) == {}


def test_mail_that_nobody_handles(club: Post, tmp_path: Path) -> None:
    """Though the worker says that it lives."""
    club.put(club.write("alice@example.org", "help"), "alice@example.org")
    for minutes, verdict in ((0, None), (3, Verdict.ATTENTION), (8, Verdict.BROKEN)):
        club.clock.now += timedelta(minutes=minutes)
        beat(club, *PARTS)
        assert bad(club, tmp_path).get("mail in") is verdict
    assert found(club, tmp_path)["mail in"].figures == {"waiting": 1, "later": 0, "oldest_seconds": 660}


def test_mail_that_waits_after_a_failure_is_no_queue(club: Post, tmp_path: Path) -> None:
    """It is tried again later, and holds up nobody else."""
    number = club.put(club.write("alice@example.org", "help"), "alice@example.org")
    for _ in range(APART_FROM + 1):
        set_back(club.house, number, "a worker ended", club.clock())
    line = found(club, tmp_path)["mail in"]
    assert (line.found, line.verdict) == ("0 waiting, 1 later", Verdict.FINE)


def test_mail_that_nobody_sends(club: Post, tmp_path: Path) -> None:
    club.mail("alice@example.org", "help")
    for minutes, verdict in ((0, None), (6, Verdict.ATTENTION), (60, Verdict.BROKEN)):
        club.clock.now += timedelta(minutes=minutes)
        beat(club, *PARTS)
        assert bad(club, tmp_path).get("mail out") is verdict


def put_off(post: Post) -> None:
    """The sender has tried all that waits, and the relay wants none of it now."""
    with writing(post.house.engine) as connection:
        for letter in post.letters():
            outbox.mark_deferred(connection, letter.id, "452 4.3.1 mail system full", post.clock() + DAY)


@pytest.mark.parametrize(("people", "verdicts"), [(("alice", "bob"), (None, 1, 2)), (("alice",), (None, None, 1))])
def test_a_relay_that_puts_everything_off(
    club: Post, tmp_path: Path, people: tuple[str, ...], verdicts: tuple[int | None, ...]
) -> None:
    """Nothing is due meanwhile, and yet mail has stopped; with one person it may be their provider alone."""
    for each in people:
        club.mail(f"{each}@example.org", "help")
    put_off(club)
    assert found(club, tmp_path)["mail out"].figures["waiting"] == 0
    for minutes, verdict in zip((10, 10, 50), verdicts, strict=True):
        club.clock.now += timedelta(minutes=minutes)
        beat(club, *PARTS)
        assert bad(club, tmp_path).get("mail out") == verdict
    line = found(club, tmp_path)["mail out"].found
    assert line == f"none has gone out for 70 minutes, {len(people)} tried in vain: 452 4.3.1 mail system full"
    club.mail("carol@example.org", "help")
    send(club, max(letter.id for letter in club.letters()))
    assert "mail out" not in bad(club, tmp_path)


def test_a_relay_that_takes_all_but_one_mail(club: Post, tmp_path: Path) -> None:
    """A filter there thinks that mail is spam: it waits, and the operator sees why."""
    club.mail("alice@example.org", "help")
    mail_id = max(letter.id for letter in club.letters())
    with writing(club.house.engine) as connection:
        outbox.mark_deferred(connection, mail_id, "554 5.7.1 spam", club.clock() + DAY)
    club.mail("bob@example.org", "help")
    send(club, max(letter.id for letter in club.letters()))
    finding = found(club, tmp_path)["mail out"]
    assert (finding.verdict, finding.found) == (1, "1 refused, which is about us: 554 5.7.1 spam")


def test_people_in_trouble(club: Post, tmp_path: Path) -> None:
    """A quarantined mail wants a look, and so do three suspended addresses of three players."""
    first = club.inbox()[0].id
    with writing(club.house.engine) as connection:
        connection.execute(update(addresses).values(suspended_at=club.clock()))
        connection.execute(update(inbox).where(inbox.c.id == first).values(status=QUARANTINED))
    assert bad(club, tmp_path) == {"quarantine": Verdict.ATTENTION, "addresses": Verdict.ATTENTION}
    assert found(club, tmp_path)["addresses"].found == "3 of 3 suspended, since mail to them came back"


def test_a_backup_grows_old(club: Post, tmp_path: Path) -> None:
    club.clock.now += timedelta(days=9)
    beat(club, *PARTS)
    assert bad(club, tmp_path) == {"backup": Verdict.ATTENTION}
    assert found(club, tmp_path)["backup"].found == "9 days ago: /backups/today"


@pytest.mark.parametrize(("free", "verdict"), [(5 * 10**8, Verdict.ATTENTION), (10**7, Verdict.BROKEN)])
def test_a_full_disk(
    club: Post, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free: int, verdict: Verdict
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: SimpleNamespace(free=free, total=10**9))
    assert bad(club, tmp_path) == {"disk": verdict}


def pass_time(post: Post, folder: Path, minutes: int, *but: str, step: int = 1) -> None:
    """Minutes in which all parts live but some, and somebody watches, each `step` minutes."""
    for _ in range(0, minutes, step):
        post.clock.now += timedelta(minutes=step)
        beat(post, *(each for each in PARTS if each not in but))
        watch(post.house, post.clock(), Premises(folder, PARTS), OPERATOR)
        for letter in post.sent_to(OPERATOR):
            send(post, letter.id)


@pytest.mark.slow
def test_what_lasts_is_said_again(club: Post, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """At once, then each hour with its duration, and when it is over; by mail after a while, and daily."""
    caplog.set_level(logging.INFO, "pbmserv.services.scheduler.alarms")
    pass_time(club, tmp_path, 125, "poller")
    assert [line for _, _, line in caplog.record_tuples] == [
        'not fine finding=poller error="has stopped: not heard of for 4 minutes"',
        'still not fine finding=poller error="has stopped: not heard of for 64 minutes" seconds=3600',
        'still not fine finding=poller error="has stopped: not heard of for 124 minutes" seconds=7200',
    ]
    assert {level for _, level, _ in caplog.record_tuples} == {logging.ERROR}
    (letter,) = club.sent_to(OPERATOR)
    assert "poller: has stopped: not heard of for 19 minutes" in " ".join(text_of(letter).split())
    pass_time(club, tmp_path, 24 * 60, "poller", step=20)
    assert len(club.sent_to(OPERATOR)) == 2
    pass_time(club, tmp_path, 3)
    *_, last = club.sent_to(OPERATOR)
    assert "all is well again with: poller" in " ".join(text_of(last).split())
    assert caplog.messages[-1].startswith("fine again finding=poller seconds=")
    assert len(club.sent_to(OPERATOR)) == 3


def test_what_is_soon_over_is_not_mailed(club: Post, tmp_path: Path) -> None:
    pass_time(club, tmp_path, 12, "poller")
    pass_time(club, tmp_path, 3)
    assert club.sent_to(OPERATOR) == []


@contextmanager
def pages(post: Post, folder: Path) -> Iterator[str]:
    """The health pages of a club."""
    shown = HealthPages("127.0.0.1", 0, lambda: look_around(post.house, Premises(folder, PARTS), post.clock()))
    stop = Event()
    thread = Thread(target=showing_health(shown), args=(stop,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{shown.port}"
    finally:
        stop.set()
        thread.join()


def fetched(url: str) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(url) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def test_health_pages(club: Post, tmp_path: Path) -> None:
    """Alive is not ready: that says whether mail goes, and names what does not. Figures are for Prometheus."""
    with pages(club, tmp_path) as url:
        assert fetched(f"{url}/healthz") == (200, "alive\n")
        assert fetched(f"{url}/readyz")[0] == 200
        assert 'pbmserv_figure{figure="waiting",finding="mail in"} 0.0' in fetched(f"{url}/metrics")[1]
        club.clock.now += timedelta(minutes=20)
        status, said = fetched(f"{url}/readyz")
        assert status == 503
        assert json.loads(said)["verdict"] == "broken"
        assert {each["name"] for each in json.loads(said)["findings"]} == set(PARTS)
        assert 'pbmserv_verdict{finding="worker"} 2.0' in fetched(f"{url}/metrics")[1]
        assert fetched(f"{url}/healthz") == (200, "alive\n")
        assert fetched(f"{url}/")[0] == 404


def test_health_pages_without_a_database(club: Post, tmp_path: Path) -> None:
    with club.house.engine.begin() as connection:
        connection.exec_driver_sql("ALTER TABLE heartbeats RENAME TO gone")
    with pages(club, tmp_path) as url:
        assert fetched(f"{url}/readyz")[0] == 503
        assert 'pbmserv_verdict{finding="database"} 2.0' in fetched(f"{url}/metrics")[1]
