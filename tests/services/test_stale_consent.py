"""Whoever answers an old mail agrees to nothing that they have not seen."""

from tests.services.post import Post, text_of

ALICE, BOB = "alice@example.org", "bob@example.org"


def began(post: Post) -> None:
    """Board 101 of alice and bob after two moves."""
    post.people(alice="sesame", bob="poppy")
    post.mail(ALICE, "challenge alice bob -size=3x3")
    post.mail(ALICE, "101 a1")
    post.mail(BOB, "101 c3")


def test_an_offer_of_another_ply(sqlite_post: Post) -> None:
    """Bob answers the mail with alice's first proposal, though what waits now is another one, two plies later."""
    post = sqlite_post
    began(post)
    post.mail(ALICE, "propose 101")
    old = post.sent_to(BOB)[-1]
    post.mail(ALICE, "101 a3")
    post.mail(BOB, "101 c1")
    post.mail(ALICE, "propose 101")
    for text in ("accept", "reject", "move 101 accept"):
        told = text_of(post.answer(old, text)[0])
        assert "What you answered on board 101 is no longer open" in told
        assert "accept 101" in told
    assert "The draw is agreed" in text_of(post.answer(post.sent_to(BOB)[-1], "accept")[0])


def test_another_offer_of_the_same_turn(sqlite_post: Post) -> None:
    """Bob agrees to the draw that he was mailed, which alice has withdrawn to ask for her move back instead."""
    post = sqlite_post
    began(post)
    post.clock.move(minutes=1)
    post.mail(ALICE, "propose 101")
    old = post.sent_to(BOB)[-1]
    post.clock.move(minutes=1)
    post.mail(ALICE, "reject 101")
    post.mail(ALICE, "undo 101")
    assert "is no longer open" in text_of(post.answer(old, "accept")[0])
    assert post.moves() == ["A1", "C3"]
    assert "is undone" in text_of(post.answer(post.sent_to(BOB)[-1], "accept")[0])


def test_undo_is_asked_for_whatever_was_played_meanwhile(sqlite_post: Post) -> None:
    """Of two, it takes the answer back with it."""
    post = sqlite_post
    began(post)
    old = next(letter for letter in post.sent_to(ALICE) if "You played A1" in text_of(letter))
    told = text_of(post.answer(old, "Undo.")[0])
    assert "You have asked to take back A1 on board 101" in told
    assert "along with the move played since" in " ".join(told.split())
