"""`pbmserv admin inbox`, `outbox` and `trace`: looking for mails.

If you ask for something, by a filter or a trace, and nothing is found, the exit code is 1, as from grep; a plain
list that is empty is a good answer, with exit code 0.
"""

from datetime import datetime

import click

from pbmserv.cli import terminal
from pbmserv.cli.lazy import PlainGroup, command
from pbmserv.services.admin.traces import CannotTrace, list_outgoing, list_received, since_when
from pbmserv.services.admin.traces import trace as trace_mails
from pbmserv.services.app import App, utc_now
from pbmserv.store.mail_history import MailFilter

RECEIVED = ("waiting", "handled", "duplicate", "silent", "report", "set aside", "discarded")
# What mails of version 0.13 and before may be, too.
OUTGOING = ("waiting", "withheld", "sent", "bounced", "failed", "superseded")

count_option = click.option(
    "--count", type=click.IntRange(1, 10_000), default=50, help="show at most this many, the newest"
)
board_option = click.option("--board", type=int, help="only about this board")
since_option = click.option(
    "--since", default="", help="only since then: 2026-11-23, 2026-11-23T08:30 (UTC), or 30m, 2h, 3d ago"
)


@click.group(cls=PlainGroup, invoke_without_command=True)
@click.option("--all", "everything", is_flag=True, help="not only those in trouble")
@click.option("--from", "sender", default="", help="only from this address")
@board_option
@since_option
@click.option("--status", default="", help=f"only these: {', '.join(RECEIVED)}")
@count_option
@terminal.scripted_option
@click.pass_context
def inbox(
    context: click.Context,
    everything: bool,
    sender: str,
    board: int | None,
    since: str,
    status: str,
    count: int,
    scripted: bool | None,
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
        for mail in list_received(terminal.app_or_exit(), wanted, count)
    ]
    terminal.print_rows(rows, scripted, "mails set aside or held up" if wanted.in_trouble else "mails")
    _end(is_filtered and not rows)


@inbox.command
@click.argument("mail_id", type=int, metavar="ID")
def retry(mail_id: int) -> None:
    """Let a mail that was set aside be handled again."""
    from pbmserv.services.admin.mails import retry as retry_mail

    if not retry_mail(terminal.app_or_exit(), mail_id, utc_now()):
        terminal.give_up(f"no mail {mail_id} is set aside; `pbmserv admin inbox` lists those that are")
    terminal.out.print(f"Mail {mail_id} waits to be handled again.", highlight=False)


@inbox.command
@click.argument("mail_id", type=int, metavar="ID")
@terminal.yes_option
@terminal.dry_run_option
def discard(mail_id: int, yes: bool, dry_run: bool) -> None:
    """Let go of a mail that was set aside, words and all; it is never handled then. Before that it asks, or needs
    --yes."""
    from pbmserv.services.admin.referee import Effect
    from pbmserv.services.scheduler.retention import discard as discard_mail

    erased = Effect((), (), f"Mail {mail_id}")

    def act(app: App) -> bool:
        return discard_mail(app, mail_id, utc_now())

    if not terminal.after_asking(terminal.app_or_exit(), act, lambda done: erased if done else None, yes, dry_run):
        terminal.give_up(f"no mail {mail_id} is set aside; `pbmserv admin inbox` lists those that are")
    terminal.out.print(f"Mail {mail_id} is discarded.", highlight=False)


@command
@click.option("--to", default="", help="only to this address")
@board_option
@since_option
@click.option("--status", default="", help=f"only these: {', '.join(OUTGOING)}")
@count_option
@terminal.scripted_option
def outbox(to: str, board: int | None, since: str, status: str, count: int, scripted: bool | None) -> None:
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
        for mail in list_outgoing(terminal.app_or_exit(), wanted, count)
    ]
    terminal.print_rows(rows, scripted, "outgoing mails")
    _end(wanted != MailFilter() and not rows)


@command
@click.argument(
    "what",
    metavar="MAIL|BOARD|PLAYER",
    help="as in the log: mail=17, out=40, board=101, player=alice, queue=4F1A; or a bare number, "
    "username, address or Message-ID",
)
@since_option
@terminal.scripted_option
def trace(what: str, since: str, scripted: bool | None) -> None:
    """Show the road of mails in order of time: in, entries in logs, effect, out, sent, bounced. Times are UTC.

    Exit code 1 if nothing is found.

    Examples:
        pbmserv admin trace mail=17
        pbmserv admin trace alice --since 3d
    """
    with terminal.or_give_up(CannotTrace):
        events = trace_mails(terminal.app_or_exit(), what, _moment(since))
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
    terminal.print_rows(rows, scripted, "traces")
    _end(not rows)


def _filter(status: str, known: tuple[str, ...], board: int | None, address: str, since: str) -> MailFilter:
    if status and status not in known:
        terminal.give_up(f"the status is one of {', '.join(known)}", terminal.Exit.USAGE)
    return MailFilter(status, board, address.strip(), _moment(since))


def _moment(since: str) -> datetime | None:
    try:
        return since_when(since, utc_now()) if since else None
    except ValueError:
        terminal.give_up(
            "--since wants a date, as 2026-11-23, or how long ago, as 30m, 2h, 3d", terminal.Exit.USAGE
        )


def _end(is_nothing_found: bool) -> None:
    if is_nothing_found:
        raise SystemExit(terminal.Exit.FAILED)
