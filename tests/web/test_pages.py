"""The web pages, asked for as a browser would, of a house that was filled by mail."""

import http.client
import re
import socket
import threading
from pathlib import Path
from urllib.parse import quote, urlsplit

import httpx
import pytest
from sqlalchemy import text

from pbmserv.commands.verbs.help import subjects
from pbmserv.entrypoints.web import WebPart
from pbmserv.rendering.pages import asset
from pbmserv.services import views
from pbmserv.store.engine import writing
from tests.web.club import Club, Get, asking
from tests.web.tree import Element, parse

PAGES = ("/", "/games", "/boards/101", "/boards/102", "/boards/103", "/help", "/help/commands", "/help/cephalopod")
MISSING = ("/nothing", "/boards/999", "/help/nothing")
ADDRESS = re.compile(r"[\w.+-]+@[\w.-]+\w")


def boards(response: httpx.Response) -> list[int]:
    """The boards of a listing, in its order."""
    links = [link.attributes["href"] for link in parse(response.text).all("a")]
    return [int(link.rpartition("/")[2]) for link in links if link.startswith("/boards/")]


def main(response: httpx.Response) -> Element:
    """What a page is about."""
    return parse(response.text).one("main")


# What holds for every page


@pytest.mark.parametrize("path", [*PAGES, *MISSING, "/games?player=nobody&status=x"])
def test_every_page_is_sound(get: Get, path: str) -> None:
    response = get(path)
    assert response.status_code == (404 if path in MISSING else 200)
    assert response.headers["content-type"] == "text/html; charset=utf-8"
    page = parse(response.text)
    assert page.one("html").attributes["lang"] == "en"
    assert len(page.all("h1")) == 1
    assert page.one("title").said.endswith(" - pbmserv")
    assert page.one("a", class_="skip").attributes["href"] == "#" + page.one("main").attributes["id"]
    assert page.one("meta", name="viewport").attributes["content"] == "width=device-width, initial-scale=1"
    for table in page.all("table"):
        assert table.one("caption").said
        assert all("scope" in head.attributes for head in table.all("th"))
    for field in page.all("input") + page.all("select"):
        assert page.one("label", **{"for": field.attributes["id"]}).said


@pytest.mark.parametrize("path", [*PAGES, *MISSING])
def test_nothing_comes_from_elsewhere_or_runs(get: Get, path: str) -> None:
    response = get(path)
    page = parse(response.text)
    assert not page.all("script")
    assert not page.all("style")
    assert not re.search(r"\s(style|on\w+)=", response.text)
    for element in page.all("link") + page.all("img"):
        assert element.attributes.get("href", element.attributes.get("src", "")).startswith("/")
    for link in page.all("a"):
        assert link.attributes["href"].startswith(("/", "#", "mailto:pbmserv@club.test"))
    assert "set-cookie" not in response.headers


@pytest.mark.parametrize("path", [*PAGES, *MISSING, "/style.css", "/icon.svg", "/games/"])
def test_headers_that_protect(get: Get, path: str) -> None:
    headers = get(path).headers
    policy = dict(part.strip().split(" ", 1) for part in headers["content-security-policy"].split(";"))
    assert policy["default-src"] == policy["frame-ancestors"] == policy["base-uri"] == "'none'"
    assert policy["style-src"] == policy["img-src"] == policy["form-action"] == "'self'"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cross-origin-opener-policy"] == headers["cross-origin-resource-policy"] == "same-origin"


@pytest.mark.parametrize("path", [*PAGES, *MISSING, "/games?status=all", "/games?player=alice", "/boards/104"])
def test_no_address_and_no_comment_is_told(get: Get, path: str) -> None:
    page = get(path).text
    assert set(ADDRESS.findall(page)) <= {"pbmserv@club.test"}
    assert "walrus" not in page


def test_every_page_has_a_title_of_its_own(get: Get) -> None:
    paths = [*PAGES, "/boards/104", *(f"/help/{quote(subject)}" for subject in subjects())]
    titles = {path: parse(get(path).text).one("title").said for path in dict.fromkeys(paths)}
    assert len(set(titles.values())) == len(titles)


# The first page


def test_the_first_page_says_how_to_start_and_leads_on(get: Get) -> None:
    links = {link.said: link.attributes["href"] for link in main(get("/")).all("a")}
    assert links["signup USERID PASSWORD"] == "mailto:pbmserv@club.test?subject=signup%20USERID%20PASSWORD"
    assert {"/games", "/help", "/help/commands", "/help/cephalopod", "/help/tutorial"} <= set(links.values())
    assert "Mark Steere" in get("/").text


def test_every_link_leads_somewhere(get: Get) -> None:
    seen: set[str] = set()
    waiting = {"/"}
    while waiting:
        path = waiting.pop()
        seen.add(path)
        response = get(path)
        assert response.status_code == 200, path
        if response.headers["content-type"].startswith("text/html"):
            page = parse(response.text)
            found = {link.attributes["href"] for link in page.all("a") + page.all("link")}
            waiting |= {link for link in found if link.startswith("/")} - seen
    assert {"/boards/101", "/help/change-password", "/games?player=Carol&status=all"} <= seen


# The listing


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
        assert not page.all("script")
        assert not [each for each in page.all("input") if "onfocus" in each.attributes]
        assert "49" not in page.one("main").text
        assert len(response.text) < len(plain) + 3_000


@pytest.mark.parametrize("value", HOSTILE)
@pytest.mark.parametrize("start", ["/", "/boards/", "/help/"])
def test_hostile_addresses(get: Get, start: str, value: str) -> None:
    response = get(start + value.replace("../", "..%2f"))
    assert response.status_code == 404
    assert not parse(response.text).all("script")
    assert len(response.text) < 4_000


def test_a_hostile_userid_stays_text(empty: Club) -> None:
    empty.post("eve@home.test", "signup eve sesame")
    empty.post("bob@home.test", "signup bob sesame")
    empty.post("eve@home.test", "challenge eve bob")
    evil = "<b onclick=x>&\"'"
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


# A board


def test_a_board_in_play(get: Get) -> None:
    page = main(get("/boards/101"))
    assert page.one("h1").said == "Cephalopod Board 101"
    assert page.one("p", class_="between").said == "alice vs bob"
    assert page.one("p", class_="result").said == "It is bob's turn."
    score, moves = page.all("table")
    assert [row.words for row in score.all("tr")[1:]] == [
        ["(n)", "Paren", "alice", "2"],
        ["<n>", "Angle", "bob", "to", "move", "1"],
    ]
    assert (
        moves.all("tr")[0].words == ["Paren", "alice", "Angle", "bob"] or moves.all("th")[0].text == "Parenalice"
    )
    rows = [row.words for row in moves.all("tr")[1:]]
    assert rows == [["1", "C3", "2", "C4"], ["3", "D3", "4", "D4xC4,D3"], ["5", "A1"]]


@pytest.mark.parametrize("number", [101, 102, 103, 104, 105])
def test_the_text_board_is_that_of_the_mail(club: Club, get: Get, number: int) -> None:
    seen = views.see_board(club, number)
    assert seen is not None
    mailed = club.post("alice@home.test", f"show {number}")
    drawn = main(get(f"/boards/{number}")).one("pre").text
    assert "\n".join(f"    {line}".rstrip() for line in drawn.split("\n")) == seen.view.squares
    assert seen.view.squares in mailed


def test_the_last_move_and_what_it_took_are_marked(get: Get) -> None:
    page = main(get("/boards/101")).one("pre")
    assert [square.text for square in page.all("span", class_="last")] == ["(1)"]
    assert [square.text for square in page.all("span", class_="seat-1")] == ["<2>"]
    assert not page.all("span", class_="taken")


def test_what_the_last_move_took_is_marked_and_leaving_begins_a_line(empty: Club) -> None:
    alice, bob = "alice@home.test", "bob@work.test"
    empty.post(alice, "signup alice sesame")
    empty.post(bob, "signup bob poppy")
    empty.post(alice, "challenge alice bob -size=3x3")
    for sender, move in ((alice, "a1"), (bob, "b2"), (alice, "b1")):
        empty.post(sender, f"move 101 {move}")
    get = asking(empty)
    page = main(get("/boards/101"))
    assert [square.text for square in page.one("pre").all("span", class_="taken")] == ["...", "..."]
    assert "what it took" in page.one("p", class_="legend").said
    empty.post(alice, "resign 101")
    rows = main(get("/boards/101")).all("table")[1].all("tr")[1:]
    assert [row.words for row in rows] == [["1", "A1", "2", "B2"], ["3", "B1xA1,B2"], ["resigns"]]


@pytest.mark.parametrize(
    ("number", "result", "notes"),
    [
        (102, "Carol has declined this game. It counts for nobody.", ["declined", "declines", "unrated"]),
        (103, "It is bob's turn. alice has resigned; the others play on.", ["resigned", "resigns"]),
        (104, "The game is over: alice wins, since bob has resigned.", ["resigned", "resigns"]),
        (105, "It is bob's turn.", ["No move yet."]),
    ],
)
def test_how_a_board_stands(get: Get, number: int, result: str, notes: list[str]) -> None:
    page = main(get(f"/boards/{number}"))
    assert page.one("p", class_="result").said == result
    for note in notes:
        assert note in page.said


def test_a_board_that_is_over_has_ranks(get: Get) -> None:
    score = main(get("/boards/104")).all("table")[0]
    assert [row.words[-2:] for row in score.all("tr")[1:]] == [["1", "1"], ["1", "2"]]


# Help


@pytest.mark.parametrize("subject", ["", *subjects()])
def test_help_is_what_is_mailed(club: Club, get: Get, subject: str) -> None:
    mailed = club.post("alice@home.test", f"help {subject}")
    response = get(f"/help/{subject.replace(' ', '-')}" if subject else "/help")
    page = main(response)
    heading, article = page.one("h1"), page.one("article")
    begins_with_heading = mailed.startswith(heading.text)
    assert begins_with_heading or heading.said == f"Help: {subject}".removesuffix(": ")
    assert (heading.words if begins_with_heading else []) + article.words == mailed.split()


def test_figures_and_lines_to_send_stay_as_they_are(get: Get) -> None:
    article = main(get("/help/cephalopod")).one("article")
    figures = [figure.text for figure in article.all("pre")]
    assert "(1) <1> ...     (1) ... ...\n<1> ... (3)     ... <6> ...\n... (1) ...     ... ... ...\n" in figures
    assert [heading.said for heading in article.all("h2")][:2] == ["THE GAME FOR TWO", "HOW TO WRITE A MOVE"]
    assert [len(each.all("li")) for each in article.all("ol")] == [7, 2, 5]


def test_help_leads_on_in_its_own_words(get: Get) -> None:
    links = {link.said: link.attributes["href"] for link in main(get("/help")).one("article").all("a")}
    assert links["help tutorial"] == "/help/tutorial"
    assert links["pbmserv@club.test"] == "mailto:pbmserv@club.test"
    links = {link.said: link.attributes["href"] for link in main(get("/help/commands")).one("article").all("a")}
    assert links["change password userid old new"] == "/help/change-password"


@pytest.mark.parametrize(
    "path", ["/help/MOVE", "/help/change%20password", "/help/Change_Password", "/help/change-password"]
)
def test_help_is_found_however_it_is_written(get: Get, path: str) -> None:
    assert get(path).status_code == 200


def test_help_names_its_own_page(get: Get) -> None:
    current = main(get("/help/move")).one("nav").one("a", **{"aria-current": "page"})
    assert current.said == "move"


# What is not there, and what goes wrong


def test_what_is_not_there_is_helpful(get: Get) -> None:
    assert "There is no board 999." in main(get("/boards/999")).said
    for word in ("abc", "-101", "9999999999999999999", "\u0661\u0660\u0661", "\u00b2"):
        assert f"There is no board {word}." in main(get(f"/boards/{word}")).said
    links = [link.attributes["href"] for link in main(get("/help/mvoe")).all("a")]
    assert links[0] == "/help/move"
    for path in MISSING:
        links = [link.attributes["href"] for link in main(get(path)).all("a")]
        assert {"/", "/games", "/help"} <= set(links)


@pytest.mark.parametrize(
    "path", ["/docs", "/redoc", "/openapi.json", "/style.css/x", "/boards", "/boards/1/2", "http://club.test//"]
)
def test_nothing_else_is_there(get: Get, path: str) -> None:
    assert get(path).status_code == 404


@pytest.mark.parametrize(
    ("path", "target"),
    [
        ("/games/", "/games"),
        ("/boards/101/", "/boards/101"),
        ("//evil.test/", "/evil.test"),
        ("/%5Cevil.test/", "/%5Cevil.test"),
        ("/%0d%0aSet-Cookie:%20a=b/", "/%0D%0ASet-Cookie%3A%20a%3Db"),
    ],
)
def test_a_slash_too_many_is_forgiven_and_leads_nowhere_else(get: Get, path: str, target: str) -> None:
    response = get(f"http://club.test{path}")
    assert response.status_code == 308
    assert response.headers["location"] == target


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "TRACE"])
def test_pages_are_for_looking(get: Get, method: str) -> None:
    response = get("/games", method)
    assert response.status_code == 405
    assert set(response.headers["allow"].split(", ")) == {"GET", "HEAD"}
    assert "content-security-policy" in response.headers
    assert main(response).one("h1").said == "These pages are for looking"


def test_a_fault_tells_nothing(get: Get, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: object) -> None:
        raise ValueError("sesame")

    monkeypatch.setattr("pbmserv.entrypoints.web.see_board", broken)
    response = get("/boards/101")
    assert response.status_code == 500
    assert "content-security-policy" in response.headers
    assert main(response).one("h1").said == "Our fault"
    for secret in ("sesame", "ValueError", "Traceback", "see_board"):
        assert secret not in response.text


def test_a_database_that_is_away_is_said_so(empty: Club, caplog: pytest.LogCaptureFixture) -> None:
    get = asking(empty)
    with writing(empty.engine) as connection:
        connection.execute(text("ALTER TABLE matches RENAME TO elsewhere"))
    response = get("/games")
    assert response.status_code == 503
    assert response.headers["retry-after"] == "10"
    assert "content-security-policy" in response.headers
    assert "elsewhere" not in response.text
    assert "SELECT" not in response.text
    assert get("/").status_code == 200
    assert "the database is away (OperationalError)" in caplog.text


def test_an_empty_house_invites(empty: Club) -> None:
    get = asking(empty)
    assert main(get("/games")).one("p", class_="none").said == "There is no board being played. Look among all."
    assert main(get("/games?status=all")).one("p", class_="none").said == "There is no board."


# Assets


def test_assets_may_be_kept_for_ever_since_their_address_changes(get: Get) -> None:
    page = parse(get("/").text)
    style, icon = (page.one("link", rel=rel).attributes["href"] for rel in ("stylesheet", "icon"))
    for link, name, kind in ((style, "style.css", "text/css"), (icon, "icon.svg", "image/svg+xml")):
        response = get(link)
        assert link.startswith(f"/{name}?v=")
        assert response.status_code == 200
        assert response.headers["content-type"].startswith(kind)
        assert "immutable" in response.headers["cache-control"]
    assert get("/").headers["cache-control"] == "no-cache"


def test_another_content_is_another_version(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    version = asset("style.css").version
    (tmp_path / "web").mkdir()
    (tmp_path / "web" / "style.css").write_text("body { color: red }")
    asset.cache_clear()
    monkeypatch.setattr("pbmserv.rendering.pages.templates_folder", lambda: tmp_path)
    changed = asset("style.css").version
    asset.cache_clear()
    assert changed != version


# The part that serves


def test_the_part_serves_and_stops(club: Club) -> None:
    part, stop = WebPart(club, "127.0.0.1", 0), threading.Event()
    thread = threading.Thread(target=part.run, args=(stop,), daemon=True)
    thread.start()
    place = urlsplit(part.url).netloc
    idle = http.client.HTTPConnection(place, timeout=10)
    try:
        for path, status in (("/", 200), ("/boards/101", 200), ("/nothing", 404), ("/style.css", 200)):
            whole = _asked(place, "GET", path)
            head = _asked(place, "HEAD", path)
            assert whole[0] == head[0] == status
            assert whole[1]["content-length"] == head[1]["content-length"] == str(len(whole[2]))
            assert head[2] == b""
            assert "server" not in whole[1]
        assert _asked(place, "GET", "/", host="[")[0] == 200
        idle.request("GET", "/")
        assert idle.getresponse().read()
    finally:
        stop.set()
        thread.join(10)
    assert not thread.is_alive()
    idle.close()
    host, _, port = place.partition(":")
    with pytest.raises(ConnectionRefusedError), socket.create_connection((host, int(port)), timeout=5):
        pass


def _asked(place: str, method: str, path: str, host: str | None = None) -> tuple[int, dict[str, str], bytes]:
    connection = http.client.HTTPConnection(place, timeout=10)
    try:
        connection.request(method, path, headers={"Host": host} if host else {})
        response = connection.getresponse()
        headers = {name.lower(): value for name, value in response.getheaders()}
        return response.status, headers, response.read()
    finally:
        connection.close()


def test_a_port_in_use_is_said_so(club: Club) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(
            OSError, match=rf"^cannot show the pages at http://127\.0\.0\.1:{port}: Address already"
        ):
            WebPart(club, "127.0.0.1", port)
