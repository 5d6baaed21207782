"""Bans: of players by userid, and of addresses and domains, mail from which has no effect and gets no answer.

Anybody can write any From address, so a ban of an address says nothing of the player whose it is: their games go
on and their mail goes out. As in `commands.help`, each class's name names its template.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import Connection

from pbmserv.commands.changes import Barred
from pbmserv.commands.command import Decision, Remark, Reply
from pbmserv.commands.letter import Letter
from pbmserv.commands.offers import without
from pbmserv.commands.queue import play_on
from pbmserv.commands.vocabulary import is_address
from pbmserv.matches.log import Entry, EntryKind
from pbmserv.matches.player import Player
from pbmserv.matches.replay import GameState
from pbmserv.services.admin.referee import CannotRule, Effect, reasoned
from pbmserv.services.app import App
from pbmserv.services.notices import BoardChange, board_notices, notice_to, player_notices
from pbmserv.services.writer import deciding
from pbmserv.store import abuse, listing, matches, offers, players
from pbmserv.store.abuse import AddressBan, SenderFigures, senders_since
from pbmserv.store.engine import reading, run_again, writing
from pbmserv.store.queries import TransactionQueries


class PlayerBarred(Reply):
    """Above a board that `userid` had to leave, for the operator has banned them."""

    userid: str


class YouAreBarred(Reply):
    """To a player whom the operator has banned; `reason` may be empty."""

    userid: str
    reason: str


class NoLongerBarred(Reply):
    """To a player who may play again; `reason` may be empty."""

    userid: str
    reason: str


@dataclass(frozen=True, slots=True)
class Banned:
    """Who was banned, and the boards that they were taken off or that are void now."""

    userid: str
    removed: tuple[int, ...]
    declined: tuple[int, ...]
    effect: Effect


def ban(app: App, userid: str, reason: str, now: datetime) -> Banned:
    """Takes a player off all boards, or declines those where they have not played; withdraws their open offers.

    The player and all others concerned are told, with the reason where there is one. Raises CannotRule.
    """
    done = run_again(lambda: _ban(app, userid, reason, now))
    app.recent.remember(done.effect.boards)
    return done


def unban(app: App, userid: str, reason: str, now: datetime) -> str:
    """Lets a player take part again and says so; gives the userid. Games do not come back. Raises CannotRule."""

    def lift() -> str:
        with deciding(app, now) as work:
            player = _held(work.connection, userid)
            if not player.is_banned:
                raise CannotRule(f"{player.userid} is not banned")
            words = NoLongerBarred(player.userid, reason.strip())
            lifted = Decision(words, changes=(Barred(player.id, is_lifted=True),))
            work.write(lifted, now)
            work.say([notice_to(player, words)])
        return player.userid

    return run_again(lift)


def _ban(app: App, userid: str, reason: str, now: datetime) -> Banned:
    with deciding(app, now) as work:
        connection, records = work.connection, work.records
        player = _held(connection, userid)
        if player.is_banned or player.robot is not None:
            raise CannotRule(
                f"{player.userid} is {'banned already' if player.is_banned else 'a robot of this server'}"
            )
        running = listing.running_of(connection, [player.userid])
        matches.lock(connection, running)
        boards = [records.board(number) for number in sorted(running)]
        entries = [entry for board in boards if board and (entry := _removal(board, player.userid, now))]
        after = tuple(
            board.apply(entry) for board in boards for entry in entries if board and _is_of(entry, board)
        )
        withdrawn, tells = without(player, records)
        words = YouAreBarred(player.userid, reason.strip())
        decided = Decision(
            words,
            entries=tuple(entries),
            boards=after,
            changes=(*withdrawn, Barred(player.id)),
            to_players=(*tells, (player.userid, words)),
            remarks=tuple(
                remark
                for entry in entries
                for remark in (
                    Remark(entry.match, None, PlayerBarred(player.userid)),
                    *reasoned(entry.match, reason),
                )
            ),
        )
        decision = play_on(decided, records, now)
        work.write(decision, now)
        letters = _letters(records, decision)
        work.say(letters)
    removed = tuple(entry.match for entry in entries if entry.kind == "removed")
    declined = tuple(entry.match for entry in entries if entry.kind == "declined")
    to = tuple(letter.recipient for letter in letters)
    return Banned(player.userid, removed, declined, Effect(decision.boards, to, bans=player.userid))


def _held(connection: Connection, userid: str) -> Player:
    """The player of a userid, held against everybody until the transaction ends."""
    offers.lock(connection, [], [userid])
    players.lock(connection, [userid], alone=True)
    player = players.find(connection, userid)
    if player is None:
        raise CannotRule(f"nobody is called {userid}")
    return player


def _removal(board: GameState, userid: str, now: datetime) -> Entry | None:
    """The entry that takes a player off a board; None where they have left it."""
    seat = board.match.seat_of(userid)
    if seat is None or not board.state.is_in(seat):
        return None
    kind: EntryKind = "removed" if board.state.plies_of(seat) else "declined"
    return board.entry(now, kind, seat)


def _is_of(entry: Entry, board: GameState) -> bool:
    return entry.match == board.match.number


def _letters(records: TransactionQueries, decision: Decision) -> list[Letter]:
    letters: list[Letter] = []
    for board in decision.boards:
        entries = tuple(entry for entry in decision.entries if _is_of(entry, board))
        letters += board_notices(records, BoardChange(board, entries, remarks=decision.remarks))
    return [*letters, *player_notices(records, decision.to_players)]


_DOMAIN: Final = re.compile(r"@([a-z0-9-]++\.)+[0-9-]*+[a-z][a-z0-9-]*+")
_LONGEST: Final = 320

_FIGURES: Final[tuple[Callable[[SenderFigures], int], ...]] = (
    lambda each: each.mails,
    lambda each: each.kilobytes,
    lambda each: each.in_vain,
    lambda each: each.unanswered,
    lambda each: each.guesses,
    lambda each: each.bounced,
)


@dataclass(frozen=True, slots=True)
class Silenced:
    """A pattern that is banned now, and the players whose mail from there no longer has an effect."""

    pattern: str
    players: Sequence[str]


@dataclass(frozen=True, slots=True)
class BannedParty:
    """A userid, an address or a domain that is banned; `reason` is empty where none is stored."""

    who: str
    since: datetime
    reason: str = ""


def is_pattern(word: str) -> bool:
    """Whether a word names an address or a domain, and not a player."""
    return "@" in word


def silence(app: App, word: str, reason: str, now: datetime) -> Silenced:
    """Bans an address, or a domain (`@spam.example`) and all below it. Raises CannotRule."""
    pattern = _pattern(app, word)

    def add() -> Silenced:
        with writing(app.engine) as connection:
            if not abuse.add_ban(connection, AddressBan(pattern, now, reason.strip())):
                raise CannotRule(f"{pattern} is banned already")
            return Silenced(pattern, abuse.players_at(connection, pattern))

    return run_again(add)


def lift_address_ban(app: App, word: str) -> str:
    """Lifts such a ban, and gives its pattern. Raises CannotRule."""
    pattern = word.lower()
    with writing(app.engine) as connection:
        if abuse.lift_ban(connection, pattern):
            return pattern
        over = [each for each in abuse.patterns_of(pattern) if each != pattern]
        wider = [each.pattern for each in abuse.address_bans(connection) if each.pattern in over]
    raise CannotRule(f"{pattern} is not banned" + (f", but {wider[0]} is" if wider else ""))


def list_banned(app: App) -> Sequence[BannedParty]:
    """Who is banned: players, then addresses and domains, the oldest first."""
    with reading(app.engine) as connection:
        theirs = [BannedParty(*each) for each in abuse.banned_players(connection)]
        patterns = [
            BannedParty(each.pattern, each.banned_at, each.reason) for each in abuse.address_bans(connection)
        ]
    return [*theirs, *patterns]


def _pattern(app: App, word: str) -> str:
    pattern = word.lower()
    if len(pattern) > _LONGEST or not (_DOMAIN.fullmatch(pattern) or is_address(pattern)):
        raise CannotRule(f"{word} is neither an address nor a domain such as @spam.example")
    if pattern in abuse.patterns_of(app.server.address):
        raise CannotRule(f"{pattern} is the server's own")
    return pattern


def conspicuous(app: App, since: datetime, count: int) -> Sequence[SenderFigures]:
    """The addresses that are among the first `count` by any figure since then, those with most mails first."""
    with reading(app.engine, snapshot=True) as connection:
        everybody = senders_since(connection, since)
    chosen: set[str] = set()
    for figure in _FIGURES:
        first = sorted(everybody, key=figure, reverse=True)[:count]
        chosen |= {each.address for each in first if figure(each)}
    return [each for each in everybody if each.address in chosen]
