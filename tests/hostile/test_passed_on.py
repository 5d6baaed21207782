"""Mails of a player's that others have got, who answer them from addresses of their own, to play in her name."""

from tests.hostile.test_leaked_words import ABOUT_THE_ACCOUNT, board_mail, state
from tests.services.post import Post, address_of, text_of

ALICE, BOB, FRIEND = "alice@example.org", "bob@example.org", "friend@elsewhere.example"


def test_a_board_that_was_passed_on(club: Post) -> None:
    """A friend to whom alice has passed a board on answers it with a move, gives up, asks for more, says yes: she
    alone hears of it, and nothing is done."""
    letter, before = board_mail(club), state(club)
    for text in ("a1", "101 resign", "yes", "add friend@elsewhere.example", "challenge alice bob", "chat 101 ha"):
        letters = club.answer(letter, text, sender=FRIEND)
        assert {each.recipient for each in letters} <= {ALICE}
        club.clock.move(days=8)
    assert (state(club), club.sent_to(FRIEND)) == (before, [])


def test_a_yes_without_the_question(club: Post) -> None:
    """The friend, who has not read the question, says yes to it in answer to the board, or by its Message-ID."""
    letter = board_mail(club)
    (question,) = club.answer(letter, "a1", sender=FRIEND)
    before = state(club)
    club.answer(letter, "yes", sender=FRIEND)
    club.mail(FRIEND, "Re: please confirm", "yes", In_Reply_To=question.message_id)
    club.answer(question, "yes", sender="another@elsewhere.example")
    assert (state(club), club.moves()) == (before, [])


def test_more_than_a_board_behind_a_yes(club: Post) -> None:
    """What a personal address does not prove is asked once more, though alice says that the friend is she."""
    for number, line in enumerate(ABOUT_THE_ACCOUNT[:7]):
        club.clock.move(days=8)
        club.mail(BOB, "challenge alice bob -size=3x3")
        sender = f"{number}.{FRIEND}"
        (question,) = club.answer(club.sent_to(ALICE)[-1], line, sender=sender)
        before = state(club)[0][1:]  # type: ignore[index]
        club.answer(question, "yes")
        assert state(club)[0][1:] == before, line  # type: ignore[index]


def test_another_player_answers_her_mail(club: Post) -> None:
    """Bob answers a board of alice's that he was shown: what he writes is his, and she is not asked about him."""
    letters = club.answer(board_mail(club), "a1", sender=BOB)
    assert club.moves() == []
    assert not any("Are you also" in " ".join(text_of(each).split()) for each in letters)


def test_a_word_that_is_no_longer_good(club: Post) -> None:
    """After `revoke`, or ninety days, nobody is asked about an address any longer."""
    letter = board_mail(club)
    club.answer(letter, "revoke")
    raw = club.write(FRIEND, "hi", "a1")
    assert not [each for each in club.send(raw, FRIEND, [address_of(letter)]) if each.recipient == ALICE]


def test_a_machine_answers(club: Post) -> None:
    """A mailbox that alice's mail is forwarded to says that she is away: nobody is asked anything."""
    assert club.answer(board_mail(club), "a1", sender=FRIEND, Auto_Submitted="auto-replied") == []
