"""Inviting: the operator lets somebody sign up, whether or not there is room that day."""

from datetime import datetime

from pbmserv.commands.words import is_address
from pbmserv.services.house import House
from pbmserv.services.letters import invitation_letter
from pbmserv.services.sign_ups import INVITATION_LASTS
from pbmserv.store import outbox, players
from pbmserv.store.engine import writing


class CannotInvite(Exception):
    """That address cannot be invited; the message is for the operator."""


def invite(house: House, address: str, now: datetime) -> int:
    """Mails an invitation, and gives for how many days it is good. Raises CannotInvite."""
    if not is_address(address):
        raise CannotInvite(f"{address} is no mail address")
    with writing(house.engine) as connection:
        owner = players.find_at(connection, address)
        if owner is not None:
            raise CannotInvite(f"{address} belongs to {owner.userid} already")
        outbox.queue(connection, [invitation_letter(house, address.lower(), INVITATION_LASTS.days, now)], now)
    return INVITATION_LASTS.days
