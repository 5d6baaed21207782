"""Opens a mail that waits in the inbox: reads and parses it, and finds out who it is from."""

from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Final

from sqlalchemy import Connection

from pbmserv.games import games
from pbmserv.games.info import Info
from pbmserv.mail.reading.answered import one_time_words
from pbmserv.mail.reading.delivery_report import Report, read_report
from pbmserv.mail.reading.headers import open_message
from pbmserv.mail.reading.our_copies import OurWords, our_words
from pbmserv.mail.reading.read import read
from pbmserv.mail.sending.message import write_masked
from pbmserv.parser.no_talk import without_words
from pbmserv.parser.parse import as_kept
from pbmserv.parser.parsed import IncomingMail, Parsed, ParsedMail, named_userids
from pbmserv.parser.sign_ups import with_sign_up
from pbmserv.parser.title import titled_board
from pbmserv.parser.wishes import Wishes, wish_of
from pbmserv.services.app import App
from pbmserv.services.authenticate import says_password
from pbmserv.services.pending import Grounds, PendingMail, SentToSelf, own_subject
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
        look_up = partial(players.password_hash, connection)
        if identity.proof != "none" and says_password(written.parsed.comment, userid, look_up, app.hasher):
            written = replace(written, parsed=without_words(written.parsed, identity.board, "password"))
    # Its phrases, which no other mail needs, take long to read.
    is_wordy = identity.player is None or not written.parsed.lines
    wishes = wish_of(written.mail.text, own_subject(mail, identity, written.parsed)) if is_wordy else Wishes()
    if not (identity.player or identity.confirmation or identity.named or wishes.first == "stop"):
        written = replace(written, parsed=with_sign_up(written.mail, written.parsed, app.server))
    identity = _of_stranger(identity, written.parsed)
    named = open_question(connection, _tokens(written.parsed), mail.sender, identity.player, now)
    pending = PendingMail(
        message,
        came,
        written.mail,
        Grounds(mail.sender, identity, elsewhere, named),
        written.parsed,
        written.left_out,
        written.unsent,
        wishes,
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
    """Without the player whose word the mail bears, where its lines say by themselves who wrote it.

    A sign-up in a sentence is asked for a `yes` even where the From address is believed.
    """
    if parsed.wants_account:
        return replace(identity, is_believed=False)
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
