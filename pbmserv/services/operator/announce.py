"""The operator writes to all players, or to those of one board."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Final

from pbmserv.commands.replies.operator import OperatorSays
from pbmserv.matches.player import Player
from pbmserv.services.house import House
from pbmserv.services.letters import tell_letter
from pbmserv.services.notices import Happened, board_notices
from pbmserv.services.operator.referee import board_of, reasoned
from pbmserv.store import outbox, players
from pbmserv.store.engine import reading, run_again, writing
from pbmserv.store.records import TransactionRecords

BATCH: Final = 50
"""Mails that one transaction queues, so that nobody waits long meanwhile."""


def audience(house: House) -> Sequence[Player]:
    """All who would be written to: whoever has answered from their address, and is not banned."""
    with reading(house.engine) as connection:
        everybody = players.everybody(connection)
    return [each for each in everybody if each.address and each.is_confirmed and not each.is_banned]


def announce(
    house: House,
    to: Sequence[Player],
    text: str,
    now: datetime,
    progress: Callable[[int], None] = lambda done: None,
) -> None:
    """Queues a mail with these words to each of these players; `progress` is told how many are queued."""
    words = OperatorSays(text.strip())
    for first in range(0, len(to), BATCH):
        letters = [tell_letter(house, player, words, None, now) for player in to[first : first + BATCH]]
        with writing(house.engine) as connection:
            outbox.queue(connection, letters, now)
        progress(min(first + BATCH, len(to)))


def announce_on(house: House, number: int, text: str, now: datetime) -> int:
    """Queues a board to its players with these words above it, and gives how many mails. Raises CannotRule."""
    return run_again(lambda: _announce_on(house, number, text, now))


def _announce_on(house: House, number: int, text: str, now: datetime) -> int:
    with writing(house.engine) as connection:
        records = TransactionRecords(connection, house.recent)
        happened = Happened(board_of(records, number), is_talk=True, remarks=reasoned(number, text))
        letters = board_notices(records, house, happened, now)
        outbox.queue(connection, letters, now)
    return len(letters)
