"""What each command decides."""

import pytest

from pbmserv.commands.account import PasswordChanged
from pbmserv.commands.address import (
    AccountOpened,
    AddressTaken,
    BadAddress,
    BadUserid,
    OurAddress,
    SignedUp,
    UseridTaken,
)
from pbmserv.commands.boards import BoardList, GamesOnOffer, NextBoards, Showing
from pbmserv.commands.changes import NewPassword, NewPlayer, RevokedWords
from pbmserv.commands.command import BoardRef, Decision, NotOurPlayer, commands
from pbmserv.commands.help import HelpCommand, HelpCommands, HelpGame, HelpIndex, HelpTopic, NoHelpOn
from pbmserv.commands.lookup import NoSuchBoard, NoSuchPlayer, NoSuchPly, NotYourBoard, UnknownGame
from pbmserv.commands.move import Declined, MovePlayed, Resigned
from pbmserv.commands.permission import YesNeeded
from pbmserv.commands.server import Server
from pbmserv.games import games
from pbmserv.matches.errors import CommandError
from pbmserv.matches.moves import GameOver, NotYourTurn, StalePly, UnreadableMove
from tests.commands.memory import Table


def numbers(reply: object) -> list[int]:
    """The boards of a listing."""
    assert isinstance(reply, BoardList)
    return [line.number for line in reply.lines]


def test_help(table: Table) -> None:
    """Pages for everything that works, and what was perhaps meant for everything else."""
    for line, kind in [
        ("help", HelpIndex),
        ("help commands", HelpCommands),
        ("help tutorial", HelpTopic),
        ("help Cephalopod", HelpGame),
        ("help MOVE", HelpCommand),
        ("help change password", HelpCommand),
    ]:
        assert type(table.give(line, None)) is kind
    listed = table.give("help commands", None)
    assert isinstance(listed, HelpCommands)
    assert [command.name for command in listed.commands] == list(commands())
    assert table.give("help mvoe", None) == NoHelpOn(suggestions=("move", "revoke"))
    assert table.give("help cefalopod", None) == NoHelpOn(suggestions=("cephalopod",))


def test_signup(table: Table) -> None:
    """Opens an account for the sender's address."""
    decided = table.decide("signup Dora poppy", "dora@example.org")
    assert isinstance(decided, Decision)
    assert decided.reply == SignedUp("Dora", "dora@example.org", has_password=True)
    assert decided.changes == (NewPlayer("Dora", "dora@example.org", "hashed"),)
    assert "hashed" not in repr(decided)


def test_signup_needs_no_password(table: Table) -> None:
    decided = table.decide("signup Dora", "dora@example.org")
    assert isinstance(decided, Decision)
    assert decided.reply == SignedUp("Dora", "dora@example.org")
    assert decided.changes == (NewPlayer("Dora", "dora@example.org", None),)


@pytest.mark.parametrize(
    ("line", "sender", "expected"),
    [
        ("signup move poppy", "d@example.org", BadUserid(why="reserved", free=("move2", "move3"))),
        ("signup c3 poppy", "doro@example.org", BadUserid(why="reserved", free=("c310", "c311"))),
        ("signup d poppy", "d@example.org", BadUserid(why="form", free=("player", "player2"))),
        ("signup d\u00f6ra poppy", "d@example.org", BadUserid(why="form", free=("player", "player2"))),
        (
            "signup ANNA poppy",
            "d@example.org",
            UseridTaken(userid="ANNA", like="Anna", free=("ANNA2", "ANNA3")),
        ),
        (
            "signup a-n-a poppy",
            "d@example.org",
            UseridTaken(userid="a-n-a", like="Anna", free=("a-n-a2", "a-n-a3")),
        ),
        ("signup dora poppy", "ANNA@example.org", AddressTaken(address="anna@example.org", userid="Anna")),
        ("signup dora poppy d@e@f", "d@example.org", BadAddress()),
        ("signup dora poppy", None, NotOurPlayer(command="signup")),
    ],
)
def test_signup_refused(table: Table, line: str, sender: str | None, expected: CommandError) -> None:
    """Names that mean something else, and what belongs to somebody, whatever its case."""
    sender = sender.lower() if sender else None
    assert table.give(line, sender) == expected


def test_nobody_signs_up_as_the_server(table: Table) -> None:
    """Neither by its name nor for its address, whatever an operator has called it."""
    table.server = Server("parlour@club.test")
    refused = table.give("signup parlour poppy", "dora@example.org")
    assert isinstance(refused, BadUserid)
    assert refused.why == "reserved"
    for line in ("signup dora poppy parlour+b@club.test", "add parlour@club.test"):
        assert isinstance(table.give(line, "anna"), OurAddress), line
    table.server = Server("salon@club.test")
    assert isinstance(table.give("signup parlour poppy", "dora@example.org"), SignedUp)


def test_signup_for_somebody(table: Table) -> None:
    """Of an address that is a player's is told the same as of any other, and nothing is done."""
    line = "signup dora poppy bob@example.org"
    decided = table.decide(line, "d@example.org")
    assert isinstance(decided, Decision)
    assert (decided.reply, decided.changes) == (AccountOpened("dora", "bob@example.org"), ())
    assert decided.question is None


def test_signup_elsewhere(table: Table) -> None:
    """Another address than the sender's is asked first, even where a From address is proof."""
    line = "signup dora poppy dora@example.org"
    for proof in ("none", "from"):
        decided = Table().decide(line, "d@example.org", proof)
        assert isinstance(decided, Decision)
        assert decided.reply == AccountOpened("dora", "dora@example.org")
        assert decided.changes == (NewPlayer("dora", "dora@example.org", "hashed", is_confirmed=False),)
        assert decided.question is not None
        assert decided.question.confirmation.address == "dora@example.org"


def test_change_password(table: Table) -> None:
    """Needs proof, which the old password is."""
    line = "change password anna sesame tahini"
    decided = table.decide(line, "anna", "password")
    assert isinstance(decided, Decision)
    assert (decided.reply, decided.changes) == (
        PasswordChanged("Anna"),
        (NewPassword(1, "hashed"), RevokedWords(1)),
    )
    assert table.give(line, "anna", "none") == YesNeeded("change password", why="unproven")


def test_move(table: Table) -> None:
    """One entry in the log, in stored notation, whatever way it was written."""
    decided = table.decide("move 101 c1 #2", "bob")
    assert isinstance(decided, Decision)
    assert decided.reply == MovePlayed(101, "C1")
    assert table.give("101 B1 = c1 + a1", "anna") == MovePlayed(101, "B1xA1,C1")
    (entry,) = decided.entries
    assert (entry.seq, entry.kind, entry.seat, entry.text, entry.at) == (
        2,
        "played",
        1,
        "C1",
        decided.entries[0].at,
    )
    assert table.give("c3", "bob", board=101) == MovePlayed(101, "C3")


def test_move_refused(table: Table) -> None:
    """By board, person, turn, ply and rules."""
    assert table.give("move 999 a2", "bob") == NoSuchBoard(number=999, userid="bob", own=(101,))
    assert table.give("move 101 a2", "cora") == NotYourBoard(board=101, userid="cora")
    assert table.give("move 101 a2", "anna") == NotYourTurn(board=101, to_move="bob", example="b3")
    assert table.give("move 101 a2#1", "bob") == StalePly(
        board=101, move="a2", meant=1, now=2, to_move="bob", again="a2", still_goes=True
    )
    assert table.give("move 101 resign#3", "bob") == StalePly(
        board=101, move="resign", meant=3, now=2, to_move="bob", again="resign", still_goes=True
    )
    assert isinstance(table.give("move 101 later", "bob"), UnreadableMove)
    assert isinstance(
        table.give("ludo move 101 a2", "bob") if False else table.give("101 zz", "bob"), UnreadableMove
    )


@pytest.mark.parametrize("line", ["move 101 a2", "resign 101", "101 resign"])
def test_binding_commands_need_proof(table: Table, line: str) -> None:
    """A From address alone is none, so it waits for a `yes`; who is nobody is told so first."""
    for board in (None, 101):
        decided = table.decide(line, "bob", "none", board)
        assert isinstance(decided, Decision)
        assert isinstance(decided.reply, YesNeeded)
        assert decided == Decision(decided.reply, awaits_yes=True)
    assert table.give(line, "x@example.org") == NotOurPlayer(
        board=101, command=line.split()[-1 if "1 r" in line else 0]
    )
    assert len(table.match(101).entries) == 1


def test_resign(table: Table) -> None:
    """Before one's own first move it declines, later it loses; in both ways the board is over."""
    assert table.give("resign 101", "bob") == Declined(101)
    assert table.give("101 a2", "bob") == GameOver(board=101, declined=True, all_here=True)
    table.give("challenge anna bob cora -size=3x3", "anna")
    for userid, square in [("anna", "a1"), ("bob", "c3"), ("cora", "a3")]:
        table.give(f"102 {square}", userid)
    assert table.give("move 102 RESIGN", "cora") == Resigned(102, others_play_on=True)
    assert table.give("move 102 resign#4", "anna") == Resigned(102, others_play_on=False)
    refused = table.give("102 resign", "bob")
    assert isinstance(refused, GameOver)
    assert (refused.board, refused.declined, refused.all_here) == (102, False, True)


def test_show(table: Table) -> None:
    """Boards as they stand or stood, each once; all or none."""
    decided = table.decide("show 101 101#0 101#1 101", None)
    assert isinstance(decided, Decision)
    assert decided.shown == (BoardRef(101), BoardRef(101, 0), BoardRef(101, 1))
    assert decided.reply == Showing((101, 101, 101), 0)
    assert table.give("show 101#2", None) == NoSuchPly(board=101, ply=2, plies=1)
    assert table.give("show 101 999", None) == NoSuchBoard(number=999)
    assert table.give("show ANNA next", None) == Showing((), 0)
    assert table.give("show bob next", None) == Showing((101,), 0)
    assert table.give("show " + "BOB bob " * 50, None) == Showing((101,), 0)
    assert table.give("show nobody", None) == NoSuchPlayer(suggestions=())
    assert table.give("show", None, board=101) == Showing((101,), 0)


def test_games(table: Table) -> None:
    """All players named are on the board; `next` alone means the sender's."""
    table.give("challenge cora anna", "cora")
    table.give("resign 101", "anna")
    assert numbers(table.give("games", None)) == [102]
    assert numbers(table.give("games all", None)) == [101, 102]
    assert numbers(table.give("games anna inactive", None)) == [101]
    assert numbers(table.give("games anna cora", None)) == [102]
    assert numbers(table.give("games bob cora all", None)) == []
    assert numbers(table.give("cephalopod games", None)) == [102]
    assert numbers(table.give("games next", "anna")) == []
    assert numbers(table.give("games next", "cora", "none")) == [102]
    listed = table.give("games cora CORA Cora", None)
    assert isinstance(listed, BoardList)
    assert listed.wanted.userids == ("cora",)
    assert table.give("games nobody", None) == NoSuchPlayer(suggestions=())


def test_next(table: Table) -> None:
    """The boards where it is one's turn; a stranger must say whose."""
    assert table.give("next", "bob", "none") == NextBoards("bob", (101,), 0, is_own=True)
    assert table.give("next BOB", None) == NextBoards("bob", (101,), 0)
    assert table.give("next", "anna") == NextBoards("Anna", (), 0, is_own=True)
    assert table.give("next", None) == NotOurPlayer(command="next")
    assert table.give("next nobody", None) == NoSuchPlayer(suggestions=())


def test_list(table: Table) -> None:
    """All games, with how many boards are active, and who plays there."""
    offered = table.give("list", None)
    assert isinstance(offered, GamesOnOffer)
    counted = {each.info.name: each.running for each in offered.games}
    assert counted == dict.fromkeys(games(), 0) | {"cephalopod": 1}
    playing = {each.info.name: each.playing for each in offered.games}
    assert playing == dict.fromkeys(games(), ()) | {"cephalopod": ("Anna", "bob")}
    assert numbers(table.give("list cephalopod", None)) == [101]
    assert table.give("list ludo", None) == UnknownGame(suggestions=())
    assert table.give("list shoggi", None) == UnknownGame(suggestions=("shogi", "minishogi"))
