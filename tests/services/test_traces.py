"""The road of a mail, as `pbmserv admin trace` tells it: in, entries, effect, out, sent, and back."""

from collections import Counter
from collections.abc import Sequence
from datetime import timedelta

import pytest

from pbmserv.mail.sending.transport import Delivered, Failed, Outcome, Outgoing
from pbmserv.services.admin.traces import CannotTrace, TraceEvent, list_outgoing, list_received, trace
from pbmserv.services.views import list_players
from pbmserv.store.mail_history import MailFilter
from tests.mail.one_by_one import OneByOne
from tests.services.post import Post
from tests.services.sending import deliver_due
from tests.services.test_bounces import arrive, report

ALICE, BOB = "alice@example.org", "bob@example.org"


class Relaying(OneByOne):
    """A relay that calls what it takes Q1, Q2, and so on; one recipient may be unknown to it."""

    def __init__(self, unknown: str = "") -> None:
        self._unknown, self._count = unknown, 0

    def outcome_of(self, mail: Outgoing) -> Outcome:
        """What becomes of a mail."""
        if mail.recipient == self._unknown:
            return Failed("550 5.1.1 User unknown", refuses_recipient=True)
        self._count += 1
        return Delivered(f"Q{self._count}")


@pytest.fixture
def club(post: Post) -> Post:
    """Alice and bob play on board 101; alice's move went to bob by a relay, and came back an hour later."""
    post.people(alice="sesame", bob="poppy")
    deliver_due(post.house, Relaying(), post.clock)
    post.clock.move(hours=1)
    post.mail(ALICE, "challenge alice bob -size=3x3")
    post.clock.move(hours=1)
    post.mail(ALICE, "101 b2")
    post.clock.move(minutes=1)
    deliver_due(post.house, Relaying(), post.clock)
    post.clock.move(hours=1)
    arrive(post, report(), post.sent_to(BOB)[-1].envelope_sender)
    return post


def told(post: Post, events: Sequence[TraceEvent]) -> list[str]:
    """Events in short; the numbers of mails count from the last ones."""
    newest = post.inbox()[-1].id
    sent = post.letters()[-1].id
    return [
        " ".join(
            str(part)
            for part in (
                event.step,
                "" if event.mail is None else f"mail{event.mail - newest:+}",
                "" if event.out is None else f"out{event.out - sent:+}",
                event.board or "",
                event.address.partition("@")[0],
                event.status,
                event.queue,
                event.told.partition("\n")[0].partition(" bytes")[0] if event.step != "in" else "",
            )
            if part
        )
        for event in events
    ]


def test_the_road_of_a_move(club: Post) -> None:
    """From the mail to what came back; whichever of its numbers is asked for."""
    mail, out = club.inbox()[-2].id, club.letters()[-1]
    road = [
        "in mail-1 alice",
        "entry mail-1 101 played B2 (seat 1)",
        "effect mail-1 handled You played B2 on board 101.",
        "out mail-1 out-1 101 alice queued answer",
        "out mail-1 out+0 101 bob queued board",
        "sent mail-1 out-1 101 alice sent Q3",
        "sent mail-1 out+0 101 bob bounced Q4",
        "bounced mail+0 out+0 bob hard 550 5.1.1 User unknown",
    ]
    assert told(club, trace(club.house, f"mail={mail}")) == road
    assert out.queue_id == "Q4"
    bobs = [line for line in road if "out-1" not in line]
    for other in (f"out={out.id}", "queue=Q4", out.message_id):
        assert told(club, trace(club.house, other)) == bobs
    # The report itself: it came in, was counted, and is about that mail.
    report_of_it = told(club, trace(club.house, f"mail={club.inbox()[-1].id}"))
    assert [line.partition(" ")[0] for line in report_of_it] == ["out", "sent", "in", "effect", "bounced"]
    assert report_of_it[-1] == road[-1]


def test_a_board_and_a_player(club: Post) -> None:
    """Everything about a board, in order of time; of a player what they wrote and got, by any of their names."""
    events = trace(club.house, "101")
    assert events == trace(club.house, "board=101")
    assert [event.at for event in events] == sorted(event.at for event in events)
    assert {event.board for event in events if event.step in ("entry", "out", "sent")} == {101}
    steps = Counter(event.step for event in events)
    assert steps == {"in": 2, "entry": 1, "effect": 2, "out": 4, "sent": 4, "bounced": 1}
    (bob,) = [player.id for player in list_players(club.house) if player.userid == "bob"]
    by_name = trace(club.house, "bob")
    assert (
        by_name == trace(club.house, f"player={bob}") == trace(club.house, BOB) == trace(club.house, "player=Bob")
    )
    assert {event.address for event in by_name} <= {BOB, ""}
    assert "bounced" in [event.step for event in by_name]
    recent = trace(club.house, "bob", club.clock() - timedelta(hours=2))
    assert 0 < len(recent) < len(by_name)
    assert trace(club.house, "nobody@example.org") == []


@pytest.mark.parametrize(
    ("what", "why"),
    [
        ("carol", "nobody is called carol; `pbmserv admin players` lists everybody"),
        ("999", "there is no mail and no board 999; an outgoing mail is out=999"),
        ("mail=x", "mail= wants a number, as in mail=101"),
        ("size=3", "size= cannot be traced; use mail=, out=, board=, player=, from=, to= or queue="),
    ],
)
def test_what_cannot_be_traced(post: Post, what: str, why: str) -> None:
    with pytest.raises(CannotTrace) as caught:
        trace(post.house, what)
    assert str(caught.value) == why


def test_a_number_of_two_things(club: Post) -> None:
    """A bare number is whatever has it; where a mail and a board do, the operator says which."""
    while club.inbox()[-1].id < 101:
        club.put(club.write(ALICE, "help"))
    with pytest.raises(CannotTrace, match="101 is a mail and a board: write mail=101 or board=101"):
        trace(club.house, "101")
    assert {event.step for event in trace(club.house, "mail=101")} == {"in", "effect"}


def test_filters(club: Post) -> None:
    def received(**wanted: object) -> list[int]:
        return [mail.message.id for mail in list_received(club.house, MailFilter(**wanted), 100)]  # type: ignore[arg-type]

    def outgoing(**wanted: object) -> list[int]:
        return [mail.id for mail in list_outgoing(club.house, MailFilter(**wanted), 100)]  # type: ignore[arg-type]

    mails, letters = [*reversed(club.inbox())], [*reversed(club.letters())]
    assert received() == [mail.id for mail in mails]
    assert received(board=101) == [mail.id for mail in mails[1:3]]
    assert received(status="report") == [mails[0].id]
    assert received(address="Alice@example.org") == [mail.id for mail in mails if mail.sender == ALICE]
    since = mails[1].received_at
    assert received(since=since) == [mail.id for mail in mails[:2]]
    assert received(since=since, address=ALICE, board=101, status="handled") == [mails[1].id]
    assert received(in_trouble=True) == []
    assert outgoing(status="bounced") == [letters[0].id]
    assert outgoing(board=101) == [letter.id for letter in letters if letter.match == 101]
    assert outgoing(address=BOB, since=since) == [letters[0].id]
    assert list_received(club.house, MailFilter(), 2)[1].outcome == "You played B2 on board 101."


def test_a_refused_mail_has_failed_and_not_bounced(club: Post) -> None:
    """What our own relay refuses was never sent; the bounce that is counted has no report."""
    club.mail(BOB, "101 a1")
    deliver_due(club.house, Relaying(ALICE), club.clock)
    refused = club.sent_to(ALICE)[-1]
    assert refused.status == "failed"
    *_, out, bounced = trace(club.house, f"out={refused.id}")
    assert (out.step, out.status, out.told) == ("out", "failed", "board: 550 5.1.1 User unknown")
    assert (bounced.step, bounced.mail, bounced.status) == ("bounced", None, "hard")
