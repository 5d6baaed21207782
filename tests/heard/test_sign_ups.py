"""People without an account who want one, and say so in a sentence: which account their letter begins.

Each file holds letters as tables: their language and text, perhaps a Subject, and the username that is wanted, or
nothing where none is.
"""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from pbmserv.commands.server import Server
from pbmserv.services.app import App
from pbmserv.services.views import list_players
from tests.conftest import ADDRESS, Clock
from tests.services.post import Post

FOLDER: Final = Path(__file__).parent
NAMES: Final = ("sign_ups", "sign_ups_own", "sign_ups_apart")
FILES: Final = [file for name in NAMES if (file := FOLDER / f"{name}.toml").exists()]


@dataclass(frozen=True)
class Heard:
    """What a letter wants, and the names of the accounts that it began."""

    language: str
    text: str
    wanted: str
    begun: tuple[str, ...]

    @property
    def is_right(self) -> bool:
        return self.begun == ((self.wanted.lower(),) if self.wanted else ())

    @property
    def is_wrong(self) -> bool:
        """Whether an account was begun that nobody wanted."""
        return bool(self.begun) and not self.is_right


def heard(post: Post, file: Path) -> Iterator[Heard]:
    """Each letter of a file as the mail of a stranger of its own, with no Subject unless it has one."""
    known: set[str] = set()
    (letters,) = tomllib.loads(file.read_text()).values()
    for number, letter in enumerate(letters):
        sender = f"somebody{number}@place{number}.example"
        post.clock.move(days=1)
        post.mail(sender, letter.get("subject", ""), letter["text"])
        now = {player.userid.lower() for player in list_players(post.house)}
        yield Heard(letter["language"], letter["text"], letter["name"], tuple(now - known))
        known = now


@pytest.fixture
def post(sqlite_house: App, clock: Clock) -> Post:
    """Where a From address proves nothing."""
    house = App(sqlite_house.engine, Server(ADDRESS, variants=True), sqlite_house.new_token, sqlite_house.hasher)
    return Post(house, clock)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_sign_ups_by_sentence(post: Post, file: Path) -> None:
    """Nine of ten that want an account begin it, under its name; none begins another."""
    found = list(heard(post, file))
    assert [each for each in found if each.is_wrong] == []
    wanting = [each for each in found if each.wanted]
    missed = [each for each in wanting if not each.is_right]
    assert 10 * len(missed) <= len(wanting), missed
