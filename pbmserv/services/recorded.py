"""Whole games in the answer to a mail: the records that its lines ask for, and those of games that they ended."""

from collections.abc import Sequence

from pbmserv.commands.server import Server
from pbmserv.mail.write import Attachment
from pbmserv.matches.replay import Replayed
from pbmserv.rendering.environment import render
from pbmserv.rendering.record import file_name
from pbmserv.rendering.story import tell_story
from pbmserv.services.attached import attached, has_record
from pbmserv.services.run import Result, decisions


def record_texts(results: Sequence[Result], files: Sequence[Attachment], server: Server, words: bool) -> list[str]:
    """The records that were asked for as texts, not yet laid out, each board once; `files` go along with them."""
    names = {each.name for each in files}
    return [
        record_text(board, server, words, is_attached=file_name(board.match.number) in names)
        for board in _asked(results)
    ]


def record_text(board: Replayed, server: Server, words: bool = False, is_attached: bool = False) -> str:
    """The record of a board as text, not yet laid out."""
    return render("mail/record.txt", words=words, story=tell_story(board), is_attached=is_attached, server=server)


def record_files(results: Sequence[Result], server: Server) -> tuple[Attachment, ...]:
    """The records that were asked for as files, with those of the games that have just come to their end."""
    return attached([*_asked(results), *_ended(results)], server)


def _asked(results: Sequence[Result]) -> list[Replayed]:
    boards = (board for decision in decisions(results) for board in decision.recorded)
    return [*{board.match.number: board for board in boards}.values()]


def _ended(results: Sequence[Result]) -> list[Replayed]:
    changed = {entry.match for decision in decisions(results) for entry in decision.entries}
    boards = {board.match.number: board for decision in decisions(results) for board in decision.boards}
    return [board for number, board in boards.items() if number in changed and has_record(board)]
