"""Keeping many mails in one transaction: all or none, but for one that cannot be stored at all."""

from sqlalchemy import event

from pbmserv.commands.server import Server
from pbmserv.mail.receiving.smtp_handler import IncomingEnvelope
from pbmserv.services.app import App
from pbmserv.services.receive import receive_mails
from pbmserv.store.engine import is_database_trouble, open_engine, writing
from tests.conftest import ADDRESS, NOON
from tests.services.post import Post

POISON = {
    "sqlite": "CREATE TRIGGER no BEFORE INSERT ON inbox WHEN NEW.sender = 'eve@x.test'"
    " BEGIN SELECT RAISE(ABORT, 'no'); END",
    "postgresql": "ALTER TABLE inbox ADD CHECK (sender <> 'eve@x.test')",
}


def mails(*senders: str) -> list[IncomingEnvelope]:
    """One of each, told apart by their text."""
    return [
        IncomingEnvelope(f"From: {sender}@x.test\r\n\r\n{number}".encode(), "<>", (ADDRESS, "\0"))
        for number, sender in enumerate(senders)
    ]


def test_many_in_one_commit_and_in_their_order(house: App) -> None:
    arrived = mails(*"abcabc")
    commits: list[object] = []
    event.listen(house.engine, "commit", commits.append)
    numbers = receive_mails(house, arrived, NOON)
    assert len(commits) == 1
    kept = Post(house).inbox()
    assert [mail.id for mail in kept] == numbers
    assert [mail.raw for mail in kept] == [mail.raw for mail in arrived]
    assert [mail.sender for mail in kept] == [f"{sender}@x.test" for sender in "abcabc"]
    assert {(mail.envelope_sender, mail.recipients, mail.status) for mail in kept} == {
        ("<>", (ADDRESS, "?"), "waiting")
    }


def test_one_that_cannot_be_stored_fails_alone(house: App) -> None:
    with writing(house.engine) as connection:
        connection.exec_driver_sql(POISON[house.engine.dialect.name])
    outcomes = receive_mails(house, mails("ann", "eve", "bob", "eve"), NOON)
    assert [isinstance(outcome, int) for outcome in outcomes] == [True, False, True, False]
    assert [mail.sender for mail in Post(house).inbox()] == ["ann@x.test", "bob@x.test"]


def test_a_database_that_is_away_is_asked_once(postgresql_house: App) -> None:
    away = App(
        open_engine("postgresql+psycopg://nobody@127.0.0.1:1/none"),
        Server(ADDRESS, variants=True),
        postgresql_house.new_token,
        postgresql_house.hasher,
    )
    asked: list[object] = []
    event.listen(away.engine, "do_connect", lambda *arguments: asked.append(arguments))
    outcomes = receive_mails(away, mails("ann", "bob", "eve"), NOON)
    assert len(asked) == 1
    assert len({*map(id, outcomes)}) == 1
    assert isinstance(outcomes[0], Exception)
    assert is_database_trouble(outcomes[0])
