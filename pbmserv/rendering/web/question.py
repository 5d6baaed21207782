"""What the address of the games page asks for: a query read into a value, and the value written as a query."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal
from urllib.parse import urlencode

from pbmserv.commands.words import is_number, is_userid
from pbmserv.games.library import games
from pbmserv.matches.records import Filter, Wanted

BOARDS_A_PAGE = 50
MOST_PLAYERS_ASKED = 6
LONGEST_ECHO = 40
STATUSES: tuple[Filter, ...] = ("active", "inactive", "all")


@dataclass(frozen=True, slots=True)
class Wrong:
    """A value of a query that cannot be; `instead` is what was perhaps meant."""

    name: Literal["player", "game", "status", "page"]
    value: str
    instead: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Asked:
    """What the query of the games page asks for; `players` are as they were typed."""

    players: tuple[str, ...] = ()
    game: str | None = None
    status: Filter = "active"
    page: int = 1
    wrong: tuple[Wrong, ...] = ()

    @property
    def wanted(self) -> Wanted:
        """The same as a question for boards."""
        return Wanted(self.game, self.players, self.status, (self.page - 1) * BOARDS_A_PAGE, BOARDS_A_PAGE)

    @property
    def finds_nothing(self) -> bool:
        """Whether a player or a game is named that does not exist: then no board fits."""
        return any(wrong.name in ("player", "game") for wrong in self.wrong)

    def naming(self, found: Mapping[str, str | None], guesses: Mapping[str, Sequence[str]]) -> "Asked":
        """With the players as they write themselves; of whom nobody `found`, there may be `guesses`."""
        unknown = [typed for typed in self.players if found[typed] is None]
        wrong = (Wrong("player", typed, tuple(guesses.get(typed, ()))) for typed in unknown)
        players = tuple(dict.fromkeys(found[typed] or typed for typed in self.players))
        return replace(self, players=players, wrong=(*self.wrong, *wrong))

    def on_last(self, page: int) -> "Asked":
        """The last page in the place of one beyond it."""
        return replace(self, page=page, wrong=(*self.wrong, Wrong("page", str(self.page))))

    def link(self, page: int = 1, status: Filter | None = None) -> str:
        """The address of another page or status of the same question."""
        chosen = status or self.status
        query = {
            "player": " ".join(self.players),
            "game": self.game or "",
            "status": "" if chosen == "active" else chosen,
            "page": "" if page == 1 else str(page),
        }
        told = urlencode({name: value for name, value in query.items() if value})
        return f"/games?{told}" if told else "/games"


def read_query(pairs: Iterable[tuple[str, str]]) -> Asked:
    """What a query asks for. Of a name that is there twice the last counts, but for players, who all do."""
    values: dict[str, str] = {}
    typed: list[str] = []
    for name, value in pairs:
        values[name] = value.strip()
        if name == "player":
            typed += value.replace(",", " ").split()
    players = [word for word in dict.fromkeys(typed[:MOST_PLAYERS_ASKED]) if is_userid(word)]
    wrong = [Wrong("player", word[:LONGEST_ECHO]) for word in typed[:MOST_PLAYERS_ASKED] if not is_userid(word)]
    asked = Asked(tuple(players))
    game, status, page = (values.get(name, "").lower() for name in ("game", "status", "page"))
    if game in games():
        asked = replace(asked, game=game)
    elif game:
        wrong.append(Wrong("game", game[:LONGEST_ECHO], tuple(games())))
    if status in STATUSES:
        asked = replace(asked, status=status)
    elif status:
        wrong.append(Wrong("status", status[:LONGEST_ECHO]))
    if is_number(page) and int(page):
        asked = replace(asked, page=int(page))
    elif page:
        wrong.append(Wrong("page", page[:LONGEST_ECHO]))
    return replace(asked, wrong=tuple(wrong))
