"""The mails in `plain/`, one entry each: a line, or lines after `|`; `=>` tells what it means."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

PLAIN: Final = Path(__file__).parent / "plain"
HEADERS: Final = frozenset(
    ("From", "To", "Cc", "Subject", "Envelope", "X-Spam-Flag", "X-Spam-Status", "Authentication-Results")
)


@dataclass(frozen=True, slots=True)
class Entry:
    """A mail of a file: its headers and its text, and what it means."""

    place: str
    headers: dict[str, str]
    text: str
    means: str


def entries(name: str) -> Iterator[Entry]:
    """All entries of a file."""
    headers: dict[str, str] = {}
    text: list[str] = []
    for number, line in enumerate((PLAIN / name).read_text().split("\n"), 1):
        if line.startswith("|"):
            key, _, value = line[2:].partition(": ")
            if not text and key in HEADERS:
                headers[key] = value
            else:
                text.append(line[2:])
        elif line.startswith("=> "):
            yield Entry(f"{name}:{number}", headers, "\n".join(text), line[3:])
            headers, text = {}, []
        elif " => " in line:
            said, _, means = line.partition(" => ")
            yield Entry(f"{name}:{number}", {}, said, means)
