"""A club that was begun on schema 0002 is renewed, and whoever answers one of its mails is known as before."""

from collections.abc import Sequence

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import text

from pbmserv.services.house import House
from pbmserv.services.operator.check import check
from pbmserv.services.operator.renewal import renew
from pbmserv.services.steward.clocks import look_after_clocks
from pbmserv.services.views.people import see_players
from pbmserv.store import answered_mails, bounces, ratings
from pbmserv.store.answered_mails import Answered
from pbmserv.store.engine import reading, writing
from pbmserv.store.outbox import Queued
from pbmserv.store.schema import migrate, migrations_folder
from tests.conftest import Clock
from tests.services.post import Post, text_of, thread_word_of, token_of

ALICE, BOB = "alice@example.org", "bob@example.org"
MORE = 2_100
"""Mails, so many that they are renewed in several parts."""

ADD_MAIL = text("""
    INSERT INTO outbox (token, kind, player_id, match, recipient, envelope_sender, message_id, raw, proven, status,
        created_at, tries, not_before)
    VALUES (:token, 'board', :player, 101, 'bob@example.org', 'pbmserv@club.test', :message_id, :raw, true, 'sent',
        '2026-01-01 12:00:00', 0, '2026-01-01 12:00:00')
""")


@pytest.fixture
def post(house: House, clock: Clock) -> Post:
    """Two moves were played on board 101, and then a From address was proof no more."""
    made = Post(house, clock)
    made.people(alice="sesame", bob="poppy")
    made.mail(ALICE, "challenge alice bob -size=3x3")
    made.mail(ALICE, "101 b2")
    made.mail(BOB, "101 a1")
    return made.with_server(confirm="ask")


def go_back(post: Post, letters: Sequence[Queued] = ()) -> None:
    """The database as the program of schema 0002 had it: the tokens of the mails themselves stand there."""
    config = Config()
    config.set_main_option("script_location", str(migrations_folder()).replace("%", "%%"))
    with writing(post.house.engine) as connection:
        config.attributes["connection"] = connection
        command.downgrade(config, "0002")
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
    ids = [player.id for player in see_players(post.house)]
    with reading(post.house.engine) as connection:
        return [
            (
                [shown_by(answered_mails.find_answered(connection, each, [token], [])) for each in ids],
                bounces.find(connection, word),
            )
            for token, word in zip(tokens, words, strict=True)
        ]


def shown_by(answered: Answered | None) -> object:
    """What an answered mail was about, whenever it was written."""
    return answered and (answered.match, answered.shown, answered.written, answered.by_address)


def test_mails_from_before_are_found(post: Post) -> None:
    """By the token in them, with the board and ply that they show; a mail without a board as well."""
    letters = post.letters()
    tokens = [token_of(letter) for letter in letters]
    before, people = known(post, tokens, [*map(thread_word_of, letters)]), see_players(post.house)
    go_back(post, letters)
    migrate(post.house.engine)
    assert known(post, tokens, tokens) == before
    assert see_players(post.house) == people
    assert check(post.house) == []


def test_each_of_many_mails_is_found(post: Post) -> None:
    """What its Message-ID does not tell is taken for the start, which no answer can be wrong about."""
    bob = next(player.id for player in see_players(post.house) if player.userid == "bob")
    told = {f"old{ply}": f"<b101.{ply}.old{ply}@club.test>" for ply in range(MORE)}
    silent = {"silent": "", "another": "<b102.7.another@club.test>"}
    go_back(post, post.letters())
    add_mails(post, bob, told | silent)
    migrate(post.house.engine)
    with reading(post.house.engine) as connection:
        found = [answered_mails.find_answered(connection, bob, [token], []) for token in (*told, *silent)]
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
    nobody = ([None] * len(see_players(post.house)), None)
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
        before = ratings.stored_changes(connection, "cephalopod")
    assert len(before) == 2
    go_back(post)
    renew(post.house.engine)
    with reading(post.house.engine) as connection:
        assert ratings.stored_changes(connection, "cephalopod") == before
        assert ratings.never_rated(connection) == []
    assert check(post.house) == []


def test_a_broken_log_from_before_keeps_nothing_from_starting(
    post: Post, caplog: pytest.LogCaptureFixture
) -> None:
    """The operator is told, and can have the rest rated once it is mended."""
    post.with_server(confirm="from").mail(BOB, "resign 101")
    with writing(post.house.engine) as connection:
        connection.execute(text("UPDATE entries SET text = 'Z9' WHERE seq = 1"))
    go_back(post)
    renew(post.house.engine)
    assert "the games of cephalopod from before are not rated: board 101" in caplog.text


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
    assert "left" not in text_of(shown)
    (begun, *_) = post.mail(ALICE, "challenge alice bob -size=3x3")
    assert "alice has 21 days for this turn." in text_of(begun)
