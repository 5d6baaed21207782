"""How often a law is tried: with all its examples in `make test-slow`, with a tenth of them in `make test`."""

from hypothesis import settings

QUICK, FULL = "quick", "full"
OFTEN = 100
"""Examples of a law that asks for no number of its own."""


def register_profiles() -> None:
    """Makes the profiles for `--hypothesis-profile`; quick is what holds without one.

    There is no deadline: a machine that does something else meanwhile is no fault of the code.
    """
    settings.register_profile(QUICK, max_examples=OFTEN // 10, deadline=None)
    settings.register_profile(FULL, max_examples=OFTEN, deadline=None)
    settings.load_profile(QUICK)


def examples(number: int) -> settings:
    """For a law that wants its own number of examples: `number` in the full profile."""
    return settings(max_examples=max(1, number * settings().max_examples // OFTEN))
