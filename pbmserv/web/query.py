"""The query of the games page, parsed and written."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final, Literal
from urllib.parse import urlencode

from pbmserv.commands.vocabulary import is_number, is_userid
from pbmserv.games import games
from pbmserv.matches.queries import Boards, BoardSearch, Cursor, Sort

BOARDS_A_PAGE: Final = 50
MOST_PLAYERS_ASKED: Final = 6
LONGEST_ECHO: Final = 40
STATUSES: Final[Mapping[str, Boards]] = {"active": "active", "over": "inactive", "all": "all"}
SORTS: Final[tuple[Sort, ...]] = ("last", "newest", "time")

_LONGEST_PLACE: Final = 60


@dataclass(frozen=True, slots=True)
class Wrong:
    """A wrong value in a query."""

    name: Literal["player", "game", "status", "sort", "time", "page", "after", "before"]
    value: str
    # What may have been meant.
    instead: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GamesQuery:
    """The query of the games page."""

    # As they were typed.
    players: tuple[str, ...] = ()
    game: str | None = None
    status: str = "active"
    sort: Sort = "last"
    after: Cursor | None = None
    before: Cursor | None = None
    wrong: tuple[Wrong, ...] = ()

    @property
    def search(self) -> BoardSearch:
        """The search for boards that it means."""
        boards = STATUSES[self.status]
        return BoardSearch(self.game, self.players, boards, self.sort, self.after, self.before, BOARDS_A_PAGE)

    @property
    def finds_nothing(self) -> bool:
        """Whether it names an unknown player or game, so that no board fits."""
        return any(wrong.name in ("player", "game") for wrong in self.wrong)

    @property
    def is_first(self) -> bool:
        """Whether it asks for the first page."""
        return self.after is None and self.before is None

    def naming(self, found: Mapping[str, str | None], guesses: Mapping[str, Sequence[str]]) -> "GamesQuery":
        """The query with the userids that were `found`, and with `guesses` for unknown ones."""
        unknown = [typed for typed in self.players if found[typed] is None]
        wrong = (Wrong("player", typed, tuple(guesses.get(typed, ()))) for typed in unknown)
        players = tuple(dict.fromkeys(found[typed] or typed for typed in self.players))
        return replace(self, players=players, wrong=(*self.wrong, *wrong))

    def link(
        self,
        after: Cursor | None = None,
        before: Cursor | None = None,
        status: str | None = None,
        path: str = "/games",
    ) -> str:
        """The address of the first page, or of another page or status, for the same query."""
        chosen = status or self.status
        query = {
            "player": " ".join(self.players),
            "game": self.game or "",
            "status": "" if chosen == "active" else chosen,
            "sort": "" if self.sort == "last" or (self.sort == "time" and chosen != "active") else self.sort,
            "after": "" if after is None else place_text(after),
            "before": "" if before is None else place_text(before),
        }
        text = urlencode({name: value for name, value in query.items() if value}, safe=":")
        return f"{path}?{text}" if text else path


def place_text(place: Cursor) -> str:
    """A cursor as it is written in an address.

    >>> place_text(Cursor(101)), place_text(Cursor(101, datetime(2026, 1, 1, 12, 30, tzinfo=UTC)))
    ('101', '2026-01-01T12:30:00-101')
    """
    if place.at is None:
        return str(place.number)
    return f"{place.at.astimezone(UTC).replace(tzinfo=None).isoformat()}-{place.number}"


def read_place(text: str, sort: Sort) -> Cursor | None:
    """Parses a cursor; None if it is not one of a listing sorted like that.

    >>> read_place("2026-01-01T12:30:00-101", "last") == Cursor(101, datetime(2026, 1, 1, 12, 30, tzinfo=UTC))
    True
    >>> read_place("101", "last"), read_place("101", "newest")
    (None, Cursor(number=101, at=None))
    """
    if sort == "newest":
        return Cursor(int(text)) if is_number(text) else None
    moment, _, number = text.rpartition("-")
    if not is_number(number) or len(text) > _LONGEST_PLACE:
        return None
    try:
        at = datetime.fromisoformat(moment)
    except ValueError:
        return None
    return Cursor(int(number), at.replace(tzinfo=UTC)) if at.tzinfo is None else None


def read_query(pairs: Iterable[tuple[str, str]]) -> GamesQuery:
    """Parses a query. Of repeated names the last one counts; of players, all do."""
    values: dict[str, str] = {}
    typed: list[str] = []
    for name, value in pairs:
        values[name] = value.strip()
        if name == "player":
            typed += value.replace(",", " ").split()
    players = [word for word in dict.fromkeys(typed[:MOST_PLAYERS_ASKED]) if is_userid(word)]
    wrong = [Wrong("player", word[:LONGEST_ECHO]) for word in typed[:MOST_PLAYERS_ASKED] if not is_userid(word)]
    query = GamesQuery(tuple(players), wrong=tuple(wrong))
    return _with_place(_with_sort(_with_status(_with_game(query, values), values), values), values)


def _with_game(query: GamesQuery, values: Mapping[str, str]) -> GamesQuery:
    game = values.get("game", "").lower()
    if game in games():
        return replace(query, game=game)
    return _with_error(query, Wrong("game", game[:LONGEST_ECHO], tuple(games()))) if game else query


def _with_status(query: GamesQuery, values: Mapping[str, str]) -> GamesQuery:
    status = values.get("status", "").lower()
    # The word that mail commands use.
    status = "over" if status == "inactive" else status
    if status in STATUSES:
        return replace(query, status=status)
    return _with_error(query, Wrong("status", status[:LONGEST_ECHO])) if status else query


def _with_sort(query: GamesQuery, values: Mapping[str, str]) -> GamesQuery:
    wanted = values.get("sort", "").lower()
    for sort in SORTS:
        if sort != wanted:
            continue
        if sort == "time" and query.status != "active":
            return _with_error(query, Wrong("time", sort))
        return replace(query, sort=sort)
    return _with_error(query, Wrong("sort", wanted[:LONGEST_ECHO])) if wanted else query


def _with_place(query: GamesQuery, values: Mapping[str, str]) -> GamesQuery:
    after, before = values.get("after", ""), values.get("before", "")
    if after:
        place = read_place(after, query.sort)
        return replace(query, after=place) if place else _with_error(query, Wrong("after", after[:LONGEST_ECHO]))
    if before:
        place = read_place(before, query.sort)
        return (
            replace(query, before=place) if place else _with_error(query, Wrong("before", before[:LONGEST_ECHO]))
        )
    # Pages used to have numbers, and old links may still exist.
    page = values.get("page", "")
    return _with_error(query, Wrong("page", page[:LONGEST_ECHO])) if page not in ("", "1") else query


def _with_error(query: GamesQuery, wrong: Wrong) -> GamesQuery:
    return replace(query, wrong=(*query.wrong, wrong))
