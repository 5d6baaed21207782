"""What one mail comes to inside its transaction: its commands carried out, its answers queued, its fate noted."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import Connection

from pbmserv.commands.changes import Erased, NewPassword, NewSetting
from pbmserv.commands.decision import Decision
from pbmserv.commands.echoed import named_userids
from pbmserv.commands.language import as_kept
from pbmserv.commands.message import Actor, IncomingMail, Parsed, Unparsed
from pbmserv.commands.refusals.common import Forwarded, NoCommand, TooLarge
from pbmserv.mail.write import write_masked
from pbmserv.matches.refusals import Refused
from pbmserv.matches.replay import Replayed
from pbmserv.services import sign_ups
from pbmserv.services.answer import answer, notices, questions
from pbmserv.services.bounce import heed_report, lift_for
from pbmserv.services.guesses import reckoned
from pbmserv.services.house import House
from pbmserv.services.identify import ChangedMeanwhile, Proofs
from pbmserv.services.incoming import Opened
from pbmserv.services.letters import Answering, news_letter, plain_answer
from pbmserv.services.limits import (
    Allowance,
    allowance,
    allowance_of_fruitless,
    allowance_of_heavy,
    may_be_warned,
    room_for,
)
from pbmserv.services.notices import tell_letters
from pbmserv.services.question import ask
from pbmserv.services.run import Result, decisions, run_all, touched
from pbmserv.store import accounts, confirmations, inbox, outbox, players, retention
from pbmserv.store.inbox import Fate
from pbmserv.store.outbox import Kind, Letter
from pbmserv.store.records import TransactionRecords


@dataclass(frozen=True, slots=True)
class CarriedOut:
    """What became of a mail, and the boards that it changed, as they stand then.

    `is_forgotten`: its sender is no player any more, and nothing of it stays. `used_up` are the day's places for
    newcomers, in words, of which it has taken the last.
    """

    fate: Fate
    boards: tuple[Replayed, ...] = ()
    is_forgotten: bool = False
    used_up: tuple[str, ...] = ()


def carry_out(connection: Connection, house: House, opened: Opened, proofs: Proofs, now: datetime) -> CarriedOut:
    """Does what a mail asks for; what it decides counts from when the mail was kept, what is sent from now."""
    done = _do(connection, house, opened, proofs, now)
    key = opened.mail.content_key if done.fate == "handled" else None
    known = players.known_among(connection, named_userids(opened.understood.lines))
    masked = write_masked(_without_our_token(house, opened.mail), as_kept(opened.understood, known))
    inbox.finish(connection, opened.kept.id, done.fate, now, key, masked=masked)
    if done.is_forgotten:
        retention.empty(connection, opened.kept.id, now)
    return done


def is_carried_out(connection: Connection, house: House, opened: Opened, now: datetime) -> bool:
    """Whether a mail is to be carried out even if no password in it proves anything."""
    records = TransactionRecords(connection, house.recent)
    to = _answering(records, opened, Proofs({}, (), {}), now)
    return to is not None and allowance(connection, records, to, opened) is Allowance.FULL


def _without_our_token(house: House, mail: IncomingMail) -> IncomingMail:
    """The mail as it is kept: one of our own that came back bears its token in From and Message-ID."""
    if mail.automatic != "ourselves":
        return mail
    return replace(mail, sender=house.server.address, message_id=None)


def _do(connection: Connection, house: House, opened: Opened, proofs: Proofs, now: datetime) -> CarriedOut:
    mail = opened.mail
    if mail.automatic is not None:
        return CarriedOut("report" if heed_report(connection, house, opened.kept, now) else "silent")
    if inbox.is_known(connection, mail.content_key):
        return CarriedOut("duplicate")
    proofs = reckoned(connection, proofs, opened, now)
    records = TransactionRecords(connection, house.recent)
    to = _answering(records, opened, proofs, now)
    if to is None:
        return _as_not_theirs(connection, house, opened, now)
    allowed = allowance(connection, records, to, opened)
    if allowed is Allowance.SILENCE and to.player is None and mail.tokens:
        return _as_not_theirs(connection, house, opened, now)
    if allowed is not Allowance.FULL:
        _contest(connection, records, opened, now)
        return _in_short(connection, house, to, allowed)
    if proofs.is_put_off:
        # There was no room for it a moment ago.
        raise ChangedMeanwhile
    return _in_full(connection, records, house, opened, to, proofs)


def _contest(connection: Connection, records: TransactionRecords, opened: Opened, now: datetime) -> None:
    """A second sign-up from an address that has not answered yet: nobody can tell which password is theirs.

    So neither counts. Whoever was first could have been anybody, and the `yes` may well be meant for the second.
    """
    sender = opened.mail.sender
    owner = records.owner_of(sender) if sender else None
    is_sign_up = any(isinstance(line, Parsed) and line.command.name == "signup" for line in opened.asked.lines)
    if owner is not None and not owner.is_confirmed and is_sign_up:
        accounts.keep(connection, NewPassword(owner.id, accounts.NO_HASH), now)


def _as_not_theirs(connection: Connection, house: House, opened: Opened, now: datetime) -> CarriedOut:
    """What comes of a mail that nobody can be answered: who was told the personal address that it went to is told
    at their first address that nothing was done, since the From is not theirs alone."""
    owner = players.addressed_by(connection, opened.mail.tokens)
    if owner is None or not owner.is_confirmed or not may_be_warned(connection, owner.address, now):
        return CarriedOut("silent")
    to = Answering(opened.kept.id, opened.mail, owner.address, owner, "not theirs", proven=False, now=now)
    letter = plain_answer(house, to, "mail/odd_from.txt", "your mail", "not theirs", player=owner)
    outbox.queue(connection, [letter], now)
    return CarriedOut("handled")


def _in_short(connection: Connection, house: House, to: Answering, allowed: Allowance) -> CarriedOut:
    """What is said instead of an answer, if anything."""
    if allowed is Allowance.SHORT:
        outbox.queue(connection, [plain_answer(house, to, "mail/stranger.txt", "your mail", "short")], to.now)
        return CarriedOut("handled")
    if allowed is Allowance.NO_ROOM:
        notice = plain_answer(house, to, "mail/no_room.txt", "signup", "no room")
        outbox.queue(connection, [notice], to.now)
    if allowed is Allowance.LAST_NOTICE:
        notice = plain_answer(house, to, "mail/limit.txt", "limit", "limit")
        outbox.queue(connection, [notice], to.now)
    return CarriedOut("silent")


def _in_full(
    connection: Connection,
    records: TransactionRecords,
    house: House,
    opened: Opened,
    to: Answering,
    proofs: Proofs,
) -> CarriedOut:
    results = run_all(connection, records, opened, proofs) or (_nothing_asked(records, opened),)
    is_proven = to.proven or opened.standing.proof != "none" or any(map(_is_confirmed, results))
    if to.proven and not to.by_password and not any(map(_bears_fruit, results)):
        to = replace(to, proven=False, kind="fruitless")
        allowed = allowance_of_fruitless(connection, to)
        if allowed is not Allowance.FULL:
            return _in_short(connection, house, to, allowed)
    # What the mail has changed about its sender counts for its answer already.
    player = records.player(to.player.userid) if to.player else records.player_at(to.recipient)
    to = replace(to, player=player if player and player.address == to.recipient else None)
    sent = answer(records, house, to, results)
    if not is_proven:
        room = room_for(connection, to, opened)
        if len(sent.letter.raw) > room.whole:
            sent = answer(records, house, to, results, is_brief=True)
        if len(sent.letter.raw) > room.at_all and not any(map(_changes, results)):
            return _in_short(connection, house, to, allowance_of_heavy(connection, to))
    letter = sent.letter
    if sent.asks is not None:
        # Where it is the same question as before, that mail may be answered too.
        player_id = confirmations.ask(connection, letter.token, sent.asks, to.now, again=True)
        if sent.asks.kind == "sign-up":
            letter = replace(letter, player_id=player_id)
    is_goodbye = any(map(_erases, results))
    if is_goodbye:
        letter = replace(letter, kind="goodbye")
    news = [*_news(house, results, to), *_tells(records, house, results, to)]
    letters = [letter, *notices(records, house, to, results), *news]
    outbox.queue(connection, letters, to.now)
    for question in questions(results, sent.asks):
        ask(connection, house, question, to.inbox_id, to.now, is_proven)
    if to.player is not None and is_proven:
        lift_for(connection, house, to.player, to.now)
    used_up = sign_ups.used_up(connection, opened, to.recipient, to.now) if letter.kind == "sign-up" else ()
    return CarriedOut("handled", tuple(touched(results).values()), is_goodbye, used_up)


def _is_confirmed(result: Result) -> bool:
    return result.actor is not None and result.actor.proof == "confirmed"


def _erases(result: Result) -> bool:
    changes = result.outcome.changes if isinstance(result.outcome, Decision) else ()
    return any(isinstance(change, Erased) for change in changes)


def _answering(records: TransactionRecords, opened: Opened, proofs: Proofs, now: datetime) -> Answering | None:
    """To whom the mail is answered, and whether anything was proven; None when nobody can be told.

    A player is answered at their first address, wherever they wrote from: nothing is mailed where a From address
    alone asks for it.
    """
    standing = opened.standing
    claimed = records.player(proofs.claimant) if proofs.claimant else None
    claimant = claimed if claimed is not None and claimed.is_confirmed else None
    player = claimant or standing.player
    recipient = player.address if player is not None else opened.mail.sender
    if recipient is None:
        return None
    asked = standing.confirmation or opened.named or standing.named
    by_head = standing.proof != "none" or asked is not None
    kind: Kind = "answer"
    if player is None and asked is None:
        kind = "sign-up" if any(map(_signs_up, opened.understood.lines)) else "stranger"
    if not opened.understood.lines and not opened.understood.near and kind == "answer":
        kind = "puzzled"
    # Whatever comes from a personal address may be a machine that answers everything: only commands prove.
    by_password = claimant is not None
    proven = by_password or (by_head and bool(opened.understood.lines))
    return Answering(
        opened.kept.id, opened.mail, recipient, player, kind, proven, now, by_password, opened.left_out
    )


def _signs_up(line: Parsed | Unparsed) -> bool:
    return isinstance(line, Parsed) and line.command.kind == "signup"


def _bears_fruit(result: Result) -> bool:
    """Whether a line has changed a board or the account, asks somebody, speaks to others, or was waited for: it is
    answered whatever came before."""
    if not isinstance(result.outcome, Decision) or not isinstance(result.line, Parsed):
        return False
    decided = result.outcome
    is_waited_for = result.line.command.kind == "token" or _is_confirmed(result)
    changes_more = any(not isinstance(change, NewSetting) for change in decided.changes)
    return is_waited_for or bool(
        decided.opened or decided.boards or decided.tells or decided.question or changes_more
    )


def _changes(result: Result) -> bool:
    """Whether a line has changed anything, so that it must be told."""
    decided = result.outcome
    return isinstance(decided, Decision) and bool(decided.opened or decided.boards or decided.changes)


def _nothing_asked(records: TransactionRecords, opened: Opened) -> Result:
    """The refusal of a mail without any command, as a whole."""
    asked = opened.standing.confirmation
    is_empty = not opened.mail.text.strip()
    said = opened.understood
    board = None if said.board is None else records.board(said.board)
    is_over = board is not None and board.state.status != "active"
    refused: Refused = NoCommand(
        board=said.board, asked=asked, near=said.near, is_empty=is_empty, is_over=is_over, writer=said.writer
    )
    if opened.understood.forwarded:
        refused = Forwarded()
    if opened.kept.full_size is not None:
        refused = TooLarge(kilobytes=opened.kept.full_size // 1000)
    actor = Actor(opened.standing.player, opened.mail.sender, "none")
    return Result(Unparsed("", refused), refused, actor, still_asked=asked)


def _tells(records: TransactionRecords, house: House, results: Sequence[Result], to: Answering) -> list[Letter]:
    """What other players are told."""
    told = [each for decision in decisions(results) for each in decision.tells]
    return tell_letters(records, house, told, to.now, to.inbox_id)


def _news(house: House, results: Sequence[Result], to: Answering) -> list[Letter]:
    """What others are to know of it, at their addresses."""
    return [
        news_letter(house, address, reply, to.inbox_id, to.now)
        for decision in decisions(results)
        for address, reply in decision.news
        if address != to.recipient
    ]
