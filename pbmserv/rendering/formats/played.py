"""A game as the writers of standard formats need it: who played, how it ended, and each move where it was made."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC
from textwrap import fill
from typing import Any, Final

from pbmserv.games.game import Game, Move, Seat
from pbmserv.matches.log import Match, rules_of
from pbmserv.matches.replay import GameState

_WIDTH: Final = 79
"""Characters of a line; PGN and PDN take up to 80, with its end."""


@dataclass(frozen=True, slots=True)
class PlayedLine:
    """The line that was played on a board."""

    board: GameState
    server: str

    @property
    def match(self) -> Match:
        """The match."""
        return self.board.match

    @property
    def game(self) -> Game:
        """Its rules."""
        return rules_of(self.match)

    @property
    def start(self) -> Any:
        """The first position."""
        return self.game.start(len(self.match.userids), dict(self.match.options))

    @property
    def date(self) -> tuple[str, str, str]:
        """When it began: year, month and day."""
        began = self.match.started.astimezone(UTC)
        return f"{began:%Y}", f"{began:%m}", f"{began:%d}"

    def option(self, name: str) -> str:
        """The value of an option, or its default."""
        default = next((option.default for option in self.game.info.options if option.name == name), "")
        return dict(self.match.options).get(name, default)

    def moves(self) -> Iterator[tuple[Seat, Any, Move]]:
        """Each move with its seat and the position in which it was made."""
        game, position = self.game, self.start
        for turn in self.board.state.turns:
            if turn.ply is not None and turn.move is not None:
                move = game.read(position, turn.move)
                yield turn.seat, position, move
                position, _ = game.play(position, move)

    @property
    def winner(self) -> Seat | None:
        """Who has won; None for a draw, a void game, and while it goes on."""
        outcome = self.board.state.outcome
        if self.board.state.status != "finished" or outcome is None or outcome.ranks.count(1) > 1:
            return None
        return outcome.ranks.index(1)

    def result(self, of_first: str, of_second: str, of_nobody: str) -> str:
        """How it ended, in the words for either winner and for a draw; `*` where there is no result."""
        if self.board.state.status != "finished" or self.board.state.outcome is None:
            return "*"
        return of_nobody if self.winner is None else (of_first, of_second)[self.winner]


def written(tags: Sequence[tuple[str, str]], words: Sequence[str]) -> str:
    """Tags and moves as PGN and PDN have them."""
    heads = [f'[{name} "{_escaped(value)}"]' for name, value in tags]
    return "\n".join(
        [*heads, "", fill(" ".join(words), _WIDTH, break_long_words=False, break_on_hyphens=False), ""]
    )


def seven_tags(played: PlayedLine, white: str, black: str, result: str) -> list[tuple[str, str]]:
    """The tags that every game has."""
    return [
        ("Event", f"Board {played.match.number}"),
        ("Site", played.server),
        ("Date", ".".join(played.date)),
        ("Round", "-"),
        ("White", white),
        ("Black", black),
        ("Result", result),
    ]


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"')
