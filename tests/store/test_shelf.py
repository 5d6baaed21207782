"""What is lent to one test after the other is as empty as new, or is not lent again."""

import pytest
from sqlalchemy import text

from tests.shelf import MOST_USES, Shelf

GUESS = text("INSERT INTO counts (name, of_digest, amount, at) VALUES ('al', '', 1, now()) RETURNING id")


@pytest.fixture
def own(shelf: Shelf, request: pytest.FixtureRequest) -> Shelf:
    """A shelf of the same server on which nothing lies yet."""
    number = abs(hash(request.node.name))
    return Shelf(shelf.engine, prefix=f"own{number}_")


def test_what_comes_back_is_empty_and_counts_anew(own: Shelf) -> None:
    name = own.lend()
    for _ in range(2):
        with own.inside(name) as connection:
            assert connection.scalar(text("SELECT count(*) FROM counts")) == 0
            assert connection.scalar(GUESS) == 1
        own.take_back(name)
        assert own.lend() == name


@pytest.mark.parametrize(
    "change",
    [
        "ALTER TABLE outbox DROP COLUMN error",
        "ALTER TABLE outbox RENAME COLUMN error TO fault",
        "ALTER TABLE counts ADD CONSTRAINT more CHECK (id > 0)",
        "DROP TABLE counts",
        "DROP INDEX ix_counts_owner_digest",
        "CREATE TABLE more (number int)",
        "CREATE FUNCTION now() RETURNS int LANGUAGE sql AS 'SELECT 1'",
        "CREATE TRIGGER same BEFORE UPDATE ON outbox EXECUTE FUNCTION suppress_redundant_updates_trigger()",
        "UPDATE alembic_version SET version_num = '9999'",
    ],
)
def test_what_was_changed_is_not_lent_again(own: Shelf, change: str) -> None:
    name = own.lend()
    with own.inside(name) as connection:
        connection.exec_driver_sql(change)
    own.take_back(name)
    assert own.lend() != name


def test_what_somebody_holds_is_not_lent_again(own: Shelf) -> None:
    name = own.lend()
    with own.inside(name) as connection:
        connection.execute(GUESS)
    with own.inside(name) as connection:
        connection.execute(text("SELECT * FROM counts FOR UPDATE"))
        own.take_back(name)
        assert own.lend() != name


def test_what_is_worn_out_is_not_lent_again(own: Shelf) -> None:
    name = own.lend()
    for _ in range(MOST_USES - 1):
        own.take_back(name)
        assert own.lend() == name
    own.take_back(name)
    assert own.lend() != name
