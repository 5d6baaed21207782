"""`games` and `list`: boards by game, player and state; the games, and the open offers."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from pbmserv.commands.base.decision import Decision, Reply
from pbmserv.commands.base.lookup import named_players, require_game
from pbmserv.commands.base.new_game import games_offered
from pbmserv.commands.base.registry import OpenCommand
from pbmserv.commands.base.request import Request
from pbmserv.commands.show import filter_of
from pbmserv.games import games
from pbmserv.games.info import Info
from pbmserv.matches.open_offer import OpenOffer
from pbmserv.matches.queries import BoardRow, ListingQuery, Queries

BOARDS_NAMED: Final = 3
"""Boards of a game whose players the list of games names."""


@dataclass(frozen=True, slots=True)
class GamesArguments:
    """What the listed boards have in common."""

    game: str | None
    userids: tuple[str, ...]
    words: tuple[str, ...]
    """The filter."""


@dataclass(frozen=True, slots=True)
class ListArguments:
    """A game, or none for all."""

    game: str | None


@dataclass(frozen=True, slots=True)
class ListedGame:
    """A game, how many boards of it are active, and who plays on the latest of these."""

    info: Info
    running: int
    playing: tuple[str, ...]


class GamesOnOffer(Reply):
    """Every game, who plays it now, and the games that are offered to whoever accepts."""

    games: tuple[ListedGame, ...]
    offers: tuple[OpenOffer, ...] = ()


class BoardList(Reply):
    """A page of a listing of boards; `total` fit. `offers` are open."""

    wanted: ListingQuery
    lines: tuple[BoardRow, ...]
    total: int
    offers: tuple[OpenOffer, ...] = ()


def run_games(request: Request[GamesArguments], records: Queries, now: datetime) -> Decision:
    """Lists the boards of the game and of all the players named."""
    require_game(request.arguments.game)
    userids = named_players(request.arguments.userids, records)
    wanted_filter = filter_of(request.arguments.words, "active")
    is_own = wanted_filter == "next" and not userids and request.actor.player is not None
    if is_own and request.actor.player is not None:
        userids = (request.actor.player.userid,)
    wanted = ListingQuery(request.arguments.game, userids, wanted_filter, with_practice=is_own)
    found = records.boards(wanted)
    return Decision(BoardList(wanted, found.lines, found.total))


games_command = OpenCommand(
    name="games",
    kind="open",
    forms=("[game] games [userid+] [filter]",),
    summary="list boards: all, active, inactive, or next (yours to move)",
    example="games alice next",
    arguments=GamesArguments,
    run=run_games,
    help="commands/games.txt:help_games",
)


def run_list(request: Request[ListArguments], records: Queries, now: datetime) -> Decision:
    """Lists every game and who plays it now, or the current boards of one game; and who seeks players."""
    name = request.arguments.game
    require_game(name)
    offers = tuple(offer for offer in records.open_offers() if name in (None, offer.game))
    if name is not None:
        wanted = ListingQuery(name)
        found = records.boards(wanted)
        return Decision(BoardList(wanted, found.lines, found.total, offers))
    running = dict(records.running())
    offered = games_offered(request.server)
    listed = tuple(
        ListedGame(game.info, running.get(each, 0), _playing(each, records) if each in running else ())
        for each, game in games().items()
        if each in offered or each in running
    )
    return Decision(GamesOnOffer(listed, offers))


def _playing(game: str, records: Queries) -> tuple[str, ...]:
    """Who plays on the active boards of a game that were moved on last, each once."""
    found = records.boards(ListingQuery(game, count=BOARDS_NAMED))
    return tuple(dict.fromkeys(userid for line in found.lines for userid in line.userids))


list_command = OpenCommand(
    name="list",
    kind="open",
    forms=("list [game]",),
    summary="see all games, and open offers to play one",
    example="list cephalopod",
    arguments=ListArguments,
    run=run_list,
    help="commands/games.txt:help_list",
)
