"""Ratings: how strong players are, by the order in which matches end; and which matches share ratings. Pure.

The model is Plackett-Luce as an approximate Bayesian update (R. C. Weng and C.-J. Lin, "A Bayesian Approximation
Method for Online Ranking", Journal of Machine Learning Research 12, 2011, algorithm 4), computed by openskill. A
strength is believed to lie about `mu`, and mostly less than two `sigma` from it.

A pool is the matches of a game that are played with the same options, and no others: a 3x3 board is another
contest than a 5x5 one, and Hex 13 another than Hex 11. With the default options a pool has the game's plain name.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from itertools import product
from typing import Final, Literal

from openskill.models import PlackettLuce

from pbmserv.games import games, title_with
from pbmserv.games.info import Option
from pbmserv.matches.log import EntryKind, Match
from pbmserv.matches.replay import GameState
from pbmserv.matches.state import Ending

MU: Final = 25.0
SIGMA: Final = MU / 3

# Every parameter is written down: another version of the library may have others in mind.
_MODEL: Final = PlackettLuce(
    mu=MU, sigma=SIGMA, beta=SIGMA / 2, kappa=0.0001, tau=SIGMA / 100, margin=0.0, limit_sigma=False, balance=False
)

_DECIMALS: Final = 9
"""Decimals kept after each match: hosts whose arithmetic differs in the last bit agree all the same."""

ESTABLISHED_SIGMA: Final = 6.25
"""At most so uncertain is an established rating: 300 points. No other is shown to anybody.

In simulated clubs that takes 9 to 15 matches of two (mostly 11), or 12 to 30 of four (mostly 16), after which the
order of the ratings agrees with that of the true strengths at a rank correlation of about 0.87.
"""

INACTIVE_AFTER: Final = timedelta(days=180)

_AVERAGE: Final = 1500
_POINTS: Final = 48
"""Points that make one unit of mu: a newcomer is 1500 +/- 400."""


Section = Literal["established", "provisional", "inactive"]
"""A rating to be compared; one of which little is known yet; one of somebody not seen in the game for long."""


@dataclass(frozen=True, slots=True)
class Rating:
    """A strength as far as it is known, in the model's own units; the default is a newcomer's."""

    mu: float = MU
    sigma: float = SIGMA

    @property
    def points(self) -> int:
        """The number that people see.

        >>> Rating().points, Rating().uncertainty
        (1500, 400)
        """
        return round(_AVERAGE + _POINTS * (self.mu - MU))

    @property
    def uncertainty(self) -> int:
        """How far the strength may well lie from that number, to either side."""
        return round(_POINTS * self.sigma)

    @property
    def is_established(self) -> bool:
        """Whether the number rests on enough matches to be compared, and therefore shown."""
        return self.sigma <= ESTABLISHED_SIGMA


@dataclass(frozen=True, slots=True)
class Tally:
    """What the matches of one pool have come to for one player: `counted` of them, of which `won` were won alone.

    `last_at` is when the last of them ended; None before the first.
    """

    rating: Rating = Rating()
    counted: int = 0
    won: int = 0
    last_at: datetime | None = None

    def section(self, now: datetime) -> Section:
        """Where the standings list the player."""
        if self.last_at is None or self.last_at < now - INACTIVE_AFTER:
            return "inactive"
        return "established" if self.rating.is_established else "provisional"


@dataclass(frozen=True, slots=True)
class RatingResult:
    """A match that counts: when it ended, and the rank of each of its players (ids), in order of play."""

    at: datetime
    board: int
    ranks: tuple[tuple[int, int], ...]

    @property
    def place(self) -> tuple[datetime, int]:
        """Where it stands among the matches of its pool; this order decides what each adds."""
        return self.at, self.board


@dataclass(frozen=True, slots=True)
class RatingChange:
    """What one match did to the rating of one of its players."""

    at: datetime
    board: int
    player_id: int
    rank: int
    before: Rating
    after: Tally


def rated(before: Sequence[Rating], ranks: Sequence[int]) -> tuple[Rating, ...]:
    """The ratings after a match of any size, in the same order; a lower rank is better, and may be shared.

    >>> [each.points for each in rated([Rating(), Rating()], [1, 2])]
    [1626, 1374]
    """
    teams = [[_MODEL.rating(mu=rating.mu, sigma=rating.sigma)] for rating in before]
    after = _MODEL.rate(teams, ranks=[float(rank) for rank in ranks])
    return tuple(Rating(round(one.mu, _DECIMALS), round(one.sigma, _DECIMALS)) for (one,) in after)


def reckoned(before: Mapping[int, Tally], results: Iterable[RatingResult]) -> tuple[RatingChange, ...]:
    """What each of these results did, in the order in which they ended.

    `before` are tallies by player id as they stood before the first; who is not there is a newcomer.
    """
    tallies = dict(before)
    changes: list[RatingChange] = []
    for result in sorted(results, key=lambda each: each.place):
        sat = [(player_id, rank, tallies.get(player_id, Tally())) for player_id, rank in result.ranks]
        ranks = [rank for _, rank, _ in sat]
        ratings = rated([tally.rating for _, _, tally in sat], ranks)
        for (player_id, rank, tally), rating in zip(sat, ratings, strict=True):
            has_won = rank == 1 and ranks.count(1) == 1
            after = Tally(rating, tally.counted + 1, tally.won + has_won, result.at)
            changes.append(RatingChange(result.at, result.board, player_id, rank, tally.rating, after))
            tallies[player_id] = after
    return tuple(changes)


def ranks_of(board: GameState) -> tuple[int, ...] | None:
    """The rank of each seat of a match that counts; None when it does not count, or not yet."""
    outcome = board.state.outcome
    return outcome.ranks if outcome is not None and board.counts else None


LONGEST_NAME: Final = 40
"""The most characters of a pool's name: the columns that hold one are as wide."""

_SHORT: Final = "size"
"""The option that a name tells by its value alone."""

ANY: Final = "any"
"""What a pool has for all numbers of an option but its default: nobody would be rated in hundreds of pools."""


@dataclass(frozen=True, slots=True)
class Pool:
    """A game, and the options in which its matches differ from the default, sorted by name."""

    game: str
    options: tuple[tuple[str, str], ...] = ()

    @property
    def name(self) -> str:
        """As it is stored and listed; `pool_named` reads it.

        >>> Pool("cephalopod", (("size", "3x3"),)).name, Pool("hex", (("pie", "no"), ("size", "13"))).name
        ('cephalopod 3x3', 'hex pie=no 13')
        """
        return " ".join([self.game, *self._values])

    @property
    def title(self) -> str:
        """What people call it: "Cephalopod variant 3x3"."""
        return " ".join([title_with(self.game, self.options), *self._values])

    @property
    def _values(self) -> list[str]:
        return [value if name == _SHORT else f"{name}={value}" for name, value in self.options]


def pool_with(game: str, options: Iterable[tuple[str, str]]) -> Pool:
    """The pool of a game's matches with these options; those left out have their default.

    >>> pool_with("hex", [("size", "11")]).name, pool_with("hex", [("size", "13")]).name
    ('hex', 'hex 13')
    >>> pool_with("chess", [("setup", "518")]).name, pool_with("chess", [("setup", "0")]).name
    ('chess', 'chess setup=any')
    """
    offered = _options(game)
    given = ((name, value.lower()) for name, value in options)
    return Pool(
        game,
        tuple(
            sorted(
                (name, ANY if name in offered and offered[name].is_number(value) else value)
                for name, value in given
                if name not in offered or offered[name].default != value
            )
        ),
    )


def pool_of(match: Match) -> Pool:
    """The pool in which a match counts, if it does."""
    return pool_with(match.game, match.options)


def pool_named(name: str) -> Pool:
    """The pool of a name.

    >>> pool_named("cephalopod 3x3")
    Pool(game='cephalopod', options=(('size', '3x3'),))
    """
    game, *words = name.split(" ")
    pairs = (word.partition("=") for word in words)
    options = ((left, right) if sign else (_SHORT, left) for left, sign, right in pairs)
    return Pool(game, tuple(sorted(options)))


@lru_cache(maxsize=64)
def pools_of(game: str) -> tuple[Pool, ...]:
    """Every pool that a game can have: one for each choice of its options, the plain one first."""
    choices = ([(option.name, each) for each in values_of(option)] for option in _options(game).values())
    found = (pool_with(game, each) for each in product(*choices))
    return tuple(sorted(dict.fromkeys(found), key=lambda pool: pool.options))


def is_of_pools(option: Option, value: str) -> bool:
    """Whether a value of an option, in lower case, can be asked for where pools are listed."""
    return option.takes(value) or value in values_of(option)


def _options(game: str) -> dict[str, Option]:
    known = games().get(game)
    return {} if known is None else {option.name: option for option in known.info.options}


def values_of(option: Option) -> tuple[str, ...]:
    """The values of an option that have pools of their own."""
    return (*option.choices, *option.variants, *([ANY] if option.numbers else ()))


SECTIONS: Final[tuple[Section, ...]] = ("established", "provisional", "inactive")
"""In the order in which standings list them.

In a section, established ratings come first, the highest on top. The other players follow, those with more matches
first: the order of their ratings is not told either.
"""

ENDED_BY: Final[Mapping[EntryKind, Ending]] = {
    "played": "played",
    "resigned": "resigned",
    "forfeited": "forfeited",
    "removed": "removed",
    "accepted": "agreed",
    "awarded": "awarded",
}
"""How a finished match came to its end, by the last entry of its log: whatever follows on an end changes it."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """A line of the standings; only who is established has a `place` (from 1)."""

    section: Section
    place: int | None
    userid: str
    is_robot: bool
    tally: Tally


@dataclass(frozen=True, slots=True)
class Standings:
    """A page of the sections that were asked for, and how many players there are in each section."""

    lines: tuple[Ranked, ...]
    counts: Mapping[Section, int]


@dataclass(frozen=True, slots=True)
class RatedMatch:
    """What one match did to the rating of one of its players, who came out at `rank`."""

    at: datetime
    board: int
    pool: Pool
    userids: tuple[str, ...]
    rank: int
    before: Rating
    after: Rating
    counted: int
    """Matches of the pool that have counted for the player, with this one."""

    @property
    def is_shown(self) -> bool:
        """Whether the rating after it is established, and so is shown."""
        return self.after.is_established

    @property
    def is_first_shown(self) -> bool:
        """Whether it is established with this match, so that there is none to compare it with."""
        return self.after.is_established and not self.before.is_established

    @property
    def gain(self) -> int:
        """Points won, or lost when negative, as the rounded numbers show it."""
        return self.after.points - self.before.points


@dataclass(frozen=True, slots=True)
class RatedMatches:
    """A page of them, and how many there are in all."""

    lines: tuple[RatedMatch, ...]
    total: int


@dataclass(frozen=True, slots=True)
class RatedResult:
    """A match that counts, as one of its players sees it: `is_shared` is the rank that they came out at."""

    match: RatedMatch
    is_shared: bool
    ending: Ending


@dataclass(frozen=True, slots=True)
class Rated:
    """What a player's rating was after one match."""

    at: datetime
    rating: Rating
