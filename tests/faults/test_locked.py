"""A SQLite file that somebody else has locked, such as a program of the operator's that does not let go of it."""

import smtplib
import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

from tests.cli.processes import running
from tests.conftest import ADDRESS
from tests.faults.feeding import (
    NOT_NOW,
    TRY_LATER,
    Feeding,
    assert_each_handled_once,
    challenge,
    receive,
    sign_up,
    wait_until_quiet,
)
from tests.free_port import free_port

PEOPLE = ("alice", "bob")
AN_MTA_WAITS = 20.0
"""Seconds; far more than the ten that are promised, and less than SQLite's lock is waited for otherwise."""


def test_a_locked_file_is_told_in_time(tmp_path: Path) -> None:
    """451 by SMTP and LMTP, exit 75 from `receive`, each within seconds; then all is taken and handled."""
    data, url = tmp_path / "data", f"sqlite:///{tmp_path}/data/pbmserv.db"
    smtp, lmtp = free_port(), free_port()
    settings = {
        "PBMSERV_ADDRESS": ADDRESS,
        "PBMSERV_DATA": str(data),
        "PBMSERV_LISTEN": f"smtp://127.0.0.1:{smtp} lmtp://127.0.0.1:{lmtp}",
        "PBMSERV_WEB": "",
        "PBMSERV_VARIANTS": "true",
        "PBMSERV_CONFIRM": "from",
    }
    sign_up(url, PEOPLE)
    rival = sqlite3.connect(data / "pbmserv.db", isolation_level=None)
    with closing(rival), running(settings, tmp_path, "serve") as server:
        server.wait_for("started parts=")
        rival.execute("BEGIN EXCLUSIVE")
        feed = Feeding(smtp, PEOPLE)
        with ThreadPoolExecutor(5) as pool:
            by_pipe = pool.submit(receive, settings, tmp_path, challenge("alice", "bob", 0))
            by_lmtp = pool.submit(hand_in, lmtp, smtplib.LMTP)
            by_smtp = pool.submit(hand_in, smtp, smtplib.SMTP)
            time.sleep(3)  # it comes while another is waited with already
            later = pool.submit(hand_in, smtp, smtplib.SMTP)
            assert [by_smtp.result(), by_lmtp.result(), later.result()] == [NOT_NOW] * 3
            assert by_pipe.result() == TRY_LATER
        rival.execute("COMMIT")
        feed.bring(
            "alice", 0
        )  # one that was in hand may have been kept after its 451: it is done once all the same
        wait_until_quiet(url)
        assert server.stop() == 0
        assert "Traceback" not in server.log
        assert server.log.count("no mail is taken") <= 2, "once for each listener"
    assert_each_handled_once(url, len(PEOPLE) + 1)


def test_a_file_that_nobody_else_may_even_read(tmp_path: Path) -> None:
    """The pipe says in time that it is to be tried again, and then takes the mail."""
    data = tmp_path / "data"
    sign_up(f"sqlite:///{data}/pbmserv.db", PEOPLE)
    settings = {"PBMSERV_ADDRESS": ADDRESS, "PBMSERV_DATA": str(data)}
    rival = sqlite3.connect(data / "pbmserv.db", isolation_level=None)
    with closing(rival):
        rival.execute("PRAGMA locking_mode = EXCLUSIVE")
        rival.execute("BEGIN EXCLUSIVE")
        with ThreadPoolExecutor(1) as pool:
            piped = pool.submit(receive, settings, tmp_path, challenge("alice", "bob", 0))
            assert piped.result(AN_MTA_WAITS) == TRY_LATER
    assert receive(settings, tmp_path, challenge("alice", "bob", 0)) == 0


def hand_in(port: int, kind: type[smtplib.SMTP]) -> int:
    """The code that answers a mail; raises where none comes in time."""
    with kind("127.0.0.1", port, "client.test", timeout=AN_MTA_WAITS) as link:
        try:
            link.sendmail("somebody@example.org", [ADDRESS], challenge("alice", "bob", 0))
        except smtplib.SMTPDataError as error:
            return error.smtp_code
    return 250
