"""Positions that come again: once for the games in which giving check for ever loses."""

from collections.abc import Callable

from pbmserv.games.game import Outcome, Seat, two_ranks


def times_before(seen: tuple[str, ...], now: str) -> int:
    """How often the position `now` has been before with the same side to move; `seen` are those before it.

    >>> times_before(("a", "b", "a", "c"), "a"), times_before(("a", "b", "c"), "a")
    (2, 0)
    """
    return seen[-2::-2].count(now)


def checked_for_ever(
    seen: tuple[str, ...], now: str, turn: Seat, is_attacked: Callable[[str, Seat], bool]
) -> Seat | None:
    """The seat whose every ply since the position first came was a check, if not every one of the other's was.

    `turn` is to move now; `is_attacked` tells whether a seat is in check in one of these positions.
    """
    first = next(at for at in range(len(seen) % 2, len(seen), 2) if seen[at] == now)
    after = (*seen[first + 1 :], now)
    guilty = [
        seat
        for seat, plies in ((turn, after[::2]), (1 - turn, after[1::2]))
        if all(is_attacked(each, 1 - seat) for each in plies)
    ]
    return guilty[0] if len(guilty) == 1 else None


def ended_by_repetition(guilty: Seat | None) -> Outcome:
    """A draw, or lost by the seat that gave check for ever."""
    return Outcome(two_ranks(None), "repeated") if guilty is None else Outcome(two_ranks(1 - guilty), "perpetual")
