"""Whoever deletes their account is asked once more, and then nothing that was kept names their address."""

from typing import Any

from sqlalchemy import Row, select

from pbmserv.services.admin.check import check
from pbmserv.services.views import load_board
from pbmserv.store.engine import reading
from pbmserv.store.tables import metadata
from tests.services.post import Post

ADDRESS_OF_ALICE = "alice@example.org"


def rows_naming(post: Post, words: str) -> list[tuple[str, str]]:
    """Every row that holds these words, as table and status."""

    def holds(row: Row[Any]) -> bool:
        return any(words.encode() in (each if isinstance(each, bytes) else str(each).encode()) for each in row)

    with reading(post.house.engine) as connection:
        return [
            (table.name, row._mapping.get("status", ""))
            for table in metadata.sorted_tables
            for row in connection.execute(select(table))
            if holds(row)
        ]


def test_nothing_names_them_but_the_farewell(post: Post) -> None:
    post.people(alice="sesame", bob="poppy")
    post.mail(ADDRESS_OF_ALICE, "challenge alice bob")
    post.mail(ADDRESS_OF_ALICE, "101 c3", "Hello bob!")
    (asked,) = post.mail(ADDRESS_OF_ALICE, "delete")
    assert post.is_confirmed("alice")
    farewell, _ = post.answer(asked, "yes")
    assert farewell.recipient == ADDRESS_OF_ALICE
    assert not post.is_confirmed("alice")
    assert rows_naming(post, ADDRESS_OF_ALICE) == [("outbox", "waiting")]
    seen = load_board(post.house, 101)
    assert seen is not None
    assert seen.match.userids == ("former player", "bob")
    assert check(post.house) == []
