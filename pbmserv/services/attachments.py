"""Records of games as files that go along with a mail."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from pbmserv.commands.server import Server
from pbmserv.mail.sending.message import Attachment
from pbmserv.matches.replay import GameState
from pbmserv.rendering.formats import file_of, standard_record, suffix_of
from pbmserv.rendering.record import as_file, file_name, game_log, record_of
from pbmserv.rendering.templates import render

LARGEST: Final = 400_000
"""Bytes of all files of a mail; a third comes to it on the way."""


def attached(boards: Iterable[GameState], server: Server) -> tuple[Attachment, ...]:
    """The records of boards as files, each once, as long as there is room: JSON, and the format of the game."""
    files: dict[str, Attachment] = {}
    room = LARGEST
    for board in boards:
        for file in _files(board, server):
            if file.name not in files and len(file.content) <= room:
                room -= len(file.content)
                files[file.name] = file
    return tuple(files.values())


def _files(board: GameState, server: Server) -> Iterator[Attachment]:
    number = board.match.number
    yield Attachment(file_name(number), as_file(record_of(board, server)))
    standard = standard_record(board, server.domain)
    if standard:
        yield Attachment(file_of(number, standard.suffix), standard.content, standard.media_type)


def has_record(board: GameState) -> bool:
    """Whether a game has come to its end that is worth keeping: a declined one is not."""
    return board.state.status in ("finished", "annulled")


def record_texts(
    boards: Iterable[GameState], files: Sequence[Attachment], server: Server, words: bool
) -> list[str]:
    """The records that were asked for as texts, not yet laid out; `files` go along with them."""
    names = {each.name for each in files}
    return [
        record_text(board, server, words, tuple(name for name in _names(board) if name in names))
        for board in boards
    ]


def _names(board: GameState) -> Iterator[str]:
    """How the files of a board are called."""
    yield file_name(board.match.number)
    suffix = suffix_of(board)
    if suffix:
        yield file_of(board.match.number, suffix)


def record_text(board: GameState, server: Server, words: bool = False, attached: Sequence[str] = ()) -> str:
    """The record of a board as text, not yet laid out; `attached` are the names of files that go along with it."""
    return render("mail/record.txt", words=words, story=game_log(board), attached=attached, server=server)
