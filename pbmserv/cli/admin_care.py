"""`pbmserv admin report`, `ban`, `unban`, `banned` and `games --stuck`: care against abuse and standstill."""

import re
from dataclasses import asdict
from datetime import timedelta
from typing import Annotated, Final

import typer
from rich.progress import Progress

from pbmserv.cli.admin_referee import Reason, listed, mails_queued
from pbmserv.cli.asking import DryRun, Yes, after_asking, named, print_line
from pbmserv.cli.terminal import Exit, Scripted, app_or_exit, err, give_up, print_rows, settings_or_exit
from pbmserv.services.admin import abuse, banning
from pbmserv.services.admin.abuse import conspicuous
from pbmserv.services.admin.referee import CannotRule, rehearsal
from pbmserv.services.admin.stuck import stuck_boards
from pbmserv.services.app import App, utc_now

_SPAN: Final = re.compile(r"([1-9][0-9]{0,3})([hd])")
_WHO: Final = "USERID|ADDRESS|@DOMAIN"

IDLE: Final = timedelta(days=30)


def report(
    since: Annotated[str, typer.Option(metavar="SPAN", help="how far back: 12h, 7d")] = "7d",
    count: Annotated[int, typer.Option(min=1, max=1000, help="this many of each kind")] = 10,
    scripted: Scripted = None,
) -> None:
    """Show who writes most, is refused most, floods, guesses passwords or bounces. No words of any mail.

    Anybody can forge an address. `pbmserv admin ban ADDRESS` has mail from there ignored.

    Examples:
        pbmserv admin report --since 12h
    """
    found = conspicuous(app_or_exit(settings_or_exit()), utc_now() - span(since), count)
    print_rows([asdict(each) for each in found], scripted, "addresses")


def print_stuck(app: App, scripted: bool | None) -> None:
    """Prints the boards that do not go on; exits with 1 if there are any."""
    with Progress(console=err, transient=True, disable=not err.is_terminal) as progress:
        task = progress.add_task("replaying", total=None)
        found = stuck_boards(
            app, IDLE, utc_now(), lambda done, of: progress.update(task, completed=done, total=of)
        )
    print_rows([asdict(each) for each in found], scripted, "stuck boards")
    if found:
        raise typer.Exit(Exit.FAILED)


def span(word: str) -> timedelta:
    """A span of time such as 12h or 7d; exits if it is none."""
    found = _SPAN.fullmatch(word)
    if found is None:
        give_up(f"{word} is no span of time: use hours or days, such as 12h or 7d", Exit.USAGE)
    return timedelta(hours=int(found[1]) * (24 if found[2] == "d" else 1))


def ban(
    who: Annotated[str, typer.Argument(metavar=_WHO)],
    reason: Reason = "",
    yes: Yes = False,
    dry_run: DryRun = False,
) -> None:
    """Ban a player, an address or a domain.

    A player is removed from all boards and told so, and none of their commands are run any more. Before that it
    asks, or needs --yes.

    Mail from an address (alice@example.org), or from a domain and all below it (@spam.example), has no effect and
    gets no answer; nobody is told. Anybody can forge an address, so such a ban ends no game, and mail still goes
    there.

    Examples:
        pbmserv admin ban @spam.example
    """
    app = app_or_exit(settings_or_exit())
    if abuse.is_pattern(who):
        _silence(app, who, reason, dry_run)
        return
    try:
        banned = after_asking(
            app, lambda app: banning.ban(app, who, reason, utc_now()), lambda done: done.effect, yes, dry_run
        )
    except CannotRule as error:
        give_up(str(error))
    removed = f"; taken off {listed(banned.removed)}" if banned.removed else ""
    void = f"; void now: {listed(banned.declined)}" if banned.declined else ""
    print_line(f"{banned.userid} is banned{removed}{void}. {mails_queued(len(banned.effect.to))}")


def unban(who: Annotated[str, typer.Argument(metavar=_WHO)], reason: Reason = "") -> None:
    """Let a banned player take part again, who is told; or heed mail from an address or a domain again."""
    app = app_or_exit(settings_or_exit())
    try:
        if abuse.is_pattern(who):
            print_line(f"{abuse.hear_again(app, who)} is not banned any more.")
            return
        found = banning.unban(app, who, reason, utc_now())
    except CannotRule as error:
        give_up(str(error))
    print_line(f"{found} is not banned any more. {mails_queued(1)}")


def banned(scripted: Scripted = None) -> None:
    """List players, addresses and domains that are banned."""
    found = abuse.list_banned(app_or_exit(settings_or_exit()))
    rows = [{"who": each.who, "since": each.since, "reason": each.reason} for each in found]
    print_rows(rows, scripted, "bans")


def _silence(app: App, who: str, reason: str, dry_run: bool) -> None:
    # It can be taken back, so that nobody is asked.
    try:
        done = abuse.silence(rehearsal(app) if dry_run else app, who, reason, utc_now())
    except CannotRule as error:
        give_up(str(error))
    print_line(f"Mail from {done.pattern} has no effect any more, and gets no answer.")
    if done.players:
        told = f"Players with an address there: {named(done.players)}."
        print_line(f"{told} Their games go on; `ban USERID` would end them.")
    if dry_run:
        print_line("Nothing is done.")
