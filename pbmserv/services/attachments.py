"""Records of games as files that go along with a mail."""

from collections.abc import Iterable, Sequence
from typing import Final

from pbmserv.commands.base.server import Server
from pbmserv.mail.sending.message import Attachment
from pbmserv.matches.replay import GameState
from pbmserv.rendering.log import game_log
from pbmserv.rendering.record import as_file, file_name, record_of
from pbmserv.rendering.templates import render
from pbmserv.services.run import CommandResult, decisions

LARGEST: Final = 400_000
"""Bytes of all files of a mail; a third comes to it on the way."""


def attached(boards: Iterable[GameState], server: Server) -> tuple[Attachment, ...]:
    """The records of boards as files, each once, as long as there is room."""
    files: dict[int, Attachment] = {}
    room = LARGEST
    for board in boards:
        number = board.match.number
        content = as_file(record_of(board, server))
        if number not in files and len(content) <= room:
            room -= len(content)
            files[number] = Attachment(file_name(number), content)
    return tuple(files.values())


def has_record(board: GameState) -> bool:
    """Whether a game has come to its end that is worth keeping: a declined one is not."""
    return board.state.status in ("finished", "annulled")


def record_texts(
    results: Sequence[CommandResult], files: Sequence[Attachment], server: Server, words: bool
) -> list[str]:
    """The records that were asked for as texts, not yet laid out, each board once; `files` go along with them."""
    names = {each.name for each in files}
    return [
        record_text(board, server, words, is_attached=file_name(board.match.number) in names)
        for board in _asked(results)
    ]


def record_text(board: GameState, server: Server, words: bool = False, is_attached: bool = False) -> str:
    """The record of a board as text, not yet laid out."""
    return render("mail/record.txt", words=words, story=game_log(board), is_attached=is_attached, server=server)


def record_files(results: Sequence[CommandResult], server: Server) -> tuple[Attachment, ...]:
    """The records that were asked for as files, with those of the games that have just come to their end."""
    return attached([*_asked(results), *_ended(results)], server)


def _asked(results: Sequence[CommandResult]) -> list[GameState]:
    boards = (board for decision in decisions(results) for board in decision.shown.records)
    return [*{board.match.number: board for board in boards}.values()]


def _ended(results: Sequence[CommandResult]) -> list[GameState]:
    changed = {entry.match for decision in decisions(results) for entry in decision.entries}
    boards = {board.match.number: board for decision in decisions(results) for board in decision.boards}
    return [board for number, board in boards.items() if number in changed and has_record(board)]
