"""Who may give a command: the one gate between a request and its `run`.

How far a proof goes is told here and nowhere else. A password, a `yes` and the operator prove everything; so does
DMARC, but for the account only from the player's first address. An answer to the personal address of one of our
mails proves what people do with that mail: they play on the boards that it showed, talk to the players there, and
choose what mail they get. All else waits for a `yes` from the first address, since personal addresses get into
other people's hands whenever somebody is sent a copy of an answer.
"""

from datetime import datetime
from typing import Final, Literal

from pbmserv.commands.ahead import play_on
from pbmserv.commands.consent import IN_A_MOVES_PLACE
from pbmserv.commands.decision import Decision
from pbmserv.commands.library import commands
from pbmserv.commands.message import Actor, Request
from pbmserv.commands.refusals.account import BannedHere
from pbmserv.commands.refusals.common import NotOurPlayer
from pbmserv.commands.replies.common import YesNeeded
from pbmserv.matches.match import Match
from pbmserv.matches.records import Records
from pbmserv.matches.refusals import Refused

OPEN_TO_BANNED: Final = frozenset({"export", "delete", "yes", "no"})
"""What is a player's right even when the operator wants them here no more: their data, and to be forgotten."""

SETTINGS_ABOUT_MAIL: Final = frozenset({"broadcast", "digest", "html", "mail", "receipts", "vacation", "words"})
"""What `set` changes about the mail that a player gets. `broadcast` is among them: mail programs have a button
that ends broadcasts."""

BY_ANSWER: Final = frozenset({"personal", "shown"})


def decide(request: Request, records: Records, now: datetime) -> Decision | Refused:
    """What comes of a request; changes nothing. `now` is when its mail was kept.

    What binds a player and was not proven waits for a `yes`; that it would be refused is told at once.
    """
    refused = _nobody(request) or _banned(request)
    if refused is not None:
        return refused
    decided = commands()[request.command.name].run(request, records, now)
    if not isinstance(decided, Decision):
        return decided
    if _is_for_good(request):
        return Decision(YesNeeded(request.command.name, "for good"), awaits_yes=True)
    if _binds(request) and not _is_proven(request, records):
        return Decision(YesNeeded(request.command.name, _why(request.actor)), awaits_yes=True)
    return play_on(decided, records, now)


def _why(actor: Actor) -> Literal["unproven", "account", "no move"]:
    if not actor.proven:
        return "unproven"
    return "no move" if actor.proof == "shown" else "account"


def speaks_on(actor: Actor, match: Match, records: Records) -> bool:
    """Whether it is proven that the actor's words are theirs, as far as the players of a match are to get them."""
    if actor.proof not in BY_ANSWER:
        return actor.proven
    is_shown = match.number in dict(actor.shown)
    return actor.proven and (is_shown or set(match.userids) <= _shown_players(actor, records))


def _nobody(request: Request) -> Refused | None:
    if request.command.kind in ("opening", "binding") and request.actor.player is None:
        boards = request.arguments.boards
        return NotOurPlayer(board=boards[0].number if boards else None, command=request.command.name)
    return None


def _banned(request: Request) -> Refused | None:
    player, is_operators = request.actor.player, request.actor.proof == "operator"
    if player is None or not player.is_banned or is_operators or request.command.name in OPEN_TO_BANNED:
        return None
    return BannedHere(userid=player.userid)


def _is_for_good(request: Request) -> bool:
    return request.command.asks_again and request.actor.proof not in ("confirmed", "operator")


def _binds(request: Request) -> bool:
    # Whoever accepts an open offer is bound to nothing: before their own first move they may decline.
    return request.command.kind == "binding" and request.arguments.offer is None


def _is_proven(request: Request, records: Records) -> bool:
    actor = request.actor
    match actor.proof:
        case "none":
            return False
        case "shown":
            return _is_next_move(request)
        case "personal":
            return _is_within_mail(request, records)
        case "dmarc":
            is_first = actor.player is not None and actor.address == actor.player.address
            return is_first or not _is_about_account(request)
        case "from" | "password" | "confirmed" | "operator":
            return True


def _is_next_move(request: Request) -> bool:
    """Whether it is a move on a board that the mail showed, and the next one after what it showed."""
    arguments, shown = request.arguments, dict(request.actor.shown)
    if request.command.name != "move" or arguments.move.lower() in ("resign", *IN_A_MOVES_PLACE):
        return False
    number = arguments.boards[0].number
    return number in shown and arguments.ply == shown[number] + 1


def _is_within_mail(request: Request, records: Records) -> bool:
    match request.command.scope:
        case "board":
            return {ref.number for ref in request.arguments.boards} <= dict(request.actor.shown).keys()
        case "players":
            named = {userid.lower() for userid in request.arguments.userids}
            return named <= {userid.lower() for userid in _shown_players(request.actor, records)}
        case "mail":
            return True
        case "setting" | "account":
            return not _is_about_account(request)


def _is_about_account(request: Request) -> bool:
    if request.command.scope == "setting":
        return request.arguments.words[:1] == () or request.arguments.words[0] not in SETTINGS_ABOUT_MAIL
    return request.command.scope == "account"


def _shown_players(actor: Actor, records: Records) -> set[str]:
    """Whoever plays on the boards that the mail showed."""
    boards = (records.board(number) for number, _ in actor.shown)
    return {userid for board in boards if board is not None for userid in board.match.userids}
