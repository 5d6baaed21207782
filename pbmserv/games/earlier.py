"""Games under earlier versions of their rules: a board is played to its end under those it was begun with."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Final, cast

from pbmserv.games import chess, draughts, fanorona, lasca, lines_of_action, morris, shogi, tafl, xiangqi
from pbmserv.games.chess_moves import Situation
from pbmserv.games.game import Game, Outcome, Reason, Seat, two_ranks
from pbmserv.games.info import Info

AtLimit = Callable[[Any], bool]
"""Whether in a position a limit has been reached."""

_BLOCKED: Final = frozenset[Reason](("mate", "stalemate", "blocked"))


@dataclass(frozen=True, eq=False)
class Earlier:
    """A game as it was when its limit came before some ends, and any pieces were enough for the one who stayed."""

    game: Any
    info: Info
    at_limit: AtLimit
    after_limit: frozenset[Reason]
    """The ends before which the limit came."""

    def outcome(self, position: Any) -> Outcome | None:
        """How it ended; None while somebody is to move."""
        ended: Outcome | None = self.game.outcome(position)
        if ended and ended.reason in self.after_limit and self.at_limit(position):
            return Outcome(two_ranks(None), "exhausted")
        return ended

    def may_win(self, position: Any, seat: Seat) -> bool:
        """Nobody asked."""
        return True

    def __getattr__(self, name: str) -> Any:
        return getattr(self.game, name)


class OldAntichess(chess.Antichess):
    """Antichess in which bishops that never meet play on."""

    def is_bare(self, at: Situation) -> bool:
        """Nobody asked."""
        return False


class OldAtomic(chess.Atomic):
    """Atomic chess in which all play on until kings are alone."""

    def is_bare(self, at: Situation) -> bool:
        """Whether only kings are left."""
        return not at.cells.translate(None, b".Kk")


def _never(_: Any) -> bool:
    return False


def _quiet(plies: int) -> AtLimit:
    return lambda position: len(position.seen) >= plies


def _long_drawn(game: draughts.Draughts) -> AtLimit:
    return lambda position: game.drawn_by(position) == "exhausted"


def _first(game: Any, at_limit: AtLimit = _never, after_limit: frozenset[Reason] = _BLOCKED) -> Game:
    """The first version of a game."""
    info = replace(game.info, rules=f"{game.info.name}/1")
    return cast(Game, Earlier(game, info, at_limit, after_limit))


_GAMES: Final = (
    _first(chess.chess),
    _first(OldAntichess(chess.antichess.info, chess.antichess.promotions)),
    _first(OldAtomic(chess.atomic.info)),
    _first(xiangqi, _quiet(xiangqi.QUIET_PLIES), _BLOCKED | {"repeated", "perpetual"}),
    *(_first(game, _quiet(shogi.MOST_PLIES)) for game in shogi.games),
    *(_first(game, _long_drawn(game)) for game in draughts.games),
    _first(lasca, lambda position: position.quiet >= lasca.QUIET_PLIES),
    _first(fanorona, _quiet(fanorona.QUIET_PLIES)),
    _first(lines_of_action, _quiet(lines_of_action.QUIET_PLIES)),
    *(_first(game, _quiet(game.quiet_plies)) for game in (morris.morris, morris.twelve, morris.six)),
    *(_first(game, _quiet(tafl.QUIET_PLIES)) for game in tafl.games),
)

EARLIER: Final[Mapping[str, Game]] = MappingProxyType({game.info.rules: game for game in _GAMES})
"""By the version of the rules, as a match stores it."""
