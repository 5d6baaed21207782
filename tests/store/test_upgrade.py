"""Databases of older schemas are upgraded: 0002, whose mails are still recognised, 0009 with its old names, and so
on."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import text

from pbmserv.commands import policy
from pbmserv.matches.player import MOVES_ACKNOWLEDGED
from pbmserv.services.admin.act import invite
from pbmserv.services.admin.check import check, renew
from pbmserv.services.admin.pulse import record_heartbeat
from pbmserv.services.app import App
from pbmserv.services.bounces import lift
from pbmserv.services.limits import left
from pbmserv.services.scheduler.clocks import look_after_clocks
from pbmserv.services.scheduler.retention import purge
from pbmserv.services.views import list_players
from pbmserv.services.writer import write_due
from pbmserv.store import bounces, counts, mail_tokens, ratings
from pbmserv.store.engine import reading, writing
from pbmserv.store.mail_tokens import AnsweredMail
from pbmserv.store.outbox import QueuedMessage
from pbmserv.store.schema import migrate, migrations_folder
from tests.conftest import Clock
from tests.services.post import Post, text_of, thread_word_of, token_of

ALICE, BOB, CAROL = (f"{name}@example.org" for name in ("alice", "bob", "carol"))
MORE = 2_100
"""Mails, so many that they are renewed in several parts."""

ADD_MAIL = text("""
    INSERT INTO outbox (token, kind, player_id, match, recipient, envelope_sender, message_id, raw, proven, status,
        created_at, tries, not_before)
    VALUES (:token, 'board', :player, 101, 'bob@example.org', 'pbmserv@club.test', :message_id, :raw, true, 'sent',
        '2026-01-01 12:00:00', 0, '2026-01-01 12:00:00')
""")

WAITING_IN_0021 = (
    "DELETE FROM receipts",
    "INSERT INTO receipts (match, player_id, due_at) SELECT 101, id, '2026-01-02 12:00:00' FROM players",
    "UPDATE outbox SET status = 'sent'",
    "UPDATE outbox SET status = 'waiting', held_for = 101, not_before = '2026-01-01 12:10:00' WHERE id = {held}",
    "UPDATE outbox SET status = 'withheld' WHERE recipient = 'carol@example.org' AND match IS NULL",
    "UPDATE addresses SET suspended_at = '2026-01-01 12:00:00' WHERE address = 'carol@example.org'",
)
"""A move of alice's and one of bob's that no mail has told, a mail that is held for ten minutes, two withheld."""


@pytest.fixture
def post(house: App, clock: Clock) -> Post:
    """Two moves were played on board 101, and then a From address was proof no more."""
    made = Post(house, clock)
    made.people(alice="sesame", bob="poppy")
    made.mail(ALICE, "challenge alice bob -size=3x3")
    made.mail(ALICE, "101 b2")
    made.mail(BOB, "101 a1")
    return made.with_server(confirm="ask")


def go_back(post: Post, letters: Sequence[QueuedMessage] = (), version: str = "0002") -> None:
    """The database as a program of that schema had it; in 0002 the tokens of the mails themselves stand there."""
    config = Config()
    config.set_main_option("script_location", str(migrations_folder()).replace("%", "%%"))
    with writing(post.house.engine) as connection:
        config.attributes["connection"] = connection
        command.downgrade(config, version)
        for letter in letters:
            values = {"token": token_of(letter), "id": letter.id}
            connection.execute(text("UPDATE outbox SET token = :token WHERE id = :id"), values)


def add_mails(post: Post, player_id: int, message_ids: dict[str, str]) -> None:
    """Mails about board 101 as schema 0002 keeps them, by token."""
    rows = [
        {"token": token, "player": player_id, "message_id": message_id, "raw": b""}
        for token, message_id in message_ids.items()
    ]
    with writing(post.house.engine) as connection:
        connection.execute(ADD_MAIL, rows)


def known(post: Post, tokens: Sequence[str], words: Sequence[str]) -> list[object]:
    """What the program finds by each token, the mail that is answered by whichever player; and by the word beside
    it in Message-IDs and envelope senders, the one that came back.
    """
    ids = [player.id for player in list_players(post.house)]
    with reading(post.house.engine) as connection:
        return [
            (
                [shown_by(mail_tokens.find_answered_mail(connection, each, [token], [])) for each in ids],
                bounces.find(connection, word, is_addressed=False),
            )
            for token, word in zip(tokens, words, strict=True)
        ]


def shown_by(answered: AnsweredMail | None) -> object:
    """What an answered mail was about, whenever it was written."""
    return answered and (answered.match, answered.shown, answered.written, answered.by_address)


def test_mails_from_before_are_found(post: Post) -> None:
    """By the token in them, with the board and ply that they show; a mail without a board as well."""
    letters = post.letters()
    tokens = [token_of(letter) for letter in letters]
    with writing(post.house.engine) as connection:
        # No welcome of those days showed a practice board.
        connection.execute(text('UPDATE outbox SET shown = NULL WHERE "match" IS NULL'))
    before, people = known(post, tokens, [*map(thread_word_of, letters)]), list_players(post.house)
    go_back(post, letters)
    migrate(post.house.engine)
    assert known(post, tokens, tokens) == before
    # One more move of everybody is acknowledged, so that the line about the change is seen.
    assert list_players(post.house) == [
        replace(each, mail=replace(each.mail, acknowledged=MOVES_ACKNOWLEDGED - 1)) for each in people
    ]
    assert check(post.house) == []


def test_each_of_many_mails_is_found(post: Post) -> None:
    """What its Message-ID does not tell is taken for the start, which no answer can be wrong about."""
    bob = next(player.id for player in list_players(post.house) if player.userid == "bob")
    told = {f"old{ply}": f"<b101.{ply}.old{ply}@club.test>" for ply in range(MORE)}
    silent = {"silent": "", "another": "<b102.7.another@club.test>"}
    go_back(post, post.letters())
    add_mails(post, bob, told | silent)
    migrate(post.house.engine)
    with reading(post.house.engine) as connection:
        found = [mail_tokens.find_answered_mail(connection, bob, [token], []) for token in (*told, *silent)]
    plies = [*range(MORE), 0, 0]
    assert [(each.match, each.shown) for each in found if each] == [(101, ((101, ply),)) for ply in plies]


def test_an_answer_to_a_board_from_before(post: Post) -> None:
    """The newest is answered with a move; what answers an old one is refused, though it could be played today."""
    begun, newest = post.sent_to(ALICE)[1], post.sent_to(ALICE)[-1]
    go_back(post, post.letters())
    migrate(post.house.engine)
    refused, *others = post.answer(begun, "c3")
    assert others == []
    assert "Not done" in text_of(refused)
    assert post.moves() == ["B2", "A1"]
    post.answer(newest, "c3")
    assert post.moves() == ["B2", "A1", "C3"]


def test_back_and_forth(post: Post) -> None:
    """Boards and players stay; tokens are lost on the way back, so mails from before prove nothing any more."""
    tokens = [token_of(letter) for letter in post.letters()]
    go_back(post)
    migrate(post.house.engine)
    nobody = ([None] * len(list_players(post.house)), None)
    assert known(post, tokens, tokens) == [nobody] * len(tokens)
    assert check(post.house) == []
    (asked,) = post.mail(ALICE, "101 c3")
    assert post.moves() == ["B2", "A1"]
    post.answer(asked, "yes")
    assert post.moves() == ["B2", "A1", "C3"]


def test_games_from_before_are_rated(post: Post) -> None:
    """As if there had always been ratings; once, and not again with each start."""
    known = post.with_server(confirm="from")
    known.mail(BOB, "resign 101")
    known.mail(ALICE, "challenge alice bob -size=3x3 -unrated")
    for sender, move in ((ALICE, "b2"), (BOB, "a1"), (ALICE, "resign")):
        known.mail(sender, f"102 {move}")
    with reading(post.house.engine) as connection:
        before = ratings.stored_changes(connection, "cephalopod 3x3")
    assert len(before) == 2
    go_back(post)
    renew(post.house.engine)
    with reading(post.house.engine) as connection:
        assert ratings.stored_changes(connection, "cephalopod 3x3") == before
        assert ratings.never_rated(connection) == []
    assert check(post.house) == []


OF_0010 = (
    """INSERT INTO rating_changes
            ("match", player_id, game, at, rank, mu_before, sigma_before, mu, sigma, counted, won)
        SELECT matches.number, seats.player_id, matches.game, matches.last_at, 1 + seats.seat,
            25, 8, 24, 7, matches.number - 100, 0
        FROM matches JOIN seats ON seats."match" = matches.number WHERE matches.status = 'finished'""",
    """INSERT INTO ratings (game, player_id, mu, sigma, counted, won, last_at)
        SELECT game, player_id, mu, sigma, counted, won, at FROM rating_changes WHERE "match" IN (103, 104)""",
    """INSERT INTO recounts (game, at, "match") SELECT game, last_at, number FROM matches WHERE number = 102""",
)
"""What schema 0010 kept by game: as wrong as can be in its numbers, since all sizes count together there."""


def test_ratings_of_all_sizes_together_are_taken_apart(post: Post) -> None:
    """Matches and ranks stay; each pool is recounted from its first match on. Games of one size stay."""
    known = post.with_server(confirm="from")
    known.mail(BOB, "resign 101")
    for number, line in (
        (102, "challenge alice bob"),
        (103, "challenge alice bob -size=3x3"),
        (104, "hex challenge alice bob"),
    ):
        known.mail(ALICE, line)
        for sender, move in ((ALICE, "b2"), (BOB, "a1"), (BOB, "resign")):
            known.mail(sender, f"{number} {move}")
    pools = ("cephalopod", "cephalopod 3x3")
    with reading(post.house.engine) as connection:
        before = [ratings.stored_changes(connection, pool) for pool in pools]
    assert [len(changes) for changes in before] == [2, 4]
    go_back(post, version="0010")
    with writing(post.house.engine) as connection:
        for statement in OF_0010:
            connection.execute(text(statement))
    renew(post.house.engine)
    with reading(post.house.engine) as connection:
        assert [ratings.stored_changes(connection, pool) for pool in pools] == before
        assert [ratings.stored_tallies(connection, pool) for pool in pools] == [*map(ratings.latest, before)]
        assert {tally.counted for tally in ratings.stored_tallies(connection, "hex").values()} == {4}
        assert ratings.recounted(connection) == {}
    assert [each.ratings for each in check(post.house)] == ["hex"]


def test_a_broken_log_from_before_keeps_nothing_from_starting(
    post: Post, caplog: pytest.LogCaptureFixture
) -> None:
    """The operator is told, and can have the rest rated once it is mended."""
    post.with_server(confirm="from").mail(BOB, "resign 101")
    with writing(post.house.engine) as connection:
        connection.execute(text("UPDATE entries SET text = 'Z9' WHERE seq = 1"))
    go_back(post)
    renew(post.house.engine)
    assert 'the games from before are not rated game="cephalopod 3x3" error="board 101' in caplog.text


def test_boards_from_before_have_no_clock(post: Post) -> None:
    """They go on as they were agreed: nobody is reminded, no turn ends by itself. New ones have the usual one."""
    go_back(post)
    migrate(post.house.engine)
    post.clock.move(days=400)
    before = len(post.letters())
    while look_after_clocks(post.house, post.clock()):
        pass
    assert len(post.letters()) == before
    (shown,) = post.mail(ALICE, "show 101")
    assert text_of(shown).startswith("bob played A1. Your turn.\n")
    assert "days" not in text_of(shown)
    (begun, *_) = post.mail(ALICE, "challenge alice bob -size=3x3")
    assert "Your turn. You have 21 days." in " ".join(text_of(begun).split())


EMPTIED_BY_0011 = (
    """UPDATE inbox SET raw = :nothing, sender = '', envelope_sender = '', redacted_at = received_at
        WHERE handled_at IS NOT NULL""",
    """UPDATE outbox SET raw = :nothing, recipient = '', envelope_sender = '', message_id = '', key_digest = NULL,
        status = 'sent', redacted_at = created_at""",
)
"""Mails as retention left them in schema 0011."""


def test_mails_that_0011_has_emptied_are_deleted(post: Post) -> None:
    """Second copies of them are still known, and so are answers to them."""
    known = post.with_server(confirm="from")
    begun, raw = post.sent_to(ALICE)[1], post.write(ALICE, "101 c3")
    known.send(raw)
    tokens, words = [token_of(begun)], [thread_word_of(begun)]
    with reading(post.house.engine) as connection:
        alice = next(player.id for player in list_players(post.house) if player.userid == "alice")
        before = mail_tokens.find_answered_mail(connection, alice, tokens, words)
    go_back(post, version="0011")
    with writing(post.house.engine) as connection:
        for statement in EMPTIED_BY_0011:
            connection.execute(text(statement), {"nothing": b""})
    migrate(post.house.engine)
    assert before is not None
    post.clock.move(days=91)
    for _ in range(2):
        for _ in purge(post.house, post.clock() - timedelta(days=90), post.clock()):
            pass
        with reading(post.house.engine) as connection:
            found = mail_tokens.find_answered_mail(connection, alice, tokens, words)
        assert found == replace(before, message_id="", key_digest=None)
        assert [len(rows(post, table, ["id"])) for table in ("inbox", "outbox")] == [1, 1], "the newest rows alone"
    assert known.send(raw, "relay@example.net") == []
    assert known.fates()[-1] == "duplicate"
    assert check(post.house) == []


# What schema 0009 called them, and where the same rows are now.
RENAMED = (
    ("beats", "heartbeats", ("part", "at"), ("part", "at")),
    ("plans", "conditional_moves", ('"match"', "seat", "kind"), ('"match"', "seat", "kind")),
    (
        "inbox",
        "inbox",
        ("kept_at", "lane", "place", "tidied_at"),
        ("received_at", "priority", "queue_position", "redacted_at"),
    ),
    ("outbox", "outbox", ("id", "tidied_at"), ("id", "redacted_at")),
    ("players", "players", ("userid", "words"), ("userid", "accessible_text")),
)

ADD_ROWS = (
    """INSERT INTO conditional_moves (match, seat, kind, plies, content, made_at)
        VALUES (101, 0, 'queue', 2, '{}', '2026-01-01 12:00:00')""",
)


def test_what_came_back_before_has_bounced(post: Post) -> None:
    """A mail that was sent and is named by a bounce; not one that the relay refused, nor any other."""
    sent, refused, other = [letter.id for letter in post.letters()[-3:]]
    go_back(post, version="0015")
    with writing(post.house.engine) as connection:
        connection.execute(text("UPDATE outbox SET status = 'sent'"))
        connection.execute(text("UPDATE outbox SET status = 'failed' WHERE id = :id"), {"id": refused})
        for mail_id in (sent, refused):
            connection.execute(
                text("INSERT INTO bounces VALUES (:id, 'bob@example.org', '2026-01-01 12:00:00', true, 'no bob')"),
                {"id": mail_id},
            )
    migrate(post.house.engine)
    assert {letter.id: letter.status for letter in post.letters()[-3:]} == {
        sent: "bounced",
        refused: "failed",
        other: "sent",
    }
    go_back(post, version="0015")
    migrate(post.house.engine)
    assert post.letters()[-3].status == "bounced"


def test_new_names_for_the_same_rows(post: Post) -> None:
    """Tables and columns of 0.6.0 get other names, and keep every row; the scheduler's name goes with them."""
    for part in ("scheduler", "poller"):
        record_heartbeat(post.house, part, post.clock())
    post.with_server(confirm="from").mail(ALICE, "set words on")
    bob = next(player.id for player in list_players(post.house) if player.userid == "bob")
    with writing(post.house.engine) as connection:
        for insertion in ADD_ROWS:
            connection.execute(text(insertion), {"bob": bob})
    new = [rows(post, table, columns) for _, table, _, columns in RENAMED]
    assert all(new)
    go_back(post, version="0009")
    old = [rows(post, table, columns) for table, _, columns, _ in RENAMED]
    assert old == [
        [tuple("steward" if value == "scheduler" else value for value in row) for row in table] for table in new
    ]
    migrate(post.house.engine)
    assert [rows(post, table, columns) for _, table, _, columns in RENAMED] == new
    assert check(post.house) == []


def test_invitations_and_open_sign_ups_count_on(post: Post) -> None:
    """Of schema 0020, where they were rows of the outbox: an invitation lets in, a sign-up takes a place."""
    now = datetime.now(UTC)
    invite(post.house, "dora@example.net", now)
    post.mail("eve@gmail.com", "signup eve pepper")
    go_back(post, version="0020")
    with writing(post.house.engine) as connection:
        connection.execute(
            text("UPDATE outbox SET created_at = :now WHERE kind = 'sign-up'"), {"now": now.isoformat(" ")}
        )
    migrate(post.house.engine)
    with reading(post.house.engine) as connection:
        assert counts.total(connection, policy.INVITATION, "dora@example.net", now - policy.INVITATION_LASTS) == 1
        assert left(connection, policy.SIGN_UPS, "", now) == policy.SIGN_UPS.most - 1
        assert (
            left(connection, policy.SIGN_UPS_A_PROVIDER, "gmail.com", now) == policy.SIGN_UPS_A_PROVIDER.most - 1
        )
    assert check(post.house) == []


def test_open_questions_can_still_be_answered(post: Post) -> None:
    """Of schema 0021, which found them by the token in their mails: whichever mail asked, and once in all."""
    first, second = [letter for _ in range(2) for letter in post.mail(ALICE, "101 c3")]
    go_back(post, version="0021")
    assert len(rows(post, "confirmations", ["token_digest"])) == 2
    migrate(post.house.engine)
    post.answer(first, "yes")
    assert post.moves() == ["B2", "A1", "C3"]
    assert "No question is waiting for your answer" in text_of(post.answer(second, "yes")[0])
    assert check(post.house) == []


def test_open_questions_can_still_be_answered_by_thread(post: Post) -> None:
    """Where addresses hold no token: a welcome by a plain `yes`, anything else with a word."""
    untagged = post.with_server(delimiter="")
    (welcome,) = untagged.mail("eve@example.org", "signup eve pepper")
    (asked,) = untagged.mail(ALICE, "resign 101")
    go_back(post, version="0021")
    migrate(post.house.engine)
    assert "ends with a word" in " ".join(text_of(untagged.answer(asked, "yes")[0]).split())
    assert not untagged.is_confirmed("eve")
    untagged.answer(welcome, "yes")
    assert untagged.is_confirmed("eve")


def test_what_waited_in_0021_comes_once(post: Post) -> None:
    """A move that the mail of the day was to name, a mail that was held, one that was withheld."""
    club = post.with_server(confirm="from")
    club.people(carol="tahini")
    club.mail(CAROL, "help")
    # No letter tells it yet.
    with writing(club.house.engine) as connection:
        connection.execute(text("UPDATE players SET moves_acknowledged = 5"))
    (held,) = club.mail(ALICE, "101 c1")
    before = len(club.letters())
    go_back(club, version="0021")
    with writing(club.house.engine) as connection:
        for statement in WAITING_IN_0021:
            connection.execute(text(statement.format(held=held.id)))
    migrate(club.house.engine)

    def sendable() -> list[str]:
        while write_due(club.house, club.clock()):
            pass
        waiting = [each for each in club.letters() if each.status == "waiting"]
        return [each.recipient for each in waiting if each.not_before <= club.clock()]

    assert sendable() == []
    club.clock.move(minutes=10)
    assert sendable() == [BOB]
    assert lift(club.house, "carol", club.clock()) == CAROL
    assert sendable() == [CAROL, CAROL, BOB]
    assert len(club.letters()) == before
    club.clock.move(days=1)
    assert sendable() == [CAROL, CAROL, BOB, ALICE, BOB]
    told = [" ".join(text_of(each).split()) for each in club.letters()[before:]]
    assert "Played: C1 on board 101. It is bob" in told[0]
    assert "Played: A1 on board 101." in told[1]
    club.clock.move(days=9)
    assert len(sendable()) == 5
    assert check(club.house) == []


def rows(post: Post, table: str, columns: Sequence[str]) -> list[tuple[object, ...]]:
    """All rows of a table, as they stand there."""
    with reading(post.house.engine) as connection:
        found = connection.execute(text(f"SELECT {', '.join(columns)} FROM {table}"))
        return sorted((tuple(row) for row in found), key=repr)
