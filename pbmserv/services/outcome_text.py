"""What became of a mail, in a few sentences that its row in the inbox keeps, for people who try the server out.

Most moves bring their sender no mail, so an answer alone does not tell what a mail has done.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from pbmserv.commands.command import Decision
from pbmserv.commands.server import Server
from pbmserv.matches.errors import CommandError
from pbmserv.rendering.document import Prose
from pbmserv.rendering.markup import document_of
from pbmserv.rendering.templates import render, say
from pbmserv.services.run import CommandResult
from pbmserv.store.inbox import FinalStatus

MOST_LINES: Final = 5
"""Lines of a mail that are told of one by one."""

_LONGEST: Final = 300
_WHOLE_SENTENCES: Final = re.compile(r".*[.!?](?=\s|$)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class LineOutcome:
    """What became of one line: the first sentences of what its sender is told, or would be."""

    fate: Literal["done", "waits", "refused", "not run"]
    text: str


def outcome_text(server: Server, fate: FinalStatus, why_automatic: str, results: Sequence[CommandResult]) -> str:
    """The sentences. `why_automatic` is empty where a person may have written the mail."""
    lines = [_line(each, server) for each in results[:MOST_LINES]]
    more = max(len(results) - MOST_LINES, 0)
    text = render("mail/outcome.txt", fate=fate, why=why_automatic, lines=lines, more=more)
    return "\n".join(line.strip() for line in text.splitlines() if line.strip())


def _line(result: CommandResult, server: Server) -> LineOutcome:
    match result.outcome:
        case Decision(reply=reply):
            return LineOutcome("waits" if result.awaits_yes else "done", _first_paragraph(say(reply, server)))
        case CommandError():
            return LineOutcome("refused", _first_paragraph(say(result.outcome, server)))
    return LineOutcome("not run", "")


def _first_paragraph(text: str) -> str:
    """Without lines to be sent below it, and without what leads over to them."""
    said = next((block.text for block in document_of(text).blocks if isinstance(block, Prose)), "")
    whole = _WHOLE_SENTENCES.match(said)
    return (whole[0] if whole else said)[:_LONGEST]
