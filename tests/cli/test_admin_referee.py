"""`pbmserv admin end`, `undo`, `extend`, `pause`, `resume`, `ban`, `unban`, `announce`."""

from unittest.mock import patch

import pytest
from rich.console import Console

from pbmserv.cli import admin_referee
from pbmserv.store import ratings
from tests.cli.terminal import Terminal


def status(club: Terminal) -> tuple[str, int]:
    """How board 101 stands, and its plies."""
    (row,) = club.run("admin", "games", "--filter", "all", "--json").rows
    return row["status"], row["plies"]


def test_a_game_is_ended_and_goes_on(club: Terminal) -> None:
    """Each time its players are told; a check finds nothing."""
    assert club.succeed("admin", "end", "101", "--annul", "--reason", "Oops", "--yes") == (
        "Board 101 is void. 2 mails are queued.\n"
    )
    assert status(club) == ("annulled", 1)
    assert "Oops" in club.post().letters()[-1].raw.decode()
    assert club.succeed("admin", "end", "101", "--award", "bob", "--yes").startswith("Board 101 is won by bob.")
    assert status(club) == ("finished", 1)
    assert club.succeed("admin", "undo", "101", "--yes").startswith(
        "Board 101 stands as after ply 1; bob is to move."
    )
    assert club.succeed("admin", "undo", "101", "0", "--yes").startswith(
        "Board 101 stands as after ply 0; alice is to move."
    )
    assert status(club) == ("active", 0)
    assert club.succeed("admin", "check") == "No differences.\n"


@pytest.mark.parametrize("quiet", [0.0, 1000.0])
def test_what_takes_long_shows_how_far_it_is(
    club: Terminal, monkeypatch: pytest.MonkeyPatch, quiet: float
) -> None:
    """To a terminal, after two seconds; when the command has ended all ratings have followed."""
    post = club.post()
    for number in range(102, 106):
        post.mail("alice@example.org", "challenge alice bob -size=3x3")
        post.mail("alice@example.org", f"move {number} b2")
        post.mail("bob@example.org", f"{number} a1")
        post.mail("bob@example.org", f"{number} resign")
    post.house.engine.dispose()
    monkeypatch.setattr(ratings, "STEP", 1)
    monkeypatch.setattr(admin_referee, "QUIET", quiet)
    monkeypatch.setattr("pbmserv.cli.terminal.err", Console(stderr=True, force_terminal=True))
    done = club.run("admin", "end", "102", "--annul", "--yes")
    assert ("counting ratings anew" in done.err) is (quiet == 0.0)
    assert done.out == "Board 102 is void. 2 mails are queued.\n"
    assert club.succeed("admin", "check") == "No differences.\n"


def test_clocks(club: Terminal) -> None:
    """Of one board, or of all that run."""
    assert club.succeed("admin", "extend", "101", "bob", "2") == (
        "Board 101 gives bob 2 days more. 2 mails are queued.\n"
    )
    assert club.succeed("admin", "pause", "--all") == "The clocks of 1 board are stopped.\n"
    assert club.succeed("admin", "pause", "--all") == "The clocks of 0 boards are stopped.\n"
    done = club.run("admin", "pause", "101", "999")
    assert done.code == 1
    assert "pbmserv: the clocks of board 101 stand still already" in done.err
    assert "pbmserv: there is no board 999" in done.err
    assert club.succeed("admin", "resume", "101") == "The clocks of 1 board are set going again.\n"


def test_banning(club: Terminal) -> None:
    assert (
        club.succeed("admin", "ban", "BOB", "--yes") == "bob is banned; void now: board 101. 3 mails are queued.\n"
    )
    assert club.run("admin", "ban", "bob", "--yes").sentence == "pbmserv: bob is banned already"
    assert club.succeed("admin", "unban", "bob") == "bob is no longer banned. 1 mail is queued.\n"
    assert club.succeed("admin", "check") == "No differences.\n"


@pytest.mark.parametrize("words", [("Hello [bold]all[/]",), ()])
def test_announcing(club: Terminal, words: tuple[str, ...]) -> None:
    """From an argument, or from standard input; where nobody can be asked, only with --yes."""
    before = len(club.post().letters())
    done = club.run("admin", "announce", *words, stdin="Hello [bold]all[/]\n")
    assert done.code == 2
    assert "this would go to 2 players: say --yes, or --dry-run to see it" in done.sentence
    shown = club.succeed("admin", "announce", *words, "--dry-run", stdin="Hello [bold]all[/]\n")
    assert shown.startswith("Subject: pbmserv: news\n\n")
    assert "| Hello [bold]all[/]" in shown
    assert shown.endswith("Nothing is sent. It would go to 2 players.\n")
    shown = club.succeed("admin", "announce", *words, "--dry-run", "--board", "101", stdin="Hello [bold]all[/]\n")
    assert "Board 101: alice vs bob" in shown
    assert shown.endswith("It would go to 2 players.\n")
    assert len(club.post().letters()) == before
    told = club.succeed("admin", "announce", *words, "--yes", stdin="Hello [bold]all[/]\n")
    assert told == "2 mails are queued.\n"
    assert [letter.recipient for letter in club.post().letters()[-2:]] == ["alice@example.org", "bob@example.org"]
    assert b"| Hello [bold]all[/]" in club.post().letters()[-1].raw
    assert club.succeed("admin", "announce", "Hi", "--board", "101") == "2 mails are queued.\n"


def test_announcing_at_a_terminal_is_asked_before(club: Terminal) -> None:
    """With the number of mails; `--yes` is not asked."""
    before = len(club.post().letters())
    with patch("pbmserv.cli.terminal.is_terminal", return_value=True):
        done = club.run("admin", "announce", "Hello", stdin="n\n")
        assert "Send to 2 players?" in done.out
        assert done.sentence == "pbmserv: nothing was announced"
        assert len(club.post().letters()) == before
        assert "2 mails are queued." in club.succeed("admin", "announce", "Hello", stdin="y\n")
        assert club.succeed("admin", "announce", "Hello", "--yes") == "2 mails are queued.\n"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("end", "101"), "use either --annul or --award USERID"),
        (("end", "101", "--annul", "--award", "bob"), "use either --annul or --award USERID"),
        (("pause",), "name boards, or say --all"),
        (("resume", "101", "--all"), "name boards, or say --all"),
        (("announce",), "there is nothing to announce"),
    ],
)
def test_usage(club: Terminal, words: tuple[str, ...], sentence: str) -> None:
    done = club.run("admin", *words)
    assert (done.code, done.sentence) == (2, f"pbmserv: {sentence}")


@pytest.mark.parametrize(
    "words",
    ["end 999 --annul", "undo 999", "extend 101 zoe 3", "ban zoe", "unban bob", "announce Hello --board 999"],
)
def test_what_cannot_be(club: Terminal, words: str) -> None:
    """One sentence, and exit code 1."""
    done = club.run("admin", *words.split())
    assert done.code == 1
    assert done.sentence.startswith("pbmserv: ")


def test_addresses_and_domains(club: Terminal) -> None:
    """Their mail has no effect; the players there are named, and their games go on."""
    told = club.succeed("admin", "ban", "@example.org", "--reason", "Forged")
    assert told == (
        "Mail from @example.org no longer has any effect, and gets no answer.\n"
        "Players with an address there: alice, bob. Their games go on; `ban USERID` would end them.\n"
    )
    assert club.succeed("admin", "ban", "Eve@Spam.example").count("\n") == 1
    post = club.post()
    assert [post.mail(each, "101 resign") for each in ("bob@example.org", "bob@lists.example.org")] == [[], []]
    assert post.mail("bobby@notexample.org", "signup bobby sesame"), "another domain that ends alike"
    assert status(club) == ("active", 1)
    club.succeed("admin", "ban", "bob", "--yes")
    assert [row["who"] for row in club.run("admin", "banned", "--json").rows] == [
        "bob", "@example.org", "eve@spam.example",
    ]  # fmt: skip
    for words, told in (
        ("ban @example.org", "@example.org is banned already"),
        ("ban @com", "@com is neither an address nor a domain such as @spam.example"),
        ("ban @localhost", "@localhost is neither an address nor a domain such as @spam.example"),
        ("ban pbmserv@localhost", "pbmserv@localhost is neither an address nor"),
        ("unban alice@example.org", "alice@example.org is not banned, but @example.org is"),
    ):
        done = club.run("admin", *words.split())
        assert (done.code, told in done.sentence) == (1, True), done.err
    assert club.succeed("admin", "unban", "@EXAMPLE.org") == "@example.org is no longer banned.\n"
    assert club.post().mail("alice@example.org", "help")


@pytest.mark.parametrize("words", ["end 101 --annul", "pause --all", "ban bob", "announce Hello"])
def test_without_a_schema_one_sentence(terminal: Terminal, words: str) -> None:
    done = terminal.run("admin", *words.split())
    assert done.code == 75
    assert "there is no database" in done.sentence
