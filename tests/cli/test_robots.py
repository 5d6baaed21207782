"""`pbmserv robots match`: what it plays, prints and writes, and what it says to wrong words."""

import json
import re

import pytest

from tests.cli.terminal import Terminal

TWO = ("robots", "match", "search:30", "random", "--game", "tic-tac-toe")


def without_times(table: str) -> str:
    """A table without its column of milliseconds."""
    return re.sub(r" +\d+\.\d : \d+\.\d", "  TIMES", table)


def test_two_robots(terminal: Terminal) -> None:
    """A line for the contest: wins, losses, draws, the difference, times and iterations."""
    table = without_times(terminal.succeed(*TWO, "--games", "6", "--seed", "3"))
    heads, row = (line.strip() for line in table.strip().splitlines())
    assert re.split(" {2,}", heads) == [
        *("robot", "against", "won", "lost", "drawn", "Elo", "ms a move", "iterations a move")
    ]
    name, against, won, lost, drawn, elo, _, iterations = re.split(" {2,}", row)
    assert (name, against) == ("search:30", "random")
    assert re.fullmatch(r"(30|[12]\d) : 1", iterations), "fewer where the rest of a game is proven"
    assert int(won) + int(lost) + int(drawn) == 6
    assert re.fullmatch(r"(> )?\+\d+ ± \d+", elo)
    assert not (terminal.folder / "data").exists(), "no server is touched"


@pytest.mark.slow
def test_processes_change_nothing(terminal: Terminal) -> None:
    """Each pair of games has its own seed."""
    one, two = (terminal.succeed(*TWO, "--games", "8", "--processes", each) for each in ("1", "2"))
    assert without_times(one) == without_times(two)


def test_ladder(terminal: Terminal) -> None:
    """Each rung against the one below it, then all from random's 0 upwards; the file has the same figures."""
    file = terminal.folder / "ladder.json"
    options = ("--game", "tic-tac-toe", "--games", "4", "--iterations-share", "0.1", "--json", str(file))
    told = terminal.succeed("robots", "match", "--ladder", *options)
    contests = json.loads(file.read_text())["contests"]
    assert [each["robots"] for each in contests] == [
        *(["beginner", "random"], ["club", "beginner"], ["master", "club"])
    ]
    assert all(each["wins"] + each["losses"] + each["draws"] == each["games"] == 4 for each in contests)
    assert all(each["share"] == 0.1 for each in contests)
    top = sum(each["elo"] for each in contests)
    shown = re.search(r"(?m)^master +(?:> )?([+-]\d+) ± \d+", told)
    assert shown is not None
    assert abs(int(shown[1]) - top) <= 1
    assert re.search(r"(?m)^random +\+0 ± 0", told)


def test_options_of_the_game(terminal: Terminal) -> None:
    """As they are typed in a challenge."""
    options = ("--option", "size=3x3", "--seats", "3", "--games", "2")
    assert "greedy" in terminal.succeed("robots", "match", "greedy", "random", *options)


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("robots", "match", "club"), "name two robots"),
        (("robots", "match", "club", "nobody"), 'nobody called "nobody" plays Cephalopod: it may be random, '),
        (("robots", "match", "club", "greedy", "--game", "ludo"), 'there is no game "ludo": write --game with '),
        (("robots", "match", "club", "random", "--option", "size"), '"size" is not an option of a game'),
        (
            ("robots", "match", "club", "random", "--option", "size=2x2"),
            'the game has no "size=2x2", but size=5x5',
        ),
        (("robots", "match", "club", "random", "--option", "x=1"), 'the game has no "x=1", but none of that name'),
        (("robots", "match", "club", "random", "--seats", "9"), "Cephalopod is for 2 to 6"),
        (("robots", "match", "club", "random", "--ladder"), "--ladder takes all rungs"),
    ],
)
def test_wrong_words(terminal: Terminal, words: tuple[str, ...], reason: str) -> None:
    """One sentence, and no traceback."""
    done = terminal.run(*words)
    assert done.code == 2
    assert reason in done.sentence


def test_a_file_that_cannot_be_written(terminal: Terminal) -> None:
    """The table is there all the same."""
    done = terminal.run(*TWO, "--games", "2", "--json", str(terminal.folder / "nowhere" / "x.json"))
    assert done.code == 1
    assert "cannot be written" in done.sentence
    assert "search:30" in done.out
