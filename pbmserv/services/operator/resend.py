"""Resending: the operator has the present board queued again."""

from datetime import datetime

from pbmserv.matches.replay import replay
from pbmserv.services.house import House
from pbmserv.services.letters import board_letter
from pbmserv.store import matches, outbox, players
from pbmserv.store.engine import writing


class CannotResend(Exception):
    """There is no such board, or no such player on it; the message is for the operator."""


def resend(house: House, number: int, userid: str | None, now: datetime) -> list[str]:
    """Queues the board for all its players, or for one, and gives the userids it goes to."""
    with writing(house.engine) as connection:
        match = matches.load(connection, number)
        if match is None:
            raise CannotResend(f"there is no board {number}")
        seat = match.seat_of(userid) if userid else None
        if userid and seat is None:
            raise CannotResend(f"{userid} does not play on board {number}: {', '.join(match.userids)} do")
        board = replay(match)
        wanted = match.userids if seat is None else (match.userids[seat],)
        found = [player for player in (players.find(connection, each) for each in wanted) if player]
        outbox.queue(connection, [board_letter(house, board, player, now) for player in found], now)
    return [player.userid for player in found]
