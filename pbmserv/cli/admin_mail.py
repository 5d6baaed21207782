"""`pbmserv admin inbox`, `outbox` and `trace`: looking for mails.

Whoever asks for something, by a filter or a trace, and finds nothing gets exit code 1, as from grep; a plain list
that is empty is a good answer, with exit code 0.
"""

from datetime import datetime
from typing import Annotated

import typer

from pbmserv.cli.asking import DryRun, Yes, after_asking
from pbmserv.cli.lazy import PlainCommand
from pbmserv.cli.terminal import Exit, Scripted, app_or_exit, give_up, out, print_rows, settings_or_exit
from pbmserv.services.admin.traces import (
    CannotTrace,
    list_outgoing,
    list_received,
    since_when,
)
from pbmserv.services.admin.traces import trace as trace_mails
from pbmserv.services.app import App, utc_now
from pbmserv.store.mail_traces import MailFilter

RECEIVED = ("waiting", "handled", "duplicate", "silent", "report", "set aside", "discarded")
OUTGOING = ("waiting", "withheld", "sent", "bounced", "failed", "superseded")

Count = Annotated[int, typer.Option(min=1, max=10_000, help="show at most this many, the newest")]
Board = Annotated[int | None, typer.Option(help="only about this board")]
Since = Annotated[
    str, typer.Option(help="only since then: 2026-11-23, 2026-11-23T08:30 (UTC), or 30m, 2h, 3d ago")
]

inbox_app = typer.Typer(
    add_completion=False,
    invoke_without_command=True,
    rich_markup_mode=None,
    help="Mails taken in: those in trouble, or all; retry or discard one.",
)


@inbox_app.callback()
def inbox(
    context: typer.Context,
    everything: Annotated[bool, typer.Option("--all", help="not only those in trouble")] = False,
    sender: Annotated[str, typer.Option("--from", help="only from this address")] = "",
    board: Board = None,
    since: Since = "",
    status: Annotated[str, typer.Option(help=f"only these: {', '.join(RECEIVED)}")] = "",
    count: Count = 50,
    scripted: Scripted = None,
) -> None:
    """List the mails that were set aside after our own failure, or wait to be tried again, with what happened.

    With --all or a filter: any mails, with what became of them. Exit code 1 if a filter finds nothing.

    Tries: exceptions; kills: ends of processes of its own; setbacks are not its fault and set nothing aside.
    """
    if context.invoked_subcommand is not None:
        return
    wanted = _filter(status, RECEIVED, board, sender, since)
    is_filtered = wanted != MailFilter()
    if not (everything or is_filtered):
        wanted = MailFilter(in_trouble=True)
    rows = [
        {
            "id": mail.message.id,
            "kept_at": mail.message.received_at,
            "sender": mail.message.sender,
            "status": mail.message.status,
            "tries": mail.message.tries,
            "kills": mail.message.kills,
            "setbacks": mail.message.setbacks,
            "not_before": mail.message.not_before if mail.message.is_held_up else None,
            "outcome": mail.outcome.partition("\n")[0],
            "error": mail.message.error or "",
        }
        for mail in list_received(_app(), wanted, count)
    ]
    print_rows(rows, scripted, "mails set aside or held up" if wanted.in_trouble else "mails")
    _end(is_filtered and not rows)


@inbox_app.command(cls=PlainCommand)
def retry(mail_id: Annotated[int, typer.Argument(metavar="ID")]) -> None:
    """Let a mail that was set aside be handled again."""
    from pbmserv.services.admin.mails import retry as retry_mail

    if not retry_mail(_app(), mail_id, utc_now()):
        give_up(f"no mail {mail_id} is set aside; `pbmserv admin inbox` lists those that are")
    out.print(f"Mail {mail_id} waits to be handled again.", highlight=False)


@inbox_app.command(cls=PlainCommand)
def discard(
    mail_id: Annotated[int, typer.Argument(metavar="ID")], yes: Yes = False, dry_run: DryRun = False
) -> None:
    """Let go of a mail that was set aside, words and all; it is never handled then. Before that it asks, or needs
    --yes."""
    from pbmserv.services.admin.referee import Effect
    from pbmserv.services.scheduler.retention import discard as discard_mail

    erased = Effect((), (), f"Mail {mail_id}")

    def act(app: App) -> bool:
        return discard_mail(app, mail_id, utc_now())

    if not after_asking(_app(), act, lambda done: erased if done else None, yes, dry_run):
        give_up(f"no mail {mail_id} is set aside; `pbmserv admin inbox` lists those that are")
    out.print(f"Mail {mail_id} is discarded.", highlight=False)


def outbox(
    to: Annotated[str, typer.Option(help="only to this address")] = "",
    board: Board = None,
    since: Since = "",
    status: Annotated[str, typer.Option(help=f"only these: {', '.join(OUTGOING)}")] = "",
    count: Count = 50,
    scripted: Scripted = None,
) -> None:
    """List outgoing mails, the newest first. Exit code 1 if a filter finds nothing.

    Examples:
        pbmserv admin outbox --to alice@example.org --since 2d
        pbmserv admin outbox --status failed --json
    """
    wanted = _filter(status, OUTGOING, board, to, since)
    rows = [
        {
            "id": mail.id,
            "mail": mail.inbox_id,
            "to": mail.recipient,
            "kind": mail.kind,
            "board": mail.match,
            "status": mail.status,
            "tries": mail.tries,
            "created_at": mail.created_at,
            "sent_at": mail.sent_at,
            "queue": mail.queue_id or "",
            "not_before": mail.not_before if mail.status == "waiting" and mail.tries else None,
            "error": mail.error or "",
        }
        for mail in list_outgoing(_app(), wanted, count)
    ]
    print_rows(rows, scripted, "outgoing mails")
    _end(wanted != MailFilter() and not rows)


def trace(
    what: Annotated[
        str,
        typer.Argument(
            metavar="MAIL|BOARD|PLAYER",
            help="as in the log: mail=17, out=40, board=101, player=alice, queue=4F1A; or a bare number, "
            "username, address or Message-ID",
        ),
    ],
    since: Since = "",
    scripted: Scripted = None,
) -> None:
    """Show the road of mails in order of time: in, entries in logs, effect, out, sent, bounced. Times are UTC.

    Exit code 1 if nothing is found.

    Examples:
        pbmserv admin trace mail=17
        pbmserv admin trace alice --since 3d
    """
    try:
        events = trace_mails(_app(), what, _moment(since))
    except CannotTrace as error:
        give_up(str(error))
    rows = [
        {
            "at": event.at,
            "step": event.step,
            "mail": event.mail,
            "out": event.out,
            "board": event.board,
            "address": event.address,
            "status": event.status,
            "tries": event.tries or None,
            "queue": event.queue,
            "told": event.told,
        }
        for event in events
    ]
    print_rows(rows, scripted, "traces")
    _end(not rows)


def _filter(status: str, known: tuple[str, ...], board: int | None, address: str, since: str) -> MailFilter:
    if status and status not in known:
        give_up(f"the status is one of {', '.join(known)}", Exit.USAGE)
    return MailFilter(status, board, address.strip(), _moment(since))


def _moment(since: str) -> datetime | None:
    try:
        return since_when(since, utc_now()) if since else None
    except ValueError:
        give_up("--since wants a date, as 2026-11-23, or how long ago, as 30m, 2h, 3d", Exit.USAGE)


def _end(is_nothing_found: bool) -> None:
    if is_nothing_found:
        raise typer.Exit(Exit.FAILED)


def _app() -> App:
    return app_or_exit(settings_or_exit())
