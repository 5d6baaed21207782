"""The web pages, asked for as a browser would, of a house that was filled by mail."""

import re
from urllib.parse import quote

import pytest

from pbmserv.commands.verbs.help import subjects
from pbmserv.services.views.boards import see_board
from tests.web.club import Club, Get, asking
from tests.web.tree import main, parse

PAGES = ("/", "/games", "/boards/101", "/boards/102", "/boards/103", "/help", "/help/commands", "/help/cephalopod")
MISSING = ("/nothing", "/boards/999", "/help/nothing")
ADDRESS = re.compile(r"[\w.+-]+@[\w.-]+\w")


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
    assert all(re.fullmatch(r"/script\.js\?v=\w+", script.attributes["src"]) for script in page.all("script"))
    assert not any(script.text for script in page.all("script"))
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
    seen = see_board(club, number)
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
