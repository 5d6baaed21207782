"""What became of a mail, in a few sentences that its row in the inbox keeps, for people who try the server out.

Most moves bring their sender no mail, so an answer alone does not tell what a mail has done.
"""

import re
from collections.abc import Sequence
from typing import Final

from pbmserv.commands.command import Decision
from pbmserv.commands.letter import KeptOutcome, LineOutcome
from pbmserv.commands.server import Server
from pbmserv.matches.errors import CommandError
from pbmserv.rendering.document import Prose
from pbmserv.rendering.markup import document_of
from pbmserv.rendering.templates import render, say
from pbmserv.services.run import CommandResult
from pbmserv.store.codec import UnknownValue, decode
from pbmserv.store.inbox import FinalStatus

MOST_LINES: Final = 5
"""Lines of a mail that are told of one by one."""

_LONGEST: Final = 300
_WHOLE_SENTENCES: Final = re.compile(r".*[.!?](?=\s|$)", re.DOTALL)


def outcome_of(fate: FinalStatus, why_automatic: str, results: Sequence[CommandResult]) -> KeptOutcome:
    """What became of a mail. `why_automatic` is empty where a person may have written it."""
    lines = tuple(map(_line, results[:MOST_LINES]))
    return KeptOutcome(fate, why_automatic, lines, max(len(results) - MOST_LINES, 0))


def outcome_text(server: Server, kept: str) -> str:
    """The sentences about what became of a mail, as its row keeps it."""
    if not kept.startswith("{"):
        return kept  # by 0.14.0 and earlier it was kept in sentences
    try:
        outcome = decode(kept)
    except UnknownValue:
        return ""
    lines = [
        {"fate": each.fate, "text": "" if each.said is None else _first_paragraph(say(each.said, server))}
        for each in outcome.lines
    ]
    text = render("mail/outcome.txt", fate=outcome.fate, why=outcome.why_automatic, lines=lines, more=outcome.more)
    return "\n".join(line.strip() for line in text.splitlines() if line.strip())


def _line(result: CommandResult) -> LineOutcome:
    match result.outcome:
        case Decision(reply=reply):
            return LineOutcome("waits" if result.awaits_yes else "done", reply)
        case CommandError():
            return LineOutcome("refused", result.outcome)
    return LineOutcome("not run")


def _first_paragraph(text: str) -> str:
    """Without lines to be sent below it, and without what leads over to them."""
    said = next((block.text for block in document_of(text).blocks if isinstance(block, Prose)), "")
    whole = _WHOLE_SENTENCES.match(said)
    return (whole[0] if whole else said)[:_LONGEST]
