"""What an operator does in a player's place: a command with the operator's own proof, a new password."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from pbmserv.commands.changes import Erased, NewPassword
from pbmserv.commands.command import Actor, Decision, Remark, Request
from pbmserv.commands.permission import decide
from pbmserv.matches.errors import CommandError
from pbmserv.matches.log import EntryKind
from pbmserv.matches.replay import GameState
from pbmserv.parser.line import parse_line
from pbmserv.parser.parsed import Parsed
from pbmserv.parser.words import normalised
from pbmserv.rendering.board import view_board
from pbmserv.rendering.markup import laid_out
from pbmserv.rendering.templates import render, say
from pbmserv.services.admin.referee import Effect
from pbmserv.services.app import App
from pbmserv.services.attachments import record_text
from pbmserv.services.authenticate import LONGEST_PASSWORD, SHORTEST_PASSWORD, is_fit_length
from pbmserv.services.board_mail import preview_views
from pbmserv.services.compose import news_mail
from pbmserv.services.limits import ask
from pbmserv.services.notices import BoardChange, board_notices, player_notices
from pbmserv.services.receipts import note_queued_moves, robot_notices
from pbmserv.services.run import write_decision
from pbmserv.services.steps import hold
from pbmserv.store import accounts, outbox, players
from pbmserv.store.engine import run_again, writing
from pbmserv.store.outbox import OutboxMessage
from pbmserv.store.queries import TransactionQueries

_FINAL: Final[frozenset[EntryKind]] = frozenset({"resigned", "declined", "accepted"})
"""What leaves a game, or ends it by consent."""


class CannotOperate(Exception):
    """There is no such player, or the line is no command; the message is for the operator."""


@dataclass(frozen=True, slots=True)
class Operated:
    """What a command came to: its text, and what it does; None where it was refused."""

    text: str
    effect: Effect | None = None

    @property
    def done(self) -> bool:
        """Whether it was carried out."""
        return self.effect is not None


def run_as(app: App, userid: str, line: str, now: datetime) -> Operated:
    """Runs one command line in a player's place; all players of a board touched, that one too, are mailed it."""
    read = parse_line(normalised(line), None)
    if read.unparsed is not None:
        return Operated(laid_out(say(read.unparsed.error, app.server)))
    if read.parsed is None:
        raise CannotOperate("that line is no command; try `help commands`")
    if read.parsed.new_password is not None:
        raise CannotOperate("passwords are set by `pbmserv admin password USERID`")
    return give(app, userid, read.parsed, now)


def give(app: App, userid: str, parsed: Parsed, now: datetime, remarks: tuple[Remark, ...] = ()) -> Operated:
    """The same with a line that is read already, and remarks that the mails about it make besides."""
    return run_again(lambda: _run(app, userid, parsed, now, remarks))


def _run(app: App, userid: str, parsed: Parsed, now: datetime, remarks: tuple[Remark, ...]) -> Operated:
    with writing(app.engine) as connection:
        hold(connection, [parsed], [userid])
        player = players.find(connection, userid)
        if player is None:
            raise CannotOperate(f"nobody is called {userid}")
        actor = Actor(player, player.address, "operator")
        request = Request(
            parsed.line,
            parsed.command,
            parsed.arguments,
            actor,
            comment=parsed.arguments.text,
            server=app.server,
        )
        records = TransactionQueries(connection, app.recent)
        try:
            outcome = decide(request, records, now)
        except CommandError as error:
            return Operated(laid_out(say(error, app.server)))
        write_decision(connection, records, outcome, now)
        note_queued_moves(connection, records, outcome.notifications.remarks, now)
        messages: list[OutboxMessage] = []
        for board in outcome.boards:
            happened = _happened(board, outcome, player.userid, request.comment)
            happened = replace(happened, remarks=(*happened.remarks, *remarks))
            if player.robot is not None:
                messages += robot_notices(connection, records, app, happened, now)
            else:
                messages += board_notices(records, app, replace(happened, is_for_all=True), now)
        messages += player_notices(records, app, outcome.notifications.to_players, now)
        messages += [
            news_mail(app, address, reply, None, now) for address, reply in outcome.notifications.to_addresses
        ]
        outbox.queue(connection, messages, now)
        if outcome.notifications.question is not None:
            ask(connection, app, outcome.notifications.question, None, now)
        views = [view_board(board, whole=True) for board in outcome.boards]
        shown = [(records.board(ref.number), ref.ply) for ref in outcome.shown.boards]
        views += preview_views(outcome, None)
        views += [view_board(board.at(ply), whole=True, ply=ply) for board, ply in shown if board is not None]
        texts: list[str] = [render("mail/notice.txt", view=view, alone=False, server=app.server) for view in views]
        texts += [record_text(board, app.server) for board in outcome.shown.records]
    text = laid_out("\n\n".join([say(outcome.reply, app.server), *texts]))
    erased = any(isinstance(change, Erased) for change in outcome.changes)
    is_final = erased or any(entry.kind in _FINAL for entry in outcome.entries)
    to = tuple(message.recipient for message in messages)
    return Operated(
        text, Effect(outcome.boards, to, f"The account of {player.userid}" if erased else "", is_final)
    )


def _happened(board: GameState, decided: Decision, author: str, words: str) -> BoardChange:
    number = board.match.number
    entries = tuple(entry for entry in decided.entries if entry.match == number)
    is_opened = decided.opened is not None and decided.opened.number == number
    is_talk = not entries and not is_opened
    return BoardChange(board, entries, author, words, is_talk=is_talk, remarks=decided.notifications.remarks)


def set_password(app: App, userid: str, password: str, now: datetime) -> None:
    """Puts another password in force for a player; it must be one that can be written in a mail."""
    plain = normalised(password)
    if " " in plain or not is_fit_length(plain):
        raise CannotOperate(
            f"a password is one word of {SHORTEST_PASSWORD} to {LONGEST_PASSWORD} characters, without blanks"
        )
    hashed = app.hasher.hash(plain)
    with writing(app.engine) as connection:
        player = players.find(connection, userid)
        if player is None:
            raise CannotOperate(f"nobody is called {userid}")
        accounts.write_account_change(connection, NewPassword(player.id, hashed), now)
