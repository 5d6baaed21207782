"""Each command gets the arguments that it declares."""

import re

import pytest

from pbmserv.commands.command import Arguments, BoardRef, Command, commands
from pbmserv.commands.lookup import WrongForm, read_page
from pbmserv.commands.practice import ROBOT
from pbmserv.parser.line import parse_line
from tests.commands.memory import Table
from tests.every import every

SAID = {
    "[game]": "cephalopod",
    "board[#ply]": "101#7",
    "move[#ply]": "c3#7",
    "game": "cephalopod",
    "board": "101",
    "offer": "99",
    "number": "17",
    "userid:": "bob:",
    "userid": "bob",
    "move": "c3",
    "address": "alice@work.example",
    "text": "Hello",
    "old": "sesame",
    "new": "tahini",
    "password": "sesame",
    "key": "html",
    "value": "off",
}


def shortest(name: str, form: str) -> str:
    """A line of a usage pattern that leaves out all that may be left out."""
    plain = re.sub(r"\[(?!#ply)[^]]*\]", "", form.partition(name)[2]).replace("+", "")
    return " ".join([name, *(SAID.get(word, word) for word in plain.split())])


def check(command: Command) -> None:
    """Whether a command finds in its shortest lines what it needs: it may refuse them, and does not fail."""
    for line in (command.example, *(shortest(command.name, form) for form in command.forms)):
        parsed = parse_line(line, None).parsed
        assert parsed is not None, line
        assert parsed.command is command, line
        table = Table("Anna", "bob", "cora")
        table.make_robot("cora", ROBOT)
        table.give("challenge anna bob -size=3x3", "anna")
        table.give(line, "anna", "password")


def test_every_command_gets_what_it_declares() -> None:
    """By its example and by the shortest line of each usage pattern."""
    every(commands().values(), check, lambda command: command.name)


def test_the_first_of_several_is_meant() -> None:
    read = Arguments(boards=(BoardRef(101), BoardRef(102)), userids=("anna", "bob"))
    assert (read.board, read.first_board, read.userid, read.first_userid) == (101, 101, "anna", "anna")
    assert (Arguments().first_board, Arguments().first_userid) == (None, None)


def test_a_page_has_four_digits_at_most() -> None:
    """Any other number is refused as a page; no listing is as long."""
    command = commands()["ratings"]
    assert [read_page([("page", number)], command) for number in ("1", "9999")] == [1, 9999]
    for number in ("0", "10000", "-1", "1.5", "²"):
        with pytest.raises(WrongForm):
            read_page([("page", number)], command)
