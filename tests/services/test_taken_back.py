"""Answers to a board in which a move is taken back, struck out or labelled: what is played, and what is asked."""

import pytest

from tests.services.post import Post, address_of, text_of

ALICE, BOB = "alice@example.org", "bob@example.org"


@pytest.fixture
def club(asking_post: Post) -> Post:
    """Board 101 of alice and bob, where it is alice's turn."""
    asking_post.people(alice="sesame", bob="poppy")
    asking_post.mail(ALICE, "as alice sesame", "challenge alice bob")
    return asking_post


def test_which_one(club: Post) -> None:
    """Both are ready to send, the board is shown, and bob hears nothing of it."""
    (asked,) = club.answer(club.sent_to(ALICE)[-1], "d4\n\nGood luck!\nor rather\n\ne5")
    assert (club.moves(), asked.recipient) == ([], ALICE)
    said = text_of(asked)
    assert said.startswith(
        "Your mail says different things, and you can only mean one, so none of\n"
        "these was done. Send the one you mean:\n"
        "    move 101 d4\n"
        "    move 101 e5\n"
    )
    assert "To move, answer this mail" in said
    club.answer(asked, "move 101 e5")
    assert club.moves() == ["E5"]


def test_struck_out_in_html(club: Post) -> None:
    """Of both parts that programs send only HTML tells it."""
    letter = club.sent_to(ALICE)[-1]
    head = club.write(ALICE, "Re: hi").decode().partition("Content-Type")[0]
    for html, played in [("<s>d4</s>", []), ("<s>d4</s> e5", ["E5"])]:
        parts = (
            f"--b\r\nContent-Type: text/plain\r\n\r\nd4\r\n--b\r\nContent-Type: text/html\r\n\r\n{html}\r\n--b--"
        )
        raw = f'{head}Content-Type: multipart/alternative; boundary="b"\r\n\r\n{parts}\r\n'.encode()
        letters = club.send(raw, ALICE, [address_of(letter)])
        assert club.moves() == played
        assert [each.recipient for each in letters] == ([ALICE, BOB] if played else [ALICE])


def test_a_label_in_her_language(club: Post) -> None:
    club.answer(club.sent_to(ALICE)[-1], "Hallo,\n\nmein Zug: d4\n\nGruß")
    assert club.moves() == ["D4"]


@pytest.mark.parametrize(
    "subject", ["Abwesend", "Automatische Antwort: Board 101", "[Auto-Reply] x", "Gelesen: x"]
)
def test_machines(club: Post, subject: str) -> None:
    """Whatever they quote has no effect and no answer."""
    letter = club.sent_to(ALICE)[-1]
    assert (
        club.send(club.write(ALICE, subject, "d4", In_Reply_To=letter.message_id), ALICE, [address_of(letter)])
        == []
    )
    assert club.moves() == []


def test_a_forward_that_is_answered(club: Post) -> None:
    """By its player, with their own words on top: it is an answer. A forward is none."""
    letter = club.sent_to(ALICE)[-1]
    subject = "Fwd: Cephalopod Board 101: alice vs bob"
    quoted = "d4\n\nOn Monday alice wrote:\n> ---------- Forwarded message ---------\n> e5\n"
    club.send(club.write(ALICE, subject, quoted), ALICE, [address_of(letter)])
    assert club.moves() == []
    club.send(club.write(ALICE, f"Re: {subject}", quoted), ALICE, [address_of(letter)])
    assert club.moves() == ["D4"]


@pytest.mark.parametrize("words", ["scratch that", "Not yet!", "Moment noch", "No, wait..."])
def test_a_yes_that_is_taken_back(club: Post, words: str) -> None:
    """What waits goes on waiting, and bob hears nothing of it; words that are no such thing go along."""
    (question,) = club.mail(ALICE, "101 d4")
    (asked,) = club.answer(question, f"yes\n\n{words}")
    assert (club.moves(), asked.recipient) == ([], ALICE)
    assert 'These commands are waiting for your "yes"' in text_of(asked)
    letters = club.answer(asked, "yes\n\nWait and see!")
    assert club.moves() == ["D4"]
    assert [each for each in letters if each.recipient == BOB and "Wait and see!" in text_of(each)]
