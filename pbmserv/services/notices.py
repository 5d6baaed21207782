"""The boards that go to players and watchers after something happened, and the remarks in them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from pbmserv.commands import queue_notation
from pbmserv.commands.analyse import Course, course_of
from pbmserv.commands.command import Remark, Reply, words_above
from pbmserv.commands.queue import QueuePlayed
from pbmserv.matches.conditional_moves import branches_of, still_stands
from pbmserv.matches.evaluations import FEWEST_PLIES, tells
from pbmserv.matches.log import Entry, EntryKind
from pbmserv.matches.player import Player
from pbmserv.matches.ratings import RatedMatch
from pbmserv.matches.replay import GameState
from pbmserv.rendering.board import Comment
from pbmserv.services.app import App
from pbmserv.services.board_mail import board_mail
from pbmserv.services.compose import MailCause, notice_mail
from pbmserv.store.outbox import OutboxMessage
from pbmserv.store.queries import TransactionQueries


class Watched(Reply, place="below"):
    """To somebody who watches a board."""

    board: int
    # Whether this is the last mail, since the game is over.
    is_over: bool


class RatingChanged(Reply, place="below"):
    """What a finished match did to the rating of the reader."""

    match: RatedMatch


class StillQueued(Reply, place="below"):
    """The queued moves of the reader."""

    # All of them, as one line.
    line: str


class LinkUsedLate(Reply):
    """To a player whose link was first used more than a day after its mail."""

    used: datetime
    # When the mail with the link was written; None if it is gone.
    written: datetime | None


class WhereItTurned(Reply, place="below"):
    """How the game went that is over."""

    course: Course


class AnalysisOffered(Reply, place="below"):
    """A command tells how the game went that is over."""

    board: int


def ending_remarks(
    records: TransactionQueries, board: GameState, player: Player | None, is_news: bool
) -> tuple[Reply, ...]:
    """What a reader is told of a game that is over; how it went only where the end is news."""
    return (*rating_remarks(records, board, player), *(lessons(records, board, player) if is_news else ()))


def late_links(records: TransactionQueries, player: Player | None) -> Sequence[LinkUsedLate]:
    """The remark about a link that was used late, once: for the mail that is about to be written."""
    found = None if player is None else records.late_use(player)
    return () if found is None else (LinkUsedLate(found.used, found.written),)


def still_queued(records: TransactionQueries, board: GameState, userid: str | None) -> Sequence[StillQueued]:
    """The remark about a player's own queue on a board, if there is one."""
    seat = None if userid is None else board.match.seat_of(userid)
    if seat is None or board.on_turn is None:
        return ()
    plan = records.plan(board.match.number, seat, "queue")
    if plan is None or not still_stands(board, plan):
        return ()
    return (StillQueued(queue_notation.write(branches_of(plan))),)


def rating_remarks(records: TransactionQueries, board: GameState, player: Player | None) -> tuple[Reply, ...]:
    """What a match did to the rating of one of its players; nothing if it is unrated or not rated yet."""
    if player is None or not board.counts or board.match.seat_of(player.userid) is None:
        return ()
    return tuple(map(RatingChanged, records.rated_on(player, [board.match.number]).values()))


def lessons(records: TransactionQueries, board: GameState, player: Player | None) -> tuple[Reply, ...]:
    """What the last mail about a board says to its reader; nothing while it goes on, or if it was short."""
    if board.state.status != "finished" or board.state.plies < FEWEST_PLIES:
        return ()
    known = records.evaluations(board)
    if not tells(known, board):
        return (AnalysisOffered(board.match.number),)
    return (WhereItTurned(course_of(board, known, player.userid if player else None)),)


_AMONG_PLAYERS: Final[frozenset[EntryKind]] = frozenset(
    {"proposed", "asked", "rejected", "extended", "paused", "resumed"}
)
"""Entries that change nothing for somebody who only watches."""


@dataclass(frozen=True, slots=True)
class BoardChange:
    """A board after something happened on it, and what the mails about that say."""

    board: GameState
    # What was added to the log.
    entries: tuple[Entry, ...] = ()
    # The userid of the player who did it.
    author: str | None = None
    # What the author says to the others, if it is proven who the author is.
    words: str = ""
    # Whether nothing happened but talk: players who ignore the author get no mail.
    is_talk: bool = False
    # May hold remarks for other boards too.
    remarks: tuple[Remark, ...] = ()
    # The mail in the inbox that caused it.
    inbox_id: int | None = None
    proven: bool = True
    # Whether all its players are told, because somebody else did it in one's place.
    is_for_all: bool = False
    # What the mails to some players answer, by userid, where that is more than `inbox_id`.
    causes: Mapping[str, MailCause] = field(default_factory=dict)


def board_notices(
    records: TransactionQueries, app: App, happened: BoardChange, now: datetime, but: str = ""
) -> list[OutboxMessage]:
    """The mails to all players and watchers, except to the address `but`, which gets another mail."""
    players = (records.player(userid) for userid in happened.board.match.userids)
    messages = [
        _to_player(records, app, happened, each, now) for each in players if each and each.address not in ("", but)
    ]
    return [*(message for message in messages if message is not None), *_to_watchers(records, app, happened, now)]


def player_notices(
    records: TransactionQueries,
    app: App,
    tells: Iterable[tuple[str, Reply]],
    now: datetime,
    inbox_id: int | None = None,
) -> list[OutboxMessage]:
    """The notices to players by userid; players who have left, or have no address or no mail, get none."""
    told = ((records.player(userid), words) for userid, words in tells)
    return [
        notice_mail(app, each, words, inbox_id, now)
        for each, words in told
        if each and each.address and not each.mail.is_off
    ]


_PLAIN: Final[frozenset[EntryKind]] = frozenset({"played", "resigned", "forfeited"})
"""Entries that a player is told of by their next mail about the board."""


def is_mailed(
    player: Player, happened: BoardChange, comment: Comment | None = None, remarks: Sequence[Reply] = ()
) -> bool:
    """Whether a changed board is mailed to one of its players now.

    That is so when it waits for them, has ended, or began, when somebody writes to them, and when something
    happened that is no move. All else is told by the next mail about the board, or by their digest. With mail off
    only the end of a game is mailed.
    """
    board, settings = happened.board, player.mail
    seat, state = board.match.seat_of(player.userid), board.state
    if state.status != "active" and not happened.is_talk:
        return True
    if settings.is_off:
        return False
    is_asked = state.offer is not None and seat in state.offer.waits_for
    is_told = any(not isinstance(each, QueuePlayed) for each in remarks)
    if comment is not None or is_asked or is_told or happened.is_for_all:
        return True
    if settings.digest is not None:
        return False
    is_out = bool(state.turns) and any(
        event.kind == "eliminated" and event.seat == seat for event in state.turns[-1].events
    )
    has_begun_or_more = any(entry.kind not in _PLAIN for entry in happened.entries) or not happened.entries
    return settings.boards == "all" or state.to_move == seat or is_out or has_begun_or_more


def _to_player(
    records: TransactionQueries, app: App, happened: BoardChange, player: Player, now: datetime
) -> OutboxMessage | None:
    board, author = happened.board, happened.author
    is_ignored = author is not None and records.is_blocked(author, by=player.userid)
    if is_ignored and happened.is_talk:
        return None
    comment = Comment(author, happened.words) if author and happened.words and not is_ignored else None
    remarks = words_above(happened.remarks, board.match.number, player.userid)
    if not happened.is_talk:
        remarks += (*rating_remarks(records, board, player), *lessons(records, board, player))
    if not is_mailed(player, happened, comment, remarks):
        return None
    cause = happened.causes.get(player.userid, MailCause(happened.inbox_id, proven=happened.proven))
    timing = records.timing(board, now)
    return board_mail(
        app,
        board,
        player,
        now,
        comment,
        cause,
        timing,
        (*remarks, *still_queued(records, board, player.userid), *late_links(records, player)),
        is_talk=happened.is_talk,
        author=_person(records, author),
        since=_own_turn(board, player) if author and not _person(records, author) else None,
    )


def _own_turn(board: GameState, player: Player) -> int | None:
    """How many turns there were before a player's last one, so that a robot's answer is told with it."""
    seat, turns = board.match.seat_of(player.userid), board.state.turns
    return next((place for place in reversed(range(len(turns))) if turns[place].seat == seat), None)


def _person(records: TransactionQueries, author: str | None) -> str:
    """The username of an author who is a person; empty for robots, and for what nobody did."""
    player = None if author is None else records.player(author)
    return player.userid if player is not None and player.robot is None else ""


def _to_watchers(
    records: TransactionQueries, app: App, happened: BoardChange, now: datetime
) -> Sequence[OutboxMessage]:
    """The same board for those who watch it, without anybody's words."""
    if all(entry.kind in _AMONG_PLAYERS for entry in happened.entries):
        return ()
    board = happened.board
    number, is_over = board.match.number, board.state.status != "active"
    watching = [records.player(userid) for userid in records.watchers(number)]
    if not watching:
        return ()
    timing = records.timing(board, now)
    cause = MailCause(happened.inbox_id, proven=happened.proven)
    by = _person(records, happened.author)
    return [
        board_mail(
            app,
            board,
            each,
            now,
            None,
            cause,
            timing,
            (*lessons(records, board, each), Watched(number, is_over)),
            "watching",
            author=by,
        )
        for each in watching
        if each is not None and not (each.is_banned or each.mail.is_off) and each.userid not in board.match.userids
    ]
