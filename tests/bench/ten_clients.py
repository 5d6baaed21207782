"""A process that brings mails over ten connections as fast as they are taken, at as little cost as can be.

Run as a program, with the file of a mail as its argument. For each line `PORT MAILS` on standard input it connects
anew, brings so many mails in all, and answers `done`. Anything but the reply it waits for ends it.
"""

import selectors
import socket
import sys
from pathlib import Path

CONNECTIONS = 10


def feed(port: int, mails: int, raw: bytes) -> None:
    """Brings so many mails over ten connections, each of which waits for every reply, as real clients do."""
    stuffed = raw.replace(b"\r\n.", b"\r\n..") + b".\r\n"
    steps = (
        (b"MAIL FROM:<alice@example.org>\r\n", b"250"),
        (b"RCPT TO:<pbmserv@club.test>\r\n", b"250"),
        (b"DATA\r\n", b"354"),
        (stuffed, b"250"),
    )
    left = mails
    with selectors.DefaultSelector() as ready:
        for _ in range(min(CONNECTIONS, mails)):
            ready.register(greeted(port), selectors.EVENT_READ, [len(steps) - 1])
        while ready.get_map():
            for key, _ in ready.select():
                link, at = key.fileobj, key.data
                assert isinstance(link, socket.socket)
                reply = link.recv(1000)
                assert reply[:3] == steps[at[0]][1], reply
                at[0] = (at[0] + 1) % len(steps)
                if at[0] == 0 and not left:
                    ready.unregister(link)
                    link.close()
                    continue
                left -= at[0] == 0
                link.sendall(steps[at[0]][0])


def greeted(port: int) -> socket.socket:
    """A connection whose greeting is on its way."""
    link = socket.create_connection(("127.0.0.1", port))
    link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    link.recv(1000)
    link.sendall(b"HELO client.test\r\n")
    return link


def main() -> None:
    """Does what standard input asks for."""
    raw = Path(sys.argv[1]).read_bytes()
    for line in sys.stdin:
        port, mails = map(int, line.split())
        feed(port, mails, raw)
        print("done", flush=True)


if __name__ == "__main__":
    main()
