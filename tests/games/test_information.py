"""The laws of what a game says about itself: facts, options, and its rules text."""

import pytest

from pbmserv.services.laws.facts import check_information, check_options, check_rules_text
from tests.games.setups import NAMES


@pytest.mark.parametrize("name", NAMES)
def test_information(name: str) -> None:
    check_information(name)


@pytest.mark.parametrize("name", NAMES)
def test_options(name: str) -> None:
    check_options(name)


@pytest.mark.parametrize("name", NAMES)
def test_rules_text(name: str) -> None:
    check_rules_text(name)
