"""Everybody outside a server: ten connections that bring moves, and the relay that takes the answers.

Run as a program, at as little cost as can be: `road_clients.py PLAN BRING_TO RELAY_AT`. PLAN is a pickled list of
boards, each a list of the moves to come: `Step`s of who moves and the whole mail. BRING_TO is the server's port,
RELAY_AT that of the relay, 0 for none. When the relay is up it says `ready`. Then it takes from standard input:

    chain   brings the first move of each board, and each next one when the board mail that asks for it has come
    flood   brings all moves, ply by ply, as fast as they are taken

After each it says in JSON when mails were taken, and when board mails had come, in seconds. Anything else ends it.
"""

import asyncio
import json
import pickle
import re
import sys
import time
from collections import deque
from pathlib import Path
from typing import NamedTuple

CONNECTIONS = 10
PATIENCE = 120.0
PLACE = re.compile(rb"^Message-ID: <b(\d+)\.(\d+)\.", re.IGNORECASE | re.MULTILINE)


class Step(NamedTuple):
    """One move to come."""

    board: int
    ply: int
    mover: str
    raw: bytes


class Road:
    """What is still to be brought, and what has come."""

    def __init__(self, boards: list[list[Step]]) -> None:
        self.boards = boards
        self.asked_for = {(each.board, each.ply): each for steps in boards for each in steps}
        self.movers = {each.board: (each.mover, steps[1].mover) for steps in boards for each in steps[:1]}
        self.first = boards[0][0].ply
        self.ready: deque[Step] = deque()
        self.idle: deque[Client] = deque()
        self.is_chain = False
        self.taken: list[float] = []
        self.come: list[float] = []
        self.mails = 0
        self.news = asyncio.Event()

    def bring(self, step: Step) -> None:
        """Brings a mail by the next connection that is free."""
        if self.idle:
            self.idle.popleft().begin(step)
        else:
            self.ready.append(step)

    def was_taken(self) -> None:
        """A mail has its 250."""
        self.taken.append(time.monotonic())
        self.news.set()

    def has_come(self, recipient: bytes, raw: bytes) -> None:
        """A mail has come to the relay: if it asks for a move, that move is next."""
        self.mails += 1
        found = PLACE.search(raw, 0, 2000)
        if found is None:
            return
        board, ply = int(found[1]), int(found[2])
        if self.movers[board][(ply + 1 - self.first) % 2].encode() != recipient or ply < self.first:
            return
        self.come.append(time.monotonic())
        self.news.set()
        following = self.asked_for.get((board, ply + 1))
        if self.is_chain and following is not None:
            self.bring(following)

    async def run(self, is_chain: bool) -> dict[str, object]:
        """Brings everything, and waits for it."""
        self.is_chain, self.taken, self.come, self.mails = is_chain, [], [], 0
        began = time.monotonic()
        rounds = zip(*self.boards, strict=True)
        for step in next(rounds) if is_chain else [each for steps in rounds for each in steps]:
            self.bring(step)
        while len(self.come if is_chain else self.taken) < len(self.asked_for):
            self.news.clear()
            try:
                await asyncio.wait_for(self.news.wait(), PATIENCE)
            except TimeoutError:
                break
        return {
            "taken": [round(each - began, 5) for each in self.taken],
            "come": [round(each - began, 5) for each in self.come],
            "mails": self.mails,
        }


class Client(asyncio.Protocol):
    """A connection that brings one mail after the other, and waits for each reply."""

    def __init__(self, road: Road) -> None:
        self.road = road
        self.step: Step | None = None
        self.lines: list[bytes] = [b"HELO client.test\r\n"]

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Connected (asyncio)."""
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        """A reply (asyncio); each is one line."""
        if data[:1] not in b"23":
            raise SystemExit(f"the server says {data!r}")
        if self.lines:
            self.transport.write(self.lines.pop())
            return
        if self.step is not None:
            self.step = None
            self.road.was_taken()
        if self.road.ready:
            self.begin(self.road.ready.popleft())
        else:
            self.road.idle.append(self)

    def begin(self, step: Step) -> None:
        """Begins to bring a mail."""
        self.step = step
        stuffed = step.raw.replace(b"\r\n.", b"\r\n..") + b".\r\n"
        self.lines = [stuffed, b"DATA\r\n", b"RCPT TO:<pbmserv@club.test>\r\n"]
        self.transport.write(b"MAIL FROM:<%b>\r\n" % step.mover.encode())


class Relay(asyncio.Protocol):
    """A connection to the relay, which takes everything; commands may come many at a time (RFC 2920)."""

    def __init__(self, road: Road) -> None:
        self.road = road
        self.buffer = bytearray()
        self.recipients: list[bytes] = []
        self.in_mail = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Connected (asyncio)."""
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        transport.write(b"220 relay.test\r\n")

    def data_received(self, data: bytes) -> None:
        """Commands or mails (asyncio)."""
        self.buffer += data
        replies = []
        while True:
            end = b"\r\n.\r\n" if self.in_mail else b"\r\n"
            at = self.buffer.find(end)
            if at < 0:
                break
            line = bytes(self.buffer[:at])
            del self.buffer[: at + len(end)]
            replies.append(self.take_mail(line) if self.in_mail else self.reply(line))
        if replies:
            self.transport.write(b"".join(replies))

    def take_mail(self, raw: bytes) -> bytes:
        """The reply to a whole mail."""
        self.in_mail = False
        for each in self.recipients:
            self.road.has_come(each, raw)
        return b"250 taken\r\n"

    def reply(self, line: bytes) -> bytes:
        """The reply to a command."""
        match line[:4].upper():
            case b"EHLO":
                return b"250-relay.test\r\n250-PIPELINING\r\n250-SIZE 50000000\r\n250 8BITMIME\r\n"
            case b"MAIL":
                self.recipients = []
            case b"RCPT":
                self.recipients.append(line[line.index(b"<") + 1 : line.index(b">")])
            case b"DATA":
                self.in_mail = True
                return b"354 go on\r\n"
            case b"QUIT":
                return b"221 bye\r\n"
        return b"250 ok\r\n"


async def main() -> None:
    """Does what standard input asks for."""
    plan, bring_to, relay_at = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    road = Road([[Step(*step) for step in steps] for steps in pickle.loads(plan.read_bytes())])
    loop = asyncio.get_running_loop()
    if relay_at:
        await loop.create_server(lambda: Relay(road), "127.0.0.1", relay_at)
    print("ready", flush=True)
    is_connected = False
    while (word := (await asyncio.to_thread(sys.stdin.readline)).strip()) in ("chain", "flood"):
        if not is_connected:
            for _ in range(CONNECTIONS):
                await loop.create_connection(lambda: Client(road), "127.0.0.1", bring_to)
            is_connected = True
        print(json.dumps(await road.run(word == "chain")), flush=True)


if __name__ == "__main__":
    asyncio.run(main())
