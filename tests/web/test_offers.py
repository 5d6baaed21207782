"""Open offers on the page of games: what is played, with whom, and a link that begins the mail."""

from tests.web.club import Club, asking
from tests.web.tree import main


def test_open_offers(empty: Club) -> None:
    """Each with the link that accepts it, for anybody who looks, and without an address."""
    get = asking(empty)
    assert "Open offers" not in get("/games").text
    for userid in ("alice", "bob", "carol"):
        empty.post(f"{userid}@home.test", f"signup {userid} sesame")
    empty.post("alice@home.test", "seek -size=3x5 --unrated -forfeittime=14")
    empty.post("bob@home.test", "seek -players=3 --last")
    empty.post("carol@home.test", "accept 2")
    page = get("/games")
    table = main(page).one("table")
    rows = [[cell.said for cell in (*row.all("th"), *row.all("td"))] for row in table.all("tr")[1:]]
    assert rows == [
        [
            "accept 1",
            "Cephalopod, 2 players, 3 by 5 squares, unrated, 14 days a turn",
            "alice",
            "alice",
            "2026-01-31",
        ],
        [
            "accept 2",
            "Cephalopod, 3 players, 5 by 5 squares, rated, 21 days a turn",
            "bob vs carol, 1 more needed",
            "the last player to accept",
            "2026-01-31",
        ],
    ]
    links = [link.attributes["href"] for link in table.all("a", class_="send")]
    assert links == [f"mailto:pbmserv@club.test?subject=accept%20{number}" for number in (1, 2)]
    assert "home.test" not in page.text


def test_offers_stand_where_somebody_looks_for_a_game(empty: Club) -> None:
    """With the games of that kind; not in a search for a player."""
    empty.post("alice@home.test", "signup alice sesame")
    empty.post("alice@home.test", "seek")
    get = asking(empty)
    assert "accept%201" in get("/games?game=cephalopod").text
    assert "accept%201" not in get("/games?player=alice").text
    empty.post("alice@home.test", "withdraw 1")
    assert "accept%201" not in get("/games").text


def test_the_first_page_shows_some_of_many_offers(empty: Club) -> None:
    """Five, how many there are, and the way to all."""
    for userid in ("alice", "bob"):
        empty.post(f"{userid}@home.test", f"signup {userid} sesame")
        for size in ("3x3", "3x5", "5x5"):
            empty.post(f"{userid}@home.test", f"seek -size={size}")
    get = asking(empty)
    first = main(get("/"))
    assert len(first.one("table").all("a", class_="send")) == 5
    assert first.one("caption").said == "6 open offers, of which 5 are shown"
    (way,) = [link.attributes["href"] for link in first.all("a") if link.said == "All open offers"]
    assert way == "/games#offers"
    offers = main(get("/games"))
    assert offers.one("h2", id="offers").said == "Open offers"
    assert len(offers.one("table").all("a", class_="send")) == 6
