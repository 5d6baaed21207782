"""A newcomer's first ten minutes, as `tests/golden/first_ten_minutes.txt` has them: what they cost and show."""

import re
from collections import Counter
from email import message_from_bytes
from email.policy import default
from pathlib import Path
from typing import Final

import pytest

from pbmserv.commands.server import Server
from pbmserv.services.admin.pulse import record_heartbeat
from pbmserv.services.app import App
from pbmserv.services.robots import play_robots
from pbmserv.services.writer import write_due
from pbmserv.store.operating import ROBOTS
from pbmserv.store.outbox import QueuedMessage
from tests.conftest import ADDRESS, Clock
from tests.services.post import Post

GOLDEN: Final = Path(__file__).parents[1] / "golden/first_ten_minutes.txt"
BOARD: Final = re.compile(r"\s*([A-E]\s\s|[1-5]\s\s)")
HANA: Final = "hana@example.org"


@pytest.fixture
def post(sqlite_house: App, clock: Clock) -> Post:
    """Where a From address proves nothing."""
    house = App(sqlite_house.engine, Server(ADDRESS, variants=True), sqlite_house.new_token, sqlite_house.hasher)
    return Post(house, clock)


def mails() -> list[tuple[str, str]]:
    """Who gets each mail, and its text."""
    parts = re.split(r"(?m)^<=== (?!nothing)", GOLDEN.read_text())[1:]
    texts = (re.split(r"(?m)^(?:===>|#|@) ?", part)[0] for part in parts)
    return [(text.partition("\n")[0], text.partition("\n\n")[2]) for text in texts]


def sentences(text: str) -> set[str]:
    """Those of four words or more, outside the board."""
    prose = (" ".join(part.split()) for part in text.split("\n\n") if not BOARD.match(part))
    return {said for part in prose for said in re.split(r"(?<=[.:!?]) ", part) if len(said.split()) >= 4}


def test_what_they_cost() -> None:
    """Mails and sentences that somebody has read before; fewer are better."""
    assert Counter(reader for reader, _ in mails()) == {HANA: 6, "ben@example.org": 5}
    again = 0
    for reader in (HANA, "ben@example.org"):
        read = Counter(said for to, text in mails() if to == reader for said in sentences(text))
        again += sum(count - 1 for count in read.values())
    assert again == 10


def above_board(letter: QueuedMessage) -> str:
    """What the HTML part of a mail says above its board."""
    html = message_from_bytes(letter.raw, policy=default).get_body(("html",))
    assert html is not None
    head = html.get_content().partition("<body")[2].partition('<table class="pb"')[0]
    return " ".join(re.sub(r"<[^>]*>?|^[^>]*>", " ", head).split())


def test_the_board_is_the_next_thing(post: Post) -> None:
    """In the welcome below one paragraph, in the next mail below the news and two lines. A tap plays."""
    (welcome,) = post.mail(HANA, "", "Sign me up as hana, please")
    assert above_board(welcome) == (
        "Hello, hana! Make your first move on the board below, against an easy robot. "
        "That opens your account at pbmserv."
    )
    record_heartbeat(post.house, ROBOTS, post.clock())
    assert post.answer(welcome, "b3") == []
    while play_robots(post.house, post.clock()) or write_due(post.house, post.clock()):
        pass
    (_, board) = post.sent_to(HANA)
    assert above_board(board).startswith("You played B3, robot.random answered ")
    assert len(above_board(board)) < 260
