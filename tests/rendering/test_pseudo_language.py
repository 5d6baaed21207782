"""A second language is a folder: with every template in a made-up one, no English sentence is left in a mail.

The made-up language is English with an accent on each `e` and `o` of the templates' own words. What comes out
without one was written by Python.
"""

import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from argon2 import PasswordHasher
from jinja2 import Environment

from pbmserv.commands.command import commands
from pbmserv.games import games
from pbmserv.rendering import language, templates
from pbmserv.rendering.document import Document
from pbmserv.rendering.markup import as_text
from tests.conversation import parse
from tests.test_golden import FOLDER, play_in_process

ACCENTS = str.maketrans("eo", "\xe9\xf6")
CONVERSATIONS = (
    "challenge",
    "moves",
    "refusals",
    "help",
    "ratings",
    "seek",
    "talk",
    "vacation",
    "consent",
    "account",
)

_WORD = re.compile(r"[A-Za-z]*[eo][A-Za-z]*")
_TAG = re.compile(r"(<[^>]*>|&\w+;)", re.DOTALL)


def accented(source: str) -> str:
    """A template whose own words have accents; what it computes, and lines to be sent, stay as they are."""
    done, at_line_start, is_verbatim = [], True, False
    for _, kind, text in Environment(trim_blocks=True, lstrip_blocks=True).lex(source):
        if kind != "data":
            done.append(text)
            at_line_start = at_line_start and kind in ("whitespace", "comment")
            continue
        for line in re.split(r"(?<=\n)", text):
            if at_line_start:
                is_verbatim = line.startswith((" ", "|", "<"))
            done.append(line if is_verbatim else _TAG.sub(lambda tag: tag[0], line.translate(ACCENTS)))
            at_line_start = line.endswith("\n")
    return "".join(done)


@pytest.fixture
def texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The texts of mails that are written from here on, in the made-up language."""
    folder = tmp_path / "templates"
    shutil.copytree(templates.templates_folder(), folder)
    shutil.copytree(folder / "en", folder / "xx")
    for file in (folder / "xx").rglob("*.txt"):
        file.write_text(accented(file.read_text()))
    texts: list[str] = []

    def noted(document: Document) -> str:
        texts.append(as_text(document))
        return texts[-1]

    with monkeypatch.context() as patch:
        patch.setattr(templates, "templates_folder", lambda: folder)
        leaves = {kind: word.translate(ACCENTS) for kind, word in language.ENGLISH.leaves.items()}
        patch.setattr(language, "LANGUAGE", replace(language.ENGLISH, folder="xx", leaves=leaves))
        patch.setattr("pbmserv.services.compose.as_text", noted)
        templates._environment.cache_clear()
        templates.rules_document.cache_clear()
        yield texts
    templates._environment.cache_clear()
    templates.rules_document.cache_clear()


def known_words(scripts: str) -> set[str]:
    """Words that are no sentences of ours: people's own, commands and games, and what templates choose from."""
    told = [
        "pbmserv@club.test",
        scripts,
        *(f"{each.name} {' '.join(each.forms)} {each.summary} {each.example}" for each in commands().values()),
    ]
    told += [repr(game.info) for game in games().values()]
    for file in (templates.templates_folder() / "en").rglob("*.txt"):
        source = file.read_text()
        told += [text for _, kind, text in Environment().lex(source) if kind == "string"]
    return {word for text in told for word in _WORD.findall(text)}


@pytest.mark.slow
def test_every_sentence_is_in_a_template(texts: list[str], tmp_path: Path, quick_hasher: PasswordHasher) -> None:
    """No mail of these conversations has a word of prose that was not written in the language's folder."""
    scripts = [(FOLDER / f"{name}.txt").read_text() for name in CONVERSATIONS]
    asked = "\n".join(step for script in scripts for step in parse(script).steps)
    for name, script in zip(CONVERSATIONS, scripts, strict=True):
        (tmp_path / name).mkdir()
        play_in_process(parse(script), tmp_path / name, quick_hasher)
    known = known_words(asked)
    prose = [line for text in texts for line in text.split("\n") if line and not line.startswith((" ", "|"))]
    english = {word: line for line in prose for word in _WORD.findall(line) if word not in known}
    assert len(texts) > 100
    assert english == {}
