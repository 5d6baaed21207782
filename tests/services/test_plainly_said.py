"""What people answer to a board in words of their own: done where it is plain, offered where it is near."""

from dataclasses import replace

import pytest

from pbmserv.commands.vocabulary import NEVER_BY_SLIP
from pbmserv.services.views import load_board
from pbmserv.store.outbox import QueuedMessage
from tests.conftest import long_tokens
from tests.services.post import Post, text_of, token_of

ALICE, STRANGER = "alice@example.org", "stranger@nowhere.example"


@pytest.fixture
def club(asking_post: Post) -> Post:
    """Alice and bob, at no board yet."""
    post = Post(replace(asking_post.house, new_token=long_tokens()), asking_post.clock)
    post.people(alice="sesame", bob="poppy")
    return post


@pytest.fixture
def board(club: Post) -> QueuedMessage:
    """Board 101 of 3x3 as it was mailed to alice, whose turn it is."""
    club.mail(ALICE, "challenge alice bob -size=3x3")
    return club.sent_to(ALICE)[-1]


def entries(post: Post) -> list[str]:
    """What happened on the board."""
    seen = load_board(post.house, 101)
    assert seen is not None
    return [entry.kind for entry in seen.match.entries]


@pytest.mark.parametrize("dress", ["- 101 {}", "Please move 101 {}", "board 101 {}", '"move 101 {}"', "{} please"])
@pytest.mark.parametrize("sender", [ALICE, STRANGER])
def test_what_gives_up_is_answered_in_any_dress(club: Post, board: QueuedMessage, dress: str, sender: str) -> None:
    """Also what is to be a command only later."""
    before = entries(club)
    for word in sorted(NEVER_BY_SLIP):
        club.mail(sender, "", dress.format(word))
        assert club.fates()[-1] in ("handled", "silent")
        club.answer(board, dress.format(word))
        assert club.fates()[-1] == "handled"
    assert entries(club) == before


@pytest.mark.parametrize("text", ["Resign.", "resign!", "RESIGN", "Hello,\n\nResign.\n\nSorry"])
def test_resign_as_phones_write_it(club: Post, board: QueuedMessage, text: str) -> None:
    club.answer(board, text)
    assert entries(club)[-1] == "declined"


@pytest.mark.parametrize("text", ["resign?", "resign please", "Resign...", "- resign."])
def test_resign_in_doubt_is_offered(club: Post, board: QueuedMessage, text: str) -> None:
    before = entries(club)
    (answer,) = club.answer(board, text)
    assert "\n    resign 101\n" in text_of(answer)
    assert entries(club) == before


@pytest.mark.parametrize(
    "text",
    ["I play b2", "Hi Bob, b2", "b2 - good luck!", "b2 (good luck)", "My move is B2, thanks", "ok b2", "B 2"],
)
def test_a_move_said_in_words_is_played(club: Post, board: QueuedMessage, text: str) -> None:
    """Where these words leave no other reading."""
    club.answer(board, text)
    assert club.moves() == ["B2"]


@pytest.mark.parametrize(
    "text", ["Maybe b2", "b2 looks good", "b2 - was that right?", "a\nb\nc\nd\n\nb2", "Yes, b2"]
)
def test_a_move_among_words_is_offered_and_not_played(club: Post, board: QueuedMessage, text: str) -> None:
    (answer,) = club.answer(board, text)
    assert "\n    move 101 b2\n" in text_of(answer)
    assert "chat 101" in text_of(answer)
    assert club.moves() == []
    club.answer(answer, "move 101 b2")
    assert club.moves() == ["B2"]


@pytest.mark.parametrize("text", ["I play b2, or perhaps c3", "b2 or c3?", "b2, no wait, c3", "b2\n\nor maybe c3"])
def test_two_moves_among_words_are_both_offered(club: Post, board: QueuedMessage, text: str) -> None:
    (answer,) = club.answer(board, text)
    assert all(f"\n    move 101 {move}\n" in text_of(answer) for move in ("b2", "c3"))
    assert club.moves() == []


@pytest.mark.parametrize("text", ["What a board!", "I saw b2, and c3 was mine"])
def test_no_move_is_offered_where_none_is_plain(club: Post, board: QueuedMessage, text: str) -> None:
    (answer,) = club.answer(board, text)
    assert "move 101" not in text_of(answer).split("Summary")[0]
    assert "chat 101" in text_of(answer)


@pytest.mark.parametrize("text", ["b2\nresign", "Resign.\n\nb2"])
def test_a_move_and_a_resignation_are_asked_back(club: Post, board: QueuedMessage, text: str) -> None:
    before = entries(club)
    (answer,) = club.answer(board, text)
    assert all(f"\n    {choice}\n" in text_of(answer) for choice in ("move 101 b2", "resign 101"))
    assert entries(club) == before


LIKE_A_TOKEN = "AbCdEfGhIj0123456789"


@pytest.mark.parametrize("password", [LIKE_A_TOKEN, LIKE_A_TOKEN.lower()])
def test_a_new_password_may_look_like_a_token(club: Post, password: str) -> None:
    (question,) = club.mail(ALICE, "forgot")
    (answer,) = club.answer(question, f"yes {password}")
    assert "You have a new password" in text_of(answer)
    assert password.lower() not in text_of(answer).lower()
    assert password.lower().encode() not in club.inbox()[-1].raw.lower()
    (done,) = club.mail(ALICE, "", f"as alice {password}\nset words on")
    assert "words" in text_of(done)
    assert "not the password" not in text_of(done)


@pytest.mark.parametrize("wanted", ["set html off", "forgot", "101 a1"])
def test_a_word_that_no_question_has_is_never_shown(club: Post, board: QueuedMessage, wanted: str) -> None:
    """Whatever it was, and whatever its case; it opens nothing."""
    del board
    club.mail(ALICE, wanted)
    (answer,) = club.mail(ALICE, f"yes {LIKE_A_TOKEN}", f"I said {LIKE_A_TOKEN}")
    assert LIKE_A_TOKEN.lower() not in text_of(answer).lower()
    assert LIKE_A_TOKEN.lower().encode() not in club.inbox()[-1].raw.lower()
    assert club.moves() == []


def test_the_token_of_a_forgotten_password_is_not_the_new_one(club: Post) -> None:
    """Whoever sends it alone is asked for the password."""
    (question,) = club.mail(ALICE, "forgot")
    for word in (token_of(question), token_of(question).upper()):
        (answer,) = club.answer(question, f"yes {word}")
        assert "Which password do you want?" in text_of(answer)
    club.answer(question, f"yes {token_of(question)} tahini")
    (done,) = club.mail(ALICE, "", "as alice tahini\nset words on")
    assert "not the password" not in text_of(done)
