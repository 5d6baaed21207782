"""Letters in plain words, in twelve languages, and how many get what they ask for (files beside this)."""

import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from pbmserv.commands.word_lists import word_lists
from pbmserv.parser.wishes import SOCIAL, wish_of

FILES = [Path(__file__).with_name(f"{name}.toml") for name in ("mid_game", "strangers", "development", "more")]
"""The first two are by somebody who has not seen the words; every other letter of them was then learned from."""

ENOUGH = {True: 90, False: 75}
"""Of 100 letters, in English and in other languages."""


@dataclass(frozen=True, slots=True)
class Letter:
    """A letter, and the wishes that are right for it."""

    language: str
    text: str
    subject: str
    wants: frozenset[str]

    def brings(self) -> tuple[str, ...]:
        """What is offered: one wish or two; words for others, where there is none or little else."""
        names = wish_of(self.text, self.subject).names
        return (*names, "chat") if SOCIAL.issuperset(names) else names


def letters(path: Path) -> Iterator[Letter]:
    """All of a file."""
    for table in tomllib.loads(path.read_text()).values():
        for each in table:
            yield Letter(each["language"], each["text"], each.get("subject", ""), frozenset(each["wants"]))


@pytest.mark.slow
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_letters_get_what_they_ask_for(path: Path) -> None:
    """A second wish that is near counts, since both are offered."""
    asked, right, wrong = Counter[str](), Counter[str](), Counter[tuple[str, str]]()
    for letter in letters(path):
        assert letter.wants <= {*word_lists("wishes.toml", "pbmserv.parser")["wish"], "chat"}, letter
        brought = letter.brings()
        asked[letter.language] += 1
        right[letter.language] += not letter.wants.isdisjoint(brought)
        if letter.wants.isdisjoint(brought):
            wrong[" ".join(sorted(letter.wants)), " ".join(brought)] += 1
            print(f"{letter.language} {brought} for {sorted(letter.wants)}: {letter.subject!r} {letter.text!r}")
    print("\n".join(f"{count} {wants}: {brought}" for (wants, brought), count in wrong.most_common()))
    for is_english in (True, False):
        of = [language for language in asked if (language == "en") == is_english]
        rate = 100 * sum(right[each] for each in of) / max(sum(asked[each] for each in of), 1)
        print(f"{'English' if is_english else 'others'}: {rate:.0f} of 100 of {sum(asked[each] for each in of)}")
        assert rate >= ENOUGH[is_english] or not of
