"""Records: of any log they fit the schema, hold no address and no words, and can be read back."""

import json
from itertools import islice
from random import Random

from jsonschema import Draft202012Validator

from pbmserv.commands.server import Server
from pbmserv.games import games
from pbmserv.matches.clock import TimeControl
from pbmserv.matches.log import BrokenLog, Entry, EntryKind, Match, rules_of
from pbmserv.matches.replay import GameState, replay
from pbmserv.rendering.markup import laid_out
from pbmserv.rendering.record import as_file, differing, game_log, match_of, record_of, schema, steps
from pbmserv.rendering.templates import render
from tests.conftest import NOON
from tests.every import for_each

SERVER = Server("pbm@club.test", variants=True)
CHECKED = Draft202012Validator(schema())
BY_CHANCE: tuple[EntryKind, ...] = (
    *("played",) * 40,
    *("proposed", "asked", "accepted", "rejected", "extended", "paused", "resumed", "rewound") * 2,
    *("resigned", "forfeited", "removed", "awarded", "annulled"),
)


def started(seats: int, **changes: object) -> Match:
    """A match on 3x3 of alice, bob and others."""
    userids = ("alice", "bob", "carol", "dora")[:seats]
    clock = TimeControl()
    return Match(101, "cephalopod", "cephalopod/1", (("size", "3x3"),), True, userids, "bob", NOON, (), clock)


def played_at_random(seed: int) -> GameState:
    """A board with a log of anything that can follow."""
    chance = Random(seed)
    board = replay(started(chance.randint(2, 4)))
    for _ in range(80):
        kind = chance.choice(BY_CHANCE)
        seat = chance.randrange(len(board.match.userids))
        text = ""
        if kind == "played" and board.state.to_move is not None:
            game, seat = rules_of(board.match), board.state.to_move
            position = board.state.position
            text = game.write(position, chance.choice(list(game.moves(position))))
        elif kind in ("asked", "rewound"):
            ply = board.state.takes_back(seat) if kind == "asked" else chance.randint(0, board.state.plies)
            text = str(ply or 0)
        elif kind == "extended":
            text = str(chance.randint(1, 100))
        whose = None if kind in ("paused", "resumed", "rewound", "annulled") else seat
        seq = board.state.entries + 1
        try:
            board = board.apply(Entry(101, seq, board.state.last_at, kind, whose, text, chance.randrange(99)))
        except BrokenLog:
            continue
    return board


BOARDS = [played_at_random(seed) for seed in range(60)]


def test_every_kind_of_entry_is_there() -> None:
    """In the logs that the others are tested with, but for declining; and every way for a game to stand."""
    assert {entry.kind for board in BOARDS for entry in board.match.entries} == set(BY_CHANCE)
    assert {board.state.status for board in BOARDS} == {"active", "finished", "annulled"}


def test_fits_the_schema() -> None:
    """The schema is one, and every record fits it, as a file too."""
    Draft202012Validator.check_schema(schema())
    declined = replay(started(2)).apply(Entry(101, 1, NOON, "declined", 0))
    for board in (*BOARDS, declined):
        record = record_of(board, SERVER)
        assert list(CHECKED.iter_errors(record)) == []
        assert json.loads(as_file(record)) == record
        assert "@" not in json.dumps(record)


@for_each("name", sorted(games()))
def test_every_game_fits_the_schema(name: str) -> None:
    """Its name, what stands on its board, and what lies beside it."""
    game, chance = games()[name], Random(name)
    seats = game.info.least_seats
    userids = ("alice", "bob", "carol", "dora", "eve", "fay")[:seats]
    board = replay(Match(101, name, game.info.rules, (), True, userids, "bob", NOON, ()))
    for seq in range(1, 9):
        seat, position = board.state.to_move, board.state.position
        if seat is not None:
            text = game.write(position, chance.choice(list(islice(game.moves(position), 99))))
            board = board.apply(Entry(101, seq, NOON, "played", seat, text))
    assert list(CHECKED.iter_errors(record_of(board, SERVER))) == []


def test_is_read_back() -> None:
    """Head and log make the same match, whatever it is called; the rest follows."""
    for board in BOARDS:
        match = board.match
        record = json.loads(as_file(record_of(board, SERVER)))
        assert match_of(record, 101, match.userids.__getitem__, match.started_by) == match
        other = replay(match_of(record, 207, ("rob", "ida", "joe", "eva").__getitem__, "ida"))
        copy = record_of(other, Server("games@other.test"))
        assert differing(copy, record) == []
        assert (copy["board"], copy["server"], copy["started_by"]) == (207, "other.test", "ida")


def test_the_line_that_is_played_on() -> None:
    """Moves are those of the line, each with its own time; what was taken back stands in the log alone."""
    board = replay(started(2))
    for hour, (kind, seat, text) in enumerate(
        [("played", 0, "B2"), ("played", 1, "A1"), ("rewound", None, "1"), ("played", 1, "C3")]
    ):
        at = NOON.replace(hour=hour + 12)
        board = board.apply(Entry(101, hour + 1, at, kind, seat, text))  # type: ignore[arg-type]
    record = record_of(board, SERVER)
    assert [(each["ply"], each["move"], each["at"]) for each in record["moves"]] == [
        (1, "B2", "2026-01-01T12:00:00Z"),
        (2, "C3", "2026-01-01T15:00:00Z"),
    ]
    assert [each["text"] for each in record["log"]] == ["B2", "A1", "1", "C3"]
    assert [stood.state.plies for _, stood in steps(board)] == [1, 2, 1, 2]


def test_captures_and_the_end() -> None:
    """What a move took, and the pieces that stand."""
    board = replay(started(2))
    for seq, text in enumerate(("B2", "A1", "A2xA1,B2"), 1):
        board = board.apply(Entry(101, seq, NOON, "played", (seq - 1) % 2, text))
    record = record_of(board.apply(Entry(101, 4, NOON, "resigned", 1)), SERVER)
    assert record["moves"][2]["captured"] == [
        {"square": "A1", "seat": 1, "piece": "<1>"},
        {"square": "B2", "seat": 0, "piece": "(1)"},
    ]
    assert record["position"] == [{"square": "A2", "seat": 0, "piece": "(2)"}]
    assert (record["status"], record["ending"], record["to_move"]) == ("finished", "resigned", None)
    assert record["result"] == {"ranks": [1, 2], "scores": [1, 0], "reason": "alone"}


@for_each("words", [False, True])
def test_every_story_can_be_told(words: bool) -> None:
    """In text that a mail can carry, with every move in it."""
    for board in BOARDS:
        story = game_log(board)
        text = laid_out(
            render("mail/record.txt", words=words, story=story, attached=("board-101.json",), server=SERVER)
        )
        assert all(len(line) <= 72 for line in text.split("\n"))
        for entry in board.match.entries:
            if entry.kind == "played":
                assert entry.text in text.replace("\n    ", "").replace("\n", "") or len(entry.text) > 20
        assert "board-101.json" in text


def test_what_happened_is_told() -> None:
    """Each thing in a sentence of its own."""
    log: tuple[tuple[EntryKind, int | None, str], ...] = (
        ("played", 0, "B2"),
        ("played", 1, "A1"),
        ("proposed", 0, ""),
        ("rejected", 1, ""),
        ("asked", 1, "1"),
        ("accepted", 0, ""),
        ("extended", 1, "24"),
        ("paused", None, ""),
        ("resumed", None, ""),
        ("rewound", None, "0"),
        ("forfeited", 0, ""),
        ("awarded", 0, ""),
        ("annulled", None, ""),
    )
    board = replay(started(2))
    for seq, (kind, seat, text) in enumerate(log, 1):
        board = board.apply(Entry(101, seq, NOON, kind, seat, text))
    told = render("mail/record.txt", story=game_log(board), attached=(), server=SERVER)
    lines = [line.strip().removeprefix("2026-01-01 12:00  ") for line in told.split("\n")]
    start = lines.index("alice proposed a draw")
    assert lines[start : start + 11] == [
        "alice proposed a draw",
        "bob said no",
        "bob asked to go back to move 1",
        "alice agreed: back to move 1",
        "the operator gave bob 24 hours more",
        "the operator stopped the clocks",
        "the operator restarted the clocks",
        "the operator took the game back to move 0",
        "alice ran out of time",
        "the operator gave alice the win",
        "the operator declared the game void",
    ]
    assert "board-101.json" not in told


def test_all_games_have_records() -> None:
    """The side of each seat stands in it."""
    assert [each["side"] for each in record_of(replay(started(3)), SERVER)["players"]] == [
        side.name for side in games()["cephalopod"].info.sides[:3]
    ]
