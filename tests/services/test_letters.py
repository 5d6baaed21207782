"""Letters are decided with what they tell and written after it: whatever fails then, each comes once."""

from collections.abc import Callable
from math import inf
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update
from sqlalchemy.exc import OperationalError

from pbmserv.commands.changes import Change, MailStopped, NewAddress, RevokedWords
from pbmserv.commands.letter import FixedText
from pbmserv.services import letters, worker, writer
from pbmserv.services.admin.banning import ban
from pbmserv.services.admin.findings import Verdict
from pbmserv.services.admin.mails import announce, resend
from pbmserv.services.admin.status import Premises, look_around
from pbmserv.services.admin.traces import trace
from pbmserv.services.bounces import lift
from pbmserv.services.posting import see_fate
from pbmserv.services.worker import seconds_until_due
from pbmserv.services.writer import RESTS, write_due
from pbmserv.store import bounces, outbox
from pbmserv.store.accounts import write_account_change
from pbmserv.store.engine import writing
from pbmserv.store.letters import LEFT_ALONE
from pbmserv.store.outbox import OutboxMessage, QueuedMessage
from pbmserv.store.tables import letters as letters_table
from tests.conftest import passwords_kept
from tests.services.post import Post, address_of, header_of, text_of
from tests.services.test_failures import LockNeverGot, spoil
from tests.store.test_races import at_once

ALICE, BOB = "alice@example.org", "bob@example.org"


@pytest.fixture
def club(post: Post) -> Post:
    """Alice is to move, and what a From address says is no proof."""
    post.people(alice="sesame", bob="poppy")
    post.mail(ALICE, "challenge alice bob -size=3x3")
    return post.with_server(confirm="ask")


def stop_after_deciding(monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on a process ends when it has decided what to say."""
    for module in (worker, writer):
        monkeypatch.setattr(module, "write_now", lambda *_: None)


def newest(post: Post, address: str) -> QueuedMessage:
    """The last letter to an address."""
    return post.sent_to(address)[-1]


def written(post: Post) -> list[str]:
    """Who gets what is due now."""
    before = len(post.letters())
    while write_due(post.house, post.clock()):
        pass
    return [letter.recipient for letter in post.letters()[before:]]


def waiting(post: Post) -> list[tuple[str, int]]:
    """To whom letters are not written yet, and how often each was tried."""
    with post.house.engine.connect() as connection:
        rows = connection.execute(letters_table.select().order_by(letters_table.c.id)).all()
    return [(row.recipient, row.tries) for row in rows]


def lines_of(post: Post) -> list[tuple[str, str, int, str]]:
    """What `admin trace board=101` tells of letters that are not written."""
    events = trace(post.house, "board=101")
    return [
        (each.address, each.status, each.tries, each.told)
        for each in events
        if each.step == "out" and each.out is None
    ]


def letters_in_status(post: Post) -> tuple[Verdict, str]:
    """What `status` says of letters."""
    found = look_around(post.house, Premises(Path("/"), ()), post.clock())
    return next((each.verdict, each.found) for each in found if each.name == "letters")


def in_the_notice(name: str, **_: Any) -> bool:
    """Of the templates, that of a board that nobody asked for."""
    return name == "mail/notice.txt"


def test_a_fault_in_a_template_keeps_no_move_out(
    club: Post, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The other letter goes. The one that fails is tried at 1, 10, 60 and 600 seconds after one another; then its
    reader gets a sentence instead, and can answer it as any letter about the board.
    """
    spoil(monkeypatch, "services.letters:render", in_the_notice)
    before = len(club.letters())
    assert [each.recipient for each in club.answer(newest(club, ALICE), "b2")] == [ALICE]
    assert club.moves() == ["B2"]
    assert [rest.total_seconds() for rest in RESTS] == [1, 10, 60, 600]
    for tries, rest in enumerate(RESTS, 1):
        assert waiting(club) == [(BOB, tries)]
        club.clock.move(seconds=rest.total_seconds() - 0.001)
        assert not write_due(club.house, club.clock())
        assert [each.recipient for each in club.mail(ALICE, "help")] == [ALICE]
        club.clock.move(seconds=0.001)
        assert written(club) == ([] if tries < len(RESTS) else [BOB])
    letter = newest(club, BOB)
    assert "could not write the mail" in text_of(letter)
    assert "    show 101" in text_of(letter)
    assert header_of(letter, "Message-ID").startswith("<b101.1.")
    assert "a letter is set aside mail=4 board=101 tries=5 error=Bug" in caplog.text
    assert "sesame" not in caplog.text, "which the bug's own text quotes"
    club.clock.move(days=9)
    assert written(club) == []
    monkeypatch.undo()
    assert {each.recipient for each in club.answer(letter, "a1")} == {ALICE, BOB}
    assert club.moves() == ["B2", "A1"]
    assert len(club.sent_to(BOB)) == len([each for each in club.letters()[:before] if each.recipient == BOB]) + 2


def test_an_answer_that_cannot_be_written(club: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its sentence answers the mail too."""
    spoil(monkeypatch, "services.letters:render", lambda name, **_: name == "mail/answer.txt")
    assert [each.recipient for each in club.answer(newest(club, ALICE), "b2")] == [BOB]
    asked = f"<in-{club.written}@example.org>"
    for rest in RESTS:
        club.clock.now += rest
        write_due(club.house, club.clock())
    letter = newest(club, ALICE)
    assert "could not write the mail" in text_of(letter)
    assert header_of(letter, "In-Reply-To") == asked
    assert header_of(letter, "Message-ID").startswith("<b101.1.")


def test_where_even_the_sentence_fails_nothing_is_sent(club: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    """And nobody else waits for it."""
    spoil(monkeypatch, "services.compose:write", lambda envelope, *_: envelope.recipient == BOB)
    before = len(club.sent_to(BOB))
    club.answer(newest(club, ALICE), "b2")
    for rest in RESTS:
        club.clock.now += rest
        assert written(club) == []
    assert waiting(club) == [(BOB, 5)]
    assert seconds_until_due(club.house, club.clock()) == inf
    with writing(club.house.engine) as connection:
        outbox.mark_sent(connection, [each.id for each in club.letters()], club.clock())
    fate = see_fate(club.house, club.inbox()[-1].id, ALICE)
    assert (fate and fate.state) == "done"
    assert lines_of(club) == [(BOB, "set aside", 5, "board: Bug")]
    assert letters_in_status(club) == (Verdict.ATTENTION, "0 waiting; 1 that our own program failed over")
    assert len(club.mail(ALICE, "help")) == 1
    assert len(club.sent_to(BOB)) == before


def test_what_another_version_has_kept(club: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    """It cannot be read, so its reader gets the sentence at once."""
    with monkeypatch.context() as patch:
        stop_after_deciding(patch)
        club.answer(newest(club, ALICE), "b2")
    with writing(club.house.engine) as connection:
        theirs = update(letters_table).where(letters_table.c.recipient == BOB)
        connection.execute(theirs.values(said='{"is":"FromTheFuture"}'))
    club.clock.now += LEFT_ALONE
    assert written(club) == [ALICE, BOB]
    assert "could not write the mail" in text_of(newest(club, BOB))
    club.answer(newest(club, BOB), "a1")
    assert club.moves() == ["B2", "A1"]


def test_what_the_database_refuses_is_tried_for_ever(club: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is no fault of ours, and the others go on."""
    real = outbox.queue

    def refused(connection: Any, messages: Any, now: Any) -> object:
        if any(each.recipient == BOB for each in messages):
            raise OperationalError("INSERT", {}, LockNeverGot())
        return real(connection, messages, now)

    monkeypatch.setattr(outbox, "queue", refused)
    assert [each.recipient for each in club.answer(newest(club, ALICE), "b2")] == [ALICE]
    for _ in range(9):
        assert waiting(club) == [(BOB, 0)]
        club.clock.move(minutes=1)
        assert written(club) == []
    monkeypatch.undo()
    club.clock.move(minutes=1)
    assert written(club) == [BOB]
    assert waiting(club) == []


def test_while_the_database_goes_away_no_try_counts(club: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    """However often it breaks between a letter and its mail, the letter itself goes, not the sentence."""
    with monkeypatch.context() as patch:
        stop_after_deciding(patch)
        club.answer(newest(club, ALICE), "b2")
    real, broken = outbox.queue, iter(range(7))

    def breaks(*given: Any) -> object:
        if next(broken, None) is not None:
            raise OperationalError("COMMIT", {}, ConnectionError(), connection_invalidated=True)
        return real(*given)

    monkeypatch.setattr(outbox, "queue", breaks)
    club.clock.now += LEFT_ALONE
    for _ in range(7):
        with pytest.raises(OperationalError):
            write_due(club.house, club.clock())
        assert waiting(club) == [(ALICE, 0), (BOB, 0)]
        club.clock.move(seconds=1)
    assert written(club) == [ALICE, BOB]
    assert "Your turn" in text_of(newest(club, BOB))


def test_a_process_that_ends_when_it_has_decided(club: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    """Others leave the letters to it for three seconds, and then write each once. They hold no password."""
    with monkeypatch.context() as patch:
        stop_after_deciding(patch)
        club.mail("eve@example.org", "signup eve pepper")
        club.mail(ALICE, "as alice sesame", "move 101 b2\nmove 101 b2")
    assert [recipient for recipient, _ in waiting(club)] == ["eve@example.org", ALICE, BOB]
    assert lines_of(club) == [(BOB, "unwritten", 0, "board")]
    assert letters_in_status(club) == (Verdict.FINE, "3 waiting, the oldest for 0 seconds")
    assert passwords_kept(club.house) == []
    assert written(club) == []
    club.clock.now += LEFT_ALONE
    assert written(club) == ["eve@example.org", ALICE, BOB]
    assert waiting(club) == []
    assert club.moves() == ["B2"]
    club.answer(newest(club, "eve@example.org"), "yes")
    assert club.is_confirmed("eve")


def test_a_letter_that_ends_each_process_is_set_aside(club: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    """A try counts before it begins, so no letter ends processes for ever; its reader gets the sentence."""
    write = letters.write_letter

    def killed(*given: Any, **named: Any) -> Any:
        if given[1].recipient == BOB and not isinstance(given[1].said, FixedText):
            raise KeyboardInterrupt
        return write(*given, **named)

    monkeypatch.setattr(writer, "write_letter", killed)
    with pytest.raises(KeyboardInterrupt):
        club.answer(newest(club, ALICE), "b2")
    assert club.moves() == ["B2"]
    before, ended = len(club.sent_to(BOB)), 0
    for _ in range(9):
        club.clock.move(minutes=11)
        try:
            while write_due(club.house, club.clock()):
                pass
        except KeyboardInterrupt:
            ended += 1
    assert ended == writer.MOST_TRIES
    assert len(club.sent_to(BOB)) == before + 1
    assert "could not write the mail" in text_of(newest(club, BOB))


def test_two_write_the_same_at_once(club: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    """One of them has each letter in hand: one mail goes."""
    with monkeypatch.context() as patch:
        stop_after_deciding(patch)
        club.answer(newest(club, ALICE), "b2")
    club.clock.now += LEFT_ALONE
    before = len(club.letters())
    at_once(*[lambda: write_due(club.house, club.clock())] * 2)
    assert sorted(each.recipient for each in club.letters()[before:]) == [ALICE, BOB]


def test_a_question_that_is_not_written_yet(club: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    """A copy that proves who wrote the mail takes it back: its answer, a `yes`, plays nothing."""
    raw = club.write(ALICE, "Re: board", "101 b2")
    with monkeypatch.context() as patch:
        stop_after_deciding(patch)
        club.send(raw, ALICE)
    assert {each.recipient for each in club.send(raw, ALICE, [address_of(newest(club, ALICE))])} == {ALICE, BOB}
    assert club.moves() == ["B2"]
    club.clock.now += LEFT_ALONE
    assert written(club) == [ALICE]
    (told,) = club.answer(newest(club, ALICE), "yes")
    assert "No question is waiting for your answer" in text_of(told)


def test_whoever_leaves_gets_the_goodbye_alone(club: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was to be told to them is told to nobody, not even to one who takes their name."""
    club = club.with_server(confirm="from")
    with monkeypatch.context() as patch:
        stop_after_deciding(patch)
        club.mail(ALICE, "101 b2")
        club.mail(BOB, "101 a1")
    club.clock.move(seconds=1)
    (asked,) = club.mail(ALICE, "delete alice sesame")
    told = club.answer(asked, "yes")
    assert (newest(club, ALICE).kind, newest(club, ALICE).recipient) == ("goodbye", ALICE), told
    assert ALICE not in [recipient for recipient, _ in waiting(club)]
    club.clock.now += LEFT_ALONE
    assert ALICE not in written(club)


def once_rendered(monkeypatch: pytest.MonkeyPatch, happens: Callable[[], object]) -> list[str]:
    """Something happens once a mail to bob is rendered, before it is queued; the recipients of all that is."""
    rendered: list[str] = []
    write = letters.write_letter

    def writes(*given: Any, **named: Any) -> OutboxMessage:
        message = write(*given, **named)
        if given[1].userid.lower() == "bob":
            rendered.append(message.recipient)
            if len(rendered) == 1:
                happens()
        return message

    monkeypatch.setattr(writer, "write_letter", writes)
    return rendered


def changing(club: Post, *changes: Change) -> Callable[[], None]:
    """What writes changes of bob's account."""

    def write() -> None:
        with writing(club.house.engine) as connection:
            for change in changes:
                write_account_change(connection, change, club.clock())

    return write


BOBS = 2
"""Bob's account."""


def test_whose_address_changes_while_their_letter_is_rendered(club: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is rendered again, for the new one."""
    moved = changing(club, NewAddress(BOBS, "bob@new.example", is_first=True))
    rendered = once_rendered(monkeypatch, moved)
    before = len(club.sent_to(BOB))
    club.answer(newest(club, ALICE), "b2")
    assert rendered == [BOB, "bob@new.example"]
    assert (len(club.sent_to(BOB)), len(club.sent_to("bob@new.example"))) == (before, 1)
    club.answer(newest(club, "bob@new.example"), "a1")
    assert club.moves() == ["B2", "A1"]


def test_who_is_banned_while_their_letter_is_rendered(club: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    """It shows the board as it is by then: it is nobody's turn."""
    once_rendered(monkeypatch, lambda: ban(club.house, "bob", "", club.clock()))
    before = len(club.sent_to(BOB))
    club.answer(newest(club, ALICE), "b2")
    told = club.sent_to(BOB)[before:]
    assert told
    assert not any("Your turn" in text_of(each) for each in told)
    assert waiting(club) == []


def test_who_stops_their_mail_while_it_is_rendered(club: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing goes but the end of a game."""
    once_rendered(monkeypatch, changing(club, MailStopped(BOBS)))
    before = len(club.sent_to(BOB))
    club.answer(newest(club, ALICE), "b2")
    assert (len(club.sent_to(BOB)), waiting(club)) == (before, [])
    (asked,) = club.mail(ALICE, "resign 101")
    club.answer(asked, "yes")
    assert [each.recipient for each in club.sent_to(BOB)[before:]] == [BOB]


def test_what_was_to_be_said_to_one_who_has_stopped_their_mail(
    club: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A message that was decided before is not written any longer; what the operator says is."""
    club = club.with_server(confirm="from")
    with monkeypatch.context() as patch:
        stop_after_deciding(patch)
        club.mail(ALICE, "message bob", "Hello!")
    changing(club, MailStopped(BOBS))()
    announce(club.house, "We move.", club.clock())
    club.clock.now += LEFT_ALONE
    before = len(club.letters())
    assert written(club) == [ALICE]
    assert waiting(club) == []
    assert "Hello!" not in "".join(text_of(each) for each in club.letters()[before:])
    assert "We move." in text_of(newest(club, BOB))


def test_whose_mail_comes_back_while_their_letter_is_rendered(club: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    """It waits unwritten until that is lifted, and then shows the board as it is."""

    def suspend() -> None:
        with writing(club.house.engine) as connection:
            bounces.suspend(connection, BOB, club.clock())

    once_rendered(monkeypatch, suspend)
    before = len(club.sent_to(BOB))
    club.answer(newest(club, ALICE), "b2")
    assert (len(club.sent_to(BOB)), waiting(club)) == (before, [(BOB, 0)])
    assert seconds_until_due(club.house, club.clock()) == inf
    club.clock.move(days=99)
    assert written(club) == []
    assert lift(club.house, "bob", club.clock()) == BOB
    assert "alice played B2" in text_of(club.sent_to(BOB)[before])
    assert waiting(club) == []


def test_what_was_withheld_goes_to_a_new_address(club: Post) -> None:
    """With which its reader can be reached again."""
    with writing(club.house.engine) as connection:
        bounces.suspend(connection, BOB, club.clock())
    club.answer(newest(club, ALICE), "b2")
    assert waiting(club) == [(BOB, 0)]
    changing(club, NewAddress(BOBS, "bob@new.example", is_first=True))()
    assert written(club) == ["bob@new.example"]
    assert "alice played B2" in text_of(newest(club, "bob@new.example"))


def test_who_revokes_what_was_mailed_while_their_letter_is_rendered(
    club: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It gets another token, after all that were revoked."""
    rendered = once_rendered(monkeypatch, changing(club, RevokedWords(BOBS)))
    club.answer(newest(club, ALICE), "b2")
    assert rendered == [BOB, BOB]


def test_a_letter_that_fails_for_one_whose_address_changes(club: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sentence in its place goes to the new address too."""
    club.with_server(confirm="from").mail(ALICE, "101 b2")
    with monkeypatch.context() as patch:
        stop_after_deciding(patch)
        resend(club.house, 101, "bob", club.clock())
    with writing(club.house.engine) as connection:
        theirs = update(letters_table).where(letters_table.c.recipient == BOB)
        connection.execute(theirs.values(said='{"is":"FromTheFuture"}'))
    once_rendered(monkeypatch, changing(club, NewAddress(BOBS, "bob@new.example", is_first=True)))
    club.clock.now += LEFT_ALONE
    assert written(club) == ["bob@new.example"]
    assert "could not write the mail" in text_of(newest(club, "bob@new.example"))
