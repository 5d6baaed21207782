"""Trying it out: `pbmserv mail` and `pbmserv demo`, and what they say when there is nobody to talk to."""

import re
from collections.abc import Callable, Iterator
from email import message_from_bytes, policy
from pathlib import Path

import pytest

from pbmserv.cli import try_out
from pbmserv.commands.server import Server
from pbmserv.mail.sending.maildir import Maildir
from pbmserv.mail.sending.transport import Outgoing
from pbmserv.server.listener import Listener
from pbmserv.services.posting import PostedOutcome
from tests.cli.terminal import Terminal
from tests.conftest import ADDRESS
from tests.free_port import free_port
from tests.mail.keeping import keep_nothing
from tests.mail.one_by_one import deliver_one
from tests.test_random_game import whole_server

ALICE = ("--from", "alice@example.org")


@pytest.mark.slow
def test_demo_plays_a_whole_game(terminal: Terminal) -> None:
    """In a server of its own, in a folder of its own: nothing is left behind."""
    done = terminal.run("demo")
    assert done.code == 0, done.err
    assert "Welcome, alice!" in done.out
    assert "Four in a Row Board 101: alice vs bob" in done.out
    played = re.findall(r"(?m)^You played (\w+)(?:\. It is (?:alice|bob)'s turn\.| and won!)$", done.out)
    assert played == try_out.DEMO_GAME.upper().split()
    assert "alice played A1 and won." in done.out
    assert "a whole game by mail, in" in done.out.splitlines()[-1]
    assert [*terminal.folder.iterdir()] == []


def test_demo_is_not_disturbed_by_the_settings_of_a_server(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever runs it where a server is set up neither reaches that server's people nor its data."""
    monkeypatch.setattr(try_out, "DEMO_GAME", "d1 b1")
    (terminal.folder / "pbmserv.toml").write_text(
        'address = "games@club.example.org"\nout = "smtp://pbm@127.0.0.1:1"\nout_password = "secret"\n'
        'database = "postgresql://nobody@127.0.0.1:1/n"\ndelimiter = ""\nconfirm = "ask"\nsite_url = "https://x.example"'
    )
    done = terminal.run("demo")
    assert done.code == 0, done.err
    assert "You played B1" in done.out
    assert "club.example.org" not in done.out


def test_demo_with_settings_that_are_wrong(terminal: Terminal) -> None:
    terminal.settings["PBMSERV_MAX_SIZE"] = "many"
    done = terminal.run("demo")
    assert done.code == 78
    assert "PBMSERV_MAX_SIZE" in done.sentence


@pytest.fixture
def silent_listener(terminal: Terminal) -> Iterator[Listener]:
    """A server that takes mails and never answers."""
    listener = Listener("smtp://127.0.0.1:0", Server("pbmserv@localhost"), keep_nothing)
    listener.start()
    terminal.settings["PBMSERV_LISTEN"] = listener.url
    yield listener
    listener.stop()


@pytest.fixture
def handed_over(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """The mails that were sent, to a server that is not there; nobody waits for its answer."""
    mails: list[bytes] = []
    monkeypatch.setattr(try_out, "hand_over", lambda url, address, sender, raw: mails.append(raw))
    monkeypatch.setattr(try_out, "PATIENCE", 0)
    return mails


def test_no_answer(terminal: Terminal, handed_over: list[bytes]) -> None:
    done = terminal.run("mail", *ALICE, "help")
    assert done.code == 75
    assert "no answer" in done.err
    assert len(handed_over) == 1


def test_no_server(terminal: Terminal) -> None:
    terminal.settings["PBMSERV_LISTEN"] = f"smtp://127.0.0.1:{free_port()}"
    done = terminal.run("mail", *ALICE, "help")
    assert done.code == 1
    assert "is `make serve` running?" in done.err


def test_a_server_that_refuses(terminal: Terminal, silent_listener: Listener) -> None:
    """It takes no mail for the address that the settings name here."""
    terminal.settings["PBMSERV_ADDRESS"] = "other@club.example.org"
    done = terminal.run("mail", *ALICE, "help")
    assert done.code == 1
    assert "does not take mail" in done.err


@pytest.mark.parametrize("words", [[], [*ALICE], ["help"], ["--read"]])
def test_who_writes_what(terminal: Terminal, words: list[str]) -> None:
    done = terminal.run("mail", *words)
    assert done.code == 2
    assert "say who writes and what" in done.sentence


@pytest.mark.parametrize(
    "sender", ["alice", "a b@c", "alice@example.org\nBcc: eve@example.net", "[/]", "\udcff@x"]
)
def test_a_sender_that_is_none(terminal: Terminal, handed_over: list[bytes], sender: str) -> None:
    done = terminal.run("mail", "--from", sender, "help")
    assert done.code == 2
    assert handed_over == []
    assert "is no mail address" in done.sentence


@pytest.mark.parametrize("subject", ["two\nlines", "odd \udcff", "[/] [bold]", "\u00fc" * 500])
def test_any_subject(terminal: Terminal, handed_over: list[bytes], subject: str) -> None:
    assert terminal.run("mail", *ALICE, subject, subject).code == 75
    (raw,) = handed_over
    assert b"From: alice@example.org\r\n" in raw


def test_answers_that_go_elsewhere(terminal: Terminal) -> None:
    terminal.settings |= {"PBMSERV_OUT": "smtp://127.0.0.1:1"}
    done = terminal.run("mail", *ALICE, "help")
    assert done.code == 78
    assert "not into a Maildir" in done.sentence


def test_nowhere_to_send_to(terminal: Terminal) -> None:
    terminal.settings["PBMSERV_LISTEN"] = ""
    done = terminal.run("mail", *ALICE, "help")
    assert done.code == 78
    assert "PBMSERV_LISTEN is empty" in done.sentence


def test_nothing_has_arrived(terminal: Terminal) -> None:
    assert terminal.succeed("mail", *ALICE, "--read") == "Nothing has arrived for alice@example.org.\n"


def letter(recipient: str, token: str, subject: str = "Cephalopod Board 101: alice vs bob") -> bytes:
    """A mail of the server, as a relay would be given it."""
    return (
        f"From: pbmserv <pbmserv+{token}@localhost>\r\nTo: {recipient}\r\nSubject: {subject}\r\n"
        "Date: Sat, 21 Nov 2026 12:00:00 +0000\r\n"
        f"Message-ID: <b101.0.{token}@localhost>\r\nReferences: <b101@localhost>\r\n"
        'Content-Type: multipart/alternative; boundary="part"\r\n\r\n'
        "--part\r\nContent-Type: text/plain\r\n\r\nIt is your turn.\r\n\r\n  5  ...\r\n"
        "--part\r\nContent-Type: text/html\r\n\r\n<p>It is your turn, in colours.</p>\r\n--part--\r\n"
    ).encode()


@pytest.fixture
def arrive(terminal: Terminal) -> Callable[[bytes], object]:
    """Delivers a mail into the Maildir that answers go to."""
    maildir = Maildir(terminal.folder / "data" / "outgoing")
    return lambda raw: deliver_one(maildir, Outgoing("pbmserv@localhost", "somebody@example.org", raw))


def test_an_answer_that_waits_for_a_robots_move(
    terminal: Terminal,
    handed_over: list[bytes],
    arrive: Callable[[bytes], object],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It tells the robot's move too, and so may take longer than any other."""
    terminal.put_database()
    looks = iter(range(10))

    def fate(*_: object) -> PostedOutcome:
        if next(looks, None) is None:
            mail = message_from_bytes(handed_over[0], policy=policy.SMTP)
            arrive(f"In-Reply-To: {mail['Message-ID']}\r\n\r\nrobot answered D3.\r\n".encode())
        return PostedOutcome("held", told="You played C3.")

    monkeypatch.setattr(try_out, "_fate", fate)
    monkeypatch.setattr(try_out, "PATIENCE", 0.1)
    assert "robot answered D3." in terminal.succeed("mail", *ALICE, "move 101 c3")


def test_an_answer_is_as_mail_programs_write_it(
    terminal: Terminal, handed_over: list[bytes], arrive: Callable[[bytes], object]
) -> None:
    """To the personal address, in the thread, with the text of the mail quoted below and nothing of its HTML."""
    arrive(letter("Alice@example.org", "aaaa"))
    assert terminal.run("mail", *ALICE, "--answer", "c3\\n\\nGood luck!").code == 75
    (raw,) = handed_over
    mail = message_from_bytes(raw, policy=policy.default)
    assert mail["From"] == "alice@example.org"
    assert mail["To"] == "pbmserv+aaaa@localhost"
    assert mail["Subject"] == "Re: Cephalopod Board 101: alice vs bob"
    assert mail["In-Reply-To"] == "<b101.0.aaaa@localhost>"
    assert mail["References"] == "<b101@localhost> <b101.0.aaaa@localhost>"
    assert mail.get_content().splitlines() == [
        "c3",
        "",
        "Good luck!",
        "",
        "On Sat, 21 Nov 2026 12:00:00 +0000, pbmserv wrote:",
        "> It is your turn.",
        ">",
        ">   5  ...",
    ]


def test_the_newest_mail_to_that_address_is_answered(
    terminal: Terminal, handed_over: list[bytes], arrive: Callable[[bytes], object]
) -> None:
    arrive(letter("alice@example.org", "aaaa"))
    arrive(letter("alice@example.org", "bbbb", subject="Re: pbmserv: help"))
    arrive(letter("bob@example.org", "cccc"))
    terminal.run("mail", *ALICE, "--answer", "list")
    (raw,) = handed_over
    assert b"To: pbmserv+bbbb@localhost\r\n" in raw
    assert b"Subject: Re: pbmserv: help\r\n" in raw


def test_nothing_that_could_be_answered(
    terminal: Terminal, handed_over: list[bytes], arrive: Callable[[bytes], object]
) -> None:
    arrive(letter("bob@example.org", "cccc"))
    done = terminal.run("mail", *ALICE, "--answer", "c3")
    assert done.code == 1
    assert done.sentence.endswith("nothing has arrived for alice@example.org that could be answered")
    assert handed_over == []


@pytest.mark.parametrize("words", [["help"], ["", "c3"]])
def test_an_answer_has_no_subject_of_its_own(
    terminal: Terminal, handed_over: list[bytes], arrive: Callable[[bytes], object], words: list[str]
) -> None:
    arrive(letter("alice@example.org", "aaaa"))
    done = terminal.run("mail", *ALICE, *words, "--answer", "c3")
    assert done.code == 2
    assert "give --answer alone" in done.sentence
    assert handed_over == []


def test_an_answer_where_mail_goes_elsewhere(terminal: Terminal, handed_over: list[bytes]) -> None:
    terminal.settings |= {"PBMSERV_OUT": "smtp://127.0.0.1:1"}
    done = terminal.run("mail", *ALICE, "--answer", "c3")
    assert done.code == 78
    assert "not into a Maildir" in done.sentence
    assert handed_over == []


def test_a_mail_that_brings_no_answer_ends_the_wait(
    terminal: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As soon as it is handled, and what became of it is printed: a second copy, a machine's mail."""
    folder = tmp_path / "data"
    folder.mkdir()
    with whole_server(folder, f"sqlite:///{folder}/pbmserv.db", "from") as (url, _):
        terminal.settings |= {"PBMSERV_LISTEN": url, "PBMSERV_ADDRESS": ADDRESS}
        done = terminal.succeed("mail", "--from", "noreply@example.org", "help")
        assert done.startswith("Nothing was done: no person seems to have written this mail")
        assert "Welcome, alice!" in terminal.succeed("mail", *ALICE, "signup alice sesame").splitlines()[0]


@pytest.mark.slow
def test_answers_prove_who_writes(terminal: Terminal, tmp_path: Path) -> None:
    """Where a From address proves nothing: a sign-up is confirmed, a game begun and played by answers alone."""
    folder = tmp_path / "data"
    folder.mkdir()
    with whole_server(folder, f"sqlite:///{folder}/pbmserv.db", "ask") as (url, _):
        terminal.settings |= {"PBMSERV_LISTEN": url, "PBMSERV_ADDRESS": ADDRESS}

        def mail(who: str, *words: str) -> str:
            return terminal.succeed("mail", "--from", f"{who}@example.org", *words)

        for who in ("alice", "bob"):
            assert "That opens your account" in mail(who, f"signup {who} sesame")
            assert f"Welcome, {who}!" in mail(who, "--answer", "yes")
        begun = " ".join(mail("bob", "--answer", "challenge bob alice -size=3x5").split())
        assert "Your game of Cephalopod with alice has started. Your turn. You have 21 days." in begun
        assert "You played B2" in mail("bob", "--answer", "b2")
        assert "waits for your" in mail("alice", "move 101 a1"), "as every mail that answers nothing"
        assert "You played A2" in mail("alice", "--answer", "a2")
