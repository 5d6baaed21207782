"""One new file is a whole new game: the toy beside this file is told to nobody."""

from dataclasses import replace

import pytest

from pbmserv.commands.boards import BoardList, GamesOnOffer, Showing
from pbmserv.commands.challenge import Challenged, WrongNumberOfPlayers
from pbmserv.commands.help import HelpGame, HelpIndex
from pbmserv.commands.lookup import OtherGame
from pbmserv.commands.move import MovePlayed, Resigned
from pbmserv.commands.new_game import NotOffered, UnknownOption, WhichGame
from pbmserv.games import games
from pbmserv.matches.log import BrokenLog, rules_of
from pbmserv.matches.moves import IllegalMove, UnreadableMove
from pbmserv.matches.replay import fold
from pbmserv.parser.parse import parse_mail
from pbmserv.parser.parsed import IncomingMail
from tests.commands.memory import Table
from tests.parser.meaning import meaning, of

TIMES = ("nagtime", "forfeittime", "totaltime", "increment")


@pytest.fixture
def table(second_game: str) -> Table:
    """Three players, a board of each game: 101 of cephalopod, 102 of the toy."""
    table = Table("anna", "bob", "cora")
    table.give("cephalopod challenge anna bob", "anna")
    table.give(f"{second_game} challenge anna bob cora -length=3", "anna")
    return table


def test_it_is_gone_after_the_test() -> None:
    """It is told to nobody else."""
    assert "ninerows" not in games()
    assert meaning("ninerows games anna") == "prose"


def test_which_game(table: Table) -> None:
    """A challenge without a game means the club's own, where it has one; else it must say which."""
    assert table.give("challenge bob cora", "bob") == Challenged(103, "Cephalopod", ("bob", "cora"))
    table.server = replace(table.server, default_game="", games=("cephalopod", "ninerows"))
    assert table.give("challenge anna bob", "anna") == WhichGame(games=("cephalopod", "ninerows"))
    assert isinstance(table.give("hex challenge anna bob", "anna"), NotOffered)
    started = table.give("NineRows challenge bob anna", "anna")
    assert isinstance(started, Challenged)
    assert (started.board, started.title) == (104, "Nine Rows")


def test_its_own_seats_and_options(table: Table) -> None:
    """They are those that it declares."""
    refused = table.give("ninerows challenge anna bob -size=3x3", "anna")
    assert refused == UnknownOption(game="ninerows", options=("length", "rated", "unrated", *TIMES))
    for userid in ("dora", "emil"):
        table.give(f"signup {userid} sesame", f"{userid}@example.org")
    refused = table.give("ninerows challenge anna bob cora dora", "anna")
    assert isinstance(refused, WrongNumberOfPlayers)
    assert (refused.most, refused.example) == (3, ("anna", "bob", "cora"))


def test_a_board_knows_its_game(table: Table) -> None:
    """The game word may be left out; where it stands, it must be right."""
    assert table.give("102 a1", "anna") == MovePlayed(102, "A1")
    assert table.give("ninerows 102 PASS#2", "bob") == MovePlayed(102, "pass")
    other = OtherGame(board=102, named="cephalopod", actual="ninerows")
    for line in ("cephalopod move 102 a2", "cephalopod resign 102", "cephalopod show 102", "cephalopod 102 a2"):
        assert table.give(line, "cora") == other
    assert table.give("102 pass", "cora") == IllegalMove(
        board=102, game="ninerows", rule=1, choices=(), example="a2"
    )
    assert table.give("102 c3", "cora") == IllegalMove(
        board=102, game="ninerows", rule=1, choices=(), example="a2"
    )
    assert table.give("102 swap", "cora") == UnreadableMove(board=102, game="ninerows", example="a2")
    assert table.give("102 resign", "anna") == Resigned(102, others_play_on=True)
    assert table.give("102 a2", "cora") == MovePlayed(102, "A2")
    assert table.give("102 a3", "bob") == MovePlayed(102, "A3")
    assert fold(table.match(102)).outcome is not None


def test_listings(table: Table) -> None:
    """`list` has both, other listings are of both or of one."""
    table.give("ninerows challenge bob cora", "bob")
    offered = table.give("list", None)
    assert isinstance(offered, GamesOnOffer)
    counted = [(each.info.name, each.running) for each in offered.games]
    assert [each for each in counted if each[1]] == [("cephalopod", 1), ("ninerows", 2)]
    assert ("hex", 0) in counted
    for line, expected in [
        ("games", [103, 102, 101]),
        ("ninerows games", [103, 102]),
        ("ninerows games anna", [102]),
        ("list ninerows", [103, 102]),
        ("cephalopod list", [101]),
    ]:
        listed = table.give(line, None)
        assert isinstance(listed, BoardList)
        assert [each.number for each in listed.lines] == expected
    assert table.give("ninerows show anna", None) == Showing((102,), 0)


def test_help(table: Table) -> None:
    """It has its page, and stands in the index."""
    page = table.give("help ninerows", None)
    assert isinstance(page, HelpGame)
    assert page.game.title == "Nine Rows"
    index = table.give("help", None)
    assert isinstance(index, HelpIndex)
    assert {"cephalopod", "hex", "ninerows"} <= {info.name for info in index.games}


def test_answers(table: Table) -> None:
    """Its boards are answered like all others: a bare move where that is a square or a pass, else `move`."""
    for text, expected in [("a1", ["move 102 a1"]), ("move pass", ["move 102 pass"]), ("pass", ["move 102 pass"])]:
        mail = IncomingMail(None, "Re: Nine Rows Board 102: anna vs bob vs cora", text, None, (), None, "key")
        assert [of(line) for line in parse_mail(mail).lines] == expected


def test_a_game_that_is_taken_away(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its boards cannot be folded any more, which is an operator's matter."""
    match = table.match(102)
    assert rules_of(match).info.name == "ninerows"
    monkeypatch.setattr("pbmserv.matches.log.games", dict)
    with pytest.raises(BrokenLog, match="ninerows/1"):
        fold(match)
