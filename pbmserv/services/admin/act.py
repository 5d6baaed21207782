"""What an operator does in a player's place: commands, new passwords and addresses."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from pbmserv.commands import policy
from pbmserv.commands.address import AddressWanted
from pbmserv.commands.changes import Erased, NewPassword
from pbmserv.commands.command import Actor, Confirmation, Decision, Question, Remark, Reply, Request
from pbmserv.commands.letter import FixedText, Letter, Notice
from pbmserv.commands.permission import decide
from pbmserv.commands.policy import Counted
from pbmserv.commands.vocabulary import is_address
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
from pbmserv.services.authenticate import LONGEST_PASSWORD, SHORTEST_PASSWORD, is_fit_length
from pbmserv.services.board_mail import record_text
from pbmserv.services.limits import ask, spend
from pbmserv.services.notices import BoardChange, board_notices, player_notices
from pbmserv.services.receipts import note_queued_moves, robot_notices
from pbmserv.services.respond import tried_on
from pbmserv.services.steps import hold
from pbmserv.services.writer import deciding
from pbmserv.store import accounts, players
from pbmserv.store.engine import run_again, writing

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


@dataclass(frozen=True, slots=True)
class Given:
    """A command in a player's place: what it came to, the boards that it asked to see, and who is mailed."""

    userid: str
    outcome: Decision | CommandError
    shown: tuple[tuple[GameState, int | None], ...] = ()
    to: tuple[str, ...] = ()


def run_as(app: App, userid: str, line: str, now: datetime) -> Operated:
    """Runs one command line in a player's place; all players of a board touched, that one too, are mailed it."""
    read = parse_line(normalised(line), None)
    if read.unparsed is not None:
        return Operated(laid_out(say(read.unparsed.error, app.server)))
    if read.parsed is None:
        raise CannotOperate("that line is no command; try `help commands`")
    if read.parsed.new_password is not None:
        raise CannotOperate("passwords are set by `pbmserv admin password USERID`")
    return _operated(app, give(app, userid, read.parsed, now))


def give(app: App, userid: str, parsed: Parsed, now: datetime, remarks: tuple[Remark, ...] = ()) -> Given:
    """Gives a command in a player's place, with remarks that the mails about it make besides."""

    def once() -> Given:
        with deciding(app, now) as work:
            connection, records = work.connection, work.records
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
            try:
                outcome = decide(request, records, now)
            except CommandError as error:
                return Given(player.userid, error)
            work.write(outcome, now)
            note_queued_moves(work, outcome.remarks)
            letters: list[Letter] = []
            for board in outcome.boards:
                happened = _happened(board, outcome, player.userid, request.comment)
                happened = replace(happened, remarks=(*happened.remarks, *remarks))
                if player.robot is not None:
                    letters += robot_notices(work, happened)
                else:
                    letters += board_notices(records, replace(happened, is_for_all=True))
            letters += player_notices(records, outcome.to_players)
            letters += [Letter(Notice(reply), "notice", address) for address, reply in outcome.to_addresses]
            work.say(letters)
            if outcome.question is not None:
                ask(work, outcome.question)
            shown = [(records.board(ref.number), ref.ply) for ref in outcome.shown]
        found = tuple((board, ply) for board, ply in shown if board is not None)
        return Given(player.userid, outcome, found, tuple(letter.recipient for letter in letters))

    return run_again(once)


def _operated(app: App, given: Given) -> Operated:
    """What a command came to, as the operator reads it."""
    outcome = given.outcome
    if isinstance(outcome, CommandError):
        return Operated(laid_out(say(outcome, app.server)))
    views = [view_board(board, whole=True) for board in outcome.boards]
    views += [
        view_board(board, whole=True, previewed=len(tried.tried))
        for board, tried in zip(outcome.previews, tried_on(outcome), strict=True)
    ]
    views += [view_board(board.at(ply), whole=True, ply=ply) for board, ply in given.shown]
    texts: list[str] = [render("mail/notice.txt", view=view, alone=False, server=app.server) for view in views]
    texts += [record_text(board, app.server) for board in outcome.records]
    text = laid_out("\n\n".join([say(outcome.reply, app.server), *texts]))
    erased = any(isinstance(change, Erased) for change in outcome.changes)
    is_final = erased or any(entry.kind in _FINAL for entry in outcome.entries)
    erases = f"The account of {given.userid}" if erased else ""
    return Operated(text, Effect(outcome.boards, given.to, erases, is_final))


def _happened(board: GameState, decided: Decision, author: str, words: str) -> BoardChange:
    number = board.match.number
    entries = tuple(entry for entry in decided.entries if entry.match == number)
    is_opened = decided.opened is not None and decided.opened.number == number
    is_talk = not entries and not is_opened
    return BoardChange(board, entries, author, words, is_talk=is_talk, remarks=decided.remarks)


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


class AddressGiven(Reply):
    """To an address of `userid`: the operator has asked another one to take its place."""

    userid: str
    address: str


def give_address(app: App, userid: str, typed: str, now: datetime) -> str:
    """Asks an address to be the only one of a player, tells the one that is first now, and gives the userid.

    Once it has said `yes` no other address is theirs, no password is in force, what older mails prove has ended,
    and nothing can be taken back: it is the operator who has looked whose account this is. Raises CannotOperate.
    """
    return run_again(lambda: _give_address(app, userid, typed.strip().lower(), now))


def _give_address(app: App, userid: str, address: str, now: datetime) -> str:
    with deciding(app, now) as work:
        connection = work.connection
        player = players.find(connection, userid)
        if player is None:
            raise CannotOperate(f"nobody is called {userid}")
        if player.robot is not None:
            raise CannotOperate(f"{player.userid} is a robot of this server, and is mailed nothing")
        if not is_address(address) or app.server.owns(address):
            raise CannotOperate(f"{address} cannot be a player's address")
        owner = players.owner_of(connection, address)
        if owner is not None and owner.is_confirmed and owner.id != player.id:
            raise CannotOperate(f"{address} belongs to {owner.userid}")
        asked = Confirmation(
            "given address", player.userid, address, about=f"given address {player.userid} {address}"
        )
        words = AddressWanted(player.userid, address, is_first=True)
        ask(work, Question(asked, words, is_due=True))
        if player.address != address:
            told = AddressGiven(player.userid, address)
            work.say([Letter(Notice(told), "notice", player.address)])
    return player.userid


class CannotInvite(Exception):
    """That address cannot be invited; the message is for the operator."""


def invite(app: App, address: str, now: datetime) -> int:
    """Mails an invitation, and gives for how many days it is good. Raises CannotInvite."""
    if not is_address(address):
        raise CannotInvite(f"{address} is no mail address")
    with deciding(app, now) as work:
        connection = work.connection
        owner = players.find_at(connection, address)
        if owner is not None:
            raise CannotInvite(f"{address} belongs to {owner.userid} already")
        spend(connection, [Counted(policy.INVITATION, address.lower())], now)
        days = policy.INVITATION_LASTS.days
        said = FixedText("mail/invitation.txt", "invitation", (("days", days),))
        work.say([Letter(said, "invitation", address.lower())])
    return policy.INVITATION_LASTS.days
