"""The laws of a move as the row of what a player touches: what begins so, what is read, what can be tapped."""

from collections.abc import Iterator
from itertools import islice
from random import Random
from typing import Any

from pbmserv.games.game import Game, Illegal, Move, Step, Unfinished
from pbmserv.games.notation import ALONE
from pbmserv.services.laws.setups import VERY_MANY, board_of, read_or_refuse, some, some_moves, spelled


class Look:
    """A position, and of its legal moves those with certain steps; all where they are not very many."""

    def __init__(self, game: Game, position: Any, steps: set[Step]) -> None:
        self.game, self.position, self.board = game, position, board_of(game, position)
        few = list(islice(game.moves(position), VERY_MANY + 1))
        every = (
            few if len(few) <= VERY_MANY else [move for move in game.moves(position) if steps.intersection(move)]
        )
        self.legal = {move: game.write(position, move) for move in every}
        self.texts = {text: move for move, text in self.legal.items()}
        self.by_beginning: dict[Move, set[str]] = {}
        for move, text in self.legal.items():
            for count in range(len(move) + 1):
                self.by_beginning.setdefault(move[:count], set()).add(text)
        assert len(every) == len(self.legal) == len({text.lower() for text in self.texts})

    def write(self, move: Move) -> str:
        """The text of a move."""
        return self.game.write(self.position, move)

    def found(self, begun: Move) -> list[Move]:
        """The moves that the game says to begin so."""
        return list(self.game.moves(self.position, begun))

    def read(self, text: str) -> Any:
        """What a text means, or why it means nothing."""
        return read_or_refuse(self.game, self.position, text)


def check_moves(game: Game, position: Any, random: Random) -> None:
    """The laws of the moves of a position; where there are many, of some of them."""
    looked_at = some_moves(game, position, random)
    steps: list[Step] = [*range(len(board_of(game, position).names)), *game.info.words]
    alone = some(steps, random)
    look = Look(game, position, {*alone, *(move[0] for move in looked_at)})
    check_steps(look)
    for move in looked_at:
        check_texts(look, move)
        check_ends(look, move)
        assert reached_by_tapping(look, move) == look.write(move)
    right = {move[:count] for move in looked_at for count in range(1, len(move) + 1)}
    wrong = [(step,) for step in alone] + list(wrong_beginnings(steps, looked_at, random))
    for begun in [*sorted(right, key=str), *wrong]:
        check_begun(look, begun)
        if look.found(begun):
            check_reading(look, begun)
        else:
            check_refusing(look, begun)


def check_steps(look: Look) -> None:
    """Moves touch cells of the board and words of the game."""
    every = range(len(look.board.names))
    for move in look.legal:
        assert isinstance(move, tuple)
        assert move
        assert not isinstance(move[0], str) or len(move) > 1 or move[0] in ALONE
        for step in move:
            assert step in look.game.info.words if isinstance(step, str) else step in every


def check_texts(look: Look, move: Move) -> None:
    """The stored notation of a move and its steps, with anything between them, are that move in any case."""
    text = look.write(move)
    assert text.isascii()
    assert text.isprintable()
    assert text == text.strip() != ""
    assert len(text) <= 72
    for typed in (text, text.upper(), text.lower()):
        assert look.read(typed) == move
        assert hash(look.read(typed)) == hash(move)
    for gap in ("-", " ", ", ", ""):
        for typed in (spelled(look.board, move, gap), spelled(look.board, move, gap).upper()):
            assert look.read(typed) == move


def check_begun(look: Look, begun: Move) -> None:
    """Exactly the moves that begin so are found.

    Where steps may be touched in any order, the ones found beside are legal moves with their steps in that order.
    """
    found = look.found(begun)
    assert found == look.found(begun)
    assert all(move[: len(begun)] == begun for move in found)
    written = [look.write(move) for move in found]
    wanted = look.by_beginning.get(begun, set())
    assert len(set(written)) == len(written)
    assert wanted <= set(written) <= look.texts.keys()
    for move, text in zip(found, written, strict=True):
        if text not in wanted:
            assert sorted(move, key=str) == sorted(look.texts[text], key=str)
            assert look.game.play(look.position, move) == look.game.play(look.position, look.texts[text])


def wrong_beginnings(steps: list[Step], looked_at: list[Move], random: Random) -> Iterator[Move]:
    """Beginnings of moves that go on in some other way, and moves with their steps in another order."""
    for move in looked_at:
        cut = random.randint(1, len(move))
        yield (*move[:cut], random.choice(steps))
        yield (*move[:cut], move[0])
        yield (*move[:1], *random.sample(move[1:], len(move) - 1))


def check_reading(look: Look, begun: Move) -> None:
    """A beginning is read as the move that it is, or as the only one that begins so, or else it is unfinished."""
    found = look.found(begun)
    for typed in (spelled(look.board, begun), spelled(look.board, begun, " ").upper()):
        answer = look.read(typed)
        assert isinstance(answer, Unfinished) or answer in look.legal
        if begun in found:
            assert look.write(answer) == look.write(begun)
        elif len(found) == 1:
            assert look.write(answer) == look.write(found[0])
        else:
            assert isinstance(answer, Unfinished)
            assert answer.begun == begun


def check_refusing(look: Look, steps: Move) -> None:
    """What begins no move is refused, unless it has the first and the last step of one that has others between."""
    if look.game.info.dialect:
        return
    answer = look.read(spelled(look.board, steps))
    if not isinstance(answer, Illegal | Unfinished):
        assert len(steps) == 2
        assert len(answer) > 2
        assert (answer[0], answer[-1]) == steps


def check_ends(look: Look, move: Move) -> None:
    """The first and the last step of a longer move are enough where no other move has both."""
    ends = (move[0], move[-1])
    if len(move) < 3 or look.found(ends):
        return
    alike = [each for each in look.legal if (each[0], each[-1]) == ends]
    answer = look.read(spelled(look.board, ends))
    if len(alike) == 1:
        assert answer == move
    else:
        assert isinstance(answer, Unfinished)
        assert len(look.found(answer.begun)) > 1
        assert all(each[: len(answer.begun)] == answer.begun for each in alike)


def reached_by_tapping(look: Look, move: Move) -> str:
    """The text that tapping a move's steps writes: as soon as one move is left, or when all have been tapped."""
    begun: Move = ()
    while len(begun) < len(move):
        found = list(look.legal) if not begun else look.found(begun)
        if len(found) == 1:
            return look.write(found[0])
        assert any(each[len(begun) : len(begun) + 1] == move[len(begun) : len(begun) + 1] for each in found)
        begun = move[: len(begun) + 1]
    return look.write(look.read(spelled(look.board, begun)))
