"""The road of one raw move mail: which functions and templates it passes from its bytes to the answers' Maildir.

The mail is the answer of a common web mail program, text and HTML, to the personal address of a board mail. It is
received, processed and delivered as by `pbmserv receive`, a worker and a sender. It is the third move of its
match, so each player's first one has filled the caches and done the late imports.
"""

from collections.abc import Callable
from email import message_from_bytes, policy
from email.message import EmailMessage
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory

from argon2 import PasswordHasher

from pbmserv.commands.server import Server
from pbmserv.mail.sending.destination import open_transport
from pbmserv.services.app import App
from pbmserv.services.deliver import Sender
from pbmserv.services.receive import receive_mail
from pbmserv.services.worker import process_some
from pbmserv.store.outbox import QueuedMessage
from tests.conftest import ADDRESS, Clock, make_house
from tests.docs import ROOT
from tests.house.recorder import Recorder, Road
from tests.services.post import Post, address_of

ALICE, BOB = "alice@example.org", "bob@example.org"


@lru_cache(maxsize=1)
def measured_road() -> Road:
    """What a move mail passes in this checkout."""
    recorder = Recorder(ROOT)
    with TemporaryDirectory() as folder, recorder.installed():
        server = Server(ADDRESS, variants=True, confirm="ask", site_url="https://club.test")
        hasher = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
        app = make_house(f"sqlite:///{folder}/road.db", hasher, server)
        clock = Clock()
        post = Post(app, clock)
        outgoing = Path(folder) / "outgoing"
        sender = Sender(app, lambda: open_transport(f"maildir:{outgoing}"), clock)
        try:
            post.people(alice="sesame", bob="poppy")
            post.mail(ALICE, "challenge alice bob -size=5x5")
            sender.send_due()
            moves = [(ALICE, "c3"), (BOB, "a1"), (ALICE, "e5")]
            *_, road = (
                recorder.record(_handed_in(app, post.sent_to(player)[-1], move, sender, clock))
                for player, move in moves
            )
            assert post.moves() == [move.upper() for _, move in moves]
            assert len([*(outgoing / "new").iterdir()]) == len(post.letters())
            return road
        finally:
            sender.close()
            app.engine.dispose()


def _handed_in(app: App, asked: QueuedMessage, move: str, sender: Sender, clock: Clock) -> Callable[[], None]:
    raw, recipients = answer_to(asked.raw, asked.recipient, move), [address_of(asked)]

    def work() -> None:
        receive_mail(app, raw, asked.recipient, recipients, clock())
        process_some(app, clock)
        sender.send_due()

    return work


def answer_to(asked: bytes, player: str, move: str) -> bytes:
    """A mail as a common web mail program answers another one: the whole of it quoted below, in text and HTML."""
    board_mail = message_from_bytes(asked, policy=policy.default)
    writer = board_mail["From"].addresses[0].addr_spec
    text, html = (_part(board_mail, kind) for kind in ("plain", "html"))
    mail = EmailMessage(policy=policy.SMTP)
    mail["From"] = f"A Player <{player}>"
    mail["To"] = f"pbmserv <{writer}>"
    mail["Subject"] = f"Re: {board_mail['Subject']}"
    mail["Message-ID"] = f"<move-{move}@example.org>"
    mail["In-Reply-To"] = board_mail["Message-ID"]
    said = f"On Thu, 1 Jan 2026 at 12:00, pbmserv <{writer}> wrote:"
    quoted = "".join(f"> {line}\n" for line in text.splitlines())
    mail.set_content(f"{move}\n\n{said}\n\n{quoted}")
    attribution = said.replace("<", "&lt;").replace(">", "&gt;")
    mail.add_alternative(
        f'<div dir="ltr">{move}</div><br><div class="gmail_quote"><div dir="ltr" class="gmail_attr">{attribution}'
        f'<br></div><blockquote class="gmail_quote">{html}</blockquote></div>',
        subtype="html",
    )
    return mail.as_bytes()


def _part(mail: EmailMessage, kind: str) -> str:
    part = mail.get_body((kind,))
    assert part is not None
    content: str = part.get_content()
    return content


if __name__ == "__main__":
    for step in measured_road().steps:
        print(f"{step.file}: {step.function}")
    for template in measured_road().templates:
        print(template)
