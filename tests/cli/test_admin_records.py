"""Games as files on the command line."""

import gzip
import json
from typing import Any

import pytest

from pbmserv.rendering.record import record_of
from pbmserv.services.app import utc_now
from pbmserv.services.views import load_board
from tests.cli.terminal import Terminal


@pytest.fixture
def over(club: Terminal) -> Terminal:
    """The game of alice and bob is over."""
    club.succeed("admin", "as", "bob", "move 101 a1")
    club.succeed("admin", "as", "alice", "resign 101", "--yes")
    return club


def record(terminal: Terminal, board: int = 101) -> Any:
    """A board's record."""
    post = terminal.post()
    seen = load_board(post.house, board)
    assert seen is not None
    found = record_of(seen.board, post.house.server)
    post.house.engine.dispose()
    return found


def copies(terminal: Terminal, *days: str) -> list[Any]:
    """The game as if it had begun on other days, of players who are called otherwise."""
    game = record(terminal)
    game["players"] = [{**each, "userid": f"{each['userid']}2"} for each in game["players"]]
    return [{**game, "started": f"2025-01-{day}T12:00:00Z"} for day in days]


NAMES = ("--player", "alice2=alice", "--player", "2=bob")


def test_one_record_in_many_lines(over: Terminal) -> None:
    (game,) = copies(over, "01")
    (over.folder / "game.json").write_text(json.dumps(game, indent=1))
    assert over.succeed("admin", "import", "game.json", *NAMES) == "record 1 is board 102\n"
    assert record(over, 102)["rated"] is False
    again = over.run("admin", "import", "game.json", *NAMES)
    assert again.code == 1
    told = ["record 1: that game is here already, as board 102", "pbmserv: 0 of 1 records were imported"]
    assert again.err.splitlines() == told


def test_many_records_of_which_one_is_wrong(over: Terminal) -> None:
    """The others are taken, packed or not; `--rated` is heeded."""
    games = copies(over, "01", "02", "03")
    games[1]["game"] = "ludo"
    lines = "\n".join(map(json.dumps, games)) + "\n"
    (over.folder / "games.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    done = over.run("admin", "import", "games.jsonl.gz", *NAMES, "--rated")
    assert (done.code, done.out) == (1, "record 1 is board 102\nrecord 3 is board 103\n")
    assert done.err.startswith("record 2: ")
    assert done.err.endswith("pbmserv: 2 of 3 records were imported\n")
    assert record(over, 103)["rated"] is True


def test_what_is_no_record(over: Terminal) -> None:
    """One sentence each."""
    game = json.dumps(copies(over, "01")[0])
    for content, told in (
        (b"", "is not JSON"),
        (b"hello", "is not JSON"),
        (b"[" * 100_000, "is not JSON"),
        (f"{game}\nhello\n".encode(), "line 2 of file is not JSON"),
        (b"\x1f\x8bhello", "cannot be read"),
        (gzip.compress(game.encode())[:-20], "cannot be read"),
        (b"\xff\xfe", "is not JSON"),
    ):
        (over.folder / "file").write_bytes(content)
        done = over.run("admin", "import", "file", *NAMES)
        assert (done.code, told in done.sentence) == (1, True), (content[:20], done.err)
    assert "cannot be read: No such file" in over.run("admin", "import", "nothing").sentence
    assert over.run("admin", "import", "file", "--player", "alice").code == 2


def test_a_month(over: Terminal) -> None:
    """Into the data folder, or another one; not over a file that is there."""
    month = f"{utc_now():%Y-%m}"
    told = over.succeed("admin", "dump", month)
    assert told == f"1 game in data/records/{month}.jsonl.gz.\n"
    packed = over.folder / "data" / "records" / f"{month}.jsonl.gz"
    assert json.loads(gzip.decompress(packed.read_bytes())) == record(over)
    again = over.run("admin", "dump", month)
    assert (again.code, "already exists: use --again" in again.sentence) == (1, True)
    over.succeed("admin", "dump", month, "--again")
    over.succeed("admin", "dump", month, "--to", "elsewhere")
    assert (over.folder / "elsewhere" / packed.name).read_bytes() == packed.read_bytes()
    assert over.succeed("admin", "dump", "1999-12") == "No game ended in 1999-12.\n"
    assert over.run("admin", "dump", "May").sentence == "pbmserv: May is no month, such as 2026-11"
    # Of the last month, which is over.
    assert over.succeed("admin", "dump").startswith("No game ended in ")


def test_what_unpacks_without_end(over: Terminal) -> None:
    """A small file that would fill the memory is refused in one sentence, packed or not."""
    (over.folder / "bomb.gz").write_bytes(gzip.compress(b" " * 50_000_000))
    done = over.run("admin", "import", "bomb.gz")
    assert done.code == 1
    assert done.err == "pbmserv: line 1 of bomb.gz is longer than 4 MiB\n"
    (over.folder / "lines.gz").write_bytes(gzip.compress(b"{\n" + b" 1,\n" * 3_000_000))
    done = over.run("admin", "import", "lines.gz")
    assert done.code == 1
    assert done.err == "pbmserv: lines.gz is not JSON with one record a line\n"
