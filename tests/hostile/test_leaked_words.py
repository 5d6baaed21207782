"""Words that stand in our mails and have leaked, and forged mails that bear them: what they can do, and what
not."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import null, select, update

from pbmserv.commands import policy
from pbmserv.services.play import find_play_link
from pbmserv.services.views import load_board
from pbmserv.store.engine import reading, writing
from pbmserv.store.outbox import QueuedMessage
from pbmserv.store.schema import migrate, migrations_folder
from pbmserv.store.tables import addresses, blocks, conditional_moves, counts, outbox, players
from tests.services.post import Post, address_of, header_of, text_of, thread_word_of, token_of
from tests.services.test_play import newest_link

ALICE, BOB, CARL, DORA = "alice@example.org", "bob@example.org", "carl@example.org", "dora@example.org"
EVIL = "evil@evil.example"

ON_THE_BOARD = ("a1", "101 a1", "resign", "101 resign", "propose", "undo", "chat 101 ha", "submit 101 a1")
ABOUT_MAIL = ("set html off", "set words on", "set digest daily", "set vacation 2026-12-20 2026-12-24", "revoke")
ABOUT_THE_ACCOUNT = (
    f"change address {EVIL}",
    f"add {EVIL}",
    "signoff",
    "delete",
    "export",
    "block bob",
    "set challenges off",
    "message carl\nha",
    "broadcast\nha",
    "subscribe 102",
    "102 a1",
    "102 resign",
)


@pytest.fixture
def club(club: Post) -> Post:
    """Alice's turn on 101 against bob, and on 102 against carl."""
    club.mail(ALICE, "challenge alice carl -size=3x3")
    return club


def board_mail(club: Post, address: str = ALICE, board: int = 101) -> QueuedMessage:
    """The last mail about a board that went to an address."""
    return [letter for letter in club.sent_to(address) if letter.match == board][-1]


def forged(club: Post, letter: QueuedMessage, text: str, subject: str = "hi") -> list[QueuedMessage]:
    """A mail in the name of whom a letter went to that knows its Message-ID, and nothing else of it."""
    known = header_of(letter, "Message-ID")
    raw = club.write(letter.recipient, subject, text, In_Reply_To=known, References=f"<b101@club.test> {known}")
    return club.send(raw, EVIL)


def answered(club: Post, letter: QueuedMessage, text: str) -> list[QueuedMessage]:
    """A mail in alice's name to the personal address that a letter to her came from, and without its
    Message-ID."""
    return club.send(club.write(ALICE, "hi", text, To=address_of(letter)), EVIL, [address_of(letter)])


SPOKEN = [
    each.name for each in (policy.MESSAGES_A_DAY, policy.FROM_STRANGERS, policy.BROADCASTS, policy.VACATIONS)
]


def state(club: Post) -> object:
    """All that is kept about players and boards, but for mails and questions."""
    whose = select(addresses.c.address, addresses.c.player_id, addresses.c.is_first, addresses.c.confirmed_at)
    tables = (*map(select, (players, blocks, conditional_moves)), select(counts).where(counts.c.name.in_(SPOKEN)))
    with reading(club.house.engine) as connection:
        kept = [connection.execute(query).all() for query in (whose, *tables)]
    boards = [load_board(club.house, number) for number in (101, 102, 103)]
    return kept, [board and board.match for board in boards]


# a Message-ID


@pytest.mark.sampled(8)
@pytest.mark.parametrize("line", [*ON_THE_BOARD, *ABOUT_MAIL, *ABOUT_THE_ACCOUNT])
def test_a_message_id_and_a_forged_from(club: Post, line: str) -> None:
    """A forged From with one of our Message-IDs asks for something: nothing is done, and only the player hears of
    it."""
    before = state(club)
    letters = forged(club, board_mail(club), line)
    assert state(club) == before
    assert {letter.recipient for letter in letters} == {ALICE}


def test_the_message_id_of_a_question(club: Post) -> None:
    """A forged `yes` that knows the Message-ID of the question: it is no answer to it, whichever way it is
    written."""
    (question,) = club.mail(ALICE, "101 resign")
    before = state(club)
    for text in ("yes", "Yes, please", f"yes {thread_word_of(question)}", "yes\n101 a1"):
        forged(club, question, text)
    assert state(club) == before
    club.answer(question, "yes")
    assert state(club) != before


def test_the_message_id_of_the_welcome(club: Post) -> None:
    """The welcome mail's Message-ID, which the first answer to many people quotes, proves nothing, now or
    later: not on the practice board either that its reader began on it."""
    welcome = club.sent_to(ALICE)[0]
    club.answer(welcome, "b3")
    assert club.moves(103) == ["B3"]
    before = state(club)
    for line in ("103 a1", "103 resign", *ON_THE_BOARD, *ABOUT_MAIL, *ABOUT_THE_ACCOUNT):
        forged(club, welcome, line)
        club.clock.move(hours=3)
    assert state(club) == before


@pytest.mark.parametrize("knows_message_id", [True, False])
def test_a_practice_board_in_somebody_elses_name(club: Post, knows_message_id: bool) -> None:
    """A forged From begins the practice game of a player who has had none, with the welcome's Message-ID or
    without: that binds her to nothing, only she hears of it, and it happens once."""
    club.answer(club.sent_to(BOB)[0], "b3")
    welcome, before = club.sent_to(ALICE)[0], state(club)
    letters = forged(club, welcome, "a1") if knows_message_id else club.mail(ALICE, "practice a1")
    assert {letter.recipient for letter in letters} == {ALICE}
    seen = load_board(club.house, 104)
    assert seen is not None
    match = seen.match
    assert match.userids == ("alice", "robot.random")
    assert (match.practice, match.rated, match.clock) == (True, False, None)
    for line in ("b1", "practice b1", "104 b1", "104 resign"):
        forged(club, welcome, line)
    assert (state(club), load_board(club.house, 104), load_board(club.house, 105)) == (before, seen, None)


def test_the_message_id_of_a_newcomers_welcome(club: Post) -> None:
    """Who signs somebody else up and knows the Message-ID of their first mail: it opens no account and no
    board."""
    club.mail(EVIL, f"signup dora {DORA}")
    (welcome,) = club.sent_to(DORA)
    for said in ("b3", "practice b3", "yes", f"yes {thread_word_of(welcome)}", "yes\nb3"):
        forged(club, welcome, said)
        assert not club.is_confirmed("dora")
    assert load_board(club.house, 103) is None
    club.answer(welcome, "b3")
    assert club.is_confirmed("dora")
    assert club.moves(103) == ["B3"]


def test_the_address_that_bounces_go_to(club: Post) -> None:
    """The envelope sender of a board mail, which every mail server on its way sees: mail to it plays nothing."""
    letter, before = board_mail(club), state(club)
    for address in (letter.envelope_sender, f"pbmserv+{thread_word_of(letter)}@club.test"):
        club.send(club.write(ALICE, "hi", "a1", To=address), EVIL, [address])
    assert state(club) == before


def test_a_token_is_no_bounce_address(club: Post) -> None:
    """Somebody with a copy of an answer makes our mails to its writer bounce: the word in the address names no
    mail."""
    letters = [letter for letter in club.sent_to(ALICE) if letter.kind in ("board", "answer")]
    for letter in letters:
        report = club.write("mailer-daemon@mx.example", "Undelivered", "550 5.1.1 User unknown")
        club.send(report, "<>", [f"pbmserv+b.{token_of(letter)}@club.test"])
    assert club.fates()[-len(letters) :] == ["silent"] * len(letters)


# a personal address


@pytest.mark.sampled(5)
@pytest.mark.parametrize("line", ABOUT_THE_ACCOUNT)
def test_a_personal_address_and_a_forged_from(club: Post, line: str) -> None:
    """A leaked personal address asks for more than its boards: it waits for a `yes` from the first address."""
    before = state(club)
    letters = answered(club, board_mail(club), line)
    assert state(club) == before
    assert {letter.recipient for letter in letters} == {ALICE}
    assert 'for your "yes"' in text_of(letters[0]) or "Not done" in text_of(letters[0])


def test_what_a_personal_address_is_good_for(club: Post) -> None:
    """It plays and talks on the boards of its mail and sets what is mailed: all that an answer may do."""
    answered(club, board_mail(club), "chat 101 Hello!")
    answered(club, board_mail(club), "message bob\nHello again!")
    answered(club, board_mail(club), "a1")
    answered(club, board_mail(club), "set words on")
    assert club.moves() == ["A1"]
    assert [text for text in map(text_of, club.sent_to(BOB)) if "Hello!" in text or "Hello again!" in text]
    assert text_of(club.mail(ALICE, "show 101")[0]).count("Row 1") == 1


def test_words_below_a_challenge(club: Post) -> None:
    """A leaked personal address is used to write to somebody who is on none of its boards, below a challenge."""
    letters = answered(club, board_mail(club), "challenge alice carl -size=3x3\n\nYou are a cheat.")
    assert [letter.recipient for letter in letters] == [ALICE], "who is asked, and sees the words"
    # Bob plays on the board of that mail.
    letters = answered(club, board_mail(club), "challenge alice bob -size=3x3\n\nOnce more?")
    assert [letter for letter in letters if letter.recipient == BOB and "Once more?" in text_of(letter)]


def test_a_stolen_address_confirms_nothing(club: Post) -> None:
    """The thief asks for another first address and answers `yes` from there: that address was never asked."""
    answered(club, board_mail(club), f"change address {EVIL}")
    assert club.sent_to(EVIL) == []
    before = state(club)
    for letter in (board_mail(club), club.sent_to(ALICE)[-2]):
        club.answer(letter, "yes", sender=EVIL)
        answered(club, letter, "yes")
    assert state(club) == before


# what ends it


ENDINGS: dict[str, Callable[[Post], list[QueuedMessage]]] = {
    "revoke": lambda club: club.answer(board_mail(club), "revoke"),
    "revoke by password": lambda club: club.mail(EVIL, "revoke alice sesame"),
    "another password": lambda club: club.mail(ALICE, "change password alice sesame tahini"),
    "forgotten password": lambda club: club.answer(club.mail(EVIL, "forgot alice")[-1], "yes tahini"),
}


@pytest.mark.parametrize("end", [*ENDINGS])
def test_words_are_ended(club: Post, end: str) -> None:
    """After `revoke`, or a new password, older personal addresses, links and questions are good for nothing."""
    club = club.with_server(site_url="https://club.test")
    club.mail(ALICE, "next alice")
    letter, (number, key) = board_mail(club), newest_link(club, ALICE)
    assert find_play_link(club.house, number, key, club.clock()) is not None
    (question,) = club.mail(ALICE, "101 a1")
    (fresh,) = [each for each in ENDINGS[end](club) if each.recipient == ALICE][-1:]
    assert find_play_link(club.house, number, key, club.clock()) is None
    before = state(club)
    answered(club, letter, "a1")
    answered(club, letter, "set html off")
    answered(club, question, "yes")
    assert state(club) == before
    assert "101 and 102" in " ".join(text_of(fresh).split())
    club.answer(fresh, "101 a1\n102 b2")
    assert (club.moves(101), club.moves(102)) == (["A1"], ["B2"])


def test_words_age(club: Post) -> None:
    """An address that leaks from an archive of last year's mail: after ninety days it asks."""
    letter = board_mail(club)
    club.clock.move(days=90)
    (question,) = answered(club, letter, "a1")
    assert (club.moves(), question.recipient) == ([], ALICE)


def test_another_address_of_hers_and_dmarc(club: Post) -> None:
    """Somebody gets into another mailbox of a player: it proves moves, but nothing about the account."""
    work = "alice@work.example"
    (question,) = [each for each in club.mail(ALICE, "as alice sesame", f"add {work}") if each.recipient == work]
    club.answer(question, "yes", sender=work)
    here = club.with_server(authserv_id="mx.club.test")
    passed = {"Authentication_Results": "mx.club.test; dmarc=pass header.from=work.example"}
    before = state(club)
    (asked,) = here.mail(work, f"change address {EVIL}", **passed)
    assert (state(club), asked.recipient) == (before, ALICE)
    here.mail(work, "101 a1", **passed)
    assert club.moves() == ["A1"]


# mails of 0.5.0


@pytest.fixture
def upgraded(club: Post) -> Post:
    """The club as 0.5.0 left it, brought up to date: one token stood in address, Message-ID and envelope
    sender."""
    config = Config()
    config.set_main_option("script_location", str(migrations_folder()).replace("%", "%%"))
    with writing(club.house.engine) as connection:
        config.attributes["connection"] = connection
        command.downgrade(config, "0005")
        # Its welcome showed no practice board.
        connection.execute(update(outbox).where(outbox.c.match.is_(None)).values(shown=null()))
    migrate(club.house.engine)
    return club


def of_old(club: Post, letter: QueuedMessage, text: str, by: str) -> list[QueuedMessage]:
    """A mail in alice's name that knows the token of a mail of 0.5.0 from where it stood in it."""
    token = token_of(letter)
    if by == "address":
        return answered(club, letter, text)
    return club.send(club.write(ALICE, "hi", text, In_Reply_To=f"<b101.0.{token}@club.test>"), EVIL)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("line", [*ON_THE_BOARD, *ABOUT_MAIL, *ABOUT_THE_ACCOUNT])
def test_a_message_id_of_an_older_version(upgraded: Post, line: str) -> None:
    """A Message-ID of a mail of 0.5.0, when it was the whole account: it no longer proves anything."""
    before = state(upgraded)
    letters = of_old(upgraded, board_mail(upgraded), line, "Message-ID")
    assert (state(upgraded), {letter.recipient for letter in letters}) == (before, {ALICE})


@pytest.mark.sampled(2)
@pytest.mark.parametrize("line", [*ON_THE_BOARD[2:], *ABOUT_MAIL, *ABOUT_THE_ACCOUNT])
def test_an_address_of_an_older_version(upgraded: Post, line: str) -> None:
    """A personal address of 0.5.0, whose word went out in Message-IDs: it proves the next move and nothing
    else."""
    before = state(upgraded)
    of_old(upgraded, board_mail(upgraded), line, "address")
    assert state(upgraded) == before


def test_who_answers_a_mail_of_an_older_version(upgraded: Post) -> None:
    """Who upgrades loses no move: what was on its way is played, on the ply that its mail showed, for ninety
    days."""
    letter = board_mail(upgraded)
    of_old(upgraded, letter, "a1\n\nHello!", "address")
    assert upgraded.moves() == ["A1"]
    assert "Hello!" in text_of(upgraded.sent_to(BOB)[-1])
    upgraded.mail(BOB, "101 bob poppy c3")
    of_old(upgraded, letter, "a3", "address")
    of_old(upgraded, letter, "a3#3", "address")
    assert upgraded.moves() == ["A1", "C3"]
    upgraded.clock.now += timedelta(days=90)
    of_old(upgraded, board_mail(upgraded, board=102), "102 a1", "address")
    assert upgraded.moves(102) == []


def test_the_welcome_of_an_older_version(upgraded: Post) -> None:
    """The welcome mail of 0.5.0 was good for everything for ever: it is good for nothing."""
    before = state(upgraded)
    for by in ("address", "Message-ID"):
        for line in (*ON_THE_BOARD, *ABOUT_MAIL, *ABOUT_THE_ACCOUNT):
            of_old(upgraded, upgraded.sent_to(ALICE)[0], line, by)
            upgraded.clock.move(hours=3)
    assert state(upgraded) == before


def test_nobody_is_told_of_words(club: Post) -> None:
    """The token of a mail that was answered stands in no mail to anybody else, and in nothing that is kept."""
    letter = board_mail(club)
    club.answer(letter, f"a1\n\nLook: {address_of(letter)}", Cc=BOB)
    assert token_of(letter).encode() not in b"".join(each.raw for each in club.letters() if each.id != letter.id)
    assert token_of(letter).encode() not in club.inbox()[-1].raw


def test_the_old_mailbox(club: Post) -> None:
    """Somebody who reads a mailbox that a player has left forges the new address: older mails prove nothing."""
    old, new = board_mail(club), "alice@home.example"
    *_, question = club.mail(ALICE, f"change address alice sesame {new}")
    club.answer(question, "yes", sender=new)
    before = state(club)
    raw = club.write(new, "hi", "a1", To=address_of(old))
    letters = club.send(raw, EVIL, [address_of(old)])
    assert (state(club), {letter.recipient for letter in letters}) == (before, {new})
