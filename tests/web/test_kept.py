"""What has not changed is not made again: a second look at a page fills in no template."""

from datetime import timedelta
from typing import Any

import jinja2
import pytest

from pbmserv.web.site import Site
from tests.web.club import NOON, Club, asking

PATHS = (
    "/",
    "/games",
    "/games?player=alice&status=all",
    "/help",
    "/help/chess",
    "/help?subject=move",
    "/privacy",
    "/style.css",
    "/games/go.svg",
    "/boards/101.svg?ply=2",
    "/boards/101/record.txt",
    "/boards/101/record.json",
    "/boards/101/feed.atom",
)


@pytest.fixture
def filled_in(monkeypatch: pytest.MonkeyPatch) -> list[str | None]:
    """The templates that are filled in, by name."""
    found: list[str | None] = []
    render = jinja2.Template.render

    def noting(template: jinja2.Template, *arguments: Any, **named: Any) -> str:
        found.append(template.name)
        return render(template, *arguments, **named)

    monkeypatch.setattr(jinja2.Template, "render", noting)
    return found


@pytest.mark.parametrize("path", PATHS)
def test_a_second_look_fills_in_no_template(
    club: Club, filled_in: list[str | None], monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    """For another visitor, too, packed or not; and who has it gets 304."""
    monkeypatch.setattr("pbmserv.web.games.utc_now", lambda: NOON)
    get = asking(Site(club), "192.0.2.1")
    first = get(path)
    assert first.status_code == 200
    assert first.headers["vary"] == "Accept-Encoding"
    del filled_in[:]
    plain = get(path, headers={"Accept-Encoding": "identity"})
    assert "content-encoding" not in plain.headers
    assert get(path).content == plain.content == first.content
    assert get(path, headers={"If-None-Match": first.headers["etag"]}).status_code == 304
    assert get(path, "HEAD").headers["etag"] == first.headers["etag"]
    assert filled_in == []


def test_what_changes_is_made_again(empty: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    """A sign-up is on no page; a game begun, a move, an offer and time that passes are."""
    now = [NOON]
    monkeypatch.setattr("pbmserv.web.games.utc_now", lambda: now[0])
    get, seen = asking(empty), set()
    for sender, line in (
        ("ann", "signup ann sesame"),
        ("ben", "signup ben poppy"),
        ("ann", "challenge ann ben"),
        ("ann", "move 101 c3"),
        ("ben", "move 101 c4"),
        ("ben", "seek chess"),
    ):
        empty.post(f"{sender}@home.test", line)
        seen.add((get("/").text, get("/games").text))
    assert len(seen) == 5
    now[0] += timedelta(days=9)
    assert (get("/").text, get("/games").text) not in seen
