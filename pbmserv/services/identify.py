"""Who a line is from: the only code that looks into a password.

Proving is slow (argon2) and comes before the transaction; `identify` then holds the proof against the hash as it
stands under the lock. A password is never logged, echoed or compared but by argon2, or against itself in one mail.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import takewhile

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from pbmserv.commands.language import Reading
from pbmserv.commands.message import Actor, Claim, IncomingMail, Parsed, Request, Secret
from pbmserv.commands.refusals.common import (
    BadPassword,
    MisplacedAs,
    NoPasswordsNow,
    NotOurPlayer,
    TooManyPasswords,
    WrongPassword,
)
from pbmserv.matches.player import Player
from pbmserv.matches.records import Records
from pbmserv.matches.refusals import Refused
from pbmserv.services.standing import Standing

SHORTEST_PASSWORD = 4
LONGEST_PASSWORD = 72

MOST_CLAIMS = 6
"""So many different passwords of a mail are verified, as sit at a board, and so many new ones hashed: each takes a
while."""

PERSONAL = frozenset({"export"})
"""Commands whose answers are for nobody but the player."""

LookUp = Callable[[str], str | None]
"""The stored hash of a userid; None when nobody has it."""


class ChangedMeanwhile(Exception):
    """A password was changed between proving and deciding: prove again."""


@dataclass(frozen=True, slots=True)
class Proofs:
    """What was found out before the transaction: hashes as they were, claims that fit them, new hashes.

    `false_claim` is the first that does not fit, after which none was looked at; `beyond` are those after the
    first MOST_CLAIMS. A claim of a userid in `unheard` (lower case) proves nothing, and was not looked at.
    `claimant` is who the mail's first claim names, if it is true. `most` new passwords may have been hashed; they
    were not, whatever their number, if `is_put_off`: such a mail was not to be carried out.
    """

    seen: Mapping[str, str | None] = field(repr=False)
    true_claims: tuple[Claim, ...]
    new_hashes: Mapping[Secret, str] = field(repr=False)
    false_claim: Claim | None = None
    beyond: frozenset[Claim] = frozenset()
    unheard: frozenset[str] = frozenset()
    first_claim: Claim | None = None
    most: int = MOST_CLAIMS
    is_put_off: bool = False

    @property
    def claimant(self) -> str | None:
        """The userid of the mail's first claim, if that is true: a later one may never be run."""
        first = self.first_claim
        if first is None or first not in self.true_claims or first.userid.lower() in self.unheard:
            return None
        return first.userid


@dataclass(frozen=True, slots=True)
class ToProve:
    """What a mail asks to be verified and hashed, as far as it may be.

    `seen` are the hashes of all userids claimed, `claims` what is to be verified, `secrets` what is to be hashed.
    `is_proven`: its head proves who wrote. `is_put_off`: nothing is hashed for it. The rest as in `Proofs`.
    """

    seen: Mapping[str, str | None] = field(default_factory=dict, repr=False)
    claims: tuple[Claim, ...] = ()
    secrets: tuple[Secret, ...] = ()
    beyond: frozenset[Claim] = frozenset()
    unheard: frozenset[str] = frozenset()
    first_claim: Claim | None = None
    is_proven: bool = False
    is_put_off: bool = False

    @property
    def is_slow(self) -> bool:
        """Whether there is anything to verify or to hash."""
        return bool(self.claims or (self.secrets and not self.is_put_off))


def password_hasher() -> PasswordHasher:
    """Argon2id with 19 MiB, two passes, one lane."""
    return PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1)


def to_prove(
    reading: Reading,
    look_up: LookUp,
    unheard: frozenset[str] = frozenset(),
    is_proven: bool = False,
    is_put_off: bool = False,
) -> ToProve:
    """What of a mail is to be verified and hashed; claims of the userids in `unheard` are not looked at."""
    claims = _claims(reading)
    seen = {claim.userid.lower(): look_up(claim.userid) for claim in claims}
    first, beyond = _to_verify(reading, seen)
    heard = tuple(takewhile(lambda claim: claim.userid.lower() not in unheard, first))
    # Where a claim is not looked at, nothing proves that the rest is anybody's.
    secrets = _to_hash(reading) if is_proven or heard or not first else []
    return ToProve(
        seen,
        heard,
        tuple(secrets),
        frozenset(beyond),
        unheard,
        claims[0] if claims else None,
        is_proven,
        is_put_off and not heard,
    )


def prove(asked: ToProve, hasher: PasswordHasher) -> Proofs:
    """Verifies the claims of a mail, hashes its new passwords; an unknown userid costs as much as a known one.

    Until something is proven one of all that is done, and no more: mails cost their sender nothing.
    """
    true_claims: list[Claim] = []
    false_claim: Claim | None = None
    for claim in asked.claims:
        if not _fits(claim, asked.seen[claim.userid.lower()], hasher):
            # Nothing after a false claim is run, so nothing more is to be found out by guessing.
            false_claim = claim
            break
        true_claims.append(claim)
    is_proven = asked.is_proven or bool(true_claims)
    most = MOST_CLAIMS if is_proven else 0 if asked.claims or asked.is_put_off else 1
    return Proofs(
        asked.seen,
        tuple(true_claims),
        {secret: hasher.hash(secret.value) for secret in asked.secrets[:most]},
        false_claim,
        asked.beyond,
        asked.unheard,
        asked.first_claim,
        MOST_CLAIMS if is_proven else 1,
        asked.is_put_off and not is_proven,
    )


def claimed_userids(reading: Reading) -> tuple[str, ...]:
    """The userids that a mail holds passwords of."""
    return tuple(claim.userid for claim in _claims(reading))


def has_secrets(reading: Reading) -> bool:
    """Whether there is anything to prove or to hash."""
    return bool(_claims(reading)) or any(isinstance(each, Parsed) and each.new_password for each in reading.lines)


def identify(
    line: Parsed,
    reading: Reading,
    mail: IncomingMail,
    standing: Standing,
    proofs: Proofs,
    records: Records,
    look_up: LookUp,
) -> Request | Refused:
    """The line as a request from somebody, or why nobody can be told. Raises ChangedMeanwhile.

    A claim in the line goes before one for the whole mail, and that before what the mail's head proves. Nobody
    acts for an account whose address was not answered from, whatever the password.
    """
    boards = line.arguments.boards
    board = boards[0].number if boards else None
    claim = line.claim or reading.claim
    if claim is not None:
        # A name that nobody has may be a password in the wrong place.
        told = claim.userid if records.player(claim.userid) else ""
        if claim.userid.lower() in proofs.unheard:
            return NoPasswordsNow(board=board, userid=told)
        if not _is_proven(claim, proofs, look_up):
            if claim in proofs.beyond:
                return TooManyPasswords(board=board, limit=MOST_CLAIMS)
            return WrongPassword(board=board, userid=told)
        claimant = records.player(claim.userid)
        if claimant is not None and not claimant.is_confirmed and line.command.kind != "token":
            return NotOurPlayer(board=board, command=line.command.name)
        actor = Actor(claimant, mail.sender, "password")
    else:
        known = records.player(standing.player.userid) if standing.player else None
        shown = standing.answered.shown if standing.answered else ()
        actor = Actor(known, mail.sender, standing.proof, shown)
    if line.new_password is not None and not _is_fit(line.new_password.value):
        return BadPassword(least=SHORTEST_PASSWORD, most=LONGEST_PASSWORD)
    if line.new_password is not None and line.new_password not in proofs.new_hashes:
        return TooManyPasswords(board=board, limit=proofs.most)
    if line.command.name in PERSONAL and actor.player is not None and _speaks_for_others(reading, actor.player):
        return MisplacedAs(userid=actor.player.userid)
    new_hash = proofs.new_hashes[line.new_password] if line.new_password else None
    return Request(
        line.line,
        line.command,
        line.arguments,
        actor,
        password_hash=new_hash,
        is_believed=standing.is_believed,
        comment=reading.comment,
    )


def _speaks_for_others(reading: Reading, player: Player) -> bool:
    """Whether a mail holds another player's claim too, and so might be answered at that one's address."""
    return any(claim.userid.lower() != player.userid.lower() for claim in _claims(reading))


def _claims(reading: Reading) -> list[Claim]:
    own = [line.claim for line in reading.lines if isinstance(line, Parsed) and line.claim]
    return [*([reading.claim] if reading.claim else []), *own]


def _to_verify(reading: Reading, seen: Mapping[str, str | None]) -> tuple[list[Claim], list[Claim]]:
    """The claims that are held against what is stored, and those that are too many for that.

    Left out are those by a password that an earlier line sets for the same userid: they are true if it does, and
    else they must not be a guess.
    """
    found = dict.fromkeys([reading.claim] if reading.claim else [])
    chosen: set[tuple[str | None, Secret]] = set()
    for line in reading.lines:
        if not isinstance(line, Parsed):
            continue
        claim = line.claim
        if claim is not None and chosen.isdisjoint(
            ((claim.userid.lower(), claim.password), (None, claim.password))
        ):
            found[claim] = None
        if line.new_password is not None:
            chosen.update((userid, line.new_password) for userid in _set_for(line, seen))
    every = [*found]
    return every[:MOST_CLAIMS], every[MOST_CLAIMS:]


def _set_for(line: Parsed, seen: Mapping[str, str | None]) -> tuple[str | None, ...]:
    """Whose password a line sets, if all goes well; None stands for whomever a mailed token belongs to."""
    if line.command.kind == "token":
        return (None,)
    if line.claim is not None:
        return (line.claim.userid.lower(),)
    # A sign-up sets nobody's who is there already.
    return tuple(each.lower() for each in line.arguments.userids if seen.get(each.lower()) is None)


def _to_hash(reading: Reading) -> list[Secret]:
    new = [line.new_password for line in reading.lines if isinstance(line, Parsed) and line.new_password]
    return [*dict.fromkeys(secret for secret in new if is_fit_length(secret.value))][:MOST_CLAIMS]


def _is_proven(claim: Claim, proofs: Proofs, look_up: LookUp) -> bool:
    stored = look_up(claim.userid)
    if stored is None:
        # Perhaps an earlier line of the same mail has deleted the account: proving again would find it once more.
        return False
    if stored == proofs.new_hashes.get(claim.password):
        return True
    if stored != proofs.seen[claim.userid.lower()] and stored not in proofs.new_hashes.values():
        raise ChangedMeanwhile
    return claim in proofs.true_claims and stored == proofs.seen[claim.userid.lower()]


def _fits(claim: Claim, stored: str | None, hasher: PasswordHasher) -> bool:
    try:
        hasher.verify(stored or _decoy(hasher), claim.password.value)
    except (VerificationError, InvalidHashError):
        return False
    return stored is not None


@lru_cache(maxsize=4)
def _decoy(hasher: PasswordHasher) -> str:
    return hasher.hash("nobody has this password")


def _is_fit(password: str) -> bool:
    """Whether a new password is one, and not the word that stands in our examples for one."""
    return is_fit_length(password) and password not in ("PASSWORD", "NEWPASSWORD")


def is_fit_length(password: str) -> bool:
    """Whether a new password is neither too short nor too long."""
    return SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD
