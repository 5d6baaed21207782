"""Decides whether a command may run: who gave it, how that was proven, and what needs a `yes`."""

from datetime import datetime
from typing import Final, Literal

from pbmserv.commands.agreements import IN_A_MOVES_PLACE
from pbmserv.commands.command import Actor, Decision, Reply, Request, commands
from pbmserv.commands.queue import play_on
from pbmserv.matches.errors import CommandError
from pbmserv.matches.log import Match
from pbmserv.matches.queries import Queries


class BannedHere(CommandError, about_identity=True):
    """The operator has banned `userid`."""

    userid: str


class YesNeeded(Reply):
    """The command would be carried out, but waits for a `yes`.

    `why`: it cannot be undone; nothing proves who wrote; or the proof is not good enough,
    since it covers only moves, or only boards.
    """

    command: str
    why: Literal["for good", "unproven", "account", "no move"]


OPEN_TO_BANNED: Final = frozenset({"export", "delete", "yes", "no"})
"""What a banned player may still do: export their data and delete their account."""

SETTINGS_ABOUT_MAIL: Final = frozenset(
    {"broadcast", "digest", "html", "mail", "messages", "puzzle", "receipts", "vacation", "words"}
)
"""Settings about a player's mail. Mail programs have a button that stops most of these."""

BY_ANSWER: Final = frozenset({"personal", "shown", "link"})


def decide(request: Request, records: Queries, now: datetime) -> Decision:
    """Returns the decision on a request; changes nothing. `now` is when its mail was stored.

    An unproven command that binds a player, or brings unproven words to another, waits for a `yes`; a refusal is
    given at once.
    """
    _require_not_banned(request)
    decided = commands()[request.command.name].decide(request, records, now)
    if _is_for_good(request):
        return Decision(YesNeeded(request.command.name, "for good"), awaits_yes=True)
    speaks = decided.opened is None or not request.comment or speaks_on(request.actor, decided.opened, records)
    if not speaks or (_binds(request) and not _is_proven(request, records)):
        return Decision(YesNeeded(request.command.name, _why(request.actor)), awaits_yes=True)
    return play_on(decided, records, now)


def _why(actor: Actor) -> Literal["unproven", "account", "no move"]:
    if not actor.proven:
        return "unproven"
    return "no move" if actor.proof in ("shown", "link") else "account"


def speaks_on(actor: Actor, match: Match, records: Queries) -> bool:
    """Whether it is proven well enough who wrote the text to pass it on to the players of a match.

    In practice games nobody gets it.
    """
    if match.practice:
        return True
    if actor.proof not in BY_ANSWER:
        return actor.proven
    is_shown = match.number in dict(actor.shown)
    return actor.proven and (is_shown or set(match.userids) <= _shown_players(actor, records))


def _require_not_banned(request: Request) -> None:
    player, is_operators = request.actor.player, request.actor.proof == "operator"
    if player is None or not player.is_banned or is_operators or request.command.name in OPEN_TO_BANNED:
        return
    raise BannedHere(userid=player.userid)


def _is_for_good(request: Request) -> bool:
    return request.command.asks_again and request.actor.proof not in ("confirmed", "operator")


def _binds(request: Request) -> bool:
    # Accepting an open offer binds to nothing: players may decline before their own first move.
    joins = request.command.name == "accept" and request.arguments.offer is not None
    return request.command.kind == "binding" and not joins


def _is_proven(request: Request, records: Queries) -> bool:
    actor = request.actor
    match actor.proof:
        case "none":
            return False
        case "shown":
            return _is_next_move(request)
        case "link":
            return _is_move(request)
        case "personal":
            return _is_within_mail(request, records)
        case "dmarc":
            is_first = actor.player is not None and actor.address == actor.player.address
            return is_first or not _is_about_account(request)
        case "from" | "password" | "confirmed" | "operator":
            return True


def _is_next_move(request: Request) -> bool:
    """Whether it is the next move on a board as the mail showed it."""
    arguments, shown = request.arguments, dict(request.actor.shown)
    return _is_move(request) and arguments.ply == shown[arguments.boards[0].number] + 1


def _is_move(request: Request) -> bool:
    """Whether it is a move on a board that the mail showed."""
    arguments, shown = request.arguments, dict(request.actor.shown)
    if request.command.name != "move" or arguments.move.lower() in ("resign", *IN_A_MOVES_PLACE):
        return False
    return arguments.boards[0].number in shown


def _is_within_mail(request: Request, records: Queries) -> bool:
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


def _shown_players(actor: Actor, records: Queries) -> set[str]:
    """All players of the boards that the mail showed."""
    boards = (records.board(number) for number, _ in actor.shown)
    return {userid for board in boards if board is not None for userid in board.match.userids}
