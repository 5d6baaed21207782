"""What stays of somebody who is forgotten."""

from pbmserv.mail.sending.transport import Delivered
from pbmserv.services.deliver import note
from pbmserv.store.engine import writing
from tests.services.post import Post

CARL = "carl@example.org"


def test_the_last_mail_keeps_no_address(club: Post) -> None:
    """Somebody reads the database of a club for addresses of those who have left: the last mail held one."""
    (asked,) = club.mail(CARL, "delete carl lotus")
    (goodbye,) = club.answer(asked, "yes")
    assert (goodbye.kind, goodbye.recipient) == ("goodbye", CARL)
    with writing(club.house.engine) as connection:
        note(connection, [(goodbye, Delivered())], club.clock())
    assert club.sent_to(CARL) == []
    kept = [each.raw for each in club.letters()] + [each.raw for each in club.inbox()]
    assert not any(b"carl" in raw for raw in kept)
    assert club.letters()[-1].status == "sent"
