"""A move grafted into odd answers: it is played or asked, but never where words deny it, and never another one."""

from hypothesis import given
from hypothesis import strategies as st

from pbmserv.commands.typed_moves import Spelling
from pbmserv.commands.word_lists import word_lists
from pbmserv.games import games
from pbmserv.parser.parse import parse_mail
from pbmserv.parser.parsed import IncomingMail, Parsed, Unparsed, WhichOne
from pbmserv.parser.told import told_move
from pbmserv.parser.words import listed, phrases_in
from tests.every import for_each
from tests.examples import examples

TELLING = {
    " ".join(phrase)
    for language in word_lists("told.toml", "pbmserv.parser").values()
    for phrase in phrases_in(language["telling"]) | phrases_in(language["beside"])
}
CLOSED = sorted(TELLING | listed("labels", "leads", "always", "aside", "behind", "opening", "weak", "greetings"))
DENYING = """
    not never no don't why was would should if maybe perhaps because after before instead played better
    unless nicht nie warum vielleicht wenn hätte statt pas jamais pourquoi peut-être si nunca quizás
    porque non mai forse perché niet nooit misschien waarom inte aldrig kanske varför może dlaczego
    gdyby ne nikdy možná proč не никогда может почему если não talvez ikke måske hvorfor ei ehkä miksi
"""
MARKS = ["", ",", ".", "!", ":", " -"]
FRAMES = (
    "I play {}, thanks",
    "My move is {}.",
    "Hi Bob, {}",
    "Hi Bob,\nI go {}\nthanks",
    "ok {}",
    "{} please",
    "{}, good luck!",
    "Ich spiele {}, viele Grüße",
    "je joue {}, merci",
    "juego {}",
    "gioco {}, grazie",
    "ik speel {}",
    "gram {}, dzięki",
    "jag spelar {}",
    "hraju {}",
)


def read(text: str, game: str) -> tuple[Parsed | Unparsed, ...]:
    """The lines of an answer to a board of a game."""
    subject = "Re: A Board 101: anna vs bob"
    sent = IncomingMail("anna@example.org", subject, text, None, (), None, "key")
    return parse_mail(sent, 101, game=games()[game].info).lines


def moves_in(lines: tuple[Parsed | Unparsed, ...]) -> list[str]:
    """The moves that are to be played, as they are typed."""
    return [line.arguments.move for line in lines if isinstance(line, Parsed) and line.command.name == "move"]


def test_a_move_in_a_clear_frame_is_played() -> None:
    """That move, in every game."""
    for name, game in games().items():
        for frame in FRAMES:
            text = frame.format(game.info.example)
            if game.info.example.isdigit():
                continue
            assert moves_in(read(text, name)) == [game.info.example], (name, text)


@for_each("word", DENYING.split(), quick=6)
def test_no_word_that_denies_hides_among_leads(word: str) -> None:
    """Before the words that say that a move is played, behind them, and behind the move."""
    for lead in sorted(listed("labels", "leads")):
        for line in (f"{word} {lead} d4", f"{lead} {word} d4", f"{lead} d4 {word}", f"{word}, {lead} d4"):
            assert not told_move(line, Spelling()), line


def test_no_word_of_a_language_denies() -> None:
    """Of those with which its speakers say that a move is played."""
    assert {word for phrase in TELLING - {"i would like"} for word in phrase.split()}.isdisjoint(DENYING.split())


@st.composite
def denied(draw: st.DrawFn) -> str:
    """A line with a move, words that may stand beside it, and one that may not."""
    words = draw(st.lists(st.sampled_from(CLOSED), max_size=4))
    words = [word + draw(st.sampled_from(MARKS)) for word in words]
    place = draw(st.integers(0, len(words)))
    words.insert(place, "d4" + draw(st.sampled_from(MARKS)))
    words.insert(draw(st.integers(0, len(words))), draw(st.sampled_from(DENYING.split())))
    return " ".join(words)


@examples(600)
@given(denied())
def test_a_denied_move_is_never_played(line: str) -> None:
    """Wherever the word that denies it stands in the line."""
    assert moves_in(read(line, "cephalopod")) == [], line


@st.composite
def lines_of_words(draw: st.DrawFn) -> str:
    """Some lines of the words that may stand around moves, with one of two moves in each of two lines."""
    lines = [
        " ".join(draw(st.lists(st.sampled_from([*CLOSED, *DENYING.split()]), max_size=3)))
        for _ in range(draw(st.integers(0, 3)))
    ]
    for move in ("d4", "e5"):
        before = draw(st.sampled_from(["", *CLOSED]))
        after = draw(st.sampled_from(["", *CLOSED]))
        line = f"{before} {move} {after}".strip()
        lines.insert(draw(st.integers(0, len(lines))), line)
    return "\n".join(lines)


@examples(600)
@given(lines_of_words())
def test_of_two_moves_said_none_is_played(text: str) -> None:
    """Where each of two lines says another move and nothing else."""
    found = read(text, "cephalopod")
    assert len(moves_in(found)) <= 1
    asked = [line.error for line in found if isinstance(line, Unparsed)]
    choices = {choice.lower() for error in asked if isinstance(error, WhichOne) for choice in error.choices}
    assert choices <= {"move 101 d4", "move 101 e5"}
    alone = [line for line in text.split("\n") if line in ("d4", "e5")]
    assert len(alone) < 2 or not moves_in(found)
