"""The samples for Postfix: it takes them without a word, and mail goes through them."""

import re
import stat
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from email.message import EmailMessage
from pathlib import Path
from smtplib import SMTPRecipientsRefused

import pytest

from tests.cli.processes import wait_for
from tests.cli.terminal import Terminal
from tests.deploy.samples import PROGRAM, sample
from tests.servers.postfix import DOMAIN, Postfix, running_postfix
from tests.servers.sink import Sink, running_sink

pytestmark = pytest.mark.slow

OURS = f"pbmserv@{DOMAIN}"


def settings(name: str, **places: str) -> dict[str, str]:
    """The lines of a sample of main.cf, for the tests' domain and other places."""
    text = sample(name).replace("club.example.org", DOMAIN)
    for old, new in places.items():
        assert old in text
        text = text.replace(old, new)
    joined = re.sub(r"\n[ \t]+", " ", re.sub(r"(?m)^#.*\n", "", text))
    return dict(re.findall(r"(?m)^(\w+) = (.*)$", joined))


def mail(subject: str) -> bytes:
    """A mail to the server."""
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "alice@example.org", OURS, subject
    message.set_content("hello\n")
    return message.as_bytes()


@dataclass(frozen=True)
class Post:
    """A Postfix with the sample's lines in its main.cf, what stands for pbmserv, and the world."""

    postfix: Postfix
    ours: Sink
    theirs: Sink


@pytest.fixture(scope="module")
def post() -> Iterator[Post]:
    """One for all tests here."""
    with (
        running_sink(lmtp=True) as ours,
        running_sink() as theirs,
        running_postfix(ours.port, theirs.port) as postfix,
    ):
        lines = settings("postfix/main.cf", **{"127.0.0.1:8024": f"127.0.0.1:{ours.port}"})
        assert len(lines) == 6
        postfix.set(**lines)
        yield Post(postfix, ours, theirs)


def said(postfix: Postfix, *command: str) -> str:
    """What one of its programs says, on either stream."""
    done = subprocess.run(
        [command[0], "-c", postfix.config, *command[1:]], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def test_in_front_and_behind(post: Post) -> None:
    """By LMTP to us, whatever the tag; to others from us; strangers' addresses are refused at the door."""
    postfix, ours, theirs = post.postfix, post.ours, post.theirs
    assert said(postfix, "postfix", "check") == ""
    shown = said(postfix, "postconf", "-n")
    assert "warning" not in shown
    assert "virtual_mailbox_maps = inline:{" in shown
    wanted = [OURS, f"pbmserv+tag@{DOMAIN}", f"pbmserv+b.tag@{DOMAIN}", f"postmaster@{DOMAIN}"]
    for recipient in wanted:
        postfix.send(mail("in"), "", recipient)
    with pytest.raises(SMTPRecipientsRefused, match="User unknown"):
        postfix.send(mail("in"), "alice@example.org", f"somebody@{DOMAIN}")
    postfix.send(mail("out"), f"pbmserv+b.tag@{DOMAIN}", "bob@example.org")
    ours.wait_for(len(wanted))
    theirs.wait_for(1)
    postfix.wait_until_empty()
    assert sorted(taken.recipients for taken in ours.mails) == sorted((each,) for each in wanted)
    (out,) = theirs.mails
    assert (out.sender, out.recipients) == (f"pbmserv+b.tag@{DOMAIN}", ("bob@example.org",))


@pytest.fixture
def pipe() -> Iterator[Path]:
    """A folder of nobody's with a program that notes how it was called; the first time it says "try again"."""
    with tempfile.TemporaryDirectory(prefix="pbmserv-pipe-", dir="/tmp") as name:
        folder = Path(name)
        folder.chmod(0o777)
        program = folder / "program"
        program.write_text(
            "#!/bin/sh\n"
            "mkdir tried 2>/dev/null && exit 75\n"
            'called=$(mktemp -d called.XXXXXX) && printf "%s\\n" "$@" > $called/words && cat > $called/raw &&\n'
            "chmod -R a+rX $called && mv $called done.$called\n"
        )
        program.chmod(program.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)
        yield folder


def test_by_a_pipe(terminal: Terminal, post: Post, pipe: Path) -> None:
    """A null sender, two recipients at once, exit code 75; what the program was called with, `receive` takes."""
    postfix = post.postfix
    taken = [*post.ours.mails, *post.theirs.mails]
    line = re.sub(r"(?m)^#.*\n", "", sample("postfix/master.cf"))
    line = line.replace(PROGRAM, str(pipe / "program")).replace("/etc/pbmserv", str(pipe))
    line = line.replace("user=pbmserv", "user=nobody")
    master = Path(postfix.config) / "master.cf"
    master.write_text(master.read_text() + line)
    postfix.set(virtual_transport="pbmserv:")
    assert said(postfix, "postfix", "check") == ""
    assert "warning" not in said(postfix, "postconf", "-M")
    postfix.send(mail("one"), "", f"pbmserv+tag@{DOMAIN}", f"postmaster@{DOMAIN}")
    wait_for(lambda: (pipe / "tried").exists())
    postfix.send(mail("two"), "alice@example.org", OURS)
    wait_for(lambda: len(list(pipe.glob("done.*"))) == 2)
    postfix.wait_until_empty()
    assert [*post.ours.mails, *post.theirs.mails] == taken, "nothing was sent back"
    terminal.settings["PBMSERV_ADDRESS"] = OURS
    terminal.succeed("migrate")
    for called in pipe.glob("done.*"):
        terminal.succeed(*(called / "words").read_text().splitlines(), stdin=(called / "raw").read_bytes())
    assert {
        (row.envelope_sender, row.recipients, b"Subject: one" in row.raw) for row in terminal.post().inbox()
    } == {
        ("<>", (f"pbmserv+tag@{DOMAIN}", f"postmaster@{DOMAIN}"), True),
        ("alice@example.org", (OURS,), False),
    }
