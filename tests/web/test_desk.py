"""The desk: what waits for its owner, most urgent first; a move leads to the next board; nobody else comes in."""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from pbmserv.services.views import list_outbox
from pbmserv.store import bounces
from pbmserv.store.engine import writing
from pbmserv.web import desk as room
from pbmserv.web import play as play_room
from tests.web.club import NOON, Club, opened
from tests.web.test_play import ALICE, BOB, SITE, Visitor, assert_private, panel
from tests.web.tree import Element, main, parse

DESK = re.compile(rb"https://club\.test(/desk/[a-z0-9]+)")


@pytest.fixture
def visit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Visitor]:
    """Alice is to move on 101, 102 and 103, and has asked for all of them; on 104 bob is."""
    for each in (room, play_room):
        monkeypatch.setattr(each, "utc_now", lambda: NOON + timedelta(hours=2))
    with opened(tmp_path) as empty:
        server = replace(empty.server, site_url=SITE)
        club = Club(empty.engine, server, empty.new_token, empty.hasher)
        club.post(ALICE, "signup alice sesame")
        club.post(BOB, "signup bob poppy")
        for _ in range(3):
            club.post(BOB, "challenge alice bob")
        club.post(ALICE, "challenge bob alice")
        club.post(ALICE, "next")
        yield Visitor(club)


def desk_of(visit: Visitor, address: str = ALICE) -> str:
    """The desk in the newest mail to an address."""
    mails = (mail for mail in list_outbox(visit.club, None, 1000) if mail.recipient == address)
    return next(found[1].decode() for mail in mails if (found := DESK.search(mail.raw)))


def boards(page: Element) -> list[str]:
    """Where the pictures lead to."""
    return [each.attributes["href"] for each in page.all("a", class_="small-board")]


def test_it_shows_what_waits(visit: Visitor) -> None:
    """The boards of the mail, then those on which others are to move."""
    desk = desk_of(visit)
    page = main(visit(desk))
    assert page.one("h1").said == "My turn"
    assert "3 boards wait for you, alice, the most urgent first." in page.said
    assert boards(page) == [*(f"{desk}/{number}" for number in (101, 102, 103)), "/boards/104"]
    assert parse(visit(desk).text).one("title").said.startswith("My turn (3)")
    changes = next(each for each in page.all("div") if "data-changes" in each.attributes)
    assert changes.attributes["data-changes"] == "/changes?boards=104.0,101.0,102.0,103.0"
    assert changes.attributes["data-here"] == desk


def test_each_move_leads_to_the_next(visit: Visitor) -> None:
    """At last back to the desk, which says that nothing waits."""
    desk = desk_of(visit)
    sent = visit.press(f"{desk}/101", "c3")
    assert sent.headers["location"] == f"{desk}/102?after=101#position"
    following = main(visit(f"{desk}/102?after=101"))
    assert "Your move on board 101 is played." in following.one("div", class_="notice").said
    assert panel(following).one("h2").said == "Your move, alice"
    assert desk in {each.attributes["href"] for each in panel(following).all("a")}
    assert visit.press(f"{desk}/102", "c3").headers["location"] == f"{desk}/103?after=102#position"
    last = visit.press(f"{desk}/103", "c3").headers["location"]
    assert last == f"{desk}?after=103"
    done = main(visit(last))
    assert "Your move on board 103 is played. No board waits for you, alice." in done.said
    assert len(boards(done)) == 4


def test_what_the_mail_did_not_name_is_only_shown(visit: Visitor) -> None:
    """It leads to the board for everybody, and cannot be played on by that key."""
    desk = desk_of(visit)
    visit.club.post(BOB, "move 104 c3")
    page = main(visit(desk))
    assert "/boards/104" in boards(page)
    assert "move by mail" in page.said
    assert visit(f"{desk}/104").status_code == 404


def test_a_page_of_before_plays_nothing(visit: Visitor) -> None:
    """On the desk as elsewhere."""
    path = f"{desk_of(visit)}/101"
    old = visit.tried(path, "d3")
    visit.club.post(ALICE, "move 101 c3")
    visit.club.post(BOB, "move 101 b2")
    assert visit(path, old).headers["location"] == f"{path}?late=1"


def test_when_the_worker_is_away_the_page_says_so(visit: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    """And looking again leads on."""
    monkeypatch.setattr(play_room, "PATIENCE", 0.0)
    visit.worker_is_away = True
    desk = desk_of(visit)
    waiting = visit.press(f"{desk}/101", "c3").headers["location"]
    assert waiting.startswith(f"{desk}/101/done?mail=")
    assert main(visit(waiting)).one("h1").said == "On its way"
    visit.worker_is_away = False
    visit.work()
    assert visit(waiting).headers["location"] == f"{desk}/102?after=101#position"


def test_whoever_gets_no_mail_reads_it_here(visit: Visitor) -> None:
    """On the desk, and on each board that a personal link leads to."""
    desk = desk_of(visit)
    with writing(visit.club.engine) as connection:
        bounces.suspend(connection, ALICE, NOON)
    for path in (desk, f"{desk}/101"):
        assert "Mail to you came back three times" in main(visit(path)).one("div", class_="notice").said


def test_nobody_else_comes_in(visit: Visitor) -> None:
    """Not with another key, not after `revoke`; nothing of it is cached or found."""
    desk = desk_of(visit)
    for path in (desk, f"{desk}/101", f"{desk}/101?move=c3"):
        assert_private(visit(path))
    for path in ("/desk/nosuchkey", "/desk/NO-KEY", "/desk/nosuchkey/101", f"{desk}x", f"{desk}/abc"):
        assert visit(path).status_code == 404
        assert_private(visit(path))
    visit.club.post(ALICE, "revoke")
    assert visit(desk).status_code == 404
    assert main(visit(desk)).one("h1").said == "No such link"


def test_the_table_of_others_has_no_key(visit: Visitor) -> None:
    """Whoever asks for somebody else's boards gets links to look at them."""
    visit.club.post(BOB, "next alice")
    (mail,) = (each for each in list_outbox(visit.club, None, 1) if each.recipient == BOB)
    assert b"https://club.test/boards/101" in mail.raw
    assert b"/desk/" not in mail.raw
    assert b"/play/101" not in mail.raw


def test_the_page_is_sound(visit: Visitor) -> None:
    """One heading; nothing inline."""
    for path in (desk_of(visit), "/desk/nosuchkey"):
        text = visit(path).text
        assert len(parse(text).all("h1")) == 1
        assert not re.search(r"\s(style|on\w+)=", text)
