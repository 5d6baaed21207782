"""Nothing is declared and then forgotten: commands, replies and refusals have their texts, README is current."""

import re
import subprocess
from pathlib import Path

import pytest

import pbmserv.commands.replies.operator  # noqa: F401 - said by services only
from pbmserv.commands.command import Command
from pbmserv.commands.library import commands
from pbmserv.commands.line import read_line
from pbmserv.commands.replies.common import Reply
from pbmserv.commands.server import Server
from pbmserv.commands.verbs.help import page, subjects
from pbmserv.entrypoints.config import PREFIX, Settings
from pbmserv.games.library import games
from pbmserv.matches.refusals import Refused
from pbmserv.rendering.environment import WIDTH, environment, laid_out, rules_text, templates_folder
from pbmserv.rendering.sentences import say, template_of
from tests.attacks import PAGE, attacks_tables
from tests.readme import README, commands_table

EVERY_COMMAND = list(commands().values())


@pytest.mark.parametrize("command", EVERY_COMMAND, ids=lambda command: command.name)
def test_command_is_whole(command: Command) -> None:
    """A summary on one line, an example that the parser takes for this very command, a help page."""
    assert 10 <= len(command.summary) <= 64
    assert command.summary[0].islower()
    parsed = read_line(command.example, None).parsed
    assert parsed is not None
    assert parsed.command is command
    assert all(command.name in form for form in command.forms)
    assert (templates_folder() / "help" / "commands" / f"{command.name.replace(' ', '_')}.txt").is_file()


@pytest.mark.parametrize(
    "kind", [*Reply.__subclasses__(), *Refused.__subclasses__()], ids=lambda kind: kind.__name__
)
def test_sentence_has_its_template(kind: type[Reply] | type[Refused]) -> None:
    """Each kind of reply and refusal has a template of its name, and it says something."""
    name = template_of(kind)
    assert environment().get_template(name)
    assert re.sub(r"\{#.*?#\}", "", (templates_folder() / name).read_text(), flags=re.DOTALL).strip()


def test_no_template_is_left_over() -> None:
    """Each template of replies, refusals and command help belongs to something, each variant to a template."""
    folder = templates_folder()
    wanted = {template_of(kind) for root in (Reply, Refused) for kind in root.__subclasses__()}
    wanted |= {f"help/commands/{name.replace(' ', '_')}.txt" for name in commands()}
    found = {
        str(path.relative_to(folder))
        for part in ("replies", "refusals", "help/commands")
        for path in (folder / part).iterdir()
    }
    in_words = {name for name in found if name.endswith(".words.txt")}
    assert found - in_words == wanted
    plain = {str(path.relative_to(folder)) for path in folder.rglob("*.txt")}
    variants = {name for name in plain if name.endswith(".words.txt")}
    assert {name.replace(".words.txt", ".txt") for name in variants} <= plain


@pytest.mark.parametrize("subject", ["", *subjects()])
@pytest.mark.parametrize("confirm", ["ask", "from"])
def test_help_page_is_fit_for_mail(subject: str, confirm: str) -> None:
    """Every help page renders, and every line of it may stand in a mail."""
    reply = page(subject)
    assert reply is not None
    text = laid_out(say(reply, Server("pbm@club.test", confirm="ask" if confirm == "ask" else "from")))
    for line in text.split("\n"):
        assert len(line) <= WIDTH
        assert line == line.rstrip()
        assert not line.startswith(("From ", ">"))
        assert line not in (".", "--")
        assert "{{" not in line
        assert "{%" not in line


def test_examples_in_help_are_commands() -> None:
    """What stands indented in a help page and begins with a command can be sent as it stands."""
    for subject in subjects():
        reply = page(subject)
        assert reply is not None
        rules = rules_text(subject) if subject in games() else ""
        for line in say(reply, Server("pbm@club.test")).split("\n"):
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
                assert read_line(text, 101).parsed or read_line(text, None).parsed, text


def test_readme_has_the_commands() -> None:
    """README's table of commands is the declarations'."""
    assert commands_table() in README.read_text()


def test_readme_names_every_setting() -> None:
    """README's table of settings has them all, and no other."""
    named = set(re.findall(r"`(PBMSERV_[A-Z_]+)`", README.read_text()))
    assert named == {PREFIX + name.upper() for name in Settings.model_fields}


def test_docs_have_the_attacks() -> None:
    """The tables of attacks are made from the tests that try them."""
    assert attacks_tables() in PAGE.read_text()


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
    listed = subprocess.run(["git", "ls-files"], cwd=README.parent, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("this is no git checkout")
    top = {Path(name).parts[0] for name in listed.stdout.splitlines()}
    assert {name for name in top if not name.startswith(".")} <= agreed
