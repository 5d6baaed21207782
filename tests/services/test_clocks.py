"""The clocks of a club on a moved clock: who is reminded, who forfeits, and who never does."""

import random
import threading
from datetime import date, timedelta

import pytest
from sqlalchemy import delete, insert, update

from pbmserv.commands.changes import NewVacations
from pbmserv.mail.sending.transport import Delivered, Failed
from pbmserv.matches.clock import DAY, Timing
from pbmserv.matches.replay import GameState, replay
from pbmserv.matches.turn_time import left
from pbmserv.services.admin.pulse import record_heartbeat
from pbmserv.services.app import App
from pbmserv.services.bounces import count_refusal, lift, see_suspended
from pbmserv.services.deliver import note
from pbmserv.services.notices import BoardChange, board_notices
from pbmserv.services.scheduler import clocks as clock_service
from pbmserv.services.scheduler.clocks import look_after_clocks
from pbmserv.services.scheduler.retention import tell_over
from pbmserv.services.views import list_outbox, list_players, load_board
from pbmserv.services.writer import deciding
from pbmserv.store import bounces, clocks, inbox, matches
from pbmserv.store.bounces import BouncedMail
from pbmserv.store.engine import reading, writing
from pbmserv.store.outbox import QueuedMessage
from pbmserv.store.queries import TransactionQueries
from pbmserv.store.tables import heartbeats, outages
from pbmserv.store.tables import inbox as inbox_table
from tests.conftest import NOON, Clock
from tests.services.post import Post, text_of

ALICE, BOB, CAROL = "alice@example.org", "bob@example.org", "carol@example.org"
HOUR = timedelta(hours=1)


def hand_over(post: Post) -> list[QueuedMessage]:
    """All that waits is handed over; what it was."""
    waiting = [*reversed(list_outbox(post.house, "waiting", 1000))]
    with writing(post.house.engine) as connection:
        for letter in waiting:
            note(connection, [(letter, Delivered())], post.clock())
    return waiting


def look(post: Post) -> list[QueuedMessage]:
    """The steward looks at the clocks; what is mailed then."""
    while look_after_clocks(post.house, post.clock()):
        pass
    return hand_over(post)


def days_pass(post: Post, days: float, step: float = 6) -> list[QueuedMessage]:
    """So many days, with a look every few hours; what is mailed."""
    mailed = []
    for _ in range(round(days * 24 / step)):
        post.clock.move(hours=step)
        mailed += look(post)
    return mailed


def club(post: Post, options: str = "-forfeittime=4 -nagtime=none", userids: str = "alice bob") -> Post:
    """Board 101, mailed at noon, alice to move."""
    post.people(alice="sesame", bob="poppy", carol="tahini")
    post.mail(ALICE, f"challenge {userids} -size=3x3 {options}")
    hand_over(post)
    return post


def board(post: Post, number: int = 101) -> GameState:
    seen = load_board(post.house, number)
    assert seen is not None
    return replay(seen.match)


def kinds(post: Post, number: int = 101) -> list[str]:
    return [entry.kind for entry in board(post, number).match.entries]


def forget_beats(post: Post) -> None:
    """From now on no part is missed."""
    with writing(post.house.engine) as connection:
        connection.execute(delete(heartbeats))


def player_id(post: Post, userid: str) -> int:
    return next(player.id for player in list_players(post.house) if player.userid == userid)


def suspend(post: Post) -> None:
    """Mail to alice comes back from now on."""
    alice = player_id(post, "alice")
    with writing(post.house.engine) as connection:
        bounces.suspend(connection, ALICE, post.clock())
        clocks.begin_standstill(connection, alice, post.clock())


@pytest.fixture
def mailed(post: Post) -> Post:
    """On either kind of database."""
    return club(post)


@pytest.fixture
def quick(sqlite_post: Post) -> Post:
    """On SQLite, where the database makes no difference."""
    return club(sqlite_post)


def test_a_turn_from_beginning_to_end(mailed: Post) -> None:
    """Reminders at half, four fifths and the last day, each to who is to move alone; then the board to both."""
    letters = days_pass(mailed, 5)
    assert [letter.recipient for letter in letters] == [ALICE, ALICE, ALICE, BOB]
    assert "Your turn. You have 2 days." in " ".join(text_of(letters[0]).split())
    assert kinds(mailed) == ["forfeited"]
    (forfeited,) = board(mailed).match.entries
    assert (forfeited.at, forfeited.used, forfeited.seat) == (NOON + 4 * DAY, 4 * 86400, 0)
    assert days_pass(mailed, 30, step=24) == []


def test_a_reminder_is_answered(mailed: Post) -> None:
    """With a move in its first line, and the next turn is the other one's."""
    reminder, *_ = days_pass(mailed, 2)
    mailed.answer(reminder, "b2")
    assert mailed.moves() == ["B2"]
    (played,) = board(mailed).match.entries
    assert played.used == 2 * 86400


def test_time_begins_when_the_board_is_handed_over(quick: Post) -> None:
    """Not while our mail waits to be sent, and not with a mail of another board or ply."""
    quick.mail(ALICE, "101 b2")
    quick.clock.move(days=6)
    while look_after_clocks(quick.house, quick.clock()):
        pass
    assert kinds(quick) == ["played"]
    hand_over(quick)
    days_pass(quick, 3.75)
    assert kinds(quick) == ["played"]
    days_pass(quick, 0.5)
    assert kinds(quick) == ["played", "forfeited"]


def test_any_mail_with_the_board_begins_it(quick: Post) -> None:
    """An answer that shows several boards too; one to somebody else does not."""
    quick.mail(ALICE, "101 b2")
    with writing(quick.house.engine) as connection:
        for letter in list_outbox(quick.house, "waiting", 10):
            note(connection, [(letter, Failed("no"))], quick.clock())
    for sender, begun in ((ALICE, False), (BOB, True)):
        quick.mail(sender, "show 101")
        hand_over(quick)
        with reading(quick.house.engine) as connection:
            clock = clocks.find_clock(connection, 101)
        assert clock is not None
        assert (clock.started is not None) is begun


def test_a_mail_with_an_earlier_ply_does_not(sqlite_post: Post) -> None:
    """One that was sent late: its player cannot know yet that it is their turn."""
    sqlite_post.people(alice="sesame", bob="poppy")
    sqlite_post.mail(ALICE, "challenge alice bob -size=3x3")
    sqlite_post.mail(ALICE, "101 b2")
    begun, moved = (letter for letter in sqlite_post.sent_to(BOB) if letter.match == 101)
    for letter, has_started in ((begun, False), (moved, True)):
        with writing(sqlite_post.house.engine) as connection:
            note(connection, [(letter, Delivered())], sqlite_post.clock())
            clock = clocks.find_clock(connection, 101)
        assert clock is not None
        assert (clock.started is not None) is has_started


def test_a_board_that_never_went_out_is_mailed_again(quick: Post) -> None:
    """After a week, when nothing is on its way any more."""
    quick.mail(ALICE, "101 b2")
    with writing(quick.house.engine) as connection:
        for letter in list_outbox(quick.house, "waiting", 10):
            note(connection, [(letter, Failed("no"))], quick.clock())
    assert [letter.recipient for letter in days_pass(quick, 8)] == [BOB]
    days_pass(quick, 4)
    assert kinds(quick) == ["played", "forfeited"]


def test_a_late_move_counts_until_the_turn_is_ended(mailed: Post) -> None:
    """Though its player has nothing left."""
    mailed.clock.move(days=5)
    mailed.mail(ALICE, "101 b2")
    look(mailed)
    assert kinds(mailed) == ["played"]


def test_no_forfeit_while_a_mail_waits(mailed: Post) -> None:
    """One from anybody that was kept in time, since it may name the board; then it is done, or the time is up."""
    mailed.clock.move(days=4, minutes=-1)
    mailed.put(mailed.write("unknown@example.org", "move 101 alice sesame b2"))
    mailed.clock.move(minutes=2)
    look(mailed)
    assert kinds(mailed) == []
    mailed.work()
    assert kinds(mailed) == ["played"]


def test_a_stranger_who_is_late_holds_nothing_up(quick: Post) -> None:
    """Else a server that always has mail would end no turn; whoever is on turn is waited for."""
    quick.clock.move(days=4, minutes=5)
    quick.put(quick.write("unknown@example.org", "help"))
    mail_id = quick.put(quick.write(ALICE, "101 b2"))
    look(quick)
    assert kinds(quick) == []
    with writing(quick.house.engine) as connection:
        inbox.finish(connection, mail_id, "handled", quick.clock(), masked=b"")
    quick.clock.move(minutes=2)
    look(quick)
    assert kinds(quick) == ["forfeited"]


def test_no_forfeit_while_a_mail_is_set_aside(quick: Post) -> None:
    """One of this player's in this turn; the operator has it."""
    mail_id = quick.put(quick.write(ALICE, "101 b2"))
    with writing(quick.house.engine) as connection:
        connection.execute(update(inbox_table).where(inbox_table.c.id == mail_id).values(status="set aside"))
    days_pass(quick, 6)
    assert kinds(quick) == []
    with writing(quick.house.engine) as connection:
        inbox.retry(connection, mail_id, quick.clock())
    quick.work()
    assert kinds(quick) == ["played"]


def test_a_mail_from_elsewhere_that_is_set_aside(quick: Post) -> None:
    """It may be theirs, by password: the operator has a week to see to it, and then the board goes on."""
    days_pass(quick, 1)
    mail_id = quick.put(quick.write("unknown@example.org", "move 101 alice sesame b2"))
    with writing(quick.house.engine) as connection:
        connection.execute(update(inbox_table).where(inbox_table.c.id == mail_id).values(status="set aside"))
    days_pass(quick, 6.75)
    assert kinds(quick) == []
    days_pass(quick, 0.5)
    assert kinds(quick) == ["forfeited"]
    with writing(quick.house.engine) as connection:
        inbox.finish(connection, mail_id, "handled", quick.clock(), masked=b"")


def test_an_outage_is_on_nobodys_clock(mailed: Post) -> None:
    """A part that was silent for long: so much later the turn ends, and a little more since mail comes again."""
    record_heartbeat(mailed.house, "listener", mailed.clock())
    mailed.clock.move(days=5)
    look(mailed)
    assert kinds(mailed) == []
    record_heartbeat(mailed.house, "listener", mailed.clock())
    forget_beats(mailed)
    days_pass(mailed, 4)
    assert kinds(mailed) == []
    days_pass(mailed, 0.25)
    assert kinds(mailed) == ["forfeited"]
    (forfeited,) = board(mailed).match.entries
    assert forfeited.used >= 4 * 86400


def test_short_silence_and_parts_out_of_use(quick: Post) -> None:
    """Neither is an outage, but that of the steward always is."""
    record_heartbeat(quick.house, "poller", quick.clock())
    record_heartbeat(quick.house, "scheduler", quick.clock())
    for _ in range(20):
        quick.clock.move(minutes=9)
        record_heartbeat(quick.house, "scheduler", quick.clock())
    quick.clock.move(days=20)
    record_heartbeat(quick.house, "poller", quick.clock())
    look(quick)
    assert kinds(quick) == []
    record_heartbeat(quick.house, "scheduler", quick.clock())
    forget_beats(quick)
    days_pass(quick, 4.25)
    assert kinds(quick) == ["forfeited"]
    assert board(quick).match.entries[0].at > NOON + 24 * DAY


def test_a_part_that_is_taken_out_of_use(quick: Post) -> None:
    """For two weeks it may come back, and the clocks stand still; then they go on from where they stood."""
    days_pass(quick, 1)
    record_heartbeat(quick.house, "poller", quick.clock())
    days_pass(quick, 17)
    assert kinds(quick) == []
    days_pass(quick, 0.25)
    assert kinds(quick) == ["forfeited"]


def test_a_part_that_comes_back_into_use(quick: Post) -> None:
    """The time in which it was missed stays on nobody's clock."""
    days_pass(quick, 1)
    record_heartbeat(quick.house, "poller", quick.clock())
    days_pass(quick, 15)
    record_heartbeat(quick.house, "poller", quick.clock())
    look(quick)
    assert kinds(quick) == []
    forget_beats(quick)
    days_pass(quick, 1.75)
    assert kinds(quick) == []
    days_pass(quick, 0.5)
    assert kinds(quick) == ["forfeited"]


def test_mail_that_comes_back_stops_the_clock_for_thirty_days(mailed: Post) -> None:
    """Then it runs on with what was left; nobody is reminded where mail comes back, and both know of the end."""
    days_pass(mailed, 3)
    suspend(mailed)
    assert days_pass(mailed, 30) == []
    assert left(board(mailed), timing_of(mailed)) == DAY
    assert [each.recipient for each in days_pass(mailed, 0.75)] == []
    assert kinds(mailed) == []
    assert [each.recipient for each in days_pass(mailed, 0.5)] == [BOB]
    (forfeited,) = board(mailed).match.entries
    assert (forfeited.kind, forfeited.used) == ("forfeited", 4 * 86400)


def test_a_player_who_is_back_has_what_was_left(mailed: Post) -> None:
    """The time in which mail came back is not counted, what went before is; a letter tells it."""
    days_pass(mailed, 3)
    suspend(mailed)
    days_pass(mailed, 10)
    assert lift(mailed.house, "alice", mailed.clock()) == ALICE
    back = look(mailed)[-1]
    assert back.recipient == ALICE
    assert "Your clocks stopped meanwhile and are running again." in words_of(back)
    assert "board 101: 1 day, until 2026-01-15 12:00 UTC" in words_of(back)
    days_pass(mailed, 0.75)
    assert kinds(mailed) == []
    days_pass(mailed, 0.5)
    assert kinds(mailed) == ["forfeited"]


def test_a_turn_that_begins_while_mail_comes_back_does_not_wait_for_ever(mailed: Post) -> None:
    """Its board is held back, so nobody ever hands it over."""
    suspend(mailed)
    mailed.mail("elsewhere@example.net", "move 101 alice sesame b2")
    assert see_suspended(mailed.house) == []
    hand_over(mailed)
    suspend(mailed)
    mailed.mail(BOB, "move 101 a1")
    hand_over(mailed)
    assert mailed.moves() == ["B2", "A1"]
    assert days_pass(mailed, 33.75) == []
    assert kinds(mailed) == ["played", "played"]
    assert [each.recipient for each in days_pass(mailed, 0.5)] == [BOB]
    assert kinds(mailed) == ["played", "played", "forfeited"]


def test_thirty_days_a_year_however_often(quick: Post) -> None:
    """Coming back in between makes it no more; what was longer than a year ago counts no more."""
    for days in (10, 10):
        suspend(quick)
        days_pass(quick, days)
        lift(quick.house, "alice", quick.clock())
        days_pass(quick, 1)
    suspend(quick)
    days_pass(quick, 11.75)
    assert kinds(quick) == []
    days_pass(quick, 0.5)
    assert kinds(quick) == ["forfeited"]
    lift(quick.house, "alice", quick.clock())
    quick.mail(BOB, "challenge alice bob -size=3x3 -forfeittime=4 -nagtime=none")
    hand_over(quick)
    suspend(quick)
    days_pass(quick, 4.25)
    assert kinds(quick, 102) == ["forfeited"]
    lift(quick.house, "alice", quick.clock())
    quick.clock.move(days=365)
    forget_beats(quick)
    quick.mail(BOB, "challenge alice bob -size=3x3 -forfeittime=4 -nagtime=none")
    hand_over(quick)
    suspend(quick)
    days_pass(quick, 33.75)
    assert kinds(quick, 103) == []
    days_pass(quick, 0.5)
    assert kinds(quick, 103) == ["forfeited"]


def test_another_address_after_mail_came_back(quick: Post) -> None:
    """The board is mailed there at once, and the clock runs on with what was left."""
    days_pass(quick, 1)
    suspend(quick)
    days_pass(quick, 5)
    letters = quick.mail("new@example.net", "change address alice sesame new@example.net")
    quick.answer(next(each for each in letters if each.recipient == "new@example.net"), "yes")
    assert look(quick)[-1].match == 101
    assert look(quick) == []
    days_pass(quick, 2.75)
    assert kinds(quick) == []
    days_pass(quick, 0.5)
    assert kinds(quick) == ["forfeited"]


def test_the_clock_stands_still_from_the_first_mail_that_came_back(quick: Post) -> None:
    """It takes three to know; nobody reads a board that did not arrive."""
    days_pass(quick, 2)
    for letter in quick.sent_to(ALICE)[-3:]:
        days_pass(quick, 0.5)
        with deciding(quick.house, quick.clock()) as work:
            count_refusal(work, BouncedMail(letter.id, ALICE), "550 5.1.1 unknown")
    assert see_suspended(quick.house) != []
    assert left(board(quick), timing_of(quick)) == 1.5 * DAY
    days_pass(quick, 20, step=24)
    assert kinds(quick) == []
    lift(quick.house, "alice", quick.clock())
    days_pass(quick, 1.25)
    assert kinds(quick) == []
    days_pass(quick, 0.5)
    assert kinds(quick) == ["forfeited"]


def test_what_opponents_are_told_of_a_clock_that_stands_still_is_true(quick: Post) -> None:
    """Each board says so as long as it is so; when it is over they are told once, the player later."""
    days_pass(quick, 1)
    suspend(quick)
    days_pass(quick, 1)
    (shown,) = quick.mail(BOB, "show 101")
    assert "alice has 3 days left." in words_of(shown)
    assert "The clock stands still: mail to alice comes back." in words_of(shown)
    assert "on 2026-02-01 12:00 UTC at the latest." in words_of(shown)
    assert tell_ends(quick) == []
    days_pass(quick, 29.25)
    (told,) = tell_ends(quick)
    assert told.recipient == BOB
    assert "It is running again on board 101: each turn has the time that was left" in words_of(told)
    assert tell_ends(quick) == []
    (shown,) = quick.mail(BOB, "show 101")
    assert "alice has until 2026-02-04 12:00 UTC." in words_of(shown)
    assert "stands still" not in words_of(shown)
    quick.mail(ALICE, "games")
    (back,) = (each for each in look(quick) if "you are back" in each.raw.decode())
    assert "Your clocks stopped until 2026-02-01 12:00 UTC and have been running since" in words_of(back)


def test_who_comes_back_in_time_is_told_no_end(quick: Post) -> None:
    suspend(quick)
    days_pass(quick, 3)
    lift(quick.house, "alice", quick.clock())
    hand_over(quick)
    quick.clock.move(days=60)
    assert tell_ends(quick) == []
    suspend(quick)
    assert tell_ends(quick) == []


def tell_ends(post: Post) -> list[QueuedMessage]:
    """What the steward mails of standstills that are over."""
    hand_over(post)
    while tell_over(post.house, post.clock()):
        pass
    return hand_over(post)


def timing_of(post: Post) -> Timing:
    """Of board 101, now."""
    with reading(post.house.engine) as connection:
        return TransactionQueries(connection).timing(board(post), post.clock())


def words_of(letter: QueuedMessage) -> str:
    """What a letter says, whatever its lines."""
    return " ".join(text_of(letter).split())


def test_an_answer_to_where_mail_comes_back_from_changes_no_clock(asking_post: Post) -> None:
    """Anybody may have asked for it in the name of who is suspended: their time stands still all the same."""
    club(asking_post, "-forfeittime=4 -nagtime=none")
    suspend(asking_post)
    (shown,) = asking_post.mail(ALICE, "show 101")
    assert "Your turn." in text_of(shown)
    hand_over(asking_post)
    assert days_pass(asking_post, 10) == []
    assert kinds(asking_post) == []
    lift(asking_post.house, "alice", asking_post.clock())
    look(asking_post)
    days_pass(asking_post, 3.75)
    assert kinds(asking_post) == []
    days_pass(asking_post, 0.5)
    assert kinds(asking_post) == ["forfeited"]


def test_vacation(mailed: Post) -> None:
    """Stops the clock of who is to move, from the first day to the end of the last."""
    with writing(mailed.house.engine) as connection:
        days = ((date(2026, 1, 3), date(2026, 1, 12)),)
        clocks.write_vacations(connection, NewVacations(player_id(mailed, "alice"), NOON.date(), days))
    days_pass(mailed, 13.75)
    assert kinds(mailed) == []
    days_pass(mailed, 0.5)
    assert kinds(mailed) == ["forfeited"]


def test_vacation_that_is_dropped(quick: Post) -> None:
    """The clock runs again from then on, and its end is known anew."""
    quick.mail(ALICE, "set vacation 2026-01-03 2026-01-12")
    look(quick)
    quick.mail(ALICE, "set vacation off")
    days_pass(quick, 4.25)
    assert kinds(quick) == ["forfeited"]


def test_three_players(quick: Post) -> None:
    """The others play on; the one who is out and the next one, whose turn has just begun, get a mail."""
    quick.mail(ALICE, "challenge alice bob carol -size=3x3 -forfeittime=2 -nagtime=none")
    hand_over(quick)
    letters = days_pass(quick, 2.25)
    assert [letter.recipient for letter in letters if letter.match == 102][-2:] == [ALICE, BOB]
    assert board(quick, 102).on_turn == "bob"
    assert board(quick, 102).state.status == "active"
    assert "out of the game" in text_of([each for each in letters if each.recipient == ALICE][-1])
    days_pass(quick, 2.25)
    assert kinds(quick, 102) == ["forfeited", "forfeited"]
    assert board(quick, 102).state.ending == "forfeited"


def test_a_broken_log_stops_no_other_clock(quick: Post) -> None:
    """It is told, and left alone."""
    quick.mail(ALICE, "challenge alice bob -size=3x3 -forfeittime=1")
    hand_over(quick)
    with writing(quick.house.engine) as connection:
        connection.exec_driver_sql("UPDATE matches SET rules = 'cephalopod/0' WHERE number = 101")
    days_pass(quick, 5)
    assert kinds(quick, 102) == ["forfeited"]


def test_a_board_that_fails_stops_no_other_clock(
    quick: Post, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Our own fault with one is told, and it is looked at again later."""
    quick.mail(ALICE, "challenge alice bob -size=3x3 -forfeittime=4 -nagtime=none")
    hand_over(quick)
    notices = board_notices

    def notices_but_of_one(records: TransactionQueries, happened: BoardChange) -> object:
        if happened.board.match.number == 101:
            raise ZeroDivisionError
        return notices(records, happened)

    with monkeypatch.context() as patched:
        patched.setattr(clock_service, "board_notices", notices_but_of_one)
        quick.clock.move(days=5)
        look(quick)
        quick.clock.move(minutes=30)
        look(quick)
    assert (kinds(quick), kinds(quick, 102)) == ([], ["forfeited"])
    assert [record.getMessage() for record in caplog.records if record.exc_info] == [
        "a clock cannot be looked at board=101 error=ZeroDivisionError"
    ]
    quick.clock.move(hours=1)
    look(quick)
    assert kinds(quick) == ["forfeited"]


def test_two_stewards_at_once(postgresql_house: App, clock: Clock) -> None:
    """Each turn is ended once, and each reminder goes out once."""
    post = Post(postgresql_house, clock)
    post.people(alice="sesame", bob="poppy", carol="tahini", dave="cumin")
    for others in ("bob", "carol", "dave"):
        for _ in range(3):
            post.mail(ALICE, f"challenge alice {others} -size=3x3 -forfeittime=4 -nagtime=none")
    hand_over(post)
    boards = range(101, 110)
    for days, expected in ((2, len(boards)), (3, 2 * len(boards))):
        clock.move(days=days)
        before = len(post.letters())
        start = threading.Barrier(3)

        def steward(start: threading.Barrier = start) -> None:
            start.wait()
            for _ in range(3):
                look_after_clocks(post.house, clock())

        stewards = [threading.Thread(target=steward) for _ in range(3)]
        for each in stewards:
            each.start()
        for each in stewards:
            each.join()
        look(post)
        assert len(post.letters()) - before == expected
    assert [kinds(post, number) for number in boards] == [["forfeited"]] * len(boards)


def test_a_move_and_the_end_of_a_turn_meet(postgresql_house: App, clock: Clock) -> None:
    """Whoever has the board first decides; the other one finds it so."""
    post = club(Post(postgresql_house, clock))
    clock.move(days=5)
    with writing(post.house.engine) as connection:
        matches.lock(connection, [101])
        assert not look_after_clocks(post.house, clock())
    assert kinds(post) == []
    post.put(post.write(ALICE, "101 b2"))
    both = [
        threading.Thread(target=post.work),
        threading.Thread(target=lambda: look_after_clocks(post.house, clock())),
    ]
    for each in both:
        each.start()
    for each in both:
        each.join()
    assert kinds(post) == ["played"]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seed", range(4))
def test_no_turn_ends_before_its_time(seed: int, sqlite_post: Post) -> None:
    """Whatever happens meanwhile: counted hour by hour, nobody forfeits who had time left, and everybody does who
    has none.
    """
    chance = random.Random(seed)
    post = club(sqlite_post, options="-forfeittime=6")
    alice = player_id(post, "alice")
    ran, down_since, holidays = 0, None, set[date]()
    for _ in range(24 * 60):
        if kinds(post):
            break
        post.clock.move(hours=1)
        now = post.clock()
        ran += down_since is None and (now - HOUR).date() not in holidays
        if down_since is None and chance.random() < 0.01:
            down_since = now
        elif down_since is not None and chance.random() < 0.1:
            with writing(post.house.engine) as connection:
                connection.execute(insert(outages).values(part="all", began_at=down_since, ended_at=now))
            down_since = None
        elif chance.random() < 0.01 and not holidays:
            first = now.date() + timedelta(days=chance.randint(1, 3))
            last = first + timedelta(days=chance.randint(0, 9))
            holidays = {first + timedelta(days=each) for each in range((last - first).days + 1)}
            with writing(post.house.engine) as connection:
                clocks.write_vacations(connection, NewVacations(alice, now.date(), ((first, last),)))
        if down_since is None:
            if chance.random() < 0.5:
                with writing(post.house.engine) as connection:
                    clocks.check_all_again(connection)
            look(post)
    assert kinds(post) == ["forfeited"]
    assert ran >= 6 * 24 - 1
    (forfeited,) = board(post).match.entries
    assert forfeited.used >= 6 * 86400


def test_the_news_and_the_terms_tell_the_same_time(sqlite_post: Post) -> None:
    sqlite_post.people(alice="sesame", bob="poppy")
    letters = sqlite_post.mail(ALICE, "chess challenge bob alice --forfeittime=1.5")
    (told,) = [text_of(letter) for letter in letters if letter.recipient == BOB]
    assert "Your turn. You have 1 day and 12 hours." in " ".join(told.split())
    assert "1 day and 12 hours a turn" in told
