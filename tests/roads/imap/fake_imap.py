"""A small IMAP server that can be made to behave as no Dovecot does."""

import re
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

Answer = Callable[[str, str], bytes | None]
"""(tag, rest of the command): what is sent back, None to hang up."""


@dataclass
class FakeImap:
    """The server: mails by UID, all that clients said, and answers that take the place of the usual ones."""

    port: int
    mails: dict[int, bytes] = field(default_factory=dict)
    capabilities: str = "IMAP4rev1 AUTH=PLAIN IDLE MOVE UIDPLUS"
    greeting: bytes = b"* OK hello\r\n"
    answers: dict[str, Answer] = field(default_factory=dict)
    said: list[str] = field(default_factory=list)
    connections: int = 0

    def commands(self) -> list[str]:
        """The commands that were given, without what follows them."""
        return [line.split(" ")[1] for line in self.said if " " in line]

    def talk(self, link: socket.socket) -> None:
        """One connection."""
        self.connections += 1
        with link, link.makefile("rb") as lines, suppress(OSError):
            link.sendall(self.greeting)
            for line in lines:
                said = line.decode(errors="replace").rstrip("\r\n")
                self.said.append(said)
                tag, _, rest = said.partition(" ")
                reply = self.reply(tag, rest)
                if reply is None:
                    return
                link.sendall(reply)

    def reply(self, tag: str, rest: str) -> bytes | None:
        """The answer to a line."""
        name = re.sub(r"^UID ", "", rest.upper()).split(" ")[0] if rest else tag.upper()
        if name in self.answers:
            return self.answers[name](tag, rest)
        done = f"{tag} OK done\r\n".encode()
        if name == "CAPABILITY":
            return f"* CAPABILITY {self.capabilities}\r\n".encode() + done
        if name == "AUTHENTICATE":
            return b"+ \r\n"
        if name == "SELECT":
            top = max(self.mails, default=0) + 1
            return (
                f"* {len(self.mails)} EXISTS\r\n* OK [UIDVALIDITY 1] x\r\n* OK [UIDNEXT {top}] x\r\n".encode()
                + done
            )
        if name == "SEARCH":
            return f"* SEARCH {' '.join(map(str, sorted(self.mails)))}\r\n".encode() + done
        if name == "FETCH":
            return b"".join(self.fetched(uid, rest) for uid in uids_in(rest) if uid in self.mails) + done
        if name == "MOVE":
            for uid in uids_in(rest):
                self.mails.pop(uid, None)
        if name == "IDLE":
            self.idle_tag = tag
            return b"+ idling\r\n"
        if name == "DONE":
            return f"{self.idle_tag} OK done\r\n".encode()
        if not rest:  # what follows AUTHENTICATE
            return self.said[-2].partition(" ")[0].encode() + b" OK done\r\n"
        return done

    def fetched(self, uid: int, rest: str) -> bytes:
        """What is told of one mail."""
        number, raw = sorted(self.mails).index(uid) + 1, self.mails[uid]
        if "SIZE" in rest:
            return f"* {number} FETCH (UID {uid} RFC822.SIZE {len(raw)})\r\n".encode()
        return f"* {number} FETCH (UID {uid} BODY[] {{{len(raw)}}}\r\n".encode() + raw + b")\r\n"


def uids_in(rest: str) -> list[int]:
    """The UIDs that a command names."""
    return [int(each) for each in rest.split(" ")[2].split(",")]


@contextmanager
def fake_imap() -> Iterator[FakeImap]:
    """One that runs."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = FakeImap(listening.getsockname()[1])
        links: list[socket.socket] = []

        def serve() -> None:
            with suppress(OSError):
                while True:
                    link, _ = listening.accept()
                    links.append(link)
                    threading.Thread(target=server.talk, args=(link,), daemon=True).start()

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            listening.shutdown(socket.SHUT_RDWR)
            thread.join(60)
            for link in links:
                with suppress(OSError):
                    link.shutdown(socket.SHUT_RDWR)
