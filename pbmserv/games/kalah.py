"""Kalah, by William Julius Champion (1940): sowing with stores and free turns; here with a swap."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from pbmserv.games import boards, defaults
from pbmserv.games.board import Board
from pbmserv.games.defaults import by_points
from pbmserv.games.game import Event, Move, Outcome, Piece, Reason, Scene, Seat
from pbmserv.games.info import Credit, Info, Option, Side, chosen
from pbmserv.games.notation import PIT, read_move, starting, whole_pit

LENGTH: Final = 6
_ALL: Final = 2 * LENGTH
SWAP: Final = "swap"

# The numbers of the paragraphs in the rules text that Illegal may quote.
THE_BOARD, OWN_PIT, SWAPPING, ENDING = 1, 2, 6, 7

info = Info(
    name="kalah",
    title="Kalah",
    rules="kalah/1",
    sides=(Side("South", "n"), Side("North", "n")),
    group="sowing",
    credit=Credit("William Julius Champion", 1940),
    example="e1",
    options=(Option("seeds", "4", ("4", "3", "5", "6"), measure="seeds"),),
    words=(SWAP,),
    dialect=PIT,
)


@dataclass(frozen=True, slots=True)
class Position:
    """The pits between two plies, South's first, and the seeds in the stores.

    `last` is the pit that the last ply sowed from, and the one where its last seed fell, if it fell into one.
    `taken` are those that it captured from. `ended` says why the game is over.
    """

    board: Board
    pits: tuple[int, ...]
    stores: tuple[int, int] = (0, 0)
    turn: Seat = 0
    is_opening: bool = True
    """Whether North has done nothing yet."""
    last: tuple[int, ...] = ()
    taken: tuple[int, ...] = ()
    ended: Reason | None = None


def start(seats: int, options: Mapping[str, str]) -> Position:
    """Every pit filled alike. Raises BadOption for anything but a number of `seeds` from `info`."""
    seeds = int(chosen(info, options)["seeds"])
    return Position(boards.pits(LENGTH), (seeds,) * _ALL)


def to_move(position: Position) -> Seat | None:
    """The seat on turn; None when the game is over."""
    return position.turn if position.ended is None else None


def moves(position: Position, begun: Move = ()) -> Iterable[Move]:
    """The legal moves that begin so: one's own pits with seeds, and "swap" at the end."""
    return () if position.ended else starting(_moves(position), begun)


def read(position: Position, text: str) -> Move:
    """The legal move that `text` means; the letter of a pit is enough."""
    found, why = partial(moves, position), partial(_why, position)
    return read_move(whole_pit(text), position.board, found, why, info.words, THE_BOARD)


def play(position: Position, move: Move) -> tuple[Position, tuple[Event, ...]]:
    """The position after a legal move, and what happened: seeds sown, captured, and put into stores; or a swap."""
    seat, (step, *_) = position.turn, move
    if step == SWAP:
        return _swapped(position)
    source, pits, stores = int(step), list(position.pits), list(position.stores)
    sown, kept = _path(seat, source, pits[source])
    events = [Event("sown", seat, (source, *sown), count=pits[source])]
    is_free = _ends_in_store(seat, source, pits[source])
    pits[source] = 0
    for pit in sown:
        pits[pit] += 1
    gain, taken = kept, tuple[int, ...]()
    if not is_free and pits[sown[-1]] == 1 and sown[-1] // LENGTH == seat:
        other = _ALL - 1 - sown[-1]
        if pits[other]:
            gain += pits[other] + 1
            events.append(Event("captured", 1 - seat, (other,), str(pits[other])))
            pits[other] = pits[sown[-1]] = 0
            taken = (other,)
    if gain:
        events.append(Event("scored", seat, count=gain))
    stores[seat] += gain
    after = Position(
        position.board,
        tuple(pits),
        (stores[0], stores[1]),
        seat if is_free else 1 - seat,
        position.is_opening and seat == 0,
        (source,) if is_free else (source, sown[-1]),
        taken,
    )
    return _ended(after, events)


def outcome(position: Position) -> Outcome | None:
    """How it ended; None while somebody is to move. Scores are the seeds in the stores."""
    return by_points(position.stores, position.ended) if position.ended else None


def scores(position: Position) -> tuple[int, ...]:
    """The seeds in each side's store."""
    return position.stores


def scene(position: Position) -> Scene:
    """What to draw and say of the position."""
    return Scene(
        position.board,
        tuple(
            (Piece(pit // LENGTH, f"{seeds:2}", "seeds", seeds),) if seeds else ()
            for pit, seeds in enumerate(position.pits)
        ),
        marked=position.last[1:],
        vacated=position.last[:1] if position.last[:1] != position.last[1:] else (),
        captured=position.taken,
        scores=position.stores,
    )


def _path(seat: Seat, source: int, seeds: int) -> tuple[tuple[int, ...], int]:
    """The pits into which these seeds fall, in order, and how many fall into the seat's own store."""
    ring = _ring(seat)
    places = [ring[(ring.index(source) + count) % len(ring)] for count in range(1, seeds + 1)]
    return tuple(place for place in places if place >= 0), places.count(-1)


def _ends_in_store(seat: Seat, source: int, seeds: int) -> bool:
    ring = _ring(seat)
    return ring[(ring.index(source) + seeds) % len(ring)] < 0


def _ring(seat: Seat) -> tuple[int, ...]:
    """The way round for a seat: its own pits, its store, which is -1, and the other side's pits."""
    pits = range(_ALL)
    own, other = pits[:LENGTH], pits[LENGTH:]
    return (*own, -1, *other) if seat == 0 else (*own, *other, -1)


def _moves(position: Position) -> list[Move]:
    own = range(position.turn * LENGTH, (position.turn + 1) * LENGTH)
    found: list[Move] = [(pit,) for pit in own if position.pits[pit]]
    return [*found, (SWAP,)] if _may_swap(position) else found


def _may_swap(position: Position) -> bool:
    """Whether it is North's first turn."""
    return position.is_opening and position.turn == 1


def _swapped(position: Position) -> tuple[Position, tuple[Event, ...]]:
    """The board turned round, so that each side has what the other one had; South is to move."""
    seat, pits, stores = position.turn, position.pits, position.stores
    last = (position.last[-1] + LENGTH) % _ALL
    after = replace(
        position,
        pits=(*pits[LENGTH:], *pits[:LENGTH]),
        stores=stores[::-1],
        turn=1 - seat,
        is_opening=False,
        last=(last, last),
        taken=(),
    )
    others = [pit for pit in range(_ALL) if pit != last]
    return after, (Event("swapped", seat, (*others, last)),)


def _ended(position: Position, events: list[Event]) -> tuple[Position, tuple[Event, ...]]:
    """The position, ended if it is: by more than half of the seeds, or when a side has none in its row."""
    half = (sum(position.pits) + sum(position.stores)) // 2
    rows = [[pit for pit in range(_ALL) if pit // LENGTH == seat and position.pits[pit]] for seat in (0, 1)]
    if all(rows) and max(position.stores) <= half:
        return position, tuple(events)
    if max(position.stores) > half:
        return replace(position, ended="score"), tuple(events)
    stores = list(position.stores)
    for seat, row in enumerate(rows):
        if row:
            gain = sum(position.pits[pit] for pit in row)
            events.append(Event("scored", seat, tuple(row), count=gain))
            stores[seat] += gain
    ended: Reason = "draw" if stores[0] == stores[1] else "score"
    empty = (0,) * _ALL
    return replace(position, pits=empty, stores=(stores[0], stores[1]), ended=ended), tuple(events)


def _why(position: Position, steps: Move) -> int:
    """The rule that forbids a move."""
    if position.ended:
        return ENDING
    return SWAPPING if SWAP in steps else OWN_PIT


write = defaults.hyphenated
