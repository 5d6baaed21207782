"""What SpamAssassin thinks of our mails, by their content alone: no network is asked."""

import re
import shutil
import subprocess

import pytest

from pbmserv.services.scheduler.due import send_digest
from pbmserv.store.outbox import QueuedMessage
from tests.conftest import needed
from tests.services.post import Post, header_of

pytestmark = pytest.mark.slow

MOST = 1.0
"""It takes 5 for a mail to count as spam."""

ALICE, BOB = "alice@example.org", "bob@example.org"

NOT_FOR_SIGNED_MAIL = "score HTML_SINGLET_MANY 0"
"""Many single letters in HTML are what boards are made of. The rule holds only where neither SPF nor DKIM says who
sent the mail, which cannot be looked up here; docs/operating.md has both."""


def received(date: str) -> bytes:
    """What the reader's mail server writes above a mail of that date, from a public address."""
    host = "mail.club.test (mail.club.test [93.184.215.14])"
    return f"Received: from {host} by mx.example.org (Postfix) with ESMTPS id 4ABC;\r\n\t{date}\r\n".encode()


def score(raw: bytes, date: str) -> tuple[float, str]:
    """The points of a mail, and the rules that gave them."""
    command = ["spamassassin", "-t", "-L", f"--cf={NOT_FOR_SIGNED_MAIL}"]
    done = subprocess.run(command, input=received(date) + raw, capture_output=True, check=True, timeout=120)
    said = done.stdout.decode("utf-8", "replace").replace("\r\n", "\n")
    head = re.sub(r"\n[ \t]+", " ", said.partition("\n\n")[0])
    found = re.search(r"X-Spam-Status: \S+ score=(-?[0-9.]+) .*?tests=(.*?) (?:autolearn|version)", head)
    assert found is not None, said[:2000]
    return float(found[1]), found[2]


@pytest.fixture
def mails(sqlite_post: Post) -> dict[str, QueuedMessage]:
    """A welcome, a board, a digest, a message, an ending, the last word after unsubscribing."""
    club = sqlite_post.with_server(site_url="https://club.test", club_name="Chess Friends")
    club.people(alice="sesame", bob="poppy")
    found = {"welcome": club.sent_to(ALICE)[0]}
    club.mail(ALICE, "challenge alice bob")
    found["board"] = club.sent_to(BOB)[-1]
    club.mail(BOB, "set digest daily 07:30")
    club.mail(ALICE, "move 101 c3")
    club.clock.move(days=1)
    assert send_digest(club.house, club.clock())
    found["digest"] = club.sent_to(BOB)[-1]
    club.mail(ALICE, "message bob", "Shall we play another one?")
    found["message"] = club.sent_to(BOB)[-1]
    club.mail(BOB, "resign 101")
    found["ending"] = club.sent_to(ALICE)[-1]
    club.mail(ALICE, "set mail off")
    found["no more mail"] = club.sent_to(ALICE)[-1]
    return found


def test_our_mails_are_no_spam(mails: dict[str, QueuedMessage]) -> None:
    """Each is far below what counts as spam."""
    if shutil.which("spamassassin") is None:
        needed("spamassassin")
    scores = {name: score(mail.raw, header_of(mail, "Date")) for name, mail in mails.items()}
    assert all(points < MOST for points, _ in scores.values()), scores
    date = header_of(mails["welcome"], "Date")
    assert score(b"From: eve@example.net\r\nSubject: Hello\r\n\r\n" + GTUBE + b"\r\n", date)[0] > MOST


GTUBE = b"XJS*C4JDBQADN1.NSBN3*2IDNEN*GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL*C.34X"
"""What SpamAssassin takes for spam whatever else stands in a mail."""
