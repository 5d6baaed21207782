"""Mails with words and no command: what a person asks about, and when a machine has been answered often enough.

The limits are for all who are answered as players (`commands.policy`). The first that applies decides: a
run of quick mails, the same words but for digits, answers an hour, the same topic on the same board.
"""

import re
from dataclasses import dataclass, replace
from datetime import timedelta
from hashlib import sha256
from typing import Final

from sqlalchemy import Connection

from pbmserv.commands import policy
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
from pbmserv.parser.parsed import TooMuchAtOnce, Unparsed
from pbmserv.parser.wishes import Wishes, plain_words
from pbmserv.services.compose import ReplyContext
from pbmserv.services.limits import Allowance, allowance_of, example_game, last_notice, left, spend
from pbmserv.services.pending import PendingMail
from pbmserv.services.run import CommandResult
from pbmserv.store import counts, outbox, players

QUICK_WITHIN: Final = timedelta(seconds=10)

_MOST_WORDS: Final = 4000
_MOST_NAMES: Final = 400
_FORGED: Final = ("marked", "forged", "not its domain")
_MOST_PERSONS: Final = 3
_NUMBERS: Final = re.compile(r"(?<!\w)[^\W0-9]*+[0-9]\w*+")


@dataclass(frozen=True, slots=True)
class BoardStanding:
    """How a board stands for one who writes about it."""

    # The game that is spoken of, else that of the board, or the one that examples are of.
    game: Info
    is_over: bool = False
    # Whether the writer is to move.
    is_turn: bool = False
    # The other players; empty if the writer is none.
    others: tuple[str, ...] = ()


class NoCommand(CommandError):
    """The mail holds words and no command; `board` is the one that it answers, or else one that waits."""

    # What the words ask for: a game that can be started, and other players who are here.
    wishes: Wishes = Wishes()
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

    @property
    def has_topic(self) -> bool:
        """Whether the answer is about what was asked: a newcomer's is, beside the question that is open."""
        return not self.near and (self.asked is None or self.asked.kind == "sign-up")


class Forwarded(CommandError):
    """The mail is a forwarded one."""


class Sealed(CommandError):
    """The mail came in a `form` that cannot be read, as `IncomingMail.unread` has it."""

    form: str


class TooLarge(CommandError):
    """The mail has this many kilobytes that only its head was kept."""

    kilobytes: int


@dataclass(frozen=True, slots=True)
class WordyMail:
    """A mail with words and no command, as it counts."""

    # Whose words count together: an address, with and without proof apart, since anybody can write the latter.
    writer: str
    # The same, with what it asks about, and on which board.
    topic: str
    # The same, with a digest of its words without digits.
    words: str
    # Whether it came within seconds of a mail of ours.
    is_quick: bool


@dataclass(frozen=True, slots=True)
class WordsAnswered:
    """How a mail without a command is answered."""

    allowed: Allowance
    # What to answer where that is allowed in full.
    result: CommandResult


def answer_words(
    connection: Connection, records: Queries, pending: PendingMail, to: ReplyContext
) -> WordsAnswered:
    """Decides how a mail without a command is answered, and counts it."""
    error = _error(records, pending, to)
    mail = _counted(connection, pending, to, error)
    is_forged = not to.proven and _is_likely_forged(connection, pending)
    allowed = Allowance.SILENCE if is_forged else _allowance(connection, to, mail)
    if allowed is Allowance.FULL and isinstance(error, NoCommand) and error.has_topic:
        answers_left = left(connection, policy.TOPIC, mail.topic, to.now)
        error = replace(error, is_again=answers_left < policy.TOPIC.most)
        if answers_left <= 0:
            allowed = Allowance.SILENCE
    spend(connection, [policy.SAME_WORDS.count(mail.words, owner=mail.writer)], to.now)
    if allowed is Allowance.FULL:
        spend(connection, [policy.WORDS.count(mail.writer), policy.TOPIC.count(mail.topic)], to.now)
        if mail.is_quick:
            spend(connection, [policy.QUICK.count(mail.writer, owner=mail.writer)], to.now)
        else:
            counts.release(connection, mail.writer, policy.QUICK)
    actor = Actor(to.player, pending.mail.sender, "none")
    result = CommandResult(Unparsed("", error), error, actor, still_asked=pending.identity.confirmation)
    return WordsAnswered(allowed, result)


def begin_anew(connection: Connection, address: str) -> None:
    """After a proven command: what was said before it, and how quickly, no longer counts against an address."""
    counts.release(connection, writer_at(address, is_proven=True), policy.QUICK, policy.SAME_WORDS)


def writer_at(address: str, is_proven: bool) -> str:
    """Whose words count together."""
    return f"{address} proven" if is_proven else address


def _is_likely_forged(connection: Connection, pending: PendingMail) -> bool:
    """Whether a mail in a player's name seems forged, and it names no board, move, game or other player."""
    if pending.mail.unwelcome not in _FORGED or pending.parsed.near or pending.parsed.board is not None:
        return False
    owner = pending.identity.player
    words = {*plain_words(pending.mail.text, _MOST_WORDS)[:_MOST_NAMES]}
    named = players.known_among(connection, words) - ({owner.userid.lower()} if owner else set())
    return not named and words.isdisjoint(games())


def _allowance(connection: Connection, to: ReplyContext, mail: WordyMail) -> Allowance:
    if to.player is None:
        # The address has not confirmed yet: it gets our question again, once a day.
        is_first = left(connection, policy.UNCONFIRMED_WORDS, mail.writer, to.now) > 0
        return Allowance.FULL if is_first else Allowance.SILENCE
    if left(connection, policy.QUICK, mail.writer, to.now) <= 0:
        return Allowance.SILENCE
    if left(connection, policy.SAME_WORDS, mail.words, to.now) <= 0:
        return Allowance.SILENCE
    if not to.proven:
        return allowance_of(connection, to, policy.ANSWERS_AN_HOUR, policy.ANSWERS_A_DAY)
    if left(connection, policy.WORDS, mail.writer, to.now) <= 0:
        return last_notice(connection, to.recipient, to.now)
    return Allowance.FULL


def _counted(connection: Connection, pending: PendingMail, to: ReplyContext, error: CommandError) -> WordyMail:
    came = pending.message.received_at
    near = error.near if isinstance(error, NoCommand) else ""
    about = error.wishes.first if isinstance(error, NoCommand) and error.has_topic else type(error).__name__
    said = _NUMBERS.sub("", " ".join(plain_words(pending.mail.text, _MOST_WORDS)))
    unsaid = pending.mail.content_key if pending.mail.unread else " ".join(plain_words(pending.subject))
    said = " ".join(said.split()) or unsaid
    writer = writer_at(to.recipient, to.proven)
    # Two moves that are mentioned are not the same, though they may differ in digits alone.
    words = sha256(f"{said}\n{near}".encode()).hexdigest()
    return WordyMail(
        writer=writer,
        topic=f"{writer} {error.board or ''}:{about}",
        words=f"{writer} {words}",
        is_quick=outbox.was_mailed_between(connection, to.recipient, came - QUICK_WITHIN, came),
    )


def _error(records: Queries, pending: PendingMail, to: ReplyContext) -> CommandError:
    """What the writer of a mail without a command reads."""
    parsed, identity = pending.parsed, pending.identity
    if pending.message.full_size is not None:
        return TooLarge(kilobytes=pending.message.full_size // 1000)
    if parsed.forwarded:
        return Forwarded()
    if pending.mail.unread:
        form = pending.mail.unread
        return TooMuchAtOnce() if form == "cut" else Sealed(board=parsed.board, form=form)
    text = pending.mail.text.strip()
    asked, offered = pending.wishes, identity.server.games or games()
    friends = [player for name in asked.persons[:_MOST_PERSONS] if (player := records.player(name))]
    wishes = Wishes(
        asked.names,
        asked.game if asked.game in offered else "",
        tuple(player.userid for player in friends if player != to.player),
    )
    error = NoCommand(
        board=parsed.board,
        wishes=wishes,
        asked=identity.confirmation,
        near=parsed.near,
        is_empty=not text and not pending.subject,
        is_reply=parsed.board is not None,
        standing=BoardStanding(example_game(identity.server, wishes.game)),
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
        near=error.near if is_legal(board, seat, error.near) else "",
        board=number,
        standing=BoardStanding(
            game=error.standing.game if error.wishes.game else games()[board.match.game].info,
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
