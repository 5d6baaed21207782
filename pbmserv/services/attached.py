"""Records of games as files that go along with a mail."""

from collections.abc import Iterable
from typing import Final

from pbmserv.commands.server import Server
from pbmserv.mail.write import Attachment
from pbmserv.matches.replay import Replayed
from pbmserv.rendering.record import as_file, file_name, record_of

LARGEST: Final = 400_000
"""Bytes of all files of a mail; a third comes to it on the way."""


def attached(boards: Iterable[Replayed], server: Server) -> tuple[Attachment, ...]:
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


def has_record(board: Replayed) -> bool:
    """Whether a game has come to its end that is worth keeping: a declined one is not."""
    return board.state.status in ("finished", "annulled")
