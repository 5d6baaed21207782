"""What goes out for one mail: one answer to its sender, and each board touched to its other players."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from typing import Any, Literal

from pbmserv.commands.decision import Decision
from pbmserv.commands.message import BoardRef, IncomingMail, Parsed
from pbmserv.commands.refusals import WrongForm
from pbmserv.commands.replies import HelpCommand, HelpGame, HelpTopic
from pbmserv.commands.server import Server
from pbmserv.commands.words import is_userid
from pbmserv.mail.write import Envelope, envelope_sender, message_id, write
from pbmserv.matches.match import Replayed
from pbmserv.matches.player import Player
from pbmserv.matches.refusals import Refused
from pbmserv.rendering.board import BoardView, Comment, view_board
from pbmserv.rendering.environment import filled, laid_out, render
from pbmserv.rendering.sentences import say
from pbmserv.services.house import House
from pbmserv.services.run import NotRun, Result, touched
from pbmserv.store.outbox import Kind, Letter
from pbmserv.store.records import TransactionRecords

MOST_TOUCHED_SHOWN = 5
MOST_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Answering:
    """The mail that is answered: its number in the inbox, where the answer goes, and how it counts for limits."""

    inbox_id: int
    mail: IncomingMail
    recipient: str
    kind: Kind
    proven: bool
    now: datetime

    def of_kind(self, kind: Kind) -> "Answering":
        """The same, counted otherwise."""
        return replace(self, kind=kind)


@dataclass(frozen=True, slots=True)
class ToldResult:
    """What `mail/answer.txt` says of one line: what became of it, the line as written, the sentences about it.

    For a line that was not run `board` is the one on which an earlier line was refused; None: all stop then.
    """

    fate: Literal["done", "refused", "not run"]
    line: str
    text: str
    board: int | None = None


def answer(records: TransactionRecords, house: House, to: Answering, results: Sequence[Result]) -> Letter:
    """The sender's mail: what became of each line, then the boards it is about."""
    player = next((result.actor.player for result in results if result.actor and result.actor.player), None)
    views, unshown = _boards_for_sender(records, results, player)
    told = [_told(result, house.server, with_words=to.kind != "stranger") for result in results]
    text = render("mail/answer.txt", results=told, views=views, unshown=unshown, server=house.server)
    concerned = {board for result in results for board in result.boards} & {view.number for view in views}
    if len(concerned) == 1 and len(views) == 1:
        return _answer_letter(house, to, _board_subject(views[0]), text, player, views[0])
    subject = render("mail/subject_other.txt", about=_about(results))
    return _answer_letter(house, to, subject, text, player)


def notices(
    records: TransactionRecords, house: House, to: Answering, results: Sequence[Result], comment: str
) -> list[Letter]:
    """The boards that were touched, for every player of them but the one who gets the answer."""
    letters = []
    authors = _authors(results)
    for number, board in sorted(touched(results).items()):
        said = Comment(authors[number][0], comment) if comment else None
        for userid in board.match.userids:
            player = records.player(userid)
            if player is not None and player.address != to.recipient:
                letters.append(board_letter(house, board, player, to.now, said, to.inbox_id, to.proven))
    return letters


def board_letter(
    house: House,
    board: Replayed,
    player: Player,
    now: datetime,
    comment: Comment | None = None,
    inbox_id: int | None = None,
    proven: bool = True,
) -> Letter:
    """One board as one of its players is sent it without asking."""
    view = view_board(board, player.userid, comment)
    text = render("mail/notice.txt", view=view, alone=True, server=house.server)
    envelope = Envelope(
        recipient=player.address,
        subject=_board_subject(view),
        token=house.new_token(),
        board=view.number,
        ply=view.plies,
        is_notice=True,
    )
    return _sealed(house, envelope, text, now, "board", proven, inbox_id, player)


def plain_answer(house: House, to: Answering, template: str, about: str, **context: object) -> Letter:
    """A fixed text in answer to a mail, about no board."""
    subject = render("mail/subject_other.txt", about=about)
    text = render(template, server=house.server, **context)
    return _answer_letter(house, to, subject, text)


def plain_notice(
    house: House, player: Player, template: str, about: str, now: datetime, **context: object
) -> Letter:
    """A fixed text that a player is sent without asking, about no one board."""
    subject = render("mail/subject_other.txt", about=about)
    text = filled(render(template, server=house.server, **context))
    envelope = Envelope(recipient=player.address, subject=subject, token=house.new_token(), is_notice=True)
    return _sealed(house, envelope, text, now, "notice", proven=True, inbox_id=None, player=player)


def _answer_letter(
    house: House,
    to: Answering,
    subject: str,
    text: str,
    player: Player | None = None,
    view: BoardView | None = None,
) -> Letter:
    envelope = Envelope(
        recipient=to.recipient,
        subject=subject,
        token=house.new_token(),
        board=view.number if view else None,
        ply=view.plies if view else None,
        answers=to.mail.message_id,
    )
    return _sealed(house, envelope, text, to.now, to.kind, to.proven, to.inbox_id, player)


def _sealed(
    house: House,
    envelope: Envelope,
    text: str,
    now: datetime,
    kind: Kind,
    proven: bool,
    inbox_id: int | None,
    player: Player | None,
) -> Letter:
    return Letter(
        token=envelope.token,
        kind=kind,
        proven=proven,
        recipient=envelope.recipient,
        envelope_sender=envelope_sender(envelope, house.server),
        message_id=message_id(envelope, house.server),
        raw=write(envelope, laid_out(text), house.server, now),
        inbox_id=inbox_id,
        player_id=player.id if player else None,
        match=envelope.board,
    )


def _told(result: Result, server: Server, with_words: bool) -> ToldResult:
    line = result.line.line if with_words else ""
    match result.outcome:
        case Decision(reply):
            return ToldResult("done", line, say(reply, server))
        case Refused():
            refused = result.outcome if with_words else _without_words(result.outcome)
            return ToldResult("refused", line, say(refused, server))
        case NotRun(board):
            return ToldResult("not run", line, "", board)


def _without_words(refused: Refused) -> Refused:
    """A refusal for somebody unknown: nothing of what they wrote goes to an address that may be another's."""
    typed = {"word", "subject", "userid", "address", "value", "name"} & {each.name for each in fields(refused)}
    long: dict[str, Any] = {name: "..." for name in typed if not is_userid(str(getattr(refused, name)))}
    return replace(refused, **long)


def _boards_for_sender(
    records: TransactionRecords, results: Sequence[Result], player: Player | None
) -> tuple[list[BoardView], list[int]]:
    """The boards that the answer shows, and the numbers of those concerned that it has no room for."""
    asked: dict[BoardRef, None] = {}
    concerned: dict[int, None] = {}
    for result in results:
        if isinstance(result.outcome, Decision):
            asked.update(dict.fromkeys(result.outcome.shows))
            concerned.update(dict.fromkeys(result.outcome.touched))
        elif result.outcome.board is not None:
            concerned.update(dict.fromkeys([result.outcome.board]))
    userid = player.userid if player else None
    changed = touched(results)

    def see(ref: BoardRef, whole: bool) -> BoardView | None:
        board = records.board(ref.number)
        return None if board is None else view_board(board.at(ref.ply), userid, whole=whole, ply=ref.ply)

    present = [BoardRef(number) for number in concerned if BoardRef(number) not in asked]
    wanted = [*((ref, False) for ref in present[:MOST_TOUCHED_SHOWN]), *((ref, True) for ref in asked)]
    views = [view for view in (see(ref, whole) for ref, whole in wanted[:MOST_SHOWN]) if view is not None]
    return views, [ref.number for ref in present[MOST_TOUCHED_SHOWN:] if ref.number in changed]


def _authors(results: Sequence[Result]) -> dict[int, list[str]]:
    """Who did something on each board that was touched."""
    authors: dict[int, list[str]] = {}
    for result in results:
        if isinstance(result.outcome, Decision) and result.actor and result.actor.player:
            for number in result.outcome.touched:
                authors.setdefault(number, []).append(result.actor.player.userid)
    return authors


def _board_subject(view: BoardView) -> str:
    return render("mail/subject_board.txt", title=view.title, number=view.number, userids=view.userids).strip()


def _about(results: Sequence[Result]) -> str:
    first = results[0]
    if not isinstance(first.line, Parsed):
        return first.outcome.command if isinstance(first.outcome, WrongForm) else "your mail"
    name = first.line.command.name
    if isinstance(first.outcome, Decision) and isinstance(first.outcome.reply, HelpCommand | HelpGame | HelpTopic):
        return f"{name} {' '.join(first.line.arguments.words)}"
    return name
