"""The program says what an operator cannot undo before it does it, and asks; a script says --yes."""

from unittest.mock import patch

import pytest

from tests.cli.terminal import Terminal
from tests.cli.test_admin import set_aside

BOTH = "Mail goes to alice@example.org, bob@example.org.\n"
LEFT = "Board 101 (alice, bob), after ply 1: The game is over: bob wins, since alice has resigned.\n"

FIRST = "Board 101 (alice, bob), after ply"

FINAL = {
    ("as", "alice", "delete"): f"{LEFT}The account of alice is erased.\nMail goes to bob@example.org.\n",
    ("as", "alice", "signoff"): LEFT + BOTH,
    ("as", "alice", "resign 101"): LEFT + BOTH,
    ("ban", "alice"): LEFT.replace("has resigned", "was taken off the board by the operator")
    + f"alice is banned.\n{BOTH}",
    ("end", "101", "--annul"): f"{FIRST} 1: The operator has made this game void. It counts for nobody.\n{BOTH}",
    ("end", "101", "--award", "bob"): (
        f"{FIRST} 1: The game is over: the operator has given the win to bob.\n{BOTH}"
    ),
    ("undo", "101"): f"{FIRST} 0: It is alice's turn.\n{BOTH}",
    ("inbox", "discard", "5"): "Mail 5 is erased.\nNobody gets mail.\n",
}


def shown(club: Terminal) -> tuple[str, ...]:
    """What each of these commands would change."""
    return tuple(club.succeed("admin", *each.split(), "--json") for each in ("outbox", "inbox --all"))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("words", FINAL)
def test_what_is_final_is_told_and_asked(club: Terminal, words: tuple[str, ...]) -> None:
    set_aside(club)
    told, before = FINAL[words], shown(club)
    assert club.succeed("admin", *words, "--dry-run") == f"{told}Nothing is done.\n"
    assert club.succeed("admin", *words, "--dry-run", "--yes") == f"{told}Nothing is done.\n"
    refused = club.run("admin", *words, stdin="y\n")
    assert (refused.code, refused.out) == (2, "")
    assert refused.sentence == "pbmserv: this cannot be undone: say --yes, or --dry-run to see it"
    with patch("pbmserv.cli.terminal.is_terminal", return_value=True):
        declined = club.run("admin", *words, stdin="n\n")
        assert (declined.code, declined.sentence) == (1, "pbmserv: nothing was done")
        assert declined.out.startswith(told)
        assert shown(club) == before
        assert club.run("admin", *words, stdin="y\n").code == 0
    assert shown(club) != before
    assert club.succeed("admin", "check") == "No differences.\n"


def test_what_can_be_taken_back_asks_nothing(club: Terminal) -> None:
    """A move, a look, what is refused, a ban of an address."""
    for words in (("as", "bob", "help"), ("ban", "@spam.example")):
        assert club.run("admin", *words).code == 0
    told = f"{FIRST} 2: It is alice's turn.\n{BOTH}"
    assert club.succeed("admin", "as", "bob", "move 101 a1", "--dry-run") == f"{told}Nothing is done.\n"
    assert club.run("admin", "as", "bob", "move 101 a1").code == 0
    refused = club.run("admin", "as", "bob", "resign 999", "--dry-run")
    assert refused.code == 1
    assert "999" in refused.out


@pytest.mark.parametrize("who", ["@example.org", "alice@example.org"])
def test_a_ban_of_an_address_is_rehearsed_too(club: Terminal, who: str) -> None:
    """It asks nobody, but does nothing either where it is only to be seen."""
    told = club.succeed("admin", "ban", who, "--dry-run")
    assert told.startswith(f"Mail from {who} no longer has any effect")
    assert told.endswith("Nothing is done.\n")
    assert "example.org" not in club.succeed("admin", "banned")
    assert club.succeed("admin", "ban", who) == told.removesuffix("Nothing is done.\n")
    assert who in club.succeed("admin", "banned")


def test_a_ban_is_told_where_it_changes_no_board(club: Terminal) -> None:
    post = club.post()
    post.people(zoe="saffron")
    post.house.engine.dispose()
    told = club.succeed("admin", "ban", "zoe", "--dry-run")
    assert told == "zoe is banned.\nMail goes to zoe@example.org.\nNothing is done.\n"
