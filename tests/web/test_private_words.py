"""What players write to each other is on no page."""

from pathlib import Path

from tests.web.club import asking, opened

WORDS = "plugh in the maze"
PAGES = (
    "/",
    "/games",
    "/games?player=alice",
    "/players/alice",
    "/standings",
    "/boards/101",
    "/help",
    "/help/message",
)


def test_words_of_players_are_on_no_page(tmp_path: Path) -> None:
    """Neither comments and chat, nor messages and what is written to all; nor who watches what."""
    with opened(tmp_path) as club:
        alice, bob, carol = "alice@home.test", "bob@work.test", "carol@away.test"
        for address, userid in ((alice, "alice"), (bob, "bob"), (carol, "carol")):
            club.post(address, f"signup {userid} sesame")
        club.post(alice, "challenge alice bob -size=3x3", f"\r\n{WORDS}")
        club.post(bob, "set broadcast on")
        club.post(carol, "subscribe 101")
        club.post(alice, "move 101 b2", f"\r\n{WORDS}")
        club.post(bob, "chat 101", f"\r\n{WORDS}")
        club.post(alice, "message bob", f"\r\n{WORDS}")
        club.post(alice, "broadcast", f"\r\n{WORDS}")
        get = asking(club)
        pages = {path: get(path) for path in PAGES}
    assert {page.status_code for page in pages.values()} == {200}
    assert "B2" in pages["/boards/101"].text
    assert not [path for path, page in pages.items() if WORDS in page.text]
    assert "carol" not in pages["/boards/101"].text
