"""The laws of what a game says about itself: facts, options, and its rules text."""

from pbmserv.services.laws.facts import check_information, check_options, check_rules_text
from tests.every import for_each
from tests.games.setups import NAMES


@for_each("name", NAMES)
def test_information(name: str) -> None:
    check_information(name)


@for_each("name", NAMES)
def test_options(name: str) -> None:
    check_options(name)


@for_each("name", NAMES)
def test_rules_text(name: str) -> None:
    check_rules_text(name)
