"""The page of a board: the squares, the replay, moves that are tried, and the same game in other forms."""

import json
import random
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from urllib.parse import quote, unquote
from xml.etree import ElementTree
from xml.etree.ElementTree import Element as XmlElement

import httpx
import jsonschema
import pytest

from pbmserv.games import cephalopod, games
from pbmserv.games.cephalopod import Position
from pbmserv.rendering.record import schema
from pbmserv.services.robots import play_robots
from pbmserv.services.views import load_board
from pbmserv.web.board_page import BoardPage, BoardPageQuery, Personal
from pbmserv.web.boards import board_page
from pbmserv.web.layout import Frame, html
from tests.rendering.picture.svg import every, parsed, seen_in, told_by
from tests.web.club import NOON, Club, Get, asking, opened
from tests.web.put import after, many_moves, put, put_game, sign_up
from tests.web.test_listing import HOSTILE
from tests.web.tree import Element, main, parse

ALICE, BOB = "alice@home.test", "bob@home.test"
PAIR = ("alice", "bob")
TRIO = ("alice", "bob", "carol")
SHORT = ["a1", "b2", "b1", "a2", "c3"]  # the third takes two dice
LONG = many_moves("9x9", 3, 800)
CROWDED = many_moves("5x5", 3, 24)
ATOM = "{http://www.w3.org/2005/Atom}"
HEAVIEST = 60_000


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Club]:
    """101 is small and bob's turn, 102 is long and of three as 103, 104 not begun, 105 over."""
    with opened(tmp_path_factory.mktemp("shelf")) as house:
        sign_up(house, *TRIO)
        put(house, 101, "3x3", PAIR, SHORT)
        put(house, 102, "9x9", TRIO, LONG)
        put(house, 103, "5x5", TRIO, CROWDED)
        put(house, 104, "5x5", PAIR, [])
        put(house, 105, "3x3", PAIR, many_moves("3x3", 2, 500))
        yield house


@pytest.fixture(scope="module")
def look(shelf: Club) -> Get:
    """Asks for a page of the shelf."""
    return asking(shelf)


def cells(page: Element) -> dict[str, Element]:
    """The links on the board by the names of the cells that they tell."""
    links = page.one("svg", class_="table").all("a")
    names = (re.sub(r"^\N{MULTIPLICATION SIGN}\d+ ", "", link.attributes["aria-label"]) for link in links)
    return {re.split(r"\W", name)[0]: link for name, link in zip(names, links, strict=True)}


def drawn(response: httpx.Response) -> XmlElement:
    """The drawing of the board on a page."""
    begins = response.text.index('<svg class="table')
    ends = response.text.index("</svg>", begins) + len("</svg>")
    picture = response.text[begins:ends]
    return parsed(picture.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1))


def shows(response: httpx.Response, position: Position) -> bool:
    """Whether the board on a page shows a position, in pieces and marks and in words."""
    scene = cephalopod.scene(position)
    assert seen_in(drawn(response), scene) == told_by(scene)
    words = main(response).one("div", class_="in-words").said
    names = scene.board.names
    for cell, pieces in enumerate(scene.cells):
        assert bool(re.search(rf"{names[cell]} \S+ [1-6][,;]", words)) == bool(pieces)
    for cell, kind in [(cell, "Last move") for cell in scene.marked]:
        assert f"{kind}: {names[cell]}." in words or f"Not played yet: {names[cell]}." in words
    taken = ", ".join(names[cell] for cell in scene.captured)
    assert not taken or f"aptured: {taken}." in words
    return True


def panel(page: Element) -> Element:
    """Where moves are tried."""
    return page.one("section", **{"aria-labelledby": "turn"})


def links_of(element: Element) -> dict[str, str]:
    """Where the links of an element lead to, by what they say."""
    return {link.said: link.attributes["href"] for link in element.all("a")}


# The squares


@pytest.mark.parametrize(
    ("number", "size", "userids", "moves"),
    [(101, "3x3", PAIR, SHORT), (102, "9x9", TRIO, LONG), (103, "5x5", TRIO, CROWDED), (104, "5x5", PAIR, [])],
)
def test_each_square_is_told_and_drawn(
    look: Get, number: int, size: str, userids: tuple[str, ...], moves: list[str]
) -> None:
    """In words that match the rules, and with drawings that are on the page."""
    response = look(f"/boards/{number}")
    page = main(response)
    position = after(size, len(userids), moves)
    assert shows(response, position)
    drawings = {symbol.attributes["id"] for symbol in page.all("symbol")} | {"t"}
    assert {use.attributes["href"][1:] for use in page.all("use")} <= drawings
    labels = {label.said for label in page.one("svg", class_="table").all("text", class_="d-label")}
    assert labels == {text for text, _, _ in cephalopod.scene(position).board.layout.labels}


def test_what_was_taken_is_faintly_there(look: Get) -> None:
    """Where it stood, in a drawing that the page has; a screen reader hears of it from the words."""
    response = look("/boards/101?ply=3")
    gone = [use for use in every(drawn(response), "use") if use.get("class") == "gone"]
    assert sorted(use.get("href") or "" for use in gone) == ["#p0-1", "#p1-1"]
    assert {use.attributes["href"][1:] for use in main(response).all("use", class_="gone")} <= {
        symbol.attributes["id"] for symbol in main(response).all("symbol")
    }
    assert "Just captured: A1, B2." in main(response).one("div", class_="in-words").said
    assert not [use for use in every(drawn(look("/boards/101?ply=4")), "use") if use.get("class") == "gone"]


def test_the_board_can_be_skipped(look: Get) -> None:
    """By a link before it, to what comes after it."""
    for query, where in (("", "turn"), ("?ply=2", "score"), ("?move=a3", "turn")):
        page = main(look(f"/boards/101{query}"))
        (link,) = page.all("a", class_="past")
        assert link.attributes["href"] == f"#{where}"
        assert page.one("h2", id=where).attributes["tabindex"] == "-1"


# How it stands


def test_a_board_in_play(get: Get) -> None:
    page = main(get("/boards/101"))
    assert page.one("h1").said == "Cephalopod Board 101"
    assert page.one("p", class_="between").said == "alice vs bob"
    assert page.one("div", class_="result").said == "It is bob's turn."
    score, moves = page.one("table", class_="score"), page.one("table", class_="moves")
    assert [row.words for row in score.all("tr")[1:]] == [
        ["Paren", "(n)", "alice", "2"],
        ["Angle", "<n>", "bob", "to", "move", "1"],
    ]
    assert [head.said for head in moves.all("th")] == ["alice", "bob"]
    assert [head.one("use").attributes["href"] for head in moves.all("th")] == ["#p0-1", "#p1-1"]
    rows = [row.words for row in moves.all("tr")[1:]]
    assert rows == [["1", "C3", "2", "C4"], ["3", "D3", "4", "D4xC4,D3"], ["5", "A1"]]
    assert page.one("dl").said.startswith("Time left 21 days for this turn Started 2026-01-01 12:30 UTC (")


@pytest.mark.parametrize("number", [101, 102, 103, 104, 105])
def test_the_text_board_is_that_of_the_mail_and_the_standing_that_of_the_record(
    club: Club, get: Get, number: int
) -> None:
    """Mails to players say how it stands in the second person; page and record say it to anybody."""
    mailed = club.post("alice@home.test", f"show {number}")
    record = club.post("alice@home.test", f"record {number}")
    page = main(get(f"/boards/{number}"))
    assert page.one("pre").text in mailed
    standing = page.one("div", class_="result").all("p")[0]
    assert standing.said in " ".join(record.split())


@pytest.mark.parametrize(
    ("number", "result", "notes"),
    [
        (102, "Carol has declined this game. It counts for nobody.", ["declined", "declines", "unrated"]),
        (103, "It is bob's turn. alice has resigned; the others play on.", ["resigned", "resigns"]),
        (104, "The game is over: alice wins, since bob has resigned.", ["resigned", "resigns"]),
        (105, "It is bob's turn.", ["The start"]),
    ],
)
def test_how_a_board_stands(get: Get, number: int, result: str, notes: list[str]) -> None:
    page = main(get(f"/boards/{number}"))
    assert page.one("div", class_="result").said == result
    for note in notes:
        assert note in page.said


def test_a_board_that_one_of_three_declined_goes_on_without_that_one(empty: Club) -> None:
    sign_up(empty, "alice", "bob", "carol")
    empty.post("alice@home.test", "cephalopod challenge alice bob carol --unrated -forfeittime=3")
    empty.post("bob@home.test", "resign 101")
    page = main(asking(empty)("/boards/101"))
    again = page.one("p", class_="again")
    assert again.said == "Play on A mail from one of the others starts the game without bob; alice moves first."
    assert again.one("a").attributes["href"] == "mailto:pbmserv@club.test?subject=rematch%20101"
    assert "Terms 5 by 5 squares, unrated, 3 days a turn." in page.said


def test_a_board_that_is_over_has_ranks(get: Get) -> None:
    score = main(get("/boards/104")).one("table", class_="score")
    assert [row.words[-2:] for row in score.all("tr")[1:]] == [["1", "1st"], ["1", "2nd"]]


def test_leaving_begins_a_line_and_offers_are_told(empty: Club) -> None:
    sign_up(empty, "alice", "bob")
    put(empty, 101, "3x3", PAIR, SHORT[:3])
    get = asking(empty)
    empty.post(BOB, "propose 101")
    assert (
        "bob proposes a draw. alice has still to answer."
        in main(get("/boards/101")).one("div", class_="result").said
    )
    empty.post(ALICE, "resign 101")
    rows = main(get("/boards/101")).one("table", class_="moves").all("tr")[1:]
    assert [row.words for row in rows] == [["1", "A1", "2", "B2"], ["3", "B1xA1,B2"], ["resigns"]]


def test_a_rematch_leads_to_the_game_before(empty: Club) -> None:
    sign_up(empty, "alice", "bob")
    put(empty, 101, "3x3", PAIR, SHORT)
    empty.post(BOB, "resign 101")
    empty.post(ALICE, "rematch 101")
    assert links_of(main(asking(empty)("/boards/102")))["board 101"] == "/boards/101"


def test_a_move_is_seen_at_once(empty: Club) -> None:
    """Folded boards are remembered; what is added to them is not missed."""
    sign_up(empty, "alice", "bob")
    put(empty, 101, "3x3", PAIR, SHORT)
    get = asking(empty)
    assert main(get("/boards/101")).one("div", class_="result").said == "It is bob's turn."
    empty.post(BOB, "move 101 a3")
    page = main(get("/boards/101"))
    assert shows(get("/boards/101"), after("3x3", 2, [*SHORT, "a3"]))
    assert page.one("div", class_="result").said == "It is alice's turn."


# Replay


def test_every_ply_is_as_the_rules_have_it(look: Get) -> None:
    for ply in range(len(CROWDED) + 1):
        response = look(f"/boards/103?ply={ply}")
        page = main(response)
        assert shows(response, after("5x5", 3, CROWDED[:ply]))
        assert page.one("p", class_="caption").said == (
            f"After move {ply} of {len(CROWDED)}" if ply else "The start"
        )
        assert not cells(page)
        current = [link.words for link in page.all("a", **{"aria-current": "true"}) if link.words[0].isdigit()]
        assert [words[0] for words in current] == ([str(ply)] if ply else [])


@pytest.mark.parametrize(
    ("query", "ways"),
    [
        ("", ["?ply=0", "?ply=4", None, None]),
        ("?ply=0", [None, None, "?ply=1", ""]),
        ("?ply=2", ["?ply=0", "?ply=1", "?ply=3", ""]),
        ("?ply=4", ["?ply=0", "?ply=3", "", ""]),
        ("?ply=5", ["?ply=0", "?ply=4", "", ""]),
        ("?ply=", ["?ply=0", "?ply=4", None, None]),
    ],
)
def test_the_ways_through_a_game(look: Get, query: str, ways: list[str | None]) -> None:
    """First, back, forward, last: what leads nowhere is text; the last ply is the present."""
    items = main(look(f"/boards/101{query}")).one("nav", **{"aria-label": "Replay"}).all("li")
    assert [item.words[-1] for item in items] == ["First", "Back", "Forward", "Last"]
    found = [item.one("a").attributes if item.all("a") else None for item in items]
    assert [each and each["href"] for each in found] == [
        None if way is None else f"/boards/101{way}#position" for way in ways
    ]
    assert [each.get("rel") for each in found if each] == [
        rel for rel, way in zip([None, "prev", "next", None], ways, strict=True) if way is not None
    ]


def test_what_a_ply_did_is_said(look: Get) -> None:
    page = main(look("/boards/101?ply=3"))
    led = page.one("div", class_="led").said
    assert led.startswith(
        "Move 3: alice played B1, showing 2, and captured A1 alice 1 and B2 bob 1. It is bob's turn."
    )
    assert links_of(page)["See the board as it is now"] == "/boards/101#position"
    assert "no move yet" in main(look("/boards/101?ply=0")).one("p", id="led").said
    form = page.one("nav", **{"aria-label": "Replay"}).one("form", action="/boards/101", method="get")
    assert {name: form.one("input").attributes[name] for name in ("name", "value", "max")} == {
        "name": "ply",
        "value": "3",
        "max": "5",
    }


@pytest.mark.parametrize("ply", ["6", "-1", "x", "1.5", "\u0663", "9" * 30, "1 2", "0x1", "%00"])
def test_a_ply_that_is_not_there_is_helped(look: Get, ply: str) -> None:
    response = look(f"/boards/101?ply={ply if ply == '%00' else quote(ply)}")
    assert response.status_code == 404
    assert "Board 101 has no move" in main(response).said
    assert "/boards/101" in links_of(main(response)).values()


@pytest.mark.parametrize("query", ["", "?ply=0", "?ply=1", "?ply=250", "?ply=480"])
def test_the_longest_games_are_light(look: Get, query: str) -> None:
    """The moves around are listed, and the record has them all."""
    response = look(f"/boards/102{query}")
    assert len(response.content) < HEAVIEST
    page = main(response)
    listed = [int(link.words[0]) for link in page.one("table", class_="moves").all("a")]
    shown = int(query.partition("=")[2] or len(LONG))
    assert len(listed) == 300
    assert max(1, shown) in listed
    assert listed == list(range(listed[0], listed[0] + 300))
    assert "/boards/102/record.txt" in links_of(page.one("section", class_="story")).values()


def at_random(name: str, plies: int) -> list[str]:
    """A game of that many moves, each one of the first that there are."""
    game, chance = games()[name], random.Random(plies)
    position, texts = game.start(2, {}), []
    for _ in range(plies):
        move = chance.choice(list(islice(game.moves(position), 400)))
        texts.append(game.write(position, move))
        position, _ = game.play(position, move)
    return texts


@pytest.mark.parametrize(
    ("name", "plies", "query"),
    [("go", 0, ""), ("go", 150, ""), ("go", 300, ""), ("connect6", 1, ""), ("connect6", 1, "?move=j10")],
)
def test_large_boards_are_light(empty: Club, name: str, plies: int, query: str) -> None:
    """Though each of their cells can be touched."""
    sign_up(empty, *PAIR)
    put_game(empty, 101, name, at_random(name, plies))
    response = asking(empty)(f"/boards/101{query}")
    assert len(response.content) < HEAVIEST
    assert len(cells(main(response))) > 50


def test_where_a_piece_in_hand_can_go_is_pointed_out(empty: Club) -> None:
    sign_up(empty, *PAIR)
    put_game(empty, 101, "crazyhouse", ["e4", "d5", "exd5", "Qxd5"])
    page = main(asking(empty)("/boards/101?move=pawn"))
    free = [each for each in page.all("a") if each.attributes.get("href", "").startswith("?move=pawn-")]
    assert len(free) == 6 * 8 - 7 - 7 - 1  # no pawn goes to the rows at the ends; D5 has a queen
    assert all(each.all("circle", class_="d-dot") for each in free)


STEPS = 5  # touches, at most, to a move that was begun


@pytest.mark.sampled(8)
@pytest.mark.parametrize("name", sorted(games()))
@pytest.mark.parametrize("plies", [0, 7])
def test_moves_of_every_game_are_reached_by_touching(empty: Club, name: str, plies: int) -> None:
    """Whatever is touched, what comes is a move that could be played, or the same board with the next cells."""
    sign_up(empty, *PAIR)
    texts = at_random(name, 3 if name in ("tic-tac-toe", "three-mens-morris") else 7)[:plies]
    put_game(empty, 101, name, texts)
    get, game = asking(empty), games()[name]
    position = game.start(2, {})
    for text in texts:
        position, _ = game.play(position, game.read(position, text))
    for first in (0, 1, 2):
        href = ""
        for _ in range(STEPS):
            page = main(get(f"/boards/101{href}"))
            ways = [*cells(page).values(), *panel(page).all("a")]
            found = [link.attributes["href"] for link in ways if link.attributes["href"].startswith("?move=")]
            head = panel(page).one("h2").said
            if head.startswith("Not played yet: "):
                break
            href = found[first % len(found)]
        move = game.read(position, head.removeprefix("Not played yet: "))
        assert move in game.moves(position, move)


def test_faces_of_a_page_are_not_for_search_engines(look: Get) -> None:
    assert not parse(look("/boards/101").text).all("meta", name="robots")
    for query in ("?ply=1", "?move=a3", "?move=zz"):
        head = parse(look(f"/boards/101{query}").text)
        assert head.one("meta", name="robots").attributes["content"] == "noindex, nofollow"
        assert head.one("link", rel="canonical").attributes["href"] == "/boards/101"


# Moves that are tried


@pytest.mark.parametrize(("number", "size", "moves", "seats"), [(101, "3x3", SHORT, 2), (103, "5x5", CROWDED, 3)])
def test_every_move_can_be_reached_by_touching_cells(
    look: Get, number: int, size: str, moves: list[str], seats: int
) -> None:
    """A touch leads to the move, or to the same board with the next cells; each move shows what the rules give."""
    position, userids = after(size, seats, moves), TRIO[:seats]
    on_turn = userids[cephalopod.to_move(position) or 0]
    start = look(f"/boards/{number}")
    assert panel(main(start)).one("h2").said == f"Are you {on_turn}?"
    asked, waiting, tried = {""}, [start], {}
    while waiting:
        response = waiting.pop()
        page = main(response)
        head = panel(page).one("h2").said
        if head.startswith("Not played yet: "):
            tried[head.removeprefix("Not played yet: ")] = response
        else:
            assert seen_in(drawn(response), cephalopod.scene(position)) == told_by(cephalopod.scene(position))
        for link in [*cells(page).values(), *panel(page).all("a")]:
            href = link.attributes["href"]
            if href.startswith("?move=") and href not in asked:
                asked.add(href)
                waiting.append(look(f"/boards/{number}{href}"))
    legal = {cephalopod.write(position, move): move for move in cephalopod.moves(position)}
    assert set(tried) == set(legal)
    for text, response in tried.items():
        _tried_as_it_should_be(response, number, len(moves) + 1, text, position, userids)


def _tried_as_it_should_be(
    response: httpx.Response, number: int, ply: int, text: str, position: Position, userids: tuple[str, ...]
) -> None:
    page = main(response)
    result, events = cephalopod.play(position, cephalopod.read(position, text))
    assert shows(response, result)
    assert page.one("p", class_="caption").said == f"With {text}, not played yet"
    (href,) = (link for link in links_of(panel(page)).values() if link.startswith("mailto:"))
    assert unquote(href) == f"mailto:pbmserv@club.test?subject=move {number} {text.lower()}#{ply}"
    names = result.board.names
    for event in events[1:]:
        assert f"{names[event.cells[0]]} {userids[event.seat]}" in panel(page).said
    assert page.one("div", class_="result").said.startswith("It is ")


def test_what_a_touch_does_is_said(empty: Club) -> None:
    """To who hears the page, and by a sign in the cell."""
    sign_up(empty, "alice", "bob")
    put(empty, 101, "3x3", PAIR, ["a2", "c2", "b1"])
    found = cells(main(asking(empty)("/boards/101")))
    said = {name: (link.attributes["aria-label"], link.said) for name, link in found.items()}
    assert said["B2"] == ("B2: 4 ways to go on", "\N{BLACK DOWN-POINTING SMALL TRIANGLE}4")
    assert said["A1"] == ("\N{MULTIPLICATION SIGN}2 A1: choose, capturing 2", "\N{MULTIPLICATION SIGN}2")
    assert said["A3"] == ("A3: choose", "")
    begun = main(asking(empty)("/boards/101?move=b2"))
    assert {link.attributes["aria-label"] for link in cells(begun).values()} == {
        "A2 alice 1: 3 ways to go on",
        "B1 alice 1: choose, capturing 2",
    }
    assert begun.one("path", class_="d-chosen")


def test_who_has_touched_a_whole_move_may_go_on(empty: Club) -> None:
    """B2, A2 and B1 are a move, and the beginning of another."""
    sign_up(empty, "alice", "bob")
    put(empty, 101, "3x3", PAIR, ["a2", "c2", "b1"])
    get = asking(empty)
    page = main(get("/boards/101?move=b2-a2-b1"))
    assert panel(page).one("h2").said == "B2, A2, B1: how does it go on?"
    assert links_of(panel(page))["b2xa2,b1"] == "?move=b2xa2%2Cb1#turn"
    assert set(cells(page)) == {"C2"}
    tried = main(get("/boards/101?move=b2xa2%2Cb1"))
    assert panel(tried).one("h2").said == "Not played yet: B2xA2,B1"
    assert "b2xa2,b1,c2" in links_of(panel(tried))


def test_what_a_way_takes_is_said(empty: Club) -> None:
    sign_up(empty, "alice", "bob")
    put(empty, 101, "3x3", PAIR, ["a2", "c2", "b1"])
    ways = panel(main(asking(empty)("/boards/101?move=B2"))).one("ul", class_="ways").all("li")
    assert [way.said for way in ways] == [
        "b2xa2,b1 takes A2 alice 1 and B1 alice 1, showing 2",
        "b2xa2,c2 takes A2 alice 1 and C2 bob 1, showing 2",
        "b2xb1,c2 takes B1 alice 1 and C2 bob 1, showing 2",
        "b2xa2,b1,c2 takes A2 alice 1, B1 alice 1 and C2 bob 1, showing 3",
    ]


def test_the_mail_that_the_button_begins_plays_the_move(empty: Club) -> None:
    sign_up(empty, "alice", "bob")
    put(empty, 101, "3x3", PAIR, SHORT)
    get = asking(empty)
    tried = main(get("/boards/101?move=a3"))
    (href,) = (link for link in links_of(panel(tried)).values() if link.startswith("mailto:"))
    assert "It is alice's turn." in empty.post(BOB, unquote(href.partition("subject=")[2]))
    assert shows(get("/boards/101"), after("3x3", 2, [*SHORT, "a3"]))


@pytest.mark.parametrize(
    ("move", "said", "leads"),
    [
        ("b1", "B1 is taken", "/boards/101?move="),
        ("d9", "D9 is not on this board, which goes from A1 to C3", "/boards/101?move="),
        ("hello", "That can't be read as a move", "/boards/101?move="),
        ("pass", "You can't pass in cephalopod", "/boards/101?move="),
        ("c3#9", "That can't be read as a move", "/boards/101?move="),
        ("a3" + " " * 60, "Not played yet: A3", "mailto:"),
        ("a3" + "," * 60, "That can't be read as a move", "/boards/101?move="),
        (" A3 ", "Not played yet: A3", "mailto:"),
    ],
)
def test_a_move_that_does_not_go_is_explained(look: Get, move: str, said: str, leads: str) -> None:
    """As the refusal by mail does it, but with links to try what it proposes; the board is there as it was."""
    response = look(f"/boards/101?move={quote(move)}")
    assert response.status_code == 200
    page = main(response)
    assert said in panel(page).said
    assert any(href.startswith(leads) for href in links_of(panel(page)).values())
    if leads.startswith("/"):
        assert shows(response, after("3x3", 2, SHORT))
        for href in links_of(panel(page)).values():
            assert href.startswith("mailto:") or look(href).status_code == 200


def test_the_reason_is_that_of_the_mail(club: Club, get: Get) -> None:
    mailed = " ".join(club.post("bob@work.test", "move 101 a1").split())
    blocks = panel(main(get("/boards/101?move=a1"))).all("p")[:-1]
    assert blocks
    for block in blocks:
        assert block.said in mailed


@pytest.mark.parametrize(
    ("number", "query"), [(105, ""), (105, "?move=a1"), (101, "?ply=5"), (101, "?ply=3&move=a3")]
)
def test_only_who_is_to_move_now_can_try(look: Get, number: int, query: str) -> None:
    """Not on a board that is over, and not at a ply; whoever asks for a move there is told."""
    page = main(look(f"/boards/{number}{query}"))
    assert not cells(page)
    if query == "?move=a1":
        assert "The game on board 105 is over." in panel(page).said
    else:
        assert not page.all("section", **{"aria-labelledby": "turn"})


def test_nobody_clicks_for_a_robot(shelf: Club) -> None:
    seen = load_board(shelf, 101)
    assert seen is not None
    assert not seen.players.waits_for_robot
    for may_move in (True, False):
        page = board_page(seen, BoardPageQuery("/boards/101", move="a3", may_move=may_move), Frame(shelf.server))
        assert isinstance(page, BoardPage)
        assert (page.tried is not None) == may_move


def test_a_robot_is_known_as_one(empty: Club) -> None:
    play_robots(empty, NOON)
    sign_up(empty, "alice")
    put(empty, 101, "3x3", ("robot", "alice"), [])
    put(empty, 102, "3x3", ("alice", "robot"), [])
    get = asking(empty)
    for query in ("", "?move=a1"):
        page = main(get(f"/boards/101{query}"))
        assert not cells(page)
        assert not page.all("section", **{"aria-labelledby": "turn"})
    assert len(cells(main(get("/boards/102")))) == 9


def test_a_personal_page_keeps_its_path(shelf: Club) -> None:
    """Its links to squares, moves and plies; who may play there does so by a form, not by mail."""
    path, visitor = "/play/101/k123", Personal("bob")
    seen = load_board(shelf, 101)
    assert seen is not None
    for wish in (
        BoardPageQuery(path, may_move=True, personal=visitor),
        BoardPageQuery(path, move="a3", may_move=True, personal=visitor),
        BoardPageQuery(path, ply="2", personal=visitor),
    ):
        page = board_page(seen, wish, Frame(shelf.server))
        whole = parse(html(page, Frame(shelf.server)))
        links = [link.attributes["href"] for link in whole.all("a")]
        asked = [href for href in links if "?ply" in href or "?move" in href]
        assert asked
        assert all(href.startswith((f"{path}?", "?")) for href in asked if not href.startswith("/boards/101.svg"))
        assert not whole.all("link", rel="canonical")
        assert whole.one("meta", name="robots")
        assert not [href for href in links_of(whole).values() if "subject=move" in href]


@pytest.mark.parametrize("value", HOSTILE)
def test_hostile_queries_of_a_board(look: Get, value: str) -> None:
    plain = look("/boards/101").text
    for query in (f"ply={value}", f"move={value}", f"move={value}&ply=1", value, f"ply=1&ply={value}"):
        response = look(f"/boards/101?{query}")
        assert response.status_code in (200, 404)
        assert "set-cookie" not in response.headers
        page = parse(response.text)
        assert all(script.attributes["src"].startswith("/script.js?v=") for script in page.all("script"))
        assert not [each for each in page.all("input") if "onfocus" in each.attributes]
        assert len(response.text) < len(plain) + 3_000


# The same game in other forms


def test_the_record_is_that_of_the_mail(club: Club, get: Get) -> None:
    mailed = club.post("alice@home.test", "record 101")
    response = get("/boards/101/record.txt")
    assert response.headers["content-type"] == "text/plain; charset=utf-8"
    assert len(response.text) > 300
    begin, end = response.text.splitlines()[0], response.text.splitlines()[-1]
    assert mailed[mailed.index(begin) : mailed.index(end) + len(end)] == response.text.rstrip("\n")


def test_the_record_for_programs(look: Get) -> None:
    response = look("/boards/103/record.json")
    assert response.headers["content-type"] == "application/json"
    record = json.loads(response.content)
    jsonschema.validate(record, schema())
    assert [move["move"] for move in record["moves"]] == CROWDED


def test_the_record_in_the_format_of_its_game(tmp_path: Path) -> None:
    with opened(tmp_path) as house:
        sign_up(house, *PAIR)
        put_game(house, 101, "go", ["E5", "pass"], options={"size": "9"})
        put(house, 102, "3x3", PAIR, SHORT)
        look = asking(house)
        response = look("/boards/101/record.sgf")
        assert response.headers["content-type"] == "application/x-go-sgf"
        assert ";B[ee];W[]" in response.text
        assert 'href="/boards/101/record.sgf">Record as SGF</a>' in look("/boards/101").text
        assert "record.sgf" not in look("/boards/102").text
        assert look("/boards/101/record.pgn").status_code == look("/boards/102/record.sgf").status_code == 404


@pytest.mark.parametrize("form", ["record.txt", "record.json", "feed.atom"])
def test_no_board_has_no_record(look: Get, form: str) -> None:
    for number in ("999", "abc", "9" * 40):
        response = look(f"/boards/{number}/{form}")
        assert response.status_code == 404
        assert "There is no board" in main(response).said


def feed(response: httpx.Response) -> list[tuple[str, str, str]]:
    """Entries of a feed: id, title, link."""
    assert response.headers["content-type"] == "application/atom+xml; charset=utf-8"
    root = ElementTree.fromstring(response.content)
    return [
        (
            entry.findtext(f"{ATOM}id", ""),
            entry.findtext(f"{ATOM}title", ""),
            entry.find(f"{ATOM}link").attrib["href"],  # type: ignore[union-attr]
        )
        for entry in root.iter(f"{ATOM}entry")
    ]


def test_a_feed_grows_at_its_head(empty: Club) -> None:
    """What was there stays as it was, under the same name."""
    sign_up(empty, "alice", "bob")
    put(empty, 101, "3x3", PAIR, SHORT)
    get = asking(empty)
    before = feed(get("/boards/101/feed.atom"))
    assert before[0] == ("tag:club.test,2026-01-01:board-101/5", "Move 5: alice played C3", "/boards/101?ply=5")
    assert before[2][1] == "Move 3: alice played B1xA1,B2"
    empty.post(BOB, "move 101 a3", "\r\nA word for alice alone")
    empty.post(ALICE, "resign 101")
    response = get("/boards/101/feed.atom")
    assert feed(response)[2:] == before
    assert [title for _, title, _ in feed(response)[:2]] == ["alice resigned", "Move 6: bob played A3"]
    assert "A word" not in response.text
    assert "home.test" not in response.text


def test_a_feed_is_found_and_has_the_newest(look: Get) -> None:
    link = parse(look("/boards/102").text).one("link", rel="alternate", type="application/atom+xml")
    entries = feed(look(link.attributes["href"]))
    assert [title.partition(":")[0] for _, title, _ in entries] == [
        f"Move {ply}" for ply in range(len(LONG), len(LONG) - 50, -1)
    ]
    assert len({name for name, _, _ in entries}) == 50
    assert feed(look("/boards/104/feed.atom")) == []


def test_a_feed_has_whole_addresses_where_the_site_knows_its_own(tmp_path: Path) -> None:
    with opened(tmp_path) as house:
        sign_up(house, "alice", "bob")
        put(house, 101, "3x3", PAIR, SHORT)
        known = replace(house, server=replace(house.server, site_url="https://club.test/games"))
        assert feed(asking(known)("/boards/101/feed.atom"))[0][2] == "https://club.test/games/boards/101?ply=5"


def test_a_hostile_name_stays_text(empty: Club) -> None:
    evil = "<b/onclick=x>&\"'"
    sign_up(empty, evil, "bob")
    put(empty, 101, "3x3", (evil, "bob"), SHORT)
    get = asking(empty)
    assert feed(get("/boards/101/feed.atom"))[0][1] == f"Move 5: {evil} played C3"
    put(empty, 102, "3x3", (evil, "bob"), SHORT[:4])
    for path in ("101", "101?ply=3", "101?ply=1", "101?move=a3", "102?move=c3"):
        page = parse(get(f"/boards/{path}").text)
        assert not page.all("b")
        assert evil in page.one("main").text
    empty.post(BOB, "propose 101")
    assert not parse(get("/boards/101").text).all("b")
    empty.post(BOB, "resign 101")
    assert feed(get("/boards/101/feed.atom"))[0][1] == "bob resigned"
