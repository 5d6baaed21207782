"""Writes letters: draws their boards as they stand, lays their words out, and gives each its token."""

from dataclasses import replace
from datetime import datetime
from typing import Any

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
)
from pbmserv.matches.player import Player
from pbmserv.rendering.board import Comment, view_board
from pbmserv.rendering.html_mail import Content
from pbmserv.rendering.markup import document_of, filled
from pbmserv.rendering.puzzle import puzzle_text, view_puzzle
from pbmserv.rendering.templates import render, say
from pbmserv.services.answers import answer_mail
from pbmserv.services.app import App
from pbmserv.services.attachments import attached, has_record
from pbmserv.services.board_mail import board_notes, board_subject, with_links
from pbmserv.services.compose import (
    MailBody,
    NothingLeft,
    OutgoingMail,
    build_message,
    draft_of,
    in_words,
    welcome_practice,
    with_practice,
)
from pbmserv.services.digest import digest_mail
from pbmserv.services.notices import lessons, person_of, rating_remarks, readable, still_queued
from pbmserv.store.outbox import OutboxMessage
from pbmserv.store.queries import TransactionQueries


def write_letter(
    records: TransactionQueries, app: App, letter: Letter, now: datetime, is_brief: bool = False
) -> OutboxMessage:
    """The mail that a letter becomes, with the boards as they stand. Raises NothingLeft.

    A brief one is text alone, with one board and the shorter sentences, and says how to ask for the rest.
    """
    player = records.player(letter.userid) if letter.userid else None
    if player is not None and letter.kind in UNSOLICITED:
        letter = replace(letter, recipient=player.address)
    elif player is not None and player.address != letter.recipient:
        player = None
    match letter.said:
        case Answer() as answer:
            message = answer_mail(records, app, letter, answer, player, now, is_brief)
        case BoardNews() as news:
            message = build_message(app, _board_news(records, app, letter, news, player, now), now)
        case Digest() as digest:
            message = digest_mail(records, app, digest, _there(player), now)
        case said:
            message = build_message(app, _words(records, app, letter, said, player), now)
    owner = records.player(letter.owner) if letter.owner else None
    message = replace(message, player_id=owner.id) if owner is not None else message
    return replace(message, asks=letter.asks) if letter.asks else message


def _there(player: Player | None) -> Player:
    if player is None:
        raise NothingLeft
    return player


def _words(
    records: TransactionQueries, app: App, letter: Letter, said: Said, player: Player | None
) -> OutgoingMail:
    """A mail about no board."""
    words, server = in_words(player), app.server
    is_question = False
    match said:
        case Notice():
            body, about = MailBody(say(said.words, server, words), has_html=said.has_html), said.about
        case Asked():
            body = with_practice(say(said.words, server), welcome_practice(said.words, server), server)
            is_question = True
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
    draft = draft_of(app, letter, player, body, about, is_question)
    return replace(draft, board=letter.board) if body.named else draft


def _board_news(
    records: TransactionQueries, app: App, letter: Letter, news: BoardNews, player: Player | None, now: datetime
) -> OutgoingMail:
    """The mail with one board to one who did not ask for it.

    The record of a finished game is attached, unless the mail only passes on words.
    """
    player, board = _there(player), records.board(letter.board) if letter.board is not None else None
    if board is None:
        raise NothingLeft
    number, words = board.match.number, in_words(player)
    more: tuple[Any, ...] = ()
    if news.is_watched:
        remarks = (*lessons(records, board, player), *news.remarks)
    else:
        if not news.is_talk:
            more = (*rating_remarks(records, board, player), *lessons(records, board, player))
        remarks = (*news.remarks, *more, *still_queued(records, board, player.userid))
    comment = Comment(news.author, news.words) if news.words else None
    is_told = news.is_talk and comment is not None
    notes = replace(board_notes(remarks, app.server, words), is_told=is_told, since=news.since)
    timing = None if news.begins_turn else records.timing(board, now)
    (view,), key = with_links(app, [view_board(board, player.userid, comment, timing=timing, notes=notes)])
    body = MailBody(
        render("mail/notice.txt", words=words, view=view, alone=True, server=app.server),
        (view,),
        attachments=attached([board], app.server) if has_record(board) and not news.is_talk else (),
        key=key,
    )
    draft = draft_of(app, letter, player, body, board_subject(view))
    return replace(draft, subject=board_subject(view), board=number, author=person_of(records, news.author))
