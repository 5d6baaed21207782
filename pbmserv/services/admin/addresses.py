"""What is said of a player's account: the commands about it that were carried out, and the mails that ask or tell.

As in `replies`, each class's name names its template.
"""

from datetime import datetime

from pbmserv.commands import policy
from pbmserv.commands.address import AddressWanted
from pbmserv.commands.command import Confirmation, Question, Reply
from pbmserv.commands.letter import FixedText, Letter, Notice
from pbmserv.commands.policy import Counted
from pbmserv.commands.vocabulary import is_address
from pbmserv.services.admin.act import CannotOperate
from pbmserv.services.app import App
from pbmserv.services.limits import ask, spend
from pbmserv.services.writer import deciding
from pbmserv.store import players
from pbmserv.store.engine import run_again


class AddressGiven(Reply):
    """To an address of `userid`: the operator has asked another one to take its place."""

    userid: str
    address: str


def give_address(app: App, userid: str, typed: str, now: datetime) -> str:
    """Asks an address to be the only one of a player, tells the one that is first now, and gives the userid.

    Once it has said `yes` no other address is theirs, no password is in force, what older mails prove has ended,
    and nothing can be taken back: it is the operator who has looked whose account this is. Raises CannotOperate.
    """
    return run_again(lambda: _give_address(app, userid, typed.strip().lower(), now))


def _give_address(app: App, userid: str, address: str, now: datetime) -> str:
    with deciding(app, now) as work:
        connection = work.connection
        player = players.find(connection, userid)
        if player is None:
            raise CannotOperate(f"nobody is called {userid}")
        if player.robot is not None:
            raise CannotOperate(f"{player.userid} is a robot of this server, and is mailed nothing")
        if not is_address(address) or app.server.owns(address):
            raise CannotOperate(f"{address} cannot be a player's address")
        owner = players.owner_of(connection, address)
        if owner is not None and owner.is_confirmed and owner.id != player.id:
            raise CannotOperate(f"{address} belongs to {owner.userid}")
        asked = Confirmation(
            "given address", player.userid, address, about=f"given address {player.userid} {address}"
        )
        words = AddressWanted(player.userid, address, is_first=True)
        ask(work, Question(asked, words, is_due=True))
        if player.address != address:
            told = AddressGiven(player.userid, address)
            work.say([Letter(Notice(told), "notice", player.address)])
    return player.userid


class CannotInvite(Exception):
    """That address cannot be invited; the message is for the operator."""


def invite(app: App, address: str, now: datetime) -> int:
    """Mails an invitation, and gives for how many days it is good. Raises CannotInvite."""
    if not is_address(address):
        raise CannotInvite(f"{address} is no mail address")
    with deciding(app, now) as work:
        connection = work.connection
        owner = players.find_at(connection, address)
        if owner is not None:
            raise CannotInvite(f"{address} belongs to {owner.userid} already")
        spend(connection, [Counted(policy.INVITATION, address.lower())], now)
        days = policy.INVITATION_LASTS.days
        said = FixedText("mail/invitation.txt", "invitation", (("days", days),))
        work.say([Letter(said, "invitation", address.lower())])
    return policy.INVITATION_LASTS.days
