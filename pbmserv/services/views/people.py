"""The players, looked at."""

from collections.abc import Sequence

from pbmserv.matches.player import Player
from pbmserv.services.house import House
from pbmserv.store import players
from pbmserv.store.engine import reading


def see_userid(house: House, typed: str) -> str | None:
    """A userid as its owner writes it, whatever case it was typed in; None when nobody has it."""
    with reading(house.engine) as connection:
        player = players.find(connection, typed)
    return None if player is None else player.userid


def see_similar_userids(house: House, typed: str) -> Sequence[str]:
    """The userids that it may be a slip for, best first, at most three."""
    with reading(house.engine) as connection:
        return players.similar(connection, typed)


def see_players(house: House) -> Sequence[Player]:
    """Everybody who has an account, by userid."""
    with reading(house.engine) as connection:
        return players.everybody(connection)
