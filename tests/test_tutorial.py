"""`help tutorial` and the golden conversation of that name say the same, line by line."""

import re
from pathlib import Path

from pbmserv.commands.base.server import Server
from pbmserv.commands.help import page
from pbmserv.parser.line import parse_line
from pbmserv.rendering.markup import document_of
from pbmserv.rendering.templates import say
from pbmserv.rendering.text import as_text
from tests.conftest import ADDRESS

CONVERSATION = (Path(__file__).parent / "golden" / "tutorial.txt").read_text()
A_LINE = re.compile(r" {7}(\S.*)")
A_ROUND = re.compile(r" {7,8}([0-9]{1,2})  (\S+)(?:  (\S+))?")


def sent() -> list[str]:
    """What people send in the conversation, in order: the Subject's command, or the first line of the text."""
    mails = re.findall(r"(?m)^===> .*\n((?:.*\n)*?)(?=<=== )", CONVERSATION)
    first_lines = (mail.strip().split("\n")[0] for mail in mails)
    return [line.removeprefix("Subject: ") for line in first_lines]


def tutorial() -> list[str]:
    """The lines of the help page."""
    reply = page("tutorial")
    assert reply is not None
    return as_text(document_of(say(reply, Server(ADDRESS, variants=True)))).split("\n")


def test_every_line_that_is_to_be_sent_is_sent() -> None:
    """In the order in which the tutorial has them; each is understood."""
    shown = [found[1] for line in tutorial() if (found := A_LINE.fullmatch(line)) and not A_ROUND.fullmatch(line)]
    lines = [line for line in shown if not re.match(r"[0-9] |A  ", line) and line != ADDRESS]
    assert len(lines) >= 12
    assert all(parse_line(line, 101).parsed for line in lines)
    told = iter(sent())
    missing = [line for line in lines if line not in told]
    assert missing == []


def test_the_game_is_the_one_that_is_played() -> None:
    """Every move of it in order, and the last one ends it as the tutorial says."""
    rounds = [found for line in tutorial() if (found := A_ROUND.fullmatch(line))]
    moves = [move for found in rounds for move in (found[2], found[3]) if move]
    assert [int(found[1]) for found in rounds] == list(range(1, 15))
    tried = [line for line in sent() if re.fullmatch(r"[a-c][1-3].*", line)]
    played = [move for before, move in zip(["", *tried], tried, strict=False) if move != before]
    assert len(tried) == len(played) + 1  # bob tries the square that alice has just taken
    assert played == moves
    assert "The game is over: alice wins." in CONVERSATION
    assert "Score: alice 5, bob 4." in CONVERSATION
