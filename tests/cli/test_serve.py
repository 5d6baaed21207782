"""Real processes: their greeting, their work, and each way to end."""

import signal
import socket
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from urllib.request import urlopen

import pytest
from sqlalchemy import create_engine, text, update

from pbmserv.server.in_flight import acquire_marker
from pbmserv.services.failures import set_back
from pbmserv.store.engine import writing
from pbmserv.store.tables import inbox
from tests.cli.processes import running, wait_for
from tests.cli.terminal import Terminal
from tests.free_port import free_port
from tests.services.post import Post

ALICE, BOB = ("--from", "alice@example.org"), ("--from", "bob@example.org")
WORD = "Xy7zzy-Q"


@pytest.fixture
def settings(terminal: Terminal) -> dict[str, str]:
    """Those of a server on free ports, where a From address is proof."""
    terminal.settings |= {
        "PBMSERV_DATA": str(terminal.folder / "data"),
        "PBMSERV_LISTEN": f"smtp://127.0.0.1:{free_port()}",
        "PBMSERV_WEB": f"127.0.0.1:{free_port()}",
        "PBMSERV_VARIANTS": "true",
        "PBMSERV_CONFIRM": "from",
    }
    return terminal.settings


@pytest.mark.slow
def test_serve_plays_and_ends_when_told(terminal: Terminal, settings: dict[str, str]) -> None:
    with running(settings, terminal.folder, "serve") as server:
        server.wait_for("Press Ctrl-C to stop it.")
        for told in (
            settings["PBMSERV_LISTEN"],
            settings["PBMSERV_DATA"],
            settings["PBMSERV_WEB"],
            f"http://{settings['PBMSERV_WEB']}/mailbox",
            "confirm    from",
        ):
            assert told in server.log
        assert "Welcome, alice! " in terminal.succeed("mail", *ALICE, f"signup alice {WORD}")
        terminal.succeed("mail", *BOB, "signup bob poppy")
        said = terminal.succeed("mail", *ALICE, "challenge alice bob", "Good luck!")
        assert "Your game of Cephalopod with bob has started. Your turn. You have 21 days." in " ".join(
            said.split()
        )
        said = terminal.succeed("mail", *ALICE, "hi", f"as alice {WORD}\\nmove 101 c3")
        assert "You played C3. It is bob's turn." in said
        said = terminal.succeed("mail", *BOB, "--read")
        assert "alice played C3. Your turn. You have 21 days." in said
        with urlopen(f"http://{settings['PBMSERV_WEB']}/", timeout=60) as page:
            assert page.status == 200
        assert terminal.run("admin", "games", "--json").rows[0]["last_move"] == "C3"
        assert server.stop() == 0
        assert "Traceback" not in server.log
    data = Path(settings["PBMSERV_DATA"])
    assert [file for file in (data, *data.rglob("*")) if file.stat().st_mode & 0o077] == [], "mails are private"
    stored = [file for file in terminal.folder.rglob("*") if file.is_file()]
    assert len(stored) > 5
    assert [file for file in stored if WORD.encode() in file.read_bytes()] == []


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_server_that_has_just_greeted_can_be_stopped(
    terminal: Terminal, settings: dict[str, str], number: signal.Signals
) -> None:
    """What watches over it may not know better than to stop it in the moment that it is up."""
    settings |= {"PBMSERV_LISTEN": "smtp://127.0.0.1:0 lmtp://127.0.0.1:0", "PBMSERV_WEB": "127.0.0.1:0"}
    with running(settings, terminal.folder, "serve") as server:
        server.wait_for("pbmserv is running")
        assert server.stop(number) == 0
        assert "127.0.0.1:0 " not in server.log, "it tells the ports that the system chose"
        assert "Traceback" not in server.log


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("setting", ["PBMSERV_LISTEN", "PBMSERV_WEB"])
def test_a_port_in_use_is_one_sentence(terminal: Terminal, settings: dict[str, str], setting: str) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        place = f"127.0.0.1:{taken.getsockname()[1]}"
        settings[setting] = f"smtp://{place}" if setting == "PBMSERV_LISTEN" else place
        with running(settings, terminal.folder, "serve") as server:
            assert server.end() == 1
            (sentence,) = server.log.strip().splitlines()
            assert place in sentence
            assert "in use" in sentence


@pytest.mark.slow
def test_two_servers_on_one_folder(terminal: Terminal, settings: dict[str, str]) -> None:
    """The second says so in one sentence and ends as with a wrong setting; the first does not notice."""
    others = settings | {"PBMSERV_LISTEN": f"smtp://127.0.0.1:{free_port()}", "PBMSERV_WEB": ""}
    (terminal.folder / "second").mkdir()
    with running(settings, terminal.folder, "serve") as first:
        first.wait_for("Press Ctrl-C to stop it.")
        with running(others, terminal.folder / "second", "serve") as second:
            assert second.end() == 78
            (sentence,) = second.log.strip().splitlines()
            assert (
                f"another server, process {first.process.pid}, is running on {settings['PBMSERV_DATA']}"
                in sentence
            )
        terminal.succeed("mail", *ALICE, "signup alice sesame")
        assert first.stop(signal.SIGKILL) == -signal.SIGKILL
    with running(others, terminal.folder / "second", "serve") as second:
        second.wait_for("Press Ctrl-C to stop it.")
        assert second.stop() == 0


@pytest.mark.slow
def test_a_part_beside_a_server(terminal: Terminal, settings: dict[str, str]) -> None:
    """On SQLite a second worker is of little use, but no harm."""
    with running(settings, terminal.folder, "serve") as server:
        server.wait_for("Press Ctrl-C to stop it.")
        with running(settings, terminal.folder, "work") as worker:
            worker.wait_for("started parts=")
            terminal.succeed("mail", *ALICE, "signup alice sesame")
            assert worker.stop() == 0
        assert server.stop() == 0


@pytest.mark.slow
def test_separate_processes_play_too(terminal: Terminal, settings: dict[str, str]) -> None:
    """`listen`, `work` and `send` have nothing in common but a SQLite file."""
    terminal.succeed("migrate")
    with ExitStack() as stack:
        processes = [
            stack.enter_context(running(settings, terminal.folder, word)) for word in ("listen", "work", "send")
        ]
        port = int(settings["PBMSERV_LISTEN"].rpartition(":")[2])
        wait_for(lambda: accepts(port))
        terminal.succeed("mail", *ALICE, "signup alice sesame")
        terminal.succeed("mail", *BOB, "signup bob poppy")
        said = terminal.succeed("mail", *ALICE, "challenge alice bob")
        assert "Your turn. You have 21 days." in " ".join(said.split())
        assert "You played D4" in terminal.succeed("mail", *ALICE, "101 d4")
        assert "You played C3" in terminal.succeed("mail", *BOB, "101 c3")
        for process in processes:
            assert process.stop() == 0
            assert "Traceback" not in process.log


def accepts(port: int) -> bool:
    """Whether somebody listens at a port of this machine."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.mark.slow
def test_serve_on_postgresql(
    terminal: Terminal, settings: dict[str, str], new_postgresql: Callable[[], str]
) -> None:
    """It is never migrated without being asked to, and any number of servers share it."""
    settings["PBMSERV_DATABASE"] = new_postgresql()
    with running(settings, terminal.folder, "serve") as server:
        assert server.end() == 75
        assert "pbmserv migrate" in server.log
    terminal.succeed("migrate")
    with running(settings, terminal.folder, "serve") as server:
        server.wait_for("Press Ctrl-C to stop it.")
        terminal.succeed("mail", *ALICE, "signup alice sesame")
        others = settings | {"PBMSERV_LISTEN": "", "PBMSERV_WEB": ""}
        (terminal.folder / "second").mkdir()
        with running(others, terminal.folder / "second", "serve") as second:
            second.wait_for("Press Ctrl-C to stop it.")
            assert second.stop() == 0
        assert server.stop() == 0
        assert "Traceback" not in server.log


@pytest.mark.slow
def test_a_part_that_dies_ends_the_process(terminal: Terminal, settings: dict[str, str]) -> None:
    """A server that runs on without its worker would take mails and never answer them."""
    with running(settings, terminal.folder, "serve") as server:
        server.wait_for("Press Ctrl-C to stop it.")
        engine = create_engine(f"sqlite:///{settings['PBMSERV_DATA']}/pbmserv.db")
        with engine.begin() as connection:
            connection.execute(text("ALTER TABLE inbox RENAME TO elsewhere"))
        engine.dispose()
        assert server.end() == 1
        assert "a part has ended, and so does all beside it part=" in server.log


@pytest.mark.slow
def test_a_worker_that_is_killed_over_a_mail_leaves_its_mark(
    terminal: Terminal, settings: dict[str, str], tmp_path: Path
) -> None:
    """A real end without warning, in the midst of handling."""
    terminal.succeed("migrate")
    terminal.succeed("receive", stdin=b"From: alice@example.org\nTo: pbmserv@localhost\nSubject: help\n\n")
    killer = tmp_path / "killer.py"
    killer.write_text(
        "import os\n"
        "from pbmserv.cli.main import cli\n"
        "from pbmserv.services import process\n"
        "process.answer_to = lambda *arguments, **named: os.kill(os.getpid(), 9)\n"
        "cli(['work'])\n"
    )
    with running(settings, terminal.folder, "work", program=killer) as worker:
        assert worker.end() == -signal.SIGKILL
    mark = acquire_marker(Path(settings["PBMSERV_DATA"]))
    assert mark.left_behind() == 1
    mark.close()
    with running(settings, terminal.folder, "work") as worker:
        wait_for(lambda: terminal.run("admin", "outbox", "--json").rows != [])
        assert worker.stop() == 0
        assert "a mail was set back mail=1 tries=1 again=" in worker.log
    (row,) = terminal.run("admin", "inbox", "--all", "--json").rows
    assert (row["status"], row["kills"], row["tries"], row["setbacks"]) == ("handled", 0, 0, 1)


@pytest.mark.parametrize(("command", "setting"), [("listen", "PBMSERV_LISTEN"), ("web", "PBMSERV_WEB")])
def test_a_part_that_is_off_says_so(
    terminal: Terminal, settings: dict[str, str], command: str, setting: str
) -> None:
    settings[setting] = ""
    terminal.succeed("migrate")
    done = terminal.run(command)
    assert done.code == 78
    assert f"{setting} is empty" in done.err.splitlines()[-1]


@pytest.mark.slow
def test_a_mail_that_workers_were_killed_over(terminal: Terminal, settings: dict[str, str]) -> None:
    """A process of its own handles it, by the same settings, and is seen by the operator; a worker lives on."""
    terminal.succeed("migrate")
    post = terminal.post()
    mail_id = post.put(post.write("alice@example.org", "signup alice sesame"))
    for _ in range(3):
        set_back(post.house, mail_id, "a worker ended that had it in hand", post.clock())
    assert "a worker ended that had it in hand" in terminal.succeed("admin", "inbox")
    set_back_now(post, mail_id)
    with running(settings, terminal.folder, "work") as worker:
        wait_for(lambda: post.fates() == ["handled"])
        worker.wait_for(f"handled mail={mail_id} fate=handled ")
        assert f"processing a mail in isolation mail={mail_id}" in worker.log
        assert worker.stop() == 0
    assert terminal.succeed("admin", "inbox") == "No mails set aside or held up.\n"
    post.house.engine.dispose()


def set_back_now(post: Post, mail_id: int) -> None:
    """The time is up for which such a mail waits."""
    with writing(post.house.engine) as connection:
        connection.execute(update(inbox).where(inbox.c.id == mail_id).values(not_before=post.clock()))
