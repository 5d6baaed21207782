"""Boards as pictures, asked for by browsers and by other sites."""

import random
import struct
import threading
from collections import Counter
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any

import pytest

from pbmserv.commands.server import Server
from pbmserv.games import games
from pbmserv.matches.replay import GameState
from pbmserv.rendering.board import BoardView
from pbmserv.rendering.svg.pictures import film_of, view_at
from pbmserv.rendering.templates import render
from pbmserv.services.views import load_game_state
from pbmserv.web import pictures
from pbmserv.web.kept import MOST_BYTES, MOST_IN_LINE, Kept, NoTurn, Pencil
from pbmserv.web.layout import Preview, board_preview
from pbmserv.web.site import Site
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
    """Two of a visitor are in line; then the third learns when to come again, while pages and others go on."""
    may_go_on = threading.Event()

    def slow(board: GameState) -> str:
        assert may_go_on.wait(30)
        return "drawn"

    monkeypatch.setattr("pbmserv.web.pictures.movie_of", slow)
    site = Site(club)
    get, other = asking(site), asking(site, "192.0.2.2")
    with ThreadPoolExecutor(6) as pool:
        asked = [pool.submit(get, f"/boards/{number}/movie.svg") for number in (101, 102, 103)]
        try:
            done, others = wait(asked, 30, FIRST_COMPLETED)
            (refused,) = [each.result() for each in done]
            assert (refused.status_code, refused.headers["retry-after"]) == (429, "2")
            assert "You have asked for very many pictures at once." in main(refused).said
            assert get("/boards/101").status_code == get("/boards/101.svg").status_code == 200
            waiting = pool.submit(other, "/boards/101.png")
        finally:
            may_go_on.set()
        assert [each.result().content for each in others] == [b"drawn"] * 2
        assert waiting.result().status_code == 200


def test_a_full_line_is_not_a_visitors_fault() -> None:
    pencil, may_go_on = Pencil(), threading.Event()

    def draw(visitor: str) -> None:
        with pencil.turn(visitor):
            assert may_go_on.wait(30)

    with ThreadPoolExecutor(MOST_IN_LINE + 1) as pool:
        drawn = [pool.submit(draw, str(number)) for number in range(MOST_IN_LINE + 1)]
        done, _ = wait(drawn, 30, FIRST_COMPLETED)
        may_go_on.set()
        (error,) = [each.exception() for each in done]
    assert isinstance(error, NoTurn)
    assert not error.is_visitors


def test_a_visitor_has_a_share_of_the_drawing() -> None:
    """Who has had eight seconds waits, ten times as long as is drawn for them; nobody else does."""
    now, work = [0.0], [0.0]
    pencil = Pencil(lambda: now[0], lambda: work[0])

    def draw(visitor: str, seconds: float) -> None:
        with pencil.turn(visitor):
            work[0] += seconds

    for _ in range(5):
        draw("192.0.2.1", 1.8)
    with pytest.raises(NoTurn) as refused:
        draw("192.0.2.1", 1.8)
    assert (refused.value.is_visitors, refused.value.again_in) == (True, 11)
    draw("192.0.2.2", 1.8)
    now[0] += refused.value.again_in
    draw("192.0.2.1", 1.8)
    with pytest.raises(NoTurn):
        draw("192.0.2.1", 1.8)
    now[0] += 1000
    for _ in range(5):
        draw("192.0.2.1", 1.8)


PATHS = ("/games/go/movie.svg", "/games/go.svg", *PICTURES, "/boards/101.svg?ply=2", "/boards/101.png?ply=2")


@pytest.mark.parametrize("path", PATHS)
def test_each_is_made_once_until_something_changes(club: Club, monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    """Anybody asks, as often as they like; a film is the same whatever ply is asked for."""
    made = Counter[str]()
    for name in ("film_of", "sample_of", "picture_of", "card_of", "movie_of"):
        draw = getattr(pictures, name)

        def counting(*arguments: Any, draw: Any = draw) -> Any:
            made[draw.__name__] += 1
            return draw(*arguments)

        monkeypatch.setattr(pictures, name, counting)
    site = Site(club)
    first = asking(site)(path)
    for host in ("192.0.2.1", "192.0.2.2"):
        again = asking(site, host)(path)
        assert (again.status_code, again.content, again.headers["etag"]) == (
            200,
            first.content,
            first.headers["etag"],
        )
    assert made.total() == 1
    assert asking(site)(path, "GET", {"If-None-Match": first.headers["etag"]}).status_code == 304
    assert asking(site)(path, "GET", {"Accept-Encoding": "identity"}).content == first.content
    if path == "/boards/101/movie.svg":
        asking(site)(f"{path}?ply=3")
        assert made.total() == 1


@pytest.mark.parametrize("path", PICTURES)
def test_a_move_changes_each(empty: Club, path: str) -> None:
    """A picture, a film and a card are of the board as it stands, or as it stood at a ply that is there still."""
    empty.post("ann@home.test", "signup ann sesame")
    empty.post("ben@home.test", "signup ben poppy")
    empty.post("ann@home.test", "challenge ann ben")
    get, seen = asking(empty), set()
    for sender, line in (
        ("ann", "move 101 c3"),
        ("ben", "move 101 c4"),
        ("ann", "move 101 d3"),
        ("ben", "resign 101"),
    ):
        empty.post(f"{sender}@home.test", line)
        seen.add(get(path).content)
    assert len(seen) == 4


@pytest.mark.slow
def test_all_films_of_games_are_kept() -> None:
    """With room for ten times as many; and what is kept stays within its bound."""
    kept = Kept()
    films = {name: kept.find_or_make(name, lambda: film_of(name)) for name in ("go", "connect6")}  # noqa: B023
    assert max(len(film.body) for film in films.values()) * len(games()) < MOST_BYTES / 10
    small = Kept(1000)
    for number in range(100):
        small.find_or_make(number, lambda: random.Random(number).randbytes(300))  # noqa: B023
    assert [number for number in range(100) if small.find(number)] == [97, 98, 99]


@pytest.mark.sampled(4)
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
