"""Playing by a personal link: what its key allows, what becomes of what is sent, and that it leads no further."""

import hashlib
import logging
import re
from dataclasses import replace
from datetime import timedelta
from itertools import cycle

import pytest

from pbmserv.commands.server import Server
from pbmserv.mail.sending.from_web import link_id_of
from pbmserv.mail.sending.transport import Delivered as HandedOver
from pbmserv.matches.log import rules_of
from pbmserv.services.app import App
from pbmserv.services.deliver import note
from pbmserv.services.play import PlayLink, find_play_link, is_done, load_outcome, play, settled
from pbmserv.services.scheduler.retention import purge
from pbmserv.store.engine import writing
from pbmserv.store.mail_tokens import digest
from pbmserv.store.outbox import QueuedMessage
from tests.conftest import ADDRESS, Clock
from tests.conversation import parsed
from tests.operating import operate
from tests.services.post import Post, form_of, header_of, text_of, token_of

SITE = "https://club.test"
LINK = re.compile(r"https://club\.test/play/([0-9]+)/([a-z0-9]+)")
ALICE, BOB, CAROL = "alice@example.org", "bob@example.org", "carol@example.org"


@pytest.fixture
def club(house: App, clock: Clock) -> Post:
    """Alice, who is to move, and bob on board 101; a From address proves nothing here."""
    return begun(house, clock)


@pytest.fixture
def quick_club(sqlite_house: App, clock: Clock) -> Post:
    """The same on SQLite alone."""
    return begun(sqlite_house, clock)


def begun(house: App, clock: Clock) -> Post:
    post = Post(replace(house, server=Server(ADDRESS, variants=True, confirm="ask", site_url=SITE)), clock)
    post.people(alice="sesame", bob="poppy")
    post.mail(ALICE, "challenge alice bob")
    return post


def links_in(letter: QueuedMessage) -> list[tuple[int, str]]:
    """The boards and keys of the personal links in a mail, each once: text and HTML have the same."""
    whole = "".join(str(part.get_content()) for part in parsed(letter.raw).walk() if not part.is_multipart())
    return [(int(number), key) for number, key in dict.fromkeys(LINK.findall(whole))]


def newest_link(post: Post, address: str) -> tuple[int, str]:
    """The first link of the newest mail to an address that has any."""
    return next(links_in(letter)[0] for letter in reversed(post.sent_to(address)) if links_in(letter))


def door_of(post: Post, address: str = ALICE) -> PlayLink:
    """Where the newest link that somebody was mailed leads to."""
    found = find_play_link(post.house, *newest_link(post, address), post.clock())
    assert found is not None
    return found


def played(post: Post, door: PlayLink, move: str, words: str = "") -> list[QueuedMessage]:
    """Plays by a door, and gives the letters that this brought."""
    before = len(post.letters())
    assert play(post.house, door, form_of(door, move, words), post.clock()) is not None
    post.work()
    return post.letters()[before:]


# Who gets a link


def test_whoever_is_to_move_gets_a_link_that_nobody_else_gets(club: Post) -> None:
    """It leads to their board, in the text on a line of its own; all others get the plain address."""
    to_alice, to_bob = (club.sent_to(each)[-1] for each in (ALICE, BOB))
    ((number, key),) = links_in(to_alice)
    assert number == 101
    assert f"\nOr play on the web:\n    {SITE}/play/101/{key}\n" in text_of(to_alice)
    assert links_in(to_bob) == []
    assert f"\nSee it on the web: {SITE}/boards/101\n" in text_of(to_bob)
    assert f'href="{SITE}/boards/101"' in to_bob.raw.decode().replace("=3D", "=").replace("=\r\n", "")
    assert key not in to_bob.raw.decode()


def test_a_key_is_no_token(club: Post) -> None:
    """What stands in the Message-ID, and so in what others are sent copies of, opens nothing."""
    letter = club.sent_to(ALICE)[-1]
    ((_, key),) = links_in(letter)
    assert key != token_of(letter)
    assert find_play_link(club.house, 101, token_of(letter), club.clock()) is None


def test_the_database_knows_a_key_by_its_digest_alone(quick_club: Post) -> None:
    """But for the mail itself, which is let go of."""
    _, key = newest_link(quick_club, ALICE)
    with quick_club.house.engine.connect() as connection:
        row = connection.exec_driver_sql("SELECT * FROM outbox ORDER BY id DESC LIMIT 2").mappings().all()
    assert not any(key in str(value) for each in row for name, value in each.items() if name != "raw")
    assert sum(each["key_digest"] is not None for each in row) == 1


def test_no_site_no_link(sqlite_post: Post) -> None:
    """Where there are no pages mails say nothing of them, and no chance is spent on keys."""
    sqlite_post.people(alice="sesame", bob="poppy")
    sqlite_post.mail(ALICE, "challenge alice bob")
    assert not any("web" in text_of(letter) or b"/play/" in letter.raw for letter in sqlite_post.letters())


def test_a_site_with_a_long_address_is_linked_in_html_alone(quick_club: Post) -> None:
    """A line of the text is never broken within a link."""
    long = quick_club.with_server(site_url=f"https://{'x' * 50}.example")
    letter = next(each for each in long.mail(BOB, "challenge alice bob") if each.recipient == ALICE)
    assert "web" not in text_of(letter)
    assert "/play/102/" in str(parsed(letter.raw).get_body(("html",)).get_content())  # type: ignore[union-attr]


def test_one_key_for_all_boards_of_a_mail(club: Post) -> None:
    """Each that the mail names is played by it when its reader is to move, and no other board is."""
    club.mail(BOB, "challenge alice bob")
    club.mail(BOB, "challenge bob alice")
    (letter,) = club.answer(club.sent_to(ALICE)[-1], "show 101 102 103")
    assert f"{SITE}/boards/103" in text_of(letter)
    found = links_in(letter)
    assert [number for number, _ in found] == [101, 102]
    ((_, key),) = {(0, key) for _, key in found}
    bobs_turn = find_play_link(club.house, 103, key, club.clock())
    assert bobs_turn is not None
    assert not bobs_turn.is_open
    club.mail(BOB, "challenge alice bob")
    assert find_play_link(club.house, 104, key, club.clock()) is None
    for number in (101, 102):
        door = find_play_link(club.house, number, key, club.clock())
        assert door is not None
        played(club, door, "c3")
        assert club.moves(number) == ["C3"]


@pytest.mark.parametrize("setting", ["html off", "words on"])
def test_mails_of_text_alone_have_links_too(quick_club: Post, setting: str) -> None:
    """For those who want no HTML, and for those who hear mails read."""
    quick_club.mail(ALICE, f"set alice sesame {setting}")
    (letter,) = quick_club.mail(ALICE, "next")
    _, key = newest_link(quick_club, ALICE)
    assert f"\n    {SITE}/play/101/{key}\n" in text_of(letter)


# What a key allows


def test_a_click_is_an_answer_by_mail(club: Post) -> None:
    """The move is played, and the other player gets the board with the words; its player sees it on the page."""
    (to_bob,) = played(club, door_of(club), "c3", "Good luck!\r\n\r\nSee you.")
    assert club.moves() == ["C3"]
    assert to_bob.recipient == BOB
    assert "alice writes:\n| Good luck!\n|\n| See you.\n" in text_of(to_bob)
    assert header_of(to_bob, "Subject") == "Cephalopod Board 101: alice vs bob"


def test_it_plays_move_after_move(club: Post) -> None:
    """Whenever it is its reader's turn again, and at no other time; a page from before plays nothing."""
    door = door_of(club)
    assert door.is_open
    played(club, door, "c3")
    waiting = find_play_link(club.house, 101, door.key, club.clock())
    assert waiting is not None
    assert not waiting.is_open
    kept = len(club.inbox())
    assert play(club.house, waiting, form_of(waiting, "d3"), club.clock()) is None
    played(club, door_of(club, BOB), "b2")
    again = find_play_link(club.house, 101, door.key, club.clock())
    assert again is not None
    assert again.is_open
    assert play(club.house, again, form_of(door, "d4"), club.clock()) is None
    assert len(club.inbox()) == kept + 1
    played(club, again, "d4")
    assert club.moves() == ["C3", "B2", "D4"]


def test_the_same_page_sent_twice_is_done(quick_club: Post) -> None:
    """Its move was played right there; another move from that page, or by another player, was not."""
    door = door_of(quick_club)
    played(quick_club, door, "c3")
    after = find_play_link(quick_club.house, 101, door.key, quick_club.clock())
    assert after is not None
    assert is_done(after, form_of(door, "c3"))
    assert not is_done(after, form_of(door, "d3"))
    assert not is_done(door_of(quick_club, BOB), form_of(door, "c3"))


@pytest.mark.parametrize("delimiter", ["+", ""])
def test_it_plays_on_without_personal_addresses_too(house: App, clock: Clock, delimiter: str) -> None:
    """What a page writes is proven by the key, not by the ply that the mail showed."""
    club = begun(house, clock).with_server(delimiter=delimiter)
    for move in ("c3", "b2", "d4"):
        address, key = ((ALICE, None), (BOB, None))[move == "b2"][0], newest_link(club, ALICE)[1]
        first = newest_link(club, BOB) if address == BOB else (101, key)
        link = find_play_link(club.house, *first, club.clock())
        assert link is not None
        played(club, link, move)
    assert club.moves() == ["C3", "B2", "D4"]


def test_nobody_writes_such_a_mail_without_the_key(quick_club: Post) -> None:
    """A mail that seems to come by a link, but from somebody who knows only the thread, asks for a yes."""
    club = quick_club.with_server(delimiter="")
    letter = club.sent_to(ALICE)[-1]
    thread = header_of(letter, "Message-ID")
    mark = link_id_of(digest("somethingelse"), thread)
    raw = club.write(ALICE, "move 101 c3#1", In_Reply_To=thread, Message_ID=f"<{mark}.x@example.org>")
    club.send(raw, ALICE)
    assert club.moves() == ["C3"], "the next move is proven by the thread"
    raw = club.write(ALICE, "resign 101", In_Reply_To=thread, Message_ID=f"<{mark}.y@example.org>")
    club.send(raw, ALICE)
    assert club.moves() == ["C3"]


def test_a_link_proves_nothing_but_moves(quick_club: Post) -> None:
    """Whoever has the link, and writes the mail of a page by hand, does no more than that page could."""
    door = door_of(quick_club)
    sender, letter = ALICE, quick_club.sent_to(ALICE)[-1]
    for number, subject in enumerate(("resign 101", "move 101 resign", "set digest daily", "chat 101")):
        raw = quick_club.write(
            sender,
            subject,
            "words",
            To=header_of(letter, "From"),
            In_Reply_To=header_of(letter, "Message-ID"),
            Message_ID=f"<{door.mark}.{number}@example.org>",
        )
        quick_club.send(raw, sender)
        assert "yes" in text_of(quick_club.sent_to(ALICE)[-1]), subject
    assert quick_club.moves() == []
    assert door_of(quick_club).board.state.status == "active"


def test_one_that_was_open_a_moment_ago_is_refused_as_by_mail(club: Post) -> None:
    """Whoever looked before the move was played by mail: the answer tells, and nothing is played twice."""
    door = door_of(club)
    club.answer(club.sent_to(ALICE)[-1], "d3")
    (told,) = played(club, door, "c3")
    assert "Your move was meant as move 1, but move 2 comes next on board 101" in text_of(told)
    assert club.moves() == ["D3"]


def test_what_was_taken_back_can_be_played_again(quick_club: Post) -> None:
    """The same move by the same link, which is no second copy then."""
    played(quick_club, door_of(quick_club), "c3")
    key = next(key for letter in quick_club.sent_to(ALICE) for _, key in links_in(letter))
    operate(quick_club.house, "undo 101 0", quick_club.clock())
    assert quick_club.fates()[-1] == "handled"
    again = find_play_link(quick_club.house, 101, key, quick_club.clock())
    assert again is not None
    assert again.is_open
    played(quick_club, again, "c3")
    assert quick_club.moves() == ["C3", "C3"]


NO_MOVES = [
    *("resign", "undo", "propose", "accept", "", "z9", "c3\nresign 101", "c3 d3", "c3#7", "#", "101 c3", "C3\x00"),
]


def test_nothing_but_a_move_makes_a_mail(quick_club: Post) -> None:
    """What else a command takes in a move's place is not what the link is for."""
    kept, door = len(quick_club.inbox()), door_of(quick_club)
    for move in NO_MOVES:
        assert play(quick_club.house, door, form_of(door, move), quick_club.clock()) is None, move
    assert len(quick_club.inbox()) == kept


HOSTILE = [
    "resign 101",
    "move 101 c3#1\nresign 101",
    "c3\nresign",
    "as alice sesame\nresign 101",
    "as alice wrong",
    "d4",
    "--\nresign 101",
    "-- \nresign 101",
    "> quoted\nresign 101",
    "On Monday bob wrote:\n> c4\nresign 101",
    "\n\n\nend\nresign 101",
    "stop\nresign 101",
    "yes",
    "delete",
    "-----Original Message-----\nFrom: bob\nresign 101",
    "\u2028resign 101\x85resign 101",
    "\rresign 101",
    "\ud800 \x00 \x1b[2J",
    "x" * 9000,
    "Subject: resign 101\r\n\r\nresign 101",
]


def test_words_are_never_commands(quick_club: Post) -> None:
    """Whatever they say they go to the other player at most; the one thing that happens is the move."""
    moves: list[str] = []
    for words, mover in zip(HOSTILE, cycle((ALICE, BOB)), strict=False):
        door = door_of(quick_club, mover)
        rules = rules_of(door.board.match)
        move = rules.write(door.board.state.position, next(iter(rules.moves(door.board.state.position))))
        moves.append(move)
        *_, to_other = played(quick_club, door, move, words)
        assert to_other.recipient != mover
        assert "sesame" not in text_of(to_other)
        assert quick_club.moves() == moves
    log = door_of(quick_club, ALICE).board.match.entries
    assert {entry.kind for entry in log} == {"played"}


def test_plain_words_arrive_whole(quick_club: Post) -> None:
    """Also those that would be a command, or another move, where commands are read."""
    (to_bob,) = played(quick_club, door_of(quick_club), "c3", "d4 is what I had in mind\nresign, perhaps")
    assert "| d4 is what I had in mind\n| resign, perhaps\n" in text_of(to_bob)


def test_a_double_click_counts_once(club: Post) -> None:
    """Both lead to what came of the first."""
    door = door_of(club)
    first, second = (play(club.house, door, form_of(door, "c3", "Hi!"), club.clock()) for _ in range(2))
    assert first is not None
    assert second is not None
    assert settled(club.house, first) is None
    before = len(club.letters())
    club.work()
    assert club.fates()[-2:] == ["handled", "duplicate"]
    assert len(club.letters()) == before + 1
    assert settled(club.house, first) == settled(club.house, second) == first.mail_id


def test_a_letter_that_is_passed_on_takes_no_key_along(quick_club: Post) -> None:
    """A link in somebody's words, quoted or pasted, leads the others to the board and nowhere else."""
    _, key = newest_link(quick_club, ALICE)
    link = f"{SITE}/play/101/{key}"
    written = (
        f"c3\n\nLook: {link}\nor https://guard.example/?u=https%3A%2F%2Fclub.test%2Fplay%2F101%2F{key.upper()}"
        f"\nor https://guard.example/?u=https%3A%2F%2Fother.example%2F%3Fu%3D%252Fplay%252F101%252F{key}"
    )
    quick_club.answer(quick_club.sent_to(ALICE)[-1], written)
    (to_bob,) = quick_club.sent_to(BOB)[-1:]
    assert f"Look: {SITE}/boards/101\n" in text_of(to_bob)
    assert key not in text_of(to_bob).lower()


# When a key dies


def test_it_plays_until_a_newer_link_has_been_out_for_a_week(club: Post) -> None:
    """Counted from when that mail was handed over; a board that the newer mail does not name is not touched."""
    old = door_of(club)
    played(club, old, "c3")
    played(club, door_of(club, BOB), "b2")

    def is_past() -> bool:
        found = find_play_link(club.house, 101, old.key, club.clock())
        assert found is not None
        return found.is_past

    club.clock.move(days=8)
    assert not is_past(), "the newer mail was never sent"
    with writing(club.house.engine) as connection:
        for letter in club.letters():
            note(connection, [(letter, HandedOver())], club.clock())
    club.clock.move(days=6)
    assert not is_past()
    club.clock.move(days=2)
    assert is_past()
    found = find_play_link(club.house, 101, old.key, club.clock())
    assert found is not None
    assert not found.is_open
    assert play(club.house, found, form_of(found, "d4"), club.clock()) is None
    newest = door_of(club)
    assert newest.is_open
    assert newest.key != old.key


# A link that is first used late


def test_a_late_first_use_is_told_once(club: Post) -> None:
    """In the next mail to its player, whichever comes first; not where the link was used before."""
    early, late = door_of(club), "was first used on"
    played(club, early, "c3")
    club.clock.move(days=3)
    club.answer(club.sent_to(BOB)[-1], "b2")
    played(club, door_of(club), "d4")
    assert not any(late in text_of(letter) for letter in club.sent_to(ALICE))
    club.answer(club.sent_to(BOB)[-1], "e5")
    door = door_of(club)
    club.clock.move(days=2)
    day = door.mail.written.strftime("%Y-%m-%d")
    told = [text_of(each) for each in played(club, door, "a1") if each.recipient == ALICE]
    told += [text_of(each) for each in club.mail(ALICE, "show 101")]
    club.mail(ALICE, "show 101")
    line = f"A link in our mail of {day} {late} {club.clock().strftime('%Y-%m-%d')} to play here."
    assert sum(line in " ".join(text.split()) for text in told) == 1
    assert late not in text_of(club.sent_to(ALICE)[-1])


def test_a_key_dies_with_the_account(club: Post) -> None:
    """Nobody can act for somebody who is gone."""
    key = door_of(club).key
    (question,) = club.answer(club.sent_to(ALICE)[-1], "delete")
    club.answer(question, "yes")
    assert find_play_link(club.house, 101, key, club.clock()) is None


def test_a_key_dies_with_the_address(quick_club: Post) -> None:
    """A mail at an address that is given up proves nothing any more."""
    key = door_of(quick_club).key
    letters = quick_club.mail(ALICE, "change address alice sesame alice@home.example")
    question = next(letter for letter in letters if letter.recipient == "alice@home.example")
    quick_club.answer(question, "yes")
    assert find_play_link(quick_club.house, 101, key, quick_club.clock()) is None


def test_whoever_is_banned_is_refused_as_by_mail(quick_club: Post) -> None:
    """A link is no way round the operator."""
    door = door_of(quick_club)
    operate(quick_club.house, "ban alice", quick_club.clock())
    kept = play(quick_club.house, door, form_of(door, "c3"), quick_club.clock())
    quick_club.work()
    assert quick_club.moves() == []
    assert kept is None or quick_club.row(kept.mail_id).status in ("handled", "silent")


def test_a_key_dies_with_its_mail(quick_club: Post) -> None:
    """Mails are let go of after a while; the newest one is never far."""
    door = door_of(quick_club)
    for letter in quick_club.letters():
        with writing(quick_club.house.engine) as connection:
            note(connection, [(letter, HandedOver())], quick_club.clock())
    quick_club.clock.move(days=100)
    now = quick_club.clock()
    list(purge(quick_club.house, now - timedelta(days=90), now))
    with quick_club.house.engine.connect() as connection:
        left = connection.exec_driver_sql("SELECT count(*), count(key_digest) FROM outbox").one()
    assert left[0] > left[1] == 0
    assert find_play_link(quick_club.house, 101, door.key, quick_club.clock()) is None


@pytest.mark.parametrize("key", ["", "0", "nosuchkey", "t0001"])
def test_unknown_keys(quick_club: Post, key: str) -> None:
    """They open nothing, and neither does a key on a board that is not in its mail."""
    assert find_play_link(quick_club.house, 101, key, quick_club.clock()) is None
    assert find_play_link(quick_club.house, 102, door_of(quick_club).key, quick_club.clock()) is None


# What came of it


def test_what_came_of_a_move(club: Post) -> None:
    """Played, with the sentences of the mail that answers it."""
    door = door_of(club)
    sent = play(club.house, door, form_of(door, "c3"), club.clock())
    assert sent is not None
    came = load_outcome(club.house, door, sent.mail_id)
    assert came is not None
    assert (came.outcome, came.answer) == ("waits", "")
    club.work()
    after = find_play_link(club.house, 101, door.key, club.clock())
    assert after is not None
    came = load_outcome(club.house, after, sent.mail_id)
    assert came is not None
    assert came.outcome == "played"
    assert came.answer == "", "the page shows the board"


def test_what_came_of_a_late_move(quick_club: Post) -> None:
    """Not played, and why; the answer's own link, by which the next ply could be played, is not told."""
    door = door_of(quick_club)
    quick_club.answer(quick_club.sent_to(ALICE)[-1], "d3")
    quick_club.answer(quick_club.sent_to(BOB)[-1], "b2")
    sent = play(quick_club.house, door, form_of(door, "c3"), quick_club.clock())
    quick_club.work()
    assert sent is not None
    assert LINK.search(text_of(quick_club.sent_to(ALICE)[-1]))
    came = load_outcome(quick_club.house, door, sent.mail_id)
    assert came is not None
    assert came.outcome == "refused"
    assert "Your move was meant as move 1" in came.answer
    assert not LINK.search(came.answer)
    assert not re.search(r"\+[a-z0-9]+@", came.answer)


def test_only_its_own_mails_are_told_of(quick_club: Post) -> None:
    """By one's own link nobody sees what another one has sent, or what was sent by mail."""
    first = newest_link(quick_club, ALICE)
    quick_club.answer(quick_club.sent_to(ALICE)[-1], "c3")
    by_mail = quick_club.inbox()[-1].id
    door = door_of(quick_club, BOB)
    assert load_outcome(quick_club.house, door, by_mail) is None
    sent = play(quick_club.house, door, form_of(door, "b2"), quick_club.clock())
    assert sent is not None
    alices = find_play_link(quick_club.house, *first, quick_club.clock())
    assert alices is not None
    assert load_outcome(quick_club.house, alices, sent.mail_id) is None
    assert load_outcome(quick_club.house, door, 9999) is None


def test_an_answer_is_shown_to_no_mail_written_elsewhere(quick_club: Post) -> None:
    """Whoever has an old link of alice's, and writes in her name, sees nothing of what she is answered."""
    trusting = quick_club.with_server(confirm="from")
    door = door_of(trusting)
    played(trusting, door, "c3")
    trusting.mail(ALICE, "queue 101 if b2 then a1")
    known = (door.key, door.key.upper(), f"link {door.key}")
    for mark in (f"link.{hashlib.sha256(each.encode()).hexdigest()[:20]}" for each in known):
        raw = trusting.write(ALICE, "queue 101", Message_ID=f"<{mark}.x@example.org>")
        trusting.send(raw, ALICE)
        assert "if b2 then a1" in text_of(trusting.sent_to(ALICE)[-1])
        assert load_outcome(trusting.house, door, trusting.inbox()[-1].id) is None


def test_a_second_copy_says_so(quick_club: Post) -> None:
    """Where its own number was given out before the first one was handled."""
    door = door_of(quick_club)
    for _ in range(2):
        second = play(quick_club.house, door, form_of(door, "c3"), quick_club.clock())
    quick_club.work()
    assert second is not None
    came = load_outcome(quick_club.house, door, second.mail_id)
    assert came is not None
    assert came.outcome == "twice"


def test_no_key_is_logged(quick_club: Post, caplog: pytest.LogCaptureFixture) -> None:
    """Nor kept with the mail that came by it."""
    caplog.set_level(logging.DEBUG)
    door = door_of(quick_club)
    played(quick_club, door, "c3")
    assert caplog.text
    assert door.key not in caplog.text
    assert door.key.encode() not in quick_club.inbox()[-1].raw
