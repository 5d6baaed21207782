"""What an answer to a mail says and shows, besides what became of each line."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pbmserv.commands.command import Reply
from pbmserv.matches.player import Player
from pbmserv.parser.parsed import Parsed
from pbmserv.rendering.board import BoardView
from pbmserv.rendering.html_mail import Content
from pbmserv.rendering.markup import document_of
from pbmserv.rendering.overview import Overview
from pbmserv.rendering.puzzle import PracticeView, PuzzleView
from pbmserv.rendering.templates import render, say
from pbmserv.services.app import App
from pbmserv.services.compose import ReplyContext, in_words
from pbmserv.services.line_reports import LineReport
from pbmserv.services.notices import late_links
from pbmserv.services.practice_offer import apart_text
from pbmserv.services.run import CommandResult
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
        shown = apart_text(self.practice, app.server, words) if self.practice and with_boards else ""
        return "\n\n".join([text, *([shown] if shown else []), *self.notes, *self.records])

    def html(self, app: App) -> Content:
        """The same for the HTML part, which draws the boards in its own way."""
        said = document_of(self.text(app, with_boards=False))
        return Content(said, tuple(self.views), overview=self.overview)


class DigestOffered(Reply):
    """To a player on many boards, who gets a mail for each."""

    boards: int


MANY_BOARDS: Final = 10
"""Whoever plays on more of them at a time is offered one mail a day."""


def answer_notes(
    records: TransactionQueries, app: App, to: ReplyContext, results: Sequence[CommandResult]
) -> tuple[str, ...]:
    """What the sender has to know, or may like to, besides what they asked for."""
    notes: list[Reply] = [*late_links(records, to.player), *_digest_offer(records, to.player, results)]
    return tuple(say(each, app.server, in_words(to.player)) for each in notes)


def _digest_offer(
    records: TransactionQueries, player: Player | None, results: Sequence[CommandResult]
) -> Sequence[DigestOffered]:
    names = {each.line.command.name for each in results if isinstance(each.line, Parsed)}
    if player is None or player.mail.digest is not None or names.isdisjoint(("move", "next")):
        return ()
    running = records.count_running(player)
    return (DigestOffered(running),) if running > MANY_BOARDS else ()
