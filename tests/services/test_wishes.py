"""What people ask for in plain words, and their answer: commands that work, two of them where it is in doubt."""

from dataclasses import replace

import pytest

from pbmserv.commands.server import Server
from pbmserv.commands.word_lists import word_lists
from pbmserv.parser.wishes import SOCIAL
from pbmserv.services.app import App
from tests.conftest import ADDRESS, Clock
from tests.docs import ROOT
from tests.services.post import Post, text_of

ALICE, BOB, EVE = "alice@example.org", "bob@example.org", "eve@example.net"


@pytest.fixture
def club(sqlite_house: App, clock: Clock) -> Post:
    """Alice, Bob and Ben, who have accounts; Alice plays Bob on board 101, where it is her turn."""
    server = Server(ADDRESS, site_url="https://club.test", club_contact="op@club.test")
    post = Post(replace(sqlite_house, server=server), clock)
    post.people(alice="sesame", bob="poppy", ben="linseed")
    post.mail(ALICE, "challenge alice bob")
    post.clock.move(hours=2)
    return post


def said(post: Post, text: str) -> str:
    """The answer to a reply to board 101; nothing goes to anybody else, and nothing is done."""
    post.clock.move(hours=2)
    board = next(letter for letter in post.sent_to(ALICE) if letter.match == 101)
    before = post.moves()
    (letter,) = post.answer(board, text)
    assert (letter.recipient, post.moves()) == (ALICE, before)
    return " ".join(text_of(letter).split())


@pytest.mark.parametrize(
    ("text", "offered"),
    [
        ("Could you erase my account?", "We ask once more first: delete To keep the account"),
        ("A game against the robot please", "against it at once: cephalopod challenge alice robot"),
        ("Can I play hex against a computer?", "against it at once: hex challenge alice robot"),
        (
            "I'd like to play chess with Ben!",
            "To start a game of Chess with ben at once: chess challenge alice ben",
        ),
        ("Can I play with my brother?", "with the game and the name you want: cephalopod challenge alice bob"),
        (
            "rematch, you rascal",
            "board 101 is still in play. Another game of Cephalopod with bob can start at once:",
        ),
        ("a list of my games", "where it is your turn: games alice next To see all games"),
        ("Which other games do you have?", "list list cephalopod"),
        ("What is your web address?", "Every game can be seen there: https://club.test/boards/101"),
        ("Your link gives an error", "what you did and what you saw: op@club.test"),
        ("How do I sign up?", "Your username is alice."),
        ("My stone has now simply gone!", "What the rules of Cephalopod say about capturing:"),
        ("I throw now in the towel", "resign 101"),
        ("Ich möchte die Regeln von Go lesen", "The rules of Go in short:"),
    ],
)
def test_a_wish_is_answered_with_commands_for_it(club: Post, text: str, offered: str) -> None:
    """The game and the player that are named stand in them."""
    assert offered in said(club, text)


def test_a_player_who_is_not_here_is_offered_to_nobody(club: Post) -> None:
    """A word behind "with" may be anything; nor does anyone play against themselves."""
    for text in ("I want to play chess with Zebediah", "I want to play chess with Alice"):
        answer = said(club, text)
        assert "with the game and the name you want: chess challenge alice bob" in answer
        assert "zebediah" not in answer.lower()


def test_a_rematch_when_the_game_is_over(club: Post) -> None:
    """One line starts it."""
    club.mail(BOB, "as bob poppy\nresign 101")
    assert "To play bob again: rematch 101" in said(club, "I demand my revenge!")
    club.answer(club.sent_to(ALICE)[-1], "rematch 101")
    assert club.sent_to(ALICE)[-1].match == 102


def test_two_wishes_that_are_near_are_both_offered(club: Post) -> None:
    """Each with a command that works as it stands."""
    answer = said(club, "Is it my turn, and how do I capture?")
    assert "Your mail asks for something, but we are not sure what, so nothing was done" in answer
    assert (
        "Do you want to see where it is your turn? next Or do you want the rules of Cephalopod, with what"
        in answer
    )
    answer = said(club, "Can I take my move back? Or offer a draw?")
    assert "to ask for your last move back? undo 101 Or do you want to offer a draw? propose 101" in answer


@pytest.mark.parametrize(
    "text", ["Stop mailing me! How do I capture?", "How do I resign? Don't write to me again."]
)
def test_before_no_more_mail_nothing_else_counts(club: Post, text: str) -> None:
    """Whatever else the letter asks."""
    assert "Nothing has been stopped yet." in said(club, text)


@pytest.mark.parametrize(
    "text",
    [
        "Please stop capturing my pieces, haha!",
        "I captured that one just to annoy you.",
        "The computer at my office broke down, what a week.",
        "Rules are made to be broken.",
        "My account of the holiday will follow in a letter.",
    ],
)
def test_words_for_the_others_ask_for_nothing(club: Post, text: str) -> None:
    """They go to nobody before Alice says so."""
    assert "so nothing was done, and your words were not sent on. To send them to bob," in said(club, text)


def test_without_pages_and_contact(sqlite_post: Post) -> None:
    """The answers do not speak of what a club does not have."""
    sqlite_post.people(alice="sesame")
    (web,) = sqlite_post.mail(ALICE, "a question", "Do you have a website?")
    assert "there is no page on the web" in " ".join(text_of(web).split())
    (bug,) = sqlite_post.mail(ALICE, "a question", "Your link gives an error")
    assert "No person reads this address" in text_of(bug)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "Hello, could you send me the rules of hex?",
            "The rules of Hex in short:",
        ),
        ("Which games do you have?", "To see which games there are, which needs no account: list"),
        ("Can I play against a computer?", "this starts a game against a robot: cephalopod challenge NAME robot"),
        ("I want to play chess with my sister", "this starts a game: chess challenge NAME FRIEND"),
        ("Do you have a website?", "The club is on the web, too: https://club.test/"),
        ("Where did you get my address?", "what we store, which needs no account: help privacy"),
        ("Your link gives an error", "Please tell the operator: op@club.test"),
        ("Do you speak German?", "Our mails are in English."),
        ("Please unsubscribe me. Which games do you have?", "there is nothing to unsubscribe"),
    ],
)
def test_a_stranger_is_told_what_they_ask(club: Post, text: str, told: str) -> None:
    """With how to open an account, and no word of theirs."""
    (letter,) = club.mail(EVE, "a question", text)
    answer = " ".join(text_of(letter).split())
    assert told in answer
    assert "signup NAME" in answer
    assert text not in answer


def test_each_wish_has_an_answer_and_an_offer() -> None:
    """No more mail, and what any other wish overrides, is never one of two."""
    answers, offers = (
        (ROOT / "templates/en/mail" / f"{name}.txt").read_text() for name in ("wishes", "two_wishes")
    )
    for wish in word_lists("wishes.toml", "pbmserv.parser")["wish"]:
        assert f'wish == "{wish}"' in answers
        assert f'wish == "{wish}"' in offers or wish in {"stop", "help", *SOCIAL}
