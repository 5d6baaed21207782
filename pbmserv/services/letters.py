"""Letters: what is said to somebody becomes a mail with a token of its own, ready for the outbox."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from pbmserv.commands.decision import Decision, Question
from pbmserv.commands.message import IncomingMail
from pbmserv.commands.replies.common import Previewed, Reply
from pbmserv.commands.replies.queue import Submitted
from pbmserv.commands.replies.talk import BroadcastFrom, MessageFrom
from pbmserv.mail.write import Attachment, Envelope, envelope_sender, message_id, sender_address, write
from pbmserv.matches.clock import Timing
from pbmserv.matches.player import Player
from pbmserv.matches.replay import Replayed
from pbmserv.rendering.board import BoardView, Comment, view_board
from pbmserv.rendering.environment import filled, laid_out, render
from pbmserv.rendering.html_mail import Content, Said, html_part
from pbmserv.rendering.sentences import say
from pbmserv.services.attached import attached, has_record
from pbmserv.services.house import House
from pbmserv.services.links import linked
from pbmserv.store.outbox import Kind, Letter


@dataclass(frozen=True, slots=True)
class Answering:
    """The mail that is answered: its number in the inbox, where the answer goes, and how it counts for limits.

    `player` is whose address that is. `proven`: a proof brought it about; `by_password`: one that no machine
    gives. `left_out` are words of it that go to nobody.
    """

    inbox_id: int
    mail: IncomingMail
    recipient: str
    player: Player | None
    kind: Kind
    proven: bool
    now: datetime
    by_password: bool = False
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Draft:
    """A mail before it is written. `text` is not yet laid out; `views` are the boards in it.

    `player` is whose address the recipient is: their mails come from a personal address, which `is_question` gives
    to anybody. `answers` is the Message-ID of the mail that it answers. `content` is what its HTML part holds,
    where that is more than the boards, or than the text if there are none. `unsubscribe` is the one command that
    ends mails like this one, where there is one. `attachments` go along as files. `key` is the one in the links of
    its boards (`links`). `has_html` is False where even who wants an HTML part gets none.
    """

    kind: Kind
    recipient: str
    player: Player | None
    subject: str
    text: str
    board: int | None = None
    views: tuple[BoardView, ...] = ()
    content: Content | None = None
    answers: str | None = None
    inbox_id: int | None = None
    proven: bool = True
    is_question: bool = False
    unsubscribe: str = ""
    attachments: tuple[Attachment, ...] = ()
    key: str = field(default="", repr=False)
    has_html: bool = True


def sealed(house: House, draft: Draft, now: datetime) -> Letter:
    """The letter of a draft."""
    shown, token = _shown(draft.views), house.new_token()
    if draft.is_question and not house.server.delimiter:
        draft = _with_word(draft, token)
    envelope = Envelope(
        recipient=draft.recipient,
        subject=draft.subject,
        token=token,
        thread_word=(house.new_thread_word or house.new_token)(),
        board=draft.board,
        ply=None if draft.board is None else shown.get(draft.board),
        answers=draft.answers,
        is_notice=draft.kind in ("board", "notice", "question", "invitation"),
        is_personal=draft.player is not None or draft.is_question,
        unsubscribe=draft.unsubscribe,
    )
    return Letter(
        token=envelope.token,
        thread_word=envelope.thread_word,
        kind=draft.kind,
        proven=draft.proven,
        recipient=envelope.recipient,
        envelope_sender=envelope_sender(envelope, house.server),
        message_id=message_id(envelope, house.server),
        raw=write(
            envelope, laid_out(draft.text), house.server, now, _html(house, draft, envelope), draft.attachments
        ),
        inbox_id=draft.inbox_id,
        player_id=draft.player.id if draft.player else None,
        match=draft.board,
        shown=tuple(shown.items()),
        key=draft.key,
    )


def _with_word(draft: Draft, token: str) -> Draft:
    """The same question, which tells the word that an answer must hold: no address of ours can tell it."""
    word = render("mail/question_word.txt", word=token)
    content = draft.content
    if content is not None:
        content = replace(content, said=replace(content.said, text=f"{content.said.text}\n\n{word}"))
    return replace(draft, text=f"{draft.text}\n\n{word}", content=content)


def _shown(views: Sequence[BoardView]) -> dict[int, int]:
    """Of each board the newest ply that is shown: an answer is about that."""
    shown: dict[int, int] = {}
    for view in views:
        ply = view.plies if view.ply is None else view.ply
        shown[view.number] = max(ply, shown.get(view.number, 0))
    return shown


def takes_html(player: Player | None) -> bool:
    """Whether mail to a player has an HTML part: unless turned off; a stranger gets as little as will do."""
    return player is not None and player.html and not in_words(player)


def _html(house: House, draft: Draft, envelope: Envelope) -> str | None:
    if not draft.has_html or not takes_html(draft.player):
        return None
    content = draft.content or Content(Said("" if draft.views else draft.text), draft.views)
    content = replace(content, asks=draft.is_question)
    return html_part(content, draft.subject, sender_address(envelope, house.server), house.server)


def board_letter(
    house: House,
    board: Replayed,
    player: Player,
    now: datetime,
    comment: Comment | None = None,
    inbox_id: int | None = None,
    proven: bool = True,
    timing: Timing | None = None,
    remarks: Sequence[Reply] = (),
    unsubscribe: str = "",
    is_talk: bool = False,
) -> Letter:
    """One board as one of its players, or who watches it, is sent it without asking.

    `timing` is what is known of its present turn, None for one that begins with this mail. `unsubscribe` is the
    command that ends such mails, where there is one. The record of a game that is over goes along, unless the mail
    only `is_talk`.
    """
    said = tuple(say(each, house.server, in_words(player)) for each in remarks)
    (view,), key = linked(house, [view_board(board, player.userid, comment, timing=timing, remarks=said)])
    draft = Draft(
        kind="board",
        recipient=player.address,
        player=player,
        subject=board_subject(view),
        text=render("mail/notice.txt", words=in_words(player), view=view, alone=True, server=house.server),
        board=view.number,
        views=(view,),
        inbox_id=inbox_id,
        proven=proven,
        unsubscribe=unsubscribe,
        attachments=attached([board], house.server) if has_record(board) and not is_talk else (),
        key=key,
    )
    return sealed(house, draft, now)


def imagined_views(decision: Decision, userid: str | None) -> list[BoardView]:
    """The boards on which moves were only tried, as `userid` (None: anybody) is to see them, with all moves."""
    tried = len(decision.reply.moves) if isinstance(decision.reply, Previewed | Submitted) else 0
    return [view_board(board, userid, whole=True, imagined=tried) for board in decision.imagined]


def plain_answer(house: House, to: Answering, template: str, about: str, kind: Kind, **context: Any) -> Letter:
    """A fixed text in answer to a mail, about no board."""
    draft = Draft(
        kind=kind,
        recipient=to.recipient,
        player=to.player,
        subject=other_subject(about),
        text=filled(render(template, words=in_words(to.player), server=house.server, **context)),
        answers=to.mail.message_id,
        inbox_id=to.inbox_id,
        proven=to.proven,
    )
    return sealed(house, draft, to.now)


def plain_notice(house: House, player: Player, template: str, about: str, now: datetime, **context: Any) -> Letter:
    """A fixed text that a player is sent without asking, about no one board."""
    text = filled(render(template, words=in_words(player), server=house.server, **context))
    return sealed(house, Draft("notice", player.address, player, other_subject(about), text), now)


def question_letter(house: House, question: Question, inbox_id: int | None, now: datetime) -> Letter:
    """A question that goes elsewhere than the answer to the mail that brought it about."""
    draft = Draft(
        kind="question",
        recipient=question.confirmation.address,
        player=None,
        subject=other_subject("your address" if question.confirmation.kind == "take back" else "please confirm"),
        text=say(question.words, house.server),
        inbox_id=inbox_id,
        proven=False,
        is_question=True,
    )
    return sealed(house, draft, now)


def invitation_letter(house: House, address: str, days: int, now: datetime) -> Letter:
    """By which somebody who is no player may sign up for so many days."""
    text = filled(render("mail/invitation.txt", days=days, server=house.server))
    return sealed(house, Draft("invitation", address, None, other_subject("invitation"), text), now)


def news_letter(house: House, address: str, news: Reply, inbox_id: int | None, now: datetime) -> Letter:
    """What an address is to know of, though nobody there asked."""
    text = say(news, house.server)
    return sealed(house, Draft("notice", address, None, other_subject("news"), text, inbox_id=inbox_id), now)


def tell_letter(house: House, player: Player, words: Reply, inbox_id: int | None, now: datetime) -> Letter:
    """What a player is told without asking, about no board; it can be answered."""
    text = say(words, house.server, in_words(player))
    about, unsubscribe = "news", ""
    match words:
        case MessageFrom(author):
            about = f"message from {author}"
        case BroadcastFrom(author):
            about, unsubscribe = f"broadcast from {author}", "set broadcast off"
    draft = Draft(
        kind="notice",
        recipient=player.address,
        player=player,
        subject=other_subject(about),
        text=text,
        inbox_id=inbox_id,
        unsubscribe=unsubscribe,
    )
    return sealed(house, draft, now)


def in_words(player: Player | None) -> bool:
    """Whether mail to them comes in words, without anything drawn."""
    return player is not None and player.words


def board_subject(view: BoardView) -> str:
    """The Subject of a match, which never changes, so that its mails stay in one thread."""
    return render("mail/subject_board.txt", title=view.title, number=view.number, userids=view.userids).strip()


def other_subject(about: str) -> str:
    """The Subject of a mail about no one board."""
    return render("mail/subject_other.txt", about=about).strip()
