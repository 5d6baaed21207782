"""The operator bans a player: out of all games, and none of their commands is carried out any more."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection

from pbmserv.commands.ahead import play_on
from pbmserv.commands.changes import Barred
from pbmserv.commands.decision import Decision, Remark
from pbmserv.commands.open_offers import without
from pbmserv.commands.replies.operator import NoLongerBarred, PlayerBarred, YouAreBarred
from pbmserv.matches.entry import Entry, EntryKind
from pbmserv.matches.next_state import entry_after
from pbmserv.matches.player import Player
from pbmserv.matches.replay import Replayed
from pbmserv.services.house import House
from pbmserv.services.letters import tell_letter
from pbmserv.services.notices import Happened, board_notices, tell_letters
from pbmserv.services.operator.referee import CannotRule, reasoned
from pbmserv.services.run import keep_decision
from pbmserv.store import listing, matches, offers, outbox, players
from pbmserv.store.engine import run_again, writing
from pbmserv.store.outbox import Letter
from pbmserv.store.records import TransactionRecords


@dataclass(frozen=True, slots=True)
class Banned:
    """Who was banned, the boards that they were taken off or that are void now, and how many mails tell of it."""

    userid: str
    removed: tuple[int, ...]
    declined: tuple[int, ...]
    mails: int


def ban(house: House, userid: str, reason: str, now: datetime) -> Banned:
    """Takes a player off all boards, or declines those where they have not played; withdraws their open offers.

    The player and all others concerned are told, with the reason where there is one. Raises CannotRule.
    """
    done, boards = run_again(lambda: _ban(house, userid, reason, now))
    house.recent.remember(boards)
    return done


def unban(house: House, userid: str, reason: str, now: datetime) -> str:
    """Lets a player take part again, who is told; gives the userid. Games do not come back. Raises CannotRule."""

    def lift() -> str:
        with writing(house.engine) as connection:
            player = _held(connection, userid)
            if not player.is_banned:
                raise CannotRule(f"{player.userid} is not banned")
            records = TransactionRecords(connection, house.recent)
            words = NoLongerBarred(player.userid, reason.strip())
            lifted = Decision(words, changes=(Barred(player.id, is_lifted=True),))
            keep_decision(connection, records, lifted, now)
            outbox.queue(connection, [tell_letter(house, player, words, None, now)], now)
        return player.userid

    return run_again(lift)


def _ban(house: House, userid: str, reason: str, now: datetime) -> tuple[Banned, tuple[Replayed, ...]]:
    with writing(house.engine) as connection:
        player = _held(connection, userid)
        if player.is_banned or player.robot is not None:
            raise CannotRule(
                f"{player.userid} is {'banned already' if player.is_banned else 'a robot of this server'}"
            )
        records = TransactionRecords(connection, house.recent)
        running = listing.running_of(connection, [player.userid])
        matches.lock(connection, running)
        boards = [records.board(number) for number in sorted(running)]
        entries = [entry for board in boards if board and (entry := _removal(board, player.userid, now))]
        after = tuple(board.then(entry) for board in boards for entry in entries if board and _is_of(entry, board))
        withdrawn, tells = without(player, records)
        words = YouAreBarred(player.userid, reason.strip())
        decided = Decision(
            words,
            entries=tuple(entries),
            boards=after,
            changes=(*withdrawn, Barred(player.id)),
            tells=(*tells, (player.userid, words)),
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
        keep_decision(connection, records, decision, now)
        letters = _letters(records, house, decision, now)
        outbox.queue(connection, letters, now)
    removed = tuple(entry.match for entry in entries if entry.kind == "removed")
    declined = tuple(entry.match for entry in entries if entry.kind == "declined")
    return Banned(player.userid, removed, declined, len(letters)), decision.boards


def _held(connection: Connection, userid: str) -> Player:
    """The player of a userid, held against everybody until the transaction ends."""
    offers.lock(connection, [], [userid])
    players.lock(connection, [userid], alone=True)
    player = players.find(connection, userid)
    if player is None:
        raise CannotRule(f"nobody is called {userid}")
    return player


def _removal(board: Replayed, userid: str, now: datetime) -> Entry | None:
    """The entry that takes a player off a board; None where they have left it."""
    seat = board.match.seat_of(userid)
    if seat is None or not board.state.is_in(seat):
        return None
    kind: EntryKind = "removed" if board.state.plies_of(seat) else "declined"
    return entry_after(board.match, board.state, now, kind, seat)


def _is_of(entry: Entry, board: Replayed) -> bool:
    return entry.match == board.match.number


def _letters(records: TransactionRecords, house: House, decision: Decision, now: datetime) -> list[Letter]:
    letters: list[Letter] = []
    for board in decision.boards:
        entries = tuple(entry for entry in decision.entries if _is_of(entry, board))
        letters += board_notices(records, house, Happened(board, entries, remarks=decision.remarks), now)
    return [*letters, *tell_letters(records, house, decision.tells, now)]
