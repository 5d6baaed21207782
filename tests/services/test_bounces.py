"""What comes back: counted, held back, told to opponents, and made up for when the player writes again."""

import os
import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Connection, insert, null, select, text, update

from pbmserv.commands.server import Server
from pbmserv.mail.sending.transport import Delivered, Failed, Outcome, Outgoing
from pbmserv.services.admin.mails import resend
from pbmserv.services.app import App
from pbmserv.services.bounces import lift, see_suspended
from pbmserv.services.receive import receive_mail
from pbmserv.services.scheduler.retention import purge, tell_suspended
from pbmserv.services.views import load_board
from pbmserv.services.worker import process_next
from pbmserv.services.writer import deciding, write_due
from pbmserv.store import bounces as table_of_bounces
from pbmserv.store import letters, outbox, tables
from pbmserv.store.engine import reading, writing
from pbmserv.store.outbox import MailKeys, OutboxMessage, QueuedMessage
from pbmserv.store.tables import bounces, entries
from tests.cli.processes import wait_for
from tests.conftest import ADDRESS
from tests.mail.one_by_one import OneByOne
from tests.services.post import Post, header_of, text_of, thread_word_of
from tests.services.sending import deliver_due
from tests.services.test_play import door_of, played

BOB = "bob@example.org"
GONE = "550 5.1.1 User unknown"
STORM = 5000 if os.environ.get("PBMSERV_SOAK") == "1" else 300


def report(action: str = "failed", said: str = GONE, returned: str = "") -> bytes:
    """A delivery report as a mail system writes it."""
    status = said.split()[1] if len(said.split()) > 1 else ""
    return "\r\n".join(
        (
            "From: MAILER-DAEMON@relay.example",
            f"To: {ADDRESS}",
            "Subject: Undelivered Mail Returned to Sender",
            "Content-Type: multipart/report; report-type=delivery-status; boundary=limit",
            "",
            "--limit",
            "",
            "I'm sorry to have to inform you that your message could not be delivered.",
            "--limit",
            "Content-Type: message/delivery-status",
            "",
            "Reporting-MTA: dns; relay.example",
            "",
            f"Action: {action}",
            f"Status: {status}",
            f"Diagnostic-Code: smtp; {said}",
            "--limit",
            "Content-Type: message/rfc822",
            "",
            returned,
            "--limit--",
            "",
        )
    ).encode()


def come_back(post: Post, letter: QueuedMessage, raw: bytes | None = None) -> list[QueuedMessage]:
    """A mail of ours comes back a little later: its report is handled; the letters that this brings."""
    post.clock.move(seconds=1)
    return arrive(post, report() if raw is None else raw, letter.envelope_sender)


def arrive(post: Post, raw: bytes, recipient: str, envelope_sender: str = "<>") -> list[QueuedMessage]:
    before = len(post.letters())
    receive_mail(post.house, raw, envelope_sender, [recipient], post.clock())
    post.work()
    return post.letters()[before:]


def noted(post: Post) -> list[tuple[str, bool]]:
    """What is counted: where each mail went, and whether it came back for good."""
    with reading(post.house.engine) as connection:
        rows = connection.execute(select(bounces.c.address, bounces.c.is_hard).order_by(bounces.c.outbox_id))
        return [(row.address, row.is_hard) for row in rows]


def boards_to_bob(post: Post, count: int) -> list[QueuedMessage]:
    """So many board mails to bob: on three new boards of alice's, then on board 101 again."""
    letters = []
    for number in range(count):
        if number < 3:
            letters.append(post.mail("alice@example.org", "challenge alice bob -size=3x3")[1])
        else:
            resend(post.house, 101, "bob", post.clock())
            letters.append(post.letters()[-1])
    return letters


def club(post: Post) -> Post:
    post.people(alice="sesame", bob="poppy")
    post.clock.move(seconds=1)
    return post


def gone(post: Post) -> list[QueuedMessage]:
    """Alice and bob, three of whose boards came back; what that brought."""
    told = [come_back(post, letter) for letter in boards_to_bob(club(post), 3)]
    assert told[:2] == [[], []]
    return told[2]


def statuses(post: Post, recipient: str = BOB) -> list[str]:
    return [letter.status for letter in post.letters() if letter.recipient == recipient and letter.kind == "board"]


def send_all(post: Post) -> None:
    """As if everything that waits had been handed over."""
    for letter in post.letters():
        if letter.status == "waiting":
            with writing(post.house.engine) as connection:
                outbox.mark_sent(connection, [letter.id], post.clock())


def words_of(letter: QueuedMessage) -> str:
    """What a letter says, whatever its lines."""
    return " ".join(text_of(letter).split())


def lifted(post: Post) -> list[QueuedMessage]:
    """The suspension of bob is lifted; the boards that this has written for him."""
    before = len(post.sent_to(BOB))
    assert lift(post.house, "bob", post.clock()) == BOB
    return [letter for letter in post.sent_to(BOB)[before:] if letter.kind == "board"]


def suspended(post: Post) -> list[str]:
    return [each.userid for each in see_suspended(post.house)]


def test_three_mails_that_come_back_stop_board_mail_and_the_opponent_is_told(post: Post) -> None:
    (notice,) = gone(post)
    assert (notice.recipient, notice.kind, notice.status) == ("alice@example.org", "notice", "waiting")
    assert "Mail to bob bounces" in text_of(notice)
    assert "Boards 101, 102 and 103 have to wait." in words_of(notice)
    assert BOB not in notice.raw.decode()
    assert header_of(notice, "Auto-Submitted") == "auto-generated"
    assert suspended(post) == ["bob"]
    before = len(post.sent_to(BOB))
    post.mail("alice@example.org", "move 101 b2", "Are you there?")
    assert len(post.sent_to(BOB)) == before
    assert post.fates()[-4:-1] == ["report"] * 3


def test_it_is_told_once(post: Post) -> None:
    gone(post)
    resend(post.house, 101, "bob", post.clock())
    for letter in post.letters():
        if letter.recipient == BOB:
            assert come_back(post, letter) == []


def test_what_waits_already_is_held_back_too(post: Post) -> None:
    gone(post)
    assert set(statuses(post)) == {"withheld"}


def test_a_mail_comes_back_once_however_many_reports_tell_of_it(post: Post) -> None:
    first, second = boards_to_bob(club(post), 2)
    for letter in (first, first, first, second, second):
        assert come_back(post, letter) == []
    assert noted(post) == [(BOB, True)] * 2
    assert suspended(post) == []


def test_only_what_came_back_within_seven_days_counts_together(post: Post) -> None:
    letters = boards_to_bob(club(post), 4)
    come_back(post, letters[0])
    post.clock.move(days=7)
    come_back(post, letters[1])
    come_back(post, letters[2])
    assert suspended(post) == []
    come_back(post, letters[3])
    assert suspended(post) == ["bob"]


@pytest.mark.parametrize("said", ["552 5.2.2 mailbox full", "554 5.7.1 policy", "451 4.4.7 expired", "oops"])
def test_soft_bounces_stop_nothing(post: Post, said: str) -> None:
    for letter in boards_to_bob(club(post), 4):
        assert come_back(post, letter, report(said=said)) == []
    assert noted(post) == [(BOB, False)] * 4
    assert suspended(post) == []


def test_a_hard_report_goes_before_an_earlier_soft_one_but_not_the_other_way_round(post: Post) -> None:
    letters = boards_to_bob(club(post), 3)
    for letter in letters:
        come_back(post, letter, report(said="451 4.4.7 expired"))
    for letter in letters[:2]:
        come_back(post, letter)
        come_back(post, letter, report(said="451 4.4.7 expired"))
    assert noted(post) == [(BOB, True), (BOB, True), (BOB, False)]
    come_back(post, letters[2])
    assert suspended(post) == ["bob"]


@pytest.mark.parametrize("action", ["delayed", "delivered", "relayed", "expanded"])
def test_what_is_delayed_or_arrived_did_not_come_back(post: Post, action: str) -> None:
    for letter in boards_to_bob(club(post), 3):
        come_back(post, letter, report(action=action))
    assert noted(post) == []
    assert post.fates()[-1] == "silent"


def test_a_vacation_answer_is_no_bounce(post: Post) -> None:
    (letter,) = boards_to_bob(club(post), 1)
    raw = post.write(BOB, "Auto: away", "550 5.1.1 User unknown", Auto_Submitted="auto-replied (vacation)")
    assert come_back(post, letter, raw) == []
    assert noted(post) == []


def test_a_report_that_cannot_be_read_counts_as_soft(post: Post) -> None:
    (letter,) = boards_to_bob(club(post), 1)
    assert come_back(post, letter, b"From: mailer-daemon@relay.example\r\n\r\n\xff\x00\xfe") == []
    assert noted(post) == [(BOB, False)]


@pytest.mark.parametrize(
    "recipient", [ADDRESS, "pbmserv+b.guessed@club.test", "pbmserv+b.@club.test", "pbmserv+t0003@club.test"]
)
def test_a_report_without_our_id_does_nothing(post: Post, recipient: str) -> None:
    boards_to_bob(club(post), 3)
    returned = f"To: {BOB}\r\nMessage-ID: <b101.0.guessed@club.test>\r\n\r\nboard"
    for _ in range(3):
        assert arrive(post, report(returned=returned), recipient) == []
    assert noted(post) == []
    assert post.fates()[-3:] == ["silent"] * 3


def test_the_case_of_the_address_does_not_matter(post: Post) -> None:
    (letter,) = boards_to_bob(club(post), 1)
    arrive(post, report(), letter.envelope_sender.upper())
    assert noted(post) == [(BOB, True)]


def test_by_mailbox_or_pipe_the_address_is_found_in_the_head(post: Post) -> None:
    (letter,) = boards_to_bob(club(post), 1)
    arrive(post, report().replace(f"To: {ADDRESS}".encode(), f"To: <{letter.envelope_sender}>".encode()), ADDRESS)
    assert noted(post) == [(BOB, True)]


def test_where_addresses_have_no_tags_the_returned_mail_is_known(sqlite_house: App) -> None:
    server = Server(ADDRESS, variants=True, delimiter="", confirm="from")
    post = club(Post(App(sqlite_house.engine, server, sqlite_house.new_token, sqlite_house.hasher)))
    (letter,) = boards_to_bob(post, 1)
    assert letter.envelope_sender == ADDRESS
    come_back(post, letter, report(returned=letter.raw.decode()))
    assert noted(post) == [(BOB, True)]


class Refusing(OneByOne):
    """A way out whose next server refuses one recipient with a reply."""

    def __init__(self, refused: str, reply: str, refuses_recipient: bool = True) -> None:
        self._refused, self._reply, self._refuses_recipient = refused, reply, refuses_recipient

    def outcome_of(self, mail: Outgoing) -> Outcome:
        return Failed(self._reply, self._refuses_recipient) if mail.recipient == self._refused else Delivered()


def test_what_our_own_relay_refuses_counts_like_a_report(post: Post) -> None:
    send_all(club(post))
    boards_to_bob(post, 3)
    deliver_due(post.house, Refusing(BOB, GONE), post.clock)
    assert suspended(post) == ["bob"]
    assert [letter.recipient for letter in post.letters() if letter.kind == "notice"] == ["alice@example.org"]
    assert statuses(post) == ["failed"] * 3
    post.mail(BOB, "games bob")
    assert statuses(post) == ["waiting"] * 3


@pytest.mark.parametrize("fault", ["a broken log", "a broken template"])
def test_no_fault_of_ours_in_counting_stops_the_sender(
    post: Post, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, fault: str
) -> None:
    """Every other mail is sent once, what was refused has failed, and where opponents can be told they are."""
    send_all(club(post))
    post.people(carol="caraway")
    post.mail("carol@example.org", "challenge carol bob -size=3x3")
    send_all(post)
    boards_to_bob(post, 3)
    if fault == "a broken log":
        nonsense = {"seq": 1, "at": post.clock(), "kind": "played", "seat": 0, "text": "Z9"}
        with writing(post.house.engine) as connection:
            connection.execute(insert(entries), [{"match": number, **nonsense} for number in (102, 103, 104)])
    else:
        monkeypatch.setattr("pbmserv.services.bounces.fixed_notice", None)
    deliver_due(post.house, Refusing(BOB, GONE), post.clock)
    assert statuses(post)[-3:] == ["failed"] * 3
    assert "waiting" not in [letter.status for letter in post.letters() if letter.kind != "notice"]
    told = [letter.recipient for letter in post.letters() if letter.kind == "notice"]
    assert told == (["carol@example.org"] if fault == "a broken log" else [])
    assert ("is left out board=102 job=bounces" in caplog.text) == (fault == "a broken log")
    assert ("a refusal is not counted" in caplog.text) == (fault == "a broken template")


@pytest.mark.parametrize(
    ("reply", "refuses_recipient"),
    [("550 5.7.1 Relay access denied", True), ("552 5.2.2 full", True), ("550 5.1.1 User unknown", False)],
)
def test_a_relay_that_refuses_us_or_the_mail_stops_nothing(
    post: Post, reply: str, refuses_recipient: bool
) -> None:
    boards_to_bob(club(post), 4)
    deliver_due(post.house, Refusing(BOB, reply, refuses_recipient), post.clock)
    assert statuses(post) == ["failed"] * 4
    assert suspended(post) == []


def test_a_move_inside_a_bounce_is_not_played(post: Post) -> None:
    """The report returns a mail that moves, and moves itself; even from an address that would be believed."""
    (letter,) = boards_to_bob(club(post), 1)
    move = post.write("alice@example.org", "Re: Cephalopod Board 101: alice vs bob", "b2").decode()
    assert come_back(post, letter, report(returned=move)) == []
    from_alice = report(returned=move).replace(b"MAILER-DAEMON@relay.example", b"alice@example.org")
    from_alice = from_alice.replace(b"Undelivered Mail Returned to Sender", b"move 101 b2")
    assert arrive(post, from_alice, letter.envelope_sender) == []
    assert arrive(post, from_alice, letter.envelope_sender, "alice@example.org") == []
    seen = load_board(post.house, 101)
    assert seen is not None
    assert seen.state.plies == 0


def test_a_player_who_writes_is_sent_what_was_missed(post: Post) -> None:
    """All that was held back, comments too, and the boards that came back. Then it takes three bounces more."""
    club(post)
    letters = boards_to_bob(post, 3)
    send_all(post)
    for letter in letters:
        come_back(post, letter)
    post.mail("alice@example.org", "move 101 b2", "Are you there?")
    assert statuses(post) == ["bounced"] * 3
    answer, news = post.mail(BOB, "games bob")
    assert [answer.status, news.match] == ["waiting", 101]
    assert suspended(post) == []
    # Board 101 came back too, but what was held back shows it as it is now.
    assert statuses(post) == ["bounced", "waiting", "waiting", "waiting"]
    assert "Are you there?" in text_of(news)
    send_all(post)
    again = [letter for letter in post.letters() if letter.recipient == BOB and letter.kind == "board"]
    assert [letter.message_id for letter in again[:3]] == [letter.message_id for letter in letters]
    for letter in again:
        assert come_back(post, letter) == [], "what came back once does not count again"
    for _ in range(2):
        resend(post.house, 101, "bob", post.clock())
    send_all(post)
    *_, second, third = post.letters()
    assert come_back(post, second) == []
    assert suspended(post) == []
    (notice,) = come_back(post, third)
    assert "Boards 101, 102 and 103 have to wait." in words_of(notice)


def test_a_board_that_the_answer_shows_is_not_sent_again(post: Post) -> None:
    club(post)
    post.mail("bob@example.org", "challenge bob alice -size=3x3")
    post.mail("alice@example.org", "challenge bob alice -size=3x3")
    post.mail("alice@example.org", "challenge bob alice -size=3x3")
    post.mail("alice@example.org", "challenge bob alice -size=3x3")
    letters = [letter for letter in post.letters() if letter.recipient == BOB and letter.kind == "board"]
    send_all(post)
    for letter in letters:
        come_back(post, letter)
    post.mail(BOB, "move 102 b2")
    sent_again = [
        letter.match for letter in post.letters() if letter.status == "waiting" and letter.kind == "board"
    ]
    assert sent_again == [103, 104, 102]
    assert post.letters()[-1].recipient == "alice@example.org"


def test_answers_always_go_out(post: Post) -> None:
    """Who writes is there. Only a mail that nobody asked for is held back."""
    gone(post)
    with writing(post.house.engine) as connection:
        letter = OutboxMessage(
            "answer", "answer", False, BOB, ADDRESS, "<answer@club.test>", b"answer", keys=MailKeys("answer")
        )
        outbox.queue(connection, [letter], post.clock())
    assert post.letters()[-1].status == "waiting"


@pytest.mark.parametrize("whose", ["bob", "BOB", BOB, "Bob@Example.org"])
def test_the_operator_lifts_it(post: Post, whose: str) -> None:
    gone(post)
    (seen,) = see_suspended(post.house)
    assert (seen.address, seen.reasons, seen.withheld) == (BOB, (GONE,), 3)
    assert seen.since == post.clock()
    assert lift(post.house, whose, post.clock()) == BOB
    assert statuses(post) == ["waiting"] * 3
    assert lift(post.house, whose, post.clock()) is None
    assert lift(post.house, "alice", post.clock()) is None
    assert lift(post.house, "nobody", post.clock()) is None


def test_what_no_person_wrote_does_not_lift_it(post: Post) -> None:
    """Nor does a second copy of an old mail."""
    club(post)
    old = post.write(BOB, "games bob")
    post.send(old)
    for letter in boards_to_bob(post, 3):
        come_back(post, letter)
    post.mail(BOB, "games bob", Auto_Submitted="auto-replied")
    post.send(old)
    assert post.fates()[-2:] == ["silent", "duplicate"]
    assert suspended(post) == ["bob"]


def test_a_from_address_that_proves_nothing_does_not_lift_it(asking_post: Post) -> None:
    """Whoever forges one would have all that was held back sent, and bounce again."""
    post = asking_post
    post.people(alice="sesame", bob="poppy")
    post.mail("alice@example.org", "challenge alice bob -size=3x3")
    with writing(post.house.engine) as connection:
        table_of_bounces.suspend(connection, BOB, post.clock())
    post.mail("alice@example.org", "as alice sesame", "move 101 b2")
    for line in ("help", "list", "hello", "move 101 a1"):
        post.mail(BOB, line)
        assert suspended(post) == ["bob"], line
        assert [each.withheld for each in see_suspended(post.house)] == [2], "the begun board, and the move on it"
    answered = post.answer(post.sent_to(BOB)[-1], "yes")
    assert [each.kind for each in answered if each.recipient == BOB] == ["answer"], "which shows the board"
    assert suspended(post) == []
    assert "withheld" not in statuses(post)


@pytest.mark.parametrize("line", ["list", "hello"])
def test_an_answer_to_a_mail_of_ours_lifts_it(asking_post: Post, line: str) -> None:
    post = asking_post
    post.people(alice="sesame", bob="poppy")
    post.mail("alice@example.org", "challenge alice bob -size=3x3")
    with writing(post.house.engine) as connection:
        table_of_bounces.suspend(connection, BOB, post.clock())
    post.answer(post.sent_to(BOB)[-1], line)
    assert suspended(post) == []


def test_a_player_known_by_password_lifts_it_from_elsewhere(post: Post) -> None:
    gone(post)
    post.mail("bob@new.example", "games bob", "as bob poppy\ngames bob")
    assert suspended(post) == []


def test_only_those_who_still_play_together_are_told(post: Post) -> None:
    club(post)
    post.people(carol="caraway", dave="dill", eve="elder")
    post.mail("alice@example.org", "challenge alice bob carol -size=3x3")
    post.mail("alice@example.org", "move 101 b2")
    post.mail("bob@example.org", "move 101 a1")
    post.mail("carol@example.org", "move 101 c1")
    post.mail("carol@example.org", "resign 101")
    post.mail("dave@example.org", "challenge dave bob -size=3x3")
    post.mail("dave@example.org", "resign 102")
    post.mail("alice@example.org", "challenge alice eve -size=3x3")
    post.mail("dave@example.org", "challenge dave bob eve -size=3x3")
    post.mail("dave@example.org", "move 104 b2")
    post.mail("bob@example.org", "move 104 a1")
    post.mail("bob@example.org", "resign 104")
    told = []
    for letter in boards_to_bob(post, 3):
        told += come_back(post, letter)
    assert [letter.recipient for letter in told] == ["alice@example.org"]
    assert "Boards 101, 105, 106 and 107 have to wait." in words_of(told[0])


def test_bounces_of_answers_to_strangers_stop_nobody(post: Post) -> None:
    """Whoever is no player is only ever answered, so there is nothing to hold back; limits bound the answers."""
    for _ in range(4):
        (letter,) = post.mail("eve@nowhere.example", "help")
        assert come_back(post, letter) == []
    assert noted(post) == [("eve@nowhere.example", True)] * 4
    assert len(post.mail("eve@nowhere.example", "help")) == 1


def test_a_storm_of_reports_brings_no_mail(sqlite_post: Post) -> None:
    gone(sqlite_post)
    before = len(sqlite_post.letters())
    letters = [letter for letter in sqlite_post.letters() if letter.recipient == BOB]
    for number in range(STORM):
        sender = f"mailer-daemon@relay{number}.example"
        raw = report().replace(b"MAILER-DAEMON@relay.example", sender.encode())
        token = letters[number % len(letters)].envelope_sender if number % 2 else "pbmserv+b.x@club.test"
        receive_mail(sqlite_post.house, raw, "<>", [token], sqlite_post.clock())
    sqlite_post.work()
    assert len(sqlite_post.letters()) == before
    assert sqlite_post.fates()[-STORM:] == ["silent", "report"] * (STORM // 2)


def test_what_a_suspended_player_is_owed_outlives_tidying(post: Post) -> None:
    club(post)
    letters = boards_to_bob(post, 3)
    send_all(post)
    for letter in letters:
        come_back(post, letter)
    post.mail("alice@example.org", "move 101 b2")
    post.clock.move(days=400)
    list(purge(post.house, post.clock() - timedelta(days=90), post.clock()))
    assert [letter.match for letter in lifted(post)] == [101]
    due = [letter for letter in post.sent_to(BOB) if letter.status == "waiting" and letter.match]
    assert [letter.match for letter in due] == [102, 103, 101]
    assert all(letter.raw for letter in due)


def test_of_older_mails_the_word_counts_as_soft(post: Post) -> None:
    """Until 0.13.0 the word of the Message-ID stood in the envelope sender: a report may be anybody's."""
    letters = boards_to_bob(club(post), 3)
    with writing(post.house.engine) as connection:
        connection.execute(update(tables.outbox).values(bounce_digest=null()))
    for letter in letters:
        arrive(post, report(), f"pbmserv+b.{thread_word_of(letter)}@club.test")
    assert noted(post) == [(BOB, False)] * 3
    assert suspended(post) == []


@pytest.mark.parametrize("shown_by", ["an answer", "a later mail", "a link"])
def test_what_has_arrived_cannot_come_back(asking_post: Post, shown_by: str) -> None:
    """The words leak with forwarded mails, whose headers hold the envelope sender. Then a report is a lie."""
    post = asking_post.with_server(site_url="https://club.test")
    letters = boards_to_bob(club(post), 3)
    send_all(post)
    post.clock.move(seconds=1)
    if shown_by == "an answer":
        post.answer(letters[0], "hello")
    elif shown_by == "a later mail":
        post.mail(BOB, "as bob poppy", "games bob")
    else:
        with writing(post.house.engine) as connection:
            connection.execute(update(tables.outbox).values(key_used_at=post.clock()))
    told = [come_back(post, letter) for letter in letters]
    late = 1 if shown_by == "an answer" else 0
    assert (told, noted(post)[late:], suspended(post)) == ([[]] * 3, [], [])
    assert post.fates()[-1] == "silent"


def test_whoever_gets_no_mail_is_told_by_a_last_one_an_hour_later(asking_post: Post) -> None:
    """Once, and it goes out; an answer to it brings back all that was held back."""
    post = asking_post
    gone(post)
    assert not tell_suspended(post.house, post.clock())
    post.clock.move(hours=1)
    before = len(post.letters())
    for _ in range(2):
        tell_suspended(post.house, post.clock())
    (last,) = post.letters()[before:]
    assert (last.recipient, last.kind, last.status) == (BOB, "last", "waiting")
    assert "Three mails to you came back" in text_of(last)
    post.answer(last, "I'm here")
    assert suspended(post) == []
    assert "withheld" not in statuses(post)


def test_a_board_that_the_operator_sends_is_held_back_too(post: Post) -> None:
    gone(post)
    resend(post.house, 101, "bob", post.clock())
    assert not write_due(post.house, post.clock())
    assert [letter.match for letter in lifted(post)] == [101]


def test_what_happened_meanwhile_comes_as_one_mail(post: Post) -> None:
    """As the board is by then; and what was said to them, in mails of its own."""
    club(post)
    post.mail("alice@example.org", "challenge alice bob -size=3x3")
    send_all(post)
    with writing(post.house.engine) as connection:
        table_of_bounces.suspend(connection, BOB, post.clock())
    for line in ("101 b2", "undo 101", "chat 101", "resign 101"):
        post.mail("alice@example.org", line, "Are you there?" if line == "chat 101" else "")
    assert [each.withheld for each in see_suspended(post.house)] == [4]
    post.clock.move(days=3)
    assert not write_due(post.house, post.clock())
    news, talk = lifted(post)
    assert words_of(news).startswith("You won: alice resigned.")
    assert "Are you there?" in text_of(talk)


def test_words_that_wait_outlive_a_move_on_a_page(post: Post) -> None:
    """The page shows what has happened, but not what was said."""
    post = club(post.with_server(site_url="https://club.test"))
    post.mail("alice@example.org", "challenge bob alice -size=3x3")
    send_all(post)
    door = door_of(post, BOB)
    with writing(post.house.engine) as connection:
        table_of_bounces.suspend(connection, BOB, post.clock())
    post.mail("alice@example.org", "chat 101", "Are you there?")
    told = played(post, door, "b2")
    assert suspended(post) == []
    assert ["Are you there?" in text_of(each) for each in told if each.recipient == BOB] == [True]


def test_reports_that_are_handled_at_once_stop_mail_once(postgresql_house: App) -> None:
    """Three workers, each with a report of its own in hand: none overlooks what the others count."""
    post = Post(postgresql_house)
    for attempt in range(5):
        if attempt == 0:
            boards_to_bob(club(post), 3)
        for number in (101, 102, 103):
            resend(post.house, number, "bob", post.clock())
        letters = post.letters()[-3:]
        post.clock.move(seconds=1)
        for number, letter in enumerate(letters):
            raw = report().replace(b"MAILER-DAEMON@relay.example", f"MAILER-DAEMON@r{number}.example".encode())
            receive_mail(post.house, raw, "<>", [letter.envelope_sender], post.clock())
        start = threading.Barrier(3)

        def work(start: threading.Barrier = start) -> None:
            start.wait()
            process_next(postgresql_house, post.clock)

        workers = [threading.Thread(target=work) for _ in range(3)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        post.work()
        assert suspended(post) == ["bob"]
        notices = [letter for letter in post.letters() if letter.kind == "notice"]
        assert len(notices) == attempt + 1
        assert lift(post.house, "bob", post.clock()) == BOB


@pytest.mark.parametrize("first", ["move", "lifting"])
def test_a_board_that_is_queued_while_the_address_is_freed_is_not_left_behind(
    postgresql_house: App, monkeypatch: pytest.MonkeyPatch, first: str
) -> None:
    post = Post(postgresql_house)
    gone(post)

    def move() -> None:
        post.mail("alice@example.org", "101 b2")

    def readers(connection: Connection, userids: Any, is_locked: bool = False) -> letters.Readers:
        found = real(connection, userids, is_locked)
        if is_locked:
            wait_until_done_or_waiting(connection.execute(text("SELECT pg_backend_pid()")).scalar_one())
        return found

    real = letters.readers
    monkeypatch.setattr(letters, "readers", readers)

    def lifting() -> None:
        with deciding(postgresql_house, post.clock()) as work:
            work.say(table_of_bounces.lift(work.connection, BOB, post.clock()) or ())
            wait_until_done_or_waiting(work.connection.execute(text("SELECT pg_backend_pid()")).scalar_one())

    second = {"move": lifting, "lifting": move}[first]
    began: list[threading.Thread] = []

    def wait_until_done_or_waiting(pid: int) -> None:
        """Holds the first transaction open until the second is over, or waits for it."""
        if began:
            return
        began.append(threading.Thread(target=second))
        began[0].start()
        wait_for(lambda: not began[0].is_alive() or is_waited_for(pid))

    def is_waited_for(pid: int) -> bool:
        with reading(postgresql_house.engine) as connection:
            query = text("SELECT count(*) FROM pg_stat_activity WHERE :pid = ANY(pg_blocking_pids(pid))")
            return bool(connection.execute(query, {"pid": pid}).scalar_one())

    actions: dict[str, Callable[[], None]] = {"move": move, "lifting": lifting}
    actions[first]()
    began[0].join()
    late = post.sent_to(BOB)[-1]
    assert (late.match, late.status) == (101, "waiting")
    assert "alice played B2" in words_of(late)
