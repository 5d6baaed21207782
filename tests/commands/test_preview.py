"""Trying moves without playing them, and talking on a board."""

import pytest

from pbmserv.commands.command import Decision
from pbmserv.commands.lookup import NoSuchBoard, NotYourBoard, WrongForm
from pbmserv.commands.move import BadPreview, Previewed, TooManyMoves
from pbmserv.commands.talk import Chatted, NobodyListens, NothingToSay, PasswordInWords
from pbmserv.parser.line import parse_line
from pbmserv.parser.parse import ChatAmongOthers, as_kept, parse_mail
from pbmserv.parser.parsed import IncomingMail, Parsed, ParsedMail, Unparsed
from pbmserv.parser.words import normalised
from pbmserv.rendering.board import view_board
from tests.commands.memory import Table

WHOLE_GAME = (
    "b2 a1 a2xa1,b2 c1 b3 a1 c3 c2xc1,c3 b1 b2xa2,b1,b3,c2 a2 b3 b1 c1 c2 c3xb3,c2 a3 c2xc1,c3 b3 "
    "c3xb3,c2 c1 b3xa3,c3 a3xa2,b3 c2 c3 a2 b3"
)
"""On 3x3, up to the last die."""


def read(subject: str, text: str) -> ParsedMail:
    """What a mail asks for."""
    return parse_mail(IncomingMail("bob@example.org", subject, text, None, (), None, "key"))


def test_a_line_is_tried_and_nothing_kept(table: Table) -> None:
    """By whoever is on turn, one after the other; the match stays as it was."""
    before = table.match(101)
    decided = table.decide("preview 101 c1 B1xa1,c1 c1", "bob")
    assert isinstance(decided, Decision)
    assert decided.reply == Previewed(101, ("c1", "b1xa1,c1", "c1"), "c1#2")
    (imagined,) = decided.previews
    assert [(turn.seat, turn.move) for turn in imagined.state.turns] == [
        (0, "A1"),
        (1, "C1"),
        (0, "B1xA1,C1"),
        (1, "C1"),
    ]
    assert (decided.entries, decided.boards, decided.shown, decided.changed_boards) == ((), (), (), ())
    assert table.match(101) == before


@pytest.mark.parametrize("sender", ["anna", "cora", None])
def test_who_is_not_on_turn_can_try_but_not_play(table: Table, sender: str | None) -> None:
    """Anybody may look ahead; only who is on turn is told how to play the first move."""
    assert table.give("preview 101 c1", sender, "none") == Previewed(101, ("c1",), "")


@pytest.mark.parametrize(
    "line",
    [
        "preview 101 c1 b1 c2",
        "PREVIEW 101 c1, b1, c2.",
        "preview 101 c1;b1; c2",
        "101 preview c1 b1 c2",
        "cephalopod preview 101 C1 B1 C2",
        "prevew 101 c1 b1 c2",
    ],
)
def test_how_a_line_may_be_written(table: Table, line: str) -> None:
    """One word a move; what people put between words does no harm."""
    assert table.give(line, "bob") == Previewed(101, ("c1", "b1xa1,c1", "c2"), "c1#2")


def test_in_an_answer_the_board_is_known(table: Table) -> None:
    """As with every command about a board; a number alone is no move."""
    assert table.give("preview c1 b1", "bob", board=101) == Previewed(101, ("c1", "b1xa1,c1"), "c1#2")
    for line, board in [("preview 101", 101), ("preview 101", None), ("preview", 101), ("preview c1", None)]:
        unparsed = parse_line(line, board).unparsed
        assert unparsed is not None
        assert isinstance(unparsed.error, WrongForm)


@pytest.mark.parametrize(
    ("moves", "expected"),
    [
        ("c1 zz", BadPreview(board=101, game="cephalopod", line=("c1",), word="zz", why="unreadable")),
        ("c1 a1", BadPreview(board=101, game="cephalopod", line=("c1",), word="a1", why="illegal", rule=2)),
        ("d9", BadPreview(board=101, game="cephalopod", line=(), word="d9", why="illegal", rule=1)),
        (
            "b2xa1,c1",
            BadPreview(board=101, game="cephalopod", line=(), word="b2xa1,c1", why="illegal", rule=3),
        ),
        (
            "c2 b3 b1 b2",
            BadPreview(board=101, game="cephalopod", line=("c2", "b3", "b1"), word="b2", why="ambiguous"),
        ),
    ],
)
def test_a_line_that_stops(table: Table, moves: str, expected: BadPreview) -> None:
    """It is told where and why, and what can be played there instead: each of those goes."""
    refused = table.give(f"preview 101 {moves}", "bob")
    assert isinstance(refused, BadPreview)
    assert (refused.board, refused.line, refused.word, refused.why, refused.rule) == (
        expected.board,
        expected.line,
        expected.word,
        expected.why,
        expected.rule,
    )
    assert refused.choices
    for choice in refused.choices:
        assert isinstance(table.give(f"preview 101 {' '.join([*refused.line, choice])}", "bob"), Previewed)


def test_a_line_may_end_the_game_but_not_go_on(table: Table) -> None:
    """Nor can one begin on a board that is over."""
    table.give("challenge anna bob -size=3x3", "anna")
    *moves, last = WHOLE_GAME.split()
    for number, move in enumerate(moves):
        table.give(f"102 {move}", ("anna", "bob")[number % 2])
    assert table.give(f"preview 102 {last}", "anna") == Previewed(102, (last,), f"{last}#27")
    refused = table.give(f"preview 102 {last} a1", "anna")
    assert refused == BadPreview(board=102, game="cephalopod", line=(last,), word="a1", why="over")
    table.give(f"102 {last}", "anna")
    refused = table.give("preview 102 a1", "anna")
    assert refused == BadPreview(board=102, game="cephalopod", line=(), word="a1", why="over")


def test_twenty_moves_are_the_most(table: Table) -> None:
    """More are not tried; the first twenty are."""
    table.give("challenge anna bob -size=3x3", "anna")
    moves = WHOLE_GAME.split()
    assert isinstance(table.give(f"preview 102 {' '.join(moves[:20])}", None), Previewed)
    refused = table.give(f"preview 102 {' '.join(moves[:21])}", None)
    assert refused == TooManyMoves(board=102, named=21, limit=20, line=tuple(moves[:20]))


def test_boards_that_are_not_there(table: Table) -> None:
    """As for every command."""
    assert table.give("preview 999 a1", None) == NoSuchBoard(number=999)


def test_a_preview_says_what_it_is(table: Table) -> None:
    """It counts the plies played, tells what could be captured then, and offers nobody to play."""
    decided = table.decide("preview 101 c1", "bob")
    assert isinstance(decided, Decision)
    view = view_board(decided.previews[0], "Anna", previewed=1)
    assert (view.plies, view.players.to_move, view.previewed, view.is_viewers_turn) == (1, "Anna", 1, False)
    assert view.open_moves.captures == (("B1", ("A1", "C1")),)
    assert view_board(decided.previews[0], "Anna").is_viewers_turn


# chat


def test_chat_goes_to_the_others(table: Table) -> None:
    """The board as it stands, to everybody on it; nothing happens on it."""
    decided = table.decide("chat 101", "bob", comment="Well played!")
    assert isinstance(decided, Decision)
    assert decided.reply == Chatted(101, ("Anna",))
    assert decided.changed_boards == (101,)
    assert (decided.entries, decided.changes) == ((), ())
    table.give("resign 101", "anna")
    assert table.give("chat", "anna", board=101, comment="Sorry!") == Chatted(101, ("bob",))


def test_chat_refused(table: Table) -> None:
    """Without words, by somebody who does not play there, where nobody would get them."""
    assert table.give("chat 101", "bob", comment=" \n") == NothingToSay(board=101)
    assert table.give("chat 101", "cora", comment="Hi") == NotYourBoard(board=101, userid="cora")
    table.give("block bob", "anna")
    assert table.give("chat 101", "bob", comment="Hi") == NobodyListens(board=101)
    assert table.give("chat 101", "anna", comment="Hi") == Chatted(101, ("bob",))


@pytest.mark.parametrize(
    ("subject", "text"),
    [
        ("chat 101", "Well played, bob!\nAgain?"),
        ("", "chat 101\nWell played, bob!\nAgain?"),
        ("", "chat 101 Well played, bob!\nAgain?"),
        ("chat 101 Well played, bob!", "Again?"),
        ("101 chat Well played, bob!", "Again?"),
        ("Re: Cephalopod Board 101: anna vs bob", "chat\n\nWell played, bob!\nAgain?"),
        ("Re: Cephalopod Board 101: anna vs bob", "Chat Well played, bob!\nAgain?"),
        ("cephalopod chat 101", "Well played, bob!\nAgain?"),
    ],
)
def test_where_the_words_stand(subject: str, text: str) -> None:
    """Below the command or on its line; a line that is told again never holds them."""
    reading = read(subject, text)
    (line,) = reading.lines
    assert isinstance(line, Parsed)
    assert line.command.name == "chat"
    assert line.line.removeprefix("cephalopod ") == "chat 101"
    assert reading.comment == "Well played, bob!\nAgain?"


def test_words_on_lines_of_several_boards() -> None:
    """Nobody hears what was said on another board's line; below the commands they are for all."""
    reading = read("", "chat 101 Hi bob\nchat 102 Hi cora")
    assert [type(line) for line in reading.lines] == [Unparsed, Unparsed]
    assert [line.error for line in reading.lines if isinstance(line, Unparsed)] == [
        ChatAmongOthers(board=101),
        ChatAmongOthers(board=102),
    ]
    assert reading.comment == ""
    reading = read("", "101 c3\nchat 102 Hi cora")
    assert [isinstance(line, Parsed) for line in reading.lines] == [True, False]
    for text in (
        "101 c3\nchat 101 Well met",
        "chat 101 Well\nshow 102\nchat 101 met",
        "chat 101\nchat 102\nWell met",
    ):
        reading = read("", text)
        assert all(isinstance(line, Parsed) for line in reading.lines)
        assert reading.comment.replace("\n", " ") == "Well met"


def test_a_password_is_no_word(table: Table) -> None:
    """Whoever knows the classic form puts one behind the board: it goes nowhere, and is not kept."""
    text = "chat 101 bob poppy Hello!"
    line = read("", text).lines[0]
    assert isinstance(line, Parsed)
    assert table.give(text, "bob", comment="bob poppy Hello!") == PasswordInWords(board=101, userid="bob")
    assert table.give("chat 101 BOB poppy", "anna", comment="x") == PasswordInWords(board=101, userid="bob")
    assert "poppy" not in as_kept(read("", f"{text}\nand below"))
    assert "and below" in as_kept(read("", f"{text}\nand below"))
    assert isinstance(table.give("chat 101 Bob, hello!", "anna", comment="x"), Chatted)
    assert isinstance(table.give("chat 101 bob", "anna", comment="x"), Chatted)


def test_secrets_in_words_are_blotted() -> None:
    """Also on the command's own line."""
    reading = read("", "as bob sesame\nchat 101 My password is sesame")
    assert reading.comment == "My password is ***"
    assert reading.secrets == ("sesame",)


def test_a_long_line_is_said_whole() -> None:
    """Some programs write a paragraph as one line."""
    words = "word " * 400
    parsed = parse_line(normalised(f"chat 101 {words}"), None).parsed
    assert parsed is not None
    assert parsed.arguments.text == words.strip()
