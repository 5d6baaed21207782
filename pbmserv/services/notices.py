"""The boards on which something has happened, for those who did not do it: their players, and who watches them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from pbmserv.commands.decision import Remark, words_above
from pbmserv.commands.replies.common import Reply
from pbmserv.commands.replies.talk import Watched
from pbmserv.matches.entry import Entry, EntryKind
from pbmserv.matches.player import Player
from pbmserv.matches.replay import Replayed
from pbmserv.rendering.board import Comment
from pbmserv.services.ahead import still_queued
from pbmserv.services.house import House
from pbmserv.services.letters import board_letter, tell_letter
from pbmserv.services.rating_remarks import rating_remarks
from pbmserv.store.outbox import Letter
from pbmserv.store.records import TransactionRecords

_AMONG_PLAYERS: Final[frozenset[EntryKind]] = frozenset(
    {"proposed", "asked", "rejected", "extended", "paused", "resumed"}
)
"""What changes nothing for who only watches."""


@dataclass(frozen=True, slots=True)
class Happened:
    """A board as it stands after what happened on it, and all that the mails with it are to say.

    `entries` are what was added to its log. `author` is the userid of whoever did it, and `words` what they say to
    the others, where it is proven that they do; when it `is_talk` nothing else happened, and who has blocked the
    author gets nothing. `remarks` may be those of other boards too. `inbox_id` is the mail that brought it about.
    """

    board: Replayed
    entries: tuple[Entry, ...] = ()
    author: str | None = None
    words: str = ""
    is_talk: bool = False
    remarks: tuple[Remark, ...] = ()
    inbox_id: int | None = None
    proven: bool = True


def board_notices(
    records: TransactionRecords, house: House, happened: Happened, now: datetime, but: str = ""
) -> list[Letter]:
    """The mails to all who are to know of it, but to the address of who is told in another mail."""
    players = (records.player(userid) for userid in happened.board.match.userids)
    letters = [
        _to_player(records, house, happened, each, now)
        for each in players
        if each and each.address not in ("", but)
    ]
    return [*(letter for letter in letters if letter is not None), *_to_watchers(records, house, happened, now)]


def tell_letters(
    records: TransactionRecords,
    house: House,
    tells: Iterable[tuple[str, Reply]],
    now: datetime,
    inbox_id: int | None = None,
) -> list[Letter]:
    """The mails with words to players by userid; who is here no more, or has no address, gets none."""
    told = ((records.player(userid), words) for userid, words in tells)
    return [tell_letter(house, each, words, inbox_id, now) for each, words in told if each and each.address]


def is_left_to_digest(
    player: Player, board: Replayed, comment: Comment | None = None, remarks: Sequence[Reply] = ()
) -> bool:
    """Whether a board that has changed is not mailed to one of its players now, who will find it in a digest.

    A game that is over is told at once, and so are words for the player, and an offer that waits for their answer.
    """
    if player.digest is None or board.state.status != "active" or comment is not None or remarks:
        return False
    seat, offer = board.match.seat_of(player.userid), board.state.offer
    return seat is not None and (offer is None or seat not in offer.waits_for)


def _to_player(
    records: TransactionRecords, house: House, happened: Happened, player: Player, now: datetime
) -> Letter | None:
    board, author = happened.board, happened.author
    is_deaf = author is not None and records.is_blocked(author, by=player.userid)
    if is_deaf and happened.is_talk:
        return None
    comment = Comment(author, happened.words) if author and happened.words and not is_deaf else None
    remarks = words_above(happened.remarks, board.match.number, player.userid)
    if not happened.is_talk:
        remarks += rating_remarks(records, board, player)
    if is_left_to_digest(player, board, comment, remarks):
        return None
    timing = records.timing(board, now)
    return board_letter(
        house,
        board,
        player,
        now,
        comment,
        happened.inbox_id,
        happened.proven,
        timing,
        (*remarks, *still_queued(records, board, player.userid)),
        is_talk=happened.is_talk,
    )


def _to_watchers(records: TransactionRecords, house: House, happened: Happened, now: datetime) -> Sequence[Letter]:
    """The same board without anybody's words."""
    if all(entry.kind in _AMONG_PLAYERS for entry in happened.entries):
        return ()
    board = happened.board
    number, is_over = board.match.number, board.state.status != "active"
    watching = [records.player(userid) for userid in records.watchers(number)]
    if not watching:
        return ()
    timing = records.timing(board, now)
    remarks = (Watched(number, is_over),)
    leave = "" if is_over else f"unsubscribe {number}"
    return [
        board_letter(house, board, each, now, None, happened.inbox_id, happened.proven, timing, remarks, leave)
        for each in watching
        if each is not None and not each.is_banned and each.userid not in board.match.userids
    ]
