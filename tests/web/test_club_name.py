"""The name, the contact and the colour of a club, wherever pages and files of pages show them."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace

import pytest

from pbmserv.rendering.templates import templates_folder
from pbmserv.web import accent
from tests.web.club import Club, Get, asking, opened
from tests.web.tree import main, parse

NAME = "Springer & <Freunde>"


@pytest.fixture(scope="module")
def named(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Club]:
    """A club with a name that must be escaped, a contact and a colour."""
    with opened(tmp_path_factory.mktemp("named")) as empty:
        server = replace(empty.server, club_name=NAME, club_contact="ann@club.test", accent="#7a1f5c")
        club = Club(empty.engine, server, empty.new_token, empty.hasher)
        club.post("alice@home.test", "signup alice sesame")
        club.post("bob@work.test", "signup bob poppy")
        club.post("alice@home.test", "challenge alice bob")
        yield club


@pytest.fixture(scope="module")
def get(named: Club) -> Get:
    """Asks for its pages."""
    return asking(named)


@pytest.mark.parametrize("path", ["/", "/games", "/boards/101", "/help", "/privacy", "/nothing"])
def test_every_page_has_the_name(get: Get, path: str) -> None:
    """In the title, in the head, and in previews; the foot leads to privacy and contact."""
    text = get(path).text
    page = parse(text)
    assert page.one("title").said.endswith(f" - {NAME}")
    assert page.one("header").one("a", class_="name").said == NAME
    assert {"/privacy", "mailto:ann@club.test"} <= {
        link.attributes["href"] for link in page.one("footer").all("a")
    }
    assert "<Freunde>" not in text
    for site in page.all("meta", property="og:site_name"):
        assert site.attributes["content"] == NAME


@pytest.mark.parametrize("path", ["/games.atom", "/boards/101/feed.atom"])
def test_feeds_have_the_name(get: Get, path: str) -> None:
    told = get(path).text
    assert "<name>Springer &amp; &lt;Freunde&gt;" in told
    assert "pbmserv" not in told.replace("pbmserv@club.test", "")


def test_json_has_the_name(get: Get) -> None:
    assert json.loads(get("/games.json").text)["club"] == NAME


def test_privacy_says_who_runs_the_club(get: Get) -> None:
    """And what is kept, as the mailed help does."""
    page = main(get("/privacy"))
    assert page.one("h1").said == "Privacy"
    assert "ann@club.test" in page.said
    assert "There are no cookies" in page.said
    assert any(link.attributes["href"] == "mailto:ann@club.test" for link in page.all("a"))


def test_without_a_contact_nothing_is_said_of_one(empty: Club) -> None:
    text = asking(empty)("/privacy").text
    assert "operator:" not in text
    assert ">Contact<" not in text


def test_a_page_as_contact(empty: Club) -> None:
    """Its address is the link."""
    server = replace(empty.server, club_contact="https://club.example/@ann")
    get = asking(Club(empty.engine, server, empty.new_token, empty.hasher))
    links = {link.attributes["href"] for link in parse(get("/").text).one("footer").all("a")}
    assert "https://club.example/@ann" in links


def test_the_colour_is_in_the_style_sheet(get: Get, empty: Club) -> None:
    """Which has another address then, so that no browser keeps the old one."""
    style = re.compile(r"/style\.css\?v=\w+")
    coloured, plain = (style.findall(each("/").text)[0] for each in (get, asking(empty)))
    assert coloured != plain
    sheet = get(coloured).text
    assert ":root { --link: #7a1f5c; --accent: #7a1f5c; }" in sheet
    assert f"--link: {accent.lightened('#7a1f5c')};" in sheet
    assert "#7a1f5c" not in asking(empty)(plain).text


def test_the_grounds_are_those_of_the_style_sheet() -> None:
    """What a colour is compared with is what it stands on."""
    sheet = (templates_folder() / "assets" / "style" / "base.css").read_text()
    light, dark = (
        tuple(
            re.findall(rf"--{name}: (#\w+)", sheet)[place] for name in ("ground", "raised", "notice", "on-accent")
        )
        for place in (0, 1)
    )
    assert light == (*accent.LIGHT, accent.ON_LIGHT)
    assert dark == (*accent.DARK, accent.ON_DARK)


@pytest.mark.parametrize("colour", ["#0b5f4e", "#7a1f5c", "#000000", "#0000ff", "#b00020", "#5c4a00"])
def test_a_colour_can_be_read_by_day_and_by_night(colour: str) -> None:
    assert accent.contrast_flaw(colour) == ""
    night = accent.lightened(colour)
    assert all(accent.contrast(night, ground) >= accent.ENOUGH for ground in (*accent.DARK, accent.ON_DARK))


def test_contrast_is_that_of_the_standard() -> None:
    """Values from other people's calculators."""
    assert accent.contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)
    assert accent.contrast("#0000ff", "#ffffff") == pytest.approx(8.59, abs=0.01)
    assert accent.contrast_flaw("#777777").startswith("has a contrast of 3.")
