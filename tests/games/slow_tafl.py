"""A slow engine for tafl games, written on its own from their rules texts: pieces by coordinates."""

from dataclasses import dataclass

Square = tuple[int, int]
SIDES = ((1, 0), (-1, 0), (0, 1), (0, -1))


@dataclass(frozen=True)
class SlowSiege:
    """Pieces by square, whose turn it is, and what differs between the games."""

    size: int
    men: dict[Square, str]
    attackers_turn: bool
    to_a_corner: bool
    strong_king: bool

    @property
    def middle(self) -> Square:
        """The throne."""
        return (self.size // 2, self.size // 2)

    def on_board(self, square: Square) -> bool:
        """Whether there is such a square."""
        return min(square) >= 0 and max(square) < self.size

    def at_edge(self, square: Square) -> bool:
        """Whether a square is at the edge."""
        return 0 in square or self.size - 1 in square

    def is_corner(self, square: Square) -> bool:
        """Whether it is a corner that only the king may enter."""
        return self.to_a_corner and set(square) <= {0, self.size - 1}

    def over(self) -> str:
        """Who has won, and how: "king", "escape", "ring"; empty while nobody has, or else for want of a move."""
        kings = [square for square, man in self.men.items() if man == "K"]
        if not kings:
            return "king"
        if self.is_corner(kings[0]) if self.to_a_corner else self.at_edge(kings[0]):
            return "escape"
        if not self.attackers_turn:
            free = {square for square, man in self.men.items() if man in "oK"}
            while True:
                grown = free | {
                    beside
                    for square in free
                    for beside in self.beside(square)
                    if self.on_board(beside) and self.men.get(beside) != "x"
                }
                if grown == free:
                    break
                free = grown
            if not any(self.at_edge(square) for square in free):
                return "ring"
        return ""

    def beside(self, square: Square) -> list[Square]:
        """The four squares beside one, on the board or off it."""
        return [(square[0] + aside, square[1] + up) for aside, up in SIDES]

    def legal(self) -> dict[tuple[Square, Square], "SlowSiege"]:
        """The legal moves and what they lead to; none when somebody has won."""
        found: dict[tuple[Square, Square], SlowSiege] = {}
        if self.over():
            return found
        for here, man in self.men.items():
            if (man == "x") != self.attackers_turn:
                continue
            for aside, up in SIDES:
                there = (here[0] + aside, here[1] + up)
                while self.on_board(there) and there not in self.men:
                    if man == "K" or (there != self.middle and not self.is_corner(there)):
                        found[here, there] = self.moved(here, there)
                    there = (there[0] + aside, there[1] + up)
        return found

    def moved(self, here: Square, there: Square) -> "SlowSiege":
        """The board after a move."""
        men = {square: man for square, man in self.men.items() if square != here} | {there: self.men[here]}
        own = "x" if self.attackers_turn else "oK"
        gone = []
        for aside, up in SIDES:
            prey, behind = (there[0] + aside, there[1] + up), (there[0] + 2 * aside, there[1] + 2 * up)
            man = men.get(prey, "")
            if not man or man in own:
                continue
            if man == "K" and (self.strong_king or prey == self.middle or self.middle in self.beside(prey)):
                if all(men.get(each) == "x" or each == self.middle for each in self.beside(prey)):
                    gone.append(prey)
                continue
            helps = men.get(behind, "-") in own or self.is_corner(behind)
            if behind == self.middle:
                helps = helps or man == "x" or behind not in men
            if helps:
                gone.append(prey)
        left = {square: man for square, man in men.items() if square not in gone}
        return SlowSiege(self.size, left, not self.attackers_turn, self.to_a_corner, self.strong_king)


def slow_siege(rows: tuple[str, ...], to_a_corner: bool, strong_king: bool) -> SlowSiege:
    """The start, from rows drawn from the top."""
    men = {(x, len(rows) - 1 - y): man for y, row in enumerate(rows) for x, man in enumerate(row) if man != "."}
    return SlowSiege(len(rows), men, True, to_a_corner, strong_king)
