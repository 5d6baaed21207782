"""A mail that waits in the inbox, read and parsed, with the identity of its sender."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from sqlalchemy import Connection

from pbmserv.commands.base.declaration import Confirmation
from pbmserv.games import games
from pbmserv.games.info import Info
from pbmserv.mail.reading.our_copies import OurWords, our_words
from pbmserv.mail.reading.read import read
from pbmserv.parser.parsed import IncomingMail, Parsed, ParsedMail
from pbmserv.parser.title import titled_board
from pbmserv.services.app import App
from pbmserv.services.practice_move import answered_apart, with_move_apart
from pbmserv.services.reply_text import reply_text
from pbmserv.services.sender import (
    SenderIdentity,
    asked_address,
    identify_sender,
    open_question,
    sender_beside_token,
)
from pbmserv.store import mail_tokens, matches
from pbmserv.store.inbox import InboxMessage

_HEAD: Final = 32_768
"""How many bytes of a mail of ours are compared: its text, and the same in HTML."""

_MOST_ANSWERED: Final = 5
"""How many of the mails that a mail claims to answer are compared, the likeliest first."""

_FEWEST: Final = 12
"""A text shorter than this is no copy of ours."""


@dataclass(frozen=True, slots=True)
class PendingMail:
    """A mail from the inbox, read and parsed."""

    message: InboxMessage
    mail: IncomingMail
    identity: SenderIdentity
    parsed: ParsedMail
    # Words below the lines that are passed on to nobody, since they may not be the sender's.
    left_out: tuple[str, ...] = ()
    # The open question that a word in the lines names.
    named: Confirmation | None = None
    # The From address, where the mail answers a question that went elsewhere, and counts as from there.
    elsewhere: str | None = None

    @property
    def runnable(self) -> ParsedMail:
        """The lines that may be run: none, if no person wrote the mail."""
        return self.parsed if self.mail.automatic is None else ParsedMail()


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
    mail, now = read_message(app, message), message.received_at
    if mail.sender is None:
        mail = replace(mail, sender=sender_beside_token(connection, mail, now))
    identity, elsewhere = identify_sender(connection, mail, app.server, now), None
    if (identity.player is None or identity.elsewhere) and (asked := asked_address(connection, mail, now)):
        mail, elsewhere = replace(mail, sender=asked, authenticated=False), mail.sender
        identity = identify_sender(connection, mail, app.server, now)
    if message.full_size is not None:
        return PendingMail(message, mail, identity, ParsedMail())
    player = identity.player
    addresses = frozenset(each for each in (mail.sender, player.address if player else None) if each)
    ours = OurWords()
    if (identity.answered or identity.confirmation) and len(mail.text) >= _FEWEST:
        tokens, words = mail.tokens[:_MOST_ANSWERED], mail.thread_words[:_MOST_ANSWERED]
        ours = our_words(mail_tokens.first_bytes_of(connection, tokens, words, _HEAD))
    game = _game_of_board(connection, app, mail, identity)
    server = app.server
    written = reply_text(mail, ours, identity.board, server.address, addresses, game, server.club_name)
    apart = answered_apart(connection, identity)
    if apart is not None:
        written = with_move_apart(written, mail, ours, apart, server, addresses)
    identity = _of_stranger(identity, written.parsed)
    named = _named(connection, mail, identity, written.parsed, now)
    return PendingMail(message, written.mail, identity, written.parsed, written.left_out, named, elsewhere)


def _game_of_board(connection: Connection, app: App, mail: IncomingMail, identity: SenderIdentity) -> Info | None:
    """The game of the board that is answered; None where there is no board, or the game was removed."""
    board = identity.board if identity.board is not None else titled_board(mail.subject)
    if board is None:
        return None
    known = app.recent.find(board)
    game = games().get((known.match.game if known else matches.game_of(connection, board)) or "")
    return None if game is None else game.info


def identify_again(connection: Connection, app: App, pending: PendingMail) -> PendingMail:
    """The same mail with its sender as the database knows them now."""
    mail, now = pending.mail, pending.message.received_at
    identity = _of_stranger(identify_sender(connection, mail, app.server, now), pending.parsed)
    return replace(pending, identity=identity, named=_named(connection, mail, identity, pending.parsed, now))


def _of_stranger(identity: SenderIdentity, parsed: ParsedMail) -> SenderIdentity:
    """Without the player whose word the mail bears, where its lines say by themselves who wrote it."""
    says_who = parsed.claim or any(
        isinstance(line, Parsed) and (line.claim or line.command.kind == "signup") for line in parsed.lines
    )
    return SenderIdentity(identity.server) if identity.elsewhere and says_who else identity


def _named(
    connection: Connection, mail: IncomingMail, identity: SenderIdentity, parsed: ParsedMail, now: datetime
) -> Confirmation | None:
    tokens = [line.token.value for line in parsed.lines if isinstance(line, Parsed) and line.token]
    return open_question(connection, tokens, mail.sender, identity.player, now) if tokens else None
