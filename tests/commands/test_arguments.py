"""Each command gets the arguments that it declares."""

import re
from types import NoneType
from typing import get_args, get_type_hints

import pytest

from pbmserv.commands.command import (
    Arguments,
    BoardRef,
    Command,
    arguments_in,
    arguments_of,
    commands,
)
from pbmserv.commands.lookup import WrongForm, read_page
from pbmserv.commands.queue import QueueArguments
from pbmserv.parser.line import parse_line
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
    """Whether what the parser makes of a command's lines has all that the command says it gets."""
    may_lack = {
        name: NoneType in get_args(hint) for name, hint in get_type_hints(arguments_in(command.run)).items()
    }
    for line in (command.example, *(shortest(command.name, form) for form in command.forms)):
        parsed = parse_line(line, None).parsed
        assert parsed is not None, line
        assert parsed.command is command, line
        arguments = arguments_of(arguments_in(command.run), parsed.arguments)
        lacking = {name for name in may_lack if getattr(arguments, name) is None}
        assert all(may_lack[name] for name in lacking), (line, lacking)


def test_every_command_gets_what_it_declares() -> None:
    """By its example and by the shortest line of each usage pattern."""
    every(commands().values(), check, lambda command: command.name)


def test_arguments_are_named_alike() -> None:
    """By what the parser has read under the same name; the first board stands for all."""
    read = Arguments(game="cephalopod", boards=(BoardRef(101), BoardRef(102)), ahead="if b2 then c3")
    assert arguments_of(QueueArguments, read) == QueueArguments(101, "cephalopod", None, "if b2 then c3")
    with pytest.raises(AttributeError):
        arguments_of(Command, read)


def test_a_page_has_four_digits_at_most() -> None:
    """Any other number is refused as a page; no listing is as long."""
    command = commands()["ratings"]
    assert [read_page([("page", number)], command) for number in ("1", "9999")] == [1, 9999]
    for number in ("0", "10000", "-1", "1.5", "²"):
        with pytest.raises(WrongForm):
            read_page([("page", number)], command)
