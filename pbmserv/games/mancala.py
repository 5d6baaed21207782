"""Games of sowing: oware, as it is played in tournaments; others of the family will be objects here, too."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial

from pbmserv.games import boards
from pbmserv.games.board import Board
from pbmserv.games.defaults import by_points
from pbmserv.games.game import Event, Move, Outcome, Piece, Reason, Scene, Seat
from pbmserv.games.info import Credit, Info, Side, chosen
from pbmserv.games.notation import PIT, joined, read_move, starting, whole_pit

FEWEST_CAPTURED, MOST_CAPTURED = 2, 3

# The numbers of the paragraphs in the rules text that Illegal may quote.
THE_BOARD, OWN_PIT, FEEDING, ENDING = 1, 2, 6, 7


@dataclass(frozen=True, slots=True)
class Position:
    """The pits between two plies, South's first, and the seeds that each side has captured.

    `seen` are the pits before this since the last capture. `last` are the pits of the last ply in the order of
    sowing, and `taken` those that it captured from. `ended` says why the game is over.
    """

    board: Board
    pits: tuple[int, ...]
    stores: tuple[int, int] = (0, 0)
    turn: Seat = 0
    seen: tuple[tuple[int, ...], ...] = ()
    last: tuple[int, ...] = ()
    taken: tuple[int, ...] = ()
    ended: Reason | None = None


@dataclass(frozen=True)
class Mancala:
    """A game of sowing on two rows of `length` pits, with `seeds` in each."""

    info: Info
    length: int
    seeds: int

    def start(self, seats: int, options: Mapping[str, str]) -> Position:
        """Every pit filled alike. Raises BadOption for any option."""
        chosen(self.info, options)
        return Position(boards.pits(self.length), (self.seeds,) * (2 * self.length))

    def to_move(self, position: Position) -> Seat | None:
        """The seat on turn; None when the game is over."""
        return position.turn if position.ended is None else None

    def moves(self, position: Position, begun: Move = ()) -> Iterable[Move]:
        """The legal moves that begin so: one's own pits with seeds, or those that feed a starving side."""
        return () if position.ended else starting(self._moves(position), begun)

    def read(self, position: Position, text: str) -> Move:
        """The legal move that `text` means; the letter of a pit is enough."""
        found, why = partial(self.moves, position), partial(self._why, position)
        return read_move(whole_pit(text), position.board, found, why)

    def write(self, position: Position, move: Move) -> str:
        """The notation of a legal move: `C1`."""
        return joined(position.board, move)

    def play(self, position: Position, move: Move) -> tuple[Position, tuple[Event, ...]]:
        """The position after a legal move, and what happened: seeds sown, seeds captured, points given."""
        seat, source, pits = position.turn, int(move[0]), list(position.pits)
        others = position.board.rays[source][0]
        sown = [others[count % len(others)] for count in range(pits[source])]
        pits[source] = 0
        for pit in sown:
            pits[pit] += 1
        events = [Event("sown", seat, (source, *sown), count=len(sown))]
        taken = self._captured(pits, sown[-1], self._row(1 - seat))
        gain = sum(pits[pit] for pit in taken)
        for pit in taken:
            events.append(Event("captured", 1 - seat, (pit,), str(pits[pit])))
            pits[pit] = 0
        if gain:
            events.append(Event("scored", seat, count=gain))
        stores = (position.stores[0] + gain * (seat == 0), position.stores[1] + gain * (seat == 1))
        seen = () if gain else (*position.seen, position.pits)
        after = Position(position.board, tuple(pits), stores, 1 - seat, seen, (source, *sown), taken)
        return self._ended(after, events)

    def outcome(self, position: Position) -> Outcome | None:
        """How it ended; None while somebody is to move. Scores are captured seeds."""
        return by_points(position.stores, position.ended) if position.ended else None

    def scores(self, position: Position) -> tuple[int, ...]:
        """The seeds that each side has captured."""
        return position.stores

    def scene(self, position: Position) -> Scene:
        """What to draw and say of the position."""
        return Scene(
            position.board,
            tuple(
                (Piece(pit // self.length, f"{seeds:2}", "seeds", seeds),) if seeds else ()
                for pit, seeds in enumerate(position.pits)
            ),
            marked=position.last[-1:],
            vacated=position.last[:1],
            captured=position.taken,
            scores=position.stores,
        )

    def _row(self, seat: Seat) -> range:
        return range(seat * self.length, (seat + 1) * self.length)

    def _moves(self, position: Position) -> list[Move]:
        own, pits = self._row(position.turn), position.pits
        theirs = self._row(1 - position.turn)
        if any(pits[theirs.start : theirs.stop]):
            return [(pit,) for pit in own if pits[pit]]
        return [(pit,) for pit in own if pits[pit] >= own.stop - pit]

    def _captured(self, pits: list[int], last: int, theirs: range) -> tuple[int, ...]:
        """The pits that sowing up to a last one captures, going back from it; none if that would be all."""
        taken: list[int] = []
        while last in theirs and FEWEST_CAPTURED <= pits[last] <= MOST_CAPTURED:
            taken.append(last)
            last -= 1
        left = sum(pits[theirs.start : theirs.stop]) - sum(pits[pit] for pit in taken)
        return tuple(taken) if left else ()

    def _ended(self, position: Position, events: list[Event]) -> tuple[Position, tuple[Event, ...]]:
        """The position, ended if it is; then each side is given the seeds in its own row, unless one has most."""
        half = self.length * self.seeds
        is_repeated = position.seen[-2::-2].count(position.pits) > 0
        if max(position.stores) > half:
            return replace(position, ended="score"), tuple(events)
        if not is_repeated and self._moves(position):
            return position, tuple(events)
        rows = [sum(position.pits[pit] for pit in self._row(seat)) for seat in (0, 1)]
        events += [Event("scored", seat, count=row) for seat, row in enumerate(rows) if row]
        south, north = position.stores[0] + rows[0], position.stores[1] + rows[1]
        ended: Reason = "repeated" if is_repeated else "draw" if south == north else "score"
        empty = (0,) * len(position.pits)
        return replace(position, pits=empty, stores=(south, north), ended=ended), tuple(events)

    def _why(self, position: Position, steps: Move) -> int:
        """The rule that forbids a move."""
        if position.ended:
            return ENDING
        pit = int(steps[0])
        return FEEDING if pit in self._row(position.turn) and position.pits[pit] and len(steps) == 1 else OWN_PIT


oware = Mancala(
    Info(
        name="oware",
        title="Oware",
        rules="oware/1",
        sides=(Side("South", "n"), Side("North", "n")),
        group="sowing",
        credit=Credit("traditional", 0),
        example="c1",
        dialect=PIT,
    ),
    length=6,
    seeds=4,
)

games = (oware,)
