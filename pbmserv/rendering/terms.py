"""The terms of a match, an open offer or a board in a listing, for templates: `parts/terms.txt` says them."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Final

from pbmserv.commands.vocabulary import ROBOTS
from pbmserv.games import games, title_with
from pbmserv.games.info import Measure
from pbmserv.matches.clock import TimeControl
from pbmserv.matches.log import Match
from pbmserv.matches.open_offer import OpenOffer
from pbmserv.matches.queries import BoardRow


@dataclass(frozen=True, slots=True)
class Setting:
    """The value of one option of a game, and what it counts."""

    name: str
    value: str
    measure: Measure = ""
    is_usual: bool = False
    is_variant: bool = False
    """Whether the inventor has not published it."""


@dataclass(frozen=True, slots=True)
class AgreedTerms:
    """What was agreed before a game: how it is played, whether it is rated, and how much time there is."""

    # What the game is called that is played so.
    title: str
    # Without usual ones that need no words.
    settings: tuple[Setting, ...]
    rated: bool
    # None: no limit.
    clock: TimeControl | None
    # When the first reminder comes; None where that is as usual.
    reminder: timedelta | None
    # Whether rating and time are as they are where nobody says otherwise.
    is_usual_beside: bool

    @property
    def chosen(self) -> tuple[Setting, ...]:
        """The settings that are not the usual ones."""
        return tuple(each for each in self.settings if not each.is_usual)

    @property
    def is_variant(self) -> bool:
        """Whether it is never plainly called by the name of the game."""
        return any(each.is_variant for each in self.settings)

    @property
    def is_usual(self) -> bool:
        """Whether everything is as it is where nobody says otherwise."""
        return self.is_usual_beside and not self.chosen

    @property
    def is_seen(self) -> bool:
        """Whether the board itself shows whatever is not as usual."""
        return self.is_usual_beside and not any(each.measure in _UNSEEN for each in self.chosen)


_USUAL: Final = TimeControl()
_UNSEEN: Final[tuple[Measure, ...]] = ("", "checks", "setup")
"""No board shows what was chosen of these. Their usual values need no words."""


def terms_of(agreed: Match | OpenOffer | BoardRow) -> AgreedTerms:
    """The terms: those that were chosen, and for the rest the usual ones."""
    has_robot = not isinstance(agreed, OpenOffer) and any(userid.startswith(ROBOTS) for userid in agreed.userids)
    # Practice alone has no clock at all.
    clock = agreed.clock or _USUAL
    return AgreedTerms(
        title=title_with(agreed.game, agreed.options),
        settings=tuple(each for each in _settings(agreed) if not each.is_usual or each.measure not in _UNSEEN),
        rated=agreed.rated,
        clock=agreed.clock,
        reminder=clock.nag if clock.nag != _USUAL.nag else None,
        is_usual_beside=agreed.rated is not has_robot and replace(clock, nag=clock.nag or _USUAL.nag) == _USUAL,
    )


def _settings(agreed: Match | OpenOffer | BoardRow) -> Iterator[Setting]:
    given = dict(agreed.options)
    for option in games()[agreed.game].info.options if agreed.game in games() else ():
        value = given.pop(option.name, option.default)
        yield Setting(option.name, value, option.measure, value == option.default, value in option.variants)
    # A game that is here no more has told nothing of its options.
    yield from (Setting(name, value) for name, value in given.items())
