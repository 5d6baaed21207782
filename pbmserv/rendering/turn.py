"""The present turn of a board: offers, what happened besides moves, and the time left, for templates."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Literal

from pbmserv.games.game import Event, Seat
from pbmserv.matches.clock import DAY, Away, Timing
from pbmserv.matches.log import Entry, EntryKind, rules_of
from pbmserv.matches.replay import GameState
from pbmserv.matches.state import OfferKind, State
from pbmserv.matches.turn_time import bank, deadline, left, limit, spent

_KINDS: Final[dict[EntryKind, OfferKind]] = {"proposed": "draw", "asked": "undo"}


@dataclass(frozen=True, slots=True)
class PendingOffer:
    """A draw offer or a takeback request that is waiting for an answer; players are userids."""

    kind: OfferKind
    by: str
    # Who has still to answer, and who has accepted.
    waits_for: tuple[str, ...]
    agreed: tuple[str, ...]
    # The first move to be taken back, and how many moves after it.
    move: str = ""
    also: int = 0


@dataclass(frozen=True, slots=True)
class TurnEvent:
    """Something that happened in the turn and was not a move."""

    kind: EntryKind
    # Who did it, or who was affected.
    userid: str = ""
    # For an answer to an offer: who made the offer, and its kind.
    of: str = ""
    offer: OfferKind = "draw"
    # The extra time given, in hours.
    hours: int = 0


def pending_offer(board: GameState) -> PendingOffer | None:
    """The offer on a board that is waiting for an answer."""
    offer, userids = board.state.offer, board.match.userids
    if offer is None:
        return None
    waits_for = tuple(userids[seat] for seat in offer.waits_for)
    others = (seat for seat in board.state.seats_in if seat != offer.by)
    agreed = tuple(userids[seat] for seat in others if seat not in offer.waits_for)
    if offer.kind == "draw":
        return PendingOffer("draw", userids[offer.by], waits_for, agreed)
    back = [turn.move or "" for turn in board.state.turns if turn.ply is not None and turn.ply > offer.ply]
    return PendingOffer("undo", userids[offer.by], waits_for, agreed, back[0], len(back) - 1)


def turn_events(board: GameState, after: int = 0) -> tuple[TurnEvent, ...]:
    """What happened in the present turn of a running board after an entry, in order, without the pending offer."""
    return tuple(_events(board, after)) if board.state.status == "active" else ()


def departures(state: State) -> dict[Seat, EntryKind]:
    """How each player who left did so, by seat."""
    return {turn.seat: turn.kind for turn in state.turns if turn.move is None}


def _events(board: GameState, after: int) -> Iterator[TurnEvent]:
    userids, state = board.match.userids, board.state
    for entry in state.since:
        if entry.seq <= after:
            continue
        userid = "" if entry.seat is None else userids[entry.seat]
        if entry.kind == "rejected" or (entry.kind == "accepted" and entry.seq == state.turn):
            asked = _answered(board, entry)
            of = "" if asked.seat is None else userids[asked.seat]
            yield TurnEvent(entry.kind, userid, of, _KINDS[asked.kind])
        elif entry.kind == "extended":
            yield TurnEvent("extended", userid, hours=int(entry.text))
        elif entry.kind in ("resumed", "rewound"):
            # Stopped clocks are mentioned beside the time left.
            yield TurnEvent(entry.kind)


def _answered(board: GameState, answer: Entry) -> Entry:
    """The entry with the offer that another entry answers."""
    earlier = reversed(board.match.entries[: answer.seq - 1])
    return next(entry for entry in earlier if entry.kind in _KINDS)


def ends_by_pass(board: GameState) -> bool:
    """Whether the last turn was a pass, and another one would end the game."""
    game, state = rules_of(board.match), board.state
    last = state.turns[-1] if state.turns else None
    if state.status != "active" or last is None or Event("passed", last.seat) not in last.events:
        return False
    again = next(iter(game.moves(state.position, (last.move,))), None) if last.move in game.info.words else None
    return again is not None and game.outcome(game.play(state.position, again)[0]) is not None


@dataclass(frozen=True, slots=True)
class RematchOffer:
    """How a game that is over can be played once more; players are userids."""

    # Who would move first.
    opener: str
    # Who declined it, so that the others go on in the same order; empty if nobody of three and more did.
    without: tuple[str, ...] = ()


def rematch_offer(board: GameState, viewer: str | None) -> RematchOffer | None:
    """What the viewer would start by asking for a rematch; None where they cannot."""
    if board.state.status == "active" or viewer not in board.match.userids:
        return None
    again = board.again(viewer)
    # A former player's name is two words.
    is_possible = again and not any(" " in userid for userid in again)
    return RematchOffer(again[0], board.left_out(viewer)) if is_possible else None


SHOWN_AHEAD: Final = 14 * DAY
"""How long before its start a vacation is mentioned with each board."""

_HOUR: Final = timedelta(hours=1)
_MINUTE: Final = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class TimeLeft:
    """The clock of the present turn, as of now."""

    # Who is to move.
    userid: str
    # None: no limit.
    left: timedelta | None
    # When that ends, if nothing else stops the clock.
    until: datetime | None
    # Whether the board was delivered, so that the clock has started.
    has_begun: bool
    # Why the clock is not running; "mail": mail to the player bounces.
    stopped: Literal["", "pause", "vacation", "mail", "outage"]
    # How long bouncing mail may stop the clock.
    stopped_until: datetime | None
    # What each player has left for the whole game, if that is limited, by userid.
    banks: tuple[tuple[str, timedelta], ...]
    # Vacations now or soon.
    away: tuple[Away, ...]

    @property
    def has_more(self) -> bool:
        """Whether there is more to know of it than when the turn ends."""
        return bool(self.banks or self.stopped or self.away)


def time_left(board: GameState, timing: Timing | None) -> TimeLeft | None:
    """The time left on a board; None if nobody is to move or there is no clock."""
    if board.match.clock is None or board.on_turn is None:
        return None
    timing = timing or Timing(board.state.last_at)
    most = limit(board)
    until = deadline(board, timing)
    return TimeLeft(
        userid=board.on_turn,
        left=left(board, timing),
        until=until,
        has_begun=timing.started is not None,
        stopped_until=None if timing.standstill is None else timing.standstill.until,
        stopped=_stopped(board, timing, runs=most is None or timing.started is None or until is not None),
        banks=tuple(_banks(board, timing)),
        away=tuple(each for each in timing.away if each.first <= (timing.as_of + SHOWN_AHEAD).date()),
    )


def _banks(board: GameState, timing: Timing) -> list[tuple[str, timedelta]]:
    found = []
    for seat in board.state.seats_in:
        whole = bank(board, seat)
        if whole is not None:
            gone = spent(board, timing) if seat == board.state.to_move else timedelta()
            found.append((board.match.userids[seat], max(whole - gone, timedelta())))
    return found


def _stopped(board: GameState, timing: Timing, runs: bool) -> Literal["", "pause", "vacation", "mail", "outage"]:
    if board.state.is_paused:
        return "pause"
    today = timing.as_of.date()
    if any(each.userid == board.on_turn and each.first <= today <= each.last for each in timing.away):
        return "vacation"
    if timing.standstill is not None:
        return "mail"
    return "" if runs else "outage"
