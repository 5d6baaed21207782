"""The pages of players, and the standings: the numbers that are mailed, and nothing that is nobody's business."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import quote

import pytest
from sqlalchemy import text

from pbmserv.matches.ratings import INACTIVE_AFTER
from pbmserv.rendering.svg.plot import BOTTOM, LEFT, RIGHT, TOP, Point, plot
from pbmserv.store import robots
from pbmserv.store.engine import writing
from pbmserv.web import players
from tests.web.club import NOON, Club, Get, asking, opened
from tests.web.tree import Element, main, parse

ALICE, BOB, CAROL = "alice@home.test", "bob@work.test", "carol@away.test"
RATING = re.compile(r"(?m)^ +(\w+): (\d+) \+/- (\d+), (\w+); (\d+) games?, (\d+) won$")
RESULT = re.compile(r"(?m)^ +(\d+)  (\S+)  cephalopod .*\n+ +(.+?), \d+ \+/- \d+ -> (\d+) \+/- \d+ \(([+-]\d+)\)$")
LINE = re.compile(r"(?m)^ +(\d*)  (\S+(?: \(robot\))?) +(\d+) \+/- (\d+) +(\d+) +(\d+)$")


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Club]:
    """Three players: alice has won, drawn and lost; an unrated game is over, two boards are being played."""
    with opened(tmp_path_factory.mktemp("people")) as club:
        club.post(ALICE, "signup alice sesame")
        club.post(BOB, "signup bob poppy")
        club.post(CAROL, "signup Carol linseed")
        for number, names in enumerate(("alice bob", "bob alice", "alice bob"), 101):
            club.post(ALICE, f"challenge {names} -size=3x3", "\r\nYou old walrus!")
            for userid in names.split():
                club.post({"alice": ALICE, "bob": BOB}[userid], f"{number} {'a1' if userid == 'alice' else 'c3'}")
        club.post(BOB, "101 resign")
        club.post(ALICE, "102 propose")
        club.post(BOB, "102 accept")
        club.post(ALICE, "103 resign")
        club.post(CAROL, "challenge Carol alice bob -size=3x3")
        for sender, move in ((CAROL, "a1"), (ALICE, "c3"), (BOB, "c1")):
            club.post(sender, f"104 {move}")
        club.post(CAROL, "104 resign")
        club.post(BOB, "104 resign")
        club.post(ALICE, "challenge alice Carol -size=3x3 --unrated")
        for sender, move in ((ALICE, "a1"), (CAROL, "c3")):
            club.post(sender, f"105 {move}")
        club.post(CAROL, "105 resign")
        club.post(BOB, "challenge bob alice -size=3x3")
        club.post(BOB, "challenge alice bob -forfeittime=5")
        with writing(club.engine) as connection:
            connection.execute(text("UPDATE clocks SET deadline_at = '2026-01-09 12:00:00' WHERE match = 107"))
        yield club


@pytest.fixture
def get(house: Club, monkeypatch: pytest.MonkeyPatch) -> Get:
    """Asks for a page on the day after."""
    monkeypatch.setattr(players, "utc_now", lambda: NOON + timedelta(days=1))
    return asking(house)


def rows(table: Element) -> list[list[str]]:
    """What stands in the lines of a table below its head."""
    return [[cell.said for cell in row.all("th") + row.all("td")] for row in table.all("tr")[1:]]


def number(said: str) -> str:
    """A number with the minus of a keyboard."""
    return said.replace("\N{MINUS SIGN}", "-")


# Players


@pytest.mark.parametrize("userid", ["alice", "bob", "Carol"])
def test_ratings_are_those_that_are_mailed(house: Club, get: Get, userid: str) -> None:
    (mailed,) = RATING.findall(house.post(ALICE, f"ratings {userid}"))
    rating = main(get(f"/players/{userid}")).one("section", class_="rating")
    assert rating.one("h3").said.lower() == mailed[0]
    assert rating.one("p", class_="points").said == f"{mailed[1]} give or take ± {mailed[2]}"
    games = f"{mailed[4]} {'game' if mailed[4] == '1' else 'games'}"
    assert rating.one("p", class_="aside").said == f"{mailed[3]}; {games}, {mailed[5]} won"


@pytest.mark.parametrize("userid", ["alice", "bob", "Carol"])
def test_results_are_those_that_are_mailed(house: Club, get: Get, userid: str) -> None:
    mailed = RESULT.findall(house.post(ALICE, f"history {userid}"))
    table = main(get(f"/players/{userid}")).one("table", class_="results")
    shown = [(row[0], row[1], row[3], row[-2], number(row[-1])) for row in rows(table)]
    assert shown == mailed
    assert len(shown) == (1 if userid == "Carol" else 4)


def test_whom_results_were_against(get: Get) -> None:
    table = main(get("/players/alice")).one("table", class_="results")
    assert [(row[0], row[2]) for row in rows(table)] == [
        ("104", "Carol, bob"),
        ("103", "bob"),
        ("102", "bob"),
        ("101", "bob"),
    ]
    assert [link.attributes["href"] for link in table.all("a")][:3] == [
        "/boards/104",
        "/players/Carol",
        "/players/bob",
    ]


def test_boards_on_which_a_player_is_to_move_come_first(get: Get) -> None:
    alice, bob = (main(get(f"/players/{userid}")).all("table")[0] for userid in ("alice", "bob"))
    assert [row[0] for row in rows(alice)] == ["107", "106"]
    assert [row[0] for row in rows(bob)] == ["106", "107"]
    assert [row[1:3] for row in rows(alice)] == [["bob", "Cephalopod"], ["bob", "Cephalopod -size=3x3"]]
    assert rows(alice)[0][3] == "alice until 2026-01-09 12:00 UTC"
    assert rows(alice)[1][3].startswith("bob since 2026-01-01 ")
    carol = main(get("/players/Carol"))
    assert [table.attributes["class"] for table in carol.all("table")] == ["theirs results cards"]
    assert "None at the moment." in carol.said


def test_who_has_played_nothing_yet(empty: Club) -> None:
    empty.post(ALICE, "signup alice sesame")
    page = main(asking(empty)("/players/alice"))
    assert "alice has not finished a game that counts yet. Ratings begin at 1500, give or take 400" in page.said
    assert not page.all("table")
    assert not page.all("svg")


def test_a_player_is_challenged_by_mail(get: Get) -> None:
    links = {link.said: link.attributes["href"] for link in main(get("/players/bob")).all("a", class_="send")}
    command = "cephalopod challenge YOU bob"
    assert links[command] == f"mailto:pbmserv@club.test?subject={quote(command)}"


def test_a_robot_says_that_it_is_one(empty: Club, get: Get) -> None:
    with writing(empty.engine) as connection:
        robots.add(connection, "greedy", ["robot"], NOON)
    page = main(asking(empty)("/players/robot"))
    assert page.one("h1").said == "robot robot"
    assert "takes whatever gains most at once" in page.one("p", class_="lead").said
    assert not main(get("/players/alice")).all("p", class_="lead")


@pytest.mark.parametrize("typed", ["ALICE", "aLice"])
def test_an_address_is_written_as_its_player_is(get: Get, typed: str) -> None:
    response = get(f"/players/{typed}")
    assert response.status_code == 308
    assert response.headers["location"] == "/players/alice"
    assert get("/players/carol").headers["location"] == "/players/Carol"


def test_who_is_not_there(get: Get) -> None:
    response = get("/players/alise")
    assert response.status_code == 404
    assert "Nobody here is called alise. Did you mean alice?" in main(response).said
    assert "/players/alice" in [link.attributes["href"] for link in main(response).all("a")]
    for typed in ("former%20player", "%3Cscript%3E", "x" * 5000, "%00", "1"):
        response = get(f"/players/{typed}")
        assert response.status_code == 404
        assert len(response.text) < 4_000


@pytest.mark.parametrize("userid", ["alice", "Carol"])
def test_player_pages_are_not_to_be_indexed(get: Get, userid: str) -> None:
    response = get(f"/players/{userid}")
    assert response.headers["x-robots-tag"] == "noindex"
    assert parse(response.text).one("meta", name="robots").attributes["content"] == "noindex"
    assert "x-robots-tag" not in get("/standings").headers


@pytest.mark.parametrize("path", ["/players/alice", "/players/bob", "/standings/cephalopod"])
def test_no_address_no_comment_no_foreign_style(get: Get, path: str) -> None:
    page = get(path).text
    assert set(re.findall(r"[\w.+-]+@[\w.-]+\w", page)) <= {"pbmserv@club.test"}
    assert "walrus" not in page
    assert not re.search(r"\s(style|on\w+)=", page)
    for table in parse(page).all("table"):
        assert table.one("caption").said
        assert all("scope" in head.attributes for head in table.all("th"))


# The plot


def places(path: Element) -> list[tuple[int, int]]:
    """The points of a path of straight lines."""
    return [(int(x), int(y)) for x, y in re.findall(r"[ML](\d+) (\d+)", path.attributes["d"])]


def scale(ticks: list[Element], value: str) -> tuple[float, float]:
    """What an axis says: its value at 0, and that of one unit; from the first and the last number at it."""
    (place, told), (last_place, last_told) = (
        (float(tick.attributes[value]), float(tick.text)) for tick in (ticks[0], ticks[-1])
    )
    unit = (last_told - told) / (last_place - place)
    return told - unit * place, unit


def test_the_plot_shows_every_rating_there_was(house: Club, get: Get) -> None:
    mailed = RESULT.findall(house.post(ALICE, "history alice"))[::-1]
    figure = main(get("/players/alice")).one("figure")
    values = [tick for tick in figure.all("text", class_="tick") if tick.attributes["text-anchor"] == "end"]
    begin, unit = scale(values, "y")
    course = places(figure.one("path", class_="course"))
    assert [begin + unit * y for _, y in course] == pytest.approx([int(each[3]) for each in mailed], abs=abs(unit))
    assert [x for x, _ in course] == sorted(x for x, _ in course)
    assert (course[0][0], course[-1][0]) == (LEFT, RIGHT)
    assert figure.one("text", class_="now").said == mailed[-1][3]
    said = figure.one("figcaption").said
    assert said.startswith(f"From {mailed[0][3]} on 2026-01-01 to {mailed[-1][3]} on 2026-01-01; highest ")
    assert f"highest {max(int(each[3]) for each in mailed)} on" in said
    assert f"lowest {min(int(each[3]) for each in mailed)} on" in said


def test_one_game_makes_no_plot(get: Get) -> None:
    assert not main(get("/players/Carol")).all("svg")


DAY = timedelta(days=1)


@pytest.mark.parametrize(
    ("length", "dates"),
    [
        (timedelta(), ["12:00"]),
        (timedelta(hours=20), ["12:00", "18:00", "2026-01-02", "06:00"]),
        (9 * DAY, ["2026-01-03", "2026-01-05", "2026-01-07", "2026-01-09"]),
        (100 * DAY, ["2026-02", "2026-03", "2026-04"]),
        (1000 * DAY, ["2027", "2028"]),
        (9000 * DAY, ["2030", "2040", "2050"]),
    ],
)
def test_dates_are_round_and_stand_where_they_belong(length: timedelta, dates: list[str]) -> None:
    points = [Point(NOON, 1500, 400), Point(NOON + length, 1510, 390)]
    figure = parse(plot(points))
    ticks = [tick for tick in figure.all("text", class_="tick") if tick.attributes["text-anchor"] == "middle"]
    assert [tick.said for tick in ticks] == dates
    if length >= DAY:
        moments = [datetime.fromisoformat((tick.said + "-01-01")[:10]).replace(tzinfo=UTC) for tick in ticks]
        wanted = [LEFT + (RIGHT - LEFT) * ((moment - NOON) / length) for moment in moments]
        assert [float(tick.attributes["x"]) for tick in ticks] == pytest.approx(wanted, abs=1)


def test_the_band_is_as_wide_as_little_is_known() -> None:
    figure = parse(plot([Point(NOON, 1500, 400), Point(NOON + DAY, 1700, 100)]))
    (_, top), (_, narrow), (_, wide), (_, bottom) = places(figure.one("path", class_="doubt"))
    assert {top, narrow, bottom} & {TOP, BOTTOM} == {TOP, BOTTOM}
    assert (bottom - top) == pytest.approx(4 * (wide - narrow), abs=4)


def test_a_long_course_has_no_dots() -> None:
    many = [Point(NOON + number * DAY, 1500 + number, 100) for number in range(300)]
    assert not parse(plot(many)).all("circle", class_="dot")
    assert len(parse(plot(many[:10])).all("circle", class_="dot")) == 9
    assert len(plot(many)) < 12_000


# Standings


def test_standings_are_those_that_are_mailed(house: Club, get: Get) -> None:
    mailed = LINE.findall(house.post(ALICE, "cephalopod standings"))
    page = main(get("/standings/cephalopod"))
    shown = [[cell.said for cell in row.all("td") + row.all("th")] for row in page.one("table").all("tr")[1:]]
    assert [(row[4], *row[1].split(" give or take ± "), row[2], row[3]) for row in shown] == [
        each[1:] for each in mailed
    ]
    assert len(mailed) == 3
    assert page.one("caption").said == "Provisional: too few games to be ranked (3 players)"
    assert page.one("a", **{"aria-current": "true"}).said == "Active"
    assert main(get("/standings")).said == page.said


@pytest.fixture(scope="module")
def crowd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Club]:
    """130 players by their strengths: 60 established, 60 provisional, 10 inactive; the second is a robot."""
    with opened(tmp_path_factory.mktemp("crowd")) as club:
        add_crowd(club)
        yield club


def add_crowd(club: Club) -> None:
    """Writes them where they would stand."""
    with writing(club.engine) as connection:
        for each in range(130):
            at = NOON - (INACTIVE_AFTER * 2 if each >= 120 else timedelta())
            values = {
                "id": each + 1,
                "userid": f"P{each:03}",
                "mu": 40 - each / 10,
                "sigma": 3 if each < 60 else 7,
                "at": at.strftime("%Y-%m-%d %H:%M:%S.%f"),
                "robot": "greedy" if each == 1 else None,
            }
            connection.execute(
                text(
                    "INSERT INTO players (id, userid, userid_lower, password_hash, created_at, robot)"
                    " VALUES (:id, :userid, lower(:userid), '-', '2026-01-01 12:00:00', :robot)"
                ),
                values,
            )
            connection.execute(
                text("INSERT INTO ratings VALUES ('cephalopod', :id, :mu, :sigma, 9, 4, :at)"),
                values,
            )


@pytest.fixture
def get_of_crowd(crowd: Club, monkeypatch: pytest.MonkeyPatch) -> Get:
    """Asks for a page of the many."""
    monkeypatch.setattr(players, "utc_now", lambda: NOON)
    return asking(crowd)


def listed(page: Element) -> list[tuple[str, str]]:
    """Place and player of each line."""
    return [
        (row.all("td")[0].said, row.one("th").said) for table in page.all("table") for row in table.all("tr")[1:]
    ]


def test_pages_of_fifty_go_on_where_the_last_one_ended(crowd: Club, get_of_crowd: Get) -> None:
    pages = [main(get_of_crowd(f"/standings/cephalopod?page={page}")) for page in (1, 2, 3)]
    lines = [line for page in pages for line in listed(page)]
    assert [len(listed(page)) for page in pages] == [50, 50, 20]
    names = [f"P{each:03}" for each in range(120)]
    names[1] = "P001 robot"
    assert [name for _, name in lines] == names
    assert [place for place, _ in lines] == [*map(str, range(1, 61)), *["–none"] * 60]
    assert [caption.said for caption in pages[1].all("caption")] == [
        "Established (60 players)",
        "Provisional: too few games to be ranked (60 players)",
    ]
    links = {
        link.attributes["rel"]: link.attributes["href"] for link in pages[1].one("nav", class_="pages").all("a")
    }
    assert links == {"prev": "/standings/cephalopod", "next": "/standings/cephalopod?page=3"}
    mailed = LINE.findall(crowd.post("ann@home.test", "cephalopod standings --page=2"))
    assert [each[1] for each in mailed] == names[50:100]


def test_the_inactive_and_everybody(get_of_crowd: Get) -> None:
    inactive = main(get_of_crowd("/standings/cephalopod?show=inactive"))
    assert [name for _, name in listed(inactive)] == [f"P{each:03}" for each in range(120, 130)]
    last = main(get_of_crowd("/standings/cephalopod?show=all&page=3"))
    assert [len(table.all("tr")) - 1 for table in last.all("table")] == [20, 10]
    active = main(get_of_crowd("/standings/cephalopod"))
    (link,) = [link for link in active.all("a") if "half a year" in link.said]
    assert link.said == "10 players have not finished a game for half a year"
    assert link.attributes["href"] == "/standings/cephalopod?show=inactive"


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("page=9", "There is no page 9. This is page 3."),
        ("page=0", "There is no page 0. This is page 1."),
        ("page=x", "There is no page x. This is page 1."),
        ("page=99999999999999999999", "This is page"),
        ("show=best", "The standings cannot show best. These are the active players."),
    ],
)
def test_what_cannot_be_is_said(get_of_crowd: Get, query: str, said: str) -> None:
    response = get_of_crowd(f"/standings/cephalopod?{query}")
    assert response.status_code == 200
    assert said in main(response).one("div", class_="notice").said
    assert listed(main(response))


def test_a_game_that_is_not_here(get: Get) -> None:
    response = get("/standings/chess")
    assert response.status_code == 404
    assert "There is no game chess here. You can choose from: " in main(response).said
    assert get("/standings/Cephalopod").status_code == 200


def test_nobody_is_rated_yet(tmp_path: Path) -> None:
    with opened(tmp_path) as house:
        assert "There is nobody to list here." in main(asking(house)("/standings")).said
