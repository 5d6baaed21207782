"""What is not there, what goes wrong, what is kept by browsers, and the part that serves it all."""

import http.client
import shutil
import socket
import threading
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from sqlalchemy import text

from pbmserv.rendering.templates import templates_folder
from pbmserv.store.engine import writing
from pbmserv.web.layout import asset
from pbmserv.web.server import WebPart
from pbmserv.web.site import Site
from tests.web.club import Club, Get, asking
from tests.web.tree import main, parse

MISSING = ("/nothing", "/boards/999", "/help/nothing")


def test_what_is_not_there_is_helpful(get: Get) -> None:
    assert "There is no board 999." in main(get("/boards/999")).said
    for word in ("abc", "-101", "9999999999999999999", "\u0661\u0660\u0661", "\u00b2"):
        assert f"There is no board {word}." in main(get(f"/boards/{word}")).said
    links = [link.attributes["href"] for link in main(get("/help/mvoe")).all("a")]
    assert links[0] == "/help/move"
    for path in MISSING:
        links = [link.attributes["href"] for link in main(get(path)).all("a")]
        assert {"/", "/games", "/help"} <= set(links)


@pytest.mark.parametrize(
    "path", ["/docs", "/redoc", "/openapi.json", "/style.css/x", "/boards", "/boards/1/2", "http://club.test//"]
)
def test_nothing_else_is_there(get: Get, path: str) -> None:
    assert get(path).status_code == 404


@pytest.mark.parametrize(
    ("path", "target"),
    [
        ("/games/", "/games"),
        ("/boards/101/", "/boards/101"),
        ("//evil.test/", "/evil.test"),
        ("/%5Cevil.test/", "/%5Cevil.test"),
        ("/%0d%0aSet-Cookie:%20a=b/", "/%0D%0ASet-Cookie%3A%20a%3Db"),
    ],
)
def test_a_slash_too_many_is_forgiven_and_leads_nowhere_else(get: Get, path: str, target: str) -> None:
    response = get(f"http://club.test{path}")
    assert response.status_code == 308
    assert response.headers["location"] == target


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "TRACE"])
def test_pages_are_for_looking(get: Get, method: str) -> None:
    response = get("/games", method)
    assert response.status_code == 405
    assert set(response.headers["allow"].split(", ")) == {"GET", "HEAD"}
    assert "content-security-policy" in response.headers
    assert main(response).one("h1").said == "These pages are read-only"


def test_a_fault_tells_nothing(get: Get, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: object) -> None:
        raise ValueError("sesame")

    monkeypatch.setattr("pbmserv.web.boards.load_board", broken)
    response = get("/boards/101")
    assert response.status_code == 500
    assert "content-security-policy" in response.headers
    assert main(response).one("h1").said == "Our fault"
    for secret in ("sesame", "ValueError", "Traceback", "see_board"):
        assert secret not in response.text


def test_a_database_that_is_away_is_said_so(empty: Club, caplog: pytest.LogCaptureFixture) -> None:
    get = asking(empty)
    with writing(empty.engine) as connection:
        connection.execute(text("ALTER TABLE matches RENAME TO elsewhere"))
    response = get("/games")
    assert response.status_code == 503
    assert response.headers["retry-after"] == "10"
    assert "content-security-policy" in response.headers
    assert "elsewhere" not in response.text
    assert "SELECT" not in response.text
    assert get("/help").status_code == 200
    assert 'the database is away part=web error="no such table: matches"' in caplog.text


def test_an_empty_house_invites(empty: Club) -> None:
    get = asking(empty)
    assert (
        main(get("/games")).one("p", class_="none").said == "There is no board being played. Look at all boards."
    )
    assert main(get("/games?status=all")).one("p", class_="none").said == "There is no board."


# What browsers have already


@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/games",
        "/games.atom",
        "/games.json",
        "/boards/104",
        "/boards/104?ply=1",
        "/boards/104.svg",
        "/boards/104.png",
        "/boards/104/movie.svg",
        "/boards/104/record.txt",
        "/boards/104/feed.atom",
        "/players/alice",
        "/standings",
        "/help/move",
    ],
)
def test_whoever_has_the_same_already_is_told_so(get: Get, path: str, method: str) -> None:
    tag = get(path).headers["etag"]
    for told in (tag, f'"another", {tag}'):
        same = get(path, method, {"If-None-Match": told})
        assert (same.status_code, same.content, same.headers["etag"]) == (304, b"", tag)
        assert "content-security-policy" in same.headers
    assert get(path, method, {"If-None-Match": '"another"'}).status_code == 200


def test_what_has_changed_has_another_tag(empty: Club) -> None:
    get = asking(empty)
    before = get("/games.json").headers["etag"]
    for userid in ("alice", "bob"):
        empty.post(f"{userid}@home.test", f"signup {userid} sesame")
    empty.post("alice@home.test", "challenge alice bob")
    assert get("/games.json", headers={"If-None-Match": before}).status_code == 200


def test_what_is_not_there_has_no_tag(get: Get) -> None:
    assert "etag" not in get("/boards/999").headers


def test_texts_are_sent_compressed_to_whoever_reads_that(get: Get) -> None:
    """The tag is weak: it is of what is said, however that is sent."""
    plain = get("/help/tutorial", headers={"Accept-Encoding": "identity"})
    small = get("/help/tutorial", headers={"Accept-Encoding": "gzip"})
    assert "content-encoding" not in plain.headers
    assert small.headers["content-encoding"] == "gzip"
    assert small.headers["vary"] == "Accept-Encoding"
    assert int(small.headers["content-length"]) < len(plain.content) / 2
    assert (small.text, small.headers["etag"]) == (plain.text, plain.headers["etag"])
    assert plain.headers["etag"].startswith('W/"')


# Assets


def test_assets_may_be_kept_for_ever_since_their_address_changes(get: Get) -> None:
    page = parse(get("/").text)
    style, icon = (page.one("link", rel=rel).attributes["href"] for rel in ("stylesheet", "icon"))
    for link, name, kind in ((style, "style.css", "text/css"), (icon, "icon.svg", "image/svg+xml")):
        response = get(link)
        assert link.startswith(f"/{name}?v=")
        assert response.status_code == 200
        assert response.headers["content-type"].startswith(kind)
        assert "immutable" in response.headers["cache-control"]
    assert get("/").headers["cache-control"] == "no-cache"


def test_another_content_is_another_version(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    version = asset("style.css").version
    shutil.copytree(templates_folder(), tmp_path / "templates")
    (tmp_path / "templates" / "assets" / "style" / "pages.css").write_text("body { color: red }")
    asset.cache_clear()
    monkeypatch.setattr("pbmserv.web.layout.templates_folder", lambda: tmp_path / "templates")
    changed = asset("style.css").version
    asset.cache_clear()
    assert changed != version


# The part that serves


def test_the_part_serves_and_stops(club: Club) -> None:
    part, stop = WebPart(Site(club), "127.0.0.1", 0), threading.Event()
    thread = threading.Thread(target=part.run, args=(stop,), daemon=True)
    thread.start()
    place = urlsplit(part.url).netloc
    idle = http.client.HTTPConnection(place, timeout=10)
    try:
        for path, status in (("/", 200), ("/boards/101", 200), ("/nothing", 404), ("/style.css", 200)):
            whole = _asked(place, "GET", path)
            head = _asked(place, "HEAD", path)
            assert whole[0] == head[0] == status
            assert whole[1]["content-length"] == head[1]["content-length"] == str(len(whole[2]))
            assert head[2] == b""
            assert "server" not in whole[1]
        assert _asked(place, "GET", "/", host="[")[0] == 200
        idle.request("GET", "/")
        assert idle.getresponse().read()
    finally:
        stop.set()
        thread.join(10)
    assert not thread.is_alive()
    idle.close()
    host, _, port = place.partition(":")
    with pytest.raises(ConnectionRefusedError), socket.create_connection((host, int(port)), timeout=5):
        pass


def _asked(place: str, method: str, path: str, host: str | None = None) -> tuple[int, dict[str, str], bytes]:
    connection = http.client.HTTPConnection(place, timeout=10)
    try:
        connection.request(method, path, headers={"Host": host} if host else {})
        response = connection.getresponse()
        headers = {name.lower(): value for name, value in response.getheaders()}
        return response.status, headers, response.read()
    finally:
        connection.close()


def test_a_port_in_use_is_said_so(club: Club) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(
            OSError, match=rf"^cannot show the pages at http://127\.0\.0\.1:{port}: Address already"
        ):
            WebPart(Site(club), "127.0.0.1", port)
