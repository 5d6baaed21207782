"""A slow engine for merels, written on its own from the rules texts: rows of three are listed by hand."""

LINES = {
    "nine": (
        "A7 D7 G7, B6 D6 F6, C5 D5 E5, A4 B4 C4, E4 F4 G4, C3 D3 E3, B2 D2 F2, A1 D1 G1, "
        "A7 A4 A1, B6 B4 B2, C5 C4 C3, D7 D6 D5, D3 D2 D1, E5 E4 E3, F6 F4 F2, G7 G4 G1"
    ),
    "corners": ", A7 B6 C5, G7 F6 E5, A1 B2 C3, G1 F2 E3",
    "six": "A5 C5 E5, B4 C4 D4, B2 C2 D2, A1 C1 E1, A5 A3 A1, B4 B3 B2, D4 D3 D2, E5 E3 E1",
    "three": "A1 A2 A3, B1 B2 B3, C1 C2 C3, A1 B1 C1, A2 B2 C2, A3 B3 C3, A1 B2 C3, A3 B2 C1",
}
SHORT = "C5 C4, C2 C1, A3 B3, D3 E3"
"""Lines of two points, in six men's morris."""


class SlowMorris:
    """A game in progress: whose man is on which point, and men still in hand."""

    def __init__(self, name: str) -> None:
        kind = name.split("-")[0]
        text = {"twelve": LINES["nine"] + LINES["corners"], "six": LINES["six"], "three": LINES["three"]}[kind]
        self.rows = [tuple(row.split()) for row in text.split(", ")]
        self.links = {frozenset(row[at : at + 2]) for row in self.rows for at in (0, 1)}
        if kind == "six":
            self.links |= {frozenset(line.split()) for line in SHORT.split(", ")}
        self.points = sorted({point for row in self.rows for point in row})
        self.men: dict[str, int] = {}
        self.hands = [{"twelve": 12, "six": 6, "three": 3}[kind]] * 2
        self.kind, self.turn, self.winner = kind, 0, -1

    def in_mill(self, men: dict[str, int], point: str) -> bool:
        """Whether a man stands in a row of three of its own side."""
        return any(point in row and all(men.get(each) == men[point] for each in row) for row in self.rows)

    def legal(self) -> set[str]:
        """Every legal move as it is written."""
        own = [point for point, owner in self.men.items() if owner == self.turn]
        if self.winner >= 0 or len(own) + self.hands[self.turn] < 3:
            return set()
        empty = [point for point in self.points if point not in self.men]
        found = set()
        if self.hands[self.turn]:
            for target in empty:
                found |= self.with_captures(target, {**self.men, target: self.turn}, target)
            return found
        for source in own:
            for target in empty:
                if frozenset((source, target)) in self.links or (self.kind == "twelve" and len(own) == 3):
                    men = {point: owner for point, owner in self.men.items() if point != source}
                    found |= self.with_captures(f"{source}-{target}", {**men, target: self.turn}, target)
        return found

    def with_captures(self, text: str, men: dict[str, int], target: str) -> set[str]:
        """A move, once for each man that it may capture."""
        if self.kind == "three" or not self.in_mill(men, target):
            return {text}
        others = [point for point, owner in men.items() if owner != self.turn]
        loose = [point for point in others if not self.in_mill(men, point)]
        return {f"{text}x{point}" for point in loose or others}

    def play(self, text: str) -> None:
        """Plays a legal move."""
        path, _, taken = text.partition("x")
        source, _, target = path.rpartition("-")
        if source:
            del self.men[source]
        else:
            self.hands[self.turn] -= 1
        self.men[target] = self.turn
        if taken:
            del self.men[taken]
        if self.kind == "three" and self.in_mill(self.men, target):
            self.winner = self.turn
        self.turn = 1 - self.turn

    def ranks(self) -> tuple[int, int]:
        """Who has won, if the side on turn has no move."""
        if len(self.men) == len(self.points):
            return (1, 1)
        return (2, 1) if self.turn == 0 else (1, 2)
