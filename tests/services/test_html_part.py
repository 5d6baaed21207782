"""Who is mailed HTML beside the text, and what stands in it."""

from dataclasses import replace
from datetime import UTC, datetime
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default

import pytest

from pbmserv.matches.player import MailSettings, Player
from pbmserv.rendering.markup import marked
from pbmserv.services.app import App
from pbmserv.services.compose import MailBody, OutgoingMail, build_message
from tests.rendering.letters import MIDDLE, played
from tests.services.board_mail import board_mail

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
ALICE = Player(1, "alice", "alice@example.org")


def mail(raw: bytes) -> EmailMessage:
    """A mail as Python's own library reads it."""
    return message_from_bytes(raw, policy=default)


def html_of(raw: bytes) -> str:
    """The HTML part, or nothing."""
    body = mail(raw).get_body(("html",))
    return "" if body is None else str(body.get_content())


def test_links_lead_to_where_an_answer_goes(sqlite_house: App) -> None:
    """To the personal address that the mail comes from, so that a tap proves who it is."""
    letter = board_mail(sqlite_house, played(MIDDLE), ALICE, NOON)
    sent = mail(letter.raw)
    personal = sent["From"].addresses[0].addr_spec
    assert letter.token in personal
    html = html_of(letter.raw)
    assert html.count("mailto:") == html.count(f"mailto:{personal.replace('+', '%2B')}?") > 20
    assert '?subject=a1"' in html
    assert sent["Subject"] in html


@pytest.mark.parametrize("settings", [MailSettings(html=False), MailSettings(words=True)])
def test_html_can_be_turned_off(sqlite_house: App, settings: MailSettings) -> None:
    """By asking for text alone, or for words."""
    raw = board_mail(sqlite_house, played(MIDDLE), replace(ALICE, mail=settings), NOON).raw
    assert mail(raw).get_content_type() == "text/plain"


def test_the_text_is_the_same_with_and_without(sqlite_house: App) -> None:
    """What HTML adds takes nothing away."""
    plain = replace(ALICE, mail=MailSettings(html=False))
    alone, both = (board_mail(sqlite_house, played(MIDDLE), player, NOON).raw for player in (plain, ALICE))
    body = mail(both).get_body(("plain",))
    assert body is not None
    assert body.get_content() == mail(alone).get_content()


def test_strangers_are_mailed_text(sqlite_house: App) -> None:
    """An address that belongs to nobody gets as little as will do."""
    draft = OutgoingMail("stranger", "mallory@example.org", None, "pbmserv: help", MailBody("See\n    help\n"))
    assert mail(build_message(sqlite_house, draft, NOON).raw).get_content_type() == "text/plain"


def test_texts_without_a_board_have_both_parts_too(sqlite_house: App) -> None:
    """What is said, with its commands as links."""
    draft = OutgoingMail(
        "notice",
        "alice@example.org",
        ALICE,
        "pbmserv: limit",
        MailBody(marked("Silence for a while.\n    $ help\n")),
    )
    html = html_of(build_message(sqlite_house, draft, NOON).raw)
    assert "Silence for a while." in html
    assert '?subject=help"' in html
