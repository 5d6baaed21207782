"""How players change: addresses, settings, blocks, and what is left of one who is forgotten."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import Connection, select, update

from pbmserv.commands.changes import BlockChange, Change, Erased, NewAddress, NewPassword, NewPlayer, NewSetting
from pbmserv.commands.command import Confirmation
from pbmserv.matches.player import (
    PersonalAddress,
    PersonalBounce,
    PersonalData,
    PersonalMail,
    PersonalQuestion,
    Player,
)
from pbmserv.matches.queries import ListingQuery
from pbmserv.matches.replay import replay
from pbmserv.services.admin.check import check
from pbmserv.services.app import App
from pbmserv.store import abuse, accounts, bounces, confirmations, inbox, matches, outbox, players
from pbmserv.store.bounces import Bounce, BouncedMail
from pbmserv.store.engine import reading, writing
from pbmserv.store.outbox import MailKeys, OutboxMessage
from pbmserv.store.queries import RecentBoards, TransactionQueries
from pbmserv.store.tables import inbox as inbox_table
from pbmserv.store.tables import metadata
from pbmserv.store.tables import outbox as outbox_table
from pbmserv.store.tables import players as player_table
from tests.store.club import NOON, add_players, keep, new_match, played

LATER = NOON + timedelta(days=1)
ALICE = "alice@example.org"


def change(connection: Connection, *changes: Change) -> None:
    """Writes changes, as a command that was carried out would."""
    for each in changes:
        accounts.write_account_change(connection, each, LATER)


def kept_about(connection: Connection, userid: str) -> PersonalData:
    """What is stored about a player."""
    player = players.find(connection, userid)
    assert player is not None
    return TransactionQueries(connection).kept_about(player)


def id_of(connection: Connection, userid: str) -> int:
    """The number of a player."""
    player = players.find(connection, userid)
    assert player is not None
    return player.id


def letter(connection: Connection, token: str, recipient: str) -> OutboxMessage:
    """A mail to a player."""
    return OutboxMessage(
        token=token,
        kind="board",
        proven=True,
        recipient=recipient,
        envelope_sender=f"b.{token}@club.test",
        message_id=f"<{token}@club.test>",
        raw=f"To: {recipient}".encode(),
        player_id=id_of(connection, recipient.partition("@")[0]),
        keys=MailKeys(token),
    )


def queue(connection: Connection, token: str, recipient: str, status: str = "waiting") -> int:
    """Puts a mail to a player into the outbox, and gives its number."""
    outbox.queue(connection, [letter(connection, token, recipient)], NOON)
    number: int = max(connection.execute(select(outbox_table.c.id)).scalars())
    connection.execute(update(outbox_table).where(outbox_table.c.id == number).values(status=status))
    return number


def key_of(number: int) -> str:
    """A content key."""
    return f"{number:032x}" + "0" * 32


def take_in(connection: Connection, sender: str, status: str = "handled") -> int:
    """Puts a mail from somebody into the inbox, and gives its number."""
    mail = inbox.NewMail(f"From: {sender}".encode(), sender, [f"pbmserv+{sender[:3]}@club.test"], sender)
    number = inbox.add(connection, mail, NOON)
    if status == "set aside":
        inbox.fail(connection, number, "it failed", None)
    elif status != "waiting":
        masked = f"From: {sender}".encode()
        inbox.finish(connection, number, "handled", NOON, key_of(number), masked=masked)
    return number


def statuses(connection: Connection) -> Sequence[tuple[str, str]]:
    """The recipient and status of each outgoing mail."""
    query = select(outbox_table.c.recipient, outbox_table.c.status).order_by(outbox_table.c.id)
    return [(row.recipient, row.status) for row in connection.execute(query)]


def whole_text(connection: Connection) -> str:
    """Every value of every row of every table."""
    return "\n".join(
        str(tuple(row)) for table in metadata.sorted_tables for row in connection.execute(select(table))
    )


# being forgotten


def test_boards_of_a_former_player(house: App) -> None:
    """They stay as they were, under another name, whoever knew them by the old one."""
    recent = RecentBoards()
    with writing(house.engine) as connection:
        add_players(connection, "alice", "bob")
        match = keep(
            connection, new_match(101, "alice", "bob"), played(new_match(101, "alice", "bob"), 3, "resigned")
        )
        keep(connection, new_match(102, "bob", "alice"), played(new_match(102, "bob", "alice"), 0, "declined"))
        recent.remember([replay(match)])
        change(connection, Erased(id_of(connection, "alice")))
    with reading(house.engine) as connection:
        records = TransactionQueries(connection, recent)
        first, second = records.board(101), records.board(102)
        assert first is not None
        assert second is not None
        assert (first.match.userids, first.match.started_by) == (("former player", "bob"), "former player")
        assert (second.match.userids, second.match.started_by) == (("bob", "former player"), "bob")
        assert first.match.entries == match.entries
        assert first.state == replay(match).state
        listed = records.boards(ListingQuery(userids=("bob",), filter="all")).lines
        assert {line.userids for line in listed} == {("former player", "bob"), ("bob", "former player")}
    assert check(house) == []


def test_a_former_player_is_nobody(house: App) -> None:
    """Not by the old userid, not by the name on boards, not by an address, not as a slip, not by a password."""
    with writing(house.engine) as connection:
        add_players(connection, "alice", "bob")
        keep(connection, new_match(101, "alice", "bob"))
        number = id_of(connection, "alice")
        change(connection, NewAddress(number, "alice@work.example", is_first=False), Erased(number))
        records = TransactionQueries(connection)
        names = ("alice", "former player", "former", f"former {number}", "Former Player")
        assert [records.player(name) for name in names] == [None] * len(names)
        for address in ("alice@example.org", "alice@work.example"):
            assert (records.player_at(address), records.owner_of(address)) == (None, None)
        assert records.boards(ListingQuery(userids=("former player",), filter="all")).total == 0
        assert records.similar_userids("former player") == []
        assert records.similar_userids("alicee") == []
        assert [each.userid for each in players.everybody(connection)] == ["bob"]
        assert players.password_hash(connection, "alice") is None


def test_two_former_players_on_one_board(house: App) -> None:
    with writing(house.engine) as connection:
        add_players(connection, "alice", "carl", "bob")
        keep(connection, new_match(101, "alice", "bob", "carl"))
        change(connection, Erased(id_of(connection, "alice")), Erased(id_of(connection, "carl")))
        board = TransactionQueries(connection).board(101)
        assert board is not None
        assert board.match.userids == ("former player", "bob", "former player")
        assert board.match.seat_of("bob") == 1
    # Nobody leaves like that: `delete` resigns first.
    assert [each.what for each in check(house)] == ["board 101 is active, but somebody at it was forgotten"]


def test_a_userid_and_an_address_are_free_again(house: App) -> None:
    """Whoever has them next has none of the old boards."""
    with writing(house.engine) as connection:
        add_players(connection, "alice", "bob")
        keep(connection, new_match(101, "alice", "bob"))
        change(connection, Erased(id_of(connection, "alice")))
        add_players(connection, "Alice")
        records = TransactionQueries(connection)
        assert records.boards(ListingQuery(userids=("alice",), filter="all")).total == 0
        assert records.started_since("alice", NOON - timedelta(days=1)) == 0
        keep(connection, new_match(102, "bob", "Alice"))
        boards = [records.board(number) for number in (101, 102)]
        assert [board.match.userids for board in boards if board] == [("former player", "bob"), ("bob", "Alice")]


def test_nothing_of_a_former_player_is_left_anywhere(house: App) -> None:
    """Mails, questions, blocks, reports: no table holds their name, address or hash; what is others' stays."""
    with writing(house.engine) as connection:
        add_players(connection, "alice", "bob")
        number = id_of(connection, "alice")
        bob = id_of(connection, "bob")
        keep(connection, new_match(101, "alice", "bob"))
        change(
            connection,
            NewPassword(number, "alices-hash"),
            NewAddress(number, "alice@work.example", is_first=False),
            BlockChange(number, bob),
            BlockChange(bob, number),
        )
        asked = Confirmation("commands", "alice", "alice@example.org", "commands alice", ("resign 101",))
        confirmations.ask(connection, asked, NOON)
        for status in ("handled", "set aside"):
            take_in(connection, "alice@example.org", status)
            take_in(connection, "alice@work.example", status)
        kept_of_bob = take_in(connection, "bob@example.org")
        for count, status in enumerate(("waiting", "sent", "failed", "withheld")):
            returned = queue(connection, f"tok2{count}", "alice@example.org", status)
            bounces.record(connection, BouncedMail(returned, "alice@example.org"), Bounce(True, "no alice"), NOON)
        queue(connection, "tok3", "bob@example.org")
        assert "alice" in whole_text(connection)
        change(connection, Erased(number))
        left = whole_text(connection)
        assert "alice" not in left
        assert "resign 101" not in left
        assert statuses(connection)[-1] == ("bob@example.org", "waiting")
        assert {status for recipient, status in statuses(connection)[:-1]} == {"sent", "failed"}
        of_bob = connection.execute(select(inbox_table).where(inbox_table.c.id == kept_of_bob)).one()
        assert (of_bob.sender, of_bob.raw, of_bob.redacted_at) == (
            "bob@example.org",
            b"From: bob@example.org",
            None,
        )
        (mail,) = outbox.lease(connection, LATER, LATER + timedelta(minutes=1), 2)
        assert mail.recipient == "bob@example.org"
        assert outbox.lease(connection, LATER, LATER, 1) == []


def test_a_mail_that_waits_to_be_handled_stays(house: App) -> None:
    """It may be the very one that is being handled; what it asks for will be a stranger's."""
    with writing(house.engine) as connection:
        add_players(connection, "alice")
        take_in(connection, "alice@example.org", "waiting")
        change(connection, Erased(id_of(connection, "alice")))
        found = inbox.take(connection, LATER)
        assert found is not None
        assert found.raw == b"From: alice@example.org"


def test_a_second_copy_is_known_of_a_former_player_too(house: App) -> None:
    with writing(house.engine) as connection:
        add_players(connection, "alice")
        number = take_in(connection, "alice@example.org")
        change(connection, Erased(id_of(connection, "alice")))
        assert abuse.standing(connection, key_of(number)).is_known


def test_who_never_played_leaves_no_row(house: App) -> None:
    """But no number is given again: mails of ours to the one before would prove to be the one after."""
    with writing(house.engine) as connection:
        add_players(connection, "alice", "bob")
        change(connection, Erased(id_of(connection, "alice")))
        assert connection.execute(select(player_table.c.userid)).scalars().all() == ["bob"]
        number = id_of(connection, "bob")
        change(connection, Erased(number))
        add_players(connection, "carl")
        assert id_of(connection, "carl") > number


# addresses


def test_an_additional_address_identifies(house: App) -> None:
    with writing(house.engine) as connection:
        add_players(connection, "alice")
        number = id_of(connection, "alice")
        twice = NewAddress(number, "Alice@Work.example", is_first=False)
        change(connection, twice, twice, NewAddress(number, "alice@example.org", is_first=False))
        records = TransactionQueries(connection)
        alice = records.player_at("alice@work.example")
        assert alice is not None
        assert (alice.userid, alice.address) == ("alice", "alice@example.org")
        assert records.addresses(alice) == ["alice@example.org", "alice@work.example"]


@pytest.mark.parametrize("had_it_before", [False, True])
def test_another_first_address(house: App, had_it_before: bool) -> None:
    """The old first one is nobody's, and what was held back from there is owed to nobody."""
    with writing(house.engine) as connection:
        add_players(connection, "alice", "bob")
        number = id_of(connection, "alice")
        change(connection, NewAddress(number, "alice@third.example", is_first=False))
        if had_it_before:
            change(connection, NewAddress(number, "alice@new.example", is_first=False))
        bounces.suspend(connection, "alice@example.org", NOON)
        for recipient in ("alice@example.org", "bob@example.org"):
            queue(connection, recipient[:3], recipient, "withheld")
        change(connection, NewAddress(number, "alice@new.example", is_first=True))
        records = TransactionQueries(connection)
        alice = records.player("alice")
        assert alice is not None
        assert (alice.address, alice.is_suspended, alice.is_confirmed) == ("alice@new.example", False, True)
        assert records.addresses(alice) == ["alice@new.example", "alice@third.example"]
        assert records.owner_of("alice@example.org") is None
        assert statuses(connection) == [("alice@example.org", "failed"), ("bob@example.org", "withheld")]


# settings and blocks


def settings_of(player: Player) -> dict[str, bool]:
    """What of a player is on or off."""
    return {"html": player.mail.html, "words": player.mail.words, "takes_challenges": player.takes_challenges}


@pytest.mark.parametrize("key", ["html", "words", "takes_challenges"])
def test_settings(house: App, key: str) -> None:
    """Each by itself, and only the player's own."""
    with writing(house.engine) as connection:
        add_players(connection, "alice", "bob")
        before = players.find(connection, "alice")
        other = players.find(connection, "bob")
        assert before is not None
        value = not settings_of(before)[key]
        change(connection, NewSetting(before.id, key, value))  # type: ignore[arg-type]
        after = players.find(connection, "alice")
        assert after is not None
        assert {name for name, set_to in settings_of(after).items() if set_to != settings_of(before)[name]} == {
            key
        }
        assert players.find(connection, "bob") == other


def test_blocks(house: App) -> None:
    """One way only; setting one twice, or lifting one that is not there, does nothing more."""
    with writing(house.engine) as connection:
        add_players(connection, "alice", "Bob", "carl")
        alice, bob, carl = (id_of(connection, userid) for userid in ("alice", "bob", "carl"))
        change(
            connection,
            BlockChange(alice, carl),
            BlockChange(alice, bob),
            BlockChange(alice, bob),
            BlockChange(bob, carl, is_lifted=True),
        )
        records = TransactionQueries(connection)
        assert records.blocked_by("ALICE") == ["Bob", "carl"]
        assert records.is_blocked("BOB", by="Alice")
        assert not records.is_blocked("alice", by="bob")
        change(connection, BlockChange(alice, bob, is_lifted=True))
        assert records.blocked_by("alice") == ["carl"]
        assert not records.is_blocked("bob", by="alice")


def test_a_question_is_opened_before_any_mail_asks_it(house: App) -> None:
    """Mails of later transactions ask it, each with its own token and word; one answer closes it for all."""
    asked = Confirmation("commands", "alice", ALICE, "commands alice", ("resign 101",))
    with writing(house.engine) as connection:
        add_players(connection, "alice")
        opened = confirmations.ask(connection, asked, NOON)
        assert confirmations.ask(connection, replace(asked, userid="nobody"), NOON) is None
        assert confirmations.was_asked_since(connection, asked.about, NOON - timedelta(hours=1))
    assert opened is not None
    with writing(house.engine) as connection:
        assert opened.newcomer_id is None
        assert confirmations.find(connection, ["tok1"], LATER) is None
        for token in ("tok1", "tok2"):
            outbox.queue(connection, [replace(letter(connection, token, ALICE), asks=opened.id)], LATER)
    with writing(house.engine) as connection:
        for token in ("tok1", "tok2"):
            assert confirmations.find(connection, [token.upper()], LATER) == asked
            assert confirmations.find_threaded(connection, [token], LATER) == asked
        confirmations.forget(connection, asked.about)
        reopened = confirmations.ask(connection, asked, NOON)
        assert reopened is not None
        assert confirmations.find(connection, ["tok1", "tok2"], LATER) is None, "what is closed stays closed"
        outbox.queue(connection, [replace(letter(connection, "tok3", ALICE), asks=reopened.id)], LATER)
        assert confirmations.find(connection, ["tok1", "tok3"], LATER) == asked


# what is kept


def test_all_that_is_kept_about_a_player(house: App) -> None:
    """Theirs, and nothing of others; nothing that opens anything."""
    with writing(house.engine) as connection:
        add_players(connection, "alice", "bob")
        number = id_of(connection, "alice")
        change(connection, NewPassword(number, "alices-hash"))
        change(connection, NewAddress(number, "alice@work.example", is_first=False))
        bounces.suspend(connection, "alice@example.org", LATER)
        ids = []
        for userid, line in (("alice", "resign 101"), ("bob", "resign 102")):
            asked = Confirmation("commands", userid, f"{userid}@example.org", f"commands {userid}", (line,))
            opened = confirmations.ask(connection, asked, NOON)
            assert opened is not None
            ids.append(opened.id)
        take_in(connection, "alice@work.example")
        take_in(connection, "bob@example.org")
        returned = queue(connection, "tok1", "alice@example.org", "sent")
        queue(connection, "tok2", "bob@example.org")
        bounces.record(connection, BouncedMail(returned, "alice@example.org"), Bounce(True, "no alice"), LATER)
        found = kept_about(connection, "alice")
        assert found.signed_up == NOON
        assert found.addresses == (
            PersonalAddress("alice@example.org", True, NOON, LATER),
            PersonalAddress("alice@work.example", False, LATER, None),
        )
        assert found.questions == (PersonalQuestion("commands", "alice@example.org", ("resign 101",), NOON),)
        assert found.mails == (
            PersonalMail("to", "alice@example.org", NOON, "sent"),
            PersonalMail("from", "alice@work.example", NOON, "handled"),
        )
        assert found.mails_total == 2
        assert found.returns == (PersonalBounce("alice@example.org", LATER, True),)
        for secret in ("alices-hash", "tok1", *ids):
            assert secret not in repr(found)


def test_of_many_mails_the_newest_are_told(house: App) -> None:
    with writing(house.engine) as connection:
        add_players(connection, "alice")
        for minute in range(150):
            take_in(connection, "alice@example.org")
            queue(connection, f"tok{minute}", "alice@example.org")
        table = inbox_table.c
        connection.execute(update(inbox_table).where(table.id > 100).values(received_at=LATER))
        found = kept_about(connection, "alice")
        assert (len(found.mails), found.mails_total) == (200, 300)
        assert [mail.at for mail in found.mails[:50]] == [LATER] * 50
        assert found.mails[50].at == NOON


def test_a_new_player_in_the_place_of_one_who_never_answered(house: App) -> None:
    with writing(house.engine) as connection:
        unheard = NewPlayer("alice", "alice@example.org", "hash", is_confirmed=False)
        change(connection, unheard)
        replaced = NewPlayer("alice", "alice@example.org", "hash2", is_confirmed=True, replaced=(1,))
        change(connection, replaced)
        alice = players.find_at(connection, "alice@example.org")
        assert alice is not None
        assert (alice.userid, alice.is_confirmed) == ("alice", True)
        assert matches.all_numbers(connection) == []
