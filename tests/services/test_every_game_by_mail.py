"""Every game is played by mail: what a letter offers to be tapped or typed can be played."""

import re
from random import Random
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from lxml import html as lxml_html

from pbmserv.games import games
from pbmserv.services.views import load_board
from pbmserv.store.outbox import QueuedMessage
from tests.conversation import parsed
from tests.services.post import Post, text_of

PLIES = 8
"""So many are played in the quick run; in the slow one whole games are, or so many as follow."""

MOST_PLIES = 120
ALICE, BOB = "alice@example.org", "bob@example.org"
SMALL = {
    "amazons": "6",
    "breakthrough": "6",
    "bridges": "12",
    "catchup": "4",
    "dots-and-boxes": "3",
    "game-of-y": "9",
    "gomoku": "13",
    "havannah": "4",
    "hex": "11",
    "infection": "5",
    "konane": "6",
    "reversi": "6",
    "tumbleweed": "5",
}
ENDINGS = {
    ("alice",): re.compile(r"^You (?:played|took) [^.:]+ and won\b|\b[Yy]ou won\b"),
    ("bob",): re.compile(r"\bbob (?:played|answered|took) [^.:]+ and won\b|\bbob won\b"),
    ("alice", "bob"): re.compile(r"\bThe game is a draw\b"),
}
"""What alice's last letter begins with, by who has won."""

EXAMPLE = re.compile(r"for example\n    (\S.*)\n")


def html_of(letter: QueuedMessage) -> str:
    """The HTML of a letter."""
    part = parsed(letter.raw).get_body(("html",))
    assert part is not None
    content: str = part.get_content()
    return content


def taps(letter: QueuedMessage) -> list[str]:
    """The commands that the links of a letter write and that move."""
    links = [str(element.get("href")) for element in lxml_html.document_fromstring(html_of(letter)).iter("a")]
    subjects = [
        unquote(parse_qs(urlsplit(link).query)["subject"][0]) for link in links if link.startswith("mailto:")
    ]
    return [subject for subject in subjects if subject.startswith("move ")]


def last_to(letters: list[QueuedMessage], address: str) -> QueuedMessage:
    """The last of these letters that goes to an address."""
    return [letter for letter in letters if letter.recipient == address][-1]


def play(post: Post, name: str, plies: int, random: Random) -> int:
    """Plays by taps and by what the letters show as an example, in turn; gives how many plies were played."""
    options = f" -size={SMALL[name]}" if name in SMALL else ""
    letters = post.mail(ALICE, f"{name} challenge alice bob{options}")
    for ply in range(plies):
        board = load_board(post.house, 101)
        assert board is not None
        if board.players.to_move is None:
            return ply
        letter = last_to(letters, f"{board.players.to_move}@example.org")
        letters = answered(post, letter, random, is_tap=ply % 3 != 2)
        assert len(post.moves()) == ply + 1, text_of(letters[0])
    return plies


def answered(post: Post, letter: QueuedMessage, random: Random, is_tap: bool) -> list[QueuedMessage]:
    """Taps until a move is whole, or types the example; gives the letters that this brings."""
    (example,) = EXAMPLE.findall(text_of(letter))[:1]
    offered = taps(letter) if is_tap else []
    if not offered:
        return post.answer(letter, example)
    played = len(post.moves())
    command = random.choice(offered)
    for _ in range(4):
        letters = post.mail(letter.recipient, command, command)
        if len(post.moves()) > played:
            return letters
        # More than one move begins so: the answer lists what may come next.
        lines = re.findall(r"(?m)^    (move 101 \S+)$", text_of(letters[0]))
        assert lines, text_of(letters[0])
        command = random.choice(lines)
    raise AssertionError(f"no move after four taps, the last was {command}")


@pytest.mark.sampled(8)
@pytest.mark.parametrize("name", list(games()))
def test_what_is_offered_can_be_played(sqlite_post: Post, name: str) -> None:
    sqlite_post.people(alice="sesame", bob="poppy")
    play(sqlite_post, name, PLIES, Random(f"taps of {name}"))


@pytest.mark.soak
@pytest.mark.parametrize("name", list(games()))
def test_whole_games_by_what_is_offered(sqlite_post: Post, name: str) -> None:
    """To the end, whose letter says why it is over; nothing is left to be played."""
    sqlite_post.people(alice="sesame", bob="poppy")
    plies = play(sqlite_post, name, MOST_PLIES, Random(f"whole game of {name}"))
    board = load_board(sqlite_post.house, 101)
    assert board is not None
    if plies < MOST_PLIES:
        assert board.players.outcome is not None
        text = text_of(last_to(sqlite_post.letters(), ALICE))
        news = " ".join(text.partition("\n\n")[0].split())
        assert ENDINGS[board.players.winners].search(news), news
        assert "our turn" not in news
        assert EXAMPLE.search(text) is None
