"""The log on standard error, in one of three forms; times are UTC in each.

text: a line for people. json: a line for machines, with the pairs of `log_words` as keys. journal: for systemd,
which notes the time itself and reads the priority from `<N>` at the beginning of each line (sd-daemon(3)).
"""

import json
import logging
import time
from typing import Final, Literal

from pbmserv.mail.log_words import Pairs, harmless, plain

LogForm = Literal["text", "json", "journal"]

PRIORITIES: Final = {
    logging.CRITICAL: 2,
    logging.ERROR: 3,
    logging.WARNING: 4,
    logging.INFO: 6,
    logging.DEBUG: 7,
}
"""The priorities of syslog(3)."""

QUIET: Final = ("alembic", "sqlalchemy")


class TextForm(logging.Formatter):
    """`2026-11-23T23:34:27Z INFO    worker-1 pbmserv.services.worker: handled mail=17`, a traceback below."""

    def __init__(self, process: str = "") -> None:
        """`process` is the name of one of several processes."""
        named = f"{process} " if process else ""
        super().__init__(f"%(asctime)s %(levelname)-7s {named}%(name)s: %(message)s", "%Y-%m-%dT%H:%M:%SZ")
        self.converter = time.gmtime

    def format(self, record: logging.LogRecord) -> str:
        """The lines of a record."""
        return harmless(super().format(record))


class JournalForm(logging.Formatter):
    """`<6>worker-1 pbmserv.services.worker: handled mail=17`, with the priority before each line of several."""

    def __init__(self, process: str = "") -> None:
        """`process` is the name of one of several processes."""
        super().__init__(f"{process} %(name)s: %(message)s" if process else "%(name)s: %(message)s")

    def format(self, record: logging.LogRecord) -> str:
        """The lines of a record."""
        mark = f"<{PRIORITIES.get(record.levelno, 6)}>"
        return mark + harmless(super().format(record)).replace("\n", f"\n{mark}")


class JsonForm(logging.Formatter):
    """An object a line: time, level, logger, process, text, the pairs, and the traceback if there is one."""

    def __init__(self, process: str = "") -> None:
        """`process` is the name of one of several processes."""
        super().__init__(datefmt="%Y-%m-%dT%H:%M:%S")
        self.converter = time.gmtime
        self._process = process

    def format(self, record: logging.LogRecord) -> str:
        """The line of a record."""
        text, words = _parted(record)
        line: dict[str, object] = {
            "time": f"{self.formatTime(record, self.datefmt)}.{int(record.msecs):03d}Z",
            "level": record.levelname.lower(),
            "logger": record.name,
        }
        if self._process:
            line["process"] = self._process
        line |= {"text": text, **words}
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return harmless(json.dumps(line, ensure_ascii=False))


OWN_KEYS: Final = ("time", "level", "logger", "process", "text", "traceback")
"""Keys of a JSON line that are no pairs."""


def start_logging(form: LogForm = "text", process: str = "") -> None:
    """Starts the log on standard error, with the name of one of several processes."""
    forms = {"text": TextForm, "json": JsonForm, "journal": JournalForm}
    handler = logging.StreamHandler()
    handler.setFormatter(forms[form](process))
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=bool(process))
    for name in QUIET:
        logging.getLogger(name).setLevel(logging.WARNING)


def _parted(record: logging.LogRecord) -> tuple[str, dict[str, object]]:
    """The sentence of a line, and its pairs."""
    arguments = record.args if isinstance(record.args, tuple) else ()
    if len(arguments) == 1 and isinstance(arguments[0], Pairs):
        words = {key: plain(value) for key, value in arguments[0].present().items()}
        return str(record.msg).removesuffix(" %s"), words
    return record.getMessage(), {}
