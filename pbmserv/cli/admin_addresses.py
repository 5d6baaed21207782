"""`pbmserv admin address`, `suspended`, `lift` and `invite`: new addresses, suspended addresses, invitations."""

from typing import Annotated

import typer

from pbmserv.cli.terminal import Scripted, app_or_exit, give_up, out, print_rows, settings_or_exit
from pbmserv.services.admin.act import CannotOperate
from pbmserv.services.admin.addresses import CannotInvite, give_address
from pbmserv.services.admin.addresses import invite as invite_address
from pbmserv.services.app import utc_now
from pbmserv.services.bounces import lift as lift_address
from pbmserv.services.bounces import see_suspended


def address(
    userid: Annotated[str, typer.Argument(metavar="NAME")], new: Annotated[str, typer.Argument(metavar="NEW")]
) -> None:
    """Make NEW a player's only address, once they confirm it. Old addresses, mails and the password expire.

    Examples:
        pbmserv admin address alice alice@example.net
    """
    try:
        known = give_address(app_or_exit(settings_or_exit()), userid, new, utc_now())
    except CannotOperate as error:
        give_up(str(error))
    then = f"it becomes the only address of {known}, without a password"
    out.print(f"{new} was asked: after a yes within a week {then}.", markup=False, highlight=False, soft_wrap=True)


def suspended(scripted: Scripted = None) -> None:
    """List the addresses that get no board mail, why, and how many mails wait for each."""
    rows = [
        {
            "userid": each.userid,
            "address": each.address,
            "since": each.since,
            "withheld": each.withheld,
            "reasons": list(each.reasons),
        }
        for each in see_suspended(app_or_exit(settings_or_exit()))
    ]
    print_rows(rows, scripted, "suspended addresses")


def lift(whose: Annotated[str, typer.Argument(metavar="ADDRESS|USERID")]) -> None:
    """Resume mail to a suspended address, and send what was missed."""
    lifted = lift_address(app_or_exit(settings_or_exit()), whose, utc_now())
    if lifted is None:
        give_up(f"mail to {whose} is not suspended; see `pbmserv admin suspended`")
    out.print(f"Mail to {lifted} is resumed.", markup=False, highlight=False, soft_wrap=True)


def invite(address: Annotated[str, typer.Argument(metavar="ADDRESS")]) -> None:
    """Mail somebody an invitation: it lets them sign up even when the day's quota is used up."""
    try:
        days = invite_address(app_or_exit(settings_or_exit()), address, utc_now())
    except CannotInvite as error:
        give_up(str(error))
    told = f"An invitation was mailed to {address}; it is valid for {days} days."
    out.print(told, markup=False, highlight=False, soft_wrap=True)
