"""A second book of everybody's time, kept from what comes through the letter box and nothing else.

It shares no code with the server's clocks: it knows when a board first reached the player on turn, when the answer
was given to the server, and in which hours time stood still; and computes from that what every ply took.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from pbmserv.matches.log import Match
from pbmserv.matches.state import State

Turn = tuple[int, int]
"""A board, and the number of the entry that began the turn."""

Span = tuple[datetime, datetime]


@dataclass
class Ledger:
    """`reached` is when a turn's player first had the board; `still` hours are off every clock, `away` days off
    that player's."""

    reached: dict[Turn, datetime] = field(default_factory=dict)
    still: list[Span] = field(default_factory=list)
    away: dict[str, list[Span]] = field(default_factory=dict)

    def note(self, board: int, turn: int, now: datetime) -> None:
        """A mail with a board has reached the player on turn."""
        self.reached.setdefault((board, turn), now)

    def lost(self, turns: Sequence[Turn]) -> None:
        """The player's mail comes back: what reached them counts as not arrived."""
        for turn in turns:
            self.reached.pop(turn, None)

    def holiday(self, userid: str, first: datetime, days: int) -> None:
        """A player is away on so many whole days."""
        midnight = datetime(first.year, first.month, first.day, tzinfo=UTC)
        self.away.setdefault(userid, []).append((midnight, midnight + timedelta(days=days)))

    def took(self, board: int, turn: int, userid: str, until: datetime, paused: Sequence[Span] = ()) -> timedelta:
        """How long a player had a turn before them, as far as it counts."""
        since = self.reached.get((board, turn))
        if since is None or until <= since:
            return timedelta()
        off = sorted((*self.still, *self.away.get(userid, ()), *paused))
        at, counted = since, timedelta()
        for begin, end in off:
            if begin > at:
                counted += max(min(begin, until) - at, timedelta())
            at = max(at, min(end, until))
        return counted + max(until - at, timedelta())


def differences(ledger: Ledger, match: Match, states: Sequence[State]) -> list[str]:
    """What a board's log says of time and the ledger does not; `states` are those before each entry."""
    wrong: list[str] = []
    clock = match.clock
    spent = [timedelta()] * len(match.userids)
    for before, entry in zip(states, match.entries, strict=False):
        if entry.seat is None or entry.kind not in ("played", "forfeited"):
            continue
        userid = match.userids[entry.seat]
        paused = [(stop.since, stop.until or entry.at) for stop in before.pauses]
        took = ledger.took(match.number, before.turn, userid, entry.at, paused)
        where = f"board {match.number}, entry {entry.seq}: {userid}"
        if clock is not None and abs(took - timedelta(seconds=entry.used)) > timedelta(seconds=2):
            wrong.append(f"{where} was charged {entry.used} s for {took}")
        if entry.kind == "forfeited":
            wrong += [f"{where} {why}" for why in _unfair(match, before, spent[entry.seat], took, entry.seat)]
        spent[entry.seat] += took
    return wrong


def _unfair(match: Match, before: State, spent: timedelta, took: timedelta, seat: int) -> list[str]:
    clock = match.clock
    if clock is None:
        return ["has forfeited on a board without clocks"]
    limits = []
    if clock.forfeit is not None:
        limits.append(clock.forfeit + timedelta(seconds=before.extra))
    if clock.total is not None:
        own = sum(turn.seat == seat and turn.ply is not None for turn in before.turns)
        limits.append(clock.total + own * clock.increment + timedelta(seconds=before.added[seat]) - spent)
    limit = max(min(limits), timedelta())
    if took < limit - timedelta(seconds=2):
        return [f"has forfeited after {took}, and had {limit}"]
    if took > limit + timedelta(hours=3):
        return [f"was left until {took}, and had {limit}"]
    return []
