"""Documents: what a template says is told from what people write, and nothing is lost when it is repeated."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from argon2 import PasswordHasher
from hypothesis import given
from hypothesis import strategies as st

from pbmserv.commands.command import commands
from pbmserv.commands.help import page, subjects
from pbmserv.commands.server import Server
from pbmserv.commands.talk import MessageFrom
from pbmserv.games import games
from pbmserv.parser.line import parse_line
from pbmserv.rendering.document import Document, Heading, Numbered, Prose, Quoted, Verbatim, VerbatimLine
from pbmserv.rendering.filters import sendable, to_fill_in
from pbmserv.rendering.html_mail import Content, html_part
from pbmserv.rendering.markup import Marked, as_text, document_of, marked, source_of, without_marks
from pbmserv.rendering.templates import quoted, rules_document, say
from tests.conversation import parse
from tests.every import every
from tests.test_golden import FILES, play_in_process

SERVER = Server("pbm@club.test", variants=True)
MARKS = "".join(map(chr, range(0xFDD0, 0xFDF0)))
WRITTEN = st.text(alphabet=f"{MARKS}#~|$%!1. ab\n", max_size=60)


def kinds(document: Document) -> list[str]:
    """Of which kinds the blocks are, in order."""
    return [block.kind for block in document.blocks]


def test_a_quoted_rule_has_four_lines_at_most() -> None:
    """Of every paragraph of every game; longer ones end with a sentence, or with dots."""
    for name in games():
        for item in rules_document(name).items():
            said = as_text(document_of(quoted(name, int(item.number.rstrip("."))))).strip()
            assert 1 <= len(said.split("\n")) <= 5, said
            assert said.endswith((".", ":", ")", "...")), said


def test_a_template_says_which_block_a_line_belongs_to() -> None:
    text = marked("# Title\nof\n\n1. One\n       show\n\n   and\n2. Two\n~ alone\n| hers\n    a\n      b\nEnd")
    assert document_of(text).blocks == (
        Heading("Title"),
        Prose(("of",), is_tight=True),
        document_of(marked("1. One\n       show\n\n   and\n2. Two")).blocks[0],
        Prose(("alone",), is_tight=True),
        Quoted(("hers",), is_tight=True),
        Verbatim((VerbatimLine("a"), VerbatimLine("  b")), 4, is_tight=True),
        Prose(("End",), is_tight=True),
    )
    (numbered,) = document_of(marked("1. One\n       show\n\n   and\n2. Two")).blocks
    assert isinstance(numbered, Numbered)
    assert [item.number for item in numbered.items] == ["1.", "2."]
    assert numbered.items[0].parts == (
        Prose(("One",)),
        Verbatim((VerbatimLine("show"),), 4, is_tight=True),
        Prose(("and",)),
    )


def test_only_a_template_can_say_it() -> None:
    """The same in what players write is what they write."""
    for text in ("# Game over", "~ [1] resign 101", "1. You have won", "| bob: I resign", "$ resign 101"):
        assert kinds(document_of(say(MessageFrom("ann", (), text), SERVER))).count("quoted") == 1
        said = document_of(say(MessageFrom("ann", (), text), SERVER, words=True))
        assert kinds(said) == ["prose", "verbatim", "prose", "verbatim", "prose", "prose"]
        assert isinstance(said.blocks[-1], Prose)
        assert said.blocks[-1].text == text


@pytest.mark.parametrize("words", [False, True])
@given(WRITTEN)
def test_no_value_holds_a_mark(words: bool, written: str) -> None:
    """Whatever comes into a template, no block comes with it."""
    said = kinds(document_of(say(MessageFrom("ann", (), written), SERVER, words)))
    assert {"heading", "numbered"}.isdisjoint(said)
    assert said.count("quoted") == (0 if words else 1)


def test_marks_are_kept_only_in_what_a_template_said() -> None:
    assert without_marks(f"a{MARKS}b") == "ab"
    assert without_marks(Marked(MARKS)) == MARKS
    assert without_marks(7) == 7


def test_what_is_repeated_is_the_same() -> None:
    """Every help page, as a template would repeat it."""

    def check(subject: str) -> None:
        reply = page(subject, SERVER)
        assert reply is not None
        document = document_of(say(reply, SERVER))
        assert document_of(source_of(document.blocks)) == document
        assert not set(MARKS) & set(as_text(document))

    every(["", *subjects()], check)


# Commands


def lines_in(document: Document) -> Iterator[VerbatimLine]:
    """Every line that is to be seen as it stands."""
    for block in document.blocks:
        parts = [part for item in block.items for part in item.parts] if isinstance(block, Numbered) else [block]
        for part in parts:
            if isinstance(part, Verbatim):
                yield from part.lines


def check_commands(document: Document) -> None:
    """What has a mark is a command without a secret, and nothing else is one but the forms of commands."""
    forms = {form for command in commands().values() for form in command.forms}
    for line in lines_in(document):
        text = " ".join(line.text.split())
        if line.command is not None:
            parsed = parse_line(line.command.sends, None).parsed
            assert parsed is not None, text
            assert (parsed.command.kind == "token") == (line.command.use == "answer"), text
            assert not {"sesame", "poppy", "tahini"} & set(line.command.sends.split()), text
        elif text not in forms:
            assert sendable(text) is None, text
            assert to_fill_in(text) == "", text


def test_commands_of_help_pages_are_marked() -> None:
    def check(subject: str) -> None:
        reply = page(subject, SERVER)
        assert reply is not None
        for confirm in ("ask", "from"):
            check_commands(document_of(say(reply, replace(SERVER, confirm=confirm))))

    every(["", *subjects()], check)


@pytest.mark.slow
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_commands_of_mails_are_marked(
    file: Path, tmp_path: Path, quick_hasher: PasswordHasher, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of all HTML parts of a golden conversation."""

    def checked(content: Content, *rest: Any) -> str | None:
        check_commands(content.said)
        return html_part(content, *rest)

    monkeypatch.setattr("pbmserv.services.compose.html_part", checked)
    play_in_process(parse(file.read_text()), tmp_path, quick_hasher)
