"""What people answer to a board in words: what is done, what is asked, and what the others are mailed of it."""

import pytest

from pbmserv.services.views import list_players, load_board
from pbmserv.store.outbox import QueuedMessage
from tests.services.post import Post, text_of

ALICE, BOB = "alice@example.org", "bob@example.org"


@pytest.fixture
def club(sqlite_post: Post) -> Post:
    """Alice plays Bob at chess, with her second move to come."""
    sqlite_post.people(alice="sesame", bob="poppy")
    sqlite_post.mail(ALICE, "chess challenge alice bob")
    sqlite_post.mail(ALICE, "move 101 e4")
    sqlite_post.mail(BOB, "move 101 e5")
    return sqlite_post


def last(post: Post) -> QueuedMessage:
    """The last letter to Alice."""
    return post.sent_to(ALICE)[-1]


def entries(post: Post) -> list[str]:
    """What happened on the board."""
    seen = load_board(post.house, 101)
    assert seen is not None
    return [entry.kind for entry in seen.match.entries]


def to(address: str, letters: list[QueuedMessage]) -> str:
    """What the letters say that went to an address; a line's end is a blank."""
    return " ".join(" ".join(text_of(letter).split()) for letter in letters if letter.recipient == address)


TAKEN_BACK = [
    "scratch that, let me think",
    "Actually never mind, I'll write tomorrow",
    "Don't play this yet please",
    "not Nf3!",
    "Moment noch, ich muss überlegen",
]


@pytest.mark.parametrize("words", TAKEN_BACK)
def test_taken_back(club: Post, words: str) -> None:
    """Nothing is played and nobody else hears of it; one tap plays it after all."""
    letters = club.answer(last(club), f"Nf3\n\n{words}")
    assert (club.moves()[2:], to(BOB, letters)) == ([], "")
    assert to(ALICE, letters).startswith(
        "Your mail says this and takes it back, so it was not done. If you mean it after all, send move 101 Nf3 "
    )
    club.answer(letters[-1], "move 101 Nf3")
    assert club.moves()[2:] == ["G1-F3"]


@pytest.mark.parametrize("words", ["never mind my slow reply", "Wait and see!", "Don't worry, take your time"])
def test_words_with_a_move(club: Post, words: str) -> None:
    """They go along with it."""
    letters = club.answer(last(club), f"Nf3\n\n{words}")
    assert club.moves()[2:] == ["G1-F3"]
    assert words in to(BOB, letters)


@pytest.mark.parametrize("move", ["Springer f3", "Cavalier f3", "night f3", "конь f3", "knight f three"])
def test_pieces_in_many_languages(club: Post, move: str) -> None:
    """A word before a square is that piece, never none."""
    club.answer(last(club), move)
    assert club.moves()[2:] == ["G1-F3"]


@pytest.mark.parametrize(
    ("text", "offered"),
    [
        ("Dear Bob, Springer f3 I think!", ["knight f3"]),
        ("Dragon f3", []),
        ("Anything but d4", []),
        ("I never liked d4 at all", []),
        ("Oh, e4 is what I wanted to play", []),
        ("I had rather thought of Qh7", []),
        ("Nc3 or Nf3?", ["Nc3", "Nf3"]),
        ("e4 or Nf3?", ["Nf3"]),
        ("e4 or e5?", []),
        ("Nf3 would be a mistake", []),
        ("no, Nf3", []),
        ("Nf3 is out of the question", []),
        ("Cavalier f3 serait une erreur", []),
        ("Nf3 looks lovely", ["Nf3"]),
        ("bishop c4?", ["bishop c4"]),
        ("Nf3\nno wait, e5", ["Nf3"]),
    ],
)
def test_what_is_offered_can_be_played(club: Post, text: str, offered: list[str]) -> None:
    """And agrees with every word: no pawn for a piece, no taken square, nothing that is denied."""
    letters = club.answer(last(club), text)
    assert club.moves()[2:] == []
    told = to(ALICE, letters).partition(" To move, ")[0].partition(" Not done")[0]
    named = ("knight f3", "bishop c4", "f3", "Nf3", "Nc3", "d4", "e4", "e5", "Qh7")
    assert {move for move in named if f"move 101 {move}" in told} == {*offered}


@pytest.mark.parametrize(
    ("text", "sent_on"),
    [
        ("I play Nf3. How are you?", "How are you?"),
        ("What a day! My move is Nf3. See you.", "What a day! See you."),
        ("Hallo Bob!\n\nIch ziehe den Springer nach f3. Schreib mir bald", "Schreib mir bald"),
    ],
)
def test_a_sentence_that_plays(club: Post, text: str, sent_on: str) -> None:
    """The others beside it go along with the move."""
    letters = club.answer(last(club), text)
    assert club.moves()[2:] == ["G1-F3"]
    assert sent_on in to(BOB, letters)


@pytest.mark.parametrize("text", ["I play Nf3. Or would Bc4 do?", "Shall we? I play Nf3.", "Nf3! What a mistake."])
def test_a_sentence_beside_others_that_doubt(club: Post, text: str) -> None:
    letters = club.answer(last(club), text)
    assert (club.moves()[2:], to(BOB, letters)) == ([], "")


def test_a_square_of_another_board_takes_nothing_back(club: Post) -> None:
    """It is talk; a square of this one is asked about."""
    club.mail(ALICE, "challenge alice bob")
    letters = club.answer(last(club), "c3\n\nMeet me at gate\nK12")
    assert club.moves(102) == ["C3"]
    assert "K12" in to(BOB, letters)
    club.answer(next(each for each in letters if each.recipient == BOB), "a1\n\nno wait, b2")
    assert club.moves(102) == ["C3"]


def test_a_move_to_take_back(club: Post) -> None:
    """After one's own move what is offered is to ask for it."""
    letters = club.answer(last(club), "Nf3")
    letters = club.answer(last(club), "Can I take that back? I meant Bc4")
    assert to(ALICE, letters).startswith("Nothing was taken back.")
    assert "undo 101" in to(ALICE, letters)
    assert "Bc4" not in to(ALICE, letters)


@pytest.mark.parametrize("text", ["unsubscribe", "Unsubscribe!", "UNSUBSCRIBE."])
def test_unsubscribe_in_answer_to_a_board(club: Post, text: str) -> None:
    """Mail stops as by the link in it; nobody has resigned, and his opponent is told."""
    letters = club.answer(last(club), text)
    assert "no more mail" in to(ALICE, letters)
    assert "alice" in to(BOB, letters)
    assert [player.mail.is_off for player in list_players(club.house) if player.userid == "alice"] == [True]
    assert entries(club)[2:] == []
    seen = load_board(club.house, 101)
    assert seen is not None
    assert seen.state.status == "active"


@pytest.mark.parametrize(
    "text",
    [
        "Please stop writing to me, I don't understand the rules of this game",
        "Bitte schreiben Sie mir nicht mehr.",
        "Arrêtez de m'écrire !",
        "Dejen de escribirme, por favor",
        "Smettetela, non scrivetemi più",
        "Stop met mij te schrijven",
        "Proszę nie piszcie do mnie",
        "Parem de me escrever",
        "Sluta skriva till mig!",
        "Přestaňte mi psát",
        "Перестаньте мне писать",
        "Älkää kirjoittako minulle",
        "Hold op med at skrive til mig",
        "unsubscribe me from this list",
    ],
)
def test_stop_writing_to_me(club: Post, text: str) -> None:
    """It comes before whatever else is said, and is one tap away."""
    letters = club.answer(last(club), text)
    assert to(ALICE, letters).startswith("Nothing has been stopped yet.")
    assert "set mail off" in to(ALICE, letters)
    assert to(BOB, letters) == ""


@pytest.mark.parametrize("offer", ["propose 101", "undo 101"])
@pytest.mark.parametrize(
    ("text", "entry", "said"),
    [
        ("yes", "accepted", ""),
        ("Yes!\nWell played, see you.", "accepted", "Well played, see you."),
        ("I accept", "accepted", ""),
        ("Sure, no problem", "accepted", "Sure, no problem"),
        ("Hi Bob,\nja, gerne", "accepted", ""),
        ("Sure, take it back", "accepted", "take it back"),
        ("いいですよ", "accepted", ""),
        ("Je préfère continuer", "rejected", ""),
        ("Let's keep playing!", "rejected", "keep playing"),
        ("no", "rejected", ""),
        ("no thanks, let's play on", "rejected", "no thanks, let's play on"),
        ("Thanks for the offer. No, I want to win.", "rejected", "I want to win."),
        ("yes?", "", ""),
        ("Yes, but only if you pay the beer", "", ""),
        ("Sure. No, wait, let me think", "", ""),
        ("Yes, I have received your mail", "", ""),
        ("Yes, I saw your mail", "", ""),
    ],
)
def test_an_answer_to_an_offer(club: Post, offer: str, text: str, entry: str, said: str) -> None:
    """It is done and its words go along; where it is in doubt, it is said again with one tap."""
    club.mail(BOB, offer)
    before = len(entries(club))
    letters = club.answer(last(club), text)
    assert entries(club)[before:] == [each for each in [entry] if each]
    if entry:
        assert said in to(BOB, letters)
        assert to(BOB, letters)
    else:
        assert to(BOB, letters) == ""
        assert "accept 101" in to(ALICE, letters)


def test_an_answer_without_an_offer(club: Post) -> None:
    """The same words are none where nothing waits, or where the offer came after the mail that they answer."""
    old = last(club)
    club.answer(old, "Sure, no problem")
    club.clock.move(minutes=1)
    club.mail(BOB, "propose 101")
    club.answer(old, "yes")
    assert entries(club)[-1] == "proposed"


def test_an_answer_from_an_address_that_proves_nothing(asking_post: Post) -> None:
    """It waits for a `yes`, as `accept` does."""
    asking_post.people(alice="sesame", bob="poppy")
    asking_post.mail(ALICE, "as alice sesame", "chess challenge alice bob")
    asking_post.mail(ALICE, "as alice sesame", "move 101 e4")
    asking_post.mail(BOB, "as bob poppy", "propose 101")
    asking_post.mail(ALICE, "Re: Chess Board 101: alice vs bob", "yes")
    assert entries(asking_post)[-1] == "proposed"


@pytest.mark.parametrize(("text", "ready"), [("0-1", "resign 101"), ("1-0", "resign 101"), ("1/2", "propose 101")])
def test_a_result_is_asked(club: Post, text: str, ready: str) -> None:
    before = entries(club)
    letters = club.answer(last(club), text)
    assert entries(club) == before
    assert to(ALICE, letters).startswith(f'Did you mean "{ready}"?')
