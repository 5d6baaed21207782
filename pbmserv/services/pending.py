"""A mail that waits in the inbox, read and parsed, with the identity of its sender."""

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

from sqlalchemy import Connection

from pbmserv.commands.command import Confirmation
from pbmserv.games import games
from pbmserv.games.info import Info
from pbmserv.mail.reading.answered import one_time_words
from pbmserv.mail.reading.delivery_report import Report, read_report
from pbmserv.mail.reading.headers import open_message
from pbmserv.mail.reading.our_copies import OurWords, our_words
from pbmserv.mail.reading.read import read
from pbmserv.mail.sending.message import write_masked
from pbmserv.parser.parse import as_kept
from pbmserv.parser.parsed import IncomingMail, Parsed, ParsedMail, named_userids
from pbmserv.parser.title import titled_board
from pbmserv.parser.topics import topic_of
from pbmserv.services.app import App
from pbmserv.services.reply_text import (
    ReplyText,
    answered_apart,
    as_answer_to_offer,
    find_board,
    reply_text,
    with_move_apart,
    without_usual_end,
)
from pbmserv.services.sender import (
    SenderIdentity,
    asked_address,
    identify_sender,
    open_question,
    sender_beside_token,
)
from pbmserv.store import mail_tokens, operating, players
from pbmserv.store.inbox import InboxMessage
from pbmserv.store.operating import ReturnedMail

_HEAD: Final = 32_768
"""How many bytes of a mail of ours are compared: its text, and the same in HTML."""

_MOST_ANSWERED: Final = 5
"""How many of the mails that a mail claims to answer are compared, the likeliest first."""

_FEWEST: Final = 12
"""A text shorter than this is no copy of ours."""


@dataclass(frozen=True, slots=True)
class SentToSelf:
    """What may show that a mail is one of `doctor`'s, or a report about one."""

    words: tuple[str, ...] = field(repr=False)
    is_report: bool
    # Of a report its reason, else the head.
    content: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Grounds:
    """What the database said of a mail's sender when it was read: if that has changed, it is read again."""

    sender: str | None
    identity: SenderIdentity
    # The From address, where the mail answers a question that went elsewhere, and counts as from there.
    elsewhere: str | None
    # The open question that a word in the lines names.
    named: Confirmation | None


@dataclass(frozen=True, slots=True)
class PendingMail:
    """A mail from the inbox, read and parsed."""

    message: InboxMessage
    # As it came, and as it counts.
    came: IncomingMail = field(repr=False)
    mail: IncomingMail
    grounds: Grounds
    parsed: ParsedMail
    # Words below the lines that are passed on to nobody, since they may not be the sender's.
    left_out: tuple[str, ...] = ()
    # The same, and those of which the sender was told before.
    unsent: tuple[str, ...] = ()
    # What an unknown sender, or a mail without a command, asks about: a topic of `topics`, or empty.
    topic: str = ""
    # Of a mail that no person wrote: what it says of a mail of ours, and what shows that it is from `doctor`.
    report: Report | None = None
    to_self: SentToSelf | None = None
    # The copy that is kept of it once it is handled, without its secrets.
    kept: bytes = field(default=b"", repr=False, compare=False)

    @property
    def identity(self) -> SenderIdentity:
        """Who it is from."""
        return self.grounds.identity

    @property
    def elsewhere(self) -> str | None:
        """Its From address, where it counts as from another."""
        return self.grounds.elsewhere

    @property
    def named(self) -> Confirmation | None:
        """The open question that a word in the lines names."""
        return self.grounds.named

    @property
    def runnable(self) -> ParsedMail:
        """The lines that may be run: none, if no person wrote the mail."""
        return self.parsed if self.mail.automatic is None else ParsedMail()


def grounds_of(connection: Connection, app: App, pending: PendingMail) -> Grounds:
    """What the database says now of the sender of a mail that was read a moment ago."""
    now = pending.message.received_at
    mail, identity, elsewhere = _identified(connection, app, pending.came, now)
    identity = _of_stranger(identity, pending.parsed)
    named = open_question(connection, _tokens(pending.parsed), mail.sender, identity.player, now)
    return Grounds(mail.sender, identity, elsewhere, named)


def read_message(app: App, message: InboxMessage) -> IncomingMail:
    """Reads the bytes of a mail in the inbox."""
    server = app.server
    sender, recipients = message.envelope_sender, message.recipients
    return read(
        message.raw,
        sender,
        server.address,
        server.delimiter,
        recipients,
        server.authserv_id,
        server.club_name,
    )


def open_mail(connection: Connection, app: App, message: InboxMessage) -> PendingMail:
    """Reads and parses a mail. One that was too large to be stored whole has no commands."""
    came, now = read_message(app, message), message.received_at
    mail, identity, elsewhere = _identified(connection, app, came, now)
    report, to_self = None, None
    if mail.automatic is not None:
        report = read_report(message.raw, message.recipients, app.server.address, app.server.delimiter)
        to_self = sent_to_self(app, message, mail.automatic, report)
    if message.full_size is not None:
        grounds = Grounds(mail.sender, _of_stranger(identity, ParsedMail()), elsewhere, None)
        unread = PendingMail(message, came, mail, grounds, ParsedMail(), report=report, to_self=to_self)
        return replace(unread, kept=_kept(connection, app, unread))
    player = identity.player
    addresses = frozenset(each for each in (mail.sender, player.address if player else None) if each)
    ours = OurWords()
    if (identity.answered or identity.confirmation) and len(mail.text) >= _FEWEST:
        tokens, words = mail.tokens[:_MOST_ANSWERED], mail.thread_words[:_MOST_ANSWERED]
        ours = our_words(mail_tokens.first_bytes_of(connection, tokens, words, _HEAD))
    game, cells = _game_of_board(connection, app, mail, identity)
    server, userid = app.server, player.userid if player else ""
    about = (identity.board, server.address, addresses, game, server.club_name, userid, cells)
    written = reply_text(mail, ours, *about)
    to_offer = as_answer_to_offer(connection, app, written, identity)
    if isinstance(to_offer, ParsedMail):
        written = replace(written, parsed=to_offer)
    elif to_offer is not None:
        written = reply_text(to_offer, ours, *about)
    apart = answered_apart(connection, identity)
    if apart is not None:

        def read_there(number: int, game: Info) -> ReplyText:
            return reply_text(mail, ours, number, server.address, addresses, game)

        written = with_move_apart(written, apart, server, read_there)
    if player is not None:
        written = without_usual_end(connection, written, message.sender, player.address)
    identity = _of_stranger(identity, written.parsed)
    named = open_question(connection, _tokens(written.parsed), mail.sender, identity.player, now)
    # Its patterns, which no other mail needs, take long to make.
    topic = "" if identity.player and written.parsed.lines else topic_of(written.mail.text, mail.subject)
    pending = PendingMail(
        message,
        came,
        written.mail,
        Grounds(mail.sender, identity, elsewhere, named),
        written.parsed,
        written.left_out,
        written.unsent,
        topic,
        report,
        to_self,
    )
    return replace(pending, kept=_kept(connection, app, pending))


def _identified(
    connection: Connection, app: App, came: IncomingMail, now: datetime
) -> tuple[IncomingMail, SenderIdentity, str | None]:
    """The mail as it counts, who it is from, and its From address where it counts as from elsewhere."""
    mail, elsewhere = came, None
    if mail.sender is None:
        mail = replace(mail, sender=sender_beside_token(connection, mail, now))
    identity = identify_sender(connection, mail, app.server, now)
    if (identity.player is None or identity.elsewhere) and (asked := asked_address(connection, mail, now)):
        mail, elsewhere = replace(mail, sender=asked, authenticated=False), mail.sender
        identity = identify_sender(connection, mail, app.server, now)
    return mail, identity, elsewhere


def _kept(connection: Connection, app: App, pending: PendingMail) -> bytes:
    mail = pending.mail
    if mail.automatic == "ourselves":
        # A mail of ours that came back has its token in From and Message-ID.
        mail = replace(mail, sender=app.server.address, message_id=None)
    known = players.known_among(connection, named_userids(pending.parsed.lines))
    return write_masked(mail, as_kept(pending.parsed, known, pending.unsent))


def _game_of_board(
    connection: Connection, app: App, mail: IncomingMail, identity: SenderIdentity
) -> tuple[Info | None, frozenset[str]]:
    """The game and the cells of the board that is answered; none where there is no board, or no such game now."""
    number = identity.board if identity.board is not None else titled_board(mail.subject)
    known = None if number is None else app.recent.find(number)
    board = known or find_board(connection, app, number)
    if board is None:
        return None, frozenset()
    game = games()[board.match.game]
    return game.info, frozenset(game.scene(board.state.position).board.names)


def _of_stranger(identity: SenderIdentity, parsed: ParsedMail) -> SenderIdentity:
    """Without the player whose word the mail bears, where its lines say by themselves who wrote it."""
    says_who = parsed.claim or any(
        isinstance(line, Parsed) and (line.claim or line.command.kind == "signup") for line in parsed.lines
    )
    return SenderIdentity(identity.server) if identity.elsewhere and says_who else identity


def _tokens(parsed: ParsedMail) -> list[str]:
    """The words in the lines of a mail that may name an open question."""
    return [line.token.value for line in parsed.lines if isinstance(line, Parsed) and line.token]


def sent_to_self(app: App, message: InboxMessage, automatic: str, report: Report | None) -> SentToSelf | None:
    """What a mail that no person wrote shows of `doctor`; None if nothing. `automatic` says why it is nobody's."""
    raw, head, body = open_message(message.raw)
    words = one_time_words(head, message.recipients, app.server.address)
    if not words:
        return None
    if automatic in ("bounce", "report"):
        return SentToSelf(tuple(words), True, report.reason.encode() if report is not None else b"")
    return SentToSelf(tuple(words), False, raw[:body])


def is_from_doctor(connection: Connection, shown: SentToSelf | None, now: datetime) -> bool:
    """Whether a mail is from `doctor`. That it came is noted, and nothing else is done."""
    if shown is None:
        return False
    came = ReturnedMail(now, shown.is_report, shown.content)
    return operating.note_doctor_mail(connection, shown.words, came)
