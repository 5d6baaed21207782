"""`pbmserv admin address`, `suspended`, `lift` and `invite`: another address for a player; addresses that mail is
held back from, because it came back; and a place for a newcomer."""

from typing import Annotated

import typer

from pbmserv.entrypoints.bootstrap import utc_now
from pbmserv.entrypoints.terminal import Json, give_up, house_or_exit, out, print_rows, settings_or_exit
from pbmserv.services.bounce import lift as lift_address
from pbmserv.services.bounce import see_suspended
from pbmserv.services.operator.addresses import give_address
from pbmserv.services.operator.inviting import CannotInvite
from pbmserv.services.operator.inviting import invite as invite_address
from pbmserv.services.operator.operate import CannotOperate


def address(
    userid: Annotated[str, typer.Argument(metavar="NAME")], new: Annotated[str, typer.Argument(metavar="NEW")]
) -> None:
    """Ask NEW to be a player's only address; old addresses, mails and the password are worth nothing then."""
    try:
        known = give_address(house_or_exit(settings_or_exit()), userid, new, utc_now())
    except CannotOperate as error:
        give_up(str(error))
    then = f"it is the only address of {known}, who has no password then"
    out.print(f"{new} is asked: with a yes within a week {then}.", markup=False, highlight=False, soft_wrap=True)


def suspended(json: Json = False) -> None:
    """List the addresses that board mail is held back from, why, and how many mails wait for each."""
    rows = [
        {
            "userid": each.userid,
            "address": each.address,
            "since": each.since,
            "withheld": each.withheld,
            "reasons": list(each.reasons),
        }
        for each in see_suspended(house_or_exit(settings_or_exit()))
    ]
    print_rows(rows, json, "suspended addresses")


def lift(whose: Annotated[str, typer.Argument(metavar="ADDRESS|USERID")]) -> None:
    """Let mail go to a suspended address again, and send what was missed."""
    lifted = lift_address(house_or_exit(settings_or_exit()), whose, utc_now())
    if lifted is None:
        give_up(f"mail to {whose} is not held back; `pbmserv admin suspended` lists what is")
    out.print(f"Mail to {lifted} goes out again.", markup=False, highlight=False, soft_wrap=True)


def invite(address: Annotated[str, typer.Argument(metavar="ADDRESS")]) -> None:
    """Mail somebody an invitation, with which they can sign up however many have done so that day."""
    try:
        days = invite_address(house_or_exit(settings_or_exit()), address, utc_now())
    except CannotInvite as error:
        give_up(str(error))
    told = f"{address} is mailed an invitation, good for {days} days."
    out.print(told, markup=False, highlight=False, soft_wrap=True)
