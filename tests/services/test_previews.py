"""What an inbox list shows of our mails: From, Subject, and the first ninety characters, in thirty situations.

They stand in `tests/golden/previews/inbox.txt`, to be read as a person would; `--regen` writes them anew.
"""

from datetime import timedelta
from pathlib import Path

import pytest
from lxml import html as lxml_html

from pbmserv.mail.sending.transport import Delivered
from pbmserv.server.scheduler import JOBS
from pbmserv.services.admin import referee
from pbmserv.services.deliver import note
from pbmserv.services.robots import play_robots
from pbmserv.services.views import list_outbox
from pbmserv.services.writer import write_due
from pbmserv.store.engine import writing
from pbmserv.store.outbox import QueuedMessage
from tests.conversation import parsed
from tests.services.post import Post, text_of

FILE = Path(__file__).parents[1] / "golden" / "previews" / "inbox.txt"
LONGEST = 90
ANN, BOB, CAROL, DAVE = (f"{userid}@example.org" for userid in ("ann", "bob", "carol", "dave"))


def preview(letter: QueuedMessage) -> str:
    """The lines that an inbox shows: the HTML part where there is one, as most programs do."""
    mail = parsed(letter.raw)
    body = mail.get_body(("html",))
    if body is None:
        text = text_of(letter)
    else:
        (shown,) = lxml_html.document_fromstring(body.get_content()).xpath("//body")
        text = " ".join(shown.itertext())
    (sender,) = mail["From"].addresses
    return f"{sender.display_name}\n    {mail['Subject']}\n    {' '.join(text.split())[:LONGEST].strip()}"


class Inbox:
    """Collects previews of what comes to people."""

    def __init__(self, post: Post) -> None:
        self.post = post
        self.shown: list[str] = []

    def last(self, situation: str, address: str) -> None:
        """The last mail to an address."""
        self.shown.append(f"{situation}\n    {preview(self.post.sent_to(address)[-1])}")

    def let_pass(self, **span: float) -> None:
        """Hands over what waits, lets the time go by, does what the hour asks for, and lets robots play."""
        house, clock = self.post.house, self.post.clock
        for letter in reversed(list_outbox(house, "waiting", 100)):
            with writing(house.engine) as connection:
                note(connection, [(letter, Delivered())], clock())
        end = clock.now + timedelta(**span)
        while clock.now < end:
            clock.now += min(timedelta(hours=6), end - clock.now)
            for job in JOBS:
                while job.do(house, clock()):
                    pass
            while play_robots(house, clock()) or write_due(house, clock()):
                pass


def between_two(inbox: Inbox) -> None:
    """A game from its beginning to a lost one, with talk and offers."""
    mail = inbox.post.mail
    inbox.last("A new account", ANN)
    mail(ANN, "challenge bob ann")
    inbox.last("A challenge", BOB)
    inbox.last("Your own challenge", ANN)
    mail(BOB, "101 c3")
    inbox.last("Your own move", BOB)
    inbox.last("A move", ANN)
    mail(ANN, "101 c4", "Lovely weather here!")
    inbox.last("A move with words", BOB)
    mail(BOB, "101 d3")
    mail(ANN, "101 d4")
    inbox.last("Pieces were taken", BOB)
    mail(BOB, "101 z9")
    inbox.last("A refused move", BOB)
    mail(ANN, "propose 101")
    inbox.last("A draw is offered", BOB)
    mail(BOB, "reject 101")
    inbox.last("No draw", ANN)
    mail(ANN, "undo 101")
    inbox.last("A move is to be taken back", BOB)
    mail(BOB, "accept 101")
    inbox.last("It is taken back", ANN)
    mail(BOB, "chat 101", "Take your time, I am away until Sunday.")
    inbox.last("Words alone", ANN)
    inbox.let_pass(days=8)
    inbox.last("A reminder", ANN)
    inbox.let_pass(days=14)
    inbox.last("Your time is up", ANN)
    inbox.last("Their time is up", BOB)
    mail(ANN, "rematch 101")
    inbox.last("A rematch", BOB)


def how_games_end(inbox: Inbox) -> None:
    """Declined, resigned, drawn, won and lost on the board, and by the operator's word."""
    mail = inbox.post.mail
    mail(BOB, "resign 102")
    inbox.last("A challenge is declined", ANN)
    mail(ANN, "challenge ann bob")
    for sender, move in ((ANN, "c3"), (BOB, "c4")):
        mail(sender, f"103 {move}")
    referee.rule(inbox.post.house, 103, referee.take_back(1, "A wrong click."), inbox.post.clock())
    inbox.last("The operator takes a move back", BOB)
    mail(BOB, "103 c4")
    mail(ANN, "103 a1")
    mail(BOB, "resign 103")
    inbox.last("The other player resigns", ANN)
    mail(ANN, "tic-tac-toe challenge ann bob")
    for turn, move in enumerate(("a1", "b1", "a2", "b2", "a3")):
        mail((ANN, BOB)[turn % 2], f"104 {move}")
    inbox.last("You have won", ANN)
    inbox.last("You have lost", BOB)
    mail(ANN, "challenge ann bob")
    mail(ANN, "105 c3")
    mail(ANN, "propose 105")
    mail(BOB, "accept 105")
    inbox.last("A draw is agreed", ANN)


def among_more(inbox: Inbox) -> None:
    """Three players, a watcher, an offer, a robot, a digest, and what is about no board."""
    mail = inbox.post.mail
    mail(ANN, "challenge ann bob carol")
    mail(DAVE, "subscribe 106")
    for sender, move in ((ANN, "c3"), (BOB, "c4"), (CAROL, "a1")):
        mail(sender, f"106 {move}")
    inbox.last("Two have moved since", ANN)
    inbox.last("A board that you watch", DAVE)
    mail(ANN, "seek")
    mail(DAVE, "accept 1")
    inbox.last("Your offer is taken", ANN)
    inbox.let_pass(hours=1)
    mail(CAROL, "challenge robot carol")
    inbox.let_pass(hours=1)
    inbox.last("A robot has moved", CAROL)
    mail(CAROL, "help")
    inbox.last("Help", CAROL)
    mail(ANN, "message carol", "Shall we play Go?")
    inbox.last("A message", CAROL)
    mail(DAVE, "set broadcast on")
    mail(ANN, "broadcast", "A tournament begins on Monday.")
    inbox.last("A broadcast", DAVE)
    mail(ANN, "set digest daily 19:30")
    inbox.let_pass(days=1)
    inbox.last("A digest", ANN)


def test_previews(sqlite_post: Post, request: pytest.FixtureRequest) -> None:
    """Every one is as it was reviewed."""
    post = sqlite_post.with_server(confirm="from")
    post.people(ann="sesame", bob="poppy", carol="cumin", dave="dill")
    inbox = Inbox(post)
    between_two(inbox)
    how_games_end(inbox)
    among_more(inbox)
    said = "\n\n".join(inbox.shown) + "\n"
    assert len(inbox.shown) >= 20
    if request.config.getoption("--regen"):
        FILE.write_text(said)
    assert said == FILE.read_text()
