"""The operator gives a player another address: the old mailbox is gone, and there is no password."""

from datetime import datetime

from pbmserv.commands.confirmation import Confirmation
from pbmserv.commands.decision import Question
from pbmserv.commands.replies.account import AddressGiven, AddressWanted
from pbmserv.commands.words import is_address
from pbmserv.services.house import House
from pbmserv.services.letters import news_letter
from pbmserv.services.operator.operate import CannotOperate
from pbmserv.services.question import ask
from pbmserv.store import outbox, players
from pbmserv.store.engine import run_again, writing


def give_address(house: House, userid: str, typed: str, now: datetime) -> str:
    """Asks an address to be the only one of a player, tells the one that is first now, and gives the userid.

    Once it has said `yes` no other address is theirs, no password is in force, what older mails prove has ended,
    and nothing can be taken back: it is the operator who has looked whose account this is. Raises CannotOperate.
    """
    return run_again(lambda: _give_address(house, userid, typed.strip().lower(), now))


def _give_address(house: House, userid: str, address: str, now: datetime) -> str:
    with writing(house.engine) as connection:
        player = players.find(connection, userid)
        if player is None:
            raise CannotOperate(f"nobody is called {userid}")
        if player.robot is not None:
            raise CannotOperate(f"{player.userid} is a robot of this server, and is mailed nothing")
        if not is_address(address) or house.server.owns(address):
            raise CannotOperate(f"{address} cannot be a player's address")
        owner = players.owner_of(connection, address)
        if owner is not None and owner.is_confirmed and owner.id != player.id:
            raise CannotOperate(f"{address} belongs to {owner.userid}")
        asked = Confirmation(
            "given address", player.userid, address, about=f"given address {player.userid} {address}"
        )
        words = AddressWanted(player.userid, address, is_first=True)
        ask(connection, house, Question(asked, words, is_due=True), None, now)
        if player.address != address:
            told = AddressGiven(player.userid, address)
            outbox.queue(connection, [news_letter(house, player.address, told, None, now)], now)
    return player.userid
