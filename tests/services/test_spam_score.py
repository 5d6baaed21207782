"""What SpamAssassin thinks of our letters, one of every kind, by their content alone: no network is asked."""

import re
import shutil
import subprocess
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest
from argon2 import PasswordHasher

from pbmserv.services.app import App
from tests import test_golden
from tests.conftest import needed
from tests.conversation import parse, parsed, shown_text
from tests.letters import GOLDEN, KINDS, begins
from tests.test_golden import play_in_process

pytestmark = pytest.mark.slow

STATUS = re.compile(r"(?m)^X-Spam-Status: \S+ score=(-?[0-9.]+) .*?tests=(.*?) (?:autolearn|version)")


def received(name: str, raw: bytes) -> bytes:
    """A letter in a mailbox, with what the reader's mail server writes above it, from a public address."""
    host = "mail.club.test (mail.club.test [93.184.215.14])"
    date = parsed(raw)["Date"]
    head = f"Received: from {host} by mx.example.org (Postfix) with ESMTPS id 4ABC;\n\t{date}\nX-Kind: {name}\n"
    return b"From MAILER Thu Jan  1 00:00:00 2026\n" + head.encode() + raw.replace(b"\r\n", b"\n") + b"\n\n"


def scores(letters: dict[str, bytes]) -> dict[str, tuple[float, str]]:
    """The points of each letter, and the rules that gave them."""
    mailbox = b"".join(received(name, raw) for name, raw in letters.items())
    done = subprocess.run(
        ["spamassassin", "-t", "-L", "--mbox"], input=mailbox, capture_output=True, check=True, timeout=300
    )
    found = {}
    for said in re.split("(?m)^From MAILER.*\n", done.stdout.decode("utf-8", "replace"))[1:]:
        head = re.sub(r"\n[ \t]+", " ", said.partition("\n\n")[0])
        # What it takes for spam it puts into a report.
        name, status = re.search("(?m)^X-Kind: (.*)$", said), STATUS.search(head)
        assert name is not None, head
        assert status is not None, head
        found[name[1]] = (float(status[1]), status[2])
    return found


@pytest.fixture
def letters(tmp_path: Path, quick_hasher: PasswordHasher, monkeypatch: pytest.MonkeyPatch) -> dict[str, bytes]:
    """A letter of every kind, from the conversations, by the name of its kind."""
    sent: list[bytes] = []
    hand_out = test_golden.hand_out

    def kept(house: App, now: datetime) -> Iterator[bytes]:
        for raw in hand_out(house, now):
            sent.append(raw)
            yield raw

    monkeypatch.setattr(test_golden, "hand_out", kept)
    wanted = [(f"{kind}: {name}", *place) for kind, names in KINDS.items() for name, place in names.items()]
    found: dict[str, bytes] = {}
    for file in {file for _, file, _ in wanted if file}:
        (tmp_path / file).mkdir()
        sent.clear()
        play_in_process(parse((GOLDEN / f"{file}.txt").read_text()), tmp_path / file, quick_hasher)
        lines = [(" ".join(shown_text(parsed(raw)).split()), raw) for raw in sent]
        for name, where, begin in wanted:
            if where == file:
                found[name] = next(raw for line, raw in lines if begins(line, begin))
    return found


def test_our_letters_are_no_spam(letters: dict[str, bytes]) -> None:
    """Not one has a point; a mail that is made to be taken for spam has."""
    if shutil.which("spamassassin") is None:
        needed("spamassassin")
    spam = b"From: eve@example.net\r\nDate: Thu, 01 Jan 2026 12:00:00 +0000\r\nSubject: Hello\r\n\r\n" + GTUBE
    found = scores({**letters, "spam": spam + b"\r\n"})
    assert found.pop("spam")[0] > 5
    assert set(found) == set(letters)
    assert not {name: score for name, score in found.items() if score[0] > 0}


GTUBE = b"XJS*C4JDBQADN1.NSBN3*2IDNEN*GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL*C.34X"
"""What SpamAssassin takes for spam whatever else stands in a mail."""
