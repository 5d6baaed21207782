"""Mails with words and no command: what a person asks about, and when a machine has been answered often enough.

These limits are for everybody who is answered as a player. All count in SQL, and the first that applies decides:

1. After three mails running that each came within seconds of ours, silence until a command comes.
2. Words that were said before but for digits, with no command since: once a day.
3. 30 answers an hour, or 20 where only the From address tells who wrote (`limits`); then one sentence.
4. The same topic on the same board: once an hour in full, once more in short.
"""

import re
from dataclasses import dataclass, replace
from datetime import timedelta
from hashlib import sha256
from typing import Final

from sqlalchemy import Connection

from pbmserv.commands.command import Actor, Confirmation
from pbmserv.commands.lookup import waiting_boards
from pbmserv.games import games
from pbmserv.games.info import Info
from pbmserv.matches.errors import CommandError
from pbmserv.matches.log import MissingRules
from pbmserv.matches.moves import is_legal
from pbmserv.matches.player import Player
from pbmserv.matches.queries import Queries
from pbmserv.matches.replay import GameState
from pbmserv.parser.errors import TooMuchAtOnce
from pbmserv.parser.parsed import Unparsed
from pbmserv.parser.title import title_of
from pbmserv.parser.topics import plain_words, topic_of
from pbmserv.services.compose import ReplyContext
from pbmserv.services.limits import Allowance, allowance_of_unproven, last_notice
from pbmserv.services.pending import PendingMail
from pbmserv.services.run import CommandResult
from pbmserv.store import wordy_mails
from pbmserv.store.wordy_mails import WordyMail

ANSWERS_AN_HOUR: Final = 30
ANSWERS_A_TOPIC: Final = 2
"""An hour: one in full, one in short."""

QUICK: Final = timedelta(seconds=10)
MOST_QUICK: Final = 3
"""Nobody reads, writes and sends three mails in a row as quickly. An unmarked ticket system does."""

_HOUR: Final = timedelta(hours=1)
_DAY: Final = timedelta(days=1)
_DIGITS: Final = 40
_MOST_WORDS: Final = 4000
_NUMBERS: Final = re.compile(r"(?<!\w)[^\W0-9]*+[0-9]\w*+")


@dataclass(frozen=True, slots=True)
class BoardStanding:
    """How a board stands for one who writes about it."""

    # The game of the board, or the one that examples are of.
    game: Info
    is_over: bool = False
    # Whether the writer is to move.
    is_turn: bool = False
    # The other players; empty if the writer is none.
    others: tuple[str, ...] = ()


class NoCommand(CommandError):
    """The mail holds words and no command; `board` is the one that it answers, or else one that waits."""

    # What the words ask about, a topic of `topics`; empty if that is not known.
    topic: str = ""
    # Whether the same was answered a short while ago.
    is_again: bool = False
    # The question that it answers without saying `yes` or `no`.
    asked: Confirmation | None = None
    # The only move that its words name in passing, or empty.
    near: str = ""
    is_empty: bool = False
    # Whether the mail answers a mail about `board`.
    is_reply: bool = False
    # How the board stands for the writer.
    standing: BoardStanding
    # The writer; empty where the address is nobody's yet.
    userid: str = ""
    # The player whose message it answers, or empty.
    writer: str = ""
    # More boards where it is the writer's turn.
    waiting: tuple[int, ...] = ()


class Forwarded(CommandError):
    """The mail is a forwarded one."""


class TooLarge(CommandError):
    """The mail has so many kilobytes that only its head was kept."""

    kilobytes: int


@dataclass(frozen=True, slots=True)
class Heard:
    """How a mail without a command is answered."""

    allowed: Allowance
    # What to answer where that is allowed in full.
    result: CommandResult


def hear(connection: Connection, records: Queries, pending: PendingMail, to: ReplyContext) -> Heard:
    """Decides how a mail without a command is answered, and counts it."""
    error = _error(records, pending, to)
    mail = _counted(connection, pending, to, error)
    allowed = _allowance(connection, to, mail)
    is_answered = allowed is Allowance.FULL
    if is_answered and isinstance(error, NoCommand) and not (error.asked or error.near):
        asked_before = wordy_mails.topics_since(connection, mail, to.now - _HOUR)
        error = replace(error, is_again=asked_before > 0)
        if asked_before >= ANSWERS_A_TOPIC:
            allowed, is_answered = Allowance.SILENCE, False
    wordy_mails.add(connection, mail, is_answered, to.now)
    actor = Actor(to.player, pending.mail.sender, "none")
    result = CommandResult(Unparsed("", error), error, actor, still_asked=pending.identity.confirmation)
    return Heard(allowed, result)


def _allowance(connection: Connection, to: ReplyContext, mail: WordyMail) -> Allowance:
    if to.player is None:
        # The address has not confirmed yet: it gets our question again, once a day.
        answered = wordy_mails.answered_since(connection, mail, to.now - _DAY)
        return Allowance.SILENCE if answered else Allowance.FULL
    if wordy_mails.quick_ones_running(connection, mail, MOST_QUICK) >= MOST_QUICK:
        return Allowance.SILENCE
    if wordy_mails.has_said_since(connection, mail, to.now - _DAY):
        return Allowance.SILENCE
    if not to.proven:
        return allowance_of_unproven(connection, to)
    if wordy_mails.answered_since(connection, mail, to.now - _HOUR) >= ANSWERS_AN_HOUR:
        return last_notice(connection, to, to.now - _HOUR)
    return Allowance.FULL


def _counted(connection: Connection, pending: PendingMail, to: ReplyContext, error: CommandError) -> WordyMail:
    came = pending.message.received_at
    near = error.near if isinstance(error, NoCommand) else ""
    about = error.topic if isinstance(error, NoCommand) and not (error.asked or near) else type(error).__name__
    said = " ".join(_NUMBERS.sub("", plain_words(pending.mail.text, _MOST_WORDS)).split())
    said = said or plain_words(_own_subject(pending))
    return WordyMail(
        address=to.recipient,
        is_proven=to.proven,
        topic=f"{error.board or ''}:{about}"[:_DIGITS],
        # Two moves that are mentioned are not the same, though they may differ in digits alone.
        words_digest=sha256(f"{said}\n{near}".encode()).hexdigest()[:_DIGITS],
        is_quick=wordy_mails.was_mailed_between(connection, to.recipient, came - QUICK, came),
    )


def _error(records: Queries, pending: PendingMail, to: ReplyContext) -> CommandError:
    """What a mail without a command is told."""
    parsed, identity = pending.parsed, pending.identity
    if pending.message.full_size is not None:
        return TooLarge(kilobytes=pending.message.full_size // 1000)
    if parsed.forwarded:
        return Forwarded()
    if pending.mail.is_cut:
        return TooMuchAtOnce()
    text = pending.mail.text.strip()
    subject = _own_subject(pending)
    error = NoCommand(
        board=parsed.board,
        topic=topic_of(text, subject),
        asked=identity.confirmation,
        near=parsed.near,
        is_empty=not text and not subject,
        is_reply=parsed.board is not None,
        standing=BoardStanding(_example_game(identity.server.default_game)),
        userid=to.player.userid if to.player else "",
        writer=parsed.writer,
    )
    if error.asked is not None or to.player is None:
        return error
    return _with_boards(records, to.player, error)


def _with_boards(records: Queries, player: Player, error: NoCommand) -> NoCommand:
    """Adds the board that the mail is about, or else the most urgent one, and which others wait for the player."""
    waiting = waiting_boards(player, records).numbers
    number = error.board
    if number is None and not error.writer:
        number = next(iter(waiting), None)
    more = tuple(each for each in waiting if each != number)
    board = _board(records, number)
    if board is None:
        return replace(error, waiting=more)
    others = tuple(userid for userid in dict.fromkeys(board.match.userids) if userid != player.userid)
    seat = board.match.seat_of(player.userid)
    return replace(
        error,
        near=error.near if is_legal(board.match, board.state, seat, error.near) else "",
        board=number,
        standing=BoardStanding(
            game=games()[board.match.game].info,
            is_over=board.state.status != "active",
            is_turn=number in waiting,
            others=() if seat is None else others,
        ),
        waiting=more,
    )


def _board(records: Queries, number: int | None) -> GameState | None:
    try:
        return None if number is None else records.board(number)
    except MissingRules:
        return None


def _example_game(name: str) -> Info:
    return (games().get(name) or next(iter(games().values()))).info


def _own_subject(pending: PendingMail) -> str:
    """The Subject, where the writer has made it up; empty where it is that of a mail which is answered."""
    title = title_of(pending.mail.subject)
    is_ours = title.is_answer or pending.identity.answered is not None or pending.parsed.board is not None
    return "" if is_ours else title.text
