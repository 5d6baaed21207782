"""Runs the commands of one mail, in order, inside one transaction: identify, decide, keep, and on to the next."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from types import MappingProxyType
from typing import Final

from sqlalchemy import Connection

from pbmserv.commands.confirmation import Confirmation, Kind
from pbmserv.commands.consent import IN_A_MOVES_PLACE
from pbmserv.commands.decision import Decision
from pbmserv.commands.message import Actor, IncomingMail, Parsed, Request, Unparsed
from pbmserv.commands.permission import decide
from pbmserv.commands.refusals.common import AnotherPlayer
from pbmserv.matches.player import Player
from pbmserv.matches.refusals import Refused
from pbmserv.matches.replay import Replayed
from pbmserv.services.identify import Proofs, identify
from pbmserv.services.incoming import Opened
from pbmserv.services.locks import acting, hold
from pbmserv.services.standing import Standing, proof_of_head
from pbmserv.services.steps import Step, steps
from pbmserv.store import changes, confirmations, matches, players
from pbmserv.store.records import TransactionRecords

UNGUARDED: Final = frozenset({"resign", "undo"})
"""Done, or asked for, whatever has been played meanwhile."""


SHOWS_ADDRESS: Final[Mapping[str, tuple[Kind, ...]]] = MappingProxyType(
    {"yes": ("sign-up", "address", "first address", "given address"), "no": ("take back",)}
)
"""The answers by which an address becomes the player's, and to what."""


@dataclass(frozen=True, slots=True)
class NotRun:
    """An earlier line was refused: on `board`, or (None) about who the sender is."""

    board: int | None


@dataclass(frozen=True, slots=True)
class Result:
    """What became of one line, and who gave it (None where nobody got so far); `comment` stood below it.

    `still_asked` is the question that a refused `yes` has left open.
    """

    line: Parsed | Unparsed
    outcome: Decision | Refused | NotRun
    actor: Actor | None
    comment: str = field(default="", repr=False)
    still_asked: Confirmation | None = None

    @property
    def awaits_yes(self) -> bool:
        """Whether nothing is done yet."""
        return isinstance(self.outcome, Decision) and self.outcome.awaits_yes

    @property
    def awaited_boards(self) -> tuple[int, ...]:
        """The boards that wait for a `yes`."""
        if not self.awaits_yes or not isinstance(self.line, Parsed):
            return ()
        return tuple(ref.number for ref in self.line.arguments.boards)

    @property
    def boards(self) -> tuple[int, ...]:
        """The boards that it is about."""
        if isinstance(self.outcome, Decision):
            imagined = (board.match.number for board in self.outcome.imagined)
            shown = (ref.number for ref in self.outcome.shows)
            return (*self.outcome.touched, *shown, *imagined, *self.awaited_boards)
        return () if self.outcome.board is None else (self.outcome.board,)


def decisions(results: Iterable[Result]) -> list[Decision]:
    """What was decided; lines that were refused, or not run, decide nothing."""
    return [result.outcome for result in results if isinstance(result.outcome, Decision)]


def touched(results: Iterable[Result]) -> dict[int, Replayed]:
    """The boards on which something happened, by number, as they stand after all of these lines."""
    return {board.match.number: board for decision in decisions(results) for board in decision.boards}


def run_all(
    connection: Connection, records: TransactionRecords, opened: Opened, proofs: Proofs
) -> tuple[Result, ...]:
    """Carries the lines out, each as if it came when the mail was kept; what they change is written."""
    todo = steps(connection, opened)
    hold(connection, [step.line for step in todo], acting(todo, opened.standing, proofs))
    # Who was read before they were held may have left meanwhile.
    records.forget_players()
    standing, now = opened.standing, opened.kept.kept_at
    shown = dict(standing.answered.shown if standing.answered else ())
    results: list[Result] = []
    refused_boards: set[int] = set()
    nobody = False
    for step in todo:
        boards = _boards_of(step.line)
        if nobody or boards & refused_boards:
            board = None if nobody else min(boards & refused_boards)
            results.append(Result(step.line, NotRun(board), None))
            continue
        if step.confirmed and step.asked:
            shown |= dict(step.asked.shown)
        result = _run(connection, records, step, opened, standing, proofs, shown, now)
        shown |= _played(result)
        results.append(result)
        if isinstance(result.outcome, Refused):
            nobody = result.outcome.about_identity
            refused_boards |= boards
        else:
            standing = _standing_after(step, standing, records, opened.mail)
    return tuple(map(partial(_of_one_player, _proven_player(results)), results))


def keep_decision(connection: Connection, records: TransactionRecords, decision: Decision, now: datetime) -> None:
    """Writes what was decided; later questions to the records are answered as it stands then."""
    matches.keep(connection, decision)
    records.know(decision.boards)
    for change in decision.changes:
        changes.keep(connection, change, now)
    if decision.changes:
        records.forget_players()
    if decision.question is not None:
        records.know_asked(decision.question.confirmation, now)


def _run(
    connection: Connection,
    records: TransactionRecords,
    step: Step,
    opened: Opened,
    standing: Standing,
    proofs: Proofs,
    shown: dict[int, int],
    now: datetime,
) -> Result:
    if isinstance(step.line, Unparsed):
        return Result(step.line, step.line.refused, None)

    def look_up(userid: str) -> str | None:
        return players.password_hash(connection, userid)

    line = _guarded(step.line, shown)
    request: Request | Refused
    if step.confirmed and step.asked:
        actor = Actor(records.player(step.asked.userid), opened.mail.sender, "confirmed")
        request = Request(line.line, line.command, line.arguments, actor, comment=opened.asked.comment)
    else:
        request = identify(line, opened.asked, opened.mail, standing, proofs, records, look_up)
    if isinstance(request, Refused):
        return Result(line, request, None)
    written = standing.answered.written if standing.answered else None
    request = replace(
        request,
        confirmation=step.asked,
        seen_at=written,
        answered_board=standing.board,
        server=standing.server,
        lacks_word=standing.named is not None and standing.confirmation is None,
    )
    outcome = decide(request, records, now)
    if isinstance(outcome, Decision):
        if line.command.kind == "token" and step.asked:
            confirmations.forget(connection, step.asked.about)
            request = replace(request, actor=_confirmer(step.asked, request.actor, records))
        keep_decision(connection, records, outcome, now)
    still_asked = step.asked if isinstance(outcome, Refused) and not step.confirmed else None
    return Result(line, outcome, request.actor, opened.asked.comment, still_asked)


def _played(result: Result) -> dict[int, int]:
    """The ply that a line has played on a board: its sender has not seen what may have followed at once."""
    decided = result.outcome
    if not isinstance(decided, Decision) or not decided.entries or decided.entries[0].kind != "played":
        return {}
    number, played = decided.entries[0].match, [entry for entry in decided.entries if entry.kind == "played"]
    (board,) = (board for board in decided.boards if board.match.number == number)
    return {number: board.state.plies - len(played) + 1}


def _proven_player(results: Iterable[Result]) -> Player | None:
    proven = (result.actor.player for result in results if result.actor and result.actor.proven)
    return next(proven, None)


def _of_one_player(proven: Player | None, result: Result) -> Result:
    """A line that waits for a `yes` of somebody else than who has proven the mail is refused: who would say it?"""
    waiting = result.actor.player if result.awaits_yes and result.actor else None
    if proven is None or waiting is None or waiting.id == proven.id:
        return result
    return replace(result, outcome=AnotherPlayer(userid=waiting.userid))


def _guarded(line: Parsed, shown: dict[int, int]) -> Parsed:
    """A move as the one that follows on what its sender was shown, like consent; only the first one on a board."""
    arguments = line.arguments
    word = arguments.move.lower() if line.command.name == "move" else line.command.name
    if not arguments.boards or arguments.ply is not None or word in UNGUARDED:
        return line
    number = arguments.boards[0].number
    if word in IN_A_MOVES_PLACE or word == "queue":
        seen = shown.get(number)
    elif line.command.name in ("move", "submit"):
        seen = shown.pop(number, None)
    else:
        return line
    return line if seen is None else replace(line, arguments=replace(arguments, ply=seen + 1))


def _confirmer(asked: Confirmation, actor: Actor, records: TransactionRecords) -> Actor:
    return replace(actor, player=records.player(asked.userid), proof="confirmed")


def _standing_after(step: Step, standing: Standing, records: TransactionRecords, mail: IncomingMail) -> Standing:
    """Whoever has just shown that an address is theirs is known for the rest of the mail."""
    if standing.player is None and standing.is_believed and mail.sender is not None:
        player = records.player_at(mail.sender)
        return standing if player is None else replace(standing, player=player, proof=proof_of_head(mail))
    answer = step.line.command.name if isinstance(step.line, Parsed) else ""
    if step.asked is None or step.asked.kind not in SHOWS_ADDRESS.get(answer, ()):
        return standing
    return replace(standing, player=records.player(step.asked.userid), proof="personal")


def _boards_of(line: Parsed | Unparsed) -> set[int]:
    """The boards that a line names, as far as it could be read."""
    if isinstance(line, Parsed):
        return {ref.number for ref in line.arguments.boards}
    return set() if line.refused.board is None else {line.refused.board}
