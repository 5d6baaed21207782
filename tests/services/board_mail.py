"""The mail with a board that nobody has asked for, for any state and any settings."""

from datetime import datetime

from pbmserv.commands.letter import BoardNews
from pbmserv.matches.player import Player
from pbmserv.matches.replay import GameState
from pbmserv.services.app import App
from pbmserv.services.letters import write_letter
from pbmserv.services.notices import board_letter
from pbmserv.services.unit_of_work import UnitOfWork
from pbmserv.store.engine import reading
from pbmserv.store.outbox import OutboxMessage
from pbmserv.store.queries import TransactionQueries


def board_mail(house: App, board: GameState, player: Player, now: datetime) -> OutboxMessage:
    """The mail to one of its players; neither has to be in the database."""

    class Records(TransactionQueries):
        def player(self, userid: str) -> Player | None:
            return player if userid == player.userid else super().player(userid)

    with reading(house.engine) as connection:
        records = Records(connection)
        records.update_boards([board])
        return write_letter(
            UnitOfWork(connection, house, now, records), board_letter(board.match.number, player, BoardNews())
        )
