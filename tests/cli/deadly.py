"""`pbmserv WORDS` as a program of its own that mails with certain words in them kill, or keep for ever."""

import os
import signal
import sys
import time
from typing import Any

from pbmserv.entrypoints.cli import app
from pbmserv.services import incoming, mishaps

KILLS = "Whoever reads this is killed."
HANGS = "Whoever reads this hangs."


def read_it(house: Any, kept: Any) -> Any:
    """Stands for what reads a mail."""
    if KILLS.encode() in kept.raw:
        os.kill(os.getpid(), signal.SIGKILL)
    if HANGS.encode() in kept.raw:
        time.sleep(1000)
    return _read(house, kept)


_read = incoming.read_kept

if __name__ == "__main__":
    incoming.read_kept = read_it
    mishaps.read_kept = read_it  # type: ignore[attr-defined]
    app(sys.argv[1:])
