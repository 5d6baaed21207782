"""What goes out for one mail: one answer to its sender, and the boards that changed to everybody else."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from hashlib import sha256

from pbmserv.commands.command import BoardRef, Confirmation, Decision, Question, Remark, words_above
from pbmserv.commands.permission import speaks_on
from pbmserv.commands.queue import MovesQueued, QueueShown
from pbmserv.commands.server import Server
from pbmserv.games.game import Move
from pbmserv.matches.log import Entry
from pbmserv.matches.moves import AmbiguousMove
from pbmserv.matches.player import Player
from pbmserv.parser.parsed import Parsed, named_userids
from pbmserv.rendering.board import BoardView, view_board
from pbmserv.services.answer_content import AnswerContent, answer_notes
from pbmserv.services.app import App
from pbmserv.services.attachments import record_files, record_texts
from pbmserv.services.board_mail import board_subject, preview_views, telling_of, with_links
from pbmserv.services.compose import (
    MailBody,
    MailCause,
    OutgoingMail,
    ReplyContext,
    build_message,
    in_words,
    news_mail,
    other_subject,
    takes_html,
)
from pbmserv.services.line_reports import (
    entry_before,
    is_told_by_board,
    report_line,
    sendable_words,
    shortened,
    subject_of,
)
from pbmserv.services.notices import (
    BoardChange,
    board_notices,
    ending_remarks,
    player_notices,
    still_queued,
)
from pbmserv.services.overviews import fitted, next_asked, overview_for
from pbmserv.services.practice_offer import shown_apart
from pbmserv.services.run import CommandResult, decisions, touched
from pbmserv.store.outbox import OutboxMessage
from pbmserv.store.queries import TransactionQueries

MOST_TOUCHED_SHOWN = 5
"""The most boards that are shown because something happened on them."""

MOST_SHOWN = 20
"""The most boards in one answer."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The mail to the sender."""

    message: OutboxMessage
    asks: Confirmation | None = None  # The question that a `yes` to the mail answers.


def answer(
    records: TransactionQueries,
    app: App,
    to: ReplyContext,
    results: Sequence[CommandResult],
    is_brief: bool = False,
    remarks: Sequence[Remark] = (),
) -> Answer:
    """The mail to the sender: what became of each line, then the boards it is about, if they fit.

    `remarks` stand above the boards, too.

    A brief one is text alone, with one board and the shorter sentences, and says how to ask for the rest.
    """
    remarks = (*remarks, *remarks_of(results))
    if is_brief or next_asked(results) is None:
        return _answer(records, app, to, results, remarks, MOST_SHOWN, is_brief)
    build = partial(_answer, records, app, to, results, remarks)
    return fitted(build, lambda made: len(made.message.raw), MOST_SHOWN)


def _answer(
    records: TransactionQueries,
    app: App,
    to: ReplyContext,
    results: Sequence[CommandResult],
    remarks: Sequence[Remark],
    most: int,
    is_brief: bool = False,
) -> Answer:
    seen, unshown = _boards_for_sender(records, results, to.player, app.server, to.now, remarks)
    views, key = with_links(app, seen)
    views, asked = views[:most], next_asked(results)
    is_own = asked is not None and to.player is not None and asked.userid == to.player.userid
    asks = _awaited_yes(to, results, views) or _question_here(to, results)
    known = records.known_among(named_userids(result.line for result in results))
    notes = answer_notes(records, app, to, results)
    is_told = len(results) == len(views) == 1 and views[0].is_present and is_told_by_board(results[0])
    reports = [report_line(result, records, app.server, to, asks, known, is_told) for result in results]
    left_out = sendable_words(records, results, to.left_out)
    practice = None if is_brief else shown_apart(results, asks, records, app.server)
    # Unknown senders get no files: their address may be somebody else's.
    files = record_files(results, app.server) if to.player and not is_brief else ()
    if is_brief:
        has_more = len(views) > 1
        reports, rest = shortened(reports, views)
        views = views[:1]
        has_more = has_more or any(each.left_out for each in reports)
        content = AnswerContent(
            reports, left_out, views, unshown, has_more=has_more, rest=rest if to.player else (), notes=notes
        )
    else:
        texts = record_texts(results, files, app.server, in_words(to.player))
        table = overview_for(records, app, asked, key if is_own else "", to.now) if asked else None
        table = replace(table, drawn=len(views)) if table else None
        content = AnswerContent(
            reports, left_out, views, unshown, texts, notes=notes, overview=table, practice=practice
        )
    concerned = {board for result in results for board in result.boards} & {view.number for view in views}
    alone = views[0] if len(concerned) == 1 and len(views) == 1 else None
    has_html = takes_html(to.player, practice) and not is_brief
    draft = OutgoingMail(
        kind=to.kind,
        recipient=to.recipient,
        player=to.player,
        subject=board_subject(alone) if alone else other_subject(app.server, subject_of(results[0])),
        body=MailBody(
            content.text(app, words=in_words(to.player)),
            views,
            content=content.html(app) if has_html else None,
            has_html=has_html,
            attachments=files,
            practice=practice,
            key=key,
            named=content.overview.named if content.overview and is_own else (),
        ),
        board=alone.number if alone else None,
        cause=MailCause(to.inbox_id, to.mail.message_id, to.proven),
        is_question=asks is not None,
    )
    return Answer(build_message(app, draft, to.now), asks)


def messages_to_others(
    records: TransactionQueries, app: App, to: ReplyContext, results: Sequence[CommandResult]
) -> list[OutboxMessage]:
    """Everything that goes to others than the sender: changed boards, notices to players, news to addresses."""
    decided = decisions(results)
    news = [
        news_mail(app, address, reply, to.inbox_id, to.now)
        for decision in decided
        for address, reply in decision.notifications.to_addresses
        if address != to.recipient
    ]
    told = [each for decision in decided for each in decision.notifications.to_players]
    news += player_notices(records, app, told, to.now, to.inbox_id)
    return [*_changed_boards(records, app, to, results), *news]


def _changed_boards(
    records: TransactionQueries, app: App, to: ReplyContext, results: Sequence[CommandResult]
) -> list[OutboxMessage]:
    """The boards that changed, for everybody but the recipient of the answer."""
    messages: list[OutboxMessage] = []
    entries: dict[int, tuple[Entry, ...]] = {}
    # Who first did something on each board.
    authors: dict[int, CommandResult] = {}
    opened: set[int] = set()
    for result in results:
        if isinstance(result.outcome, Decision):
            for entry in result.outcome.entries:
                entries[entry.match] = (*entries.get(entry.match, ()), entry)
            if result.outcome.opened:
                opened.add(result.outcome.opened.number)
            if result.actor and result.actor.player:
                for number in result.outcome.changed_boards:
                    authors.setdefault(number, result)
    for number, board in sorted(touched(results).items()):
        author = authors.get(number)
        actor = author.actor if author else None
        change = BoardChange(
            board,
            entries=entries.get(number, ()),
            author=actor.player.userid if actor and actor.player else None,
            words=author.comment if author and actor and speaks_on(actor, board.match, records) else "",
            is_talk=number not in entries and number not in opened,
            remarks=remarks_of(results),
            inbox_id=to.inbox_id,
            proven=to.proven,
        )
        messages += board_notices(records, app, change, to.now, but=to.recipient)
    return messages


def questions(results: Sequence[CommandResult], asked_here: Confirmation | None) -> list[Question]:
    """The questions that need mails of their own; `asked_here` is the one that the answer asks."""
    found = (decision.notifications.question for decision in decisions(results))
    return [each for each in found if each is not None and each.confirmation != asked_here]


def _awaited_yes(
    to: ReplyContext, results: Sequence[CommandResult], views: Sequence[BoardView]
) -> Confirmation | None:
    """One question about all lines of the mail that wait for a `yes`."""
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


def _question_here(to: ReplyContext, results: Sequence[CommandResult]) -> Confirmation | None:
    """The first question that goes to the same address as the answer."""
    asked = [question.confirmation for question in questions(results, None)]
    again = [result.still_asked for result in results if result.still_asked]
    return next((each for each in (*asked, *again) if each.address == to.recipient), None)


def _boards_for_sender(
    records: TransactionQueries,
    results: Sequence[CommandResult],
    player: Player | None,
    server: Server,
    now: datetime,
    remarks_on_boards: Sequence[Remark],
) -> tuple[list[BoardView], list[int]]:
    """The boards that the answer shows, and the numbers of changed ones that it has no room for."""
    asked: dict[BoardRef, None] = {}
    concerned: dict[int, None] = {}
    previews: list[BoardView] = []
    begun: dict[int, Move] = {}
    userid = player.userid if player else None
    for result in results:
        if isinstance(result.outcome, Decision):
            asked.update(dict.fromkeys(result.outcome.shown.boards))
            previews += preview_views(result.outcome, userid)
            concerned.update(dict.fromkeys([*result.outcome.changed_boards, *result.awaited_boards]))
        elif result.outcome.board is not None:
            concerned.update(dict.fromkeys([result.outcome.board]))
            if isinstance(result.outcome, AmbiguousMove) and result.outcome.begun:
                begun[result.outcome.board] = result.outcome.begun

    def view(ref: BoardRef, whole: bool) -> BoardView | None:
        board = records.board(ref.number)
        if board is None:
            return None
        remarks = words_above(remarks_on_boards, ref.number, userid)
        if ref.ply is None:
            remarks += ending_remarks(records, board, player, ref.number in changed)
            # Not if a line is answered with the whole queue anyway.
            if not any(
                isinstance(reply, MovesQueued | QueueShown) and reply.board == ref.number for reply in replies
            ):
                remarks += still_queued(records, board, userid)
        is_changed = ref.number in changed
        return view_board(
            board.at(ref.ply),
            userid,
            whole=whole,
            ply=ref.ply,
            timing=records.timing(board, now),
            telling=replace(
                telling_of(remarks, server, in_words(player)),
                since=entry_before(board, results),
                is_told=is_changed and len(results) == 1 and not is_told_by_board(results[0]),
            ),
            begun=() if is_changed else begun.get(ref.number, ()),
        )

    changed = touched(results)
    replies = [decision.reply for decision in decisions(results)]
    present = [BoardRef(number) for number in concerned if BoardRef(number) not in asked]
    wanted = [*((ref, False) for ref in present[:MOST_TOUCHED_SHOWN]), *((ref, True) for ref in asked)]
    views = [each for each in (view(ref, whole) for ref, whole in wanted[:MOST_SHOWN]) if each is not None]
    return [*previews, *views], [ref.number for ref in present[MOST_TOUCHED_SHOWN:] if ref.number in changed]


def remarks_of(results: Sequence[CommandResult]) -> tuple[Remark, ...]:
    """What the boards that changed say above them."""
    return tuple(remark for decision in decisions(results) for remark in decision.notifications.remarks)
