"""`doctor` on a machine without a mailbox or a relay: settings, files, database, disk, pages."""

import http.server
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import text

from pbmserv.services.admin.doctor.files import see_data, see_secret_files
from pbmserv.services.admin.findings import Verdict, see_room
from pbmserv.store.engine import open_engine, writing
from pbmserv.store.schema import NEWEST
from tests.cli.terminal import Terminal
from tests.doctor.findings import examined
from tests.doctor.site import running_site
from tests.free_port import free_port
from tests.servers.sink import running_sink


@pytest.fixture
def club(terminal: Terminal) -> Terminal:
    """A server's folder, with a database."""
    terminal.put_database()
    return terminal


def test_all_is_well(club: Terminal) -> None:
    """What is not set is fine, and is told in half a sentence."""
    found = examined(club)
    assert found.names("broken") == set(), found.done.out
    assert NEWEST in found.line("schema", "fine")
    assert found.line("mailbox", "fine").startswith("none is set")
    assert found.line("relay", "fine").startswith("none is set")
    assert found.line("site_url", "fine").startswith("none is set")
    assert "localhost is a name for tests" in found.line("DNS", "fine")


def test_one_line_a_check(club: Terminal) -> None:
    """For people: the verdict first, and the words that mend it below."""
    (club.folder / "data").chmod(0o755)
    lines = club.run("doctor").out.splitlines()
    assert lines[0] == "fine      settings   every one can be read"
    (row,) = [number for number, line in enumerate(lines) if line.startswith("attention data ")]
    assert lines[row + 1].strip() == "chmod 700 data"


def test_a_wrong_setting(club: Terminal) -> None:
    club.settings["PBMSERV_DELIMITER"] = "*"
    found = examined(club)
    assert found.verdict == "broken"
    assert "PBMSERV_DELIMITER" in found.line("settings", "broken")


def test_everybody_is_believed(club: Terminal) -> None:
    """Only where strangers can write is that worth a word."""
    club.settings["PBMSERV_CONFIRM"] = "from"
    assert examined(club).line("settings", "fine")
    club.settings["PBMSERV_LISTEN"] = "smtp://0.0.0.0:8025"
    assert 'confirm = "ask"' in examined(club).line("settings", "attention")


def test_a_wrong_nameserver_is_no_finding(club: Terminal) -> None:
    done = club.run("doctor", "--nameserver", "somewhere:53")
    assert done.code == 2
    assert "127.0.0.1:53" in done.sentence


def test_no_database(terminal: Terminal) -> None:
    """None is made."""
    found = examined(terminal)
    assert "pbmserv migrate" in found.line("database", "broken")
    assert "there is no folder data" in found.line("data", "broken")
    assert list(terminal.folder.iterdir()) == []


@pytest.mark.parametrize(
    ("version", "mend"), [("0009", "pbmserv migrate"), ("9999", "install the program that has worked")]
)
def test_another_schema(club: Terminal, version: str, mend: str) -> None:
    """It is told, and left alone."""
    engine = open_engine(f"sqlite:///{club.folder / 'data' / 'pbmserv.db'}")
    with writing(engine) as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = :v"), {"v": version})
    assert mend in examined(club).line("schema", "broken")
    with engine.connect() as connection:
        assert connection.execute(text("SELECT version_num FROM alembic_version")).scalar_one() == version
    engine.dispose()


def test_a_database_that_is_away(club: Terminal) -> None:
    """Its password is not told."""
    pytest.importorskip("psycopg")
    club.settings |= {
        "PBMSERV_DATABASE": f"postgresql://pbm@127.0.0.1:{free_port()}/pbm",
        "PBMSERV_DATABASE_PASSWORD": "sesame",
    }
    found = examined(club)
    assert "is not available" in found.line("database", "broken")
    assert "sesame" not in found.done.out


def test_a_database_that_takes_nothing(club: Terminal) -> None:
    """It can be read and not written to: that is told, nothing is mailed, and all else is looked at."""
    engine = open_engine(f"sqlite:///{club.folder / 'data' / 'pbmserv.db'}")
    with writing(engine) as connection:
        refusal = "SELECT RAISE(ABORT, 'database or disk is full')"
        connection.execute(text(f"CREATE TRIGGER full BEFORE INSERT ON doctor_mails BEGIN {refusal}; END"))
    engine.dispose()
    with running_sink() as relay:
        club.settings["PBMSERV_OUT"] = f"smtp://127.0.0.1:{relay.port}"
        found = examined(club, "--wait", "0")
        assert relay.mails == []
    assert "takes mail from pbmserv+b.doctor@localhost" in found.line("relay", "fine")
    told = found.line("mail to itself", "broken")
    assert told.startswith("the database does not take it: database or disk is full")
    assert "none is set" in found.line("site_url", "fine")


def test_no_tags(club: Terminal) -> None:
    """One mail goes out, from our plain address to our plain address; none, if none is wanted."""
    club.settings["PBMSERV_DELIMITER"] = ""
    with running_sink() as relay:
        club.settings["PBMSERV_OUT"] = f"smtp://127.0.0.1:{relay.port}"
        assert "left out" in examined(club, "--no-mail").line("mail to itself", "fine")
        assert relay.mails == []
        found = examined(club, "--wait", "0")
        ((sender, recipients),) = [(mail.sender, mail.recipients) for mail in relay.mails]
    assert (sender, recipients) == ("pbmserv@localhost", ("pbmserv@localhost",))
    assert "there are none" in found.line("tagged address", "fine")
    assert "no listener ever ran" in found.line("mail to itself", "broken")


def test_password_files(club: Terminal) -> None:
    """One file that serves both is told once; what others can read is told with the mode."""
    secret = club.folder / "secret"
    secret.write_text("app password\n")
    secret.chmod(0o640)
    club.settings |= {"PBMSERV_IMAP_PASSWORD_FILE": str(secret), "PBMSERV_OUT_PASSWORD_FILE": str(secret)}
    assert "imap_password_file and out_password_file" in examined(club).line("passwords", "fine")
    secret.chmod(0o644)
    assert f"chmod 640 {secret}" in examined(club).line("passwords", "attention")
    secret.unlink()
    assert "No such file" in examined(club).line("passwords", "broken")


def test_passwords_among_the_settings(club: Terminal) -> None:
    settings = club.folder / "pbmserv.toml"
    settings.write_text('imap_password = "sesame"\n')
    settings.chmod(0o644)
    found = examined(club)
    assert "pbmserv.toml" in found.line("passwords", "attention")
    assert "sesame" not in found.done.out
    settings.write_text('club_name = "Friends"\n')
    assert "no file holds one" in examined(club).line("passwords", "fine")


def test_an_empty_password_file(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("\n")
    (found,) = see_secret_files([("out_password_file", tmp_path / "secret")], None)
    assert (found.verdict, found.mend) == (Verdict.BROKEN, "put the password in it")


def test_a_folder_in_whose_place_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("")
    assert see_data(tmp_path / "data").verdict is Verdict.BROKEN


@pytest.mark.parametrize(
    ("free", "total", "verdict"),
    [
        (2_000_000_000, 10_000_000_000, Verdict.FINE),
        (999_000_000, 5_000_000_000, Verdict.ATTENTION),
        (5_000_000_000, 100_000_000_000, Verdict.ATTENTION),
        (99_000_000, 500_000_000, Verdict.BROKEN),
        (0, 0, Verdict.BROKEN),
    ],
)
def test_room(free: int, total: int, verdict: Verdict, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a gigabyte at least, and of a tenth of it all; one file system is told once."""
    usage = shutil.disk_usage(tmp_path)._replace(free=free, total=total)
    monkeypatch.setattr("shutil.disk_usage", lambda _: usage)
    (found,) = see_room([tmp_path, tmp_path / "not yet there"])
    assert found.verdict is verdict
    assert found.figures["free"] == free


@pytest.fixture
def site() -> Iterator[http.server.HTTPServer]:
    """A web server in the place of the club's."""
    with running_site() as server:
        yield server


def test_pages(club: Terminal, site: http.server.HTTPServer) -> None:
    """Ours, another one, an error of the proxy, nobody there."""
    club.settings["PBMSERV_SITE_URL"] = f"http://127.0.0.1:{site.server_port}"
    vars(site)["page"] = b"<p>Moves go by mail to pbmserv@localhost</p>"
    assert "shows our page" in examined(club).line("site_url", "fine")
    vars(site)["page"] = b"<p>It works!</p>"
    assert "a page that is not ours" in examined(club).line("site_url", "broken")
    vars(site)["page"] = b""
    assert "answers 502" in examined(club).line("site_url", "broken")
    club.settings["PBMSERV_SITE_URL"] = f"http://127.0.0.1:{free_port()}"
    assert "does not answer: Connection refused" in examined(club).line("site_url", "broken")
