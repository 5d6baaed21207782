"""Writes letters: draws their boards as they stand, lays their words out, and gives each its token."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from pbmserv.commands.boards import NextBoards
from pbmserv.commands.letter import (
    UNSOLICITED,
    Answer,
    Asked,
    BoardNews,
    Digest,
    FixedText,
    Letter,
    Notice,
    PuzzleLetter,
    Said,
    ShownBoard,
)
from pbmserv.commands.practice import practice_to_come
from pbmserv.commands.queue import MovesQueued, QueueShown
from pbmserv.mail.sending.message import Attachment
from pbmserv.matches.moves import play
from pbmserv.matches.player import Player
from pbmserv.matches.replay import GameState
from pbmserv.rendering.board import BoardView, Comment, view_board
from pbmserv.rendering.html_mail import Content
from pbmserv.rendering.markup import document_of, filled
from pbmserv.rendering.overview import Overview
from pbmserv.rendering.puzzle import (
    PracticeView,
    PuzzleView,
    practice_text,
    puzzle_text,
    view_practice,
    view_puzzle,
)
from pbmserv.rendering.templates import render, say
from pbmserv.services.app import App
from pbmserv.services.board_mail import (
    attached,
    board_notes,
    board_subject,
    digest_mail,
    fitted,
    overview_for,
    record_texts,
    since_known,
    with_links,
)
from pbmserv.services.compose import (
    MailBody,
    NothingLeft,
    OutgoingMail,
    build_message,
    draft_of,
    in_words,
    other_subject,
    takes_html,
    welcome_practice,
    with_practice,
)
from pbmserv.services.line_reports import LineReport, report_of, shortened
from pbmserv.services.notices import afterwards, person_of, rating_remarks, readable, still_queued
from pbmserv.services.respond import MOST_SHOWN
from pbmserv.services.unit_of_work import UnitOfWork
from pbmserv.store.outbox import OutboxMessage
from pbmserv.store.queries import TransactionQueries


def write_letter(work: UnitOfWork, letter: Letter, is_brief: bool = False) -> OutboxMessage:
    """The mail that a letter becomes, with the boards as they stand. Raises NothingLeft.

    A brief one is text alone, with one board and the shorter sentences, and says how to ask for the rest.
    """
    records = work.records
    player = records.player(letter.userid) if letter.userid else None
    if player is not None and letter.kind in UNSOLICITED:
        letter = replace(letter, recipient=player.address)
    elif player is not None and player.address != letter.recipient:
        player = None
    match letter.said:
        case Answer():
            message = answer_mail(work, letter, player, is_brief)
        case BoardNews() as news:
            message = build_message(work.app, _board_news(work, letter, news, _there(player)), work.now)
        case Digest() as digest:
            message = digest_mail(work, digest, _there(player))
        case said:
            message = build_message(work.app, _words(work, letter, said, player), work.now)
    owner = records.player(letter.owner) if letter.owner else None
    message = replace(message, player_id=owner.id) if owner is not None else message
    return replace(message, asks=letter.asks) if letter.asks else message


def _there(player: Player | None) -> Player:
    if player is None:
        raise NothingLeft
    return player


def _words(work: UnitOfWork, letter: Letter, said: Said, player: Player | None) -> OutgoingMail:
    """A mail about no board."""
    words, server, records = in_words(player), work.app.server, work.records
    match said:
        case Notice():
            body, about = MailBody(say(said.words, server, words), has_html=said.has_html), said.about
        case Asked():
            body = with_practice(say(said.words, server), welcome_practice(said.words, server), server)
            about = "your address" if said.confirmation.kind == "take back" else "please confirm"
        case FixedText():
            sentence = filled(render(said.template, words=words, server=server, **dict(said.context)))
            board = readable(records, letter.board, "letters") if letter.board is not None else None
            named = () if board is None else ((board.match.number, board.state.plies),)
            body, about = MailBody(sentence, named=named), said.about
        case PuzzleLetter():
            puzzle = records.puzzle(said.puzzle)
            if puzzle is None:
                raise NothingLeft
            shown, above = view_puzzle(puzzle), say(said.words, server, words)
            text = f"{above}\n\n{puzzle_text(shown, server, words)}"
            body, about = (
                MailBody(text, content=Content(document_of(above)), practice=shown),
                "the puzzle of the week",
            )
        case _:
            raise TypeError(type(said).__name__)
    draft = draft_of(letter, player, body, other_subject(server, about))
    return replace(draft, board=letter.board) if body.named else draft


def _board_news(work: UnitOfWork, letter: Letter, news: BoardNews, player: Player) -> OutgoingMail:
    """The mail with one board to one who did not ask for it."""
    app, records = work.app, work.records
    board = records.board(letter.board) if letter.board is not None else None
    if board is None:
        raise NothingLeft
    number, words = board.match.number, in_words(player)
    more: tuple[Any, ...] = ()
    if news.is_watched:
        remarks = (*afterwards(records, board, player), *news.remarks)
    else:
        if not news.is_talk:
            more = (*rating_remarks(records, board, player), *afterwards(records, board, player))
        remarks = (*news.remarks, *more, *still_queued(records, board, player.userid))
    comment = Comment(news.author, news.words) if news.words else None
    is_told = news.is_talk and comment is not None
    notes = replace(board_notes(remarks, app.server, words), is_told=is_told, since=news.since)
    timing = None if news.begins_turn else records.timing(board, work.now)
    (view,), key = with_links(app, [view_board(board, player.userid, comment, timing=timing, notes=notes)])
    body = MailBody(
        render("mail/notice.txt", words=words, view=view, alone=True, server=app.server),
        (view,),
        key=key,
    )
    draft = draft_of(letter, player, body, board_subject(view))
    return replace(draft, board=number, author=person_of(records, news.author))


@dataclass(frozen=True, slots=True)
class AnswerContent:
    """What an answer says and shows."""

    reports: Sequence[LineReport]
    # Commands that would pass on the words that were left out.
    left_out: Sequence[str]
    views: Sequence[BoardView]
    # The numbers of changed boards that there is no room for.
    unshown: Sequence[int]
    # The records of games that were asked for, as text.
    records: Sequence[str] = ()
    # For a brief answer: whether something is missing, and the commands that ask for it.
    has_more: bool = False
    rest: Sequence[str] = ()
    # Sentences about something else, below all.
    notes: Sequence[str] = ()
    # The table of several boards, if it was asked for.
    overview: Overview | None = None
    # The practice board below, which is not there yet, or a puzzle.
    practice: PracticeView | PuzzleView | None = None

    def text(self, app: App, words: bool = False, with_boards: bool = True) -> str:
        """The text of the mail, not yet laid out."""
        text = render(
            "mail/answer.txt",
            words=words,
            results=self.reports,
            left_out=self.left_out,
            views=self.views if with_boards else (),
            unshown=self.unshown,
            overview=self.overview if with_boards else None,
            has_more=self.has_more,
            rest=self.rest,
            server=app.server,
        )
        shown = ""
        if with_boards and isinstance(self.practice, PuzzleView):
            shown = puzzle_text(self.practice, app.server, words)
        elif with_boards and isinstance(self.practice, PracticeView):
            shown = practice_text(self.practice, app.server, words)
        return "\n\n".join([text, *([shown] if shown else []), *self.notes, *self.records])

    def html(self, app: App) -> Content:
        """The same for the HTML part, which draws the boards in its own way."""
        said = document_of(self.text(app, with_boards=False))
        return Content(said, tuple(self.views), overview=self.overview)


def answer_mail(work: UnitOfWork, letter: Letter, player: Player | None, is_brief: bool) -> OutboxMessage:
    """What became of each line of a mail, then the boards that it is about, as far as they fit."""
    answer = letter.said
    assert isinstance(answer, Answer)
    replies = (each.said for each in answer.lines)
    asked = next((each for each in replies if isinstance(each, NextBoards) and len(each.numbers) > 1), None)
    seen = [_view(work, answer, each, player) for each in answer.boards]
    views, key = with_links(work.app, [each for each in seen if each is not None])

    def build(most: int) -> OutboxMessage:
        draft = _answer_with(work, letter, answer, player, is_brief, asked, views[:most], key)
        return build_message(work.app, draft, work.now)

    if is_brief or asked is None:
        return build(MOST_SHOWN)
    return fitted(build, lambda message: len(message.raw), MOST_SHOWN)


def _answer_with(
    work: UnitOfWork,
    letter: Letter,
    answer: Answer,
    player: Player | None,
    is_brief: bool,
    asked: NextBoards | None,
    views: tuple[BoardView, ...],
    key: str,
) -> OutgoingMail:
    app, records, server, words = work.app, work.records, work.app.server, in_words(player)
    is_own = asked is not None and player is not None and asked.userid == player.userid
    is_told = len(answer.lines) == len(views) == 1 and views[0].is_present
    reports = [report_of(each, server, words, is_told and each.is_told_by_board) for each in answer.lines]
    notes = tuple(say(each, server, words) for each in answer.notes)
    apart = None if is_brief else _apart(records, app, answer)
    files: tuple[Attachment, ...] = ()
    if is_brief:
        has_more = len(views) > 1
        reports, rest = shortened(reports, views)
        views = views[:1]
        has_more = has_more or any(each.left_out for each in reports)
        content = AnswerContent(
            reports,
            answer.left_out,
            views,
            answer.unshown,
            has_more=has_more,
            rest=rest if player else (),
            notes=notes,
        )
    else:
        wanted = [board for board in map(records.board, answer.records) if board is not None]
        # Unknown senders get no files: their address may be somebody else's.
        files = attached(wanted, server) if player else ()
        texts = record_texts(wanted, files, server, words)
        table = overview_for(work, asked, key if is_own else "") if asked else None
        table = replace(table, drawn=len(views)) if table else None
        content = AnswerContent(
            reports, answer.left_out, views, answer.unshown, texts, notes=notes, overview=table, practice=apart
        )
    concerned = {*answer.concerned} & {view.number for view in views}
    alone = views[0] if len(concerned) == 1 and len(views) == 1 else None
    has_html = takes_html(player, apart) and not is_brief
    body = MailBody(
        content.text(app, words=words),
        views,
        content=content.html(app) if has_html else None,
        has_html=has_html,
        attachments=files,
        practice=apart,
        key=key,
        named=content.overview.named if content.overview and is_own else (),
    )
    draft = draft_of(letter, player, body, board_subject(alone) if alone else other_subject(server, answer.about))
    return replace(draft, board=alone.number) if alone else draft


def _view(work: UnitOfWork, answer: Answer, shown: ShownBoard, player: Player | None) -> BoardView | None:
    """A board as an answer shows it, with old news if it was asked for; None where there is none."""
    app, records, now = work.app, work.records, work.now
    board = records.board(shown.number)
    if board is None:
        return None
    userid = player.userid if player else None
    if shown.tried:
        return view_board(after_moves(board, shown.tried, now), userid, whole=True, previewed=len(shown.tried))
    remarks = shown.remarks
    if shown.ply is None:
        remarks += rating_remarks(records, board, player)
        # How a game went stands there only where its end is news.
        remarks += afterwards(records, board, player) if shown.is_changed else ()
        # Not if a line is answered with the whole queue anyway.
        if not any(
            isinstance(each.said, MovesQueued | QueueShown) and each.said.board == shown.number
            for each in answer.lines
        ):
            remarks += tuple(still_queued(records, board, userid))
    is_told = shown.is_changed and len(answer.lines) == 1 and not answer.lines[0].is_told_by_board
    is_asked = shown.is_whole and not any(isinstance(each.said, NextBoards) for each in answer.lines)
    since = shown.since if is_asked or shown.is_changed or not player else since_known(work, board, player)
    return view_board(
        board.at(shown.ply),
        userid,
        whole=shown.is_whole,
        ply=shown.ply,
        timing=records.timing(board, now),
        notes=replace(board_notes(remarks, app.server, in_words(player)), since=since, is_told=is_told),
        begun=shown.begun,
    )


def after_moves(board: GameState, moves: Sequence[str], now: datetime) -> GameState:
    """A board as it would stand after moves, each by the seat that is to move then."""
    for move in moves:
        board = board.apply(play(board, board.state.to_move or 0, move, None, now))
    return board


def _apart(records: TransactionQueries, app: App, answer: Answer) -> PracticeView | PuzzleView | None:
    """What an answer shows that is no match: a puzzle, or the practice board for one who could begin on it now."""
    puzzle = records.puzzle(answer.puzzle) if answer.puzzle is not None else None
    if puzzle is not None:
        return view_puzzle(puzzle, by_number=not answer.is_known)
    newcomer = records.player(answer.newcomer) if answer.newcomer else None
    # Once the board is there, it is shown like any other.
    if newcomer is None or records.practice_of(newcomer) is not None:
        return None
    return view_practice(practice_to_come(newcomer.userid, app.server))
