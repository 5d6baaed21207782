"""What the address of the games page asks for: a query read into a value, and the value written as a query."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final, Literal
from urllib.parse import urlencode

from pbmserv.commands.words import is_number, is_userid
from pbmserv.games.library import games
from pbmserv.matches.search import Boards, Place, Search, Sort

BOARDS_A_PAGE: Final = 50
MOST_PLAYERS_ASKED: Final = 6
LONGEST_ECHO: Final = 40
STATUSES: Final[Mapping[str, Boards]] = {"active": "active", "over": "inactive", "all": "all"}
SORTS: Final[tuple[Sort, ...]] = ("last", "newest", "time")

_LONGEST_PLACE: Final = 60


@dataclass(frozen=True, slots=True)
class Wrong:
    """A value of a query that cannot be; `instead` is what was perhaps meant."""

    name: Literal["player", "game", "status", "sort", "time", "page", "after", "before"]
    value: str
    instead: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Asked:
    """What the query of the games page asks for; `players` are as they were typed."""

    players: tuple[str, ...] = ()
    game: str | None = None
    status: str = "active"
    sort: Sort = "last"
    after: Place | None = None
    before: Place | None = None
    wrong: tuple[Wrong, ...] = ()

    @property
    def search(self) -> Search:
        """The same as a search for boards."""
        boards = STATUSES[self.status]
        return Search(self.game, self.players, boards, self.sort, self.after, self.before, BOARDS_A_PAGE)

    @property
    def finds_nothing(self) -> bool:
        """Whether a player or a game is named that does not exist: then no board fits."""
        return any(wrong.name in ("player", "game") for wrong in self.wrong)

    @property
    def is_first(self) -> bool:
        """Whether it asks for the first page."""
        return self.after is None and self.before is None

    def naming(self, found: Mapping[str, str | None], guesses: Mapping[str, Sequence[str]]) -> "Asked":
        """With the players as they write themselves; of whom nobody `found`, there may be `guesses`."""
        unknown = [typed for typed in self.players if found[typed] is None]
        wrong = (Wrong("player", typed, tuple(guesses.get(typed, ()))) for typed in unknown)
        players = tuple(dict.fromkeys(found[typed] or typed for typed in self.players))
        return replace(self, players=players, wrong=(*self.wrong, *wrong))

    def link(
        self,
        after: Place | None = None,
        before: Place | None = None,
        status: str | None = None,
        path: str = "/games",
    ) -> str:
        """The address of another page or status of the same question, or of its first page."""
        chosen = status or self.status
        query = {
            "player": " ".join(self.players),
            "game": self.game or "",
            "status": "" if chosen == "active" else chosen,
            "sort": "" if self.sort == "last" or (self.sort == "time" and chosen != "active") else self.sort,
            "after": "" if after is None else place_text(after),
            "before": "" if before is None else place_text(before),
        }
        told = urlencode({name: value for name, value in query.items() if value}, safe=":")
        return f"{path}?{told}" if told else path


def place_text(place: Place) -> str:
    """A place as it stands in an address.

    >>> place_text(Place(101)), place_text(Place(101, datetime(2026, 1, 1, 12, 30, tzinfo=UTC)))
    ('101', '2026-01-01T12:30:00-101')
    """
    if place.at is None:
        return str(place.number)
    return f"{place.at.astimezone(UTC).replace(tzinfo=None).isoformat()}-{place.number}"


def read_place(text: str, sort: Sort) -> Place | None:
    """The same read back; None when it is no place of a listing that is sorted so.

    >>> read_place("2026-01-01T12:30:00-101", "last") == Place(101, datetime(2026, 1, 1, 12, 30, tzinfo=UTC))
    True
    >>> read_place("101", "last"), read_place("101", "newest")
    (None, Place(number=101, at=None))
    """
    if sort == "newest":
        return Place(int(text)) if is_number(text) else None
    moment, _, number = text.rpartition("-")
    if not is_number(number) or len(text) > _LONGEST_PLACE:
        return None
    try:
        at = datetime.fromisoformat(moment)
    except ValueError:
        return None
    return Place(int(number), at.replace(tzinfo=UTC)) if at.tzinfo is None else None


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
    asked = Asked(tuple(players), wrong=tuple(wrong))
    return _with_place(_with_sort(_with_status(_with_game(asked, values), values), values), values)


def _with_game(asked: Asked, values: Mapping[str, str]) -> Asked:
    game = values.get("game", "").lower()
    if game in games():
        return replace(asked, game=game)
    return _but(asked, Wrong("game", game[:LONGEST_ECHO], tuple(games()))) if game else asked


def _with_status(asked: Asked, values: Mapping[str, str]) -> Asked:
    status = values.get("status", "").lower()
    # As commands by mail say it.
    status = "over" if status == "inactive" else status
    if status in STATUSES:
        return replace(asked, status=status)
    return _but(asked, Wrong("status", status[:LONGEST_ECHO])) if status else asked


def _with_sort(asked: Asked, values: Mapping[str, str]) -> Asked:
    wanted = values.get("sort", "").lower()
    for sort in SORTS:
        if sort != wanted:
            continue
        if sort == "time" and asked.status != "active":
            return _but(asked, Wrong("time", sort))
        return replace(asked, sort=sort)
    return _but(asked, Wrong("sort", wanted[:LONGEST_ECHO])) if wanted else asked


def _with_place(asked: Asked, values: Mapping[str, str]) -> Asked:
    after, before = values.get("after", ""), values.get("before", "")
    if after:
        place = read_place(after, asked.sort)
        return replace(asked, after=place) if place else _but(asked, Wrong("after", after[:LONGEST_ECHO]))
    if before:
        place = read_place(before, asked.sort)
        return replace(asked, before=place) if place else _but(asked, Wrong("before", before[:LONGEST_ECHO]))
    # Pages had numbers once, and such links may stand somewhere.
    page = values.get("page", "")
    return _but(asked, Wrong("page", page[:LONGEST_ECHO])) if page not in ("", "1") else asked


def _but(asked: Asked, wrong: Wrong) -> Asked:
    return replace(asked, wrong=(*asked.wrong, wrong))
