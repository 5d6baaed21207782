"""Records out of one house and into another; the files of a month."""

import gzip
import json
from collections.abc import Iterator
from copy import deepcopy
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from argon2 import PasswordHasher

from pbmserv.commands.server import Server
from pbmserv.matches.replay import replay
from pbmserv.rendering.record import NOT_OF_THE_GAME, record_of
from pbmserv.services.admin.check import check
from pbmserv.services.admin.game_files import (
    CannotDump,
    CannotImport,
    dump_file,
    dump_last_month,
    dump_month,
    take_in,
)
from pbmserv.services.views import load_board
from tests.conftest import Clock, make_house
from tests.conversation import parsed
from tests.services.post import Post, text_of

ALICE, BOB = "alice@example.org", "bob@example.org"


@pytest.fixture
def any_club(post: Post) -> Post:
    """The same as `club`, on either kind of database."""
    return played(post)


@pytest.fixture
def club(sqlite_post: Post) -> Post:
    """Alice and bob have played on 101, which is over; 102 goes on, 103 was declined."""
    return played(sqlite_post)


def played(post: Post) -> Post:
    """What happened at the club."""
    post.people(alice="sesame", bob="poppy")
    for _ in range(3):
        post.mail(ALICE, "challenge alice bob -size=3x3")
    for sender, line in ((ALICE, "b2"), (BOB, "a1"), (ALICE, "undo"), (BOB, "accept"), (ALICE, "c3"), (BOB, "b3")):
        word = line if line in ("undo", "accept") else f"move {line}"
        verb, _, rest = word.partition(" ")
        post.clock.move(hours=1)
        post.mail(sender, f"{verb} 101 {rest}".strip(), "Words for you alone.")
    post.mail(BOB, "resign 101")
    post.mail(BOB, "resign 103")
    return post


@pytest.fixture
def other(tmp_path: Path, quick_hasher: PasswordHasher, clock: Clock) -> Iterator[Post]:
    """Another club on SQLite with a board of its own, by the same clock."""
    server = Server("games@other.test", confirm="from")
    house = make_house(f"sqlite:///{tmp_path / 'other.db'}", quick_hasher, server)
    post = Post(house, clock)
    post.people(Alice="cumin", rob="tahini")
    post.mail(ALICE, "challenge alice rob")
    yield post
    house.engine.dispose()


def record(post: Post, board: int = 101) -> dict[str, Any]:
    """The record of a board, as a file holds it."""
    seen = load_board(post.house, board)
    assert seen is not None
    found: dict[str, Any] = json.loads(json.dumps(record_of(replay(seen.match), post.house.server)))
    return found


def test_there_and_back(club: Post, other: Post) -> None:
    """The same game, but for its number, the server and the names; nobody is mailed."""
    out = record(club)
    # Here a rated game has ended that began later: what the older one does to ratings comes before.
    other.clock.move(days=1)
    for sender, line in ((ALICE, "move 101 a1"), ("rob@example.org", "move 101 b3"), (ALICE, "resign 101")):
        other.mail(sender, line)
    before = len(other.letters())
    assert take_in(other.house, out, {"bob": "ROB"}, rated=True, now=other.clock()) == 102
    back = record(other, 102)
    changed = {name for name in out if out[name] != back[name]}
    assert changed == {"server", "board", "players", "started_by"} <= NOT_OF_THE_GAME
    assert [each["userid"] for each in back["players"]] == ["Alice", "rob"]
    assert (back["started_by"], back["rated"]) == ("Alice", True)
    assert len(other.letters()) == before
    assert check(other.house) == []


def test_unrated_unless_wanted_and_rated(club: Post, other: Post) -> None:
    """A game that was not rated never is."""
    out = record(club)
    take_in(other.house, out, {"2": "rob"}, rated=False, now=other.clock())
    assert record(other, 102)["rated"] is False
    unrated = {**out, "rated": False, "started": "2025-01-01T12:00:00Z"}
    take_in(other.house, unrated, {"2": "rob"}, rated=True, now=other.clock())
    assert record(other, 103)["rated"] is False


def test_only_once(any_club: Post, other: Post) -> None:
    """Whoever it is said to be by; nor where it was played."""
    out = record(any_club)
    take_in(other.house, out, {"bob": "rob"}, rated=False, now=other.clock())
    swapped, same = {"1": "rob", "2": "alice"}, {"bob": "rob"}
    for house, names in ((other.house, swapped), (other.house, same), (any_club.house, {})):
        with pytest.raises(CannotImport, match=r"here already, as board 10[12]"):
            take_in(house, out, names, rated=False, now=other.clock())


def test_into_either_kind_of_database(any_club: Post, other: Post) -> None:
    """And out of it again, just as it was."""
    other.mail(ALICE, "resign 101")
    back = record(other)
    assert take_in(any_club.house, back, {"rob": "bob"}, rated=True, now=other.clock()) == 104
    assert {**record(any_club, 104), "players": 0} | {name: back[name] for name in NOT_OF_THE_GAME} == back


def test_declined_and_running_games(club: Post, other: Post) -> None:
    """One is over, though it counts for nobody; the other is still played elsewhere."""
    take_in(other.house, record(club, 103), {"bob": "rob"}, rated=True, now=other.clock())
    assert record(other, 102)["status"] == "declined"
    with pytest.raises(CannotImport, match="not over"):
        take_in(other.house, record(club, 102), {"bob": "rob"}, rated=False, now=other.clock())


WRONG: list[tuple[str, Any, str]] = [
    ("format", "pbmserv-record/2", r"\$.format"),
    ("game", "ludo", "ludo/1|which this server does not have"),
    ("rules", "cephalopod/2", "does not have"),
    ("options", {"size": "3x4"}, "options that its rules do not know"),
    ("result", {"ranks": [2, 1], "scores": [1, 1], "reason": "alone"}, "'result'"),
    ("ending", "played", "'ending'"),
    ("moves", [], "'moves'"),
    ("position", [], "'position'"),
    ("ended", "2026-01-01T12:00:00Z", "'ended'"),
    ("started", "2026-02-30T12:00:00Z", "day is out of range"),
    ("players", [{"userid": "alice", "side": "Paren"}] * 7, "not played by 7|two seats"),
    ("players", [{"userid": "alice", "side": "Paren"}] * 2, "two seats"),
    ("log", [], "'ended'"),
    ("comment", "hello", "Additional properties"),
]


def test_what_is_wrong_is_refused(club: Post, other: Post) -> None:
    """With a reason, and nothing is left behind."""
    for field, value, why in WRONG:
        with pytest.raises(CannotImport, match=why):
            take_in(other.house, {**record(club), field: value}, {"bob": "rob"}, rated=False, now=other.clock())
    assert load_board(other.house, 102) is None


def test_wrong_logs_are_refused(club: Post, other: Post) -> None:
    """A move against the rules, one in another notation, words where none belong, and what is yet to be."""
    for place, changes, why in (
        (0, {"text": "Z9"}, "cannot be replayed"),
        (0, {"text": "b2"}, "not written as the rules write it"),
        (0, {"seat": 1}, "out of turn"),
        (6, {"text": "with a word"}, "no record as its schema has it"),
        (6, {"at": "2027-01-01T12:00:00Z"}, "not been played yet"),
    ):
        wrong = deepcopy(record(club))
        wrong["log"][place].update(changes)
        if "at" in changes:
            wrong["ended"] = changes["at"]
        with pytest.raises(CannotImport, match=why):
            take_in(other.house, wrong, {"bob": "rob"}, rated=False, now=other.clock())
    early = deepcopy(record(club))
    early["log"][2]["at"] = "9999-12-31T23:59:59Z"
    with pytest.raises(CannotImport, match="not been played yet"):
        take_in(other.house, early, {"bob": "rob"}, rated=False, now=other.clock())
    with pytest.raises(CannotImport, match="nobody is called bob here: say who that is with --player"):
        take_in(other.house, record(club), {}, rated=False, now=other.clock())
    nothings: tuple[object, ...] = (None, [], "record", {}, {"format": 1})
    for nothing in nothings:
        with pytest.raises(CannotImport, match="schema"):
            take_in(other.house, nothing, {}, rated=False, now=other.clock())


def test_the_last_mail_says_how_to_get_the_record(club: Post) -> None:
    """It carries no file; an answer of one word brings it, without a word of theirs."""
    for address in (ALICE, BOB):
        assert not any(list(parsed(each.raw).iter_attachments()) for each in club.sent_to(address))
        last = next(
            each
            for each in reversed(club.sent_to(address))
            if 'answer with "record"' in " ".join(text_of(each).split())
        )
        (answer,) = club.answer(last, "record")
        (file,) = parsed(answer.raw).iter_attachments()
        assert json.loads(file.get_content()) == record(club)
    assert "Words for you alone" not in str(record(club))
    assert "@" not in str(record(club))


def test_a_record_for_nobody_we_know(club: Post) -> None:
    """Is text alone: whose address that is nobody knows."""
    (letter,) = club.mail("zoe@example.org", "record 101")
    assert "RECORD OF BOARD 101" in text_of(letter)
    assert "attached" not in text_of(letter)
    assert not list(parsed(letter.raw).iter_attachments())


def games_in(file: Path) -> list[Any]:
    """The records of a file."""
    return [json.loads(line) for line in gzip.open(file, "rt").read().splitlines()]


def test_a_month_as_a_file(any_club: Post, tmp_path: Path) -> None:
    """Finished games of that month, with former players by no name; the same games make the same file."""
    folder = tmp_path / "records"
    assert dump_month(any_club.house, "2026-01", folder) == 1
    assert games_in(dump_file(folder, "2026-01")) == [record(any_club)]
    first = dump_file(folder, "2026-01").read_bytes()
    assert dump_month(any_club.house, "2026-01", folder) == 1
    assert dump_file(folder, "2026-01").read_bytes() == first
    any_club.answer(any_club.mail(BOB, "delete")[0], "yes")
    dump_month(any_club.house, "2026-01", folder)
    (game,) = games_in(dump_file(folder, "2026-01"))
    assert [each["userid"] for each in game["players"]] == ["alice", "former player"]
    assert [each.name for each in folder.iterdir()] == ["2026-01.jsonl.gz"]


def test_once_a_month(club: Post, tmp_path: Path) -> None:
    """From the second day of the next month on, and not again when the file is there; an empty month has none."""
    for now in (datetime(2026, 2, 1, 23, tzinfo=UTC), datetime(2026, 4, 2, tzinfo=UTC)):
        assert dump_last_month(club.house, now, tmp_path / "records") is False
        assert not (tmp_path / "records").exists()
    dump_last_month(club.house, datetime(2026, 2, 2, tzinfo=UTC), tmp_path / "records")
    file = dump_file(tmp_path / "records", "2026-01")
    assert games_in(file) == [record(club)]
    file.write_bytes(b"mine")
    dump_last_month(club.house, datetime(2026, 2, 2, 1, tzinfo=UTC), tmp_path / "records")
    assert file.read_bytes() == b"mine"


def test_what_is_no_month_and_where_nothing_can_be_written(club: Post, tmp_path: Path) -> None:
    """One sentence each."""
    for month in ("2026-13", "2026", "last", "2026-1", "0000-01"):
        with pytest.raises(CannotDump, match="is no month"):
            dump_month(club.house, month, tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(CannotDump, match="cannot be written"):
        dump_month(club.house, "2026-01", tmp_path / "file")
