"""Writes outgoing mails: answers, boards, notices, questions and invitations."""

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from pbmserv.commands.address import Welcome
from pbmserv.commands.command import Confirmation, Reply
from pbmserv.commands.letter import (
    UNCAUSED,
    Answer,
    Asked,
    FixedText,
    Letter,
    MailCause,
    MailKind,
    Notice,
    leaving_kind,
)
from pbmserv.commands.practice import practice_to_come
from pbmserv.commands.server import Server
from pbmserv.commands.set import LeaveKind, leaving_command
from pbmserv.commands.talk import BroadcastFrom, MessageFrom
from pbmserv.mail.sending.message import Attachment, Envelope, envelope_sender, message_id, sender_address, write
from pbmserv.matches.player import Player
from pbmserv.parser.parsed import IncomingMail
from pbmserv.rendering.board import BoardView
from pbmserv.rendering.document import Document
from pbmserv.rendering.html_mail import Content, html_part
from pbmserv.rendering.markup import as_text, document_of
from pbmserv.rendering.puzzle import PracticeView, PuzzleView, practice_text, view_practice
from pbmserv.rendering.templates import render
from pbmserv.services.app import App
from pbmserv.store.outbox import MailKeys, OutboxMessage


class NothingLeft(Exception):
    """What a letter was to tell is gone, or has been told."""


@dataclass(frozen=True, slots=True)
class ReplyContext:
    """The mail that is answered, and where its answer goes."""

    inbox_id: int
    mail: IncomingMail
    recipient: str
    # The player whose address the recipient is.
    player: Player | None
    # How the answer counts for the limits.
    kind: MailKind
    # Whether the sender has proven who they are.
    proven: bool
    now: datetime
    # Whether they did so by a password, which no autoresponder gives.
    by_password: bool = False
    # Words of the mail that are passed on to nobody.
    left_out: tuple[str, ...] = ()
    # Bytes of the mail.
    size: int = 0

    @property
    def cause(self) -> MailCause:
        """The mail, as what causes a letter that answers it."""
        return MailCause(self.inbox_id, self.mail.message_id, self.proven)

    def fixed_answer(self, template: str, about: str, kind: MailKind, **context: Any) -> Letter:
        """An answer with a fixed text, about no board."""
        said = FixedText(template, about, tuple(context.items()))
        userid = self.player.userid if self.player else ""
        return Letter(said, kind, self.recipient, userid, cause=self.cause, size=self.size)


@dataclass(frozen=True, slots=True)
class MailBody:
    """What a mail says and shows."""

    # Not yet laid out.
    text: str
    # The boards in the text.
    views: tuple[BoardView, ...] = ()
    # What the HTML part holds; None: the boards, or the text if there are none.
    content: Content | None = None
    # False if even a player who takes HTML gets text alone.
    has_html: bool = True
    attachments: tuple[Attachment, ...] = ()
    # The practice board below, which is not there yet, or a puzzle.
    practice: PracticeView | PuzzleView | None = None
    # The key in the links of the boards.
    key: str = field(default="", repr=False)
    # Boards that it names without showing them, each with its ply: they count as shown.
    named: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class OutgoingMail:
    """A mail before it is written."""

    kind: MailKind
    recipient: str
    # The player whose address that is: their mails come from a personal address.
    player: Player | None
    subject: str
    body: MailBody
    # The board that the mail is about, if it is one board.
    board: int | None = None
    cause: MailCause = UNCAUSED
    # A question comes from a personal address too, to whomever it goes.
    is_question: bool = False
    # What the player stops by unsubscribing.
    leaves: LeaveKind = "mail"
    # The username of the person whose deed or words it tells; empty for what the club says.
    author: str = ""


def build_message(app: App, draft: OutgoingMail, now: datetime) -> OutboxMessage:
    """Writes a mail: the message for the outbox."""
    token, cause = app.new_token(), draft.cause
    if draft.is_question and not app.server.delimiter:
        draft = replace(draft, body=_with_word(draft.body, token))
    body = draft.body
    shown = dict(body.named) | _shown(body)
    said = document_of(body.text)
    leave_key = _leave_key(app, draft)
    bounce_word = (app.makers.bounce_word or app.new_token)() if app.server.delimiter else ""
    envelope = Envelope(
        recipient=draft.recipient,
        subject=draft.subject,
        token=token,
        thread_word=(app.makers.thread_word or app.new_token)(),
        board=draft.board,
        ply=None if draft.board is None else shown.get(draft.board),
        answers=cause.in_reply_to,
        is_notice=draft.kind in ("board", "notice", "question", "address", "invitation", "last"),
        is_personal=draft.player is not None or draft.is_question,
        unsubscribe=leaving_command(draft.leaves, draft.board) if draft.player else "",
        leave_link=f"{app.server.site_url}/leave/{leave_key}" if leave_key else "",
        author=draft.author,
    )
    return OutboxMessage(
        token=envelope.token,
        kind=draft.kind,
        proven=cause.proven,
        recipient=envelope.recipient,
        envelope_sender=envelope_sender(bounce_word, app.server),
        message_id=message_id(envelope, app.server),
        raw=write(envelope, as_text(said), app.server, now, _html(app, draft, said, envelope), body.attachments),
        inbox_id=cause.inbox_id,
        player_id=draft.player.id if draft.player else None,
        match=draft.board,
        shown=tuple(shown.items()),
        keys=MailKeys(envelope.thread_word, body.key, leave_key, draft.leaves, bounce_word),
    )


def _leave_key(app: App, draft: OutgoingMail) -> str:
    """The key of the link to unsubscribe; empty without a player, or without pages that mail programs may ask."""
    if draft.player is None or not app.server.site_url.startswith("https://"):
        return ""
    return (app.makers.leave_key or app.new_token)()


def _with_word(body: MailBody, token: str) -> MailBody:
    """The same question with the word that an answer must hold, where our address cannot hold it."""
    word = render("mail/question_word.txt", word=token)
    content = body.content
    if isinstance(body.practice, PracticeView):
        body = replace(body, practice=replace(body.practice, word=token))
    if content is not None:
        content = replace(content, said=content.said.then(document_of(word)))
    return replace(body, text=f"{body.text}\n\n{word}", content=content)


def _shown(body: MailBody) -> dict[int, int]:
    """The newest ply that is shown of each board: an answer is about that one."""
    shown: dict[int, int] = dict([body.practice.shown]) if body.practice is not None else {}
    for view in body.views:
        ply = view.plies if view.ply is None else view.ply
        shown[view.number] = max(ply, shown.get(view.number, 0))
    return shown


def takes_html(player: Player | None, practice: PracticeView | PuzzleView | None = None) -> bool:
    """Whether mail to a player has an HTML part: unless they turned it off.

    Unknown senders get text alone, but for the welcome that they have asked for.
    """
    if player is None:
        return isinstance(practice, PracticeView)
    return player.mail.html and not in_words(player)


def _html(app: App, draft: OutgoingMail, said: Document, envelope: Envelope) -> str | None:
    body = draft.body
    if not body.has_html or not takes_html(draft.player, body.practice):
        return None
    content = body.content or Content(Document() if body.views else said, body.views)
    content = replace(content, asks=draft.is_question, practice=body.practice)
    return html_part(content, draft.subject, sender_address(envelope, app.server), app.server)


def draft_of(letter: Letter, player: Player | None, body: MailBody, subject: str) -> OutgoingMail:
    """The draft of a letter's mail, with what follows from its kind and from what it says."""
    author, is_question = "", False
    match letter.said:
        case Notice(words=MessageFrom(author) | BroadcastFrom(author)):
            pass
        case Asked() | Answer(asks=Confirmation()):
            is_question = True
    return OutgoingMail(
        kind=letter.kind,
        recipient=letter.recipient,
        player=player,
        subject=subject,
        body=body,
        cause=letter.cause,
        is_question=is_question,
        leaves=leaving_kind(letter.said),
        author=author,
    )


def welcome_practice(words: Reply, server: Server) -> PracticeView | None:
    """The practice board of the reader of the first mail; None where it is no such mail."""
    return view_practice(practice_to_come(words.userid, server)) if isinstance(words, Welcome) else None


def with_practice(text: str, practice: PracticeView | None, server: Server) -> MailBody:
    """A mail of a text alone, with the practice board below it, if any."""
    if practice is None:
        return MailBody(text)
    shown = practice_text(practice, server)
    return MailBody(f"{text}\n\n{shown}", content=Content(document_of(text)), practice=practice)


def in_words(player: Player | None) -> bool:
    """Whether a player gets accessible text: words, with nothing drawn."""
    return player is not None and player.mail.words


def other_subject(server: Server, about: str) -> str:
    """The Subject of a mail about no one board."""
    return render("mail/subject_other.txt", about=about, server=server).strip()
