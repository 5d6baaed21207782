"""People whose mail is forwarded, or who have an alias: they answer from another address than we write to."""

import pytest

from pbmserv.store.outbox import QueuedMessage
from tests.services.post import Post, address_of, text_of

UNI, GMAIL, BOB = "alice@uni.example", "alice@gmail.example", "bob@example.org"


def words_of(letters: list[QueuedMessage]) -> str:
    """What letters say, whatever their lines."""
    return " ".join(" ".join(text_of(letter).split()) for letter in letters)


def joined(post: Post) -> Post:
    """Alice has joined with the address of her university; it is her turn on board 101 of 3x3 against bob."""
    (welcome,) = post.mail(UNI, "signup alice")
    post.answer(welcome, "yes")
    post.people(bob="poppy")
    post.mail(BOB, "challenge alice bob -size=3x3")
    return post


def test_a_first_mail_is_answered_from_elsewhere(asking_post: Post) -> None:
    """The account is confirmed, and where the answer came from is asked with the next mail, which goes home."""
    (welcome,) = asking_post.mail(UNI, "signup alice")
    (answer,) = asking_post.answer(welcome, "yes", sender=GMAIL)
    assert asking_post.is_confirmed("alice")
    assert answer.recipient == UNI
    assert f"Are you also {GMAIL}?" in words_of([answer])


def test_a_first_move_from_elsewhere(asking_post: Post) -> None:
    """The practice board begins. A command in answer to the mail that asks says yes: it is asked, too."""
    (welcome,) = asking_post.mail(UNI, "signup alice")
    answer = asking_post.answer(welcome, "b3", sender=GMAIL)[-1]
    assert (answer.recipient, asking_post.moves(101)[0]) == (UNI, "B3")
    letters = asking_post.answer(answer, "next", sender=GMAIL)
    (question,) = [each for each in letters if each.recipient == GMAIL]
    asking_post.answer(question, "yes")
    (letter,) = asking_post.mail(GMAIL, "games alice")
    assert letter.recipient == UNI


def test_a_move_from_elsewhere_waits_for_a_yes(asking_post: Post) -> None:
    """At home it is asked, with the move and its words; a yes, from either address, plays it and asks there."""
    post = joined(asking_post)
    board = post.sent_to(UNI)[-1]
    (question,) = post.answer(board, "b2\n\nGood luck, Bob!", sender=GMAIL)
    assert (question.recipient, post.moves()) == (UNI, [])
    assert "move 101 b2" in words_of([question])
    assert "Good luck" not in words_of([question]), "anybody may have written it"
    letters = post.answer(question, "yes", sender=GMAIL)
    assert post.moves() == ["B2"]
    assert {letter.recipient for letter in letters} == {UNI, BOB, GMAIL}
    assert "Good luck, Bob!" in words_of([letter for letter in letters if letter.recipient == BOB])
    post.answer(post.sent_to(GMAIL)[-1], "yes")
    post.mail(BOB, "101 bob poppy a1")
    post.answer(post.sent_to(UNI)[-1], "c3", sender=GMAIL)
    assert post.moves() == ["B2", "A1", "C3"]


def test_the_move_is_played_only_where_its_ply_still_stands(asking_post: Post) -> None:
    """She has moved on a page meanwhile, and so has bob: that yes has the address asked alone."""
    post = joined(asking_post)
    board = post.sent_to(UNI)[-1]
    (question,) = post.answer(board, "b2", sender=GMAIL)
    post.answer(board, "c3")
    post.mail(BOB, "101 bob poppy a1")
    letters = post.answer(question, "yes")
    assert post.moves() == ["C3", "A1"]
    assert "Not done: move 101 b2" in words_of(letters)
    post.answer(post.sent_to(GMAIL)[-1], "yes")
    (answer,) = post.answer(post.sent_to(UNI)[-1], "show 101", sender=GMAIL)
    assert answer.recipient == UNI


@pytest.mark.parametrize("text", ["ja", "Ja, das bin ich.", "Yes please", "Oui"])
def test_a_yes_in_other_words(asking_post: Post, text: str) -> None:
    """It is the answer, and not asked again."""
    post = joined(asking_post)
    (question,) = post.answer(post.sent_to(UNI)[-1], "b2", sender=GMAIL)
    post.answer(question, text)
    assert post.moves() == ["B2"]


@pytest.mark.parametrize("text", ["Nein", "No, that is not me", "nein danke"])
def test_a_no_in_other_words(asking_post: Post, text: str) -> None:
    post = joined(asking_post)
    (question,) = post.answer(post.sent_to(UNI)[-1], "b2", sender=GMAIL)
    (answer,) = post.answer(question, text)
    assert f"{GMAIL} isn't yours" in words_of([answer])
    assert post.moves() == []


@pytest.mark.parametrize("text", ["yes?", "Ja, aber wer ist das?", "Hello"])
def test_an_unclear_answer_is_asked_again(asking_post: Post, text: str) -> None:
    post = joined(asking_post)
    (question,) = post.answer(post.sent_to(UNI)[-1], "b2", sender=GMAIL)
    (answer,) = post.answer(question, text)
    assert "Your mail does not say whether" in words_of([answer])
    assert post.moves() == []


def test_nobody_takes_an_address_by_writing_in_its_name(asking_post: Post) -> None:
    """Alice forges a mail from Victor's address and says yes. He is asked, says nothing, and signs up as ever."""
    victor, post = "victor@place.example", joined(asking_post)
    (question,) = post.answer(post.sent_to(UNI)[-1], "b2", sender=victor)
    for sender in (UNI, victor):
        post.answer(question, "yes", sender=sender)
    assert [letter.recipient for letter in post.mail(victor, "signup victor")] == [victor]
    post.answer(post.sent_to(victor)[-1], "yes")
    assert post.is_confirmed("victor")


def test_no_settles_it_for_good(asking_post: Post) -> None:
    post = joined(asking_post)
    board = post.sent_to(UNI)[-1]
    (question,) = post.answer(board, "b2", sender=GMAIL)
    (answer,) = post.answer(question, "no")
    assert f"{GMAIL} isn't yours" in words_of([answer])
    post.clock.move(days=8)
    assert post.answer(board, "b2", sender=GMAIL) == []
    (other,) = post.answer(board, "b2", sender="alice@alumni.example")
    assert "alice@alumni.example" in text_of(other)
    assert post.moves() == []


def test_one_question_a_week(asking_post: Post) -> None:
    post = joined(asking_post)
    board = post.sent_to(UNI)[-1]
    assert len(post.answer(board, "b2", sender=GMAIL)) == 1
    for days in (0, 3, 3):
        post.clock.move(days=days)
        assert post.answer(board, f"b{days}", sender=f"{days}.{GMAIL}") == []
    post.clock.move(days=1, seconds=1)
    assert len(post.answer(board, "c3", sender=GMAIL)) == 1


def test_a_yes_from_elsewhere_to_another_question(asking_post: Post) -> None:
    """What she was asked is done with the same yes, as far as a personal address proves it."""
    post = joined(asking_post)
    (asked,) = post.mail(UNI, "move 101 b2")
    (question,) = post.answer(asked, "yes", sender=GMAIL)
    assert (question.recipient, post.moves()) == (UNI, [])
    assert "move 101 b2" in text_of(question)
    post.answer(question, "yes", sender=GMAIL)
    assert post.moves() == ["B2"]


def test_a_sign_up_below_somebody_elses_mail_is_a_strangers(asking_post: Post) -> None:
    """A friend to whom she has passed a board on signs up by answering it."""
    post = joined(asking_post)
    (welcome,) = post.answer(post.sent_to(UNI)[-1], "signup carol", sender="carol@example.org")
    assert welcome.recipient == "carol@example.org"
    post.answer(welcome, "yes")
    assert post.is_confirmed("carol")


def test_a_password_from_anywhere_says_who_it_is(asking_post: Post) -> None:
    post = joined(asking_post)
    post.mail(BOB, "challenge bob alice -size=3x3")
    board = post.sent_to(BOB)[-1]
    post.answer(board, "as bob poppy\nmove 102 b2", sender="bob@new.example")
    assert post.moves(102) == ["B2"]


# the same mail by two roads


def test_the_copy_without_the_word_comes_first(asking_post: Post) -> None:
    """To our plain address and to the personal one: the first copy only asks, the second plays; once."""
    post = joined(asking_post)
    board = post.sent_to(UNI)[-1]
    raw = post.write(UNI, "Re: board", "101 b2")
    (asked,) = post.send(raw, UNI)
    assert (asked.recipient, post.moves()) == (UNI, [])
    post.send(raw, UNI, [address_of(board)])
    assert post.moves() == ["B2"]
    assert post.fates()[-2:] == ["handled", "handled"]
    for recipients in ([address_of(board)], ["pbmserv@club.test"]):
        assert post.send(raw, UNI, recipients) == []
    assert post.fates()[-2:] == ["duplicate", "duplicate"]
    post.answer(asked, "yes")
    assert post.moves() == ["B2"]


def test_unproven_copies_ask_once(asking_post: Post) -> None:
    post = joined(asking_post)
    raw = post.write(UNI, "Re: board", "101 b2")
    assert len(post.send(raw, UNI)) == 1
    assert post.send(raw, UNI) == []


def test_the_strangers_copy_comes_first(asking_post: Post) -> None:
    """From an alias, to both of our addresses: the copy with the word still asks at home."""
    post = joined(asking_post)
    board = post.sent_to(UNI)[-1]
    raw = post.write(GMAIL, "Re: board", "101 b2")
    post.send(raw, GMAIL)
    (question,) = post.send(raw, GMAIL, [address_of(board)])
    assert question.recipient == UNI
    assert f"Are you also {GMAIL}?" in words_of([question])


def test_a_bare_move_by_two_roads(asking_post: Post) -> None:
    """To our plain address it is a mere word, which is answered; the copy with the word makes a move of it."""
    post = joined(asking_post)
    board = post.sent_to(UNI)[-1]
    raw = post.write(UNI, "hello", "b2")
    assert len(post.send(raw, UNI)) == 1
    assert post.moves() == []
    for _ in range(2):
        post.send(raw, UNI, [address_of(board)])
        assert post.moves() == ["B2"]
    assert post.fates()[-2:] == ["handled", "duplicate"]


def test_what_is_no_plain_answer_names_the_other_address(asking_post: Post) -> None:
    post = joined(asking_post)
    (question,) = post.answer(post.sent_to(UNI)[-1], "b2", sender=GMAIL)
    (asked,) = post.answer(question, "Who is that?")
    assert f"does not say whether {GMAIL} is an address of" in words_of([asked])
    post.answer(asked, "yes")
    assert post.moves() == ["B2"]
