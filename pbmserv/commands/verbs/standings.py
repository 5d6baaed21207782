"""`standings`: the players of a game by their ratings."""

from datetime import datetime
from typing import Final

from pbmserv.commands.command import Command
from pbmserv.commands.decision import Decision
from pbmserv.commands.message import Request
from pbmserv.commands.pages import read_page, wrong_form
from pbmserv.commands.replies.rating import StandingsTable
from pbmserv.commands.starting import read_game
from pbmserv.games.library import games
from pbmserv.matches.rankings import SECTIONS
from pbmserv.matches.rating import Section
from pbmserv.matches.records import Records
from pbmserv.matches.refusals import Refused

MOST_LINES: Final = 50

FILTERS: Final[dict[str, tuple[Section, ...]]] = {
    "all": SECTIONS,
    "active": ("established", "provisional"),
    "inactive": ("inactive",),
}
"""The sections that a filter word asks for."""


def run(request: Request, records: Records, now: datetime) -> Decision | Refused:
    """Lists them: those who have played lately, unless others are asked for."""
    game = read_game(request.arguments.game, "standings")
    if isinstance(game, Refused):
        return game
    page = read_page(request)
    if isinstance(page, Refused):
        return page
    filtered = "".join(request.arguments.words) or "active"
    if filtered not in FILTERS:
        return wrong_form(request)
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


command = Command(
    name="standings",
    kind="open",
    forms=("[game] standings [filter] [-options]",),
    summary="see who plays a game best: all, active, inactive",
    example="cephalopod standings",
    run=run,
)
