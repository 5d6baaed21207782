"""A slow engine for shogi on any board, from the rules text alone: pieces by coordinates, moves as texts."""

from dataclasses import dataclass, replace
from itertools import product

Square = tuple[int, int]
NAMES = {
    "k": "king",
    "r": "rook",
    "b": "bishop",
    "g": "gold",
    "s": "silver",
    "n": "knight",
    "l": "lance",
    "p": "pawn",
}
GOLD = [(0, 1), (1, 1), (-1, 1), (1, 0), (-1, 0), (0, -1)]
CROSS = [(0, 1), (1, 0), (0, -1), (-1, 0)]
OBLIQUE = [(1, 1), (1, -1), (-1, -1), (-1, 1)]
STEPS = {
    "king": CROSS + OBLIQUE,
    "gold": GOLD,
    "silver": [(0, 1), *OBLIQUE],
    "knight": [(1, 2), (-1, 2)],
    "pawn": [(0, 1)],
    "+rook": OBLIQUE,
    "+bishop": CROSS,
} | {f"+{name}": GOLD for name in ("silver", "knight", "lance", "pawn")}
RUNS = {"rook": CROSS, "+rook": CROSS, "bishop": OBLIQUE, "+bishop": OBLIQUE, "lance": [(0, 1)]}


@dataclass(frozen=True)
class SlowBoard:
    """Pieces by square, each with its side and name; what each side holds; whose turn it is."""

    size: int
    zone: int
    men: dict[Square, tuple[int, str]]
    held: tuple[list[str], list[str]]
    turn: int

    def seen_by(self, side: int) -> list[tuple[Square, Square]]:
        """From where to where the pieces of a side could go, kings in danger or not."""
        found = []
        for square, (owner, name) in self.men.items():
            if owner != side:
                continue
            forward = 1 if side == 0 else -1
            for aside, ahead in STEPS.get(name, []):
                found.append((square, (square[0] + aside, square[1] + ahead * forward)))
            for aside, ahead in RUNS.get(name, []):
                place = square
                while True:
                    place = (place[0] + aside, place[1] + ahead * forward)
                    found.append((square, place))
                    if place in self.men or not self.has(place):
                        break
        return [
            (here, there)
            for here, there in found
            if self.has(there) and self.men.get(there, (1 - side,))[0] != side
        ]

    def has(self, square: Square) -> bool:
        """Whether there is such a square."""
        return 0 <= square[0] < self.size and 0 <= square[1] < self.size

    def in_check(self, side: int) -> bool:
        """Whether the king of a side could be captured."""
        return any(self.men.get(there) == (side, "king") for _, there in self.seen_by(1 - side))

    def left(self, square: Square, side: int) -> int:
        """The rows ahead of a square."""
        return self.size - 1 - square[1] if side == 0 else square[1]

    def useless(self, name: str, square: Square) -> bool:
        """Whether a piece of the side to move could never go on from there."""
        return self.left(square, self.turn) < {"pawn": 1, "lance": 1, "knight": 2}.get(name, 0)

    def legal(self, may_mate: bool = False) -> dict[str, "SlowBoard"]:
        """The legal moves and what they lead to."""
        found: dict[str, SlowBoard] = {}
        for here, there in self.seen_by(self.turn):
            name = self.men[here][1]
            near = min(self.left(here, self.turn), self.left(there, self.turn)) < self.zone
            can = near and not name.startswith("+") and name not in ("king", "gold")
            text = called(here) + called(there)
            if can:
                found[text + "promote"] = self.moved(here, there, "+" + name)
            if not self.useless(name, there):
                found[text + ("stay" if can else "")] = self.moved(here, there, name)
        for name, x, y in product(set(self.held[self.turn]), range(self.size), range(self.size)):
            there = (x, y)
            columns = [square[0] for square, man in self.men.items() if man == (self.turn, "pawn")]
            if there in self.men or self.useless(name, there) or (name == "pawn" and there[0] in columns):
                continue
            after = self.dropped(name, there)
            if name != "pawn" or may_mate or not after.in_check(1 - self.turn) or after.legal(may_mate=True):
                found[name + called(there)] = after
        return {text: after for text, after in found.items() if not after.in_check(self.turn)}

    def moved(self, here: Square, there: Square, name: str) -> "SlowBoard":
        """The board after a move on it."""
        held = [list(each) for each in self.held]
        if there in self.men:
            held[self.turn].append(self.men[there][1].removeprefix("+"))
        men = {square: man for square, man in self.men.items() if square != here} | {there: (self.turn, name)}
        return replace(self, men=men, held=(held[0], held[1]), turn=1 - self.turn)

    def dropped(self, name: str, there: Square) -> "SlowBoard":
        """The board after a drop."""
        held = [list(each) for each in self.held]
        held[self.turn].remove(name)
        return replace(
            self, men=self.men | {there: (self.turn, name)}, held=(held[0], held[1]), turn=1 - self.turn
        )


def called(square: Square) -> str:
    """The name of a square."""
    return f"{'abcdefghi'[square[0]]}{square[1] + 1}"


def slow_start(rows: tuple[str, ...], zone: int) -> SlowBoard:
    """The board that these rows show, from the top."""
    men = {
        (x, len(rows) - 1 - y): (int(letter.islower()), NAMES[letter.lower()])
        for y, row in enumerate(rows)
        for x, letter in enumerate(row)
        if letter != "."
    }
    return SlowBoard(len(rows), zone, men, ([], []), 0)
