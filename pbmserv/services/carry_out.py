"""What one mail comes to inside its transaction: its commands carried out, its answers queued, its fate noted."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection

from pbmserv.commands.language import Reading, as_kept, understand
from pbmserv.commands.message import Actor, IncomingMail, Unparsed
from pbmserv.commands.refusals import Forwarded, NoCommand, TooLarge
from pbmserv.mail.read import read
from pbmserv.mail.write import write_masked
from pbmserv.matches.match import Replayed
from pbmserv.matches.refusals import Refused
from pbmserv.services.answer import Answering, answer, notices, plain_answer
from pbmserv.services.bounce import heed_report, lift_for
from pbmserv.services.house import House
from pbmserv.services.identify import Proofs
from pbmserv.services.limits import UNPROVEN_AN_HOUR, Allowance, allowance
from pbmserv.services.run import Result, run_all, touched
from pbmserv.store import inbox, outbox
from pbmserv.store.inbox import Fate, Kept
from pbmserv.store.outbox import Kind, Letter
from pbmserv.store.records import TransactionRecords


@dataclass(frozen=True, slots=True)
class Opened:
    """A kept mail that was read. `asked` is what it asks for: nothing, when no person wrote it."""

    kept: Kept
    mail: IncomingMail
    understood: Reading

    @property
    def asked(self) -> Reading:
        """The lines that may be carried out."""
        return self.understood if self.mail.automatic is None else Reading()


@dataclass(frozen=True, slots=True)
class CarriedOut:
    """What became of a mail, and the boards that it changed, as they stand then."""

    fate: Fate
    boards: tuple[Replayed, ...] = ()


def open_mail(house: House, kept: Kept) -> Opened:
    """Reads a mail and understands its lines. Of one that was too large to be kept whole nothing is understood."""
    mail = read(kept.raw, kept.envelope_sender, house.server.address, house.server.delimiter)
    return Opened(kept, mail, understand(mail) if kept.full_size is None else Reading())


def carry_out(connection: Connection, house: House, opened: Opened, proofs: Proofs, now: datetime) -> CarriedOut:
    """Does what a mail asks for; what it decides counts from when the mail was kept, what is sent from now."""
    done = _do(connection, house, opened, proofs, now)
    key = opened.mail.content_key if done.fate == "handled" else None
    masked = write_masked(opened.mail, as_kept(opened.understood))
    inbox.finish(connection, opened.kept.id, done.fate, now, key, masked=masked)
    return done


def _do(connection: Connection, house: House, opened: Opened, proofs: Proofs, now: datetime) -> CarriedOut:
    mail = opened.mail
    if mail.automatic is not None:
        return CarriedOut("report" if heed_report(connection, house, opened.kept, now) else "silent")
    if inbox.is_known(connection, mail.content_key):
        return CarriedOut("duplicate")
    records = TransactionRecords(connection, house.recent)
    to = _answering(records, house, opened, proofs, now)
    if to is None:
        return CarriedOut("silent")
    match allowance(connection, to, opened.understood):
        case Allowance.SILENCE:
            return CarriedOut("silent")
        case Allowance.LAST_NOTICE:
            notice = plain_answer(house, to.of_kind("limit"), "mail/limit.txt", "limit", limit=UNPROVEN_AN_HOUR)
            outbox.queue(connection, [notice], now)
            return CarriedOut("silent")
        case Allowance.SHORT:
            short = plain_answer(house, to.of_kind("short"), "mail/stranger.txt", "your mail")
            outbox.queue(connection, [short], now)
            return CarriedOut("handled")
        case Allowance.FULL:
            results = _results(connection, records, house, opened, to, proofs)
            outbox.queue(connection, _letters(records, house, opened, to, results), now)
            if (player := records.player_at(to.recipient)) is not None:
                lift_for(connection, player)
            return CarriedOut("handled", tuple(touched(results).values()))


def _answering(
    records: TransactionRecords, house: House, opened: Opened, proofs: Proofs, now: datetime
) -> Answering | None:
    """To whom the mail is answered, and what they proved; None when nobody can be told."""
    sender = opened.mail.sender
    known = records.player_at(sender) if sender else None
    claimant = next((records.player(claim.userid) for claim in proofs.true_claims), None)
    # A password proves who wrote, not that the From address is theirs: an answer there could be a bomb.
    recipient = claimant.address if claimant is not None else sender
    if recipient is None:
        return None
    proven = claimant is not None or (known is not None and house.server.confirm == "from")
    kind: Kind = "stranger" if known is None and claimant is None else "answer"
    return Answering(opened.kept.id, opened.mail, recipient, kind, proven, now)


def _results(
    connection: Connection,
    records: TransactionRecords,
    house: House,
    opened: Opened,
    to: Answering,
    proofs: Proofs,
) -> tuple[Result, ...]:
    """What became of each line; a mail without any is refused as a whole."""
    mail, understood = opened.mail, opened.understood
    results = run_all(connection, records, mail, understood, proofs, house.server, opened.kept.kept_at)
    if results:
        return results
    refused: Refused = Forwarded() if understood.forwarded else NoCommand(board=understood.board)
    if opened.kept.full_size is not None:
        refused = TooLarge(kilobytes=opened.kept.full_size // 1000)
    player = records.player_at(mail.sender) if mail.sender else None
    return (Result(Unparsed("", refused), refused, Actor(player, mail.sender, "none")),)


def _letters(
    records: TransactionRecords, house: House, opened: Opened, to: Answering, results: tuple[Result, ...]
) -> list[Letter]:
    return [
        answer(records, house, to, results),
        *notices(records, house, to, results, opened.understood.comment),
    ]
