"""What the mail with a board that is over says of the rating of whoever gets it."""

from pbmserv.commands.replies.common import Reply
from pbmserv.commands.replies.rating import RatingChanged
from pbmserv.matches.player import Player
from pbmserv.matches.replay import Replayed
from pbmserv.store.records import TransactionRecords


def rating_remarks(records: TransactionRecords, board: Replayed, player: Player | None) -> tuple[Reply, ...]:
    """What the match has done to the rating of one of its players; nothing where it does not count, or not yet."""
    if player is None or not board.counts or board.match.seat_of(player.userid) is None:
        return ()
    return tuple(map(RatingChanged, records.rated_on(player, [board.match.number]).values()))
