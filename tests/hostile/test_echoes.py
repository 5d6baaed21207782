"""Passwords where there is no place for one: neither told again to anybody, nor kept, nor passed on."""

import pytest

from tests.services.post import Post, text_of

ALICE, BOB = "alice@example.org", "bob@example.org"
SECRET = "Quokka77z"


@pytest.fixture
def careless(club: Post) -> Post:
    """Alice has a password that no other word is like."""
    club.mail(ALICE, f"change password alice sesame {SECRET}")
    return club


def leaks(post: Post, before: int) -> list[str]:
    """Where the password stands since then: mails out, and what is kept of mails in."""
    sent = [text_of(each) + each.raw.decode() for each in post.letters()[before:]]
    kept = [each.raw.decode() for each in post.inbox()]
    return [each for each in (*sent, *kept) if SECRET.lower() in each.lower()]


@pytest.mark.sampled(15)
@pytest.mark.parametrize(
    "line",
    [
        "games alice SECRET",
        "games SECRET",
        "help SECRET",
        "help alice SECRET",
        "history alice SECRET",
        "ratings alice SECRET",
        "standings SECRET",
        "standings alice SECRET",
        "list SECRET",
        "show alice SECRET",
        "show 101 SECRET",
        "next alice SECRET",
        "next SECRET",
        "record 101 alice SECRET",
        "preview 101 alice SECRET b2",
        "preview 101 b2 SECRET",
        "message alice SECRET bob: hi",
        "message alice SECRET: hi",
        "message bob alice SECRET hi",
        "chat 101 alice SECRET hi",
        "broadcast alice SECRET: hi",
        "rematch 101 alice SECRET",
        "challenge alice SECRET bob",
        "challenge SECRET",
        "challenge alice bob -SECRET",
        "challenge alice bob -size=SECRET",
        "challenge alice alice SECRET",
        "challenge alice bob --SECRET=1",
        "challenge alice bob -forfeittime=SECRET",
        "seek alice SECRET",
        "seek -SECRET",
        "SECRET challenge alice bob",
        "set alice SECRET",
        "set html SECRET",
        "set SECRET on",
        "set digest daily SECRET",
        "set vacation SECRET",
        "set messages alice SECRET",
        "block alice SECRET",
        "block SECRET",
        "forgot alice SECRET",
        "forgot SECRET",
        "101 SECRET",
        "101 alice SECRET",
        "move 101 SECRET",
        "queue 101 b2 SECRET",
        "accept 5 alice SECRET",
        "withdraw alice SECRET",
        "signoff SECRET",
        "delete SECRET",
        "signup alice bob SECRET",
        "signup al SECRET SECRET@x",
        "add SECRET@",
        "add alice SECRET",
        "change address SECRET@@",
        "change password alice SECRET",
        "gmaes alice SECRET",
        "challange alice SECRET bob",
        "unblock alice SECRET",
        "subscribe alice SECRET",
        "yes SECRET",
    ],
)
@pytest.mark.parametrize("place", ["subject", "body", "second"])
def test_a_password_in_a_wrong_place(careless: Post, line: str, place: str) -> None:
    """Somebody types userid and password where the command has no place for them, or the password alone."""
    line = line.replace("SECRET", SECRET)
    before = len(careless.letters())
    if place == "subject":
        careless.mail(ALICE, line)
    else:
        careless.mail(ALICE, "", f"help tutorial\n{line}" if place == "second" else line)
    assert leaks(careless, before) == []


def test_what_was_understood_is_told_again(careless: Post) -> None:
    """No attack: words of the language, names of players and boards stay readable."""
    (answer,) = careless.mail(ALICE, "", f"games alice bob active\ngames alice {SECRET}\nshow 101#0")
    said = text_of(answer)
    assert "games alice bob active" in said
    assert "games alice ***" in said
    assert "show 101#0" in said


def test_a_slip_in_a_name_still_has_a_suggestion(careless: Post) -> None:
    """No attack: a mistyped name is answered with those it may mean."""
    (answer,) = careless.mail(ALICE, "challenge alice bbo")
    assert "Did you mean\n    bob" in text_of(answer)
