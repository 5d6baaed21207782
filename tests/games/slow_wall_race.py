"""Wall race as its rules text says it, in the plainest way: walls are pairs of squares with no step between.

It knows nothing of ours but the texts of moves.
"""

from itertools import product

Square = tuple[int, int]
"""Column and row, from 1."""

EVERY = tuple(product(range(1, 10), range(1, 10)))
AROUND = ((0, 1), (1, 0), (0, -1), (-1, 0))
STARTS: dict[int, list[Square]] = {
    2: [(5, 1), (5, 9)],
    3: [(5, 1), (1, 5), (5, 9)],
    4: [(5, 1), (1, 5), (5, 9), (9, 5)],
}
HANDS = {2: 10, 3: 7, 4: 5}


def text_of(square: Square) -> str:
    return f"{'ABCDEFGHI'[square[0] - 1]}{square[1]}"


class Table:
    """A game that is played."""

    def __init__(self, seats: int) -> None:
        self.pawns = list(STARTS[seats])
        self.goals = []
        for pawn in self.pawns:
            way = 0 if pawn[1] == 5 else 1
            self.goals.append({square for square in EVERY if abs(square[way] - pawn[way]) == 8})
        self.hands = [HANDS[seats]] * seats
        self.walls: list[str] = []
        self.turn = 0

    def closed(self, walls: list[str]) -> set[frozenset[Square]]:
        """The pairs of squares between which these walls stand."""
        found = set()
        for wall in walls:
            x, y = "ABCDEFGHI".index(wall[0]) + 1, int(wall[1])
            if wall[2] == "H":
                found |= {frozenset({(x, y), (x, y + 1)}), frozenset({(x + 1, y), (x + 1, y + 1)})}
            else:
                found |= {frozenset({(x, y), (x + 1, y)}), frozenset({(x, y + 1), (x + 1, y + 1)})}
        return found

    def next_to(self, square: Square, way: Square, closed: set[frozenset[Square]]) -> Square | None:
        """The square on in a direction, if one can step there."""
        other = (square[0] + way[0], square[1] + way[1])
        return other if other in EVERY and frozenset({square, other}) not in closed else None

    def can_reach(self, seat: int, closed: set[frozenset[Square]]) -> bool:
        queue, seen = [self.pawns[seat]], {self.pawns[seat]}
        while queue:
            square = queue.pop()
            if square in self.goals[seat]:
                return True
            for way in AROUND:
                other = self.next_to(square, way, closed)
                if other is not None and other not in seen:
                    seen.add(other)
                    queue.append(other)
        return False

    def steps(self) -> set[str]:
        """Where the pawn on turn can go."""
        closed, own, found = self.closed(self.walls), self.pawns[self.turn], set()
        for way in AROUND:
            beside = self.next_to(own, way, closed)
            if beside is None:
                continue
            if beside not in self.pawns:
                found.add(beside)
                continue
            behind = self.next_to(beside, way, closed)
            if behind is not None and behind not in self.pawns:
                found.add(behind)
                continue
            for aside in ((way[1], way[0]), (-way[1], -way[0])):
                past = self.next_to(beside, aside, closed)
                if past is not None and past not in self.pawns:
                    found.add(past)
        return {text_of(square) for square in found}

    def places(self) -> set[str]:
        """Where a wall can be set."""
        found, closed = set(), self.closed(self.walls)
        for x, y, letter in product(range(1, 9), range(1, 9), "HV") if self.hands[self.turn] else ():
            wall = f"{text_of((x, y))}{letter}"
            more, crossed = self.closed([wall]), f"{wall[:2]}{'V' if letter == 'H' else 'H'}"
            is_free = not more & closed and crossed not in self.walls
            if is_free and all(self.can_reach(seat, closed | more) for seat in range(len(self.pawns))):
                found.add(wall)
        return found

    def legal(self) -> set[str]:
        return self.steps() | self.places()

    def play(self, text: str) -> None:
        if len(text) == 3:
            self.walls.append(text)
            self.hands[self.turn] -= 1
        else:
            self.pawns[self.turn] = ("ABCDEFGHI".index(text[0]) + 1, int(text[1]))
        self.turn = (self.turn + 1) % len(self.pawns)

    def winner(self) -> int | None:
        return next((seat for seat, pawn in enumerate(self.pawns) if pawn in self.goals[seat]), None)
