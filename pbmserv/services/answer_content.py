"""What an answer to a mail says and shows, besides what became of each line."""

from collections.abc import Sequence
from dataclasses import dataclass

from pbmserv.rendering.board import BoardView
from pbmserv.rendering.html_mail import Content
from pbmserv.rendering.markup import document_of
from pbmserv.rendering.templates import render, say
from pbmserv.services.app import App
from pbmserv.services.compose import ReplyContext, in_words
from pbmserv.services.line_reports import LineReport
from pbmserv.services.notices import late_links
from pbmserv.store.queries import TransactionQueries


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

    def text(self, app: App, words: bool = False, with_boards: bool = True) -> str:
        """The text of the mail, not yet laid out."""
        text = render(
            "mail/answer.txt",
            words=words,
            results=self.reports,
            left_out=self.left_out,
            views=self.views if with_boards else (),
            unshown=self.unshown,
            has_more=self.has_more,
            rest=self.rest,
            server=app.server,
        )
        return "\n\n".join([text, *self.notes, *self.records])

    def html(self, app: App) -> Content:
        """The same for the HTML part, which draws the boards in its own way."""
        return Content(document_of(self.text(app, with_boards=False)), tuple(self.views))


def answer_notes(records: TransactionQueries, app: App, to: ReplyContext) -> tuple[str, ...]:
    """What the sender has to know, whatever they asked for."""
    return tuple(say(each, app.server, in_words(to.player)) for each in late_links(records, to.player))
