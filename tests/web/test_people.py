"""The pages of players, and the standings: the numbers that are mailed, and nothing that is nobody's business."""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import quote

import pytest
from sqlalchemy import text

from pbmserv.matches.log import Entry, EntryKind
from pbmserv.matches.ratings import INACTIVE_AFTER
from pbmserv.rendering.svg.plot import BOTTOM, LEFT, RIGHT, TOP, Point, plot
from pbmserv.robots.levels import RUNGS
from pbmserv.robots.search import uct
from pbmserv.store import rankings, robots
from pbmserv.store.engine import writing
from pbmserv.web import players
from tests.store.club import keep, new_match
from tests.web.club import NOON, Club, Get, asking, opened
from tests.web.tree import Element, main, parse

ALICE, BOB, CAROL = "alice@home.test", "bob@work.test", "carol@away.test"
RATING = re.compile(r"(?m)^ +(Cephalopod): (\d+) \+/- (\d+); (\d+) games?, (\d+) won$")
UNKNOWN = re.compile(r"(?m)^ +([\w ]+): (not established yet); (\d+) games?, (\d+) won$")
NONE = "\N{EN DASH}not established yet"
RESULT = re.compile(r"(?m)^ +(\d+)  (\S+)  Cephalopod .*\n+ +(.+?), \d+ \+/- \d+ -> (\d+) \+/- \d+ \(([+-]\d+)\)$")
LINE = re.compile(r"(?m)^ +(\d*)  (\S+(?: \(robot\))?) +(?:(\d+) \+/- (\d+))? +(\d+) +(\d+)$")
NO_PLACE = "\N{EN DASH}none"
MATCHES = 14
"""After so many, alice and bob have established ratings."""


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


def a_game(loser: int) -> tuple[tuple[EntryKind, int, str], ...]:
    """The log of a short game, by kind, seat and move."""
    return ("played", 0, "A1"), ("played", 1, "C3"), ("resigned", loser, "")


@pytest.fixture(scope="module")
def regulars(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Club]:
    """Alice and bob have played many games on the usual board, a day each; Carol has played one with bob."""
    with opened(tmp_path_factory.mktemp("regulars")) as club:
        for address, line in ((ALICE, "alice sesame"), (BOB, "bob poppy"), (CAROL, "Carol linseed")):
            club.post(address, f"signup {line}")
        with writing(club.engine) as connection:
            for number in range(101, 102 + MATCHES):
                userids = ("bob", "alice" if number < 101 + MATCHES else "Carol")
                start = NOON + timedelta(days=number - 130)
                match = replace(new_match(number, *userids, started=start), options=())
                entries = (
                    Entry(number, seq, start + timedelta(minutes=seq), kind, seat, move)
                    for seq, (kind, seat, move) in enumerate(a_game(number % 3 % 2), 1)
                )
                keep(connection, match, tuple(entries))
        yield club


@pytest.fixture
def get_of_regulars(regulars: Club, monkeypatch: pytest.MonkeyPatch) -> Get:
    """Asks for a page of these."""
    monkeypatch.setattr(players, "utc_now", lambda: NOON + timedelta(days=1))
    return asking(regulars)


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


@pytest.mark.parametrize("userid", ["alice", "bob"])
def test_ratings_are_those_that_are_mailed(regulars: Club, get_of_regulars: Get, userid: str) -> None:
    (mailed,) = RATING.findall(regulars.post(ALICE, f"ratings {userid}"))
    rating = main(get_of_regulars(f"/players/{userid}")).one("section", class_="rating")
    assert rating.one("h3").said == mailed[0]
    assert rating.one("a").attributes["href"] == "/standings/cephalopod"
    assert rating.one("p", class_="points").said == f"{mailed[1]} give or take ± {mailed[2]}"
    assert rating.one("p", class_="aside").said == f"{mailed[3]} games, {mailed[4]} won"


@pytest.mark.parametrize("userid", ["alice", "bob", "Carol"])
def test_what_is_not_established_has_no_number(house: Club, get: Get, userid: str) -> None:
    """Neither in a mail nor on a page: not the rating, nor what single matches did to it."""
    letter = house.post(ALICE, f"ratings {userid}")
    (mailed,) = UNKNOWN.findall(letter)
    page = main(get(f"/players/{userid}"))
    rating = page.one("section", class_="rating")
    assert rating.one("h3").said == mailed[0] == "Cephalopod variant 3x3"
    assert rating.one("a").attributes["href"] == "/standings/cephalopod?size=3x3"
    games = f"{mailed[2]} {'game' if mailed[2] == '1' else 'games'}"
    assert rating.one("p", class_="aside").said == f"{mailed[1]}; {games}, {mailed[3]} won"
    assert not rating.all("p", class_="points") + page.all("svg")
    results = rows(page.one("table", class_="results"))
    assert [row[-2:] for row in results] == [[NONE, NONE]] * int(mailed[2])
    assert "+/-" not in letter + house.post(ALICE, f"history {userid}")


@pytest.mark.parametrize("userid", ["alice", "bob"])
def test_results_are_those_that_are_mailed(regulars: Club, get_of_regulars: Get, userid: str) -> None:
    """Of matches that were rated with an established rating before and after."""
    mailed = RESULT.findall(regulars.post(ALICE, f"history {userid}"))
    table = main(get_of_regulars(f"/players/{userid}")).one("table", class_="results")
    shown = [(row[0], row[1], row[3], row[-2], number(row[-1])) for row in rows(table)]
    assert [each for each in shown if NONE not in each] == mailed
    assert [NONE in each for each in shown] == sorted(NONE in each for each in shown)
    assert len(mailed) > 1


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
    assert [row[1:3] for row in rows(alice)] == [
        ["bob", "Cephalopod rated, 5 days a turn"],
        ["bob", "Cephalopod variant 3 by 3 squares"],
    ]
    assert rows(alice)[0][3] == "alice until 2026-01-09 12:00 UTC"
    assert rows(alice)[1][3].startswith("bob since 2026-01-01 ")
    carol = main(get("/players/Carol"))
    assert [table.attributes["class"] for table in carol.all("table")] == ["theirs results cards"]
    assert "None at the moment." in carol.said


def test_who_has_played_nothing_yet(empty: Club) -> None:
    empty.post(ALICE, "signup alice sesame")
    page = main(asking(empty)("/players/alice"))
    assert "alice has not finished a game that counts yet. See how ratings work." in page.said
    assert not page.all("table")
    assert not page.all("svg")


def test_a_player_is_challenged_by_mail(get: Get) -> None:
    links = {link.said: link.attributes["href"] for link in main(get("/players/bob")).all("a", class_="send")}
    command = "cephalopod challenge YOU bob"
    assert links[command] == f"mailto:pbmserv@club.test?subject={quote(command)}"


def test_a_robot_says_that_it_is_one(empty: Club, get: Get) -> None:
    with writing(empty.engine) as connection:
        robots.add(connection, "fitting", ["robot"], NOON)
    page = main(asking(empty)("/players/robot"))
    assert page.one("h1").said == "robot robot"
    assert "it is as strong as suits you, by your games so far" in page.one("p", class_="lead").said
    assert page.one("p", class_="lead").one("a").attributes["href"] == "/help/robots"
    assert not main(get("/players/alice")).all("p", class_="lead")


def test_a_robot_is_challenged_in_what_it_plays(empty: Club) -> None:
    """With its strength, where that was measured."""
    knowing = SimpleNamespace(think=uct.think, knows=lambda position: True)
    with writing(empty.engine) as connection:
        for rung in ("casual", "club"):
            robots.add(connection, rung, [f"robot.{rung}"], NOON)

    def asks(rung: str) -> list[str]:
        page = main(asking(empty)(f"/players/robot.{rung}"))
        return [link.said.partition(" ")[0] for link in page.one("p", class_="asks").all("a")]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pbmserv.robots.levels._knowing", lambda: {"cephalopod": knowing})
        assert asks("casual") == ["cephalopod"]
        assert asks("club")[:2] == ["cephalopod", "amazons"]
        ladder = dict.fromkeys(RUNGS, (10, 0.0, 1240))
        patch.setattr("pbmserv.robots.levels._WITH_KNOWLEDGE", ladder)
        page = main(asking(empty)("/players/robot.casual"))
        assert "In Cephalopod its strength is 1240." in page.one("p", class_="lead").said
        patch.setattr("pbmserv.robots.levels._knowing", dict)
        assert not main(asking(empty)("/players/robot.casual")).all("p", class_="asks")


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


def test_the_plot_shows_every_established_rating(regulars: Club, get_of_regulars: Get) -> None:
    letter = regulars.post(ALICE, "history alice")
    mailed = [*re.findall(r"(\d+-\d+-\d+)  Cephalopod .*\n+ .*, (?:.* -> )?(\d+) \+/- \d+", letter)][::-1]
    figure = main(get_of_regulars("/players/alice")).one("figure")
    values = [tick for tick in figure.all("text", class_="tick") if tick.attributes["text-anchor"] == "end"]
    begin, unit = scale(values, "y")
    course = places(figure.one("path", class_="course"))
    assert [begin + unit * y for _, y in course] == pytest.approx([int(each[1]) for each in mailed], abs=abs(unit))
    assert [x for x, _ in course] == sorted(x for x, _ in course)
    assert (course[0][0], course[-1][0]) == (LEFT, RIGHT)
    assert figure.one("text", class_="now").said == mailed[-1][1]
    said = figure.one("figcaption").said
    (began, first), (ended, last) = mailed[0], mailed[-1]
    assert said.startswith(f"In the last {len(mailed)} games from {first} on {began} to {last} on {ended}; ")
    assert f"highest {max(int(each[1]) for each in mailed)} on" in said
    assert f"lowest {min(int(each[1]) for each in mailed)} on" in said
    assert 1 < len(mailed) < MATCHES


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
    mailed = LINE.findall(house.post(ALICE, "cephalopod standings -size=3x3"))
    page = main(get("/standings/cephalopod?size=3x3"))
    shown = [[cell.said for cell in row.all("td") + row.all("th")] for row in page.one("table").all("tr")[1:]]
    assert [(row[0], row[4], row[1], row[2], row[3]) for row in shown] == [
        (NO_PLACE, userid, NONE, counted, won) for _, userid, _, _, counted, won in mailed
    ]
    assert len(mailed) == 3
    assert page.one("caption").said == "Not established yet (3 players)"
    assert page.one("p", class_="headcount").said == (
        "Nobody has an established rating yet, and 3 are on the way to one."
    )
    assert page.one("h1").said == "Standings of Cephalopod variant 3x3"


def test_established_ratings_come_first(regulars: Club, get_of_regulars: Get) -> None:
    mailed = LINE.findall(regulars.post(ALICE, "cephalopod standings"))
    page = main(get_of_regulars("/standings/cephalopod"))
    shown = [
        [cell.said for cell in row.all("td") + row.all("th")]
        for table in page.all("table")
        for row in table.all("tr")[1:]
    ]
    assert [(row[0], row[4], *row[1].split(" give or take ± "), row[2], row[3]) for row in shown[:2]] == mailed[:2]
    assert [row[0] for row in shown] == ["1", "2", NO_PLACE]
    assert (shown[2][4], shown[2][1]) == ("Carol", NONE)
    assert [caption.said for caption in page.all("caption")] == [
        "Established (2 players)",
        "Not established yet (1 player)",
    ]
    assert "2 players have an established rating, and 1 is on the way to one." in page.said
    current = page.all("a", **{"aria-current": "true"})
    assert [link.said for link in current] == ["Active"]
    assert main(get_of_regulars("/standings")).said == page.said


def test_sizes_with_ratings_can_be_chosen(get: Get) -> None:
    """The one that is shown is among them, whether anybody has played it or not."""
    plain, small = main(get("/standings/cephalopod")), main(get("/standings/cephalopod?size=3X3&show=all"))
    for page, current, query in ((plain, "Cephalopod", ""), (small, "Cephalopod variant 3x3", "show=all")):
        links = page.one("nav", **{"aria-label": "Sizes"}).all("a")
        assert [link.said for link in links] == ["Cephalopod", "Cephalopod variant 3x3"]
        assert [link.said for link in links if "aria-current" in link.attributes] == [current]
        assert [link.attributes["href"] for link in links] == [
            f"/standings/cephalopod{'?' if query else ''}{query}",
            f"/standings/cephalopod?size=3x3{'&' if query else ''}{query}",
        ]
    assert "There is nobody to list here." in plain.said
    response = get("/standings/cephalopod?size=4x4")
    assert "There are no standings for size 4x4. These are those of Cephalopod." in main(response).said


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
                "robot": "fitting" if each == 1 else None,
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
        rankings.renew_counts(connection, "cephalopod")


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
    assert [place for place, _ in lines] == [*map(str, range(1, 61)), *[NO_PLACE] * 60]
    assert [caption.said for caption in pages[1].all("caption")] == [
        "Established (60 players)",
        "Not established yet (60 players)",
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
    response = get("/standings/ludo")
    assert response.status_code == 404
    assert "There is no game ludo here. You can choose from: " in main(response).said
    assert get("/standings/Cephalopod").status_code == 200


def test_nobody_is_rated_yet(tmp_path: Path) -> None:
    with opened(tmp_path) as house:
        assert "There is nobody to list here." in main(asking(house)("/standings")).said
