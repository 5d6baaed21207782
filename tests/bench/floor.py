"""The floor: the smallest honest program that does one game's durable job by mail, in one process.

`floor.py DATABASE LISTEN_AT RELAY_AT` takes a mail, reads the move in its Subject, checks it by a tiny rule,
commits the mail, the move and two letters (text and HTML of a 5x5 board) at once with synchronous=FULL, and
sends them on a connection that is kept. What pbmserv costs beside it is what club life costs. It says `ready`
when it listens.
"""

import asyncio
import email.policy
import re
import smtplib
import sqlite3
import sys
import threading
from email.message import EmailMessage

from aiosmtpd.smtp import SMTP, Envelope, Session

MOVE = re.compile(r"move (\d+) ([a-e][1-5])", re.IGNORECASE)
CELLS = [f"{column}{row}" for row in range(5, 0, -1) for column in "abcde"]
TABLES = """
create table if not exists inbox (id integer primary key, raw blob);
create table if not exists log (board int, ply int, cell text, primary key (board, ply));
create table if not exists outbox (id integer primary key, recipient text, raw blob, sent int default 0);
create index if not exists unsent on outbox (id) where sent = 0;
"""


def connect(database: str) -> sqlite3.Connection:
    """A connection that waits for the disk."""
    link = sqlite3.connect(database, isolation_level=None, check_same_thread=False)
    link.executescript("pragma journal_mode=wal; pragma synchronous=full;" + TABLES)
    return link


def letter(recipient: str, board: int, stones: dict[str, str]) -> bytes:
    """A board mail as text and HTML."""
    marks = [stones.get(cell, "...") for cell in CELLS]
    rows = [marks[at : at + 5] for at in range(0, 25, 5)]
    text = "\n\n".join(f"    {5 - at}  " + " ".join(row) for at, row in enumerate(rows))
    cells = (
        f'<td><a href="mailto:p@club.test?subject=move%20{board}%20{cell}">{mark}</a></td>'
        for cell, mark in zip(CELLS, marks, strict=True)
    )
    mail = EmailMessage(policy=email.policy.SMTP)
    mail["From"], mail["To"], mail["Subject"] = "pbmserv@club.test", recipient, f"Cephalopod Board {board}"
    mail["Message-ID"] = f"<b{board}.{len(stones)}.{recipient}>"
    mail.set_content(f"Cephalopod Board {board}\n\n{text}\n\n       A   B   C   D   E\n\nAnswer with your move.\n")
    mail.add_alternative(f"<table>{''.join(f'<tr>{cell}</tr>' for cell in cells)}</table>", subtype="html")
    return mail.as_bytes()


class Floor:
    """Takes moves and queues letters; `bell` wakes the sender."""

    def __init__(self, database: str) -> None:
        self.link, self.bell = connect(database), threading.Event()

    async def handle_DATA(self, _: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        raw = envelope.original_content or b""
        found = MOVE.search(str(email.message_from_bytes(raw, policy=email.policy.default)["Subject"]))
        if found is None or envelope.mail_from is None:
            return "250 OK"
        board, cell = int(found[1]), found[2].lower()
        self.link.execute("begin immediate")
        self.link.execute("insert into inbox (raw) values (?)", (raw,))
        played = [
            row[0] for row in self.link.execute("select cell from log where board = ? order by ply", (board,))
        ]
        if cell not in played:
            played.append(cell)
            self.link.execute("insert into log values (?, ?, ?)", (board, len(played), cell))
        stones = {each: "(1)" if at % 2 else "<1>" for at, each in enumerate(played)}
        letters = [(to, letter(to, board, stones)) for to in (envelope.mail_from, f"x{envelope.mail_from}")]
        self.link.executemany("insert into outbox (recipient, raw) values (?, ?)", letters)
        self.link.execute("commit")
        self.bell.set()
        return "250 OK"

    def send(self, database: str, relay: int) -> None:
        """Sends what waits, ten at a time, for ever."""
        link, smtp = connect(database), smtplib.SMTP("127.0.0.1", relay)
        while self.bell.wait():
            self.bell.clear()
            while rows := link.execute("select id, recipient, raw from outbox where sent = 0 limit 10").fetchall():
                for _, recipient, raw in rows:
                    smtp.sendmail("pbmserv@club.test", [recipient], raw)
                link.execute("begin immediate")
                link.executemany("update outbox set sent = 1 where id = ?", [(row[0],) for row in rows])
                link.execute("commit")


async def serve(floor: Floor, port: int) -> None:
    """Listens for ever."""
    server = await asyncio.get_running_loop().create_server(lambda: SMTP(floor), "127.0.0.1", port)
    print("ready", flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    own = Floor(sys.argv[1])
    threading.Thread(target=own.send, args=(sys.argv[1], int(sys.argv[3])), daemon=True).start()
    asyncio.run(serve(own, int(sys.argv[2])))
