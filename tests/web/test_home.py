"""The first page: what this is, how to start, and what is going on."""

from pbmserv.commands.server import Server
from pbmserv.games import games
from pbmserv.matches.queries import BoardSearch
from pbmserv.services.views import search_boards
from pbmserv.web.games import home
from pbmserv.web.layout import Frame, html
from tests.web.club import NOON, Club, Get, asking
from tests.web.tree import Element, main, parse


def test_games_going_on_are_small_boards(get: Get) -> None:
    """Those played on last first, each with words, players, whose turn it is, and a link."""
    page = main(get("/"))
    boards = page.one("ul", class_="small-boards").all("li")
    assert [board.one("a", class_="small-board").attributes["href"] for board in boards] == [
        "/boards/105",
        "/boards/103",
        "/boards/101",
    ]
    assert boards[2].one("img").attributes == {
        "src": "/boards/101.svg?v=5",
        "width": "320",
        "height": "320",
        "loading": "lazy",
        "alt": "Board 101: alice vs bob, after 5 moves",
    }
    assert boards[1].said.startswith(
        "alice vs bob vs Carol Cephalopod variant 3 by 3 squares, move 4: bob to play (for "
    )
    assert "All 3 boards being played" in page.said


def test_there_are_six_at_most(get_of_many: Get) -> None:
    page = main(get_of_many("/"))
    assert len(page.one("ul", class_="small-boards").all("img")) == 6
    assert "All 120 boards being played" in page.said


def test_how_to_start(get: Get) -> None:
    found = main(get("/")).all("a")
    links = {link.said: link.attributes["href"] for link in found}
    assert links["Sign up by mail"] == "mailto:pbmserv@club.test?subject=signup%20USERID"
    assert links["signup USERID"] == links["Sign up by mail"]
    assert {"/games", "/help", "/help/tutorial", "/standings/cephalopod"} <= {
        link.attributes["href"] for link in found
    }


def test_an_empty_house_invites(empty: Club) -> None:
    get = asking(empty)
    page = main(get("/"))
    assert "Nobody is playing at the moment." in page.said
    (film,) = page.one("ul", class_="small-boards").all("img")
    assert film.attributes["src"] == "/games/cephalopod/movie.svg"
    offered_games = [each for group in page.all("ul", class_="offer") for each in group.all("li")]
    shown = {each.one("img").attributes["src"]: each.one("a").attributes["href"] for each in offered_games}
    assert shown == {f"/games/{name}.svg": f"/help/{name}" for name in games()}
    assert len(offered_games) == len(shown)
    assert not page.all("table")
    empty.post("alice@home.test", "signup alice sesame")
    empty.post("alice@home.test", "seek -size=3x5")
    offered = main(get("/")).one("table")
    assert "Cephalopod, 2 players, 3 by 5 squares, rated, 21 days a turn" in offered.said
    assert offered.one("a", class_="send").attributes["href"] == "mailto:pbmserv@club.test?subject=accept%201"
    assert "home.test" not in get("/").text


def test_who_tries_the_server_out_is_told_where_mails_are(empty: Club) -> None:
    page = home(search_boards(empty, BoardSearch()), (), NOON, empty.server)
    server = Server("pbmserv@localhost")
    at_home, elsewhere = (main_of(html(page, Frame(server, writes_here))) for writes_here in (True, False))
    assert "/mailbox" in {link.attributes["href"] for link in at_home.one("p", class_="notice").all("a")}
    assert not elsewhere.all("p", class_="notice")


def main_of(text: str) -> Element:
    """What a page is about."""
    return parse(text).one("main")
