"""Nothing is declared and then forgotten: commands, replies and refusals have their texts, README is current."""

import re
import subprocess
from pathlib import Path

import pytest

from pbmserv.commands.command import Command, Reply, commands
from pbmserv.commands.help import page, subjects
from pbmserv.commands.server import Server
from pbmserv.games import games
from pbmserv.matches.errors import CommandError
from pbmserv.parser.line import parse_line
from pbmserv.rendering.language import LANGUAGE
from pbmserv.rendering.markup import WIDTH, laid_out
from pbmserv.rendering.templates import (
    environment,
    render,
    say,
    templates_folder,
)
from tests.docs import ROOT
from tests.every import every
from tests.house.imports import importable

SERVER = Server("pbm@club.test", variants=True)
EVERY_COMMAND = list(commands().values())


def test_every_command_is_whole() -> None:
    """A summary on one line, an example that the parser takes for this very command, a help page."""

    def check(command: Command) -> None:
        assert 10 <= len(command.summary) <= 64
        assert command.summary[0].islower()
        parsed = parse_line(command.example, None).parsed
        assert parsed is not None
        assert parsed.command is command
        assert all(form.removeprefix("[game] ").startswith(command.name) for form in command.forms)
        assert page(command.name, SERVER) is not None

    every(EVERY_COMMAND, check, name=lambda command: command.name)


def test_every_sentence_has_its_template() -> None:
    """Each kind of reply and refusal has a template of its name, and it says something."""

    def check(kind: type[Reply] | type[CommandError]) -> None:
        name, _, block = kind.template.partition(":")
        assert re.sub(r"\{#.*?#\}", "", blocks_in(name)[block], flags=re.DOTALL).strip()

    kinds: list[type[Reply] | type[CommandError]] = [*Reply.__subclasses__(), *CommandError.__subclasses__()]
    every(kinds, check, name=lambda kind: kind.__name__)


def blocks_in(name: str) -> dict[str, str]:
    """The blocks of a template of sentences, by name, as they are written."""
    text = (templates_folder() / LANGUAGE.folder / name).read_text()
    found = re.findall(r"^\{% block (\w+) %\}\n(.*?)^\{% endblock %\}", text, flags=re.DOTALL | re.MULTILINE)
    assert environment().get_template(name).blocks.keys() == dict(found).keys()
    return dict(found)


def test_no_template_is_left_over() -> None:
    """Each block of sentences belongs to a reply, an error or a command, each variant to a template."""
    folder = templates_folder() / LANGUAGE.folder
    assert list(importable())  # so that every reply is known
    places = [kind.template for root in (Reply, CommandError) for kind in root.__subclasses__()]
    places += [command.help for command in EVERY_COMMAND]
    assert len(set(places)) == len(places)
    wanted = {(place.partition(":")[0], place.partition(":")[2]) for place in places}
    files = {name for name, _ in wanted}
    found = {(name, block) for name in files for block in blocks_in(name)}
    accessible = {(name, block) for name, block in found if block.endswith("_accessible")}
    assert found - accessible == wanted
    assert {(name, block.removesuffix("_accessible")) for name, block in accessible} <= wanted
    of_modules = [
        path for part in ("commands", "matches", "parser", "services") for path in (folder / part).rglob("*.txt")
    ]
    assert {str(path.relative_to(folder)) for path in of_modules} == files
    plain = {str(path.relative_to(folder)) for path in folder.rglob("*.txt")}
    variants = {name for name in plain if name.endswith(".words.txt")}
    assert {name.replace(".words.txt", ".txt") for name in variants} <= plain


def test_every_help_page_is_fit_for_mail() -> None:
    """It renders, whatever a From address proves, and every line of it may stand in a mail."""

    def check(subject: str) -> None:
        reply = page(subject, SERVER)
        assert reply is not None
        for server in (
            Server("pbm@club.test", variants=True, confirm="ask"),
            Server("pbm@club.test", variants=True, confirm="from"),
        ):
            for line in laid_out(say(reply, server)).split("\n"):
                assert len(line) <= WIDTH
                assert line == line.rstrip()
                assert not line.startswith(("From ", ">"))
                assert line not in (".", "--")
                assert "{{" not in line
                assert "{%" not in line

    every(["", *subjects()], check)


def test_examples_in_help_are_commands() -> None:
    """What stands indented in a help page and begins with a command can be sent as it stands."""
    for subject in subjects():
        reply = page(subject, SERVER)
        assert reply is not None
        rules = render(f"rules/{subject}.txt") if subject in games() else ""
        for line in say(reply, SERVER).split("\n"):
            text = line.strip()
            is_example = (
                re.match(r" {4}\S", line)
                and line not in rules
                and "[" not in text
                and "+" not in text
                and not text.isupper()
            )
            is_form = any(text in command.forms for command in EVERY_COMMAND)
            if is_example and not is_form and text.split(" ")[0] in commands() and "userid" not in text:
                assert parse_line(text, 101).parsed or parse_line(text, None).parsed, text


def test_only_the_agreed_entries_at_the_top() -> None:
    """The top level holds what the house has, and nothing else."""
    agreed = {
        "pyproject.toml",
        "README.md",
        "LICENSE",
        "Makefile",
        "pbmserv",
        "migrations",
        "templates",
        "tests",
        "deploy",
        "docs",
    }
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("this is no git checkout")
    top = {Path(name).parts[0] for name in listed.stdout.splitlines()}
    assert {name for name in top if not name.startswith(".")} <= agreed
