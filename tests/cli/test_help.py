"""Help, examples and completion: complete, plain, and there without what only the commands need."""

import os
import shlex
import subprocess
import sys
from typing import Any

import pytest

from pbmserv.cli.lazy import LazyGroup
from pbmserv.cli.main import cli
from tests.cli.terminal import Terminal
from tests.docs import all_commands

DRAWN = "╭╮╰╯│─━"
"""What tables and boxes are drawn with on a terminal."""


COMMANDS = dict(all_commands(cli, ("pbmserv",)))
SHOWN = {path: command for path, command in COMMANDS.items() if path[-1] != "apart"}
EXAMPLES = [line for command in COMMANDS.values() for line in command.examples]


def imported_by(*words: str) -> set[str]:
    """The packages that `pbmserv WORDS` has imported by its end, and the floors of ours."""
    code = (
        f"import sys; from pbmserv.cli.main import cli\ntry: cli({list(words)!r})\nexcept SystemExit: pass\n"
        "print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    names = [name.split(".") for name in done.stderr.splitlines()[-1].split()]
    return {".".join(name[: 2 if name[0] == "pbmserv" else 1]) for name in names}


def test_every_command_is_listed_with_what_it_does(terminal: Terminal) -> None:
    for path, command in SHOWN.items():
        told = terminal.succeed(*path[1:], "--help")
        assert (command.help or "").partition(".")[0].split()[0] in told
        assert not set(told) & set(DRAWN), "plain in a pipe"
        if isinstance(command, LazyGroup):
            for each in command.listed:
                assert each.hidden or f"  {each.name} " in told
                assert each.hidden or each.summary.endswith(".")
                assert each.hidden or each.section


def test_help_is_in_groups(terminal: Terminal) -> None:
    told = terminal.succeed("admin", "--help")
    boards, people = told.index("\nBoards:\n"), told.index("\nPeople:\n")
    assert boards < told.index("\n  extend ") < people < told.index("\n  ban ")


def test_examples_are_as_they_were_written(terminal: Terminal) -> None:
    told = terminal.succeed("admin", "games", "--help")
    assert "\nExamples:\n  pbmserv admin games --player alice --filter next\n" in told
    assert told.count("Examples") == 1


@pytest.mark.parametrize("line", EXAMPLES)
def test_an_example_is_understood(line: str) -> None:
    """Its command, arguments and options are there."""
    words = shlex.split(line.partition(" | ")[0].partition(" > ")[0].partition(" < ")[0])
    path = max((path for path in COMMANDS if tuple(words[: len(path)]) == path), key=len)
    COMMANDS[path].make_context(path[-1], words[len(path) :])


def test_a_command_that_nobody_knows(terminal: Terminal) -> None:
    done = terminal.run("admin", "gmaes")
    assert done.code == 2
    assert "No such command 'gmaes'. Did you mean 'games'?" in done.err


def test_help_starts_without_what_commands_need() -> None:
    """Nothing of ours but the command line, and none of the larger libraries."""
    found = imported_by("admin", "--help")
    assert {name for name in found if name.startswith("pbmserv.")} == {"pbmserv.cli"}
    assert found & {"sqlalchemy", "rich", "jinja2", "asyncio", "email_validator"} == set()


@pytest.mark.slow
def test_a_listing_starts_without_what_others_need(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """It ends with a sentence, since there is no database; by then all is imported."""
    monkeypatch.chdir(tmp_path)
    found = imported_by("admin", "outbox")
    assert "pbmserv.store" in found
    assert found & {"aiosmtpd", "starlette", "uvicorn", "alembic", "imapclient", "lxml"} == set()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("admin ga", ["games"]),
        ("admin games --cs", ["--csv"]),
        ("admin games --filter n", ["next"]),
        ("comp", ["completion"]),
        ("ap", []),
    ],
)
def test_bash_completes(typed: str, expected: list[str]) -> None:
    """By the words that its function asks for."""
    cursor = str(len(typed.split()))
    asked = {"_PBMSERV_COMPLETE": "bash_complete", "COMP_WORDS": f"pbmserv {typed}", "COMP_CWORD": cursor}
    program = [sys.executable, "-m", "pbmserv.cli.start"]
    done = subprocess.run(program, env=os.environ | asked, capture_output=True, text=True, check=True)
    assert done.stdout.split() == [f"plain,{word}" for word in expected]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_printed(terminal: Terminal, shell: str) -> None:
    script = terminal.succeed("completion", shell)
    assert f"_PBMSERV_COMPLETE={shell}_complete" in script
    if shell == "bash":
        subprocess.run(["bash", "-n"], input=script, text=True, check=True)
