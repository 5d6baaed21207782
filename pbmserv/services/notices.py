"""The letters to players and watchers after something happened on a board, and the remarks in them."""

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from pbmserv.commands import queue_notation
from pbmserv.commands.analyse import Course, course_of
from pbmserv.commands.command import Remark, Reply, words_above
from pbmserv.commands.letter import (
    UNCAUSED,
    BoardNews,
    FixedText,
    Letter,
    MailCause,
    Notice,
)
from pbmserv.commands.queue import QueuePlayed
from pbmserv.commands.talk import BroadcastFrom, MessageFrom
from pbmserv.mail.log_words import pairs
from pbmserv.matches.conditional_moves import branches_of, still_stands
from pbmserv.matches.evaluations import FEWEST_PLIES, tells
from pbmserv.matches.log import BrokenLog, Entry, EntryKind
from pbmserv.matches.player import Player
from pbmserv.matches.ratings import RatedMatch
from pbmserv.matches.replay import GameState
from pbmserv.parser.parsed import Parsed
from pbmserv.services.run import CommandResult
from pbmserv.store.queries import TransactionQueries

log = logging.getLogger(__name__)


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


class DigestOffered(Reply):
    """To a player on many boards, who gets a mail for each."""

    boards: int


MANY_BOARDS: Final = 10
"""A player on more of them at a time is offered one mail a day."""


class AnalysisOffered(Reply, place="below"):
    """A command tells how the game went that is over."""

    board: int


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


def afterwards(records: TransactionQueries, board: GameState, player: Player | None) -> tuple[Reply, ...]:
    """What the last mail about a board says to its reader; nothing while it goes on, or if it was short."""
    if board.state.status != "finished" or board.state.plies < FEWEST_PLIES:
        return ()
    known = records.evaluations(board)
    if not tells(known, board):
        return (AnalysisOffered(board.match.number),)
    return (WhereItTurned(course_of(board, known, player.userid if player else None)),)


def readable(records: TransactionQueries, number: int, job: str) -> GameState | None:
    """A board; None where its log does not replay, which `admin check` tells too.

    The log tells what it is left out of: `job`, such as "digest".
    """
    try:
        return records.board(number)
    except BrokenLog as error:
        log.error(
            "a board whose log does not replay is left out %s", pairs(board=number, job=job, error=str(error))
        )
        return None


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
    cause: MailCause = UNCAUSED
    # Whether all its players are told, because somebody else did it in one's place.
    is_for_all: bool = False


def board_notices(records: TransactionQueries, happened: BoardChange, but: str = "") -> list[Letter]:
    """The letters to all players and watchers, except to the address `but`, which gets another one."""
    players = (records.player(userid) for userid in happened.board.match.userids)
    letters = [_to_player(records, happened, each) for each in players if each and each.address not in ("", but)]
    return [*(letter for letter in letters if letter is not None), *_to_watchers(records, happened)]


def board_letter(board: int, player: Player, said: BoardNews, cause: MailCause = UNCAUSED) -> Letter:
    """A letter with one board to one of its players, or to somebody who watches it, who did not ask for it."""
    return Letter(said, "board", player.address, player.userid, board, cause)


def notice_to(player: Player, words: Reply, cause: MailCause = UNCAUSED, about: str = "news") -> Letter:
    """A notice to a player, about no board; it can be answered."""
    match words:
        case MessageFrom(author):
            about = f"message from {author}"
        case BroadcastFrom(author):
            about = f"broadcast from {author}"
    return Letter(Notice(words, about), "notice", player.address, player.userid, cause=cause)


def player_notices(
    records: TransactionQueries, tells: Iterable[tuple[str, Reply]], cause: MailCause = UNCAUSED
) -> list[Letter]:
    """The notices to players by userid; players who have left, or have no address or no mail, get none."""
    told = ((records.player(userid), words) for userid, words in tells)
    return [
        notice_to(each, words, cause) for each, words in told if each and each.address and not each.mail.is_off
    ]


def fixed_notice(player: Player, template: str, about: str, **context: object) -> Letter:
    """A notice with a template of its own, about no board; `context` is what the template needs."""
    return Letter(FixedText(template, about, tuple(context.items())), "notice", player.address, player.userid)


def digest_offer(
    records: TransactionQueries, player: Player | None, results: Sequence[CommandResult]
) -> Sequence[DigestOffered]:
    """What tells a player on many boards, who moves or asks for them, of one mail a day."""
    names = {each.line.command.name for each in results if isinstance(each.line, Parsed)}
    if player is None or player.mail.digest is not None or names.isdisjoint(("move", "next")):
        return ()
    running = records.count_running(player)
    return (DigestOffered(running),) if running > MANY_BOARDS else ()


_PLAIN: Final[frozenset[EntryKind]] = frozenset({"played", "resigned", "forfeited"})
"""Entries that a player learns of by their next mail about the board."""


def is_mailed(
    player: Player, happened: BoardChange, has_words: bool = False, remarks: Sequence[Reply] = ()
) -> bool:
    """Whether a changed board is mailed to one of its players now.

    That is so when it waits for them, has ended, or began, when somebody writes to them, and when something
    happened that is no move. All else stands in the next mail about the board, or by their digest. With mail off
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
    if has_words or is_asked or is_told or happened.is_for_all:
        return True
    if settings.digest is not None:
        return False
    is_out = bool(state.turns) and any(
        event.kind == "eliminated" and event.seat == seat for event in state.turns[-1].events
    )
    has_begun_or_more = any(entry.kind not in _PLAIN for entry in happened.entries) or not happened.entries
    return settings.boards == "all" or state.to_move == seat or is_out or has_begun_or_more


def _to_player(records: TransactionQueries, happened: BoardChange, player: Player) -> Letter | None:
    board, author = happened.board, happened.author
    is_ignored = author is not None and records.is_blocked(author, by=player.userid)
    if is_ignored and happened.is_talk:
        return None
    words = happened.words if author and not is_ignored else ""
    remarks = words_above(happened.remarks, board.match.number, player.userid)
    if not is_mailed(player, happened, bool(words), remarks):
        return None
    is_by_robot = author is not None and not person_of(records, author)
    said = BoardNews(
        (*remarks, *late_links(records, player)),
        author or "",
        words,
        happened.is_talk,
        since=_before_own_turn(board, player) if is_by_robot else None,
        is_news=not happened.is_for_all,
    )
    return board_letter(board.match.number, player, said, happened.cause)


def _before_own_turn(board: GameState, player: Player) -> int | None:
    """The entry before a player's last turn, so that a robot's move comes with it; None if it was no move."""
    own = [turn.seq for turn in board.state.turns if turn.seat == board.match.seat_of(player.userid)]
    return own[-1] - 1 if own and not board.state.since else None


def person_of(records: TransactionQueries, author: str | None) -> str:
    """The username of an author who is a person; empty for robots, and for what nobody did."""
    player = None if author is None else records.player(author)
    return player.userid if player is not None and player.robot is None else ""


def _to_watchers(records: TransactionQueries, happened: BoardChange) -> Sequence[Letter]:
    """The same board for those who watch it, without anybody's words."""
    if all(entry.kind in _AMONG_PLAYERS for entry in happened.entries):
        return ()
    board = happened.board
    number, is_over = board.match.number, board.state.status != "active"
    said = BoardNews((Watched(number, is_over),), happened.author or "", is_watched=True)
    return [
        board_letter(number, each, said, happened.cause)
        for each in map(records.player, records.watchers(number))
        if each is not None and not (each.is_banned or each.mail.is_off) and each.userid not in board.match.userids
    ]
