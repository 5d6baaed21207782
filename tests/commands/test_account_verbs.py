"""What the commands about one's own account decide."""

from dataclasses import replace

import pytest

from pbmserv.commands.account import Deleted, Exported, NewPasswordWanted, PasswordAsked, SignedOff, WhosePassword
from pbmserv.commands.address import AddressAsked, AddressIsYours, AddressWanted, NotAnAddress, TooManyAddresses
from pbmserv.commands.challenge import Challenged
from pbmserv.commands.changes import BlockChange, Erased, NewAddress, NewSetting
from pbmserv.commands.command import Confirmation, ConfirmationKind, Decision, NotOurPlayer, Proof, Question
from pbmserv.commands.lookup import NoSuchPlayer
from pbmserv.commands.new_game import NotThereYet, NotTogether, TakesNoChallenges
from pbmserv.commands.permission import YesNeeded
from pbmserv.commands.set import LINES, NeitherOnNorOff, NoSuchSetting, SettingChanged
from pbmserv.commands.talk import Blocked, NotBlocked, NotYourself, Unblocked
from pbmserv.matches.errors import CommandError
from tests.commands.memory import Table

EVERY_BINDING_LINE = [
    *("add a@work.example", "change address a@work.example", "signoff", "delete", "export", "block anna"),
    *("unblock anna", "set html off"),
]


def decided(table: Table, line: str, sender: str | None, proof: Proof = "from") -> Decision:
    """What comes of a line that is not refused."""
    found = table.decide(line, sender, proof)
    assert isinstance(found, Decision), found
    return found


@pytest.mark.parametrize("line", EVERY_BINDING_LINE)
def test_proof_is_needed(table: Table, line: str) -> None:
    """A From address alone changes nothing, and who is nobody is told so."""
    table.give("block anna", "bob")
    found = decided(table, line, "bob", "none")
    assert (type(found.reply), found.awaits_yes) == (YesNeeded, True)
    assert (
        found.changes,
        found.entries,
        found.boards,
        found.question,
        found.to_addresses,
    ) == ((), (), (), None, ())
    assert isinstance(table.give(line, "x@example.org"), NotOurPlayer)


# forgot


@pytest.mark.parametrize(
    ("line", "sender"),
    [("forgot ANNA", None), ("forgot anna", "x@example.org"), ("forgot", "anna"), ("forgot anna", "bob")],
)
def test_forgot(table: Table, line: str, sender: str | None) -> None:
    """Whoever asks, the question goes to the player's own address."""
    found = decided(table, line, sender, "none")
    asked = Confirmation("password", "Anna", "anna@example.org", about="password Anna")
    assert found.question == Question(asked, NewPasswordWanted("Anna"), rests_days=1)
    assert found.reply == PasswordAsked(is_own=line == "forgot")
    assert (found.changes, found.to_addresses) == ((), ())


def test_forgot_does_not_tell_who_is_a_player(table: Table) -> None:
    """The same answer for somebody, for nobody, and for somebody who was never heard of."""
    table.doubt("anna")
    for userid in ("Anna", "nobody"):
        found = decided(table, f"forgot {userid}", "x@example.org", "none")
        assert (found.reply, found.question) == (PasswordAsked(is_own=False), None)


def test_forgot_refused(table: Table) -> None:
    """Without a userid the address must tell; what can be no userid is not repeated to anybody as if it could."""
    assert table.give("forgot", "x@example.org") == WhosePassword()
    assert table.give("forgot http://spam.example/", "x@example.org") == NoSuchPlayer(suggestions=())


# addresses


@pytest.mark.parametrize(("verb", "kind"), [("add", "address"), ("change address", "first address")])
def test_an_address_is_asked(table: Table, verb: str, kind: str) -> None:
    """Nothing changes until it answers itself."""
    found = decided(table, f"{verb} Anna@WORK.example", "anna")
    question = found.question
    assert question is not None
    asked, address = question.confirmation, "anna@work.example"
    assert (asked.kind, asked.userid, asked.address) == (kind, "Anna", address)
    assert (question.words, question.rests_days) == (AddressWanted("Anna", address, verb != "add"), 1)
    assert (found.reply, found.changes, found.to_addresses) == (AddressAsked(address), (), ())


def test_each_question_about_an_address_is_its_own(table: Table) -> None:
    """Who asks first cannot keep another from asking, nor `add` keep `change address`."""
    lines = [
        ("add x@work.example", "anna"),
        ("add x@work.example", "bob"),
        ("change address x@work.example", "bob"),
    ]
    questions = [decided(table, *each).question for each in lines]
    assert len({each.confirmation.about for each in questions if each}) == 3


@pytest.mark.parametrize("verb", ["add", "change address"])
def test_address_refused(table: Table, verb: str) -> None:
    """What is none, what is the server's, what is one's own; of another's is told the same as of nobody's."""
    assert table.give(f"{verb} a@b@c", "anna") == NotAnAddress(command=verb)
    taken = decided(table, f"{verb} BOB@example.org", "anna")
    assert (taken.reply, taken.question) == (AddressAsked("bob@example.org"), None)
    own = AddressIsYours(address="anna@example.org", is_first=True)
    assert table.give(f"{verb} anna@EXAMPLE.org", "anna") == own


def test_an_address_that_has_answered_before_is_asked_again(table: Table) -> None:
    """All mail will go there, so that it must arrive."""
    table.change(NewAddress(1, "anna@work.example", is_first=False))
    assert table.give("add anna@work.example", "anna") == AddressIsYours(
        address="anna@work.example", is_first=False
    )
    found = decided(table, "change address Anna@work.example", "anna")
    assert found.question is not None
    assert found.question.confirmation.kind == "first address"
    assert found.changes == ()


def test_addresses_are_limited(table: Table) -> None:
    """Ten are a player's at most; the first one can still be changed."""
    for number in range(9):
        assert isinstance(table.give(f"add a{number}@example.org", "anna"), AddressAsked)
        table.change(NewAddress(1, f"a{number}@example.org", is_first=False))
    assert table.give("add a9@example.org", "anna") == TooManyAddresses(
        limit=10, are_asked=False, last="a8@example.org"
    )
    assert isinstance(table.give("change address a9@example.org", "anna"), AddressAsked)


@pytest.mark.parametrize("first", ["first address", "commands"])
def test_questions_to_addresses_are_limited(table: Table, first: ConfirmationKind) -> None:
    """Nobody can have us write to any number of strangers; another question to the same one is not one more."""
    for number in range(5):
        assert isinstance(table.give(f"add a{number}@example.org", "anna"), AddressAsked)
        address = f"a{number}@example.org"
        asked = Confirmation("address" if number else first, "Anna", address, about=address)
        table.records.add_question(asked, table.now)
    refused = TooManyAddresses(limit=5, are_asked=True, last="anna@example.org")
    for line in ("add a5@example.org", "change address a5@example.org"):
        assert (table.give(line, "anna") == refused) == (first == "first address")
    assert isinstance(table.give("add a4@example.org", "anna"), AddressAsked)


# leaving


@pytest.fixture
def busy(table: Table) -> Table:
    """Anna has moved on 101, not on 102 and 104; she resigned on 103, where others play on, and 105 is over."""
    table.give("challenge bob anna -size=3x3", "bob")
    table.give("challenge anna bob cora -size=3x3", "anna")
    table.give("103 a1", "anna")
    table.give("103 resign", "anna")
    table.give("challenge cora anna bob -size=3x3", "cora")
    table.give("challenge cora anna -size=3x3", "cora")
    table.give("105 resign", "cora")
    table.give("challenge bob cora -size=3x3", "bob")
    return table


def test_signoff(busy: Table) -> None:
    """All that runs is resigned or declined, everybody on it is told, and no challenge comes any more."""
    found = decided(busy, "signoff", "anna", "password")
    assert found.reply == SignedOff("Anna", resigned=(101,), declined=(102, 104))
    assert [(entry.match, entry.kind, entry.at) for entry in found.entries] == [
        (101, "resigned", busy.now),
        (102, "declined", busy.now),
        (104, "declined", busy.now),
    ]
    assert found.changed_boards == (101, 102, 104)
    assert [board.state.status for board in found.boards] == ["finished", "declined", "declined"]
    assert found.changes == (NewSetting(1, "takes_challenges", value=False),)
    assert busy.give("challenge bob anna", "bob") == TakesNoChallenges(userid="Anna")
    assert busy.give("set challenges on", "anna") == SettingChanged("challenges", is_on=True)
    assert isinstance(busy.give("challenge bob anna", "bob"), Challenged)


def test_signoff_from_many_boards() -> None:
    """More than one page of the listing."""
    table = Table("anna", "bob")
    match = table.decide("challenge bob anna -size=3x3", "bob")
    assert isinstance(match, Decision)
    assert match.opened is not None
    for number in range(102, 551):
        table.keep(replace(match.opened, number=number))
    found = decided(table, "signoff", "anna")
    assert found.reply == SignedOff("anna", resigned=(), declined=tuple(range(101, 551)))


def test_signoff_without_games(table: Table) -> None:
    """It still ends challenges."""
    found = decided(table, "signoff", "cora")
    assert (found.reply, found.entries) == (SignedOff("cora", (), ()), ())
    assert len(found.changes) == 1


@pytest.mark.parametrize("proof", ["from", "dmarc", "personal", "password"])
def test_delete_asks_first(busy: Table, proof: Proof) -> None:
    """However well it was proven."""
    found = decided(busy, "delete", "anna", proof)
    assert (found.awaits_yes, found.changes, found.entries) == (True, (), ())


def test_delete(busy: Table) -> None:
    """After a `yes` the games are left as by `signoff`, and the player is forgotten."""
    found = decided(busy, "delete", "anna", "confirmed")
    assert found.reply == Deleted("Anna", resigned=(101,), declined=(102, 104))
    assert found.changes == (Erased(1),)
    assert [entry.match for entry in found.entries] == [101, 102, 104]
    assert busy.records.player("anna") is None


def test_export(busy: Table) -> None:
    """What is kept, and nothing that is a secret."""
    busy.give("block bob", "anna")
    busy.give("set words on", "anna")
    found = decided(busy, "export", "anna").reply
    assert isinstance(found, Exported)
    assert dict(found.settings) == {
        "broadcast": "off",
        "challenges": "on",
        "digest": "off",
        "html": "on",
        "mail": "turns",
        "messages": "on",
        "puzzle": "off",
        "receipts": "daily",
        "words": "on",
    }
    assert (found.userid, found.blocked, found.total) == ("Anna", ("bob",), 5)
    assert sorted(line.number for line in found.boards) == [101, 102, 103, 104, 105]
    assert found.kept == busy.records.kept_about(busy.player("Anna"))


# other players


def test_block(busy: Table) -> None:
    """No challenge from there; the other way, and by others, all is as before."""
    found = decided(busy, "block BOB", "anna")
    assert found.reply == Blocked("bob", boards=(101, 102, 104))
    assert found.changes == (BlockChange(1, 2),)
    for line in ("challenge bob anna", "challenge bob cora anna"):
        assert busy.give(line, "bob") == TakesNoChallenges(userid="Anna")
    assert isinstance(busy.give("challenge anna bob", "anna"), Challenged)
    assert busy.give("unblock Bob", "anna") == Unblocked("bob")
    assert isinstance(busy.give("challenge bob anna cora", "bob"), Challenged)


@pytest.mark.parametrize("line", ["challenge cora bob anna", "challenge anna cora bob"])
@pytest.mark.parametrize("by", ["anna", "bob"])
def test_a_third_player_brings_nobody_together_who_is_blocked(table: Table, line: str, by: str) -> None:
    """Whichever of the two has blocked the other, it is told alike; without one of them the game begins."""
    table.give("block bob" if by == "anna" else "block anna", by)
    refused = table.give(line, "cora")
    assert isinstance(refused, NotTogether)
    assert set(refused.userids) == {"Anna", "bob"}
    assert isinstance(table.give("challenge cora anna", "cora"), Challenged)
    assert isinstance(table.give("challenge cora bob", "cora"), Challenged)


def test_block_refused(table: Table) -> None:
    """Not oneself, not nobody; and only what was blocked can be unblocked."""
    assert table.give("block anna", "anna") == NotYourself(userid="Anna")
    assert table.give("block bbo", "anna") == NoSuchPlayer(suggestions=("bob",))
    assert table.give("unblock bbo", "anna") == NoSuchPlayer(suggestions=("bob",))
    table.give("block cora", "anna")
    assert table.give("unblock bob", "anna") == NotBlocked(userid="bob", blocked=("cora",))


def test_who_was_never_heard_of_cannot_be_challenged(table: Table) -> None:
    """Nobody has answered from there yet."""
    table.doubt("bob")
    assert table.give("challenge anna bob", "anna") == NotThereYet(userid="bob")
    assert isinstance(table.give("challenge anna cora", "anna"), Challenged)


# settings


SWITCHES = ("broadcast", "challenges", "html", "words")


@pytest.mark.parametrize(
    ("line", "key", "field", "is_on"),
    [
        ("set broadcast on", "broadcast", "broadcast", True),
        ("set html off", "html", "html", False),
        ("set WORDS On", "words", "words", True),
        ("set challenges off", "challenges", "takes_challenges", False),
    ],
)
def test_set(table: Table, line: str, key: str, field: str, is_on: bool) -> None:
    """One thing on or off."""
    found = decided(table, line, "anna")
    assert found.reply == SettingChanged(key, is_on)
    anna = table.player("anna")
    assert getattr(anna if field == "takes_challenges" else anna.mail, field) == is_on
    before = decided(table, f"set {key} {'off' if is_on else 'on'}", "anna")
    assert before.changes != found.changes


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("set colour off", NoSuchSetting(settings=SWITCHES, lines=LINES)),
        ("set messages maybe", NeitherOnNorOff(name="messages", choices=("on", "known", "off"))),
        ("set html maybe", NeitherOnNorOff(name="html")),
        (
            "set takes_challenges off",
            NoSuchSetting(settings=SWITCHES, lines=LINES),
        ),
    ],
)
def test_set_refused(table: Table, line: str, expected: CommandError) -> None:
    """What there is, is told."""
    assert table.give(line, "anna") == expected
