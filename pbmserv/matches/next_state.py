"""One more entry of a log: the state after it, or the reason why it cannot follow."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Final, cast

from pbmserv.games.game import Event, Game, ManySeats, MoveError, Outcome, Seat, may_win, scores_of
from pbmserv.matches.clock import Stop
from pbmserv.matches.log import OF_NO_SEAT, BrokenLog, Entry, EntryKind, Match
from pbmserv.matches.state import Ending, Offer, OfferKind, State, Turn

AFTER_THE_END: Final[frozenset[EntryKind]] = frozenset({"rewound", "awarded", "annulled"})
"""The operator may change how a match has ended."""

_OFFERS: Final[dict[EntryKind, OfferKind]] = {"proposed": "draw", "asked": "undo"}
_HOUR: Final = 3600


def next_state(game: Game, match: Match, before: State, entry: Entry) -> State:
    """The state after one more entry. Raises BrokenLog when it does not follow."""
    _require_order(match, before, entry)
    if entry.kind == "played":
        # Nearly all are plies: their states are made whole at once, not one from the other.
        return _played(game, match, before, entry)
    after = _after_no_ply(game, match, before, entry)
    return replace(after, entries=entry.seq, last_at=entry.at, used=_with(after.used, entry.seat, entry.used))


def _after_no_ply(game: Game, match: Match, before: State, entry: Entry) -> State:
    match entry.kind:
        case "resigned" | "forfeited" | "removed":
            return _left(game, before, entry, entry.kind)
        case "declined":
            turn = Turn(_seat(entry), None, None, (), entry.kind, seq=entry.seq)
            return _over(before, "declined", turns=(*before.turns, turn), gone=(*before.gone, _seat(entry)))
        case "proposed" | "asked":
            return _offered(match, before, entry)
        case "accepted":
            return _accepted(game, match, before, entry)
        case "rejected":
            _require_part(match, before, entry)
            return _noted(before, entry, offer=None)
        case "rewound":
            return _ruled_back(game, match, before, entry)
        case "extended":
            return _extended(match, before, entry)
        case "paused" | "resumed":
            return _paused(match, before, entry)
        case "awarded":
            return _over(before, "finished", outcome=_won(game, before, _seat(entry)), ending="awarded")
        case "annulled":
            return _over(before, "annulled")
        case _:
            raise _broken(match, entry, "is of no known kind")


def _require_order(match: Match, before: State, entry: Entry) -> None:
    is_one_more = entry.kind == before.status == "declined"
    may_follow = before.status == "active" or entry.kind in AFTER_THE_END or is_one_more
    if entry.seq != before.entries + 1 or not may_follow:
        raise _broken(match, entry, "does not follow")
    if entry.kind in OF_NO_SEAT:
        if entry.seat is not None:
            raise _broken(match, entry, "is of a seat, though it concerns all")
    elif (
        entry.seat is None
        or entry.seat not in range(len(match.userids))
        or (not before.is_in(entry.seat) and entry.kind != "awarded")
    ):
        raise _broken(match, entry, "is of a seat that is not in the game")


def _played(game: Game, match: Match, before: State, entry: Entry) -> State:
    if entry.seat != before.to_move:
        raise _broken(match, entry, "is out of turn")
    try:
        move = game.read(before.position, entry.text)
    except MoveError as error:
        raise _broken(match, entry, f"is no move here: {entry.text}") from error
    position, events = game.play(before.position, move)
    turn = Turn(_seat(entry), before.plies + 1, entry.text, events, used=entry.used, seq=entry.seq)
    return _turned(game, before, position, turn, entry, "played", _with(before.used, entry.seat, entry.used))


def _left(game: Game, before: State, entry: Entry, how: Ending) -> State:
    seat = _seat(entry)
    if len(before.used) == 2:
        # The other one has won, if the game does not say that they could not; and the board stays as it is.
        turn = Turn(seat, None, None, (Event("left", seat),), entry.kind, entry.used, entry.seq)
        won = _won(game, before, 1 - seat)
        if not may_win(game, before.position, 1 - seat):
            won = replace(won, ranks=(1, 1), reason="bare")
        after = _turned(game, before, before.position, turn, entry, how, before.used, won)
        return replace(after, gone=(*before.gone, seat))
    position, events = cast(ManySeats, game).leave(before.position, seat)
    turn = Turn(seat, None, None, events, entry.kind, entry.used, entry.seq)
    after = _turned(game, before, position, turn, entry, how, before.used)
    if after.status == "active" and seat != before.to_move:
        # It is still the same player's turn, with all that was said in it.
        after = replace(after, turn=before.turn, since=before.since, extra=before.extra)
    return replace(after, gone=(*before.gone, seat))


def _turned(
    game: Game,
    before: State,
    position: Any,
    turn: Turn,
    entry: Entry,
    how: Ending,
    used: tuple[int, ...],
    won: Outcome | None = None,
) -> State:
    """The state after a ply or a leaving, with which somebody may have `won`; offers are void."""
    outcome = won or game.outcome(position)
    return State(
        position=position,
        status="active" if outcome is None else "finished",
        to_move=game.to_move(position) if outcome is None else None,
        turns=(*before.turns, turn),
        outcome=outcome,
        gone=before.gone,
        eliminated=(*before.eliminated, *_eliminated(turn.events)),
        plies=before.plies if turn.ply is None else turn.ply,
        entries=entry.seq,
        last_at=entry.at,
        used=used,
        added=before.added,
        ending=None if outcome is None else how,
        turn=entry.seq,
        pauses=before.pauses,
    )


def _over(before: State, status: Any, **changes: Any) -> State:
    plain: dict[str, Any] = {"outcome": None, "ending": None}
    return replace(before, status=status, to_move=None, offer=None, **(plain | changes))


def _noted(before: State, entry: Entry, **changes: Any) -> State:
    """The same turn goes on, with one thing more to tell of it."""
    return replace(before, since=(*before.since, entry), **changes)


def _offered(match: Match, before: State, entry: Entry) -> State:
    seat, kind = _seat(entry), _OFFERS[entry.kind]
    others = tuple(other for other in before.seats_in if other != seat)
    if (kind, seat) in before.offered or before.offer is not None:
        raise _broken(match, entry, "offers again")
    ply = _number(match, entry) if kind == "undo" else 0
    if kind == "undo" and before.takes_back(seat) != ply:
        raise _broken(match, entry, "takes back what it may not")
    offer = Offer(kind, seat, others, ply)
    return _noted(before, entry, offer=offer, offered=before.offered | {(kind, seat)})


def _accepted(game: Game, match: Match, before: State, entry: Entry) -> State:
    offer = _require_consent(match, before, entry)
    waits_for = tuple(seat for seat in offer.waits_for if seat != entry.seat)
    if waits_for:
        return _noted(before, entry, offer=replace(offer, waits_for=waits_for))
    if offer.kind == "undo":
        # A player who left before that ply stays out.
        asked = next(place for place, turn in enumerate(before.turns) if turn.ply == offer.ply + 1)
        return _rewound(game, match, before, entry, before.turns[:asked])
    ranks = tuple(1 if before.is_in(seat) else 1 + len(before.seats_in) for seat in range(len(match.userids)))
    drawn = Outcome(ranks, "draw", scores_of(game, before.position))
    return _over(before, "finished", outcome=drawn, ending="agreed")


def _require_part(match: Match, before: State, entry: Entry) -> None:
    """Raises unless the seat may reject the offer (it has not agreed yet) or withdraw it (it made it)."""
    offer = before.offer
    if offer is None or entry.seat not in (offer.by, *offer.waits_for):
        raise _broken(match, entry, "answers no offer")


def _require_consent(match: Match, before: State, entry: Entry) -> Offer:
    if before.offer is None or entry.seat not in before.offer.waits_for:
        raise _broken(match, entry, "answers no offer")
    return before.offer


def _ruled_back(game: Game, match: Match, before: State, entry: Entry) -> State:
    """The operator's take-back: what has been played since cost nobody any time."""
    kept = _kept_turns(match, before, entry, _number(match, entry))
    after = _rewound(game, match, before, entry, kept)
    used = after.used
    for turn in before.turns[len(kept) :]:
        used = _with(used, turn.seat, -turn.used)
    return replace(after, used=used)


def _kept_turns(match: Match, before: State, entry: Entry, ply: int) -> tuple[Turn, ...]:
    """The turns up to and including a ply; players who left later are back in."""
    if not 0 <= ply <= before.plies:
        raise _broken(match, entry, "takes back to no ply there was")
    last = next((place for place, turn in enumerate(before.turns) if turn.ply == ply), -1)
    return before.turns[: last + 1]


def _rewound(game: Game, match: Match, before: State, entry: Entry, kept: tuple[Turn, ...]) -> State:
    """The state after these turns, whatever came after them."""
    position = game.start(len(match.userids), dict(match.options))
    for turn in kept:
        if turn.move is None:
            position, _ = cast(ManySeats, game).leave(position, turn.seat)
        else:
            position, _ = game.play(position, game.read(position, turn.move))
    return replace(
        before,
        position=position,
        status="active",
        to_move=game.to_move(position),
        turns=kept,
        outcome=None,
        ending=None,
        gone=tuple(turn.seat for turn in kept if turn.move is None),
        eliminated=tuple(seat for turn in kept for seat in _eliminated(turn.events)),
        plies=sum(turn.move is not None for turn in kept),
        turn=entry.seq,
        since=(entry,),
        offer=None,
        offered=frozenset(),
        extra=0,
    )


def _extended(match: Match, before: State, entry: Entry) -> State:
    seconds = _number(match, entry) * _HOUR
    extra = before.extra + (seconds if entry.seat == before.to_move else 0)
    return _noted(before, entry, added=_with(before.added, entry.seat, seconds), extra=extra)


def _paused(match: Match, before: State, entry: Entry) -> State:
    if before.is_paused == (entry.kind == "paused"):
        raise _broken(match, entry, "changes nothing")
    if entry.kind == "paused":
        return _noted(before, entry, pauses=(*before.pauses, Stop(entry.at, None)))
    *earlier, last = before.pauses
    return _noted(before, entry, pauses=(*earlier, Stop(last.since, entry.at)))


def _won(game: Game, before: State, winner: Seat) -> Outcome:
    ranks = tuple(1 if seat == winner else 2 for seat in range(len(before.used)))
    return Outcome(ranks, "alone", scores_of(game, before.position))


def _eliminated(events: Iterable[Event]) -> tuple[Seat, ...]:
    return tuple(event.seat for event in events if event.kind == "eliminated")


def _with(numbers: tuple[int, ...], seat: Seat | None, more: int) -> tuple[int, ...]:
    return tuple(number + more if each == seat else number for each, number in enumerate(numbers))


def _seat(entry: Entry) -> Seat:
    assert entry.seat is not None
    return entry.seat


def _number(match: Match, entry: Entry) -> int:
    if not (entry.text.isascii() and entry.text.isdigit()):
        raise _broken(match, entry, f"has no number: {entry.text}")
    return int(entry.text)


def _broken(match: Match, entry: Entry, why: str) -> BrokenLog:
    return BrokenLog(f"board {match.number}: entry {entry.seq} {why}")
