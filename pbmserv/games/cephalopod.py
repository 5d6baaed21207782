"""Cephalopod, by Mark Steere (25 February 2006, marksteeregames.com), for two to six players.

The two-player game and the elimination rounds of the multi-player game are those of the inventor's rule sheet.
Where the sheet is silent, and on sizes other than 5x5 and 3x5, `templates/en/rules/cephalopod.txt` decides.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations, product

from pbmserv.games.board import Board, board, split_squares
from pbmserv.games.game import (
    Ambiguous,
    BadOption,
    Captured,
    Cell,
    Credit,
    Eliminated,
    Event,
    Illegal,
    Info,
    Left,
    Option,
    Outcome,
    Placed,
    Reason,
    Scene,
    Seat,
    Side,
    Unreadable,
)

FEWEST_TAKEN = 2
MOST_PIPS = 6
EMPTY = "..."

# The numbers of the paragraphs in the rules text that Illegal may quote.
THE_BOARD, PLACING, NEIGHBOURS, CAPTURING, ENDING = 1, 2, 3, 4, 7

info = Info(
    name="cephalopod",
    title="Cephalopod",
    rules="cephalopod/1",
    least_seats=2,
    most_seats=6,
    sides=(
        Side("Paren", "(n)"),
        Side("Angle", "<n>"),
        Side("Square", "[n]"),
        Side("Brace", "{n}"),
        Side("Slash", "/n/"),
        Side("Bar", "|n|"),
    ),
    options=(Option("size", "5x5", tuple(f"{columns}x{rows}" for columns, rows in product("3579", repeat=2))),),
    credit=Credit("Mark Steere", 2006, "marksteeregames.com"),
    example="c3",
)

_PIECES = tuple(tuple(side.mark.replace("n", str(pips)) for pips in range(MOST_PIPS + 1)) for side in info.sides)


@dataclass(frozen=True, slots=True)
class Move:
    """A die placed on `square`, taking those on the squares `captured`, in the board's order; often none."""

    square: int
    captured: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Position:
    """The board between two plies.

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
    last: Move | None = None


def start(seats: int, options: Mapping[str, str]) -> Position:
    """The empty board for so many seats. Raises BadOption for anything but a `size` from `info`."""
    (offered,) = info.options
    for name, value in options.items():
        if name != offered.name:
            raise BadOption(name, value)
        if value.lower() not in offered.choices:
            raise BadOption(name, value, offered.choices)
    columns, rows = map(int, options.get(offered.name, offered.default).lower().split("x"))
    empty = columns * rows
    return Position(board(columns, rows), (0,) * empty, (None,) * empty, 0, tuple(range(seats)))


def to_move(position: Position) -> Seat | None:
    """The seat on turn; None when the game is over."""
    return None if _is_over(position) else position.turn


def moves(position: Position) -> Iterable[Move]:
    """Every legal move, by the square played and then by how many dice it takes; none when the game is over."""
    if _is_over(position):
        return
    for square, pips in enumerate(position.pips):
        if not pips:
            yield from _moves_on(position, square)


def read(position: Position, text: str) -> Move:
    """The legal move that `text` means: the square played, then the squares captured, in any order.

    The captured squares may be left out where there is no choice. Blind to case; see `split_squares` for what may
    stand between. Raises Unreadable, Illegal, Ambiguous.
    """
    named = split_squares(text.strip(" "))
    if not named:
        raise Unreadable
    if _is_over(position):
        raise Illegal(ENDING)
    square, *taken = [position.board.find(name) for name in named]
    if square is None:
        raise Illegal(THE_BOARD)
    if position.pips[square]:
        raise Illegal(PLACING)
    legal = _moves_on(position, square)
    if not taken and len(legal) == 1:
        return legal[0]
    for move in legal:
        if len(taken) == len(move.captured) and set(taken) == set(move.captured):
            return move
    texts = tuple(write(position, move) for move in legal)
    if not taken:
        raise Ambiguous(texts)
    beside = [neighbour for neighbour in position.board.neighbours[square] if position.pips[neighbour]]
    raise Illegal(CAPTURING if all(each in beside for each in taken) else NEIGHBOURS, texts)


def write(position: Position, move: Move) -> str:
    """The notation of a legal move: `C3`, or `C3xB3,D3` for one that captures."""
    names = position.board.names
    if not move.captured:
        return names[move.square]
    return f"{names[move.square]}x{','.join([names[square] for square in move.captured])}"


def play(position: Position, move: Move) -> tuple[Position, tuple[Event, ...]]:
    """The position after a legal move, and what happened: a die placed, dice captured, seats eliminated."""
    seat, names = position.turn, position.board.names
    pips, owners = list(position.pips), list(position.owners)
    shown = sum([pips[square] for square in move.captured]) or 1
    by = names[move.square]
    events: list[Event] = [Placed(seat, by, _PIECES[seat][shown])]
    for square in move.captured:
        owner = owners[square]
        assert owner is not None
        events.append(Captured(owner, names[square], _PIECES[owner][pips[square]], by))
        pips[square], owners[square] = 0, None
    pips[move.square], owners[move.square] = shown, seat
    turn = _first_from(position.playing, seat + 1)
    after = Position(position.board, tuple(pips), tuple(owners), turn, position.playing, position.gone, move)
    while 0 not in after.pips and (losers := _to_eliminate(after)):
        after = _put_out(_cleared(after, losers), losers)
        events.extend([Eliminated(loser) for loser in losers])
    return after, tuple(events)


def leave(position: Position, seat: Seat) -> tuple[Position, tuple[Event, ...]]:
    """The position after the player of a seat that is still playing has gone, and Left.

    The dice go too, except in a game of two, which is over.
    """
    stays = position if _seat_count(position) == 2 else _cleared(position, (seat,))
    return _put_out(stays, (seat,)), (Left(seat),)


def outcome(position: Position) -> Outcome | None:
    """How it ended; None while somebody is to move. Scores are dice on the board.

    Those still playing rank by their dice, then come those who have gone, the last of them first.
    """
    if not _is_over(position):
        return None
    scores = _scores(position)
    standing = {seat: (order, 0) for order, group in enumerate(position.gone) for seat in group}
    standing.update((seat, (len(position.gone), scores[seat])) for seat in position.playing)
    ranks = tuple(
        1 + sum(other > standing[seat] for other in standing.values()) for seat in range(_seat_count(position))
    )
    reason: Reason = "alone" if len(position.playing) == 1 else "score" if ranks.count(1) == 1 else "draw"
    return Outcome(ranks, scores, reason)


def scene(position: Position) -> Scene:
    """What to draw and say of the position."""
    squares, last = position.board, position.last
    choices: dict[int, list[str]] = {}
    for move in moves(position):
        choices.setdefault(move.square, []).append(write(position, move))

    def cell(square: int) -> Cell:
        owner, pips = position.owners[square], position.pips[square]
        text = EMPTY if owner is None else _PIECES[owner][pips]
        return Cell(squares.names[square], text, owner, pips or None, tuple(choices.get(square, ())))

    downwards = range(squares.rows - 1, -1, -1)
    return Scene(
        columns=squares.letters,
        rows=tuple(str(row + 1) for row in downwards),
        cell_width=len(EMPTY),
        cells=tuple(
            tuple(cell(squares.at(column, row)) for column in range(squares.columns)) for row in downwards
        ),
        last=(squares.names[last.square],) if last else (),
        taken=tuple(squares.names[square] for square in last.captured) if last else (),
        scores=_scores(position),
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


def _moves_on(position: Position, square: int) -> tuple[Move, ...]:
    """The legal moves on an empty square: its capture sets, or the quiet placement where there are none."""
    beside, pips = position.board.neighbours[square], position.pips
    choices = _capture_sets(tuple([pips[neighbour] for neighbour in beside])) or ((),)
    return tuple([Move(square, tuple([beside[place] for place in chosen])) for chosen in choices])


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


def _scores(position: Position) -> tuple[int, ...]:
    return tuple(position.owners.count(seat) for seat in range(_seat_count(position)))
