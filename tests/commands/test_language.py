"""Whole mails and what is read of them."""

import pytest

from pbmserv.commands.block import MOST_COMMANDS
from pbmserv.commands.language import MOST_COMMENT_CHARACTERS, Reading, as_kept, understand
from pbmserv.commands.message import IncomingMail, Unparsed
from pbmserv.commands.refusals.common import TooManyCommands
from tests.commands.meaning import of

ANSWER = "Re: Cephalopod Board 101: anna vs bob"


def mail(subject: str, text: str = "") -> IncomingMail:
    """A mail with that Subject and text."""
    return IncomingMail("anna@example.org", subject, text, "<1@example.org>", (), None, "key")


def read(subject: str, text: str = "") -> Reading:
    """What is read of it."""
    return understand(mail(subject, text))


def told(reading: Reading) -> list[str]:
    """The meaning of each of its lines."""
    return [of(line) for line in reading.lines]


def test_subject() -> None:
    """A command in the Subject leaves the body to the other players."""
    reading = read("move 101 c3", "Good luck!\nmove 102 d4\n")
    assert (told(reading), reading.comment) == (["move 101 c3"], "Good luck!\nmove 102 d4")


@pytest.mark.parametrize(
    "subject", ["", "Two games, please", "Move", "More later", "pbmserv: help", "What is this?"]
)
def test_body(subject: str) -> None:
    """Else the commands stand in the body; a Subject that cannot be read does not hinder them."""
    reading = read(subject, "move 101 c3\nGood luck!")
    assert (told(reading), reading.comment) == (["move 101 c3"], "Good luck!")


def test_a_bad_subject_alone_is_answered() -> None:
    """Where the body holds no command either, what is wrong with the Subject is told."""
    assert told(read("move 101", "Hello\nthere")) == ["refused WrongForm"]


ANSWERED = [
    "Re: ",
    "RE:",
    "re : ",
    "Re :",
    "AW: ",
    "SV: ",
    "Antw: ",
    "Antwort: ",
    "R: ",
    "Res: ",
    "RE[2]: ",
    "Re^2: ",
    "Re(3): ",
    "R\u00c9F: ",
    "Re\u0301f: ",
    "Odp: ",
    "YNT: ",
    "Vs: ",
    "ATB: ",
    "BLS: ",
    "V\u00e1: ",
    "Rif: ",
    "\u56de\u590d: ",
    "\u7b54\u590d\uff1a",
    "\u8fd4\u4fe1: ",
    "\u041e\u0442\u0432\u0435\u0442: ",
    "\uff32\uff45\uff1a\u00a0",
    "  Re:   ",
    "Re: Re: AW: ",
    "[club] Re: ",
    "Re: [a b] ",
    "[EXTERNAL] AW: [club] RE[2]: ",
]
FORWARDED = [
    "Fwd: ",
    "FW:",
    "WG: ",
    "tr: ",
    "RV: ",
    "I: ",
    "Enc: ",
    "VB: ",
    "PD: ",
    "\u8f6c\u53d1: ",
    "\u8f49\u5bc4\uff1a",
    "\u0130LT: ",
    "Tov\u00e1bb\u00edt\u00e1s: ",
    "VL: ",
    "Fwd: Re: ",
    "[club] Fwd: ",
    "[Fwd: x] FW: ",
    "[Fwd: ",
    "Fwd: Re: Fwd: ",
]
ANSWERED_FORWARDS = [
    "Re: Fwd: ",
    "Re: AW: WG: ",
    "RE: FW: RE: ",
    "[club] Re: Fwd: ",
    "Re: [Fwd: ",
    "Sv: [club] VB: ",
]


@pytest.mark.parametrize("prefix", [*ANSWERED, "[club] "])
def test_prefixes(prefix: str) -> None:
    """What mailers put before a Subject is passed over."""
    assert told(read(f"{prefix}help move")) == ["help move"]


@pytest.mark.parametrize("prefix", FORWARDED)
@pytest.mark.parametrize("subject", ["move 101 c3]", "Cephalopod Board 101: anna vs bob]", "hello]"])
def test_forwards(prefix: str, subject: str) -> None:
    """Nothing in a forward runs."""
    assert read(prefix + subject, "move 101 c3\nc3") == Reading(forwarded=True)


@pytest.mark.parametrize("prefix", ANSWERED_FORWARDS)
def test_answers_to_a_forward(prefix: str) -> None:
    """The words on top are the sender's own; the Subject still tells the board, but is no command."""
    reading = read(f"{prefix}Cephalopod Board 101: anna vs bob]", "c3\nYour turn.")
    assert (told(reading), reading.comment) == (["move 101 c3"], "Your turn.")
    assert told(read(f"{prefix}move 101 c3]", "Hello")) == []
    assert told(read(f"{prefix}move 101 c3", "help")) == ["help"]


@pytest.mark.parametrize(
    "subject", ["R : hello", "I  : am not sure", "Remis: help", "Note: help", "1: help", ": help"]
)
def test_no_prefixes(subject: str) -> None:
    """Other words before a colon are no mailer's, nor is a single letter that stands apart from its colon."""
    assert told(read(subject, "101 c3\nBye")) == ["move 101 c3"]
    assert told(read(subject)) == []


@pytest.mark.parametrize("prefix", ANSWERED)
def test_an_answer_names_its_board(prefix: str) -> None:
    """The Subject of a board's mail is no command, but tells the board of a bare move."""
    reading = read(f"{prefix}Cephalopod Board 101: anna vs bob", "c3\nYour turn.")
    assert (told(reading), reading.comment) == (["move 101 c3"], "Your turn.")


@pytest.mark.parametrize("title", ["Nine Holes", "K\u00f6nigss\u00e4ulen", "9 x 9"])
def test_titles_of_other_games(title: str) -> None:
    """The title of a game may be anything."""
    assert told(read(f"Re: {title} Board 101: anna vs bob", "c3")) == ["move 101 c3"]


def test_the_answered_board_may_be_known_otherwise() -> None:
    """Then the Subject need not name it, and what it names does not count."""
    for subject in ("", "Good news", "Re: Cephalopod Board 102: anna vs bob", "Cephalopod Board 101: anna vs bob"):
        assert told(understand(mail(subject, "c3"), 101)) == ["move 101 c3"]
    assert told(understand(mail("c3", "Bye"), 101)) == ["move 101 c3"]
    assert told(understand(mail("Re: hello", "Thank you"), 101)) == []


def test_no_answer_no_board() -> None:
    """The Subject of a board on a mail of one's own says nothing."""
    assert read("Cephalopod Board 101: anna vs bob", "c3") == Reading()
    assert read("[club] Cephalopod Board 101: anna vs bob", "c3") == Reading()
    assert told(read("Cephalopod Board 101: anna vs bob", "102 c3")) == ["move 102 c3"]


def test_an_answer_without_command() -> None:
    """It is told which board it answers; its text is not for anybody."""
    assert read(ANSWER, "Thank you for the game.") == Reading(board=101)


@pytest.mark.parametrize("subject", ["Re: pbmserv: help move", "pbmserv: next", "Cephalopod Board 101: help"])
def test_our_own_subjects_are_no_commands(subject: str) -> None:
    """They come back in answers."""
    assert told(read(subject)) == []


def test_greeting() -> None:
    """Up to three lines may come first, however many blank ones are between; after a fourth nothing is read."""
    for count, expected in [(0, ["help"]), (3, ["help"]), (4, []), (5, [])]:
        text = "\n\n".join([*["Dear server"] * count, "help"])
        assert told(read("", text)) == expected


def test_block() -> None:
    """It ends at the first line that is no command; what follows is the comment, blank lines and all."""
    reading = read("", "Hi\n\n101 c3\n\n102 d4\n  And then:\n\n    103 e5\n\n")
    assert told(reading) == ["move 101 c3", "move 102 d4"]
    assert reading.comment == "And then:\n\n    103 e5"


@pytest.mark.parametrize("stop", ["--", "stop", "quit", "end", "STOP", "\u2013\u2013", " end "])
def test_stop_words(stop: str) -> None:
    """They end the block, and words are no part of the comment; before it they end the reading.

    Dashes stay with what is below them: that may be a signature, and who passes words on must see it.
    """
    reading = read("", f"101 c3\n{stop}\n102 d4")
    below = "102 d4" if stop.strip().isalpha() else "--\n102 d4"
    assert (told(reading), reading.comment) == (["move 101 c3"], below)
    assert told(read("", f"Hello\n{stop}\n101 c3")) == []


def test_a_refused_line_does_not_end_the_block() -> None:
    """A line meant as a command is never taken for a comment."""
    reading = read("", "101 c3\nmove 102\nresgin 103\n104 d4\nBye")
    assert told(reading) == ["move 101 c3", "refused WrongForm", "meant? resign 103", "move 104 d4"]
    assert reading.comment == "Bye"


def test_twenty_commands() -> None:
    """So many are read, besides a line that says who writes; the rest is refused as one."""
    lines = [f"{number} c3" for number in range(101, 101 + MOST_COMMANDS)]
    assert len(read("", "\n".join(["as anna sesame", *lines, "Bye"])).lines) == MOST_COMMANDS
    reading = read("", "\n".join([*lines, "121 c3", "122 c3", "Bye"]))
    assert reading.lines[MOST_COMMANDS:] == (Unparsed("...", TooManyCommands(limit=MOST_COMMANDS)),)
    assert reading.lines[:MOST_COMMANDS] == read("", "\n".join(lines)).lines
    assert reading.comment == "Bye"
    assert told(read("", "\n".join([*lines, "121 c3"])))[-1] == "refused TooManyCommands"
    assert read("", "101 c3\n" * 200 + "Bye").comment == ""


def test_comment_is_bounded() -> None:
    """To 4,000 characters."""
    assert len(read("101 c3", "x" * 5000).comment) == MOST_COMMENT_CHARACTERS
    assert read("101 c3", "\n \n").comment == ""


def test_a_secret_is_not_cut_in_two() -> None:
    """Nor does blotting stretch the comment."""
    for before in range(MOST_COMMENT_CHARACTERS - 10, MOST_COMMENT_CHARACTERS + 1):
        comment = read("101 anna sesame c3", "x" * before + "sesame").comment
        assert "s" not in comment
        assert len(comment) <= MOST_COMMENT_CHARACTERS


def test_who_writes() -> None:
    """A first line `as userid password` holds for the whole mail, in the Subject or in the body."""
    for subject, text in [
        ("", "as anna sesame\n101 c3\n102 d4\nBye, sesame"),
        ("", "Hello\nas anna sesame\n101 c3\n102 d4\nBye, sesame"),
        ("as anna sesame", "101 c3\n102 d4\nBye, sesame"),
    ]:
        reading = read(subject, text)
        assert told(reading) == ["move 101 c3", "move 102 d4"]
        assert reading.claim is not None
        assert (reading.claim.userid, reading.claim.password.value) == ("anna", "sesame")
        assert reading.comment == "Bye, ***"


def test_who_writes_below_a_subject() -> None:
    """Where the Subject is the command, the first line of the body may still say who writes."""
    reading = read("move 101 c3", "\nas anna sesame\nBye, sesame")
    assert (told(reading), reading.comment) == (["move 101 c3"], "Bye, ***")
    assert reading.claim is not None
    below_help = read("help", "as anna sesame\n101 c3\n102 d4\nBye")
    assert told(below_help) == ["help", "move 101 c3", "move 102 d4"]
    assert below_help.claim is not None
    assert read("help", "as you like it").claim is None
    assert read("help", "as you like").claim is None


def test_who_writes_stands_first() -> None:
    """Elsewhere such a line is refused: it is no comment, since it may hold a password."""
    reading = read("", "as anna sesame\n101 c3\nas bob poppy\n101 d4")
    assert told(reading) == ["move 101 c3", "refused MisplacedAs", "move 101 d4"]
    assert reading.claim is not None
    assert reading.claim.userid == "anna"
    assert [line.line for line in reading.lines] == ["move 101 c3", "as bob ***", "move 101 d4"]
    assert told(read("as anna sesame", "Hello")) == ["refused MisplacedAs"]
    assert read("", "101 c3\nas anna sesame").claim is None


@pytest.mark.parametrize(
    "text",
    [
        "Bye\nsesame",
        "my password is Xsesame!",
        "s\u200besame, or \uff53\uff45\uff53\uff41\uff4d\uff45",
        "Now the other one:\n102 anna sesame d4",
        "signup anna sesame",
    ],
)
def test_secrets_are_blotted_in_the_comment(text: str) -> None:
    """Wherever and in whatever dress they stand; the rest stays as written."""
    reading = read("101 anna sesame c3", f"{text}\n  (  spaces stay )")
    assert "sesame" not in reading.comment
    assert "\uff53" not in reading.comment
    assert reading.comment.endswith("\n  (  spaces stay )")


@pytest.mark.parametrize(
    "line",
    [
        "move 102 anna sesame d4",
        "102 anna sesame d4",
        "as anna sesame",
        "change password anna sesame tahini",
        "signup anna sesame",
        "cephalopod resign 102 anna sesame",
        "> move 102\nresign 102 anna sesame",
    ],
)
@pytest.mark.parametrize(
    ("subject", "before"),
    [
        ("101 c3", "So long.\n"),
        ("", "101 c3\nAnd now\n"),
        ("", "101 c3\nstop\n"),
        ("Fwd: x", ""),
        ("", "a\nb\nc\nd\n"),
    ],
)
def test_secrets_of_lines_that_do_not_run(subject: str, before: str, line: str) -> None:
    """Commands in a comment, in a forward, or below four lines of prose keep their secrets all the same."""
    reading = read(subject, before + line)
    assert "sesame" not in reading.comment
    assert "sesame" not in as_kept(reading)


def test_what_is_kept() -> None:
    """What was understood, without any secret; whatever else stood there may have been one."""
    for subject, text, expected in [
        ("move 101 c3", "Hi", "move 101 c3\n\nHi"),
        ("hello", "Hi", ""),
        ("Fwd: move 101 c3", "Hi", ""),
        ("move 101 anna sesame c3", "Hi  sesame", "move 101 anna *** c3\n\nHi ***"),
        ("Re:  hello", "My dear server\nas anna sesame\n101 c3\nHi", "move 101 c3\n\nHi"),
        ("move 101 sesame c3", "", "move 101 ..."),
        ("", "as anna d4xe5\n102 d4xe5\nmove", "move 102 ***\nmove"),
        (ANSWER, "Hi\nc3", "move 101 c3"),
    ]:
        assert as_kept(read(subject, text), frozenset({"anna"})) == expected


def test_short_words_are_no_secrets() -> None:
    """Where prose looks like a line with a password that is too short to be one."""
    assert read("101 c3", "Stay\nas you are\nwe are, too").comment == "Stay\nas you are\nwe are, too"


def test_secrets_within_secrets() -> None:
    """The longer one is blotted first."""
    reading = read("change password anna same sesame", "same or sesame")
    assert reading.comment == "*** or ***"


@pytest.mark.parametrize(
    "command", ["move 101 c3#8", "show 101", "resign 101", "help", "yes", "challenge anna bob"]
)
@pytest.mark.parametrize("answered", [None, 101, 102])
@pytest.mark.parametrize("above", ["", "\n \n", "Hello Bob,\n\n"])
def test_a_link_of_ours(command: str, answered: int | None, above: str) -> None:
    """It writes the same command into Subject and body: that is one command, and what follows is the comment."""
    reading = understand(mail(f"Re: {command}", f"{above}{command}\n\nGood luck!\n103 d4"), answered)
    assert told(reading) == told(read(command))
    assert reading.comment == "Good luck!\n103 d4"


def test_a_link_of_ours_in_other_words() -> None:
    """The same may be said in another dress, shorter, with more commands below, with a password in one place."""
    for body in ("MOVE 101 C3", "c3.", "101: c3", "\u201cmove 101, c3\u201d", "* c 3"):
        assert told(read("move 101 c3", f"{body}\nBye")) == [told(read("move 101 c3"))[0]]
        assert read("move 101 c3", f"{body}\nBye").comment == "Bye"
    assert told(read("move 101 c3", "move 101 c3\n102 d4\nBye")) == ["move 101 c3", "move 102 d4"]
    for subject, body in [
        ("move 101 c3", "move 101 anna sesame c3"),
        ("move 101 anna sesame c3", "move 101 c3"),
        ("move 101 anna sesame c3", "move 101 anna sesame c3"),
    ]:
        reading = read(subject, f"{body}\nBye, sesame")
        assert told(reading) == ["move 101 c3 by anna/sesame"]
        assert reading.comment == "Bye, ***"
    claimed = read("move 101 c3", "as anna sesame\nmove 101 c3\nBye")
    assert (told(claimed), claimed.comment, claimed.claim is not None) == (["move 101 c3"], "Bye", True)


@pytest.mark.parametrize(
    ("body", "other"),
    [
        ("c4", "move 101 c4"),
        ("move 101 c4", "move 101 c4"),
        ("move 101 c3#9\nBye", "move 101 c3#9"),
        ("102 d4", "move 102 d4"),
        ("\nas anna sesame\nresign 101", "resign 101"),
        ("102 anna sesame d4", "move 102 anna *** d4"),
        ("challenge anna bob", "challenge anna bob"),
    ],
)
def test_another_command_in_the_body(body: str, other: str) -> None:
    """Where the Subject holds one, nobody can know which is meant: nothing is run, nothing is sent on."""
    reading = read("move 101 c3", body)
    assert told(reading) == [f"which? move 101 c3 | {other}"]
    assert reading.comment == ""
    assert "sesame" not in as_kept(reading)


@pytest.mark.parametrize("body", ["c4 was no option", "Yes!", "help!", "I resign", "next week?", "show"])
def test_comments_that_begin_like_commands(body: str) -> None:
    """What does not bind anybody is no second command."""
    reading = read("move 101 c3", body)
    assert (told(reading), reading.comment) == (["move 101 c3"], body)


def test_what_is_said_to_others_is_not_read() -> None:
    """Whatever it looks like."""
    reading = read("chat 101", "c4\nhow about that?")
    assert (told(reading), reading.comment) == (["chat 101"], "c4\nhow about that?")


def test_two_moves_in_one_answer() -> None:
    """Which one is meant cannot be known; the same one twice is one."""
    assert told(read(ANSWER, "c3\nd4\n102 e5\nBye")) == ["which? move 101 c3 | move 101 d4", "move 102 e5"]
    assert told(read(ANSWER, "My thoughts:\n- c3\n- d4")) == ["which? move 101 c3 | move 101 d4"]
    assert told(read(ANSWER, "c3\n\nC3.\nBye")) == ["move 101 c3"]
    assert told(read(ANSWER, "c3\nmove 101 d4")) == ["which? move 101 c3 | move 101 d4", "move 101 d4"]
    assert told(read(ANSWER, "move 101 c3\nmove 101 d4")) == ["move 101 c3", "move 101 d4"]


def test_a_move_and_a_resignation_in_one_answer() -> None:
    """Nor can both of these be meant, where neither names its board."""
    for text, choices in [
        ("c3\nresign", "move 101 c3 | resign 101"),
        ("Resign.\n\nc3\nBye", "resign 101 | move 101 c3"),
        ("c3\nd4\nresign", "move 101 c3 | move 101 d4 | resign 101"),
    ]:
        assert told(read(ANSWER, text)) == [f"which? {choices}"]
    assert told(read(ANSWER, "resign\nResign!")) == ["resign 101"]
    assert told(read(ANSWER, "c3\n102 resign")) == ["move 101 c3", "resign 102"]


@pytest.mark.parametrize(
    ("text", "near"),
    [
        ("I play b2", "b2"),
        ("My move is B2.", "B2"),
        ("Hi, b2", "b2"),
        ("b2 - good luck!", "b2"),
        ("b2 (good luck)", "b2"),
        ("Hello,\nhow are you?\nI am well.\nIt rains.\n\nb2\nBye", "b2"),
        ("a\nb\nc\nd\nc3xb3,d3", "c3xb3,d3"),
        ("I play b2\nYes, b2", "b2"),
        ("I play b2, or c3", ""),
        ("I play it on A4-paper", ""),
        ("Thank you", ""),
        ("\n".join(["Hello"] * 30) + "\nb2", ""),
    ],
)
def test_a_move_in_passing(text: str, near: str) -> None:
    """In an answer to a board without any command the one move that is named is found, but never played."""
    assert read(ANSWER, text) == Reading(board=101, near=near)
    assert understand(mail("hello", text), 102) == Reading(board=102, near=near)
    assert read("hello", text).near == ""


@pytest.mark.parametrize("answer", ["yes", "Yes!", "YES", "yes, please", "No.", "no, thank you"])
def test_yes_and_no(answer: str) -> None:
    """They answer a question; above a move they are a greeting, below one a comment."""
    word = answer.split(",")[0].strip("!.").lower()
    for subject in ("Re: pbmserv: delete", ANSWER, ""):
        reading = read(subject, f"{answer}\nBye")
        assert (told(reading), reading.comment) == ([word], "Bye")
    assert told(read(answer, "")) == [word]
    assert told(read(ANSWER, f"{answer}\n\nc3\nBye")) == ["move 101 c3"]
    below = read(ANSWER, f"{answer}\nBye\n{answer}")
    assert (told(below), below.comment) == ([word], f"Bye\n{answer}")
    assert told(read(ANSWER, f"{answer}\nNo.\nBye")) == told(read("", f"{answer}\nNo.\nBye")) == [word, "no"]
    below = read(ANSWER, f"c3\n{answer}\nBye")
    assert (told(below), below.comment) == (["move 101 c3"], f"{answer}\nBye")


@pytest.mark.parametrize(
    "greeting", ["Yes, good move!", "No way!", "No problem, Bob.", "Set, match and game.", "Add this:"]
)
def test_greetings_that_begin_like_commands(greeting: str) -> None:
    """They are prose above a move, and below it."""
    assert told(read(ANSWER, f"{greeting}\n\nc3")) == ["move 101 c3"]
    reading = read(ANSWER, f"c3\n{greeting}")
    assert (told(reading), reading.comment) == (["move 101 c3"], greeting)
