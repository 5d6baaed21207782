"""`pbmserv admin as`, `password`, `address`, `ban` and others: players, their addresses, care against abuse."""

import re
import sys
from dataclasses import asdict
from datetime import timedelta
from typing import Final

import click

from pbmserv.cli import terminal
from pbmserv.cli.admin_referee import listed, mails_queued, reason_option
from pbmserv.cli.lazy import command
from pbmserv.services.admin import act, banning
from pbmserv.services.admin.act import CannotInvite, CannotOperate, give_address, run_as, set_password
from pbmserv.services.admin.referee import CannotRule, rehearsal
from pbmserv.services.app import App, utc_now
from pbmserv.services.bounces import lift as lift_address
from pbmserv.services.bounces import see_suspended


@command
@click.argument("userid")
def password(userid: str) -> None:
    """Set a player's password, asked for twice, or read from standard input when that is no terminal."""
    app = terminal.app_or_exit()
    if sys.stdin.isatty():
        secret = click.prompt(f"New password of {userid}", hide_input=True, confirmation_prompt=True)
    else:
        secret = sys.stdin.readline().rstrip("\n")
    with terminal.or_give_up(CannotOperate):
        set_password(app, userid, secret, utc_now())
    terminal.out.print(f"{userid} has a new password.", highlight=False)


@command
@click.argument("userid")
@click.argument("line", metavar="COMMAND", help='such as "move 101 c3"')
@terminal.yes_option
@terminal.dry_run_option
def as_player(userid: str, line: str, yes: bool, dry_run: bool) -> None:
    """Run one command for a player; boards that it changes are mailed to all their players.

    Before it ends a game or erases an account it asks, or needs --yes.

    Examples:
        pbmserv admin as bob "move 101 c3"
        pbmserv admin as bob --dry-run delete
    """
    with terminal.or_give_up(CannotOperate):
        operated = terminal.after_asking(
            terminal.app_or_exit(),
            lambda app: run_as(app, userid, line, utc_now()),
            lambda done: done.effect,
            yes,
            dry_run,
        )
    terminal.out.print(operated.text, highlight=False, markup=False, soft_wrap=True, end="")
    if not operated.done:
        raise SystemExit(terminal.Exit.FAILED)


@command
@click.argument("userid", metavar="NAME")
@click.argument("new", metavar="NEW")
def address(userid: str, new: str) -> None:
    """Make NEW a player's only address, once they confirm it. Old addresses, mails and the password expire.

    Examples:
        pbmserv admin address alice alice@example.net
    """
    with terminal.or_give_up(CannotOperate):
        known = give_address(terminal.app_or_exit(), userid, new, utc_now())
    then = f"it becomes the only address of {known}, without a password"
    terminal.print_line(f"{new} was asked: after a yes within a week {then}.")


@command
@terminal.scripted_option
def suspended(scripted: bool | None) -> None:
    """List the addresses that get no board mail, why, and how many mails wait for each."""
    rows = [
        {
            "userid": each.userid,
            "address": each.address,
            "since": each.since,
            "withheld": each.withheld,
            "reasons": list(each.reasons),
        }
        for each in see_suspended(terminal.app_or_exit())
    ]
    terminal.print_rows(rows, scripted, "suspended addresses")


@command
@click.argument("whose", metavar="ADDRESS|USERID")
def lift(whose: str) -> None:
    """Resume mail to a suspended address, and send what was missed."""
    lifted = lift_address(terminal.app_or_exit(), whose, utc_now())
    if lifted is None:
        terminal.give_up(f"mail to {whose} is not suspended; see `pbmserv admin suspended`")
    terminal.print_line(f"Mail to {lifted} is resumed.")


@command
@click.argument("address", metavar="ADDRESS")
def invite(address: str) -> None:
    """Mail somebody an invitation: it lets them sign up even when the day's quota is used up."""
    with terminal.or_give_up(CannotInvite):
        days = act.invite(terminal.app_or_exit(), address, utc_now())
    told = f"An invitation was mailed to {address}; it is valid for {days} days."
    terminal.print_line(told)


_SPAN: Final = re.compile(r"([1-9][0-9]{0,3})([hd])")
_WHO: Final = "USERID|ADDRESS|@DOMAIN"

IDLE: Final = timedelta(days=30)


@command
@click.option("--since", default="7d", metavar="SPAN", help="how far back: 12h, 7d")
@click.option("--count", type=click.IntRange(1, 1000), default=10, help="this many of each kind")
@terminal.scripted_option
def report(since: str, count: int, scripted: bool | None) -> None:
    """Show who writes most, is refused most, floods, guesses passwords or bounces. No words of any mail.

    Anybody can forge an address. `pbmserv admin ban ADDRESS` has mail from there ignored.

    Examples:
        pbmserv admin report --since 12h
    """
    found = banning.conspicuous(terminal.app_or_exit(), utc_now() - span(since), count)
    terminal.print_rows([asdict(each) for each in found], scripted, "addresses")


def span(word: str) -> timedelta:
    """A span of time such as 12h or 7d; exits if it is none."""
    found = _SPAN.fullmatch(word)
    if found is None:
        terminal.give_up(f"{word} is no span of time: use hours or days, such as 12h or 7d", terminal.Exit.USAGE)
    return timedelta(hours=int(found[1]) * (24 if found[2] == "d" else 1))


@command
@click.argument("who", metavar=_WHO)
@reason_option
@terminal.yes_option
@terminal.dry_run_option
def ban(who: str, reason: str, yes: bool, dry_run: bool) -> None:
    """Ban a player, an address or a domain.

    A banned player is removed from all boards and notified, and their commands no longer run. You are asked to
    confirm, unless you give --yes.

    Mail from a banned address (alice@example.org), or from a domain and its subdomains (@spam.example), has no
    effect and gets no answer, and nobody is notified. Addresses can be forged, so such a ban ends no games, and
    mail is still sent there.

    Examples:
        pbmserv admin ban @spam.example
    """
    app = terminal.app_or_exit()
    if banning.is_pattern(who):
        _silence(app, who, reason, dry_run)
        return
    with terminal.or_give_up(CannotRule):
        banned = terminal.after_asking(
            app, lambda app: banning.ban(app, who, reason, utc_now()), lambda done: done.effect, yes, dry_run
        )
    removed = f"; taken off {listed(banned.removed)}" if banned.removed else ""
    void = f"; void now: {listed(banned.declined)}" if banned.declined else ""
    terminal.print_line(f"{banned.userid} is banned{removed}{void}. {mails_queued(len(banned.effect.to))}")


@command
@click.argument("who", metavar=_WHO)
@reason_option
def unban(who: str, reason: str) -> None:
    """Lift the ban on a player, an address or a domain. A player is notified by mail."""
    app = terminal.app_or_exit()
    with terminal.or_give_up(CannotRule):
        if banning.is_pattern(who):
            terminal.print_line(f"{banning.lift_address_ban(app, who)} is no longer banned.")
            return
        found = banning.unban(app, who, reason, utc_now())
    terminal.print_line(f"{found} is no longer banned. {mails_queued(1)}")


@command
@terminal.scripted_option
def banned(scripted: bool | None) -> None:
    """List players, addresses and domains that are banned."""
    found = banning.list_banned(terminal.app_or_exit())
    rows = [{"who": each.who, "since": each.since, "reason": each.reason} for each in found]
    terminal.print_rows(rows, scripted, "bans")


def _silence(app: App, who: str, reason: str, dry_run: bool) -> None:
    # It can be taken back, so that nobody is asked.
    with terminal.or_give_up(CannotRule):
        done = banning.silence(rehearsal(app) if dry_run else app, who, reason, utc_now())
    terminal.print_line(f"Mail from {done.pattern} no longer has any effect, and gets no answer.")
    if done.players:
        told = f"Players with an address there: {terminal.named(done.players)}."
        terminal.print_line(f"{told} Their games go on; `ban USERID` would end them.")
    if dry_run:
        terminal.print_line("Nothing is done.")
