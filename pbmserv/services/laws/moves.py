"""The laws of moves, of how games go and end, and of what happens at each ply."""

from collections.abc import Iterator
from itertools import islice
from random import Random
from typing import Any, Final, cast, get_args

from pbmserv.games.game import (
    Event,
    EventKind,
    Game,
    Illegal,
    ManySeats,
    Move,
    Outcome,
    Reason,
    Seat,
    Step,
    Unfinished,
    may_win,
)
from pbmserv.games.notation import ALONE
from pbmserv.rendering.news import changes_in
from pbmserv.rendering.templates import sentence_of
from pbmserv.services.laws.setups import (
    VERY_MANY,
    Setup,
    any_move,
    board_of,
    chance,
    reached,
    read_or_refuse,
    some,
    some_moves,
    spelled,
)


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


MOST_PLIES: Final = 5000
LOOKS: Final = 3
"""How many positions of a playout are looked at closely."""


def check_position(setup: Setup, position: Any, random: Random) -> None:
    """What holds of every position and of its moves, of which some are played."""
    game, before = setup.game, (repr(position), hash(position))
    seat, outcome = game.to_move(position), game.outcome(position)
    legal = list(islice(game.moves(position), VERY_MANY))
    assert (seat is None) != (outcome is None)
    assert bool(legal) == (seat is not None)
    assert seat is None or seat in range(setup.seats)
    assert list(islice(game.moves(position), VERY_MANY)) == legal
    assert len(set(legal)) == len(legal)
    for move in some_moves(game, position, random):
        after, events = game.play(position, move)
        assert (after, events) == game.play(position, move)
        assert after != position
        assert hash(after) == hash(game.play(position, move)[0])
        check_events(setup, position, events)
    assert (repr(position), hash(position)) == before


def check_events(setup: Setup, position: Any, events: tuple[Event, ...]) -> None:
    """Something happened, to a seat and to cells that there are; and what the players on turn did is the first."""
    names = board_of(setup.game, position).names
    every = range(len(names))
    assert events
    assert isinstance(events, tuple)
    for event in events:
        assert event.kind in get_args(EventKind)
        assert event.seat in range(setup.seats)
        assert all(type(cell) is int and cell in every for cell in event.cells)
        assert event.piece.isascii()
        assert event.count >= 0
        assert len(set(event.cells)) == len(event.cells) or event.kind in ("moved", "sown")
        assert bool(event.cells) or event.kind in ("passed", "swapped", "scored", "eliminated", "left", "changed")
        assert len(event.cells) >= 2 or event.kind != "moved"
        assert event.count > 0 or event.kind not in ("sown", "scored")
        assert event.piece or event.kind != "promoted"
        assert event.kind != "left"
    for change in changes_in(setup.game.info.name, names, events, ["one", "two"] * setup.seats):
        assert all(sentence_of(change, reader).endswith((".", "!")) for reader in ("one", "two"))


def check_outcome(setup: Setup, outcome: Outcome | None, gone: list[Seat]) -> None:
    """Ranks as after a race: from 1, ties sharing the better one, those who have gone last; and why."""
    assert outcome is not None
    ranks, scores = outcome.ranks, outcome.scores
    assert len(ranks) == setup.seats
    assert len(scores) in (0, setup.seats)
    assert outcome.reason in get_args(Reason)
    assert list(ranks) == [1 + sum(other < rank for other in ranks) for rank in ranks]
    stayed = [seat for seat in range(setup.seats) if seat not in gone]
    worst = max(ranks[seat] for seat in stayed)
    assert all(ranks[seat] > worst for seat in gone)
    assert (outcome.reason == "alone") == (len(stayed) == 1)
    assert ranks.count(1) > 1 or outcome.reason != "draw"
    assert ranks.count(1) == 1 or outcome.reason not in ("score", "goal")
    assert ranks.count(1) == 1 or outcome.reason not in ("score", "goal", "mate", "king", "checks", "perpetual")
    if outcome.reason == "score":
        assert scores
        assert sorted(stayed, key=lambda seat: ranks[seat]) == sorted(stayed, key=lambda seat: -scores[seat])


def check_playout(setup: Setup) -> Any:
    """A random game ends as games end, and its texts lead to the same end again, which it gives.

    A player who has won alone could always still win.
    """
    game, random = setup.game, chance(f"playout of {setup}")
    position = setup.start()
    texts: list[str] = []
    gone: list[Seat] = []
    while (seat := game.to_move(position)) is not None:
        assert seat in range(setup.seats)
        assert seat not in gone
        assert len(texts) < MOST_PLIES
        move = any_move(game, position, random)
        texts.append(game.write(position, move))
        position, events = game.play(position, move)
        gone += [event.seat for event in events if event.kind == "eliminated"]
    check_position(setup, position, random)
    outcome = game.outcome(position)
    check_outcome(setup, outcome, gone)
    won = [seat for seat, rank in enumerate(outcome.ranks if outcome else ()) if rank == 1]
    assert len(set(gone)) == len(gone) < setup.seats

    looks = {0, *random.sample(range(len(texts)), min(LOOKS, len(texts)))}
    again = setup.start()
    for ply, text in enumerate(texts):
        if ply in looks:
            check_position(setup, again, random)
        assert len(won) > 1 or may_win(game, again, won[0])
        again, _ = game.play(again, game.read(again, text))
    assert again == position
    assert hash(again) == hash(position)
    return position


def check_leaving(setup: Setup) -> None:
    """Players leave until one is alone, or the game is over, and the others play on."""
    game, random = cast(ManySeats, setup.game), chance(f"leaving {setup}")
    position = reached(setup, setup.seats * 3, random)
    inside = list(range(setup.seats))
    gone: list[Seat] = []
    while len(inside) > 1 and game.to_move(position) is not None:
        before = repr(position)
        leaver = random.choice(inside)
        was_on_turn = game.to_move(position)
        after, events = game.leave(position, leaver)
        assert repr(position) == before
        assert events[0] == Event("left", leaver)
        inside.remove(leaver)
        gone.append(leaver)
        out = [event.seat for event in events if event.kind == "eliminated"]
        inside = [seat for seat in inside if seat not in out]
        gone += out
        position = after
        if leaver != was_on_turn and game.to_move(position) is not None:
            assert game.to_move(position) == was_on_turn
        check_position(setup, position, random)
        assert game.to_move(position) in {*inside, None}
    check_outcome(setup, game.outcome(position), gone)
