"""`pbmserv receive`: the end of an MTA's pipe. It is started once a mail."""

import sys
from typing import Annotated

import typer

from pbmserv.cli.terminal import Exit, app_or_exit, give_up, settings_or_exit
from pbmserv.mail.reading.read import envelope_sender_of, is_mail
from pbmserv.mail.receiving.smtp_handler import MOST_HOPS, count_hops
from pbmserv.services.app import utc_now
from pbmserv.services.receive import receive_mail
from pbmserv.store.engine import cause_of


def receive(
    mail_from: Annotated[
        str | None, typer.Option(help="envelope sender, empty for a bounce; default: Return-Path or From")
    ] = None,
    rcpt_to: Annotated[list[str] | None, typer.Option(help="envelope recipient; may be repeated")] = None,
) -> None:
    """Store one raw mail from standard input, for an MTA's pipe.

    Exit codes: 0 if it is stored, 65 if it is not a mail or too large, 75 if the operator has to fix something.

    Examples:
        pbmserv receive --mail-from alice@example.org < mail.eml
    """
    settings = settings_or_exit(Exit.TRY_LATER)
    raw = sys.stdin.buffer.read(settings.max_size + 1)
    if len(raw) > settings.max_size:
        give_up(f"the mail is larger than {settings.max_size} bytes", Exit.NO_MAIL)
    if not is_mail(raw):
        give_up("that is not a mail: it has no header", Exit.NO_MAIL)
    if count_hops(raw) > MOST_HOPS:
        give_up(f"the mail has more than {MOST_HOPS} Received lines: it is looping", Exit.NO_MAIL)
    sender = envelope_sender_of(raw) if mail_from is None else mail_from or "<>"
    app = app_or_exit(settings, for_good=Exit.TRY_LATER)
    try:
        receive_mail(app, raw, sender, rcpt_to or [settings.address], utc_now())
    except Exception as error:
        # Any other exit code would make the MTA bounce the mail.
        give_up(f"the mail could not be stored: {cause_of(error)}", Exit.TRY_LATER)
