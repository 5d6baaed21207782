"""What handling gets to know about a kept mail besides its words."""

from dataclasses import replace
from datetime import UTC, datetime

from pbmserv.services.app import App
from pbmserv.services.opening import read_message
from pbmserv.services.receive import receive_mail
from pbmserv.store import inbox
from pbmserv.store.engine import writing
from pbmserv.store.inbox import InboxMessage

NOON = datetime(2025, 1, 6, 12, tzinfo=UTC)
RAW = b"Authentication-Results: mx.club.test; dmarc=pass\r\nFrom: ann@example.org\r\nSubject: d4\r\n\r\n"


def kept(house: App, *recipients: str) -> InboxMessage:
    receive_mail(house, RAW, "ann@example.org", recipients, NOON)
    with writing(house.engine) as connection:
        mail = inbox.take(connection, NOON)
    assert mail is not None
    return mail


def test_the_envelope_tells_which_mail_is_answered(house: App) -> None:
    local, _, domain = house.server.address.partition("@")
    mail = kept(house, f"{local}+t1@{domain}", f"{local.upper()}-T2@{domain.upper()}")
    assert read_message(house, mail).tokens == ("t1", "t2")


def test_only_the_server_of_the_settings_is_believed(house: App) -> None:
    def is_believed(authserv_id: str) -> bool:
        return read_message(
            replace(house, server=replace(house.server, authserv_id=authserv_id)), mail
        ).authenticated

    mail = kept(house, house.server.address)
    assert is_believed("mx.club.test")
    assert not is_believed("mx.other.test")
    assert not is_believed("")
