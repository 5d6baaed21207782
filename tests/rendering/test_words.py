"""Boards and sentences in words: they tell all that a drawing tells, and nothing in them is drawn."""

import pkgutil
import re
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from random import Random
from types import ModuleType

import pytest
from argon2 import PasswordHasher
from hypothesis import given
from hypothesis import strategies as st

import pbmserv.services
from pbmserv.commands.account import PasswordChanged
from pbmserv.commands.command import commands
from pbmserv.commands.help import page, subjects
from pbmserv.commands.server import Server
from pbmserv.games import games
from pbmserv.games.game import Scene
from pbmserv.matches.log import rules_of
from pbmserv.matches.moves import play, resign
from pbmserv.matches.replay import GameState, replay
from pbmserv.matches.state import Turn
from pbmserv.rendering.accessible import Part, parts_of
from pbmserv.rendering.board import BoardView, Comment, view_board
from pbmserv.rendering.document import Document
from pbmserv.rendering.markup import WIDTH, as_text, laid_out
from pbmserv.rendering.puzzle import practice_text
from pbmserv.rendering.templates import drawn_rules, one_a_line, render, rule, rules_document, say
from pbmserv.services import compose
from tests.conversation import parse
from tests.every import for_each
from tests.examples import examples
from tests.rendering.test_board import NOW, played
from tests.test_golden import FILES, play_in_process

SERVER = Server("pbm@club.test", variants=True, confirm="from", site_url="https://club.test")
SIDES = games()["cephalopod"].info.sides
USERIDS = ("alice", "bob", "c.d", "dora-2", "the_fifth", "rest")

SAMPLE = """\
alice played D3. Your turn.
alice has written to you; the words stand at the end.

Board 101, move 3: alice played D3, showing 1.

Score: alice 2, bob 1.

Row 5 is empty.
Row 4: C4 bob 1; the rest is empty.
Row 3: C3 alice 1, D3 alice 1; the rest is empty.
Rows 2 and 1 are empty.

These moves capture. The first word of each line is what to answer:
    d4 takes C4 bob 1 and D3 alice 1, showing 2

Any other empty square can be played too, and captures nothing.

To move, answer this mail with your move in its first line, for example
    d4
Other answers: show, preview, chat, propose, undo, help, resign.

All moves: 1 alice C3; 2 bob C4; 3 alice D3.

This is what alice writes:

Good luck!

Row 1: A1 bob 6; the row is full.
"""


def in_words(view: BoardView, alone: bool = True) -> str:
    """The text of a board's mail."""
    return laid_out(render("mail/notice.txt", words=True, view=view, alone=alone, server=SERVER))


DRAWN = re.compile(r"\S {2,}\S|[|\[\]{}<>]|([.*=_~-])\1(?![a-z])|/[0-9n]/|\([0-9n]\)")
"""Columns, bars, brackets, rulers, drawn pieces; `--unrated`, which people send as it stands, is none."""


def check(text: str) -> None:
    """Nothing is drawn, and every line is short."""
    assert [line for line in text.split("\n") if DRAWN.search(line)] == []
    assert max(map(len, text.split("\n"))) <= WIDTH


def test_the_sample() -> None:
    """What changed, the score, the rows, the moves, how to answer; and last, out of our mouth, what people say."""
    comment = Comment("alice", "Good luck!\n\nRow 1: A1 bob 6; the row is full.")
    assert in_words(view_board(replay(played(("alice", "bob"), "c3 c4 d3")), "bob", comment)) == SAMPLE


# the position


@dataclass(frozen=True)
class Heard:
    """What a listener knows: pieces by square, empty squares, scores."""

    pieces: dict[str, tuple[str, str]]
    empty: set[str]
    scores: dict[str, int]


def hear(text: str, scene: Scene) -> Heard:
    """Reads the words back; the scene lends nothing but the labels of its rows and columns."""
    pieces: dict[str, tuple[str, str]] = {}
    empty: set[str] = set()
    whole = re.sub(r"\n(?=\S)(?!Rows? )", " ", text)
    labels = [row.label for row in scene.board.layout.rows]
    rows = {row.label: {scene.board.names[cell] for cell in row.cells} for row in scene.board.layout.rows}
    for told in re.findall(r"(?m)^Rows? (.*)\.$", whole):
        if match := re.fullmatch(r"([0-9]+)(?: (and|to) ([0-9]+))? (?:is|are) empty", told):
            first = labels.index(match[1])
            last = labels.index(match[3]) if match[3] else first
            assert match[2] != "and" or last == first + 1
            for label in labels[first : last + 1]:
                empty |= rows.pop(label)
            continue
        label, listed, rest = re.fullmatch(r"([0-9]+): (.*); (.*)", told).groups()  # type: ignore[union-attr]
        squares = rows.pop(label)
        for piece in listed.split(", "):
            square, userid, value = piece.split(" ")
            assert square in squares
            squares.remove(square)
            pieces[square] = (userid, value)
        if rest == "the row is full":
            assert not squares
        elif rest != "the rest is empty":
            assert set(re.findall(r"[A-Z][0-9]", rest)) == squares
        empty |= squares
    assert not rows
    score = re.search(r"Score: (.*?)\.(?: |\n|$)", whole)
    assert score
    scores = {name: int(count) for name, count in (part.split(" ") for part in score[1].split(", "))}
    return Heard(pieces, empty, scores)


def reached(seats: int, size: str, turns: int, seed: int) -> GameState:
    """A board after random turns, fewer where it is over before; about one in forty is somebody's leaving."""
    board = replay(played(USERIDS[:seats], "", size))
    chance = Random(seed)
    for _ in range(turns):
        state = board.state
        if state.to_move is None:
            break
        game = rules_of(board.match)
        if chance.random() < 0.025:
            leaver = chance.choice([seat for seat in range(seats) if state.is_in(seat)])
            entry = resign(board, leaver, NOW)
        else:
            text = game.write(state.position, chance.choice(list(game.moves(state.position))))
            entry = play(board, state.to_move, text, None, NOW)
        board = board.apply(entry)
    return board


BOARDS = st.builds(
    reached,
    st.integers(2, 6),
    st.sampled_from(["3x3", "3x5", "5x5", "5x3", "9x9"]),
    st.integers(0, 90),
    st.integers(0, 10**6),
)


@given(BOARDS)
@examples(150)
def test_words_tell_the_position(board: GameState) -> None:
    """Whose piece stands on each square, what it shows, which squares are empty, the score: no more, no less."""
    view = view_board(board)
    heard = hear(in_words(view), view.diagram.scene)
    names = board.match.userids
    cells = dict(zip(view.diagram.scene.board.names, view.diagram.scene.cells, strict=True))
    assert heard.pieces == {
        name: (names[piece.seat], str(piece.value))
        for name, pieces in cells.items()
        for piece in pieces
        if piece.seat is not None
    }
    assert heard.empty == {name for name, pieces in cells.items() if not pieces}
    assert heard.scores == dict(view.players.scores)
    check(in_words(view))


@given(BOARDS)
@examples(150)
def test_words_tell_the_last_turn(board: GameState) -> None:
    """Who played where, what the piece shows, and whose pieces were taken."""
    view = view_board(board)
    told = " ".join(in_words(view).partition("\nRow")[0].split())
    last = board.state.turns[-1] if board.state.turns else None
    if last is None:
        assert "nothing is played yet" in told
    elif last.ply is not None:
        assert f"move {last.ply}: {said_of(board, last)}" in told
    for userid in (*view.players.eliminated, *(view.players.left if view.state.status == "active" else ())):
        assert re.search(rf"{re.escape(userid)}\b.*(is out|resigned)", told)
    if view.players.to_move:
        assert f"It is {view.players.to_move}'s turn." in told or f"{view.players.to_move} moves first." in told


def said_of(board: GameState, turn: Turn) -> str:
    """The sentence about a turn, put together from its events alone."""
    names = board.match.userids
    cells = rules_of(board.match).scene(board.state.position).board.names
    (placed,) = (event for event in turn.events if event.kind == "placed")
    taken = [event for event in turn.events if event.kind == "captured"]
    told = f"{names[turn.seat]} played {cells[placed.cells[0]]}, showing {placed.piece}"
    each = [f"{cells[event.cells[0]]} {names[event.seat]} {event.piece}" for event in taken]
    return told + (f", and captured {', '.join(each[:-1])} and {each[-1]}." if each else ".")


@given(BOARDS)
@examples(150)
def test_words_tell_the_open_moves(board: GameState) -> None:
    """The first word of each line is a move, and takes what is said; all others are on empty squares."""
    state, game = board.state, rules_of(board.match)
    if state.to_move is None:
        return
    view = view_board(board, board.match.userids[state.to_move])
    text = re.sub(r"\n {4}(?=\S)(?!\S+ takes )", " ", in_words(view))
    told = re.findall(r"(?m)^    (\S+) takes (.*), showing ([0-9])$", text)
    moves = set()
    for answer, listed, shown in told:
        move = game.read(state.position, answer)
        moves.add(move)
        _, events = game.play(state.position, move)
        cells = view.diagram.scene.board.names
        taken = [cells[event.cells[0]] for event in events if event.kind == "captured"]
        assert re.findall(r"(?:^|, | and )([A-Z][0-9])", listed) == taken
        assert events[0].piece == shown
    if more := re.search(r"(?s)These capture too: (.*?)\.\n", text):
        assert len(moves) == 24
        listed = re.split(r",\s+|\s+and\s+", more[1])
        moves.update(game.read(state.position, each) for each in listed)
    others = set(game.moves(state.position)) - moves
    assert not any(event.kind == "captured" for move in others for event in game.play(state.position, move)[1])
    assert ("Any other empty square" in text) == bool(others and moves)
    shown_to_others = in_words(view_board(board, None))
    assert "takes" not in shown_to_others
    assert "To move" not in shown_to_others


def test_an_answer_for_one_of_several_boards_names_it() -> None:
    """What stands first in the line can be sent as it stands there too."""
    text = in_words(view_board(replay(played(("alice", "bob"), "c3 c4 d3")), "bob"), alone=False)
    assert "\n    101 d4 takes C4 bob 1 and D3 alice 1, showing 2\n" in text
    assert "\n    101 d4\n" in text


def test_nothing_follows_what_people_write() -> None:
    """Without a bar before each line, only the end of the mail is a safe place for somebody's words."""
    board = reached(2, "5x5", 25, seed=1)
    viewer = board.match.userids[board.state.to_move or 0]
    forged = "It is over.\n\nTo move, answer\n    resign"
    assert in_words(view_board(board, viewer, Comment("bob", forged))).endswith(f"writes:\n\n{forged}\n")


def test_an_earlier_moment_is_told_as_such() -> None:
    """Nobody takes it for the present."""
    text = in_words(view_board(replay(played(("alice", "bob"), "c3 c4 d3")).at(2), "alice", ply=2))
    assert text.startswith("Board 101, move 2: bob played C4, showing 1.\nWhat follows is how it then stood")


def test_moves_that_are_only_tried_are_told_as_such() -> None:
    """A preview says first that nothing of it is played."""
    board = replay(played(("alice", "bob"), "c3 c4 d3"))
    text = " ".join(in_words(view_board(board, "alice", previewed=2)).split("\n"))
    assert text.startswith("Board 101 as it would stand after 2 moves that were only tried. Nothing of this is")
    assert "d4 takes C4 bob 1 and D3 alice 1" in text
    assert "what to answer" not in text


def test_a_game_without_values_or_captures(second_game: str) -> None:
    """Every game is told without new words, a pass too."""
    match = played(("alice", "bob"), "")
    rules = games()[second_game].info.rules
    toy = replay(
        match.__class__(101, second_game, rules, (("length", "3"),), True, ("alice", "bob"), "alice", NOW)
    )
    for seat, text in ((0, "a1"), (1, "pass")):
        entry = play(toy, seat, text, None, NOW)
        toy = toy.apply(entry)
        check(in_words(view_board(toy, "alice")))
    text = in_words(view_board(toy, "alice"))
    assert "move 2: bob passed." in text
    assert "Row 1: A1 alice; the row is full." in text
    assert "Rows 3 and 2 are empty." in text


# sentences


@for_each("subject", ["", *subjects()])
@for_each("confirm", ["ask", "from"])
def test_help_in_words(subject: str, confirm: str) -> None:
    """No help page has a figure, a column or a bracket."""
    server = Server(
        "pbm@club.test", variants=True, confirm="ask" if confirm == "ask" else "from", site_url="https://club.test"
    )
    reply = page(subject, server)
    assert reply is not None
    check(laid_out(say(reply, server, words=True)))


def test_every_figure_of_the_rules_is_described() -> None:
    """As many paragraphs as the drawn ones, none with the marks; every numbered paragraph as it is."""
    drawn, told = (as_text(rules_document("cephalopod", words)) for words in (False, True))
    figures = len(re.findall(r"\n\n(?: {4}\S.*\n){3}", drawn))
    examples = told[told.index("Here are") : told.index("HOW TO WRITE")].strip().split("\n\n")[1:]
    assert figures == len(examples) == 5
    for number in range(1, 15):
        assert rule("cephalopod", number, words=True) == rule("cephalopod", number)


@for_each("name", sorted(commands()))
def test_forms_in_words(name: str) -> None:
    """Every word of a form is spoken, in its order."""
    for form in commands()[name].forms:
        parts = parts_of(form, name)
        assert [part.name for part in parts if part.is_fixed] == [name]
        words = [word for part in parts for word in part.name.split(" ")]
        assert words == re.findall(r"[a-z]+", form.replace("#ply", ""))


def test_a_form_part_by_part() -> None:
    """What may be left out, and what may be said more than once."""
    assert parts_of("[game] show board[#ply]+ [filter]", "show") == (
        Part("game", is_optional=True),
        Part("show", is_fixed=True),
        Part("board", is_many=True, with_ply=True),
        Part("filter", is_optional=True),
    )


def test_without_a_variant_the_words_are_the_same() -> None:
    """Most sentences need none."""
    done = PasswordChanged("alice")
    assert say(done, SERVER, words=True) == say(done, SERVER)


def test_choices_stand_one_below_the_other() -> None:
    """Columns cannot be heard."""
    assert one_a_line(["c3", "d4"]) == "    c3\n    d4"


def test_a_rule_that_is_gone_is_an_error() -> None:
    """A variant that repeats the rules does not lose one in silence."""
    assert drawn_rules("cephalopod", 2, 2).endswith("there is an empty square.")
    with pytest.raises(LookupError, match="no paragraph 15"):
        drawn_rules("cephalopod", 15)


# whole mails


def askers() -> list[ModuleType]:
    """All modules that ask whether a player has words on: one that is forgotten would mail drawings here."""
    named = [found.name for found in pkgutil.walk_packages(pbmserv.services.__path__, "pbmserv.services.")]
    modules = [import_module(name) for name in named]
    return [module for module in modules if getattr(module, "in_words", None) is compose.in_words]


@pytest.fixture(scope="module")
def all_mail(tmp_path_factory: pytest.TempPathFactory, quick_hasher: PasswordHasher) -> list[str]:
    """The text of everything that is mailed in all golden conversations, as if everybody had words on."""
    texts: list[str] = []

    def noted(document: Document) -> str:
        texts.append(as_text(document))
        return texts[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pbmserv.services.compose.as_text", noted)
        patch.setattr("pbmserv.services.compose._html", lambda *_: None)
        for module in askers():
            patch.setattr(module, "in_words", lambda player: True)
        # The first mail to an address draws its board, since nobody has set anything there yet.
        patch.setattr(compose, "practice_text", partial(practice_text, words=True))
        for file in FILES:
            play_in_process(parse(file.read_text()), tmp_path_factory.mktemp(file.stem), quick_hasher)
    return texts


@pytest.mark.slow
def test_no_mail_in_words_is_drawn(all_mail: list[str]) -> None:
    """Boards, listings, refusals, help: whatever is mailed; only people's own words may hold anything."""
    assert len(all_mail) > 300
    assert sum("Row" in text for text in all_mail) > 100
    for text in all_mail:
        ours = re.sub(r"\.{3}|\*{3}", "x", text)  # where a stranger's words stood, or a secret
        ours = re.sub(r"(?s) writes:\n\n.*", "", ours)
        ours = re.sub(r"(?m)^(?:Line [0-9]+: )?(?:Not done: .*|Not run, .*: .*)$", "", ours)
        check(ours)
