"""Finds out who sent a line: the only code that reads passwords.

Verifying is slow (argon2) and happens before the transaction. `authenticate` then compares its result with the
hash that is stored under the lock. A password is never logged or echoed. It is compared by argon2 alone, or with
another password of the same mail.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import takewhile

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from pbmserv.commands.command import Actor, Credentials, NotOurPlayer, Request, Secret
from pbmserv.matches.player import Player
from pbmserv.parser.parse import MisplacedAs
from pbmserv.parser.parsed import Parsed, ParsedMail
from pbmserv.services.pending import PendingMail
from pbmserv.services.sender import BadPassword, NoPasswordsNow, TooManyPasswords, WrongPassword
from pbmserv.services.unit_of_work import UnitOfWork
from pbmserv.store import players

SHORTEST_PASSWORD = 4
LONGEST_PASSWORD = 72

MOST_CLAIMS = 6
"""The most passwords of a mail that are verified, one for each seat of a board, and the most that are hashed."""

_MOST_LONE = 2
"""Words that are alone on a line below a command, and are tried whether they are the password."""

PERSONAL = frozenset({"export"})
"""Commands whose answers only the player may see."""

LookUp = Callable[[str], str | None]
"""Gives the stored hash of a userid; None if nobody has that userid."""


class ChangedMeanwhile(Exception):
    """What a mail was read by, or a password of it verified by, was changed meanwhile: do so again."""


@dataclass(frozen=True, slots=True)
class VerifiedCredentials:
    """What verifying the passwords of a mail has shown."""

    # By userid in lower case, as they were then.
    stored_hashes: Mapping[str, str | None] = field(repr=False)
    # The credentials with the right password.
    verified: tuple[Credentials, ...]
    new_hashes: Mapping[Secret, str] = field(repr=False)
    # The first ones with a wrong password; none after these were verified.
    failed_claim: Credentials | None = None
    # Those after the first MOST_CLAIMS.
    excess: frozenset[Credentials] = frozenset()
    # Userids in lower case whose passwords are not verified after too many failed logins.
    rate_limited: frozenset[str] = frozenset()
    # The first credentials of the mail.
    first_claim: Credentials | None = None
    # How many new passwords could be hashed.
    most: int = MOST_CLAIMS
    # Whether no new password was hashed, since the mail was not going to be processed.
    is_deferred: bool = False

    @property
    def claimant(self) -> str | None:
        """The userid of the mail's first credentials, if they are right: later ones may never be needed."""
        first = self.first_claim
        if first is None or first not in self.verified or first.userid.lower() in self.rate_limited:
            return None
        return first.userid


@dataclass(frozen=True, slots=True)
class CredentialsToVerify:
    """What to verify and to hash for a mail; fields of the same name are passed on to VerifiedCredentials."""

    stored_hashes: Mapping[str, str | None] = field(default_factory=dict, repr=False)
    # The credentials to verify.
    claims: tuple[Credentials, ...] = ()
    # The new passwords to hash.
    secrets: tuple[Secret, ...] = ()
    excess: frozenset[Credentials] = frozenset()
    rate_limited: frozenset[str] = frozenset()
    first_claim: Credentials | None = None
    # Whether the headers of the mail prove who wrote it.
    is_proven: bool = False
    is_deferred: bool = False


def credentials_to_verify(
    reading: ParsedMail,
    look_up: LookUp,
    rate_limited: frozenset[str] = frozenset(),
    is_proven: bool = False,
    is_deferred: bool = False,
) -> CredentialsToVerify:
    """What to verify and to hash for a mail; passwords of the userids in `rate_limited` are ignored."""
    claims = _claims(reading)
    stored_hashes = {claim.userid.lower(): look_up(claim.userid) for claim in claims}
    first, excess = _to_verify(reading, stored_hashes)
    allowed = tuple(takewhile(lambda claim: claim.userid.lower() not in rate_limited, first))
    # If credentials are ignored, nothing proves who sent the rest.
    secrets = _to_hash(reading) if is_proven or allowed or not first else []
    return CredentialsToVerify(
        stored_hashes,
        allowed,
        tuple(secrets),
        frozenset(excess),
        rate_limited,
        claims[0] if claims else None,
        is_proven,
        is_deferred and not allowed,
    )


def verify(to_verify: CredentialsToVerify, hasher: PasswordHasher) -> VerifiedCredentials:
    """Verifies the credentials of a mail and hashes its new passwords.

    An unknown userid takes as long as a known one. Until something is proven only one password is processed:
    sending mail is free, and argon2 is slow.
    """
    verified: list[Credentials] = []
    failed_claim: Credentials | None = None
    for claim in to_verify.claims:
        if not _fits(claim, to_verify.stored_hashes[claim.userid.lower()], hasher):
            # Nothing after a wrong password is run, so that one mail is good for one guess.
            failed_claim = claim
            break
        verified.append(claim)
    is_proven = to_verify.is_proven or bool(verified)
    most = MOST_CLAIMS if is_proven else 0 if to_verify.claims or to_verify.is_deferred else 1
    return VerifiedCredentials(
        to_verify.stored_hashes,
        tuple(verified),
        {secret: hasher.hash(secret.value) for secret in to_verify.secrets[:most]},
        failed_claim,
        to_verify.excess,
        to_verify.rate_limited,
        to_verify.first_claim,
        MOST_CLAIMS if is_proven else 1,
        to_verify.is_deferred and not is_proven,
    )


def says_password(text: str, userid: str, look_up: LookUp, hasher: PasswordHasher) -> bool:
    """Whether a line of a text is nothing but the password of a userid; the last lines of one word are tried."""
    words = [line.strip() for line in text.split("\n") if len(line.split()) == 1]
    lone = [Credentials(userid, Secret(word)) for word in words if is_fit_length(word)][-_MOST_LONE:]
    stored = look_up(userid) if lone else None
    return stored is not None and any(_fits(each, stored, hasher) for each in lone)


def claimed_userids(reading: ParsedMail) -> tuple[str, ...]:
    """The userids whose passwords a mail gives."""
    return tuple(claim.userid for claim in _claims(reading))


def has_secrets(reading: ParsedMail) -> bool:
    """Whether a mail has any password to verify or to hash."""
    return bool(_claims(reading)) or any(isinstance(each, Parsed) and each.new_password for each in reading.lines)


def authenticate(
    work: UnitOfWork, line: Parsed, pending: PendingMail, credentials: VerifiedCredentials
) -> Request:
    """The line as a request from somebody. Raises CommandError where nobody can be told, and ChangedMeanwhile.

    Credentials in the line come before those for the whole mail, and these before what the headers prove. Nobody
    acts for an account whose address is not confirmed, even with the right password.
    """
    records, reading, mail, identity = work.records, pending.runnable, pending.mail, pending.identity
    board = line.arguments.first_board
    claim = line.claim or reading.claim
    if claim is not None:
        # An unknown userid may be a password in the wrong place: do not repeat it.
        told = claim.userid if records.player(claim.userid) else ""
        if claim.userid.lower() in credentials.rate_limited:
            raise NoPasswordsNow(board=board, userid=told)
        if not _is_proven(claim, credentials, players.password_hash(work.connection, claim.userid)):
            if claim in credentials.excess:
                raise TooManyPasswords(board=board, limit=MOST_CLAIMS)
            raise WrongPassword(board=board, userid=told)
        claimant = records.player(claim.userid)
        if claimant is not None and not claimant.is_confirmed and line.command.kind != "token":
            raise NotOurPlayer(board=board, command=line.command.name)
        actor = Actor(claimant, mail.sender, "password", is_believed=identity.is_believed)
    else:
        known = records.player(identity.player.userid) if identity.player else None
        shown = identity.answered.shown if identity.answered else ()
        actor = Actor(known, mail.sender, identity.proof, shown, identity.is_believed)
    if line.new_password is not None and not _is_fit(line.new_password.value):
        raise BadPassword(least=SHORTEST_PASSWORD, most=LONGEST_PASSWORD)
    if line.new_password is not None and line.new_password not in credentials.new_hashes:
        raise TooManyPasswords(board=board, limit=credentials.most)
    if line.command.name in PERSONAL and actor.player is not None and _speaks_for_others(reading, actor.player):
        raise MisplacedAs(userid=actor.player.userid)
    new_hash = credentials.new_hashes[line.new_password] if line.new_password else None
    return Request(
        line.line,
        line.command,
        line.arguments,
        actor,
        password_hash=new_hash,
        comment=reading.comment,
        server=identity.server,
    )


def _speaks_for_others(reading: ParsedMail, player: Player) -> bool:
    """Whether a mail has credentials of another player too, and might be answered at that player's address."""
    return any(claim.userid.lower() != player.userid.lower() for claim in _claims(reading))


def _claims(reading: ParsedMail) -> list[Credentials]:
    own = [line.claim for line in reading.lines if isinstance(line, Parsed) and line.claim]
    return [*([reading.claim] if reading.claim else []), *own]


def _to_verify(
    reading: ParsedMail, stored_hashes: Mapping[str, str | None]
) -> tuple[list[Credentials], list[Credentials]]:
    """The credentials to verify, and those that are too many.

    A password that an earlier line sets for the same userid is left out: it is right if that line succeeds, and
    otherwise it must not count as a guess.
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
            chosen.update((userid, line.new_password) for userid in _set_for(line, stored_hashes))
    every = [*found]
    return every[:MOST_CLAIMS], every[MOST_CLAIMS:]


def _set_for(line: Parsed, stored_hashes: Mapping[str, str | None]) -> tuple[str | None, ...]:
    """Whose password a line sets if it succeeds; None stands for the owner of a mailed token."""
    if line.command.kind == "token":
        return (None,)
    if line.claim is not None:
        return (line.claim.userid.lower(),)
    # A sign-up does not change the password of an existing account.
    return tuple(each.lower() for each in line.arguments.userids if stored_hashes.get(each.lower()) is None)


def _to_hash(reading: ParsedMail) -> list[Secret]:
    new = [line.new_password for line in reading.lines if isinstance(line, Parsed) and line.new_password]
    return [*dict.fromkeys(secret for secret in new if is_fit_length(secret.value))][:MOST_CLAIMS]


def _is_proven(claim: Credentials, credentials: VerifiedCredentials, stored: str | None) -> bool:
    if stored is None:
        # An earlier line may have deleted the account: verifying again would not change that.
        return False
    if stored == credentials.new_hashes.get(claim.password):
        return True
    if stored != credentials.stored_hashes[claim.userid.lower()] and stored not in credentials.new_hashes.values():
        raise ChangedMeanwhile
    return claim in credentials.verified and stored == credentials.stored_hashes[claim.userid.lower()]


def _fits(claim: Credentials, stored: str | None, hasher: PasswordHasher) -> bool:
    try:
        hasher.verify(stored or _decoy(hasher), claim.password.value)
    except (VerificationError, InvalidHashError):
        return False
    return stored is not None


@lru_cache(maxsize=4)
def _decoy(hasher: PasswordHasher) -> str:
    return hasher.hash("nobody has this password")


def _is_fit(password: str) -> bool:
    """Whether a new password may be used: neither too short nor too long, nor the placeholder in our examples."""
    return is_fit_length(password) and password not in ("PASSWORD", "NEWPASSWORD")


def is_fit_length(password: str) -> bool:
    """Whether a new password is neither too short nor too long."""
    return SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD
