"""The grammar of a line: tables of lines and what they mean."""

import pytest

from pbmserv.commands.library import commands
from pbmserv.commands.line import read_line
from pbmserv.commands.refusals.common import UnknownCommand, WrongForm
from pbmserv.commands.words import NEVER_BY_SLIP, normalised
from tests.commands.meaning import meaning

BOARD = 101


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("help", "help"),
        ("help commands", "help commands"),
        ("Help Change Password", "help change password"),
        ("cephalopod", "help cephalopod"),
        ("cephalopod help", "help cephalopod"),
        ("signup anna sesame", "signup anna new sesame"),
        ("signup Anna Sesame anna@example.org", "signup Anna anna@example.org new Sesame"),
        ("list", "list"),
        ("list cephalopod", "cephalopod list"),
        ("cephalopod list", "cephalopod list"),
        ("games", "games"),
        ("games anna bob", "games anna bob"),
        ("games next", "games next"),
        ("games anna ALL", "games anna all"),
        ("cephalopod games anna inactive", "cephalopod games anna inactive"),
        ("challenge anna bob", "challenge anna bob"),
        ("Cephalopod Challenge anna bob cora", "cephalopod challenge anna bob cora"),
        ("move 101 c3", "move 101 c3"),
        ("MOVE 101 C3", "move 101 C3"),
        ("move 101 anna sesame c3", "move 101 c3 by anna/sesame"),
        ("cephalopod move 101 anna sesame c3xb3,d3#7", "cephalopod move 101 c3xb3,d3 #7 by anna/sesame"),
        ("move 101 resign", "move 101 resign"),
        ("move 101 anna sesame resign", "move 101 resign by anna/sesame"),
        ("move 101 northwest", "move 101 northwest"),
        ("resign 101", "resign 101"),
        ("resign 101 anna sesame", "resign 101 by anna/sesame"),
        ("cephalopod resign 101", "cephalopod resign 101"),
        ("show 101", "show 101"),
        ("show 101#7 102 103#0", "show 101#7 102 103#0"),
        ("show anna bob", "show anna bob"),
        ("show anna next", "show anna next"),
        ("cephalopod show anna all", "cephalopod show anna all"),
        ("next", "next"),
        ("next anna", "next anna"),
        ("change password anna sesame tahini", "change password anna by anna/sesame new tahini"),
        ("as anna sesame", "as anna/sesame"),
        ("AS Anna Sesame", "as Anna/Sesame"),
        # the board first
        ("101", "show 101"),
        ("101#7", "show 101#7"),
        ("101 c3", "move 101 c3"),
        ("101 c3#7", "move 101 c3 #7"),
        ("119 resign", "resign 119"),
        ("101 show", "show 101"),
        ("101#3 show", "show 101#3"),
        ("101 anna sesame c3", "move 101 c3 by anna/sesame"),
        ("101 resign anna sesame", "resign 101 by anna/sesame"),
        ("101 anna sesame resign", "move 101 resign by anna/sesame"),
        ("cephalopod 101 c3", "cephalopod move 101 c3"),
        ("cephalopod 101", "cephalopod show 101"),
        ("7 c3", "move 7 c3"),
        # options, anywhere after the verb, with dashes of any kind
        ("challenge anna bob -size=3x5", "challenge anna bob -size=3x5"),
        ("challenge --size=3x5 anna bob", "challenge anna bob -size=3x5"),
        ("challenge anna --unrated bob", "challenge anna bob -unrated"),
        ("challenge anna bob \u2013Size=3X5 \u2014unrated", "challenge anna bob -size=3x5 -unrated"),
        ("challenge anna bob \u2013\u2013unrated \u2212size=5x5", "challenge anna bob -size=5x5 -unrated"),
        # guards, and blanks around what stands between squares
        ("move 101 c3 #7", "move 101 c3 #7"),
        ("move 101 c3 # 7", "move 101 c3 #7"),
        ("move 101 pass # 7", "move 101 pass #7"),
        ("move 101 anna sesame c3 x b3 , d3 # 7", "move 101 c3 x b3 , d3 #7 by anna/sesame"),
        ("101 d4 = c4 + d3", "move 101 d4 = c4 + d3"),
        ("move 101 d4 c4 d3", "move 101 d4 c4 d3"),
        # how people and phones write
        ("\uff2dove\u00a0101\u3000\uff43\uff13", "move 101 c3"),
        ("  move\t101   c3 ", "move 101 c3"),
        ("move\u200b 101 c\u00ad3", "move 101 c3"),
        ("\u200emove 101 \u2068c3\u2069", "move 101 c3"),
        ("move 101 d4\u2013c4", "move 101 d4-c4"),
        ("\u2460\u2461\u2462", "show 123"),
    ],
)
def test_a_command(line: str, expected: str) -> None:
    """Every form of every command, with and without game, board and credentials."""
    assert meaning(line) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("c3", "move 101 c3"),
        ("C3xB3,D3", "move 101 C3xB3,D3"),
        ("c3 x b3, d3", "move 101 c3 x b3, d3"),
        ("c3#7", "move 101 c3 #7"),
        ("c3 #7", "move 101 c3 #7"),
        ("c3 # 7", "move 101 c3 #7"),
        ("c3!", "move 101 c3"),
        ("d4 c4 d3", "move 101 d4 c4 d3"),
        ("move c3", "move 101 c3"),
        ("move anna sesame c3", "move 101 c3 by anna/sesame"),
        ("cephalopod move c3", "cephalopod move 101 c3"),
        ("mvoe c3", "move 101 c3"),
        ("resign", "resign 101"),
        ("RESIGN", "resign 101"),
        ("Resign.", "resign 101"),
        ("resign !", "resign 101"),
        ("resign anna sesame", "resign 101 by anna/sesame"),
        ("show", "show 101"),
        ("show 102", "show 102"),
        ("show anna", "show anna"),
        ("102 c3", "move 102 c3"),
        ("next", "next"),
        ("help", "help"),
        ("move", "refused WrongForm"),
        ("move 102", "refused WrongForm"),
    ],
)
def test_an_answer_to_a_board(line: str, expected: str) -> None:
    """Where a mail answers a board's, the board need not be named and a move may stand alone."""
    assert meaning(line, BOARD) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("C3.", "move 101 C3"),
        ("c3!", "move 101 c3"),
        ("c3,", "move 101 c3"),
        ('"c3"', "move 101 c3"),
        ("\u201cc3\u201d.", "move 101 c3"),
        ("\u00abc3\u00bb", "move 101 c3"),
        ("'c3'", "move 101 c3"),
        ("**c3**", "move 101 c3"),
        ("__c3__", "move 101 c3"),
        ("`c3`", "move 101 c3"),
        ("(c3)", "move 101 c3"),
        ("* c3", "move 101 c3"),
        ("- c3", "move 101 c3"),
        ("\u2022 c3", "move 101 c3"),
        ("\u2192c3", "move 101 c3"),
        ("1. c3", "move 101 c3"),
        ("12) c3", "move 101 c3"),
        ("* **c3**!", "move 101 c3"),
        ("c 3", "move 101 c3"),
        ("C 3.", "move 101 C3"),
        ("c3 please", "move 101 c3"),
        ("c3, please!", "move 101 c3"),
        ("1. **c 3**, please!", "move 101 c3"),
        ("Please c3", "move 101 c3"),
        ("c3 thanks", "move 101 c3"),
        ("c3xb3,d3.", "move 101 c3xb3,d3"),
        ("c3\u00d7b3", "move 101 c3xb3"),
        ("c3#8.", "move 101 c3 #8"),
        ("c\ufe0f3\ufe0f\u20e3", "move 101 c3"),
        ("\uff23\uff13\uff0e", "move 101 C3"),
        ("Move 102, c3", "move 102 c3"),
        ("move: 102 c3", "move 102 c3"),
        ("**Move** 102 c3", "move 102 c3"),
        ('"Move 102 c3"', "move 102 c3"),
        ("move c3.", "move 101 c3"),
        ("move 102 c 3", "move 102 c3"),
        ("move 102 anna sesame c3, please.", "move 102 c3 by anna/sesame"),
        ("102: c3", "move 102 c3"),
        ("102. c3", "move 102 c3"),
        ("102, c3", "move 102 c3"),
        ("102) c3", "move 102 c3"),
        ("#102 c3", "move 102 c3"),
        ("102 - c3", "move 102 c3"),
        ("102 -> c3", "move 102 c3"),
        ("Board 102 c3", "move 102 c3"),
        ("board #102: c3.", "move 102 c3"),
        ("game 102: c3", "move 102 c3"),
        ("please move board 102 c3", "move 102 c3"),
        ("1. move 102 c3", "move 102 c3"),
        ("102: show", "show 102"),
        ("show 102.", "show 102"),
        ("show 102, 103", "show 102 103"),
        ("show board 102#7", "show 102#7"),
        ("Help, please!", "help"),
        ("next please", "next"),
        ("challenge anna, bob.", "challenge anna bob"),
        ("challenge anna bob -size 3x3", "challenge anna bob -size=3x3"),
        ("challenge anna bob -size 3 x 3", "challenge anna bob -size=3x3"),
        ("challenge anna bob \u2014size=3\u00d73.", "challenge anna bob -size=3x3"),
        ("challenge -size: 3x3 anna bob", "challenge anna bob -size=3x3"),
        ("challenge anna bob \u2013 size = 3x3", "challenge anna bob -size=3x3"),
        ("challenge anna bob size=3x3", "challenge anna bob -size=3x3"),
        ("challenge anna bob -unrated.", "challenge anna bob -unrated"),
        ("Set html off.", "set html off"),
        ("add <anna@example.org>", "add anna@example.org"),
        ("forgot my password", "forgot"),
        ("**as anna sesame**", "as anna/sesame"),
    ],
)
def test_dressed(line: str, expected: str) -> None:
    """What phones, mail programs and politeness put around a command does not change it."""
    assert meaning(line, BOARD) == expected


@pytest.mark.parametrize(
    ("line", "password"),
    [
        ("as anna sesame.", "sesame."),
        ("signup anna sesame!", "sesame!"),
        ("resign 101 anna (sesame)", "(sesame)"),
        ("move 101, anna sesame, c3", "sesame,"),
        ("change password anna sesame tahini.", "tahini."),
        ("- signup anna sesame*", "sesame*"),
        ("Please signup anna please", "please"),
    ],
)
def test_a_password_is_not_undressed(line: str, password: str) -> None:
    """It may end or begin with any mark."""
    read = read_line(normalised(line), None)
    parsed = read.parsed
    claim = read.claim or (parsed and parsed.claim)
    new = parsed and parsed.new_password
    assert password in [secret.value for secret in (claim and claim.password, new) if secret]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("I resign", "resign 101"),
        ("I resign.", "resign 101"),
        ("OK, I resign!", "resign 101"),
        ("I hereby resign board 102", "resign 102"),
        ("Please resign", "resign 101"),
        ('"resign"', "resign 101"),
        ("**Resign**", "resign 101"),
        ("- resign", "resign 101"),
        ("1. resign 102", "resign 102"),
        ("please resign 102", "resign 102"),
        ("resign board 102", "resign 102"),
        ('"move 102 anna sesame resign"', "resign 102"),
        ("resign?", "resign 101"),
        ("Resign...", "resign 101"),
        ("resign please", "resign 101"),
        ("Resign, please.", "resign 101"),
        ("resign 102, please", "resign 102"),
        ("- Resign.", "resign 101"),
        ("I want to delete my account", "delete"),
        ("* delete", "delete"),
        ("please signoff", "signoff"),
    ],
)
def test_nothing_is_given_up_in_other_words(line: str, expected: str) -> None:
    """Who seems to mean it is asked, and told what to send."""
    assert meaning(line, BOARD) == f"meant? {expected}"


@pytest.mark.parametrize("answered", [None, BOARD])
@pytest.mark.parametrize("word", sorted(NEVER_BY_SLIP))
@pytest.mark.parametrize(
    "line", ["- 101 {}", "Please move 101 {}", "board 101 {}", '"move 101 {}"', "{}.", "{} please", "I {}"]
)
def test_what_gives_up_is_always_read(line: str, word: str, answered: int | None) -> None:
    """In any dress; done only where it stands alone in an answer to a board."""
    told = meaning(line.format(word), answered)
    is_plain = line == "{}." and answered == BOARD
    if is_plain and any("board" in form for form in commands()[word].forms):
        assert told == f"{word} {BOARD}"
    else:
        assert told.startswith(("meant? ", "prose", "refused "))


@pytest.mark.parametrize("line", ["c3?", "move 101 c3?", "move 101 resign.", "move 101 resign!"])
def test_who_asks_has_not_decided(line: str) -> None:
    """Such a text goes to the game as it stands, which refuses it."""
    assert meaning(line, BOARD) == f"move 101 {line.split()[-1]}"


@pytest.mark.parametrize("line", ["c3", "c3#7", "c3 x b3, d3", "cephalopod move c3", "resign", "show"])
def test_nothing_is_played_without_a_board(line: str) -> None:
    """Elsewhere a bare move is prose, and a command that lacks its board is refused."""
    assert meaning(line) in ("prose", "refused WrongForm")


@pytest.mark.parametrize(
    ("line", "userid", "password"),
    [
        ("move 101 anna {} c3", "anna", "d4xe5"),
        ("move 101 anna {} c3", "anna", "-unrated"),
        ("move 101 anna {} c3", "anna", "102"),
        ("move 101 anna {} c3#5", "anna", "a#7"),
        ("move 101 anna {} c3", "anna", "#123"),
        ("move 101 anna {} resign", "anna", "resign"),
        ("move 101 anna {} c3", "anna", "move"),
        ("move 101 anna1 {} c3", "anna1", "-d4"),
        ("move 101 anna1 {} c3 x b3", "anna1", "x-d4"),
        ("101 anna {} c3", "anna", "cephalopod"),
        ("resign 101 a-b {}", "a-b", "--"),
        ("as anna1 {}", "anna1", "-c3"),
        ("as anna {}", "anna", "***"),
    ],
)
def test_tricky_passwords(line: str, userid: str, password: str) -> None:
    """A password is taken by its place, whatever it looks like."""
    read = read_line(line.format(password), None)
    claim = read.claim or (read.parsed and read.parsed.claim)
    assert claim
    assert (claim.userid, claim.password.value) == (userid, password)


@pytest.mark.parametrize("secrets", [("-c3", "#123"), ("a1", "-b2"), ("101", "102"), ("x", "-size=3x3")])
def test_tricky_new_passwords(secrets: tuple[str, str]) -> None:
    """So are the old and the new one, even where they could be the two halves of a move."""
    old, new = secrets
    assert meaning(f"change password anna1 {old} {new}") == f"change password anna1 by anna1/{old} new {new}"
    assert meaning(f"signup anna1 {new}") == f"signup anna1 new {new}"


def test_case_of_a_password() -> None:
    """Passwords keep their case; what else is written is kept, too, and compared without."""
    assert meaning("MOVE 101 Anna SeSaMe C3") == "move 101 C3 by Anna/SeSaMe"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("mvoe 101 c3", "move 101 c3"),
        ("moove 101 anna sesame c3", "move 101 c3 by anna/sesame"),
        ("mov 101 c3", "move 101 c3"),
        ("chall anna bob", "challenge anna bob"),
        ("chalenge anna bob -size=3x5", "challenge anna bob -size=3x5"),
        ("singup anna sesame", "signup anna new sesame"),
        ("sign-up anna sesame", "signup anna new sesame"),
        ("Sign up anna sesame", "signup anna new sesame"),
        ("chnage pasword anna sesame tahini", "change password anna by anna/sesame new tahini"),
        ("shwo 101 102", "show 101 102"),
        ("nxet", "next"),
        ("hlep move", "help move"),
        ("game anna next", "games anna next"),
        ("lits cephalopod", "cephalopod list"),
        ("cephalopod mvoe 101 c3", "cephalopod move 101 c3"),
        # what could be two things, or would give something up, is asked back
        ("chal anna bob", "meant? challenge anna bob"),
        ("resgin 101", "meant? resign 101"),
        ("resig 101", "meant? resign 101"),
        ("resgin 101 anna sesame", "meant? resign"),
        ("mvoe 101 resign", "meant? move 101 resign"),
        ("mvoe 101 anna sesame resign", "meant? move"),
        ("moooove 101 anna sesame c3", "meant? move"),
        ("mve anna sesame resign", "meant? move"),
        ("cha anna sesame tahini", "meant? challenge"),
        ("change anna sesame tahini", "meant? change address | change password"),
        ("change passwd anna sesame tahini", "meant? change password"),
        ("cephalopod resgin 101", "meant? resign 101"),
        ("cephalopod frobnicate 101", "meant? challenge | move | games"),
        ("chess move 101 c3", "game?"),
        ("chess challenge anna bob", "game?"),
        ("cefalopod games anna", "game?"),
    ],
)
def test_slips(line: str, expected: str) -> None:
    """Unmistakable slips and shortenings are taken, others asked back."""
    assert meaning(line) == expected


@pytest.mark.parametrize("word", ["resig", "resgin", "resigm", "rseign", "res"])
def test_nothing_fatal_by_slip(word: str) -> None:
    """Not even in an answer, where the board is known."""
    read = read_line(normalised(word), BOARD)
    assert read.unparsed is not None
    assert isinstance(read.unparsed.refused, UnknownCommand)
    assert read.unparsed.refused.suggestions == ("resign",)
    assert read.unparsed.refused.board == BOARD
    assert {"resign", "signoff", "delete", "undo", "propose", "accept"} == NEVER_BY_SLIP


@pytest.mark.parametrize(
    "line",
    [
        "move",
        "move c3",
        "move 101",
        "move 101#3 c3",
        "101#3 c3",
        "move 101 #5",
        "move 101 anna sesame",
        "move 101 anna #1234",
        "move 101 c3 anna sesame",
        "move 101 anna my secret c3",
        "move anna sesame 101 c3",
        "resign 101#3",
        "resign 101 anna",
        "resign 101 please anna sesame",
        "resign now, please!",
        "show",
        "show 101 anna",
        "list of things",
        "next anna bob",
        "signup anna",
        "signup anna correct horse",
        "signup 4711 0815",
        "change password anna sesame",
        "change password anna sesame tahini oil",
        "challenge",
        "challenge 101 102",
        "cephalopod signup anna sesame",
        "cephalopod next",
        "show 101#12345",
    ],
)
def test_refused_for_its_form(line: str) -> None:
    """A line meant as a command that does not fit is refused, never guessed and never taken for prose."""
    assert meaning(line) == "refused WrongForm"


def test_a_refused_form_names_its_board() -> None:
    """So that the answer can show it."""
    for line, answered, board in [("move 105 x y", None, 105), ("move", 101, 101), ("games 105 x", 101, None)]:
        read = read_line(line, answered)
        assert read.unparsed is not None
        assert isinstance(read.unparsed.refused, WrongForm)
        assert read.unparsed.refused.board == board


@pytest.mark.parametrize(
    ("line", "userids", "text"),
    [
        ("message bob", ("bob",), ""),
        ("message bob carol", ("bob", "carol"), ""),
        ("message bob:", ("bob",), ""),
        ("Message bob, carol: See you: soon", ("bob", "carol"), "See you: soon"),
        ("message bob : Hi", ("bob",), "Hi"),
    ],
)
def test_message(line: str, userids: tuple[str, ...], text: str) -> None:
    """Players up to the first colon, and words behind it, which are no part of what is told again."""
    parsed = read_line(line, None).parsed
    assert parsed is not None
    assert parsed.arguments.userids == userids
    assert parsed.arguments.text == text
    assert "soon" not in parsed.line


@pytest.mark.parametrize(
    ("line", "words", "userid"),
    [
        ("set digest daily 07:30", ("digest", "daily", "07:30"), None),
        ("set digest weekly fri 7.30", ("digest", "weekly", "fri", "7.30"), None),
        ("set digest weekly friday", ("digest", "weekly", "friday"), None),
        ("set alice sesame digest off", ("digest", "off"), "alice"),
        ("set alice sesame digest daily 07:30", ("digest", "daily", "07:30"), "alice"),
        ("set alice sesame html off", ("html", "off"), "alice"),
        ("set colour off", ("colour", "off"), None),
    ],
)
def test_set(line: str, words: tuple[str, ...], userid: str | None) -> None:
    """A setting is never taken for somebody's userid, nor a password for a value."""
    parsed = read_line(line, None).parsed
    assert parsed is not None
    assert parsed.arguments.words == words
    assert (parsed.claim.userid if parsed.claim else None) == userid
    assert "sesame" not in parsed.line
