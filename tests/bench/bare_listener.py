"""A listener that stores nothing, as a program: what all rates on the road are measured against."""

import threading

from pbmserv.commands.base.server import Server
from pbmserv.server.listener import Listener
from tests.mail.keeping import keep_nothing


def main() -> None:
    """Says its port, and takes mail until it is killed."""
    listener = Listener("smtp://127.0.0.1:0", Server("pbmserv@club.test"), keep_nothing)
    listener.start()
    print(listener.port, flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    main()
