"""Real processes: a mail comes into the mailbox, its answer goes out."""

import re
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.cli.processes import running, wait_for
from tests.roads.imap.box import Box, mail
from tests.servers.dovecot import PASSWORD, Dovecot

WRONG = "Xy7zzy-Q"


@pytest.fixture
def settings(tmp_path: Path, box: Box) -> dict[str, str]:
    """Those of a server whose mail comes from the mailbox alone."""
    (tmp_path / "password").write_text(f"{PASSWORD}\n")
    return {
        "PBMSERV_DATA": str(tmp_path / "data"),
        "PBMSERV_LISTEN": "",
        "PBMSERV_WEB": "",
        "PBMSERV_IMAP": f"imap://{box.user}@127.0.0.1:{box.server.imap_port}",
        "PBMSERV_IMAP_PASSWORD_FILE": str(tmp_path / "password"),
    }


ASKED = "Hello, alice! Make your first move"


def answers(folder: Path) -> str:
    """All that went out."""
    return "".join(file.read_text() for file in (folder / "data" / "outgoing").glob("new/*"))


def test_serve_answers_mail_from_a_mailbox(box: Box, settings: dict[str, str], tmp_path: Path) -> None:
    """The second mail answers the first answer: its head alone tells that, a mailbox tells of no envelope."""
    box.server.deliver(box.user, mail("signup alice Xy7zzy-R"))
    with running(settings, tmp_path, "serve") as server:
        server.wait_for("Press Ctrl-C to stop it.")
        assert f"imap://{box.user}@127.0.0.1:{box.server.imap_port}/INBOX" in server.log
        wait_for(lambda: ASKED in answers(tmp_path))
        (asked,) = re.findall(r"(?m)^From: (.*)$", answers(tmp_path))
        box.server.deliver(box.user, mail("Re: pbmserv", "yes\r\nlist", To=asked))
        wait_for(lambda: "Welcome, alice!" in answers(tmp_path))
        assert "cephalopod" in answers(tmp_path).lower()
        assert server.stop() == 0
        assert "Traceback" not in server.log
        assert "Xy7zzy" not in server.log
    assert box.subjects("Kept") == ["signup alice Xy7zzy-R", "Re: pbmserv"]


def test_a_poller_by_itself(box: Box, settings: dict[str, str], tmp_path: Path) -> None:
    with running(settings, tmp_path, "migrate") as migration:
        assert migration.end() == 0
    with ExitStack() as stack:
        parts = [stack.enter_context(running(settings, tmp_path, word)) for word in ("poll", "work", "send")]
        box.server.deliver(box.user, mail("signup alice Xy7zzy-R"))
        wait_for(lambda: ASKED in answers(tmp_path))
        for part in parts:
            assert part.stop() == 0
            assert "Traceback" not in part.log
        assert ": stored mail=1 uid=" in parts[0].log


def test_a_server_outlives_a_mailbox_that_refuses_it(
    dovecot: Dovecot, settings: dict[str, str], tmp_path: Path
) -> None:
    del settings["PBMSERV_IMAP_PASSWORD_FILE"]
    settings["PBMSERV_IMAP_PASSWORD"] = WRONG
    with running(settings, tmp_path, "serve") as server:
        server.wait_for("the login is refused")
        assert server.stop() == 0
        assert WRONG not in server.log
        assert "Traceback" not in server.log
