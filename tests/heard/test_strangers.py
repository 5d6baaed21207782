"""People without an account: what begins one, what is asked first, and how often they are answered in a day."""

import pytest

from pbmserv.commands.server import Server
from pbmserv.services.app import App
from pbmserv.services.views import list_players
from pbmserv.store.outbox import QueuedMessage
from tests.conftest import ADDRESS, Clock
from tests.services.post import Post, text_of

HANA = "hana@place.example"


@pytest.fixture
def post(sqlite_house: App, clock: Clock) -> Post:
    """Where a From address proves nothing."""
    house = App(sqlite_house.engine, Server(ADDRESS, variants=True), sqlite_house.new_token, sqlite_house.hasher)
    return Post(house, clock)


def said(letters: list[QueuedMessage]) -> str:
    """What the one letter to Hana says; a line's end is a blank."""
    (letter,) = letters
    assert letter.recipient == HANA
    return " ".join(text_of(letter).split())


def names(post: Post) -> list[str]:
    return [player.userid for player in list_players(post.house)]


def test_a_sentence_is_asked_even_where_the_address_is_believed(sqlite_house: App, clock: Clock) -> None:
    """The account is there once she answers."""
    post = Post(sqlite_house, clock)
    letters = post.mail(HANA, "", "Sign me up as margaret please")
    assert said(letters).startswith("Hello, margaret! Make your first move")
    assert not post.is_confirmed("margaret")
    post.answer(letters[0], "yes")
    assert post.is_confirmed("margaret")


@pytest.mark.parametrize(
    ("subject", "text"),
    [
        ("Signup form", "signup wilma"),
        ("signup request", "Please register me as wilma."),
        ("signup 2wilma", "signup wilma"),
        ("signup wilma", "My name is Hana, and I'd like to play."),
        ("signup", "wilma, please"),
        ("signup wílma", ""),
    ],
)
def test_one_of_subject_and_text_works(post: Post, subject: str, text: str) -> None:
    post.mail(HANA, subject, text)
    assert [name.lower() for name in names(post)] == ["wilma"]


def test_the_next_free_name_is_offered(post: Post) -> None:
    post.people(finn="sesame")
    assert "These are free: signup finn2" in said(post.mail(HANA, "", "Register me as finn, please"))


@pytest.mark.parametrize("wish", ["signup", "I'd like to join your club!", "Anmeldung", "Je voudrais jouer"])
def test_a_name_is_asked_for(post: Post, wish: str) -> None:
    """And one word in answer is it."""
    letters = post.mail(HANA, "", wish)
    assert said(letters).startswith("Hello! Which name would you like to have here? ")
    post.answer(letters[0], "Margaret, please")
    assert names(post) == ["Margaret"]


def test_signs_of_a_forged_sender(post: Post) -> None:
    """A sentence begins no account then; a plain command does, as ever."""
    assert post.mail(HANA, "", "Sign me up as margaret", X_Spam_Flag="YES") == []
    assert names(post) == []


SEEMING = [
    "I do not want to join. My name is Tom Baker, and I will call my lawyer.",
    "Sign up my neighbour as fred, he will be delighted.",
    "I might join as rook later.",
    "Would you like to play? I'm Bob from accounting.",
    "Please cancel the account called hana, I did not sign up.",
    "Register now for our webinar! Join as many colleagues as you like.",
    "Mon fils voudrait s'inscrire comme Hugo, mais il a dix ans.",
    "I already have an account as finn82 but can't log in.",
    "Sign me up as margaret: https://place.example/offer",
    "Sign me up as margaret, please.\n" + "And this is what I have to say.\n" * 10,
]


@pytest.mark.parametrize("text", SEEMING)
def test_what_only_seems_to_want_an_account(post: Post, text: str) -> None:
    post.mail(HANA, "", text)
    assert names(post) == []


def test_wants_no_mail(post: Post) -> None:
    """The word before which nothing else counts."""
    assert "is on no list" in said(post.mail(HANA, "", "Register me as margaret, and stop sending me mail."))
    assert names(post) == []


def test_who_has_an_account_signs_nobody_up(post: Post) -> None:
    post.people(hana="sesame")
    post.mail("hana@example.org", "", "Sign me up as margaret please")
    assert names(post) == ["hana"]


def test_three_letters_a_day_each_about_what_was_asked(post: Post) -> None:
    """No two say the same; the fourth comes tomorrow."""
    asked = ("How does this work?", "What are the rules?", "How does this work, please?", "Are you there?")
    first, second, third, *fourth = (post.mail(HANA, "", each) for each in asked)
    assert said(first).startswith(
        "Hello! You wrote to a program, and this address has no account here yet. On pbmserv"
    )
    assert said(second).startswith("Hello! The rules of Cephalopod in short:")
    assert said(third).startswith("You have had our answer to this today.")
    assert "This is our third letter to you today." in said(third)
    assert fourth == [[]]
    post.clock.move(days=1)
    assert said(post.mail(HANA, "", "Are you there?")).startswith("Hello! You wrote to a program")


def test_three_answers_to_words_below_a_welcome(post: Post) -> None:
    """What was asked comes before the question that is open."""
    (welcome,) = post.mail(HANA, "signup hana")
    asked = ("What are the rules?", "My dog is brown", "Nice birds here", "Is anybody there?")
    first, second, third, *fourth = (post.answer(welcome, each) for each in asked)
    assert said(first).startswith("The rules of Cephalopod in short:")
    assert said(second).startswith("The account hana is waiting for your")
    assert said(third).startswith("You have had our answer to this.")
    assert fourth == [[]]
