"""The web pages, asked for as a browser would, of a house that was filled by mail."""

import re
from urllib.parse import quote

import pytest

from pbmserv.commands.help import subjects
from pbmserv.games import games
from tests.web.club import Get
from tests.web.tree import main, parse

PAGES = (
    *(
        "/",
        "/games",
        "/boards/101",
        "/boards/102",
        "/boards/103",
        "/help",
        "/help/commands",
        "/help/cephalopod",
        "/privacy",
    ),
    *("/players/alice", "/players/Carol", "/standings/cephalopod", "/standings/cephalopod?show=all"),
    "/standings/cephalopod?size=3x5",
)
MISSING = ("/nothing", "/boards/999", "/help/nothing", "/players/nobody", "/standings/nothing")
INVENTORS = {f"https://{game.info.credit.site}/" for game in games().values() if game.info.credit.site}
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
        is_ours = link.attributes["href"].startswith(("/", "#", "?", "mailto:pbmserv@club.test"))
        assert is_ours or (link.attributes["href"] in INVENTORS and "noopener" in link.attributes["rel"])
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
    found = main(get("/")).all("a")
    links = {link.said: link.attributes["href"] for link in found}
    assert links["signup USERID"] == "mailto:pbmserv@club.test?subject=signup%20USERID"
    assert {"/games", "/help", "/help/commands", "/help/cephalopod", "/help/tutorial"} <= {
        link.attributes["href"] for link in found
    }
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
            waiting |= {link.partition("#")[0] for link in found if link.startswith("/")} - seen
    assert {"/boards/101", "/help/change-password", "/players/Carol", "/standings/cephalopod"} <= seen


# Help


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
    current = main(get("/help/move")).one("nav", class_="subjects").one("a", **{"aria-current": "page"})
    assert current.said == "move"
