"""`pbmserv WORDS` as a program of its own that mails with certain words in them kill, or keep for ever."""

import os
import signal
import sys
import time
from typing import Any

from pbmserv.cli.main import cli
from pbmserv.services import failures, opening

KILLS = "Whoever reads this is killed."
HANGS = "Whoever reads this hangs."


def read_it(app: Any, message: Any) -> Any:
    """Stands for what reads a mail."""
    if KILLS.encode() in message.raw:
        os.kill(os.getpid(), signal.SIGKILL)
    if HANGS.encode() in message.raw:
        time.sleep(1000)
    return _read(app, message)


_read = opening.read_message

if __name__ == "__main__":
    opening.read_message = read_it
    failures.read_message = read_it  # type: ignore[attr-defined]
    cli(sys.argv[1:])
