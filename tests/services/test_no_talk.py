"""Lines below a move that are no words for others: what goes to whom, to the last byte."""

import pytest

from tests.services.post import Post, text_of

ALICE, BOB, CARL = "alice@example.org", "bob@example.org", "carl@example.org"


@pytest.fixture
def club(sqlite_post: Post) -> Post:
    """Alice plays Bob at chess, with her second move to come, while Carl watches."""
    sqlite_post.people(alice="sesame", bob="poppy", carl="tahini")
    sqlite_post.mail(ALICE, "chess challenge alice bob")
    sqlite_post.mail(CARL, "subscribe 101")
    sqlite_post.mail(ALICE, "move 101 e4")
    sqlite_post.mail(BOB, "move 101 e5")
    return sqlite_post


@pytest.mark.parametrize(
    ("plan", "ready"),
    [
        ("if Nc6 then Bb5", "queue 101 if Nc6 then Bb5"),
        ("2...Nc6 3.Bb5 a6 4.Ba4", "queue 101 if Nc6 then Bb5 if a6 then Ba4"),
        ("wenn Nc6 dann Bb5\nwenn d6 dann d4", "queue 101 if Nc6 then Bb5; if d6 then d4"),
        ("If you play Nc6, I play Bb5. Or d6 d4.", "queue 101 if e8-e7 then f1-d3"),
        ("si Nc6 alors Bb5", "queue 101 if Nc6 then Bb5"),
    ],
)
def test_a_plan_below_a_move(club: Post, plan: str, ready: str) -> None:
    """The move is played; the plan is offered to its maker as a command, and others get no byte of it."""
    letters = club.answer(club.sent_to(ALICE)[-1], f"Nf3\n\nGood luck, old friend!\n{plan}")
    assert club.moves()[2:] == ["G1-F3"]
    told = {letter.recipient: letter for letter in letters}
    assert sorted(told) == [ALICE, BOB, CARL]
    assert f"\n    {ready}\n" in text_of(told[ALICE])
    for other in (BOB, CARL):
        raw = told[other].raw
        assert b"Bb5" not in raw
        assert b"Nc6" not in raw
        assert b"old friend" not in raw
    club.answer(told[ALICE], ready)
    club.mail(BOB, "move 101 Nc6")
    assert club.moves()[4:] == (["F1-B5"] if "e8" not in ready else [])


@pytest.mark.parametrize("text", ["if Nc6 then Bb5", "Nf3, and if Nc6 then Bb5"])
def test_a_plan_alone(club: Post, text: str) -> None:
    """It is asked whether it is to be queued; nothing is done."""
    (asked,) = club.answer(club.sent_to(ALICE)[-1], text)
    assert (asked.recipient, club.moves()[2:]) == (ALICE, [])
    # A line that begins with the other's move cannot be queued on one's own turn.
    ready = "e1-e2" if text.startswith("if") else text.replace(", and", "")
    assert f"\n    queue 101 {ready}\n" in text_of(asked)


@pytest.mark.parametrize(
    ("line", "hidden"),
    [
        ("alice sesame", "sesame"),
        ("Alice sesame", "sesame"),
        ("alice sesame tahini", "tahini"),
        ("password: tahini", "tahini"),
        ("sesame", "sesame"),
        ("hint", "hint\r\n"),
        ("unsubscribe", "unsubscribe\r\n"),
        ("102 d4 pepper", "pepper"),
        ("carl -size=3x3", "carl -size"),
        ("resign 102", "resign 102"),
    ],
)
def test_commands_without_their_first_word(club: Post, line: str, hidden: str) -> None:
    """A userid before a password, options, another board: her sender alone is told, and not what may be secret."""
    letters = club.answer(club.sent_to(ALICE)[-1], f"Nf3\n\nGood luck!\n{line}")
    assert club.moves()[2:] == ["G1-F3"]
    (told,) = (letter for letter in letters if letter.recipient == ALICE)
    assert "Not done" in text_of(told)
    assert "\n    chat 101\n" in text_of(told)
    for letter in letters:
        assert hidden.encode() not in letter.raw


def test_a_password_below_words_to_others(club: Post) -> None:
    """What a command for words is given is sent as it stands, but for the sender's own password."""
    for line, said in (("pumpkin", "pumpkin"), ("sesame", "")):
        letters = club.answer(club.sent_to(ALICE)[-1], f"chat 101\nHello!\n{line}")
        assert any(b"Hello!" in letter.raw for letter in letters if letter.recipient == BOB) == bool(said)
        assert not any(b"sesame" in letter.raw for letter in letters)


def test_words_are_sent_as_they_are(club: Post) -> None:
    """By a command for words even lines of moves; and a name is no password."""
    letters = club.answer(club.sent_to(ALICE)[-1], "chat 101\nLast time you fell for 2...Nc6 3.Bb5")
    assert "2...Nc6 3.Bb5" in text_of(next(letter for letter in letters if letter.recipient == BOB))
    letters = club.answer(club.sent_to(ALICE)[-1], "Nf3\n\nAlice Smith")
    assert "Alice Smith" in text_of(next(letter for letter in letters if letter.recipient == BOB))
