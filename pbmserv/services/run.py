"""Runs the commands of one mail, line by line, and writes what they change."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final

from pbmserv.commands.agreements import IN_A_MOVES_PLACE
from pbmserv.commands.changes import MailStopped, NewDigest, NewSetting
from pbmserv.commands.command import Actor, Confirmation, ConfirmationKind, Decision, Proof, RepliedTo, Request
from pbmserv.commands.letter import KeptOutcome, LineOutcome
from pbmserv.commands.permission import decide
from pbmserv.commands.practice import ROBOT
from pbmserv.commands.queue import that_fits
from pbmserv.matches.errors import CommandError
from pbmserv.matches.log import MissingRules
from pbmserv.matches.moves import is_legal
from pbmserv.matches.player import Player
from pbmserv.matches.replay import GameState
from pbmserv.parser.no_talk import NotTalk
from pbmserv.parser.parsed import IncomingMail, Parsed, Unparsed, WhichOne
from pbmserv.robots.robot import userids
from pbmserv.services.authenticate import VerifiedCredentials, authenticate
from pbmserv.services.pending import PendingMail
from pbmserv.services.sender import SenderIdentity, proof_of_head
from pbmserv.services.steps import Step, acting, hold, steps
from pbmserv.services.unit_of_work import UnitOfWork
from pbmserv.store import confirmations, robots
from pbmserv.store.inbox import FinalStatus
from pbmserv.store.queries import TransactionQueries


class AnotherPlayer(CommandError):
    """The line would act for `userid`, who has not proven it, in a mail proven to be somebody else's."""

    userid: str


UNGUARDED: Final = frozenset({"resign", "undo"})
"""Done, or asked for, no matter what has been played meanwhile."""


SHOWS_ADDRESS: Final[Mapping[str, tuple[ConfirmationKind, ...]]] = MappingProxyType(
    {"yes": ("sign-up", "address", "first address", "given address", "own address"), "no": ("take back",)}
)
"""The answers that show an address to be the sender's, and the kinds of questions they answer."""


@dataclass(frozen=True, slots=True)
class SkippedCommand:
    """A line that was not run, since an earlier one was refused."""

    # The board of that line; None if it was about who the sender is.
    board: int | None


@dataclass(frozen=True, slots=True)
class CommandResult:
    """What became of one line."""

    line: Parsed | Unparsed
    outcome: Decision | CommandError | SkippedCommand
    # Who sent it; None if that was never looked at.
    actor: Actor | None
    # The text below the line.
    comment: str = field(default="", repr=False)
    # The question that a refused `yes` has left open.
    still_asked: Confirmation | None = None

    @property
    def awaits_yes(self) -> bool:
        """Whether the line does nothing until it is confirmed."""
        return isinstance(self.outcome, Decision) and self.outcome.awaits_yes

    @property
    def awaited_boards(self) -> tuple[int, ...]:
        """The numbers of the boards that wait for a `yes`."""
        if not self.awaits_yes or not isinstance(self.line, Parsed):
            return ()
        return tuple(ref.number for ref in self.line.arguments.boards)

    @property
    def boards(self) -> tuple[int, ...]:
        """The numbers of the boards that the line is about."""
        if isinstance(self.outcome, Decision):
            previews = (board.match.number for board in self.outcome.previews)
            shown = (ref.number for ref in self.outcome.shown)
            return (*self.outcome.changed_boards, *shown, *previews, *self.awaited_boards)
        return () if self.outcome.board is None else (self.outcome.board,)


def is_confirmed(result: CommandResult) -> bool:
    return result.actor is not None and result.actor.proof == "confirmed"


def is_fruitful(result: CommandResult, is_player_changed: bool) -> bool:
    """Whether a line has changed a board or the account, asks or tells somebody, or was waited for.

    A setting that was already so is no change: a program could set it for ever.

    Such a mail is answered whatever the limits say.
    """
    if not isinstance(result.outcome, Decision) or not isinstance(result.line, Parsed):
        return False
    decided = result.outcome
    is_waited_for = result.line.command.kind == "token" or is_confirmed(result)
    settings = (NewSetting, NewDigest, MailStopped)
    changes_more = any(is_player_changed or not isinstance(change, settings) for change in decided.changes)
    return is_waited_for or bool(
        decided.opened or decided.boards or decided.to_players or decided.question or changes_more
    )


def has_changed(result: CommandResult) -> bool:
    """Whether a line has changed anything, so that its sender must be told."""
    decided = result.outcome
    return isinstance(decided, Decision) and bool(decided.opened or decided.boards or decided.changes)


def decisions(results: Iterable[CommandResult]) -> list[Decision]:
    """The decisions of the lines that were neither refused nor skipped."""
    return [result.outcome for result in results if isinstance(result.outcome, Decision)]


def touched(results: Iterable[CommandResult]) -> dict[int, GameState]:
    """The boards that changed, by number, as they stand after all of these lines."""
    return {board.match.number: board for decision in decisions(results) for board in decision.boards}


def run_all(work: UnitOfWork, pending: PendingMail, credentials: VerifiedCredentials) -> tuple[CommandResult, ...]:
    """Runs the lines of a mail as of when it was received, and writes what they change."""
    connection, records = work.connection, work.records
    todo = [*steps(connection, pending)]
    hold(connection, [step.line for step in todo], acting(todo, pending.identity, credentials))
    if any(isinstance(step.line, Parsed) and step.line.command.name == "practice" for step in todo):
        robots.ensure(connection, ROBOT, userids(ROBOT), pending.message.received_at)
    # Somebody who was read before these locks may have left meanwhile.
    records.forget_players()
    records.prefetch(number for step in todo for number in _boards_of(step.line))
    shown = dict(pending.identity.answered.shown if pending.identity.answered else ())
    results: list[CommandResult] = []
    refused_boards: set[int] = set()
    stops = False
    for step in todo:
        boards = _boards_of(step.line)
        if stops or boards & refused_boards:
            board = None if stops else min(boards & refused_boards)
            results.append(CommandResult(step.line, SkippedCommand(board), None))
            continue
        if step.confirmed and step.question:
            shown |= dict(step.question.shown)
        result = _run(work, replace(step, line=_guarded(step.line, shown)), pending, credentials)
        results.append(result)
        if isinstance(result.outcome, CommandError):
            stops = result.outcome.about_identity
            refused_boards |= boards
        else:
            shown |= _played(result)
            identity = _identity_after(step, pending.identity, records, pending.mail)
            pending = replace(pending, grounds=replace(pending.grounds, identity=identity))
    proven = next((each.actor.player for each in results if each.actor and each.actor.proven), None)
    return tuple(_of_one_player(proven, result) for result in results)


def _run(work: UnitOfWork, step: Step, pending: PendingMail, credentials: VerifiedCredentials) -> CommandResult:
    connection, records, identity, line = work.connection, work.records, pending.identity, step.line
    if isinstance(line, Unparsed):
        return CommandResult(line, _with_legal_choices(line.error, records, identity.player), None)
    question, now = step.question, pending.message.received_at
    comment = pending.runnable.comment
    if step.words and f"\n{step.words}\n" not in f"\n{comment}\n":
        comment = f"{step.words}\n{comment}".rstrip()
    if step.confirmed and question:
        # What came from an address of the player's counts as if it had come from the first one.
        proof: Proof = "personal" if question.kind == "own address" else "confirmed"
        actor = Actor(records.player(question.userid), pending.mail.sender, proof, question.shown)
        request = Request(line.line, line.command, line.arguments, actor, comment=comment, server=identity.server)
    else:
        try:
            request = authenticate(work, line, pending, credentials)
        except CommandError as error:
            return CommandResult(line, error, None)
    written = identity.answered.written if identity.answered else None
    needs_word = identity.named is not None and identity.confirmation is None
    replied_to = RepliedTo(identity.board, written, question, needs_word)
    request = replace(request, replied_to=replied_to)
    try:
        decision = decide(request, records, now)
    except CommandError as error:
        return CommandResult(line, error, request.actor, comment, None if step.confirmed else question)
    actor = request.actor
    if line.command.kind == "token" and question:
        confirmations.forget(connection, question.about)
        actor = replace(actor, player=records.player(question.userid), proof="confirmed")
    work.write(decision, now)
    return CommandResult(line, decision, actor, comment)


def _with_legal_choices(error: CommandError, records: TransactionQueries, player: Player | None) -> CommandError:
    """The question which of several moves is meant, or what a plan means, without moves that are none now."""
    if not isinstance(error, WhichOne | NotTalk) or error.board is None or player is None:
        return error
    try:
        board = records.board(error.board)
    except MissingRules:
        return error
    if board is None:
        return error
    seat, lead = board.match.seat_of(player.userid), f"move {error.board} "
    if isinstance(error, NotTalk):
        if seat is None or error.kind != "plan":
            return error
        ready, is_example = that_fits(error.ready, board, seat)
        return replace(error, ready=ready, is_example=is_example)
    kept = tuple(
        choice
        for choice in error.choices
        if not choice.startswith(lead) or is_legal(board, seat, choice.removeprefix(lead))
    )
    return replace(error, choices=kept, left_out=len(error.choices) - len(kept))


def _played(result: CommandResult) -> dict[int, int]:
    """The ply that a line has played, by board: its sender has not seen what may have followed at once."""
    decided = result.outcome
    if not isinstance(decided, Decision) or not decided.entries or decided.entries[0].kind != "played":
        return {}
    number, played = decided.entries[0].match, [entry for entry in decided.entries if entry.kind == "played"]
    (board,) = (board for board in decided.boards if board.match.number == number)
    return {number: board.state.plies - len(played) + 1}


def _of_one_player(proven: Player | None, result: CommandResult) -> CommandResult:
    """Refuses a line that waits for a `yes` of another player than the proven one: nobody could say that `yes`."""
    waiting = result.actor.player if result.awaits_yes and result.actor else None
    if proven is None or waiting is None or waiting.id == proven.id:
        return result
    return replace(result, outcome=AnotherPlayer(userid=waiting.userid))


def _guarded(line: Parsed | Unparsed, shown: dict[int, int]) -> Parsed | Unparsed:
    """Adds to a move, or to consent, the ply after what its sender was shown; on each board to the first one."""
    if isinstance(line, Unparsed):
        return line
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


def _identity_after(
    step: Step, identity: SenderIdentity, records: TransactionQueries, mail: IncomingMail
) -> SenderIdentity:
    """The sender as known for the rest of the mail, once a line has shown that an address is theirs."""
    if identity.player is None and identity.is_believed and mail.sender is not None:
        player = records.player_at(mail.sender)
        return identity if player is None else replace(identity, player=player, proof=proof_of_head(mail))
    answer = step.line.command.name if isinstance(step.line, Parsed) else ""
    if step.question is None or step.question.kind not in SHOWS_ADDRESS.get(answer, ()):
        return identity
    # Whose answer opens the account needs no other proof in that mail.
    proof: Proof = "confirmed" if step.question.kind == "sign-up" else "personal"
    return replace(identity, player=records.player(step.question.userid), proof=proof)


def _boards_of(line: Parsed | Unparsed) -> set[int]:
    """The numbers of the boards that a line names, as far as it could be parsed."""
    if isinstance(line, Parsed):
        return {ref.number for ref in line.arguments.boards}
    return set() if line.error.board is None else {line.error.board}


MOST_LINES: Final = 5
"""Lines of a mail that are told of one by one."""


def outcome_of(fate: FinalStatus, why_automatic: str, results: Sequence[CommandResult]) -> KeptOutcome:
    """What became of a mail. `why_automatic` is empty where a person may have written it."""
    lines = tuple(map(_line, results[:MOST_LINES]))
    return KeptOutcome(fate, why_automatic, lines, max(len(results) - MOST_LINES, 0))


def _line(result: CommandResult) -> LineOutcome:
    match result.outcome:
        case Decision(reply=reply):
            return LineOutcome("waits" if result.awaits_yes else "done", reply)
        case CommandError():
            return LineOutcome("refused", result.outcome)
    return LineOutcome("not run")
