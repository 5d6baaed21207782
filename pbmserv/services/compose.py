"""Writes outgoing mails: answers, boards, notices, questions and invitations."""

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final

from pbmserv.commands.address import Welcome
from pbmserv.commands.command import Question, Reply
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
from pbmserv.rendering.markup import document_of, filled
from pbmserv.rendering.practice import PracticeView, practice_text, view_practice
from pbmserv.rendering.puzzle import PuzzleView
from pbmserv.rendering.templates import render, say
from pbmserv.rendering.text import as_text
from pbmserv.services.app import App
from pbmserv.store.outbox import MailKeys, MailKind, OutboxMessage


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
class MailCause:
    """What brought a mail about."""

    # The mail in the inbox; None if it was no mail.
    inbox_id: int | None = None
    # The Message-ID of that mail, if this one answers it.
    in_reply_to: str | None = None
    # Whether whoever caused it has proven who they are.
    proven: bool = True


UNCAUSED: Final = MailCause()
"""Of a mail that no other mail brought about."""


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
    # A question comes from a personal address too, whoever it goes to.
    is_question: bool = False
    # What the player stops by unsubscribing.
    leaves: LeaveKind = "mail"
    # The username of the person whose deed or words it tells; empty for what the club says.
    author: str = ""


def build_message(app: App, draft: OutgoingMail, now: datetime) -> OutboxMessage:
    """Writes a mail: the message for the outbox."""
    body, cause = draft.body, draft.cause
    shown, token = dict(body.named) | _shown(body), app.new_token()
    if draft.is_question and not app.server.delimiter:
        body = _with_word(body, token)
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
        is_notice=draft.kind in ("board", "notice", "question", "invitation"),
        is_personal=draft.player is not None or draft.is_question,
        unsubscribe=leaving_command(draft.leaves, draft.board) if draft.player else "",
        leave_link=f"{app.server.site_url}/leave/{leave_key}" if leave_key else "",
        author=draft.author,
    )
    return OutboxMessage(
        token=envelope.token,
        thread_word=envelope.thread_word,
        kind=draft.kind,
        proven=cause.proven,
        recipient=envelope.recipient,
        envelope_sender=envelope_sender(bounce_word, app.server),
        message_id=message_id(envelope, app.server),
        raw=write(
            envelope, as_text(said), app.server, now, _html(app, draft, body, said, envelope), body.attachments
        ),
        inbox_id=cause.inbox_id,
        player_id=draft.player.id if draft.player else None,
        match=draft.board,
        shown=tuple(shown.items()),
        keys=MailKeys(body.key, leave_key, draft.leaves, bounce_word),
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


def _html(app: App, draft: OutgoingMail, body: MailBody, said: Document, envelope: Envelope) -> str | None:
    if not body.has_html or not takes_html(draft.player, body.practice):
        return None
    content = body.content or Content(Document() if body.views else said, body.views)
    content = replace(content, asks=draft.is_question, practice=body.practice)
    return html_part(content, draft.subject, sender_address(envelope, app.server), app.server)


def plain_answer(
    app: App, to: ReplyContext, template: str, about: str, kind: MailKind, **context: Any
) -> OutboxMessage:
    """An answer with a fixed text, about no board."""
    draft = OutgoingMail(
        kind=kind,
        recipient=to.recipient,
        player=to.player,
        subject=other_subject(app.server, about),
        body=MailBody(filled(render(template, words=in_words(to.player), server=app.server, **context))),
        cause=MailCause(to.inbox_id, to.mail.message_id, to.proven),
    )
    return build_message(app, draft, to.now)


def plain_notice(
    app: App, player: Player, template: str, about: str, now: datetime, **context: Any
) -> OutboxMessage:
    """A notice with a fixed text to a player, about no one board."""
    text = filled(render(template, words=in_words(player), server=app.server, **context))
    return build_message(
        app, OutgoingMail("notice", player.address, player, other_subject(app.server, about), MailBody(text)), now
    )


def question_mail(app: App, question: Question, inbox_id: int | None, now: datetime) -> OutboxMessage:
    """A question that goes to another address than the answer to the mail that caused it."""
    practice = welcome_practice(question.words, app.server)
    draft = OutgoingMail(
        kind="question",
        recipient=question.confirmation.address,
        player=None,
        subject=other_subject(
            app.server, "your address" if question.confirmation.kind == "take back" else "please confirm"
        ),
        body=with_practice(say(question.words, app.server), practice, app.server),
        cause=MailCause(inbox_id, proven=False),
        is_question=True,
    )
    return build_message(app, draft, now)


def invitation_mail(app: App, address: str, days: int, now: datetime) -> OutboxMessage:
    """An invitation: for `days` days somebody at that address may sign up."""
    text = filled(render("mail/invitation.txt", days=days, server=app.server))
    return build_message(
        app,
        OutgoingMail("invitation", address, None, other_subject(app.server, "invitation"), MailBody(text)),
        now,
    )


def news_mail(app: App, address: str, news: Reply, inbox_id: int | None, now: datetime) -> OutboxMessage:
    """A notice to an address, whether or not it belongs to a player."""
    body, cause = MailBody(say(news, app.server)), MailCause(inbox_id)
    return build_message(
        app, OutgoingMail("notice", address, None, other_subject(app.server, "news"), body, cause=cause), now
    )


def notice_mail(
    app: App, player: Player, words: Reply, inbox_id: int | None, now: datetime, about: str = "news"
) -> OutboxMessage:
    """A notice to a player, about no board; it can be answered."""
    author = ""
    leaves: LeaveKind = "mail"
    match words:
        case MessageFrom(author):
            about, leaves = f"message from {author}", "messages"
        case BroadcastFrom(author):
            about, leaves = f"broadcast from {author}", "broadcast"
    draft = OutgoingMail(
        kind="notice",
        recipient=player.address,
        player=player,
        subject=other_subject(app.server, about),
        body=MailBody(say(words, app.server, in_words(player))),
        cause=MailCause(inbox_id),
        leaves=leaves,
        author=author,
    )
    return build_message(app, draft, now)


def welcome_practice(words: Reply, server: Server) -> PracticeView | None:
    """The practice board of whoever reads this in the first mail; None where it is no such mail."""
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
