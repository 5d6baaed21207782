"""Ratings: what the order in which a match ended says of how strong its players are. Pure.

The model is Plackett-Luce as an approximate Bayesian update (R. C. Weng and C.-J. Lin, "A Bayesian Approximation
Method for Online Ranking", Journal of Machine Learning Research 12, 2011, algorithm 4), computed by openskill. A
strength is believed to lie about `mu`, and mostly less than two `sigma` from it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Literal

from openskill.models import PlackettLuce

from pbmserv.matches.replay import GameState

MU: Final = 25.0
SIGMA: Final = MU / 3

# Every parameter is written down: another version of the library may have others in mind.
_MODEL: Final = PlackettLuce(
    mu=MU, sigma=SIGMA, beta=SIGMA / 2, kappa=0.0001, tau=SIGMA / 100, margin=0.0, limit_sigma=False, balance=False
)

_DECIMALS: Final = 9
"""So many are kept after each match: hosts whose arithmetic differs in the last bit agree all the same."""

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
    """What the matches of one pool have come to for one player: `counted` of them, of which so many `won` alone.

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
