"""Processes one mail in a unit of work: runs its commands, decides what is said of them, notes the outcome."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import Connection

from pbmserv.commands import policy
from pbmserv.commands.address import ask_own_address
from pbmserv.commands.changes import Erased
from pbmserv.commands.command import Actor, Arguments, Decision, commands
from pbmserv.commands.letter import AT_ONCE, TO_UNKNOWN_SENDERS, Asked, Letter, MailCause, MailKind
from pbmserv.matches.replay import GameState
from pbmserv.parser.parsed import Parsed
from pbmserv.services import limits
from pbmserv.services.app import App
from pbmserv.services.authenticate import ChangedMeanwhile, VerifiedCredentials
from pbmserv.services.bounces import count_report, note_arrival
from pbmserv.services.compose import ReplyContext
from pbmserv.services.limits import (
    Allowance,
    allowance,
    allowance_of,
    ask,
    count_failed_logins,
    left,
    may_be_mailed,
    send,
    spend,
)
from pbmserv.services.opening import is_from_doctor
from pbmserv.services.pending import PendingMail
from pbmserv.services.receipts import acknowledge, mail_on_again, note, note_queued_moves
from pbmserv.services.respond import answer_to, letters_to_others, questions, remarks_of
from pbmserv.services.run import (
    CommandResult,
    decisions,
    has_changed,
    is_confirmed,
    is_fruitful,
    outcome_of,
    run_all,
    touched,
)
from pbmserv.services.unit_of_work import UnitOfWork
from pbmserv.services.wordy import answer_words, begin_anew
from pbmserv.store import abuse, accounts, confirmations, inbox, players, retention
from pbmserv.store.codec import encode
from pbmserv.store.inbox import FinalStatus, asked_key
from pbmserv.store.queries import TransactionQueries


@dataclass(frozen=True, slots=True)
class ProcessedMail:
    """What became of a mail."""

    fate: FinalStatus
    # The boards that it changed, as they stand now.
    boards: tuple[GameState, ...] = ()
    # Whether its sender has deleted the account, so that the mail is deleted too.
    is_forgotten: bool = False
    # The daily quotas of sign-ups, in words, of which it took the last.
    used_up: tuple[str, ...] = ()
    results: tuple[CommandResult, ...] = ()
    # Whether nothing was done, for nothing proved who wrote it: a copy that proves it is handled all the same.
    was_asked: bool = False
    # What is to be written after the commit.
    letters: tuple[Letter, ...] = ()


def process_mail(work: UnitOfWork, pending: PendingMail, credentials: VerifiedCredentials) -> ProcessedMail:
    """Does what a mail asks for. Its commands count from when it was received, what is said counts from now."""
    connection, now = work.connection, work.now
    done = _process(work, pending, credentials)
    mail, key = pending.mail, None
    if done.fate == "handled":
        key = asked_key(mail.content_key) if done.was_asked else mail.content_key
    outcome = encode(outcome_of(done.fate, mail.automatic or "", done.results))
    inbox.finish(connection, pending.message.id, done.fate, now, key, masked=pending.kept, outcome=outcome)
    if done.is_forgotten:
        retention.redact(connection, pending.message.id, now)
    work.keep_letters()
    return replace(done, letters=tuple(work.letters))


def is_processed(connection: Connection, app: App, pending: PendingMail, now: datetime) -> bool:
    """Whether a mail's commands are run even if no password in it is right."""
    records = TransactionQueries(connection, app.recent)
    to = _reply_context(records, pending, VerifiedCredentials({}, (), {}), now)
    return to is not None and _allowance(connection, records, to, pending) is Allowance.FULL


def _allowance(
    connection: Connection, records: TransactionQueries, to: ReplyContext, pending: PendingMail
) -> Allowance:
    if to.kind in TO_UNKNOWN_SENDERS:
        return limits.allowance_of_newcomer(connection, records, to, pending)
    return allowance(connection, to, pending)


def _process(work: UnitOfWork, pending: PendingMail, credentials: VerifiedCredentials) -> ProcessedMail:
    connection, mail = work.connection, pending.mail
    if mail.automatic is not None:
        if is_from_doctor(connection, pending.to_self, work.now):
            return ProcessedMail("silent")
        is_report = count_report(work, pending.report, pending.message.id)
        return ProcessedMail("report" if is_report else "silent")
    standing = abuse.standing(connection, mail.content_key, mail.possible_senders)
    if standing.is_banned:
        return ProcessedMail("silent")
    proves = pending.identity.proof != "none" or pending.identity.elsewhere is not None
    if standing.is_known or (standing.was_asked and not proves):
        return ProcessedMail("duplicate")
    if pending.identity.elsewhere is not None:
        return ProcessedMail("handled" if ask_owner(work, pending) else "silent")
    done = _process_person(work, pending, credentials)
    if not standing.was_asked:
        return done
    # An unproven copy came first: what it has asked is answered now, and asked no third time.
    confirmations.forget_copy(connection, mail.content_key)
    return replace(done, was_asked=False)


def _process_person(work: UnitOfWork, pending: PendingMail, credentials: VerifiedCredentials) -> ProcessedMail:
    connection, records, mail = work.connection, work.records, pending.mail
    credentials = count_failed_logins(connection, credentials, pending, work.now)
    to = _reply_context(records, pending, credentials, work.now)
    if to is None:
        return _warned(work, pending)
    if to.kind == "puzzled":
        words = answer_words(connection, records, pending, to)
        if words.allowed is not Allowance.FULL:
            return _reply_briefly(work, to, words.allowed)
        back = mail_on_again(work, to)
        answered = _reply(work, pending, to, (*back, words.result))
        # A copy that tells the board may make a move of what were mere words.
        return answered if to.proven else replace(answered, was_asked=True)
    if to.player is None and mail.tokens and not pending.parsed.lines:
        warned = _warned(work, pending)
        if warned.fate != "silent":
            return warned
    allowed = _allowance(connection, records, to, pending)
    if allowed is Allowance.SILENCE and to.player is None and mail.tokens:
        return _warned(work, pending)
    if allowed is Allowance.LETTER:
        send(work, limits.letter_to_newcomer(connection, records, to, pending))
        return ProcessedMail("handled", was_asked=True)
    if allowed is not Allowance.FULL:
        limits.void_password(connection, records, pending, work.now)
        return _reply_briefly(work, to, allowed)
    if credentials.is_deferred:
        # When the passwords were verified, this mail was over a limit.
        raise ChangedMeanwhile
    return _run_and_reply(work, pending, to, credentials)


def _warned(work: UnitOfWork, pending: PendingMail) -> ProcessedMail:
    return ProcessedMail("handled" if warn_owner(work, pending) else "silent")


def _reply_briefly(work: UnitOfWork, to: ReplyContext, allowed: Allowance) -> ProcessedMail:
    """Sends the fixed text that stands in for an answer, if any."""
    match allowed:
        case Allowance.NO_ROOM:
            send(work, to.fixed_answer("mail/no_room.txt", "signup", "no room"))
        case Allowance.LAST_NOTICE:
            send(work, to.fixed_answer("mail/limit.txt", "limit", "limit"))
    return ProcessedMail("silent")


def _run_and_reply(
    work: UnitOfWork, pending: PendingMail, to: ReplyContext, credentials: VerifiedCredentials
) -> ProcessedMail:
    connection, records = work.connection, work.records
    back = mail_on_again(work, to)
    before = records.player(to.player.userid) if to.player is not None and back else to.player
    results = run_all(work, pending, credentials)
    if to.proven:
        is_changed = before is not None and records.player(before.userid) != before
        if not any(is_fruitful(result, is_changed) for result in results):
            to = replace(to, kind="fruitless")
            allowed = allowance_of(connection, to, policy.SHOWN)
            if allowed is not Allowance.FULL:
                return _reply_briefly(work, to, allowed)
        if decisions(results):
            begin_anew(connection, to.recipient)
    return _reply(work, pending, to, (*back, *results))


def _reply(
    work: UnitOfWork, pending: PendingMail, to: ReplyContext, results: Sequence[CommandResult]
) -> ProcessedMail:
    connection, records = work.connection, work.records
    is_proven = to.proven or pending.identity.proof != "none" or any(map(is_confirmed, results))
    # What the mail has changed about its sender already counts for its answer.
    player = records.player(to.player.userid) if to.player else records.player_at(to.recipient)
    to = replace(to, player=player if player and player.address == to.recipient else None)
    results = (*results, *ask_along(records, pending, to))
    acknowledgement = acknowledge(work, to, results)
    note(work, acknowledgement, to.player)
    note_queued_moves(work, remarks_of(results))
    is_goodbye = any(isinstance(change, Erased) for each in decisions(results) for change in each.changes)
    used_up: tuple[str, ...] = ()
    asked = None
    told: set[int] = set()
    if acknowledgement.due_at is not None:
        said = answer_to(records, to, results, acknowledgement.remarks)
        said = replace(said, is_limited=not is_proven)
        asked = said.asks
        told = {each.number for each in said.boards if each.ply is None and not each.tried}
        # The same question may have been asked before: then that mail can still be answered too.
        opened = None if asked is None else confirmations.ask(connection, asked, to.now, again=True)
        owner = asked.userid if asked is not None and asked.kind == "sign-up" else ""
        userid = to.player.userid if to.player else ""
        board = min(touched(results), default=None) if acknowledgement.due_at > AT_ONCE else None
        kind: MailKind = "goodbye" if is_goodbye else to.kind
        if to.kind == "sign-up":
            spend(connection, limits.cost_of_sign_up(pending, to.recipient), to.now)
            used_up = limits.used_up(connection, pending, to)
        due_at, asks = acknowledgement.due_at, opened.id if opened is not None else ""
        send(work, Letter(said, kind, to.recipient, userid, board, to.cause, due_at, to.size, owner, asks))
    to_others = letters_to_others(records, to, results)
    boards = {letter.board for letter in to_others if letter.kind == "board" and letter.board and letter.recipient}
    spend(connection, [policy.CHATS.count(f"board {number}") for number in sorted(boards)], to.now)
    work.say(to_others)
    if acknowledgement.due_at is not None:
        for question in questions(results, asked):
            ask(work, question, to.inbox_id, is_proven)
    if to.player is not None and is_proven:
        note_arrival(work, to.player, pending.message.received_at, told)
    is_unsure = any(result.awaits_yes for result in results) or (to.player is None and not is_proven)
    was_asked = is_unsure and not any(map(has_changed, results))
    return ProcessedMail(
        "handled", tuple(touched(results).values()), is_goodbye, used_up, tuple(results), was_asked
    )


def _reply_context(
    records: TransactionQueries, pending: PendingMail, credentials: VerifiedCredentials, now: datetime
) -> ReplyContext | None:
    """Where the answer goes and how it counts; None if nobody can be answered.

    A player is answered at their first address, wherever they wrote from: a From address alone never makes us mail
    anything elsewhere.
    """
    identity, parsed = pending.identity, pending.parsed
    claimed = records.player(credentials.claimant) if credentials.claimant else None
    claimant = claimed if claimed is not None and claimed.is_confirmed else None
    player = claimant or identity.player
    recipient = player.address if player is not None else pending.mail.sender
    if recipient is None:
        return None
    asked = identity.confirmation or pending.named or identity.named
    kind: MailKind = "answer"
    if player is None and asked is None:
        signs_up = any(isinstance(line, Parsed) and line.command.kind == "signup" for line in parsed.lines)
        kind = "sign-up" if signs_up else "stranger"
    if not parsed.lines and kind == "answer":
        kind = "puzzled"
    by_password = claimant is not None
    by_head = identity.proof != "none" or asked is not None
    return ReplyContext(
        pending.message.id,
        pending.mail,
        recipient,
        player,
        kind,
        by_password or by_head,
        now,
        by_password,
        pending.left_out,
        pending.message.size,
    )


def ask_owner(work: UnitOfWork, pending: PendingMail) -> bool:
    """Asks the player whose word a mail bears whether its From address is theirs, unless they were asked lately or
    have denied it; nothing goes to that address, and what the mail says waits. False where nobody is asked.
    """
    connection, now = work.connection, work.now
    player, address = pending.identity.player, pending.identity.elsewhere
    if player is None or address is None or player.is_banned or work.app.server.owns(address):
        return False
    may_be_asked = left(connection, policy.OWN_ADDRESS, player.address, now) > 0
    if not may_be_asked or not may_be_mailed(connection, player.address, now):
        return False
    if accounts.has_denied(connection, player.id, address):
        return False
    answered = pending.identity.answered
    question = ask_own_address(
        player, address, _waiting(connection, pending), answered.shown if answered is not None else ()
    )
    said = Asked(question.words, question.confirmation)
    opened = confirmations.ask(connection, question.confirmation, now, again=True)
    if opened is None:
        return False
    cause = MailCause(pending.message.id, proven=False)
    send(work, Letter(said, "address", player.address, cause=cause, owner=player.userid, asks=opened.id))
    return True


def ask_along(records: TransactionQueries, pending: PendingMail, to: ReplyContext) -> tuple[CommandResult, ...]:
    """The same question in the answer to a newcomer who has answered their first mail from elsewhere."""
    asked, player = pending.identity.confirmation, to.player
    if pending.elsewhere is None or asked is None or asked.kind != "sign-up" or player is None:
        return ()
    question = ask_own_address(player, pending.elsewhere)
    decision = Decision(question.words, question=question)
    actor = Actor(player, pending.mail.sender, "none")
    return (CommandResult(Parsed("", commands()["yes"], Arguments()), decision, actor),)


def _waiting(connection: Connection, pending: PendingMail) -> tuple[str, ...]:
    """What a mail asks for; of a `yes` what that would do, if the question was about commands."""
    lines = [line for line in pending.parsed.lines if isinstance(line, Parsed)]
    written = tuple(line.line for line in lines if line.command.kind != "token")
    if written and pending.parsed.comment:
        written = (*written[:-1], f"{written[-1]}\n{pending.parsed.comment}")
    if not any(line.command.name == "yes" for line in lines):
        return written
    asked = confirmations.find(connection, pending.mail.tokens, pending.message.received_at)
    return (*asked.lines, *written) if asked is not None and asked.kind == "commands" else written


def warn_owner(work: UnitOfWork, pending: PendingMail) -> bool:
    """Tells the owner of a personal address of a mail to it that they do not seem to have sent, unless they were
    told recently. Nothing in it is done. False where nobody gets a mail.
    """
    connection, now = work.connection, work.now
    owner = players.addressed_by(connection, pending.mail.tokens)
    if owner is None or not owner.is_confirmed or not may_be_mailed(connection, owner.address, now):
        return False
    if left(connection, policy.NOT_THEIRS, owner.address, now) <= 0:
        return False
    mail, size = pending.mail, pending.message.size
    to = ReplyContext(pending.message.id, mail, owner.address, owner, "not theirs", False, now, size=size)
    send(
        work,
        to.fixed_answer(
            "mail/odd_from.txt", "your mail", "not theirs", userid=owner.userid, address=owner.address
        ),
    )
    return True
