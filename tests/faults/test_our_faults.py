"""A template or a command of ours that raises over one board, in a running server: the operator's way out of it.

The clock is moved on by a file, since the tries of a mail are minutes apart.
"""

import shutil
from pathlib import Path

import pytest

from pbmserv.rendering.templates import templates_folder
from tests.cli.processes import running, wait_for
from tests.cli.terminal import Terminal
from tests.faults import hindered

HINDERED = Path(hindered.__file__)
WAITS = (0, 1, 10, 60, 600)
BOARDS = {"alice": 101, "carol": 102}


@pytest.fixture
def boards(terminal: Terminal) -> Terminal:
    """A server's folder with board 101, which will work, and 102, which will not."""
    terminal.settings |= {
        "PBMSERV_DATA": str(terminal.folder / "data"),
        "PBMSERV_VARIANTS": "true",
        "PBMSERV_CONFIRM": "from",
        "PBMSERV_LISTEN": "",
        "PBMSERV_WEB": "",
    }
    terminal.succeed("migrate")
    post = terminal.post()
    post.people(alice="sesame", bob="poppy", carol="tahini")
    for name in BOARDS:
        post.mail(f"{name}@example.org", f"challenge {name} bob -size=3x3")
    post.house.engine.dispose()
    return terminal


def break_a_template(folder: Path) -> dict[str, str]:
    """The board of 102 cannot be rendered."""
    shutil.copytree(templates_folder(), folder / "templates")
    template = folder / "templates" / "en" / "mail" / "notice.txt"
    template.write_text("{% if view.number == 102 %}{{ no_such_name }}{% endif %}" + template.read_text())
    return {"HINDER_TEMPLATES": str(folder / "templates")}


def break_a_command(folder: Path) -> dict[str, str]:
    """No command about 102 can be carried out."""
    (folder / "board").write_text("102")
    return {"HINDER_BOARD": str(folder / "board")}


def move(sender: str, number: int, text: str) -> bytes:
    """A mail that plays."""
    return (
        f"From: {sender}@example.org\r\nMessage-ID: <{sender}{number}@example.org>\r\n"
        f"Subject: move {number} {text}\r\n\r\n"
    ).encode()


def test_a_command_over_one_board(boards: Terminal) -> None:
    """Tried five times, set aside, its sender told once; others play on; mended and retried, it is done."""
    clock = boards.folder / "clock"
    hindered.write_clock(clock, 0)
    before = mails_to("carol", boards)
    hindrance = break_a_command(boards.folder) | {"HINDER_CLOCK": str(clock)}
    boards.succeed("receive", stdin=move("carol", 102, "b2"))
    with running(boards.settings | hindrance, boards.folder, "serve", program=HINDERED) as server:
        for tries in range(1, len(WAITS) + 1):
            hindered.write_clock(clock, sum(WAITS[:tries]))
            server.wait_for(f" tries={tries} error=")
        server.wait_for("a mail is quarantined")
        boards.succeed("receive", stdin=move("alice", 101, "b2"))
        wait_for(lambda: moves(boards) == {101: "B2", 102: ""})
        wait_for(lambda: all(row["status"] == "sent" for row in rows(boards, "outbox")))
        assert server.stop() == 0
        assert server.log.count("a mail could not be handled") == len(WAITS)
    (aside,) = rows(boards, "inbox")
    assert (aside["status"], aside["tries"]) == ("set aside", 5)
    assert mails_to("carol", boards) == before + 1
    assert boards.succeed("admin", "check") == "No differences.\n"
    assert boards.succeed("admin", "inbox", "retry", str(aside["id"]))
    with running(boards.settings, boards.folder, "serve") as server:
        wait_for(lambda: moves(boards) == {101: "B2", 102: "B2"})
        assert server.stop() == 0
    assert rows(boards, "inbox") == []


def test_a_template_over_one_board(boards: Terminal) -> None:
    """The move stands; the letter is tried and set aside in the end; its reader gets a sentence; others play."""
    clock = boards.folder / "clock"
    hindered.write_clock(clock, 0)
    before = mails_to("bob", boards)
    hindrance = break_a_template(boards.folder) | {"HINDER_CLOCK": str(clock)}
    boards.succeed("receive", stdin=move("carol", 102, "b2"))
    with running(boards.settings | hindrance, boards.folder, "serve", program=HINDERED) as server:
        for tries, wait in enumerate((0, *WAITS[1:]), 1):
            hindered.write_clock(clock, sum(WAITS[:tries]) + wait)
            server.wait_for(f"board=102 tries={tries} error=")
        server.wait_for("a letter is set aside")
        boards.succeed("receive", stdin=move("alice", 101, "b2"))
        wait_for(lambda: moves(boards) == {101: "B2", 102: "B2"})
        wait_for(lambda: all(row["status"] == "sent" for row in rows(boards, "outbox")))
        assert server.stop() == 0
    assert rows(boards, "inbox") == []
    assert mails_to("bob", boards) == before + 2
    assert boards.succeed("admin", "check") == "No differences.\n"


def rows(terminal: Terminal, *words: str) -> list[dict[str, object]]:
    """What `pbmserv admin` lists."""
    found: list[dict[str, object]] = terminal.run("admin", *words, "--json").rows
    return found


def mails_to(name: str, terminal: Terminal) -> int:
    """How many mails were queued for a player."""
    return len([row for row in rows(terminal, "outbox") if row["to"] == f"{name}@example.org"])


def moves(terminal: Terminal) -> dict[object, object]:
    """The last move on each board."""
    return {row["board"]: row["last_move"] for row in rows(terminal, "games")}
