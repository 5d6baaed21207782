"""What goes out for one mail: one answer to its sender, and each board touched to its other players."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

from pbmserv.commands.confirmation import Confirmation
from pbmserv.commands.decision import Decision, Question, Remark, words_above
from pbmserv.commands.echoed import named_userids
from pbmserv.commands.message import BoardRef, Parsed
from pbmserv.commands.permission import speaks_on
from pbmserv.commands.refusals.common import WrongForm
from pbmserv.commands.replies.common import HelpCommand, HelpGame, HelpTopic, Reply
from pbmserv.commands.replies.queue import Queued, QueueShown
from pbmserv.commands.server import Server
from pbmserv.matches.entry import Entry
from pbmserv.matches.player import Player
from pbmserv.rendering.board import BoardView, view_board
from pbmserv.rendering.environment import render
from pbmserv.rendering.html_mail import Content, Said
from pbmserv.rendering.sentences import say
from pbmserv.services.ahead import still_queued
from pbmserv.services.house import House
from pbmserv.services.left_out import sendable_words
from pbmserv.services.letters import (
    Answering,
    Draft,
    board_subject,
    imagined_views,
    in_words,
    other_subject,
    sealed,
    takes_html,
)
from pbmserv.services.links import linked
from pbmserv.services.notices import Happened, board_notices
from pbmserv.services.rating_remarks import rating_remarks
from pbmserv.services.recorded import record_files, record_texts
from pbmserv.services.run import Result, decisions, touched
from pbmserv.services.told import ToldResult, shortened, tell
from pbmserv.store.outbox import Letter
from pbmserv.store.records import TransactionRecords

MOST_TOUCHED_SHOWN = 5
MOST_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Answer:
    """The sender's mail, and the question that it asks, if any: a `yes` to this mail answers it."""

    letter: Letter
    asks: Confirmation | None = None


def answer(
    records: TransactionRecords, house: House, to: Answering, results: Sequence[Result], is_brief: bool = False
) -> Answer:
    """The sender's mail: what became of each line, then the boards it is about.

    If it `is_brief` it is text alone, with one board and the shorter sentences, and tells how to ask for the rest.
    """
    seen, unshown = _boards_for_sender(records, results, to.player, house.server, to.now)
    views, key = linked(house, seen)
    asks = _waiting(to, results, views) or _question_here(to, results)
    known = records.known_among(named_userids(result.line for result in results))
    told = [tell(result, records, house.server, to, asks, known) for result in results]
    again = sendable_words(records, results, to.left_out)
    rest: list[str] = []
    has_more = False
    if is_brief:
        has_more = len(views) > 1
        told, rest = shortened(told, views)
        views = views[:1]
    text = render(
        "mail/answer.txt",
        words=in_words(to.player),
        results=told,
        left_out=again,
        views=views,
        unshown=unshown,
        has_more=has_more or any(each.left_out for each in told),
        rest=rest if to.player else (),
        server=house.server,
    )
    # Nobody who is not known here is sent files: their address may be anybody's.
    files = record_files(results, house.server) if to.player and not is_brief else ()
    records_asked = () if is_brief else record_texts(results, files, house.server, in_words(to.player))
    concerned = {board for result in results for board in result.boards} & {view.number for view in views}
    alone = views[0] if len(concerned) == 1 and len(views) == 1 else None
    has_html = takes_html(to.player) and not is_brief
    draft = Draft(
        kind=to.kind,
        recipient=to.recipient,
        player=to.player,
        subject=board_subject(alone) if alone else other_subject(_about(results)),
        text="\n\n".join([text, *records_asked]),
        board=alone.number if alone else None,
        views=views,
        content=_content(house, told, again, views, unshown, records_asked) if has_html else None,
        has_html=has_html,
        answers=to.mail.message_id,
        inbox_id=to.inbox_id,
        proven=to.proven,
        is_question=asks is not None,
        attachments=files,
        key=key,
    )
    return Answer(sealed(house, draft, to.now), asks)


def _content(
    house: House,
    told: Sequence[ToldResult],
    left_out: Sequence[str],
    views: Sequence[BoardView],
    unshown: Sequence[int],
    records_asked: Sequence[str],
) -> Content:
    """The same for the HTML part, which draws the boards in its own way."""
    text = render(
        "mail/answer.txt",
        results=told,
        left_out=left_out,
        views=(),
        unshown=unshown,
        has_more=False,
        rest=(),
        server=house.server,
    )
    said = Said("\n\n".join([text, *records_asked]), any(each.fate == "refused" for each in told))
    return Content(said, tuple(views))


def notices(records: TransactionRecords, house: House, to: Answering, results: Sequence[Result]) -> list[Letter]:
    """The boards that were touched, for everybody but the one who gets the answer."""
    letters: list[Letter] = []
    authors, opened, entries = _authors(results), _opened(results), _entries(results)
    for number, board in sorted(touched(results).items()):
        author = authors.get(number)
        actor = author.actor if author else None
        happened = Happened(
            board,
            entries=entries.get(number, ()),
            author=actor.player.userid if actor and actor.player else None,
            words=author.comment if author and actor and speaks_on(actor, board.match, records) else "",
            is_talk=number not in entries and number not in opened,
            remarks=_all_remarks(results),
            inbox_id=to.inbox_id,
            proven=to.proven,
        )
        letters += board_notices(records, house, happened, to.now, but=to.recipient)
    return letters


def _opened(results: Sequence[Result]) -> set[int]:
    return {decision.opened.number for decision in decisions(results) if decision.opened}


def _entries(results: Sequence[Result]) -> dict[int, tuple[Entry, ...]]:
    """What was added to each board's log."""
    found: dict[int, tuple[Entry, ...]] = {}
    for decision in decisions(results):
        for entry in decision.entries:
            found[entry.match] = (*found.get(entry.match, ()), entry)
    return found


def questions(results: Sequence[Result], asked_here: Confirmation | None) -> list[Question]:
    """What is to be asked by mails of its own."""
    found = (decision.question for decision in decisions(results))
    return [each for each in found if each is not None and each.confirmation != asked_here]


def _waiting(to: Answering, results: Sequence[Result], views: Sequence[BoardView]) -> Confirmation | None:
    """What the answer asks about: all lines of the mail that wait for a `yes`."""
    waiting = [result for result in results if result.awaits_yes and isinstance(result.line, Parsed)]
    if not waiting or to.player is None:
        return None
    lines = tuple(result.line.line for result in waiting)
    digest = sha256("\n".join(lines).encode()).hexdigest()
    return Confirmation(
        kind="commands",
        userid=to.player.userid,
        address=to.recipient,
        about=f"commands {to.player.userid.lower()} {digest}",
        lines=lines,
        shown=tuple((view.number, view.plies) for view in views if view.ply is None),
    )


def _question_here(to: Answering, results: Sequence[Result]) -> Confirmation | None:
    """The first question that goes to the very address that the answer goes to."""
    asked = [question.confirmation for question in questions(results, None)]
    again = [result.still_asked for result in results if result.still_asked]
    return next((each for each in (*asked, *again) if each.address == to.recipient), None)


def _boards_for_sender(
    records: TransactionRecords, results: Sequence[Result], player: Player | None, server: Server, now: datetime
) -> tuple[list[BoardView], list[int]]:
    """The boards that the answer shows, and the numbers of those concerned that it has no room for."""
    asked: dict[BoardRef, None] = {}
    concerned: dict[int, None] = {}
    imagined: list[BoardView] = []
    userid = player.userid if player else None
    for result in results:
        if isinstance(result.outcome, Decision):
            asked.update(dict.fromkeys(result.outcome.shows))
            imagined += imagined_views(result.outcome, userid)
            concerned.update(dict.fromkeys([*result.outcome.touched, *result.awaited_boards]))
        elif result.outcome.board is not None:
            concerned.update(dict.fromkeys([result.outcome.board]))
    changed = touched(results)

    def see(ref: BoardRef, whole: bool) -> BoardView | None:
        board = records.board(ref.number)
        if board is None:
            return None
        remarks = _remarks(results, ref.number, userid)
        if ref.ply is None:
            remarks += rating_remarks(records, board, player)
        if ref.ply is None and not _tells_queue(results, ref.number):
            remarks += still_queued(records, board, userid)
        said = tuple(say(each, server, in_words(player)) for each in remarks)
        timing = records.timing(board, now)
        return view_board(board.at(ref.ply), userid, whole=whole, ply=ref.ply, timing=timing, remarks=said)

    present = [BoardRef(number) for number in concerned if BoardRef(number) not in asked]
    wanted = [*((ref, False) for ref in present[:MOST_TOUCHED_SHOWN]), *((ref, True) for ref in asked)]
    views = [view for view in (see(ref, whole) for ref, whole in wanted[:MOST_SHOWN]) if view is not None]
    return [*imagined, *views], [ref.number for ref in present[MOST_TOUCHED_SHOWN:] if ref.number in changed]


def _tells_queue(results: Sequence[Result], board: int) -> bool:
    """Whether a line is answered with all that is queued on a board."""
    told = (decision.reply for decision in decisions(results))
    return any(isinstance(reply, Queued | QueueShown) and reply.board == board for reply in told)


def _remarks(results: Sequence[Result], board: int, userid: str | None) -> list[Reply]:
    """What the mail with a board says above it to one of its players."""
    return words_above(_all_remarks(results), board, userid)


def _all_remarks(results: Sequence[Result]) -> tuple[Remark, ...]:
    return tuple(remark for decision in decisions(results) for remark in decision.remarks)


def _authors(results: Sequence[Result]) -> dict[int, Result]:
    """Who first did something on each board that was touched, and with which words."""
    authors: dict[int, Result] = {}
    for result in results:
        if isinstance(result.outcome, Decision) and result.actor and result.actor.player:
            for number in result.outcome.touched:
                authors.setdefault(number, result)
    return authors


def _about(results: Sequence[Result]) -> str:
    first = results[0]
    if not isinstance(first.line, Parsed):
        return first.outcome.command if isinstance(first.outcome, WrongForm) else "your mail"
    name = first.line.command.name
    if isinstance(first.outcome, Decision) and isinstance(first.outcome.reply, HelpCommand | HelpGame | HelpTopic):
        return f"{name} {' '.join(first.line.arguments.words)}"
    return name
