"""Boards as pictures, asked for by browsers and by other sites."""

import struct
import threading
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass

import pytest

from pbmserv.commands.base.server import Server
from pbmserv.games import games
from pbmserv.matches.replay import GameState
from pbmserv.rendering.board import BoardView
from pbmserv.rendering.svg.pictures import view_at
from pbmserv.rendering.templates import render
from pbmserv.services.views import load_game_state
from pbmserv.web.layout import Preview, board_preview
from tests.rendering.picture.svg import every, parsed, seen_in, told_by
from tests.web.club import Club, Get, asking
from tests.web.tree import main, parse

PICTURES = ("/boards/101.svg", "/boards/101/movie.svg", "/boards/101.png")


def view(club: Club, number: int, ply: int | None = None) -> BoardView:
    """A board of the club for anybody."""
    board = load_game_state(club, number)
    assert board is not None
    return view_at(board, ply)


@pytest.mark.parametrize("number", [101, 102, 103, 104, 105])
def test_every_board_has_its_pictures(club: Club, get: Get, number: int) -> None:
    scene = view(club, number).diagram.scene
    still, movie, card = (get(path.replace("101", str(number))) for path in PICTURES)
    assert still.headers["content-type"] == movie.headers["content-type"] == "image/svg+xml"
    assert seen_in(parsed(still.text), scene) == told_by(scene)
    (film,) = every(parsed(movie.text), "g", "film")
    assert seen_in(film, scene, 0.999) == told_by(scene)
    assert card.headers["content-type"] == "image/png"
    assert struct.unpack(">II", card.content[16:24]) == (1200, 630)


@pytest.mark.parametrize("ply", range(6))
def test_an_earlier_moment(club: Club, get: Get, ply: int) -> None:
    scene = view(club, 101, ply).diagram.scene
    assert seen_in(parsed(get(f"/boards/101.svg?ply={ply}").text), scene) == told_by(scene)


@pytest.mark.parametrize("name", sorted(games()))
def test_what_a_game_looks_like(get: Get, name: str) -> None:
    """The same each time, with some pieces on the board."""
    answer = get(f"/games/{name}.svg")
    assert answer.headers["content-type"] == "image/svg+xml"
    assert every(parsed(answer.text), "use")
    assert get(f"/games/{name}.svg").text == answer.text
    assert get(f"/games/{name}x.svg").status_code == 404


def test_previews_differ_by_position(get: Get) -> None:
    cards = {get(f"/boards/101.png?ply={ply}").content for ply in range(6)}
    assert len(cards) == 6


@pytest.mark.parametrize("path", PICTURES)
def test_other_sites_may_show_them_and_they_may_do_nothing(get: Get, path: str) -> None:
    answer = get(path)
    assert answer.headers["cross-origin-resource-policy"] == "cross-origin"
    policy = answer.headers["content-security-policy"].split("; ")
    assert policy[:2] == ["default-src 'none'", "style-src 'unsafe-inline'"]
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["etag"] == get(path, "HEAD").headers["etag"]
    assert answer.headers["cache-control"] == "no-cache"


@pytest.mark.parametrize("name", ["boards/{}.svg", "boards/{}.png", "boards/{}/movie.svg"])
@pytest.mark.parametrize("number", ["999", "x", "10" * 9, "-1", "1" * 80])
def test_no_such_board(get: Get, name: str, number: str) -> None:
    answer = get(f"/{name.format(number)}")
    assert answer.status_code == 404
    assert answer.headers["content-type"].startswith("text/html")
    assert answer.headers["cross-origin-resource-policy"] == "same-origin"
    assert number[:40] in main(answer).said
    assert number[:41] not in main(answer).said or len(number) <= 40


@pytest.mark.parametrize("path", ["/boards/101.svg", "/boards/101.png"])
@pytest.mark.parametrize("ply", ["6", "-1", "x", "", "1" * 12])
def test_no_such_ply(get: Get, path: str, ply: str) -> None:
    assert get(f"{path}?ply={ply}").status_code == 404


def test_no_comment_and_no_address_is_in_them(get: Get) -> None:
    for path in PICTURES[:2]:
        assert "walrus" not in get(path).text
        assert "@" not in get(path).text.replace("@media", "")


@dataclass(frozen=True)
class Head:
    """The `<meta>` elements of a preview, by name."""

    told: dict[str, str]


def head(preview: Preview, server: Server) -> Head:
    """A preview as a page tells it."""
    metas = parse(render("web/preview.html", preview=preview, server=server)).all("meta")
    return Head(
        {
            meta.attributes.get("property") or meta.attributes["name"]: meta.attributes["content"] or ""
            for meta in metas
        }
    )


def test_a_preview_of_a_board(club: Club) -> None:
    told = head(
        board_preview(view(club, 101)), Server("pbm@club.test", variants=True, site_url="https://club.test/pbm")
    ).told
    assert told["og:title"] == "Cephalopod Board 101: alice vs bob"
    assert told["og:description"] == "It is bob's turn."
    assert told["og:url"] == "https://club.test/pbm/boards/101"
    assert told["og:image"] == "https://club.test/pbm/boards/101.png"
    assert (told["og:image:width"], told["og:image:height"]) == ("1200", "630")
    assert told["twitter:card"] == "summary_large_image"


def test_a_preview_of_an_earlier_moment(club: Club) -> None:
    told = head(
        board_preview(view(club, 101, 3)), Server("pbm@club.test", variants=True, site_url="https://club.test")
    ).told
    assert told["og:description"] == "The position after move 3."
    assert told["og:url"] == "https://club.test/boards/101?ply=3"
    assert told["og:image"] == "https://club.test/boards/101.png?ply=3"


def test_where_the_site_does_not_know_its_address(club: Club) -> None:
    """Nothing is told that nobody could follow."""
    told = head(board_preview(view(club, 101)), Server("pbm@club.test", variants=True)).told
    assert not {"og:url", "og:image"} & told.keys()
    assert told["twitter:card"] == "summary"


def test_who_asks_for_too_many_slow_pictures_is_sent_away(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    """Five are in line; then the sixth is told when to come again, while pages go on."""
    may_go_on = threading.Event()

    def slow(board: GameState, ply: int | None = None) -> bytes:
        assert may_go_on.wait(30)
        return b"drawn"

    monkeypatch.setattr("pbmserv.web.pictures.card_of", slow)
    get = asking(club)
    with ThreadPoolExecutor(6) as pool:
        asked = [pool.submit(get, "/boards/101.png") for _ in range(6)]
        try:
            done, others = wait(asked, 30, FIRST_COMPLETED)
            (refused,) = [each.result() for each in done]
            assert refused.status_code == 503
            assert refused.headers["retry-after"] == "2"
            assert get("/boards/101").status_code == 200
        finally:
            may_go_on.set()
        assert [each.result().content for each in others] == [b"drawn"] * 5
    assert get("/boards/101/movie.svg").status_code == 200


@pytest.mark.parametrize("name", list(games()))
def test_a_film_of_each_game(get: Get, name: str) -> None:
    """A whole game, or much of one, between robots; the same one each time, so that it can be cached."""
    answer = get(f"/games/{name}/movie.svg")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "image/svg+xml")
    assert answer.text.count("<animate") > 5
    assert len(answer.content) < 150_000
    assert get(f"/games/{name}/movie.svg").text == answer.text
    assert get(f"/games/{name}x/movie.svg").status_code == 404


def test_scores_stand_as_a_bar_over_the_board(get: Get) -> None:
    """Each side as wide as its share; no bar where the game has no scores, or nobody has any."""
    assert 'class="score-bar"' in get("/boards/101").text
    assert 'class="score-bar"' not in get("/boards/101?ply=0").text
