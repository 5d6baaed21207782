"""The listing for other programs: an Atom feed, and JSON by its schema; the same questions as on the page."""

import json
from xml.etree import ElementTree

import pytest
from jsonschema import Draft202012Validator

from pbmserv.rendering.templates import templates_folder
from tests.web.club import Club, Get, asking
from tests.web.tree import parse

ATOM = "{http://www.w3.org/2005/Atom}"
SCHEMA = json.loads((templates_folder() / "games-1.schema.json").read_text())


def entries(xml: str) -> list[tuple[str, str, str]]:
    """Id, title and moment of each entry."""
    feed = ElementTree.fromstring(xml)
    names = ("id", "title", "updated")
    return [
        tuple(entry.findtext(ATOM + name) or "" for name in names)  # type: ignore[misc]
        for entry in feed.findall(ATOM + "entry")
    ]


def test_the_feed_tells_each_board(get: Get) -> None:
    answer = get("/games.atom?status=all")
    assert answer.headers["content-type"] == "application/atom+xml; charset=utf-8"
    told = {each: (title, at) for each, title, at in entries(answer.text)}
    assert told["tag:club.test,2026:boards/101"] == (
        "alice vs bob: move 6, bob to play, last A1",
        "2026-01-01T13:20:00Z",
    )
    assert told["tag:club.test,2026:boards/104"][0] == "alice vs bob: alice won after 2 moves, last A1"
    assert told["tag:club.test,2026:boards/102"][0] == "bob vs Carol: declined after 0 moves"
    feed = ElementTree.fromstring(answer.text)
    assert feed.findtext(ATOM + "updated") == max(at for _, at in told.values())
    found = {link.attrib["rel"]: link.attrib["href"] for link in feed.findall(ATOM + "link")}
    assert found == {
        "self": "http://club.test/games.atom?status=all",
        "alternate": "http://club.test/games?status=all",
    }
    assert "home.test" not in answer.text
    assert "walrus" not in answer.text


@pytest.mark.parametrize(
    ("query", "boards"),
    [
        ("", ["105", "103", "101"]),
        ("?player=carol", ["103"]),
        ("?status=over", ["104", "102"]),
        ("?sort=newest&after=101&page=7", ["105", "103", "101"]),
        ("?player=nobody-at-all", []),
    ],
)
def test_the_feed_answers_the_questions_of_the_page(get: Get, query: str, boards: list[str]) -> None:
    """Always from the last move on."""
    assert [each.rpartition("/")[2] for each, _, _ in entries(get(f"/games.atom{query}").text)] == boards


def test_pages_lead_to_their_feed(get: Get) -> None:
    page = parse(get("/games?player=carol&status=all").text)
    found = {link.attributes["type"]: link.attributes["href"] for link in page.all("link", rel="alternate")}
    assert found == {
        "application/atom+xml": "/games.atom?player=Carol&status=all",
        "application/json": "/games.json?player=Carol&status=all",
    }


def test_json_of_a_board(get: Get) -> None:
    told = get("/games.json?status=all").json()
    boards = {line["board"]: line for line in told["boards"]}
    assert boards[101] == {
        "board": 101,
        "url": "http://club.test/boards/101",
        "game": "cephalopod",
        "title": "Cephalopod",
        "options": {},
        "players": ["alice", "bob"],
        "status": "active",
        "to_move": "bob",
        "winners": [],
        "plies": 5,
        "started": "2026-01-01T12:30:00Z",
        "last_at": "2026-01-01T13:20:00Z",
        "last_move": "A1",
        "time_until": None,
    }
    assert (boards[104]["winners"], boards[102]["status"]) == (["alice"], "declined")
    assert (told["total"], told["total_is_exact"], told["server"]) == (5, True, "club.test")


@pytest.mark.parametrize(
    ("query", "wrong"),
    [
        ("", []),
        ("?status=all", []),
        ("?player=carol", []),
        ("?sort=time", []),
        ("?player=zed&game=ludo&sort=x&page=4&status=y", ["game", "status", "sort", "page", "player"]),
    ],
)
def test_json_is_as_its_schema_has_it(get: Get, query: str, wrong: list[str]) -> None:
    Draft202012Validator.check_schema(SCHEMA)
    answer = get(f"/games.json{query}")
    assert answer.headers["content-type"] == "application/json"
    told = json.loads(answer.text)
    Draft202012Validator(SCHEMA).validate(told)
    assert [each["name"] for each in told["wrong"]] == wrong
    assert "home.test" not in answer.text


def test_pages_of_json_lead_on(get_of_many: Get) -> None:
    seen: list[int] = []
    path = "/games.json?player=ben"
    back = []
    while path:
        told = get_of_many(path).json()
        Draft202012Validator(SCHEMA).validate(told)
        seen += [line["board"] for line in told["boards"]]
        back.append(told["prev"])
        path = (told["next"] or "").removeprefix("http://club.test")
    assert seen == list(range(220, 100, -1))
    assert back[0] is None
    assert all(each.startswith("http://club.test/games.json?player=ben&before=2026-") for each in back[1:])


def test_an_empty_house(empty: Club) -> None:
    get = asking(empty)
    assert entries(get("/games.atom").text) == []
    assert get("/games.json").json()["boards"] == []
