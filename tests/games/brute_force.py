"""Cephalopod a second time, slowly and simply, to check the real one against.

Written from the description of the rules, and sharing nothing with the engine: a dictionary of dice that changes
in place, and every subset of the neighbours tried.
"""

from itertools import chain, combinations

Square = tuple[str, int]
Die = tuple[int, int]
Result = tuple[tuple[int, ...], tuple[int, ...], str]


def written(square: Square) -> str:
    """`("C", 3)` as `C3`."""
    return f"{square[0]}{square[1]}"


class Table:
    """A game in progress. `dice` has owner and pips by square; `gone` the groups that went, in order."""

    def __init__(self, columns: int, rows: int, players: int) -> None:
        letters = "ABCDEFGHI"[:columns]
        self.squares: list[Square] = [(letter, row) for letter in letters for row in range(1, rows + 1)]
        self.dice: dict[Square, Die] = {}
        self.players = players
        self.inside = list(range(players))
        self.gone: list[set[int]] = []
        self.turn = 0

    def legal(self) -> dict[str, tuple[Square, frozenset[Square]]]:
        """Every legal move by its notation."""
        found: dict[str, tuple[Square, frozenset[Square]]] = {}
        if self.result() is not None:
            return found
        for square in self.squares:
            if square in self.dice:
                continue
            sets = self.capture_sets(square)
            for taken in sets or [frozenset()]:
                names = [written(each) for each in sorted(taken)]
                found[written(square) + ("x" + ",".join(names) if names else "")] = (square, taken)
        return found

    def capture_sets(self, square: Square) -> list[frozenset[Square]]:
        """All subsets of the dice beside a square that may be captured from there."""
        beside = [
            other for other in self.dice if abs(ord(other[0]) - ord(square[0])) + abs(other[1] - square[1]) == 1
        ]
        subsets = chain.from_iterable(combinations(beside, size) for size in range(len(beside) + 1))
        return [
            frozenset(subset)
            for subset in subsets
            if len(subset) in (2, 3, 4) and sum(self.dice[each][1] for each in subset) <= 6
        ]

    def play(self, text: str) -> list[int]:
        """Plays a legal move; who is eliminated by it."""
        square, taken = self.legal()[text]
        filler = self.turn
        shown = sum(self.dice.pop(each)[1] for each in taken)
        self.dice[square] = (filler, shown if taken else 1)
        eliminated: list[int] = []
        while len(self.dice) == len(self.squares):
            counts = {player: self.count(player) for player in self.inside}
            best = [player for player in self.inside if counts[player] == max(counts.values())]
            worst = [player for player in self.inside if counts[player] == min(counts.values())]
            if len(best) == 1 or best == worst:
                break
            self.remove(worst)
            eliminated += worst
        self.pass_turn(filler)
        return eliminated

    def leave(self, player: int) -> None:
        """A player goes; in a game of two the dice stay."""
        dice = dict(self.dice)
        self.remove([player])
        if self.players == 2:
            self.dice = dice
        if self.turn == player:
            self.pass_turn(player)

    def remove(self, players: list[int]) -> None:
        """Takes players and their dice out of the game."""
        self.inside = [player for player in self.inside if player not in players]
        self.gone.append(set(players))
        self.dice = {square: die for square, die in self.dice.items() if die[0] not in players}

    def pass_turn(self, player: int) -> None:
        """Gives the turn to the next player inside after `player`."""
        self.turn = (player + 1) % self.players
        while self.turn not in self.inside:
            self.turn = (self.turn + 1) % self.players

    def count(self, player: int) -> int:
        """How many dice a player has on the board."""
        return [owner for owner, _ in self.dice.values()].count(player)

    def result(self) -> Result | None:
        """Ranks, scores and reason; None while the game lasts."""
        scores = tuple(self.count(player) for player in range(self.players))
        if len(self.inside) > 1 and len(self.dice) < len(self.squares):
            return None
        best_first = sorted({scores[player] for player in self.inside}, reverse=True)
        places = [{player for player in self.inside if scores[player] == dice} for dice in best_first]
        places += reversed(self.gone)
        ranks = [0] * self.players
        better = 0
        for group in places:
            for player in group:
                ranks[player] = better + 1
            better += len(group)
        reason = "alone" if len(self.inside) == 1 else "draw" if len(places[0]) > 1 else "score"
        return tuple(ranks), scores, reason
