"""The listing of boards: its lines, filters, pages, and whatever a query may hold."""

import re
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
    assert heads == ["Board", "Game", "Players", "To move, or result", "Moves", "Last move", "When (UTC)"]
    lines = {row.one("th").words[-1]: [cell.said for cell in row.all("td")] for row in table.all("tr")[1:]}
    moments = {number: line.pop() for number, line in lines.items()}
    assert re.fullmatch(r"2026-01-01 13:20 UTC \d+ days ago", moments["101"])
    assert moments["103"].startswith("2026-01-01 14:30 UTC ")
    assert lines["101"] == ["Cephalopod", "alice vs bob", "bob", "5", "A1"]
    assert lines["102"] == [
        "Cephalopod 3 by 5 squares, unrated, 21 days a turn",
        "bob vs Carol",
        "declined",
        "0",
        "-",
    ]
    assert lines["103"] == ["Cephalopod variant 3 by 3 squares", "alice vs bob vs Carol", "bob", "3", "C3"]
    assert lines["104"][2:5] == ["alice won", "2", "A1"]
    moment = next(row for row in table.all("tr") if "101" in row.words).one("time")
    assert moment.attributes["datetime"] == "2026-01-01T13:20:00Z"


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("", [105, 103, 101]),
        ("player=&game=&status=&page=", [105, 103, 101]),
        ("status=active", [105, 103, 101]),
        ("status=over", [104, 102]),
        ("status=inactive", [104, 102]),
        ("sort=last", [105, 103, 101]),
        ("sort=newest&status=all", [105, 104, 103, 102, 101]),
        ("sort=newest&player=carol&status=all", [103, 102]),
        ("sort=newest&status=over&game=cephalopod", [104, 102]),
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
    form = main(get("/games?player=carol&status=all&game=cephalopod&sort=newest")).one(
        "form", action="/games", method="get"
    )
    assert form.one("input", name="player").attributes["value"] == "Carol"
    chosen = [option.attributes["value"] for option in form.all("option") if "selected" in option.attributes]
    assert chosen == ["cephalopod", "all", "newest"]


@pytest.mark.parametrize(
    ("query", "said", "found"),
    [
        ("player=alise", "Nobody here is called alise. Did you mean alice?", []),
        ("player=zzz", "Nobody here is called zzz.", []),
        ("player=alice+zzz", "Nobody here is called zzz.", []),
        ("player=12", "Nobody here is called 12.", []),
        ("game=ludo", "There is no game ludo here. You can choose from: ", []),
        ("status=zombie", "zombie is not a status. These are the boards being played.", [105, 103, 101]),
        (
            "sort=zombie",
            "Boards cannot be sorted by zombie; these are sorted by last move.",
            [105, 103, 101],
        ),
        ("sort=time&status=over", "Only boards being played have time left. These are sorted", [104, 102]),
        ("page=2", "There is no page 2: pages have no numbers. This is the first;", [105, 103, 101]),
        ("after=zombie", "There is no page zombie. This is the first.", [105, 103, 101]),
        ("after=101", "There is no page 101. This is the first.", [105, 103, 101]),
        ("before=2026-99-01T00:00:00-101", "There is no page 2026-99-01T00:00:00-101.", [105, 103, 101]),
        ("sort=newest&after=2026-01-01T00:00:00-101", "There is no page 2026-01-01", [105, 103, 101]),
        ("after=2026-01-01T00:00:00%2B02:00-101", "There is no page 2026-01-01", [105, 103, 101]),
        ("after=2026-01-01T00:00:00-9999999999", "There is no page 2026-01-01", [105, 103, 101]),
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
        *(f"{name}={value}" for name in ("player", "game", "status", "sort", "page", "after", "before")),
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
    empty.post("ida@home.test", "signup ida sesame")
    empty.post("ida@home.test", "seek -size=3x3")
    empty.post("eve@home.test", "challenge eve bob")
    evil = "<b/onclick=x>&\"'"
    with writing(empty.engine) as connection:
        connection.execute(text("UPDATE players SET userid = :evil WHERE userid = 'eve'"), {"evil": evil})
        # Nobody can be called so, or offer that; but then pages must not depend on it.
        connection.execute(
            text("UPDATE players SET userid = ']]><b>c', userid_lower = ']]><b>c' WHERE userid = 'ida'")
        )
        connection.execute(text("UPDATE offers SET options = replace(options, '3x3', '<b>3</b>')"))
    for path in ("/games", "/boards/101"):
        page = main(asking(empty)(path))
        assert evil in page.text
        assert not page.all("b")
        (link,) = {link.attributes["href"] for link in page.all("a") if link.text == evil}
        assert link == "/players/" + quote(evil)
    for path in ("/players/%5D%5D%3E%3Cb%3Ec", "/"):
        assert not main(asking(empty)(path)).all("b")


# Pages of the listing


def links(response: httpx.Response) -> dict[str, str]:
    """Where the pages before and after this one are."""
    found = [link for nav in main(response).all("nav", class_="pages") for link in nav.all("a")]
    return {link.attributes["rel"]: link.attributes["href"] for link in found if "rel" in link.attributes}


def walked(get: Get, path: str, rel: str) -> list[list[int]]:
    """The boards of each page, from one on as far as links lead."""
    pages = []
    while True:
        response = get(path)
        pages.append(boards(response))
        if rel not in links(response):
            return pages
        path = links(response)[rel]


@pytest.mark.parametrize(
    "query", ["", "?sort=newest", "?status=all&player=ben", "?status=all&sort=newest&game=cephalopod"]
)
def test_120_boards_take_three_pages(get_of_many: Get, query: str) -> None:
    """There and back."""
    pages = walked(get_of_many, f"/games{query}", "next")
    assert [len(page) for page in pages] == [50, 50, 20]
    assert [board for page in pages for board in page] == list(range(220, 100, -1))
    second = links(get_of_many(f"/games{query}"))["next"]
    third = links(get_of_many(second))["next"]
    assert walked(get_of_many, third, "prev") == pages[::-1]


def test_the_address_of_a_page_is_a_place(get_of_many: Get) -> None:
    """That of its neighbour as it was listed, whatever becomes of that board; and the question stays."""
    assert links(get_of_many("/games")) == {"next": "/games?after=2026-01-01T14:51:00-171"}
    assert links(get_of_many("/games?sort=newest")) == {"next": "/games?sort=newest&after=171"}
    asked = "/games?player=ben+cleo&status=all"
    assert links(get_of_many(asked)) == {"next": f"{asked}&after=2026-01-01T14:26:00-146"}
    assert "120 boards being played" in main(get_of_many("/games")).one("caption").said


def test_pages_count_what_was_asked(get_of_many: Get) -> None:
    response = get_of_many("/games?player=ann")
    assert boards(response) == list(range(219, 100, -3))
    assert not main(response).all("nav")


def test_beyond_the_last_board(get_of_many: Get) -> None:
    response = get_of_many("/games?after=2025-01-01T00:00:00-101")
    assert boards(response) == []
    assert "There are no more boards." in main(response).said
    assert links(response) == {"prev": "/games"}


def test_pages_that_only_a_few_boards_go_before_are_the_first(get_of_many: Get) -> None:
    assert boards(get_of_many("/games?sort=newest&before=217")) == list(range(220, 170, -1))


def test_a_page_stays_where_it_was_when_boards_come_and_move(empty: Club) -> None:
    """Who reads on finds what came after, though the last board of the page was played on meanwhile."""
    for userid in ("ann", "ben"):
        empty.post(f"{userid}@home.test", f"signup {userid} sesame")
    empty.post("ann@home.test", "challenge ann ben")
    empty.post("ann@home.test", "challenge ann ben")
    get = asking(empty)
    lines = get("/games.json").json()["boards"]
    assert [line["board"] for line in lines] == [102, 101]
    place = f"{lines[0]['last_at'].rstrip('Z')}-102"
    empty.post("ann@home.test", "move 102 c3")
    empty.post("ben@home.test", "challenge ben ann")
    assert boards(get(f"/games?after={place}")) == [101]


def test_time_left_is_told_in_words(empty: Club) -> None:
    """With the exact moment beside it; sorted by it the most urgent comes first, and boards that wait for nobody's
    clock are left out.
    """
    for userid in ("ann", "ben"):
        empty.post(f"{userid}@home.test", f"signup {userid} sesame")
    for _ in range(3):
        empty.post("ann@home.test", "challenge ann ben")
    with writing(empty.engine) as connection:
        connection.execute(text("UPDATE clocks SET deadline_at = '2200-01-01 12:00:00.000000' WHERE match = 101"))
        connection.execute(text("UPDATE clocks SET deadline_at = '2199-01-01 12:00:00.000000' WHERE match = 103"))
    get = asking(empty)
    cell = next(cell for cell in main(get("/games")).all("td", class_="left") if cell.words)
    assert "days" in cell.words
    assert cell.one("time").attributes == {
        "datetime": "2199-01-01T12:00:00Z",
        "title": "until 2199-01-01 12:00 UTC",
    }
    for query in ("sort=time", "sort=time&player=ann&game=cephalopod", "sort=time&game=cephalopod"):
        assert boards(get(f"/games?{query}")) == [103, 101], query
    later = "/games?sort=time&after=2199-01-01T12:00:00-103"
    assert boards(get(later)) == [101]
