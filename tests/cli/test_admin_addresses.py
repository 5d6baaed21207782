"""`pbmserv admin suspended`, `lift` and `invite`."""

import pytest

from pbmserv.cli.terminal import HarmlessConsole
from pbmserv.services.receive import receive_mail
from tests.cli.terminal import Terminal

BOB = "bob@example.org"


@pytest.fixture
def gone(club: Terminal) -> Terminal:
    """The club, three of whose mails to bob came back."""
    club.succeed("admin", "resend", "101")
    club.succeed("admin", "resend", "101")
    post = club.post()
    for number, letter in enumerate(post.letters()):
        if letter.recipient == BOB and letter.kind == "board":
            reply = f"550 5.1.1 <{BOB}>: [bold]unknown[/] {number % 2}"
            receive_mail(post.house, report(reply), "<>", [letter.envelope_sender], post.clock())
    post.work()
    post.house.engine.dispose()
    return club


def report(reply: str) -> bytes:
    fields = f"Action: failed\nStatus: 5.1.1\nDiagnostic-Code: smtp; {reply}\n"
    return f"From: mailer-daemon@x.example\nContent-Type: message/delivery-status\n\n{fields}".encode()


def test_nobody_is_suspended(club: Terminal) -> None:
    assert club.succeed("admin", "suspended") == "No suspended addresses.\n"
    assert club.run("admin", "suspended", "--json").rows == []


def test_suspended(gone: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    (row,) = gone.run("admin", "suspended", "--json").rows
    assert (row["userid"], row["address"]) == ("bob", BOB)
    assert row["withheld"] == 4
    assert {reason.rpartition(" ")[0] for reason in row["reasons"]} == {f"550 5.1.1 <{BOB}>: [bold]unknown[/]"}
    monkeypatch.setattr("pbmserv.cli.terminal.out", HarmlessConsole(width=300))
    shown = gone.succeed("admin", "suspended")
    assert BOB in shown
    assert "[bold]unknown[/]" in shown
    assert [row["status"] for row in gone.run("admin", "outbox", "--status", "withheld", "--json").rows] == [
        "withheld"
    ] * 4


@pytest.mark.parametrize("whose", ["bob", BOB])
def test_lift(gone: Terminal, whose: str) -> None:
    assert gone.succeed("admin", "lift", whose) == f"Mail to {BOB} is resumed.\n"
    assert gone.run("admin", "suspended", "--json").rows == []
    assert gone.run("admin", "outbox", "--status", "withheld", "--json").rows == []
    again = gone.run("admin", "lift", whose)
    assert again.code == 1
    assert again.sentence.endswith(f"mail to {whose} is not suspended; see `pbmserv admin suspended`")


@pytest.mark.parametrize("words", [("suspended",), ("lift", "bob")])
def test_without_a_schema_one_sentence(terminal: Terminal, words: tuple[str, ...]) -> None:
    done = terminal.run("admin", *words)
    assert done.code == 75
    assert "there is no database" in done.sentence


def test_invite(club: Terminal) -> None:
    said = club.succeed("admin", "invite", "dora@example.org")
    assert said == "An invitation was mailed to dora@example.org; it is valid for 14 days.\n"
    (letter,) = club.post().sent_to("dora@example.org")
    assert (letter.kind, letter.status) == ("invitation", "waiting")


@pytest.mark.parametrize(("address", "why"), [(BOB, "belongs to bob already"), ("dora", "is no mail address")])
def test_nobody_to_invite(club: Terminal, address: str, why: str) -> None:
    done = club.run("admin", "invite", address)
    assert done.code == 1
    assert why in done.sentence
