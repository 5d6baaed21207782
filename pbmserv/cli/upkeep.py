"""`pbmserv migrate`, `tidy` and `receive`: the schema, old mails, and one new one."""

import time
from contextlib import nullcontext
from datetime import timedelta
from typing import Final

import click
from rich.progress import Progress

from pbmserv.cli.bootstrap import alone, bring_up
from pbmserv.cli.config import WrongSetting
from pbmserv.cli.database import CannotStart, opened
from pbmserv.cli.lazy import command
from pbmserv.cli.logs import start_logging
from pbmserv.cli.receive import store_mail
from pbmserv.cli.terminal import Exit, app_or_exit, err, give_up, out, settings_or_exit
from pbmserv.server.scheduler import PURGE_REST, summary_of
from pbmserv.services.app import utc_now
from pbmserv.services.scheduler.retention import Purged, count_old
from pbmserv.services.scheduler.retention import purge as purge_mails
from pbmserv.store.schema import NEWEST, stored_version

SOON: Final = 2.0
"""Seconds after which a purge shows how far it is."""


@command
def tidy() -> None:
    """Delete mails older than PBMSERV_KEEP_DAYS now; `serve` does it every day."""
    settings = settings_or_exit()
    app = app_or_exit(settings)
    keep = timedelta(days=settings.keep_days)
    done, began = Purged(), time.monotonic()
    now = utc_now()
    with Progress(console=err, transient=True, disable=not err.is_terminal) as progress:
        task = progress.add_task("deleting", total=count_old(app, now - keep), visible=False)
        for step in purge_mails(app, now - keep, now):
            done += step
            progress.update(task, completed=done.mails, visible=time.monotonic() - began > SOON)
            time.sleep(PURGE_REST)
    app.engine.dispose()
    out.print(f"Older than {settings.keep_days} days: {summary_of(done)}.", highlight=False, soft_wrap=True)


@command
def migrate() -> None:
    """Update the schema of the database, and rate the games played before there were ratings."""
    settings = settings_or_exit()
    start_logging(settings.log)
    try:
        with opened(settings) as engine:
            is_new = stored_version(engine) == NEWEST
            with nullcontext() if is_new else alone(settings):
                bring_up(settings, engine)
    except WrongSetting as error:
        give_up(str(error), Exit.WRONG_SETTING)
    except CannotStart as error:
        give_up(str(error), Exit.WRONG_SETTING if error.is_for_good else Exit.TRY_LATER)
    out.print(f"The schema is at version {NEWEST}.")


@command
@click.option("--mail-from", help="envelope sender, empty for a bounce; default: Return-Path or From")
@click.option("--rcpt-to", multiple=True, help="envelope recipient; may be repeated")
def receive(mail_from: str | None, rcpt_to: tuple[str, ...]) -> None:
    """Store one raw mail from standard input, for an MTA's pipe.

    Exit codes: 0 if it is stored, 65 if it is not a mail or too large, 75 if the operator has to fix something.

    Examples:
        pbmserv receive --mail-from alice@example.org < mail.eml
    """
    store_mail(mail_from, rcpt_to)
