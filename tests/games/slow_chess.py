"""Chess, atomic chess and three checks, slowly: every square is tried as a goal of every piece, on dictionaries.

Written from the rules texts, to be compared with the rules. A square is a column and a row, counted from 1, and a
piece a letter, White's in capitals.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product

SQUARES = tuple(product(range(1, 9), range(1, 9)))
WORDS = {"QUEEN": "q", "ROOK": "r", "BISHOP": "b", "KNIGHT": "n"}

Square = tuple[int, int]
Pieces = dict[Square, str]


def name_of(square: Square) -> str:
    """How a square is called."""
    return f"{'ABCDEFGH'[square[0] - 1]}{square[1]}"


def is_white(piece: str) -> bool:
    """Whose it is."""
    return piece.isupper()


def sees(pieces: Pieces, source: Square, target: Square) -> bool:
    """Whether the piece on one square captures on the other, if a piece of the other side is there."""
    x, y = target[0] - source[0], target[1] - source[1]
    kind = pieces[source].lower()
    if kind == "n":
        return sorted((abs(x), abs(y))) == [1, 2]
    if kind == "p":
        return abs(x) == 1 and y == (1 if is_white(pieces[source]) else -1)
    steps = max(abs(x), abs(y))
    if steps == 0 or (kind == "k" and steps > 1):
        return False
    if not (
        x == 0 or y == 0 if kind == "r" else abs(x) == abs(y) if kind == "b" else x * y == 0 or abs(x) == abs(y)
    ):
        return False
    way = (x // steps, y // steps)
    return all((source[0] + way[0] * count, source[1] + way[1] * count) not in pieces for count in range(1, steps))


@dataclass
class SlowChess:
    """A game: `rules` are "chess", "atomic" or "checks"."""

    rules: str
    pieces: Pieces
    white: bool = True
    rooks: set[Square] = field(default_factory=set)
    passed: Square | None = None
    quiet: int = 0
    checks: list[int] = field(default_factory=lambda: [0, 0])
    met: list[str] = field(default_factory=list)

    def king(self, pieces: Pieces, white: bool) -> Square | None:
        """Where the king of a side is."""
        return next((square for square, piece in pieces.items() if piece == ("K" if white else "k")), None)

    def attacked(self, pieces: Pieces, square: Square, white: bool) -> bool:
        """Whether a king of a side would be in check there."""
        other = self.king(pieces, not white)
        if self.rules == "atomic" and other and max(abs(other[0] - square[0]), abs(other[1] - square[1])) == 1:
            return False
        return any(
            sees(pieces, source, square)
            for source, piece in pieces.items()
            if is_white(piece) != white and not (self.rules == "atomic" and piece in "Kk")
        )

    def after(self, source: Square, target: Square, becomes: str = "") -> Pieces:
        """The pieces after a move that is not castling."""
        pieces = dict(self.pieces)
        piece = pieces.pop(source)
        prey = target
        if piece in "Pp" and target == self.passed and source[0] != target[0]:
            prey = (target[0], source[1])
        captures = pieces.pop(prey, None) is not None
        if becomes:
            piece = becomes.upper() if is_white(piece) else becomes
        if not (captures and self.rules == "atomic"):
            return pieces | {target: piece}
        return {
            square: each
            for square, each in pieces.items()
            if each in "Pp" or max(abs(square[0] - target[0]), abs(square[1] - target[1])) > 1
        }

    def legal(self) -> dict[str, Pieces]:
        """Each move, as it is stored, and the pieces after it."""
        found = {}
        for text, pieces in (*self._steps(), *self._castling()):
            king = self.king(pieces, self.white)
            other = self.king(pieces, not self.white)
            if king and (other is None or not self.attacked(pieces, king, self.white)):
                found[text] = pieces
        return found

    def _steps(self) -> Iterator[tuple[str, Pieces]]:
        for source, target in product(SQUARES, SQUARES):
            piece, there = self.pieces.get(source), self.pieces.get(target)
            if piece is None or is_white(piece) != self.white or (there and is_white(there) == self.white):
                continue
            if not self._goes(source, target) or (self.rules == "atomic" and there and piece in "Kk"):
                continue
            captures = there is not None or (piece in "Pp" and source[0] != target[0])
            text = f"{name_of(source)}{'x' if captures else '-'}{name_of(target)}"
            if piece in "Pp" and target[1] in (1, 8):
                for word, letter in WORDS.items():
                    yield f"{text}={word}", self.after(source, target, letter)
            else:
                yield text, self.after(source, target)

    def _goes(self, source: Square, target: Square) -> bool:
        if self.pieces[source] not in "Pp":
            return sees(self.pieces, source, target)
        if source[0] != target[0]:
            return sees(self.pieces, source, target) and (target in self.pieces or target == self.passed)
        ahead = 1 if self.white else -1
        steps = (target[1] - source[1]) * ahead
        begins = source[1] == (2 if self.white else 7)
        row = [(source[0], source[1] + ahead * count) for count in range(1, steps + 1)]
        return (steps == 1 or (steps == 2 and begins)) and not any(square in self.pieces for square in row)

    def _castling(self) -> Iterator[tuple[str, Pieces]]:
        row = 1 if self.white else 8
        king = self.king(self.pieces, self.white)
        for rook in sorted(self.rooks):
            if rook[1] != row or king is None:
                continue
            goal, beside = ((7, row), (6, row)) if rook > king else ((3, row), (4, row))
            rest = {square: piece for square, piece in self.pieces.items() if square not in (king, rook)}
            span = sorted(square[0] for square in (king, rook, goal, beside))
            if any((column, row) in rest for column in range(span[0], span[3] + 1)):
                continue
            way = range(min(king[0], goal[0]), max(king[0], goal[0]) + 1)
            kingless = rest | {rook: self.pieces[rook]}
            if any(self.attacked(kingless, (column, row), self.white) for column in way if column != goal[0]):
                continue
            yield f"{name_of(king)}-{name_of(rook)}", rest | {goal: self.pieces[king], beside: self.pieces[rook]}

    def play(self, text: str) -> None:
        """Plays a legal move."""
        pieces = self.legal()[text]
        source = (ord(text[0]) - 64, int(text[1]))
        target = (ord(text[3]) - 64, int(text[4]))
        is_pawn = self.pieces[source] in "Pp"
        self.met.append(self._mark())
        self.quiet = 0 if is_pawn or "x" in text else self.quiet + 1
        self.rooks = {
            rook
            for rook in self.rooks
            if pieces.get(rook) == self.pieces[rook]
            and rook != source
            and self.king(pieces, rook[1] == 1) == self.king(self.pieces, rook[1] == 1)
            and not (source == self.king(self.pieces, self.white) and (rook[1] == 1) == self.white)
        }
        two = is_pawn and abs(source[1] - target[1]) == 2
        self.pieces, self.white = pieces, not self.white
        self.passed = (source[0], (source[1] + target[1]) // 2) if two else None
        if self.passed and not self._is_taken_in_passing():
            self.passed = None
        king = self.king(pieces, self.white)
        if king and self.attacked(pieces, king, self.white):
            self.checks[self.white] += 1

    def _is_taken_in_passing(self) -> bool:
        marked = f"x{name_of(self.passed or (1, 1))}"
        return any(text.endswith(marked) for text in self.legal())

    def _mark(self) -> str:
        return f"{sorted(self.pieces.items())} {self.white} {sorted(self.rooks)} {self.passed} {self.checks}"

    def ended(self) -> str:
        """Who has won, or drawn, and why; "" while the game goes on."""
        winner = "Black" if self.white else "White"
        king = self.king(self.pieces, self.white)
        if king is None:
            return f"{winner} king"
        if self.rules == "checks" and 3 in self.checks:
            return f"{winner} checks"
        if not self.legal():
            return f"{winner} mate" if self.attacked(self.pieces, king, self.white) else "draw stalemate"
        now = self._mark() if self.rules == "checks" else self._mark().rpartition(" [")[0]
        if sum(each.startswith(now) for each in self.met) > 1:
            return "draw repeated"
        if self.quiet >= 100:
            return "draw exhausted"
        left = sorted(piece.lower() for piece in self.pieces.values() if piece not in "Kk")
        colours = {sum(square) % 2 for square, piece in self.pieces.items() if piece in "Bb"}
        is_bare = not left or (
            self.rules == "chess" and (left == ["n"] or (set(left) == {"b"} and len(colours) == 1))
        )
        return "draw bare" if is_bare or (self.rules == "atomic" and self._is_dead(left, colours)) else ""

    def _is_dead(self, left: list[str], colours: set[int]) -> bool:
        """In atomic chess: a king alone against little, or a bishop on each side that never meet."""
        whites = [piece for piece in self.pieces.values() if piece in "PNBRQ"]
        if 0 < len(whites) < len(left):
            return left == ["b", "b"] and len(colours) == 2
        return left in (["n"], ["b"], ["r"], ["n", "n"]) or (set(left) == {"b"} and len(colours) == 1)


def opened(rules: str, row: str = "RNBQKBNR") -> SlowChess:
    """A game with White's pieces in this order."""
    pieces: Pieces = {}
    for column, piece in enumerate(row, 1):
        pieces |= {(column, 1): piece, (column, 2): "P", (column, 7): "p", (column, 8): piece.lower()}
    rooks = {square for square, piece in pieces.items() if piece in "Rr"}
    return SlowChess(rules, pieces, rooks=rooks)
