"""What the pages show of a player who is forgotten: the moves and the results, under another name."""

import pytest

from pbmserv.commands.changes import Erased
from pbmserv.store import accounts, players
from pbmserv.store.engine import writing
from tests.web.club import NOON, Club, asking
from tests.web.tree import parse


@pytest.mark.parametrize("path", ["/games?status=all", "/boards/101"])
def test_a_former_player_has_boards_but_no_page(empty: Club, path: str) -> None:
    """The name stands there and leads nowhere; whoever is still there is a link."""
    alice, bob = "alice@home.test", "bob@work.test"
    empty.post(alice, "signup alice sesame")
    empty.post(bob, "signup bob poppy")
    empty.post(alice, "challenge alice bob -size=3x3")
    empty.post(alice, "101 b2")
    get = asking(empty)
    assert "alice" in [link.said for link in parse(get(path).text).all("a", class_="player")]
    with writing(empty.engine) as connection:
        player = players.find(connection, "alice")
        assert player is not None
        accounts.write_account_change(connection, Erased(player.id), NOON)
    page = parse(get(path).text)
    assert "alice" not in get(path).text
    assert "former player vs bob" in page.one("main").said
    assert {link.said for link in page.all("a", class_="player")} == {"bob"}


def test_results_against_a_former_player_stay_and_lead_nowhere(empty: Club) -> None:
    alice, bob = "alice@home.test", "bob@work.test"
    empty.post(alice, "signup alice sesame")
    empty.post(bob, "signup bob poppy")
    empty.post(alice, "challenge alice bob -size=3x3")
    for sender, answer in ((alice, "b2"), (bob, "a1"), (alice, "resign")):
        empty.post(sender, f"101 {answer}")
    get = asking(empty)
    assert get("/players/alice").status_code == 200
    with writing(empty.engine) as connection:
        player = players.find(connection, "alice")
        assert player is not None
        accounts.write_account_change(connection, Erased(player.id), NOON)
    (results,) = parse(get("/players/bob").text).all("table", class_="results")
    assert "former player" in results.said
    assert not results.all("a", class_="player")
    standings = parse(get("/standings/cephalopod?size=3x3&show=all").text)
    assert [link.said for link in standings.all("a", class_="player")] == ["bob"]
    assert "(1 player)" in standings.one("caption").said
    for gone in ("alice", "former%20player", "former%201"):
        assert get(f"/players/{gone}").status_code == 404
