"""Postfix as a pipe: `pbmserv receive` for each mail, and its exit code decides what becomes of the mail."""

from collections.abc import Iterator

import pytest

from pbmserv.store import inbox
from pbmserv.store.engine import open_engine, reading
from pbmserv.store.inbox import InboxMessage
from tests.roads.postfix.gate import Gate
from tests.roads.postfix.nobody import USER, Place, place

DOMAIN = "pipe.test"
ADDRESS, TAGGED = f"pbmserv@{DOMAIN}", f"pbmserv+Tag.7x@{DOMAIN}"
MAIL = b"From: ann@a.test\r\nSubject: move\r\n\r\n.\r\nmove 101 c3 \xc3\xa9\r\n"
SERVICE = (
    "pbmserv unix - n n - - pipe user={user} directory={folder} null_sender="
    " argv={program} receive --mail-from=${{sender}} --rcpt-to=${{original_recipient}}"
)


@pytest.fixture(scope="module")
def home(standing: Gate) -> Iterator[Place]:
    """The server's folder, with no database yet; mail to its domain goes there."""
    with place(f'address = "{ADDRESS}"\nmax_size = 20000\n') as folder:
        standing.add_service(
            SERVICE.format(user=USER, folder=folder.folder, program=folder.program),
            virtual_mailbox_domains=f"club.test {DOMAIN}",
            transport_maps=f"inline:{{{{{DOMAIN} = pbmserv:}}}}",
            pbmserv_destination_recipient_limit="1",
        )
        yield folder


def kept(home: Place) -> list[InboxMessage]:
    """The mails of the inbox."""
    engine = open_engine(f"sqlite:///{home.folder}/data/pbmserv.db")
    with reading(engine) as connection:
        found = inbox.listing(connection, None, 100)
    engine.dispose()
    return found


def test_the_exit_code_decides(home: Place, gate: Gate) -> None:
    """75: the mail waits in Postfix; 0: it is kept, by one process for each recipient; 65: it comes back."""
    gate.postfix.send(MAIL, "ann@pipe.test", ADDRESS, TAGGED)
    assert {each.dsn for each in gate.wait_for("ann@pipe.test", "deferred", 2)} == {"4.3.0"}
    home.run("migrate")
    gate.postfix.send(MAIL, "", ADDRESS)
    gate.postfix.send(MAIL + b"x" * 900 * 25 + b"\r\n", "ann@large.test", ADDRESS)
    gate.postfix.flush()
    gate.wait_for("ann@pipe.test", "sent", 2)
    gate.wait_for("ann@large.test", "bounced", 1)
    report = gate.returned_to("ann@large.test")
    gate.postfix.wait_until_empty()
    mails = kept(home)
    assert sorted((mail.envelope_sender, mail.recipients) for mail in mails) == [
        ("<>", (ADDRESS,)),
        ("ann@pipe.test", (TAGGED,)),
        ("ann@pipe.test", (ADDRESS,)),
    ]
    assert {mail.raw.partition(b"\n\n")[2] for mail in mails} == {b".\nmove 101 c3 \xc3\xa9\n"}
    assert b"larger than 20000 bytes" in report.raw
