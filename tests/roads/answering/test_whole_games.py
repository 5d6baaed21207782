"""Whole games played by nothing but answers to our mails and taps in them, through Postfix and back.

Nobody gives a password after the sign-up, nobody writes a Subject but `Re: ...`, and a From address proves nothing
(`confirm` is "ask"): all that there is is the personal address of the mail that is answered.
"""

from collections.abc import Sequence
from email.message import EmailMessage
from pathlib import Path

from tests.cli.processes import running
from tests.cli.terminal import Terminal
from tests.conftest import ADDRESS
from tests.roads.answering.people import ACKNOWLEDGED, Person, answers, live, news_of
from tests.roads.answering.programs import (
    in_html_below_the_quote,
    in_html_beside_nothing,
    quoting_below,
    tapping,
    text_of,
)
from tests.roads.postfix.gate import Gate

_PLIES = (
    "c3 b1 b2 c1 c2xb2,c1,c3 c3 c1xb1,c2 a2 a3 b2 c2xb2,c1,c3 b2 c1 b1xb2,c1 b2xa2,b1 b1 b3xa3,b2 a1 a2 "
    "b2xa2,b1,b3 a2 b1 a3 b3 c3 c1"
)
MOVES = tuple(_PLIES.split())
"""A whole game on 3x3."""


def capitals(mail: EmailMessage) -> EmailMessage:
    """A hop after which our address stands in capitals and nothing tells the thread."""
    mail.replace_header("To", str(mail["To"]).upper())
    del mail["In-Reply-To"], mail["References"]
    return mail


def only_in_reply_to(mail: EmailMessage) -> EmailMessage:
    """A hop after which In-Reply-To alone tells which mail is answered."""
    mail.replace_header("To", str(mail["To"]).upper())
    del mail["References"]
    return mail


def only_in_references(mail: EmailMessage) -> EmailMessage:
    """A hop after which References alone tell it."""
    del mail["In-Reply-To"]
    return mail


def club(post_office: Gate, folder: Path, delimiter: str) -> dict[str, str]:
    """The settings of a club behind this Postfix."""
    return {
        "PBMSERV_ADDRESS": ADDRESS,
        "PBMSERV_VARIANTS": "true",
        "PBMSERV_CONFIRM": "ask",
        "PBMSERV_DATA": str(folder / "data"),
        "PBMSERV_DELIMITER": delimiter,
        "PBMSERV_LISTEN": f"lmtp://127.0.0.1:{post_office.port}",
        "PBMSERV_OUT": f"smtp://127.0.0.1:{post_office.postfix.port}",
        "PBMSERV_WEB": "",
    }


def play(people: Sequence[Person], post_office: Gate, folder: Path, delimiter: str) -> Terminal:
    """Has them play to the end of all their games; the terminal of the server, which is down then."""
    settings = club(post_office, folder, delimiter)
    with running(settings, folder, "serve") as server:
        server.wait_for("it receives mail for")
        live(people, ADDRESS, post_office.postfix, post_office.sink)
        assert server.stop() == 0
    terminal = Terminal(folder, settings)
    assert terminal.succeed("admin", "check") == "No differences.\n"
    return terminal


def assert_well_played(pairs: Sequence[tuple[Person, Person]], terminal: Terminal, numbers: Sequence[int]) -> None:
    """Each mail had one answer until moves need none, each game every ply, each word its reader, both one end."""
    people = [person for pair in pairs for person in pair]
    unacknowledged = [mail for person in people for mail in person.unacknowledged]
    assert len(unacknowledged) == len(pairs) * (len(MOVES) - 2 * ACKNOWLEDGED)
    ending = [second.unacknowledged[-1] for _, second in pairs]
    for mail, found in answers(people):
        is_told_later = mail in unacknowledged and mail not in ending
        assert len(found) == (0 if is_told_later else 1), (mail.as_string(), [text_of(each) for each in found])
        assert not any("Not done" in text_of(each) for each in found), [text_of(each) for each in found]
    for number, (first, second) in zip(numbers, pairs, strict=True):
        assert terminal.post().moves(number) == [move.upper().replace("X", "x") for move in MOVES]
        ends = [news_of(text_of(person.mails[-1])) for person in (first, second)]
        assert ends == [
            f"You played C3, {second.userid} answered C1 and won: 5 to 4.",
            "You played C1 and won: 5 to 4!",
        ]
        for person, other in ((first, second), (second, first)):
            told = [
                text_of(mail).partition(" writes:\n")[2] for mail in person.mails if " writes:" in text_of(mail)
            ]
            assert [words.partition("\n\n")[0] for words in told] == [f"| {other.words}"]


def test_two_games_at_a_time(post_office: Gate, tmp_path: Path) -> None:
    """One quotes everything below, one answers in HTML below the quote; in the other game both tap squares.

    The mails of one of these come by a hop that leaves nothing but our address in To, in capitals.
    """
    bob = Person("bob", in_html_below_the_quote, MOVES, "Nice to meet you.")
    alice = Person("alice", quoting_below, MOVES, "Good luck!", bob)
    dave = Person("dave", tapping, MOVES, "You too.", hop=capitals, alias=ADDRESS)
    carol = Person("carol", tapping, MOVES, "Enjoy it.", dave)
    terminal = play([alice, bob, carol, dave], post_office, tmp_path, "+")
    numbers = sorted((101, 102), key=lambda number: f" {number}:" not in carol.mails[-1]["Subject"])
    assert_well_played([(carol, dave), (alice, bob)], terminal, numbers)
    for person in (alice, bob, carol, dave):
        letters = [str(mail["From"]) for mail in person.mails]
        assert all("<pbmserv+" in each for each in letters)
        assert len(set(letters)) == len(letters)
    taps = [str(mail["Subject"]) for mail in carol.sent[1:] if not mail["Subject"].startswith("Re: ")]
    assert taps == [*MOVES[::2]]


def test_addresses_without_tags(post_office: Gate, tmp_path: Path) -> None:
    """Where mailboxes know no tags the thread alone tells what is answered: each has one end of it left."""
    bob = Person("frank", in_html_beside_nothing, MOVES, "You too.", hop=only_in_references)
    alice = Person("erin", quoting_below, MOVES, "Good luck!", bob, hop=only_in_reply_to)
    terminal = play([alice, bob], post_office, tmp_path, "")
    assert_well_played([(alice, bob)], terminal, [101])
    letters = [mail for person in (alice, bob) for mail in person.mails]
    names = ("pbmserv", "frank via pbmserv", "erin via pbmserv")
    assert {str(mail["From"]) for mail in letters} == {f"{name} <{ADDRESS}>" for name in names}
    assert len({mail["Message-ID"] for mail in letters}) == len(letters)
