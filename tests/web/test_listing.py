"""The listing of boards: its lines, filters, pages, and whatever a query may hold."""

from urllib.parse import quote

import httpx
import pytest
from sqlalchemy import text

from pbmserv.store.engine import writing
from tests.web.club import Club, Get, asking
from tests.web.tree import main, parse


def boards(response: httpx.Response) -> list[int]:
    """The boards of a listing, in its order."""
    links = [link.attributes["href"] for link in parse(response.text).all("a")]
    return [int(link.rpartition("/")[2]) for link in links if link.startswith("/boards/")]


def test_a_line_of_the_listing(get: Get) -> None:
    table = main(get("/games?status=all")).one("table")
    heads = [head.said for head in table.all("th", scope="col")]
    assert heads == ["Board", "Game", "Players", "To move", "Plies", "Last move", "When (UTC)"]
    lines = {row.one("th").words[-1]: [cell.said for cell in row.all("td")] for row in table.all("tr")[1:]}
    assert lines["101"] == ["Cephalopod", "alice vs bob", "bob", "5", "A1", "2026-01-01 13:20"]
    assert lines["102"] == ["Cephalopod -size=3x5", "bob vs Carol", "declined", "0", "-", "2026-01-01 13:40"]
    assert lines["103"] == ["Cephalopod -size=3x3", "alice vs bob vs Carol", "bob", "3", "C3", "2026-01-01 14:30"]
    assert lines["104"][2:5] == ["finished", "2", "A1"]
    moment = next(row for row in table.all("tr") if "101" in row.words).one("time")
    assert moment.attributes["datetime"] == "2026-01-01T13:20:00Z"


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("", [105, 103, 101]),
        ("player=&game=&status=&page=", [105, 103, 101]),
        ("status=active", [105, 103, 101]),
        ("status=inactive", [104, 102]),
        ("status=all", [105, 104, 103, 102, 101]),
        ("status=ALL&game=Cephalopod", [105, 104, 103, 102, 101]),
        ("player=carol&status=all", [103, 102]),
        ("player=CAROL", [103]),
        ("player=carol+alice", [103]),
        ("player=carol&player=alice", [103]),
        ("player=carol,alice", [103]),
        ("player=carol+carol", [103]),
        ("player=carol&status=inactive&game=cephalopod", [102]),
        ("unknown=1&status=inactive", [104, 102]),
    ],
)
def test_filters(get: Get, query: str, found: list[int]) -> None:
    assert boards(get(f"/games?{query}")) == found


def test_the_form_keeps_what_was_asked(get: Get) -> None:
    form = main(get("/games?player=carol&status=all&game=cephalopod")).one("form", action="/games", method="get")
    assert form.one("input", name="player").attributes["value"] == "Carol"
    chosen = [option.attributes["value"] for option in form.all("option") if "selected" in option.attributes]
    assert chosen == ["cephalopod", "all"]


@pytest.mark.parametrize(
    ("query", "said", "found"),
    [
        ("player=alise", "Nobody here is called alise. Did you mean alice?", []),
        ("player=zzz", "Nobody here is called zzz.", []),
        ("player=alice+zzz", "Nobody here is called zzz.", []),
        ("player=12", "Nobody here is called 12.", []),
        ("game=chess", "There is no game chess here. Those on offer: cephalopod.", []),
        ("status=zombie", "zombie is no status; shown are the boards being played.", [105, 103, 101]),
        ("page=0", "There is no page 0; shown is page 1.", [105, 103, 101]),
        ("page=-1", "There is no page -1; shown is page 1.", [105, 103, 101]),
        ("page=2", "There is no page 2; shown is page 1.", [105, 103, 101]),
        ("page=999999999", "There is no page 999999999; shown is page 1.", [105, 103, 101]),
        ("page=9999999999999999999999", "; shown is page 1.", [105, 103, 101]),
        ("page=%D9%A3", "; shown is page 1.", [105, 103, 101]),
    ],
)
def test_a_value_that_cannot_be_is_no_error(get: Get, query: str, said: str, found: list[int]) -> None:
    response = get(f"/games?{query}")
    assert response.status_code == 200
    assert said in main(response).one("div", class_="notice").said
    assert boards(response) == found


HOSTILE = [
    "%00",
    "%ff%fe",
    "'%20OR%201=1--",
    "%3Cscript%3Ealert(1)%3C/script%3E",
    "%22%20onfocus=alert(1)%20autofocus=%22",
    "%E2%80%AE%E2%80%AEevil",
    "%0d%0aSet-Cookie:%20a=b",
    "../../etc/passwd",
    "{{7*7}}",
    "x" * 20_000,
    "a+" * 5_000,
    "%F0%9F%90%99",
    "%25",
    "_",
]


@pytest.mark.parametrize("value", HOSTILE)
def test_hostile_queries(get: Get, value: str) -> None:
    plain = get("/games").text
    for query in (
        *(f"{name}={value}" for name in ("player", "game", "status", "page")),
        value,
        f"{value}={value}",
    ):
        response = get(f"/games?{query}")
        assert response.status_code == 200
        assert "set-cookie" not in response.headers
        page = parse(response.text)
        assert all(script.attributes["src"].startswith("/script.js?v=") for script in page.all("script"))
        assert not [each for each in page.all("input") if "onfocus" in each.attributes]
        assert "49" not in page.one("main").text
        assert len(response.text) < len(plain) + 3_000


@pytest.mark.parametrize("value", HOSTILE)
@pytest.mark.parametrize("start", ["/", "/boards/", "/help/"])
def test_hostile_addresses(get: Get, start: str, value: str) -> None:
    response = get(start + value.replace("../", "..%2f"))
    assert response.status_code == 404
    assert all(
        script.attributes["src"].startswith("/script.js?v=") for script in parse(response.text).all("script")
    )
    assert len(response.text) < 4_000


def test_a_hostile_userid_stays_text(empty: Club) -> None:
    empty.post("eve@home.test", "signup eve sesame")
    empty.post("bob@home.test", "signup bob sesame")
    empty.post("eve@home.test", "challenge eve bob")
    evil = "<b/onclick=x>&\"'"
    with writing(empty.engine) as connection:
        connection.execute(text("UPDATE players SET userid = :evil WHERE userid = 'eve'"), {"evil": evil})
    for path in ("/games", "/boards/101"):
        page = main(asking(empty)(path))
        assert evil in page.text
        assert not page.all("b")
        (link,) = {link.attributes["href"] for link in page.all("a") if link.text == evil}
        assert link == "/games?player=" + quote(evil) + "&status=all"


# Pages of the listing


def test_120_boards_take_three_pages(get_of_many: Get) -> None:
    pages = [get_of_many("/games"), get_of_many("/games?page=2"), get_of_many("/games?page=3")]
    assert [len(boards(page)) for page in pages] == [50, 50, 20]
    assert [board for page in pages for board in boards(page)] == list(range(220, 100, -1))
    assert "120 boards being played, page 2 of 3" in main(pages[1]).one("caption").said


def test_pages_lead_to_each_other(get_of_many: Get) -> None:
    def links(path: str) -> dict[str, str]:
        found = main(get_of_many(path)).one("nav").all("a")
        return {link.attributes["rel"]: link.attributes["href"] for link in found}

    assert links("/games") == {"next": "/games?page=2"}
    assert links("/games?page=2") == {"prev": "/games", "next": "/games?page=3"}
    assert links("/games?page=3") == {"prev": "/games?page=2"}
    assert links("/games?player=ben+cleo&status=all") == {"next": "/games?player=ben+cleo&status=all&page=2"}


def test_pages_count_what_was_asked(get_of_many: Get) -> None:
    response = get_of_many("/games?player=ann")
    assert boards(response) == list(range(219, 100, -3))
    assert not main(response).all("nav")


def test_a_page_beyond_the_last_is_the_last(get_of_many: Get) -> None:
    response = get_of_many("/games?page=4")
    assert boards(response) == list(range(120, 100, -1))
    assert "There is no page 4; shown is page 3." in main(response).said
