"""The pipe for MTAs: what is kept, and the exit code that tells what to do with the rest."""

import subprocess
import sys
from collections.abc import Callable

import pytest

from pbmserv.store.inbox import InboxMessage
from tests.cli.terminal import Terminal

MAIL = b"From: Alice <Alice@Example.org>\nTo: pbmserv@localhost\nSubject: help\n\nhello \xff\0\r\r\n"


@pytest.fixture
def ready(terminal: Terminal) -> Terminal:
    """A server's folder with an empty database."""
    terminal.put_database()
    return terminal


def kept(terminal: Terminal) -> list[InboxMessage]:
    """The mails of the inbox."""
    post = terminal.post()
    try:
        return post.inbox()
    finally:
        post.house.engine.dispose()


def test_kept_byte_for_byte(ready: Terminal) -> None:
    done = ready.run("receive", stdin=MAIL)
    assert (done.code, done.out, done.err) == (0, "", "")
    (mail,) = kept(ready)
    assert (mail.raw, mail.status) == (MAIL, "waiting")
    assert (mail.sender, mail.envelope_sender) == ("alice@example.org", "alice@example.org")
    assert mail.recipients == ("pbmserv@localhost",)


@pytest.mark.parametrize(
    ("words", "head", "wanted"),
    [
        ([], b"", "alice@example.org"),
        ([], b"Return-Path: <eve@example.net>\n", "eve@example.net"),
        ([], b"Return-Path: <>\n", "<>"),
        (["--mail-from", "bob@example.org"], b"Return-Path: <eve@example.net>\n", "bob@example.org"),
        (["--mail-from", ""], b"", "<>"),
        (["--mail-from", "<>"], b"", "<>"),
        ([], b"Return-Path: <\0\xff\x1b@example.net>\n", "?\ufffd?@example.net"),
        (["--mail-from", "b\udcf6b@example.org"], b"", "b?b@example.org"),
        (["--mail-from", "b\u00f6b@example.org"], b"", "b\u00f6b@example.org"),
    ],
)
def test_the_envelope_sender(ready: Terminal, words: list[str], head: bytes, wanted: str) -> None:
    assert ready.run("receive", *words, stdin=head + MAIL).code == 0
    assert [mail.envelope_sender for mail in kept(ready)] == [wanted]


def test_recipients(ready: Terminal) -> None:
    words = ["--rcpt-to", "pbmserv+b.1@localhost", "--rcpt-to", "p\udcffq@localhost"]
    assert ready.run("receive", *words, stdin=MAIL).code == 0
    assert [mail.recipients for mail in kept(ready)] == [("pbmserv+b.1@localhost", "p?q@localhost")]


def test_what_any_mail_holds_goes_into_postgresql_too(
    terminal: Terminal, new_postgresql: Callable[[], str]
) -> None:
    """A NUL in a text is an error there, which would come back as "try again later" for five days."""
    terminal.settings["PBMSERV_DATABASE"] = new_postgresql()
    terminal.succeed("migrate")
    for head in (
        b"Return-Path: <\0@example.net>\n",
        b"From: \0\n",
        b"Return-Path: \0\0\xed\xa0\x80\n",
    ):
        assert terminal.run("receive", stdin=head + MAIL).code == 0
    assert terminal.run("receive", "--mail-from", "\udcff@x", stdin=MAIL).code == 0
    assert len(kept(terminal)) == 4


def test_no_mail(ready: Terminal) -> None:
    for raw in (b"", b"\n", b"\0" * 100, b"hello\n", b"\n\nFrom: alice@example.org\n", b"{\x89PNG}\xff\xfe"):
        done = ready.run("receive", stdin=raw)
        assert done.code == 65
        assert "that is not a mail" in done.sentence
    assert kept(ready) == []


def test_too_large(ready: Terminal) -> None:
    ready.settings["PBMSERV_MAX_SIZE"] = "10000"
    assert ready.run("receive", stdin=MAIL.ljust(10_000)).code == 0
    done = ready.run("receive", stdin=MAIL.ljust(10_001))
    assert done.code == 65
    assert "larger than 10000 bytes" in done.sentence
    assert len(kept(ready)) == 1


def test_going_in_circles(ready: Terminal) -> None:
    assert ready.run("receive", stdin=b"Received: x\n" * 50 + MAIL + b"Received: x\n").code == 0
    done = ready.run("receive", stdin=b"Received: x\n" * 51 + MAIL)
    assert done.code == 65
    assert "looping" in done.sentence
    assert len(kept(ready)) == 1


AWAY = {
    "a server that is not there": "postgresql+psycopg://nobody@127.0.0.1:1/nothing?connect_timeout=5",
    "a folder that cannot be made": "sqlite:////dev/null/pbmserv.db",
    "a file that is no database": "sqlite:///garbage",
    "a folder in place of a file": "sqlite:///folder",
    "no schema": "sqlite:///empty.db",
}


@pytest.mark.parametrize("what", AWAY)
def test_try_again_later(terminal: Terminal, what: str) -> None:
    """The MTA keeps the mail; nothing is told of it but one sentence."""
    (terminal.folder / "garbage").write_text("no database" * 1000)
    (terminal.folder / "folder").mkdir()
    terminal.settings["PBMSERV_DATABASE"] = AWAY[what]
    done = terminal.run("receive", stdin=MAIL)
    assert done.code == 75
    assert done.sentence.startswith(("pbmserv: the database ", "pbmserv: there is no database "))
    assert done.out == ""


def test_the_sentence_names_the_place_and_no_password(terminal: Terminal) -> None:
    """A tired operator in the wrong folder must see which database was looked at."""
    done = terminal.run("admin", "players")
    assert f"there is no database {terminal.folder}/data/pbmserv.db" in done.sentence
    terminal.settings |= {
        "PBMSERV_DATABASE": "postgresql://pbm@127.0.0.1:1/games?connect_timeout=5",
        "PBMSERV_DATABASE_PASSWORD": "Xy7zzy-Q",
    }
    done = terminal.run("admin", "players")
    assert "pbm:***@127.0.0.1:1/games" in done.sentence
    assert "refused" in done.sentence
    assert "Xy7zzy" not in done.sentence


def test_a_data_folder_that_cannot_be_made(terminal: Terminal) -> None:
    terminal.settings["PBMSERV_DATA"] = "/dev/null/data"
    for words in (["receive"], ["migrate"], ["admin", "players"], ["work"], ["serve"]):
        assert terminal.run(*words, stdin=MAIL).code == 75, words


def test_a_database_that_goes_away_meanwhile(ready: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    with ready.post().house.engine.connect() as connection:
        connection.exec_driver_sql("DROP TABLE inbox")
        connection.commit()
        connection.engine.dispose()
    done = ready.run("receive", stdin=MAIL)
    assert done.code == 75
    assert "could not be stored" in done.sentence


def test_a_database_of_tomorrow(ready: Terminal) -> None:
    with ready.post().house.engine.connect() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
        connection.commit()
        connection.engine.dispose()
    for words in (["receive"], ["migrate"], ["admin", "players"], ["serve"], ["work"]):
        done = ready.run(*words, stdin=MAIL)
        assert done.code == (75 if words == ["receive"] else 78), words
        assert "9999" in done.err.splitlines()[-1]


def test_it_starts_with_only_what_it_needs(ready: Terminal) -> None:
    """One process a mail: nothing is imported that storing it can do without."""
    code = (
        "import sys; from pbmserv.cli.start import main; sys.argv = ['pbmserv', 'receive']\n"
        "try: main()\nfinally: print(*sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input=MAIL, capture_output=True, check=True, cwd=ready.folder
    )
    assert len(kept(ready)) == 1
    found = {tuple(name.split(".")) for name in done.stdout.decode().split()}
    libraries = {name[0] for name in found} - sys.stdlib_module_names
    assert "sqlalchemy" in libraries
    slow = {
        "alembic",
        "aiosmtpd",
        "argon2",
        "click",
        "email_validator",
        "jinja2",
        "lxml",
        "rich",
        "typer",
        "pydantic",
    }
    assert libraries & slow == set()
    floors = {name[1] for name in found if name[0] == "pbmserv" and len(name) > 1}
    assert floors == {"cli", "commands", "mail", "services", "store"}
    ours = {".".join(name) for name in found if name[:2] == ("pbmserv", "commands") and len(name) > 2}
    assert ours == {"pbmserv.commands.server", "pbmserv.commands.word_lists"}


@pytest.mark.slow
def test_it_runs_in_a_process_of_its_own(ready: Terminal) -> None:
    """As an MTA starts it: exit codes, sentences, and what is left to the command line."""

    def run(*words: str, stdin: bytes = MAIL) -> tuple[int, str]:
        program = [sys.executable, "-m", "pbmserv.cli.start", "receive", *words]
        done = subprocess.run(program, input=stdin, capture_output=True, check=False, cwd=ready.folder)
        return done.returncode, done.stderr.decode() or done.stdout.decode()

    assert run("--mail-from", "bob@example.org", "--rcpt-to=a@localhost", "--rcpt-to", "b@localhost") == (0, "")
    (mail,) = kept(ready)
    assert (mail.envelope_sender, mail.recipients) == ("bob@example.org", ("a@localhost", "b@localhost"))
    assert run(stdin=b"hello\n") == (65, "pbmserv: that is not a mail: it has no header\n")
    assert run("--help")[1].startswith("Usage: pbmserv receive [OPTIONS]")
    assert run("--wrong")[0] == run("word")[0] == 2
    (ready.folder / "pbmserv.toml").write_text("max_size = 1")
    assert run() == (75, "pbmserv: PBMSERV_MAX_SIZE: must be from 10000 to 100000000\n")
