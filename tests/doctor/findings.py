"""What `doctor` has found, for tests to ask."""

from dataclasses import dataclass
from typing import Any

from tests.cli.terminal import Done, Terminal


@dataclass(frozen=True)
class Found:
    """A run of `pbmserv doctor --json`."""

    done: Done

    @property
    def verdict(self) -> str:
        """The worst of all, which the exit code says too."""
        verdict = str(self.done.rows["verdict"])
        assert ["fine", "attention", "broken"].index(verdict) == self.done.code
        return verdict

    def line(self, name: str, verdict: str) -> str:
        """What is said about one thing whose verdict is this, with what mends it."""
        rows = [row for row in self.done.rows["findings"] if row["name"] == name]
        told = [row for row in rows if row["verdict"] == verdict]
        assert told, rows or self.done.rows
        return "\n".join(f"{row['found']}\n{row['mend']}".strip() for row in told)

    def names(self, verdict: str) -> set[str]:
        """All things of one verdict."""
        rows: list[dict[str, Any]] = self.done.rows["findings"]
        return {row["name"] for row in rows if row["verdict"] == verdict}


def examined(terminal: Terminal, *words: str) -> Found:
    """What `pbmserv doctor` says."""
    return Found(terminal.run("doctor", "--json", *words))
