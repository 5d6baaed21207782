"""Cephalopod, by Mark Steere (25 February 2006, marksteeregames.com), for two to six players.

The two-player game and the elimination rounds of the multi-player game are those of the inventor's rule sheet, on
its boards, 5x5 and 3x5. Other sizes are variants. Where the sheet is silent `templates/en/rules/cephalopod.txt`
decides.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache, partial
from itertools import combinations, product

from pbmserv.games import boards
from pbmserv.games.board import Board
from pbmserv.games.game import Event, Move, Outcome, Piece, Reason, Scene, Seat
from pbmserv.games.info import Credit, Info, Option, Side, chosen
from pbmserv.games.notation import joined, read_move

FEWEST_TAKEN = 2
MOST_PIPS = 6

# The numbers of the paragraphs in the rules text that Illegal may quote.
THE_BOARD, PLACING, NEIGHBOURS, CAPTURING, ENDING = 1, 2, 3, 4, 7

_AS_PUBLISHED = ("5x5", "3x5")
_SIZES = tuple(f"{columns}x{rows}" for columns, rows in product("3579", repeat=2))

info = Info(
    name="cephalopod",
    title="Cephalopod",
    rules="cephalopod/1",
    sides=(
        Side("Paren", "(n)"),
        Side("Angle", "<n>"),
        Side("Square", "[n]"),
        Side("Brace", "{n}"),
        Side("Slash", "/n/"),
        Side("Bar", "|n|"),
    ),
    group="territory",
    credit=Credit("Mark Steere", 2006, "marksteeregames.com"),
    example="c3",
    options=(
        Option(
            "size",
            "5x5",
            _AS_PUBLISHED,
            tuple(size for size in _SIZES if size not in _AS_PUBLISHED),
            measure="squares",
        ),
    ),
    most_seats=6,
)

_DICE = tuple(
    tuple(Piece(seat, side.mark.replace("n", str(pips)), "die", pips) for pips in range(MOST_PIPS + 1))
    for seat, side in enumerate(info.sides)
)


@dataclass(frozen=True, slots=True)
class Position:
    """The board between two plies. A move is the square of the new die, then those of the dice that it takes.

    `pips` and `owners` have what each square's die shows and whose it is: 0 and None where the square is empty.
    `turn` is the seat on turn unless the game is over. `playing` are the seats still in the game, in order of
    play, `gone` those that are not, in order of going, each group having gone together. `last` is the last ply.
    """

    board: Board
    pips: tuple[int, ...]
    owners: tuple[Seat | None, ...]
    turn: Seat
    playing: tuple[Seat, ...]
    gone: tuple[tuple[Seat, ...], ...] = ()
    last: tuple[int, ...] = ()


def start(seats: int, options: Mapping[str, str]) -> Position:
    """The empty board. Raises BadOption for anything but a `size` from `info`."""
    columns, rows = map(int, chosen(info, options)["size"].split("x"))
    empty = columns * rows
    board = boards.squares(columns, rows, width=3, empty="...", is_spread=True)
    return Position(board, (0,) * empty, (None,) * empty, 0, tuple(range(seats)))


def to_move(position: Position) -> Seat | None:
    """The seat on turn; None when the game is over."""
    return None if _is_over(position) else position.turn


def moves(position: Position, begun: Move = ()) -> Iterable[Move]:
    """The legal moves that begin so, by the square played and then by how many dice they take.

    The dice to take may be touched in any order; those of `begun` come first.
    """
    if _is_over(position):
        return
    pips, touched = position.pips, begun[1:]
    for square in begun[:1] or range(len(pips)):
        if isinstance(square, int) and not pips[square]:
            beside = position.board.neighbours[square]
            found = _moves_on(square, beside, tuple([pips[neighbour] for neighbour in beside]))
            if not touched:
                yield from found
            elif len(set(touched)) == len(touched):
                for _, *taken in found:
                    if set(touched) <= set(taken):
                        yield (square, *touched, *(each for each in taken if each not in touched))


def read(position: Position, text: str) -> Move:
    """The legal move that `text` means: the square played, then the squares captured, in any order."""
    move = read_move(text, position.board, partial(moves, position), partial(_why, position))
    return (*move[:1], *sorted(map(int, move[1:])))


def write(position: Position, move: Move) -> str:
    """The notation of a legal move: `C3`, or `C3xB3,D3` for one that captures, in the board's order."""
    square, taken = move[:1], tuple(sorted(map(int, move[1:])))
    return joined(position.board, square) + ("x" + joined(position.board, taken, ",") if taken else "")


def play(position: Position, move: Move) -> tuple[Position, tuple[Event, ...]]:
    """The position after a legal move, and what happened: a die placed, dice captured, seats eliminated."""
    seat = position.turn
    square, *taken = (int(step) for step in move)
    taken.sort()
    pips, owners = list(position.pips), list(position.owners)
    shown = sum([pips[each] for each in taken]) or 1
    events = [Event("placed", seat, (square,), str(shown))]
    for each in taken:
        owner = owners[each]
        assert owner is not None
        events.append(Event("captured", owner, (each,), str(pips[each])))
        pips[each], owners[each] = 0, None
    pips[square], owners[square] = shown, seat
    turn = _first_from(position.playing, seat + 1)
    last = (square, *taken)
    after = Position(position.board, tuple(pips), tuple(owners), turn, position.playing, position.gone, last)
    while 0 not in after.pips and (losers := _to_eliminate(after)):
        after = _put_out(_cleared(after, losers), losers)
        events.extend([Event("eliminated", loser) for loser in losers])
    return after, tuple(events)


def leave(position: Position, seat: Seat) -> tuple[Position, tuple[Event, ...]]:
    """The position after the player of a seat that is still playing has gone, and that.

    The dice go too, except in a game of two, which is over.
    """
    stays = position if _seat_count(position) == 2 else _cleared(position, (seat,))
    return _put_out(stays, (seat,)), (Event("left", seat),)


def outcome(position: Position) -> Outcome | None:
    """How it ended; None while somebody is to move. Scores are dice on the board.

    Those still playing rank by their dice, then come those who have gone, the last of them first.
    """
    if not _is_over(position):
        return None
    points = scores(position)
    standing = {seat: (order, 0) for order, group in enumerate(position.gone) for seat in group}
    standing.update((seat, (len(position.gone), points[seat])) for seat in position.playing)
    ranks = tuple(
        1 + sum(other > standing[seat] for other in standing.values()) for seat in range(_seat_count(position))
    )
    reason: Reason = "alone" if len(position.playing) == 1 else "score" if ranks.count(1) == 1 else "draw"
    return Outcome(ranks, reason, points)


def scores(position: Position) -> tuple[int, ...]:
    """The dice of each seat on the board."""
    return tuple(position.owners.count(seat) for seat in range(_seat_count(position)))


def scene(position: Position) -> Scene:
    """What to draw and say of the position."""
    return Scene(
        position.board,
        tuple(
            () if owner is None else (_DICE[owner][pips],)
            for owner, pips in zip(position.owners, position.pips, strict=True)
        ),
        marked=position.last[:1],
        captured=position.last[1:],
        scores=scores(position),
    )


@cache  # of at most 7**2 + 7**3 + 7**4 arguments
def _capture_sets(pips: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """The rule of capture: every choice of two or more neighbours that show six or less together.

    `pips` has what the neighbours of one square show, 0 for an empty one; a choice is of places in `pips`.
    """
    occupied = [place for place, shown in enumerate(pips) if shown]
    return tuple(
        chosen
        for count in range(FEWEST_TAKEN, len(occupied) + 1)
        for chosen in combinations(occupied, count)
        if sum(pips[place] for place in chosen) <= MOST_PIPS
    )


@lru_cache(maxsize=2**15)
def _moves_on(square: int, beside: tuple[int, ...], pips: tuple[int, ...]) -> tuple[Move, ...]:
    """The moves by a die on an empty square, `beside` which the neighbours show these `pips`."""
    return tuple((square, *(beside[place] for place in places)) for places in _capture_sets(pips) or ((),))


def _why(position: Position, steps: Move) -> int:
    """The rule that forbids a move."""
    if _is_over(position):
        return ENDING
    square, *taken = (int(step) for step in steps)
    if position.pips[square]:
        return PLACING
    beside = [neighbour for neighbour in position.board.neighbours[square] if position.pips[neighbour]]
    return CAPTURING if all(each in beside for each in taken) else NEIGHBOURS


def _is_over(position: Position) -> bool:
    """Whether nobody is to move. A board that stays full after `play` is one that needs no further round."""
    return len(position.playing) == 1 or 0 not in position.pips


def _to_eliminate(position: Position) -> tuple[Seat, ...]:
    """Who goes when the board is full: all with fewest dice, unless one alone has most or all have the same."""
    dice = {seat: position.owners.count(seat) for seat in position.playing}
    most, fewest = max(dice.values()), min(dice.values())
    if most == fewest or list(dice.values()).count(most) == 1:
        return ()
    return tuple(seat for seat, count in dice.items() if count == fewest)


def _cleared(position: Position, seats: tuple[Seat, ...]) -> Position:
    """The position without the dice of `seats`."""
    stays = [owner not in seats for owner in position.owners]
    return replace(
        position,
        pips=tuple(pips if stay else 0 for pips, stay in zip(position.pips, stays, strict=True)),
        owners=tuple(owner if stay else None for owner, stay in zip(position.owners, stays, strict=True)),
    )


def _put_out(position: Position, seats: tuple[Seat, ...]) -> Position:
    """The position with `seats` gone together. If it was the turn of one of them, it passes to the next."""
    playing = tuple(seat for seat in position.playing if seat not in seats)
    turn = _first_from(playing, position.turn)
    return replace(position, turn=turn, playing=playing, gone=(*position.gone, seats))


def _first_from(playing: tuple[Seat, ...], seat: Seat) -> Seat:
    """The first seat still playing from `seat` on, round the table."""
    return next((later for later in playing if later >= seat), playing[0])


def _seat_count(position: Position) -> int:
    return len(position.playing) + sum(map(len, position.gone))
