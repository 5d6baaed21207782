"""`standings`: who plays a game best, page by page."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar, Final

from pbmserv.commands.base.decision import Decision, Reply
from pbmserv.commands.base.lookup import read_page, wrong_form
from pbmserv.commands.base.new_game import read_game
from pbmserv.commands.base.registry import OpenCommand
from pbmserv.commands.base.request import Request
from pbmserv.games import games
from pbmserv.games.game import Info
from pbmserv.matches.queries import Queries
from pbmserv.matches.rankings import SECTIONS, Ranked
from pbmserv.matches.ratings import Section


@dataclass(frozen=True, slots=True)
class StandingsArguments:
    """A game, and which page of its standings."""

    game: str | None
    words: tuple[str, ...]
    """The filter."""
    options: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class StandingsTable(Reply):
    """A page of the `sections` asked for, and how many players each section of all has."""

    template: ClassVar[str] = "commands/standings.txt:standings_table"

    game: Info
    sections: tuple[Section, ...]
    lines: tuple[Ranked, ...]
    counts: Mapping[Section, int]
    command: str
    page: int
    more: int


MOST_LINES: Final = 50

FILTERS: Final[dict[str, tuple[Section, ...]]] = {
    "all": SECTIONS,
    "active": ("established", "provisional"),
    "inactive": ("inactive",),
}
"""The sections that a filter word asks for."""


def run(request: Request[StandingsArguments], records: Queries, now: datetime) -> Decision:
    """Lists them: those who have played lately, unless others are asked for."""
    game = read_game(request.arguments.game, "standings", request.server)
    page = read_page(request.arguments.options, request.command)
    filtered = "".join(request.arguments.words) or "active"
    if filtered not in FILTERS:
        raise wrong_form(request.command)
    sections = FILTERS[filtered]
    found = records.standings(game, sections, now, (page - 1) * MOST_LINES, MOST_LINES)
    total = sum(found.counts[section] for section in sections)
    reply = StandingsTable(
        game=games()[game].info,
        sections=sections,
        lines=found.lines,
        counts=found.counts,
        command=f"{game} standings {filtered}",
        page=page,
        more=max(0, total - page * MOST_LINES),
    )
    return Decision(reply)


command = OpenCommand(
    name="standings",
    kind="open",
    forms=("[game] standings [filter] [-options]",),
    summary="rank a game's players: all, active or inactive",
    example="cephalopod standings",
    arguments=StandingsArguments,
    run=run,
    help="commands/standings.txt:help_standings",
)
