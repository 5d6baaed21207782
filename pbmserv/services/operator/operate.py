"""What an operator does in a player's place: a command with the operator's own proof, a new password."""

from dataclasses import dataclass
from datetime import datetime

from pbmserv.commands.changes import NewPassword
from pbmserv.commands.decision import Decision
from pbmserv.commands.line import read_line
from pbmserv.commands.message import Actor, Parsed, Request
from pbmserv.commands.permission import decide
from pbmserv.commands.words import normalised
from pbmserv.matches.replay import Replayed
from pbmserv.rendering.board import view_board
from pbmserv.rendering.environment import laid_out, render
from pbmserv.rendering.sentences import say
from pbmserv.services.house import House
from pbmserv.services.identify import LONGEST_PASSWORD, SHORTEST_PASSWORD, is_fit_length
from pbmserv.services.letters import imagined_views, news_letter
from pbmserv.services.locks import hold
from pbmserv.services.notices import Happened, board_notices, tell_letters
from pbmserv.services.question import ask
from pbmserv.services.recorded import record_text
from pbmserv.services.run import keep_decision
from pbmserv.store import accounts, outbox, players
from pbmserv.store.engine import run_again, writing
from pbmserv.store.records import TransactionRecords


class CannotOperate(Exception):
    """There is no such player, or the line is no command; the message is for the operator."""


@dataclass(frozen=True, slots=True)
class Operated:
    """What a command came to: its text, and whether it was carried out."""

    text: str
    done: bool


def run_as(house: House, userid: str, line: str, now: datetime) -> Operated:
    """Runs one command line in a player's place; all players of a board touched, that one too, are mailed it."""
    read = read_line(normalised(line), None)
    if read.unparsed is not None:
        return Operated(laid_out(say(read.unparsed.refused, house.server)), done=False)
    if read.parsed is None:
        raise CannotOperate("that line is no command; try `help commands`")
    if read.parsed.new_password is not None:
        raise CannotOperate("passwords are set by `pbmserv admin password USERID`")
    return give(house, userid, read.parsed, now)


def give(house: House, userid: str, parsed: Parsed, now: datetime) -> Operated:
    """The same with a line that is read already."""
    return run_again(lambda: _run(house, userid, parsed, now))


def _run(house: House, userid: str, parsed: Parsed, now: datetime) -> Operated:
    with writing(house.engine) as connection:
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
            server=house.server,
        )
        records = TransactionRecords(connection, house.recent)
        outcome = decide(request, records, now)
        if not isinstance(outcome, Decision):
            return Operated(laid_out(say(outcome, house.server)), done=False)
        keep_decision(connection, records, outcome, now)
        letters = [
            letter
            for board in outcome.boards
            for letter in board_notices(
                records, house, _happened(board, outcome, player.userid, request.comment), now
            )
        ]
        letters += tell_letters(records, house, outcome.tells, now)
        letters += [news_letter(house, address, reply, None, now) for address, reply in outcome.news]
        outbox.queue(connection, letters, now)
        if outcome.question is not None:
            ask(connection, house, outcome.question, None, now)
        views = [view_board(board, whole=True) for board in outcome.boards]
        shown = [(records.board(ref.number), ref.ply) for ref in outcome.shows]
        views += imagined_views(outcome, None)
        views += [view_board(board.at(ply), whole=True, ply=ply) for board, ply in shown if board is not None]
        texts = [render("mail/notice.txt", view=view, alone=False, server=house.server) for view in views]
        texts += [record_text(board, house.server) for board in outcome.recorded]
    return Operated(laid_out("\n\n".join([say(outcome.reply, house.server), *texts])), done=True)


def _happened(board: Replayed, decided: Decision, author: str, words: str) -> Happened:
    number = board.match.number
    entries = tuple(entry for entry in decided.entries if entry.match == number)
    is_opened = decided.opened is not None and decided.opened.number == number
    is_talk = not entries and not is_opened
    return Happened(board, entries, author, words, is_talk=is_talk, remarks=decided.remarks)


def set_password(house: House, userid: str, password: str, now: datetime) -> None:
    """Puts another password in force for a player; it must be one that can be written in a mail."""
    plain = normalised(password)
    if " " in plain or not is_fit_length(plain):
        raise CannotOperate(
            f"a password is one word of {SHORTEST_PASSWORD} to {LONGEST_PASSWORD} characters, without blanks"
        )
    hashed = house.hasher.hash(plain)
    with writing(house.engine) as connection:
        player = players.find(connection, userid)
        if player is None:
            raise CannotOperate(f"nobody is called {userid}")
        accounts.keep(connection, NewPassword(player.id, hashed), now)
