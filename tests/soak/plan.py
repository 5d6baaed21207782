"""What people are going to write and what must come of it, computed plainly ahead of the run, without a server.

Games are played at random by the second implementation of the rules; every mail of a conversation is written down
with the boards that its answer and the notices of it have to show. Only the boards' numbers are left open.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from tests.games.brute_force import Die, Table, written

COLUMNS = "ABC"
SIDE = len(COLUMNS)
MARKS = ("({})", "<{}>", "[{}]")
SLIPS = 0.3
RESIGNATIONS = 0.03
AT_A_TIME = 12
"""Conversations that a run is planned for: it is over sooner when none is much longer than the others."""

NAMES = ("alice", "bob", "carol", "dave", "erin", "frank")
"""A crowd: its people play among themselves. The server limits how many games one person starts."""

STARTED_BY_EACH = 2

SLIPS_OF_EACH = 15
"""Mails of one person that change nothing: the server answers no more than twenty in an hour."""


@dataclass(frozen=True)
class Shown:
    """A board as a mail shows it: its number, who is on turn ("" when it is over), its rows from the top.

    In a plan the number is the board's place in its conversation.
    """

    board: int
    to_move: str
    rows: tuple[str, ...]


@dataclass(frozen=True)
class Logged:
    """One entry of a board's log."""

    kind: str
    seat: int
    text: str


@dataclass(frozen=True)
class Step:
    """One mail, sent when all that the one before it brings has arrived.

    `lines` have `{0}` and `{1}` for the numbers of the conversation's boards; `refused` of them are. `answer` has
    the boards that its author is shown, `changed` those that every other player is mailed, each with its ply.
    """

    author: str
    lines: tuple[str, ...]
    refused: int = 0
    answer: tuple[Shown, ...] = ()
    changed: tuple[tuple[Shown, int], ...] = ()


@dataclass(frozen=True)
class Conversation:
    """Mails that follow each other, about one board, about two of the same players, or about none."""

    players: tuple[str, ...]
    steps: tuple[Step, ...]
    logs: tuple[tuple[Logged, ...], ...] = ()


def sign_ups(games: tuple[Conversation, ...]) -> tuple[Conversation, ...]:
    """Everybody who will play opens an account, and wants each move acknowledged and each board that changes."""
    people = dict.fromkeys(who for game in games for who in game.players)
    return tuple(
        Conversation(
            (who,),
            (
                Step(who, (f"signup {who} {password(who)}",)),
                Step(who, tuple(f"set {who} {password(who)} {each}" for each in ("receipts on", "mail all"))),
            ),
        )
        for who in people
    )


def conversations(random: Random, mails: int) -> tuple[Conversation, ...]:
    """Whole games that take at least so many mails together."""
    found: list[Conversation] = []
    slips: Counter[str] = Counter()
    while sum(len(each.steps) for each in found) < mails:
        crowd, game = divmod(len(found), STARTED_BY_EACH * len(NAMES))
        starter, *others = (f"{name}{crowd}" for name in (*NAMES[game % 6 :], *NAMES[: game % 6]))
        players = (starter, *random.sample(others, random.choice((1, 1, 2))))
        boards = random.choice((1, 2)) if game < len(NAMES) else 1
        found.append(_Writer(random, players, boards, mails // AT_A_TIME, slips).conversation())
    return tuple(found)


def password(who: str) -> str:
    """A player's password."""
    return f"sesame-{who}"


class _Writer:
    """Plays the games of one conversation, and writes down each mail."""

    def __init__(
        self, random: Random, players: tuple[str, ...], boards: int, longest: int, slips: Counter[str]
    ) -> None:
        self._random, self._players, self._longest, self._slips = random, players, longest, slips
        self._tables = [Table(SIDE, SIDE, len(players)) for _ in range(boards)]
        self._logs: list[list[Logged]] = [[] for _ in range(boards)]
        self._steps: list[Step] = []

    def conversation(self) -> Conversation:
        """The whole conversation, until all its boards are over."""
        line = f"challenge {' '.join(self._players)} -size={SIDE}x{SIDE}"
        places = range(len(self._tables))
        self._write(self._players[0], [line] * len(places), touched=places)
        while going := [place for place in places if not self._is_over(place)]:
            place = self._random.choice(going)
            if len(self._steps) > self._longest or self._random.random() < RESIGNATIONS:
                self._resign(place)
            elif self._random.random() < SLIPS:
                self._slip(place)
            else:
                self._move(place)
        return Conversation(self._players, tuple(self._steps), tuple(map(tuple, self._logs)))

    def _move(self, place: int) -> None:
        """A move, and in the same mail perhaps one on the other board, or one too many."""
        author = self._on_turn(place)
        lines, touched, refused = [self._play(place)], [place], 0
        others = [each for each in range(len(self._tables)) if each != place and self._on_turn(each) == author]
        chance = self._random.random()
        if others and chance < 0.3:
            lines.append(self._play(others[0]))
            touched += others
        elif others and chance < 0.5:
            lines.append(self._illegal(others[0]))
            self._write(author, lines, touched=touched, seen=others, refused=1)
            return
        elif chance > 0.9 and self._on_turn(place) != author:
            lines.append(f"move {{{place}}} {self._random.choice(self._tables[place].squares)[0]}1")
            refused = 1
        elif chance > 0.8:
            lines.append(f"show {{{place}}}")
        self._write(author, lines, touched=touched, refused=refused)

    def _slip(self, place: int) -> None:
        """A mail that changes nothing: a move that the rules forbid, a move out of turn, a question.

        Of somebody who has sent enough of these already it is a move that is played.
        """
        table, author, refused = self._tables[place], self._on_turn(place), 1
        waiting = [self._players[seat] for seat in table.inside if seat != table.turn]
        match self._random.randrange(3):
            case 0:
                line = self._illegal(place)
            case 1:
                author = self._random.choice(waiting)
                line = f"move {{{place}}} {self._random.choice(sorted(table.legal())).lower()}"
            case _:
                author, refused = self._random.choice(self._players), 0
                line = f"show {{{place}}}"
        if self._slips[author] == SLIPS_OF_EACH:
            self._move(place)
            return
        self._slips[author] += 1
        self._write(author, [line], seen=[place], refused=refused)

    def _resign(self, place: int) -> None:
        table, author = self._tables[place], self._on_turn(place)
        has_moved = any(each.seat == table.turn for each in self._logs[place])
        self._logs[place].append(Logged("resigned" if has_moved else "declined", table.turn, ""))
        if has_moved:
            table.leave(table.turn)
        self._write(author, [f"resign {{{place}}}"], touched=[place])

    def _play(self, place: int) -> str:
        table = self._tables[place]
        move = self._random.choice(sorted(table.legal()))
        self._logs[place].append(Logged("played", table.turn, move))
        table.play(move)
        return f"move {{{place}}} {move.lower()}"

    def _illegal(self, place: int) -> str:
        taken = sorted(map(written, self._tables[place].dice))
        return f"move {{{place}}} {self._random.choice(taken or ['z9']).lower()}"

    def _write(
        self,
        author: str,
        lines: list[str],
        *,
        touched: "list[int] | range" = range(0),
        seen: "list[int] | range" = range(0),
        refused: int = 0,
    ) -> None:
        answer = tuple(self._shown(place) for place in sorted({*touched, *seen}))
        changed = tuple((self._shown(place), self._plies(place)) for place in touched)
        self._steps.append(Step(author, tuple(lines), refused, answer, changed))

    def _shown(self, place: int) -> Shown:
        return Shown(place, self._on_turn(place), tuple(_rows(self._tables[place])))

    def _on_turn(self, place: int) -> str:
        return "" if self._is_over(place) else self._players[self._tables[place].turn]

    def _is_over(self, place: int) -> bool:
        declined = any(each.kind == "declined" for each in self._logs[place])
        return declined or self._tables[place].result() is not None

    def _plies(self, place: int) -> int:
        return sum(each.kind == "played" for each in self._logs[place])


def _rows(table: Table) -> Iterator[str]:
    """The rows of a board as mails draw them, from the top."""
    for row in range(SIDE, 0, -1):
        yield " ".join(_drawn(table.dice.get((letter, row))) for letter in COLUMNS)


def _drawn(die: Die | None) -> str:
    return "..." if die is None else MARKS[die[0]].format(die[1])
