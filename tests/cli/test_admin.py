"""The operator's commands: tables for people, JSON for scripts, one sentence and an exit code for what fails."""

import csv
import io
import json
import re
import unicodedata
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from unittest.mock import patch

import pytest

import pbmserv.cli
from pbmserv.cli.terminal import HarmlessConsole
from pbmserv.matches.log import Match
from pbmserv.matches.replay import GameState, replay
from pbmserv.store import inbox, outbox
from pbmserv.store.engine import writing
from pbmserv.store.outbox import MailKeys, OutboxMessage
from tests.cli.terminal import Terminal

NASTY = "[/] [bold]x[/red] [link=x]"
"""What a hostile sender or a chatty relay can have printed: markup of our own tables."""


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    """Terminals in which no cell of a table is broken."""
    monkeypatch.setattr("pbmserv.cli.terminal.out", HarmlessConsole(width=300))


def test_no_board_no_player_no_mail(terminal: Terminal) -> None:
    terminal.put_database()
    for words, told in (
        (("games",), "No boards."),
        (("players",), "No players."),
        (("inbox",), "No mails set aside or held up."),
        (("inbox", "--all"), "No mails."),
        (("outbox",), "No outgoing mails."),
        (("check",), "No differences."),
    ):
        assert terminal.succeed("admin", *words) == f"{told}\n"
        assert terminal.run("admin", *words, "--json").rows == []
        assert terminal.succeed("admin", *words, "--csv") == ""


def test_without_a_schema_one_sentence(terminal: Terminal) -> None:
    commands = (
        "games",
        "players",
        "inbox",
        "outbox",
        "trace alice",
        "check",
        "show 101",
        "resend 101",
        "password alice",
        "as a b",
    )
    for words in commands:
        done = terminal.run("admin", *words.split(), stdin="tahini\n")
        assert done.code == 75, words
        assert "there is no database" in done.sentence


def test_games(club: Terminal) -> None:
    club.succeed("admin", "as", "alice", "challenge alice bob --unrated")
    club.succeed("admin", "as", "alice", "resign 102", "--yes")
    found = club.run("admin", "games", "--json").rows
    assert [row["board"] for row in found] == [101]
    assert found[0] | {"last_at": ""} == {
        "board": 101,
        "game": "cephalopod -size=3x3",
        "players": ["alice", "bob"],
        "status": "active",
        "to_move": "bob",
        "plies": 1,
        "last_move": "B2",
        "last_at": "",
    }
    assert datetime.fromisoformat(found[0]["last_at"]).tzinfo is not None

    def boards(*words: str) -> list[int]:
        return [row["board"] for row in club.run("admin", "games", *words, "--json").rows]

    assert boards("--filter", "all") == [102, 101]
    assert boards("--filter", "all", "--count", "1") == [102]
    assert boards("--filter", "inactive") == [102]
    assert boards("--filter", "next", "--player", "BOB") == [101]
    assert boards("--filter", "next", "--player", "alice") == []
    assert boards("--player", "alice", "--player", "bob") == [101]
    assert boards("--player", "zoe") == []
    assert boards("--game", "ludo") == []
    assert "alice, bob" in club.succeed("admin", "games")


def test_a_listing_for_a_pipe_is_plain(club: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    """A row is a line however long it is, below the names, and nothing is drawn."""
    monkeypatch.setattr("pbmserv.cli.terminal.out", HarmlessConsole(width=20))
    heads, row = club.succeed("admin", "games").splitlines()
    assert heads.split() == ["board", "game", "players", "status", "to_move", "plies", "last_move", "last_at"]
    assert row.split()[:5] == ["101", "cephalopod", "-size=3x3", "alice,", "bob"]
    assert row.index("alice") == heads.index("players")


def test_a_listing_as_csv(club: Terminal) -> None:
    """Names first, then the values as they are, quoted where they must be, and none of them a formula."""
    club.succeed("admin", "ban", "@spam.example", "--reason", 'it said "win",\ntwice')
    told = club.succeed("admin", "banned", "--csv")
    heads, row = csv.reader(io.StringIO(told))
    assert heads == ["who", "since", "reason"]
    assert (row[0], row[2]) == ("'@spam.example", 'it said "win",\ntwice')
    assert datetime.fromisoformat(row[1]).tzinfo is not None
    assert (
        club.succeed("admin", "games", "--csv").splitlines()[1].startswith("101,cephalopod -size=3x3,alice bob,")
    )


@pytest.mark.parametrize("words", [["--filter", "some"], ["--count", "0"], ["--count", "many"], ["--nonsense"]])
def test_wrong_usage(club: Terminal, words: list[str]) -> None:
    assert club.run("admin", "games", *words).code == 2


def test_show(club: Terminal) -> None:
    assert "It is bob's turn." in club.succeed("admin", "show", "101")
    found = club.run("admin", "show", "101", "--json").rows
    assert found == {
        "board": 101,
        "rules": "cephalopod/1-variant",
        "options": {"size": "3x3"},
        "players": ["alice", "bob"],
        "status": "active",
        "to_move": "bob",
        "turns": [{"ply": 1, "seat": 0, "move": "B2"}],
    }
    done = club.run("admin", "show", "102")
    assert (done.code, done.sentence) == (1, "pbmserv: there is no board 102")


def test_players(club: Terminal) -> None:
    assert club.run("admin", "players", "--json").rows == [
        {"userid": "alice", "address": "alice@example.org"},
        {"userid": "bob", "address": "bob@example.org"},
    ]


def test_resend(club: Terminal) -> None:
    assert club.succeed("admin", "resend", "101") == "Board 101 is queued for alice, bob.\n"
    assert club.succeed("admin", "resend", "101", "--to", "BOB") == "Board 101 is queued for bob.\n"
    waiting = club.run("admin", "outbox", "--json", "--count", "3").rows
    assert [(row["to"], row["kind"], row["board"]) for row in waiting] == [
        ("bob@example.org", "board", 101),
        ("bob@example.org", "board", 101),
        ("alice@example.org", "board", 101),
    ]
    for words in (["102"], ["101", "--to", "zoe"], ["102", "--to", "alice"]):
        done = club.run("admin", "resend", *words)
        assert done.code == 1
        assert "there is no board 102" in done.sentence or "zoe does not play on board 101" in done.sentence


def test_as(club: Terminal) -> None:
    done = club.run("admin", "as", "bob", "move 101 c3")
    assert done.code == 0
    assert "You played C3 on board 101." in done.out
    done = club.run("admin", "as", "bob", "move 101 a1")
    assert done.code == 1
    assert "It is alice's turn" in done.out
    assert done.err == ""
    for userid, line in (("zoe", "list"), ("bob", "hello"), ("bob", NASTY), (NASTY, "list")):
        done = club.run("admin", "as", userid, line)
        assert (done.code, done.out) == (1, "")
        assert done.sentence


def test_password(club: Terminal) -> None:
    assert club.succeed("admin", "password", "alice", stdin="tahini\n") == "alice has a new password.\n"
    assert club.succeed("admin", "password", "alice", stdin="tahini2") == "alice has a new password.\n"
    for userid, stdin, told in (
        ("zoe", "tahini\n", "nobody is called zoe"),
        ("alice", "", "one word of 4 to 72"),
        ("alice", "\n", "one word of 4 to 72"),
        ("alice", "two words\n", "one word of 4 to 72"),
    ):
        done = club.run("admin", "password", userid, stdin=stdin)
        assert done.code == 1
        assert told in done.sentence
    post = club.post()
    (letter,) = post.mail("alice@example.org", "as alice tahini2", "list")
    assert b"The games here" in letter.raw
    post.house.engine.dispose()


def set_aside(terminal: Terminal, sender: str = "alice@example.org", error: str = "Bug") -> int:
    """A mail that was set aside."""
    post = terminal.post()
    with writing(post.house.engine) as connection:
        mail_id = inbox.add(
            connection, inbox.NewMail(b"raw", sender, [], sender), datetime(2026, 1, 1, tzinfo=UTC)
        )
        inbox.fail(connection, mail_id, error, None)
    post.house.engine.dispose()
    return mail_id


def test_inbox_and_retry(club: Terminal) -> None:
    mail_id = set_aside(club)
    (row,) = club.run("admin", "inbox", "--json").rows
    assert row == {
        "id": mail_id,
        "kept_at": "2026-01-01T00:00:00+00:00",
        "sender": "alice@example.org",
        "status": "set aside",
        "tries": 1,
        "kills": 0,
        "setbacks": 0,
        "not_before": None,
        "outcome": "",
        "error": "Bug",
    }
    assert len(club.run("admin", "inbox", "--all", "--json").rows) == 5
    assert len(club.run("admin", "inbox", "--all", "--count", "2", "--json").rows) == 2
    assert "set aside" in club.succeed("admin", "inbox")
    assert "waits to be handled again" in club.succeed("admin", "inbox", "retry", str(mail_id))
    done = club.run("admin", "inbox", "retry", str(mail_id))
    assert done.code == 1
    assert f"no mail {mail_id} is set aside" in done.sentence
    assert club.run("admin", "inbox", "retry", "first").code == 2
    assert club.run("admin", "inbox", "--json").rows == []


def test_outbox(club: Terminal) -> None:
    rows = club.run("admin", "outbox", "--json").rows
    assert [row["id"] for row in rows] == sorted((row["id"] for row in rows), reverse=True)
    assert {row["status"] for row in rows} == {"waiting"}
    assert club.run("admin", "outbox", "--status", "sent", "--json").rows == []
    assert club.run("admin", "outbox", "--status", "bounced").code == 1
    assert club.run("admin", "outbox", "--status", "lost").code == 2
    assert len(club.run("admin", "outbox", "--status", "waiting", "--count", "2", "--json").rows) == 2


def test_filters_and_their_exit_codes(club: Terminal) -> None:
    """0 where something is found, 1 where nothing is, 2 where the question is wrong."""
    rows = club.run("admin", "inbox", "--all", "--json").rows
    last = rows[0]
    assert last["outcome"].endswith(".")
    assert club.run("admin", "inbox", "--from", last["sender"], "--json").rows[0] == last
    assert club.run("admin", "inbox", "--since", "1h", "--json").rows == rows
    nothing = ["--from", "nobody@example.org"], ["--board", "999"], ["--since", "2100-01-01"]
    assert [club.run("admin", "inbox", *words).code for words in nothing] == [1, 1, 1]
    assert club.run("admin", "inbox").code == 0
    assert club.run("admin", "inbox", "--since", "soon").code == 2
    letters = club.run("admin", "outbox", "--json").rows
    to = letters[0]["to"]
    found = club.run("admin", "outbox", "--to", to, "--board", "101", "--since", "1h", "--json").rows
    assert found == [row for row in letters if row["to"] == to and row["board"] == 101]
    assert club.run("admin", "outbox", "--to", "nobody@example.org").code == 1


def test_trace(club: Terminal) -> None:
    """A mail, a board, a player; in a table, or for scripts."""
    letter = club.run("admin", "outbox", "--board", "101", "--json").rows[0]
    (taken_in, entry, effect, out, *_) = club.run("admin", "trace", f"mail={letter['mail']}", "--json").rows
    assert [taken_in["step"], entry["step"], effect["step"], out["step"]] == ["in", "entry", "effect", "out"]
    assert (taken_in["address"], entry["told"]) == ("alice@example.org", "played B2 (seat 1)")
    assert (effect["status"], out["status"], out["board"]) == ("handled", "waiting", 101)
    assert "played B2 (seat 1)" in club.succeed("admin", "trace", "board=101")
    assert club.run("admin", "trace", "bob", "--since", "2100-01-01").code == 1
    assert club.run("admin", "trace", "board=999").code == 1
    done = club.run("admin", "trace", "carol")
    assert (done.code, done.sentence) == (
        1,
        "pbmserv: nobody is called carol; `pbmserv admin players` lists everybody",
    )


def test_what_others_wrote_is_only_text(club: Terminal) -> None:
    """An address, a relay's words: nothing in them is taken for a colour, and nothing breaks the table."""
    mail_id = set_aside(club, NASTY, NASTY)
    post = club.post()
    with writing(post.house.engine) as connection:
        outbox.queue(
            connection, [OutboxMessage("n", "answer", True, NASTY, "", "", b"", keys=MailKeys("n"))], post.clock()
        )
    last = post.letters()[-1]
    with writing(post.house.engine) as connection:
        outbox.mark_failed(connection, last.id, NASTY)
    post.house.engine.dispose()
    assert club.succeed("admin", "inbox").count(NASTY) == 2
    assert club.succeed("admin", "outbox").count(NASTY) == 2
    assert str(mail_id) in club.succeed("admin", "inbox")


UNSEEN = "\x1b[2J\x7f\x9b\u202e\u2066\u200b\u2028\U000e0041"


@pytest.mark.parametrize("form", [(), ("--json",), ("--csv",)])
def test_what_others_wrote_moves_no_cursor_and_turns_no_line(club: Terminal, form: tuple[str, ...]) -> None:
    """Whatever a terminal would obey, or not show, is written out, in each form of a listing."""
    set_aside(club, f"a{UNSEEN}b@x.test", f"no{UNSEEN}t")
    told = club.succeed("admin", "inbox", *form)
    assert not set(UNSEEN) & (set(told) - set("[2J"))
    assert "no\\u001b[2J\\u007f\\u009b\\u202e\\u2066\\u200b\\u2028\\udb40\\udc41t" in told
    if form == ("--json",):
        assert json.loads(told)[0]["error"] == f"no{UNSEEN}t"


@pytest.mark.parametrize("begin", ["=", "+", "-", "@", "\t=", "\r=", "\n=", "\uff1d", "\uff20"])
def test_no_cell_is_a_formula(club: Terminal, begin: str) -> None:
    set_aside(club, f'{begin}HYPERLINK("https://x.test")', f"{begin}1+1")
    heads, row = csv.reader(io.StringIO(club.succeed("admin", "inbox", "--csv")))
    cells = dict(zip(heads, row, strict=True))
    for name in ("sender", "error"):
        assert unicodedata.normalize("NFKC", cells[name])[0] in "'\\", cells


def test_there_is_one_way_to_the_terminal() -> None:
    """All that the command line prints goes through its two consoles, which make it harmless."""
    folder = Path(pbmserv.cli.__file__).parent
    ways = re.compile(
        r"(?<!>>> )\bprint\(|\bConsole\(|click\.(?:echo|secho)\(|sys\.(?:stdout|stderr)\.write|csv\.writer"
    )
    found = {
        (file.name, way[0])
        for file in folder.rglob("*.py")
        for way in ways.finditer(re.sub(r"\b(?:out|err)\.print\(", "", file.read_text()))
    }
    assert found == {
        ("main.py", "click.echo("),  # our own help
        ("lazy.py", "click.echo("),  # what a shell reads
        ("receive.py", "print("),  # made harmless there, without what tables need
        ("admin_games.py", "sys.stdout.write"),  # an SVG
        ("terminal.py", "csv.writer"),
    }


def test_a_check_that_is_interrupted_says_where_to_go_on(club: Terminal) -> None:
    post = club.post()
    for _ in range(2):
        post.mail("alice@example.org", "as alice sesame", "challenge alice bob")
    with post.house.engine.begin() as connection:
        connection.exec_driver_sql("UPDATE matches SET plies = 7")
    replayed = count()

    def replay_two(match: Match) -> GameState:
        if next(replayed) == 2:
            raise KeyboardInterrupt
        return replay(match)

    with patch("pbmserv.services.admin.check.replay", replay_two):
        done = club.run("admin", "check", "--json")
    assert done.code == 1
    assert [row["board"] for row in done.rows] == [101, 102]
    assert "Interrupted. To go on: pbmserv admin check --from 103" in done.err
    done = club.run("admin", "check", "--json", "--from", "103")
    assert [row["board"] for row in done.rows] == [103]
    assert "Interrupted" not in done.err
    assert club.run("admin", "check", "--rebuild", "--from", "103").code == 2
    assert club.run("admin", "check", "--rebuild").code == 0
    post.house.engine.dispose()


def test_check(club: Terminal) -> None:
    assert club.succeed("admin", "check") == "No differences.\n"
    post = club.post()
    with post.house.engine.begin() as connection:
        connection.exec_driver_sql("UPDATE matches SET plies = 7")
    done = club.run("admin", "check", "--json")
    assert done.code == 1
    assert [row["board"] for row in done.rows] == [101]
    done = club.run("admin", "check", "--rebuild")
    assert done.code == 0
    assert "1 summaries were rewritten." in done.err
    assert club.run("admin", "check").code == 0
    with post.house.engine.begin() as connection:
        connection.exec_driver_sql("UPDATE entries SET text = 'Z9'")
    for words in (["--rebuild"], [], ["--json"]):
        done = club.run("admin", "check", *words)
        assert done.code == 1, "a log that does not replay cannot be mended"
        assert "entry 1 is no move here" in done.out
    post.house.engine.dispose()
