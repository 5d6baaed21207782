"""`challenge`: who plays, with which options, how often."""

from dataclasses import replace
from datetime import timedelta
from functools import partial

import pytest

from pbmserv.commands.challenge import Challenged, NotAmongPlayers, SamePlayerTwice, WrongNumberOfPlayers
from pbmserv.commands.command import Decision
from pbmserv.commands.lookup import NoSuchPlayer
from pbmserv.commands.new_game import BadOptionValue, RatedAndUnrated, TooManyGames, TooManyUnbegun, UnknownOption
from pbmserv.matches.errors import CommandError
from tests.commands.memory import Table

TIMES = ("nagtime", "forfeittime", "totaltime", "increment")


def test_challenge(table: Table) -> None:
    """Starts at once, in that order of play, with the userids as their owners write them."""
    decided = table.decide("challenge BOB anna -size=3X5 --unrated", "anna", "none")
    assert isinstance(decided, Decision)
    match = decided.opened
    assert match is not None
    assert (match.number, match.userids, match.started_by) == (102, ("bob", "Anna"), "Anna")
    assert (match.options, match.rated, match.rules) == ((("size", "3x5"),), False, "cephalopod/1")
    assert (match.started, decided.changed_boards, decided.entries) == (table.now, (102,), ())
    assert isinstance(table.give("challenge anna bob cora", "cora"), Challenged)


@pytest.mark.parametrize(
    ("options", "among_people", "with_a_robot"),
    [("", True, False), ("--rated", True, True), ("--unrated", False, False), ("-size=3x3 --rated", True, True)],
)
def test_games_with_robots_are_rated_only_if_somebody_says_so(
    table: Table, options: str, among_people: bool, with_a_robot: bool
) -> None:
    """Whoever else plays, and in whatever order; a rematch is rated if the game before it was."""
    table.make_robot("cora", "greedy")
    for players, is_rated in (
        ("anna bob", among_people),
        ("anna cora", with_a_robot),
        ("cora bob anna", with_a_robot),
    ):
        begun = table.decide(f"challenge {players} {options}", "anna", "none")
        assert isinstance(begun, Decision)
        assert begun.opened is not None
        assert begun.opened.rated is is_rated
        number = begun.opened.number
        for userid in players.split()[1:]:
            table.give(f"{number} resign", userid)
        again = table.decide(f"rematch {number}", "anna", "none")
        assert isinstance(again, Decision)
        assert again.opened is not None
        assert again.opened.rated is is_rated


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("challenge anna", WrongNumberOfPlayers(game="cephalopod", named=1, least=2, most=6, example=())),
        (
            "hex challenge anna bob cora",
            WrongNumberOfPlayers(game="hex", named=3, least=2, most=2, example=("Anna", "bob")),
        ),
        ("challenge anna ANNA", SamePlayerTwice(userid="ANNA", game="cephalopod", userids=("anna",))),
        ("challenge anna bbo", NoSuchPlayer(suggestions=("bob",))),
        ("hex challenge bob cora", NotAmongPlayers(userid="Anna", game="hex", others=("bob",))),
        (
            "challenge anna bob -speed=3",
            UnknownOption(game="cephalopod", options=("size", "rated", "unrated", *TIMES)),
        ),
        ("challenge anna bob -", UnknownOption(game="cephalopod", options=("size", "rated", "unrated", *TIMES))),
        (
            "challenge anna bob --rated=yes",
            UnknownOption(game="cephalopod", options=("size", "rated", "unrated", *TIMES)),
        ),
        (
            "challenge anna BOB --rated --unrated",
            RatedAndUnrated(game="cephalopod", command="challenge", userids=("Anna", "bob")),
        ),
        (
            "challenge anna bob --unrated=no",
            UnknownOption(game="cephalopod", options=("size", "rated", "unrated", *TIMES)),
        ),
    ],
)
def test_challenge_refused(table: Table, line: str, expected: CommandError) -> None:
    """What is wrong with the players or the options."""
    assert table.give(line, "anna") == expected


@pytest.mark.parametrize(
    ("line", "userids"),
    [("challenge bob", ("Anna", "bob")), ("challenge bob cora", ("Anna", "bob", "cora"))],
)
def test_others_than_oneself_are_enough(table: Table, line: str, userids: tuple[str, ...]) -> None:
    """Whoever names only others moves first."""
    decided = table.decide(line, "anna")
    assert isinstance(decided, Decision)
    assert decided.opened is not None
    assert decided.opened.userids == userids


@pytest.mark.parametrize("options", ["-size=4x4", "-size=3x3 -size=3x5", "-size"])
def test_challenge_with_a_bad_value(table: Table, options: str) -> None:
    """The values that would do are told; two that contradict each other are as bad as a wrong one."""
    refused = table.give(f"challenge anna bob {options}", "anna")
    assert isinstance(refused, BadOptionValue)
    assert (refused.name, refused.userids) == ("size", ("Anna", "bob"))
    assert "3x5" in refused.choices
    assert isinstance(table.give("challenge anna bob -size=3x3 --size=3X3", "anna"), Challenged)
    assert table.match(102).options == (("size", "3x3"),)


def test_a_number_of_very_many_is_taken_and_told_as_a_range(table: Table) -> None:
    refused = table.give("chess challenge anna bob -setup=960", "anna")
    assert isinstance(refused, BadOptionValue)
    assert refused.choices == ("518", "0 to 959")
    assert isinstance(table.give("chess challenge anna bob -setup=7", "anna"), Challenged)
    assert table.match(102).options == (("setup", "7"),)


def test_challenge_is_limited_without_proof(table: Table) -> None:
    """Three against the same player that this one has not begun, and ten a day; what helps is told."""
    ask = partial(table.give, sender="anna", proof="none")
    for number in (102, 103, 104):
        assert isinstance(ask("challenge cora anna"), Challenged)
        assert table.records.board(number) is not None
    for line in ("challenge cora anna", "challenge anna bob cora"):
        refused = TooManyUnbegun(userid="cora", starter="Anna", limit=3, proven_limit=10, line=line)
        assert ask(line) == refused
    assert isinstance(table.give("challenge cora anna", "cora", "none"), Challenged)
    for number in (102, 103, 104):
        table.give(f"{number} a1", "cora")
    for _ in range(6):
        ask("challenge cora anna")
        table.give(f"{table.records.next_number() - 1} resign", "anna")
    line = "challenge bob anna"
    assert ask(line) == TooManyGames(starter="Anna", limit=10, proven_limit=100, line=line)
    assert isinstance(table.give(line, "bob", "none"), Challenged)
    assert isinstance(table.give(line, "anna", "personal"), Challenged)
    table.now += timedelta(days=1)
    assert isinstance(ask(line), Challenged)


def test_a_club_begins_on_one_evening(table: Table) -> None:
    """With proof ten may wait for one player, and a hundred may be in play, on whatever day they began."""
    assert isinstance(table.give("challenge bob cora", "cora"), Challenged)
    first = table.match(102)
    for number in range(103, 202):
        rival = "bob" if number < 112 else "Anna"
        table.keep(replace(first, number=number, userids=("cora", rival)))
    line = "challenge bob cora"
    refused = TooManyGames(starter="cora", limit=100, proven_limit=100, line=line)
    table.now += timedelta(days=1)
    assert table.give(line, "cora") == refused
    assert table.give(line, "cora", "none") == refused
    table.give("201 resign", "cora")
    by_one = TooManyUnbegun(userid="bob", starter="cora", limit=10, proven_limit=10, line=line)
    assert table.give(line, "cora") == by_one
    table.give("111 resign", "cora")
    assert isinstance(table.give(line, "cora"), Challenged)
