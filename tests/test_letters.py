"""Letters, read aloud: every kind is in the list and in a conversation, and laws that hold for each of them."""

import re
from collections import Counter
from typing import get_args

import pytest

from pbmserv.cli.bootstrap import new_token
from pbmserv.commands.letter import MailKind
from pbmserv.rendering.templates import templates_folder
from tests.letters import GOLDEN, KINDS, GoldenLetter, begins, letters_in

LETTERS = {file.stem: list(letters_in(file)) for file in sorted(GOLDEN.glob("*.txt"))}


def test_every_kind_is_shown() -> None:
    """Of every kind of mail there is something in the list, and a conversation has it, or another test."""
    assert set(KINDS) == set(get_args(MailKind))
    missing = [
        (name, begin)
        for kinds in KINDS.values()
        for name, (file, begin) in kinds.items()
        if not (any(begins(each.line, begin) for each in LETTERS[file]) if file else _is_template(begin))
    ]
    assert not missing


def _is_template(name: str) -> bool:
    return (templates_folder() / "en" / name).exists()


def sentences(letter: GoldenLetter) -> list[str]:
    """The sentences of a letter, each as often as it stands there: without drawings, quotations and commands.

    None of a letter that answers several lines or shows several boards, which are answered or shown alike.
    """
    if (
        re.search(r"(?m)^(\[1\]|Line 1:|-----)|no boards in play", letter.text)
        or letter.text.count("Board 10") > 4
    ):
        return []
    lines = [each if each[:1] not in (" ", "|", ">", "(") else "." for each in letter.text.split("\n")]
    return [each for each in re.split(r"(?<=[.!?:])\s+", " ".join(lines)) if len(each.split()) > 3]


ALL = [pytest.param(letters, id=name) for name, letters in LETTERS.items()]


@pytest.mark.parametrize("letters", ALL)
def test_laws(letters: list[GoldenLetter]) -> None:
    """Nothing is said twice, no line begins with one blank, and there is one deadline at most for each board."""
    for letter in letters:
        boards = len(re.findall(r"(?m)^(?:Summary of .*)?Board [0-9]+\b", letter.text)) or 1
        twice = [each for each, count in Counter(sentences(letter)).items() if count > 1]
        assert not twice, letter.text
        assert not re.search(r"(?m)^ (?=[^ ])", letter.text), letter.text
        assert letter.line.count("Your turn. You have") <= boards, letter.text
        deadlines = re.findall(r"You have (?:until|[0-9]+ (?:day|hour))", letter.line)
        assert len(deadlines) <= boards or "TIME" in letter.line, letter.text


@pytest.mark.parametrize("letters", ALL)
def test_a_refusal_begins_with_what_was_not_done(letters: list[GoldenLetter]) -> None:
    """So that the list of an inbox shows it."""
    for letter in letters:
        if "\nNot done: " in letter.text and not letter.text.startswith("Line 1: "):
            assert letter.text.startswith(("[", "Welcome")), letter.text


def test_words_in_addresses() -> None:
    """They are random, survive a change of case, and have no run that filters take for a machine's."""
    words = {new_token() for _ in range(500)}
    assert len(words) == 500
    for word in words:
        assert re.fullmatch("[a-z0-9]{20}", word)
        assert not re.search("[bcdfgjklmnpqrstvwxz]{7}|[0-9a-f]{11}", word)
