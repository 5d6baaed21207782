"""`help tutorial` and the golden conversation of that name say the same; each game's tutorial can be played."""

import re
from pathlib import Path
from random import Random

import pytest

from pbmserv.commands.help import page
from pbmserv.commands.server import Server
from pbmserv.games import games
from pbmserv.games.game import Illegal
from pbmserv.parser.line import parse_line
from pbmserv.rendering.markup import as_text, document_of
from pbmserv.rendering.templates import say
from pbmserv.services.laws.setups import some
from tests.conftest import ADDRESS

CONVERSATION = (Path(__file__).parent / "golden" / "tutorial.txt").read_text()
A_LINE = re.compile(r"(?: {7}| {4})(\w.*)")
SERVER = Server(ADDRESS)


def sent() -> list[str]:
    """What people send in the conversation, in order: the Subject's command, or the first line of the text."""
    mails = re.findall(r"(?m)^===> .*\n((?:.*\n)*?)(?=<=== )", CONVERSATION)
    first_lines = (mail.strip().split("\n")[0] for mail in mails)
    return [line.removeprefix("Subject: ") for line in first_lines]


def tutorial(subject: str = "tutorial") -> list[str]:
    """The lines of the help page."""
    reply = page(subject, SERVER)
    assert reply is not None
    return as_text(document_of(say(reply, SERVER))).split("\n")


def lines_to_send(subject: str) -> list[str]:
    """What a tutorial has in lines of their own, to be sent."""
    found = [match[1] for line in tutorial(subject) if (match := A_LINE.fullmatch(line))]
    return [line for line in found if line != ADDRESS and parse_line(line, 101).parsed]


def test_every_line_that_is_to_be_sent_is_sent() -> None:
    """In the order in which the tutorial has them."""
    lines = lines_to_send("tutorial")
    assert len(lines) >= 12
    told = iter(sent())
    missing = [line for line in lines if line not in told]
    assert missing == []


def test_the_conversation_shows_what_the_tutorial_tells() -> None:
    """A preview, a move, a refusal, the robot's moves, giving up, and a game in which the robot begins."""
    for told in (
        "Tried on board 101: b3. Nothing was played",
        "You played B3, robot.random answered ",
        "Not done: move 101 b3",
        "You resigned; robot.random won.",
        "Subject: Cephalopod Board 102: robot.random vs alice",
        "\nrobot.random played ",
    ):
        assert told in CONVERSATION


@pytest.mark.parametrize("name", tuple(games()))
def test_the_tutorial_of_a_game_can_be_played_whatever_the_robot_answers(name: str) -> None:
    """Its challenge is one that the server takes, its first move is legal, its second one never is."""
    challenge = next(line for line in lines_to_send(f"tutorial {name}") if " challenge " in line)
    assert challenge.startswith(f"{name} challenge alice robot.random")
    parsed = parse_line(challenge, None).parsed
    assert parsed is not None
    options = dict(parsed.arguments.options)
    game = games()[name]
    assert not any(value in option.variants for option in game.info.options for value in options.values())
    tried, played, refused = moves_in(tutorial(f"tutorial {name}"))
    assert tried == played
    start = game.start(2, options)
    after, _ = game.play(start, game.read(start, played))
    for reply in some(list(game.moves(after)), Random(name), 250):
        position, _ = game.play(after, reply)
        with pytest.raises(Illegal):
            game.read(position, refused)


def moves_in(lines: list[str]) -> tuple[str, str, str]:
    """The move that a tutorial tries, the one that it plays, and the one that is refused."""
    alone = [line.strip() for line in lines if re.fullmatch(r" {7}(?:preview )?[a-z][0-9]\S*", line)]
    tried, played, refused = alone
    return tried.removeprefix("preview "), played, refused


def test_the_tutorial_without_a_game_is_that_of_the_default_game() -> None:
    assert tutorial() == tutorial("tutorial cephalopod")
    hexes = Server(ADDRESS, default_game="hex", games=("go", "hex"))
    reply = page("tutorial", hexes)
    assert reply == page("tutorial hex", hexes)
    neither = Server(ADDRESS, default_game="", games=("go", "hex"))
    assert page("tutorial", neither) == page("tutorial go", neither)
