"""`pbmserv receive`: the end of an MTA's pipe. Started once a mail, it imports only what storing one needs."""

import os
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from getopt import GetoptError, getopt
from typing import NoReturn

from pbmserv.cli.config import WrongSetting, load_settings
from pbmserv.cli.database import CannotStart, open_newest
from pbmserv.mail.log_words import harmless
from pbmserv.mail.reading.headers import MOST_HOPS, count_hops, envelope_sender_of, is_mail
from pbmserv.services.receive import Intake, receive_mail
from pbmserv.store.engine import cause_of


def run_plainly(words: Sequence[str]) -> None:
    """Runs `pbmserv receive WORDS`, and ends; does nothing if that asks for more than storing."""
    try:
        options, others = getopt([*words], "", ["mail-from=", "rcpt-to="])
    except GetoptError:
        return
    if not others:
        os.umask(0o077)
        senders = [value for name, value in options if name == "--mail-from"]
        store_mail(senders[-1] if senders else None, [value for name, value in options if name == "--rcpt-to"])
        sys.exit()


def store_mail(mail_from: str | None, rcpt_to: Sequence[str]) -> None:
    """Stores a mail from standard input. Exits if it cannot be, with what tells an MTA what to do (sysexits.h)."""
    try:
        settings = load_settings()
        raw = sys.stdin.buffer.read(settings.max_size + 1)
        if len(raw) > settings.max_size:
            _give_up(f"the mail is larger than {settings.max_size} bytes", os.EX_DATAERR)
        if not is_mail(raw):
            _give_up("that is not a mail: it has no header", os.EX_DATAERR)
        if count_hops(raw) > MOST_HOPS:
            _give_up(f"the mail has more than {MOST_HOPS} Received lines: it is looping", os.EX_DATAERR)
        sender = envelope_sender_of(raw) if mail_from is None else mail_from or "<>"
        intake = Intake(open_newest(settings), settings.server())
        receive_mail(intake, raw, sender, rcpt_to or [settings.address], datetime.now(UTC))
    except (WrongSetting, CannotStart) as error:
        _give_up(str(error), os.EX_TEMPFAIL)
    except Exception as error:
        # Any other exit code would make the MTA bounce the mail.
        _give_up(f"the mail could not be stored: {cause_of(error)}", os.EX_TEMPFAIL)


def _give_up(sentence: str, code: int) -> NoReturn:
    print(harmless(f"pbmserv: {sentence}"), file=sys.stderr)  # noqa: T201
    raise SystemExit(code)
