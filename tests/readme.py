"""README as data: its table of commands as it should be, and the steps of its tour.

`python -m tests.readme` writes the table into README anew.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from pbmserv.commands.library import commands

README = Path(__file__).parent.parent / "README.md"
BEGIN, END = "<!-- commands -->\n", "<!-- /commands -->\n"


@dataclass(frozen=True)
class Step:
    """A command line of the tour, and lines that its output must hold in this order."""

    command: str
    shown: tuple[str, ...]


def commands_table() -> str:
    """The table of commands, as it must stand in README."""
    rows = [
        f"| {'<br>'.join(f'`{form}`' for form in command.forms)} | {command.summary} | `{command.example}` |"
        for command in commands().values()
    ]
    return "\n".join([f"{BEGIN}| command | what it does | example |", "| --- | --- | --- |", *rows, END])


def tour() -> list[Step]:
    """The steps of the blocks marked `console` below the heading *Tour*."""
    text = README.read_text().partition("\n## Tour\n")[2].partition("\n## ")[0]
    steps: list[Step] = []
    for block in re.findall(r"(?s)```console\n(.*?)```", text):
        for part in re.split(r"(?m)^\$ ", block)[1:]:
            command, *shown = part.rstrip("\n").split("\n")
            steps.append(Step(command, tuple(line.strip() for line in shown if line.strip() not in ("", "..."))))
    return steps


if __name__ == "__main__":
    before, _, rest = README.read_text().partition(BEGIN)
    README.write_text(before + commands_table() + rest.partition(END)[2])
