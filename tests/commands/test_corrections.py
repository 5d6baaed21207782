"""Moves that are taken back below themselves, and words that only look so."""

import pytest

from pbmserv.commands.language import Reading, understand
from pbmserv.commands.message import IncomingMail
from tests.commands.meaning import of

ANSWER = "Re: Cephalopod Board 101: anna vs bob"


def read(text: str, subject: str = ANSWER) -> Reading:
    """What is read of a mail."""
    return understand(IncomingMail("anna@example.org", subject, text, "<1@example.org>", (), None, "key"))


def told(reading: Reading) -> list[str]:
    """The meaning of each line."""
    return [of(line) for line in reading.lines]


ASKED = [
    # A later line that is a move alone.
    "or rather\n\ne5",
    "Correction:\ne5",
    "Hm.\n\ne5",
    "Thank you for the game, I enjoy it very much.\nSee you!\n\nE5!",
    "I thought about it again.\nmove e5",
    "Wait.\n101 e5",
    "On second thought\nmove 101 e5",
    "Mein Fehler.\nMein Zug: e5",
    # A correcting word with a move.
    "Correction: e5",
    "Correction: my move is e5",
    "Correction:\nI play e5",
    "or rather e5",
    "PS: e5 instead!",
    "PS: e5",
    "P.S. e5 please",
    "no wait, e5",
    "No, wait: e5",
    "no, e5",
    "sorry, e5",
    "Sorry, I meant e5, not d4.",
    "Oops - e5 of course",
    "I meant e5",
    "I mean e5.",
    "Make that e5, please.",
    "It should be e5",
    "Scratch that, e5",
    "Actually, e5.",
    "I would like to play e5 instead",
    "Rather e5.",
    "Have a nice day! Sorry, e5.",
    "Hm, better e5!",
    "no wait, c3 x b3, d3",
    "Korrektur: e5",
    "oder besser e5",
    "Nein, e5!",
    "Halt, ich meine e5",
    "Entschuldigung, ich wollte sagen: lieber e5",
    "Ich spiele doch lieber e5",
    "e5 statt dessen",
    "ou plutôt e5",
    "Pardon, je voulais dire e5",
    "Non, e5.",
    "Désolé, e5",
    "o mejor e5",
    "Perdón, quise decir e5",
    "Corrección: e5",
    "anzi, e5",
    "Scusa, volevo dire e5",
    "Correzione: e5",
    "of liever e5",
    "Sorry, ik bedoel e5",
    "Nee, e5!",
    "Rättelse: e5",
    "Förlåt, jag menade e5",
    "e5 i stället",
    "ou melhor, e5",
    "Desculpe, quis dizer e5",
    "Correção: e5",
    "Sprostowanie: e5",
    "Przepraszam, miałem na myśli e5",
    "raczej e5",
    "Rettelse: e5",
    "Undskyld, jeg mente e5",
    "Beklager, e5",
    "Korjaus: e5",
    "Anteeksi, tarkoitin e5",
    "Oprava: e5",
    "Promiň, myslel jsem e5",
    "Поправка: e5",
    "Извините, я имел в виду e5",
    "Нет, e5",
    # In lines that look like slips of commands, and in lines that are refused.
    "Forget d4, I play e5",
    "Forget the above. e5",
    "Forget that, e5",
    # Below what may begin a signature.
    "--\nno wait, e5",
    "-- \nBob\nSorry, e5",
    # In other words.
    "not d4, e5",
    "Not d4 but e5",
    "sorry, not d4 but e5",
    "I take d4 back, e5",
    "d4 -> e5",
    "Ach nein, e5",
    "On reflection, e5.",
    "EDIT: e5",
    "Update: e5",
    "New move: e5",
    "Let me take that back. e5.",
    "never mind, e5",
    "Scrap that: e5",
    "wrong square, e5",
    "I play e5",
    "play e5",
    "Hi. I play e5.",
    "sorry I wanted e5",
    "sorry - I'd like e5",
    "訂正: e5",
    "不对，e5",
    "아니, e5",
    "Όχι, e5",
    "לא, e5",
    "ой, e5",
    # Far below.
    "x\n" * 61 + "no wait, e5",
    "Such a long letter. " * 30 + "No wait, e5.",
]


@pytest.mark.parametrize("below", ASKED)
@pytest.mark.parametrize("above", ["d4\n", "Hi Bob,\n\nd4.\n\n", "101 d4\n", "move d4\n"])
def test_asked(above: str, below: str) -> None:
    """Both are offered, nothing is played, and nothing goes to the opponent."""
    reading = read(above + below)
    other = "c3 x b3, d3" if "c3" in below else "e5"
    assert [line.lower() for line in told(reading)] == [f"which? move 101 d4 | move 101 {other}"]
    assert reading.comment == ""


WORDS = [
    "I nearly played e5",
    "I nearly played e5.\nThat would have been fun.",
    "See you on e4 street, or rather never",
    "d4",
    "Correction: d4",
    "I mean D4!",
    "d4 instead of e5, that is.",
    "Your e5 was a mistake",
    "Sorry about e5, that was mean",
    "Sorry for the delay.",
    "No, I did not see e5",
    "No, e5 was too far for me",
    "Better e5 next time",
    "Actually e5 looked good too",
    "PS: I sold the A4 paper",
    "no wait",
    "Correction:",
    "or rather",
    "Instead of e5 I chose the middle.",
    "Nein, e5 war mir zu weit",
    "102 e5",
    "or rather\n102 e5",
    "resign?",
    "Room B2, please",
    "e5 e6 e7 are all taken, rather crowded here",
    "I nearly played e5 instead, ha!",
    "Sorry, e5 was too tempting last time.",
    "I mean, a1 is a corner.",
    "I meant a1 in the other game.",
    "rather e5 than a1",
    "Ich hätte lieber e5 gespielt, aber gut.",
    "printed on A4 instead of letter",
    "We meet at gate A4, instead of B2.",
    "If e5 then a1, or rather a2, I will see.",
    "If you play a1, I play e5, ha!",
    "I resign",
    "Forget the noise!",
]


@pytest.mark.parametrize("below", WORDS)
def test_words(below: str) -> None:
    """They go to the opponent, and the move is played."""
    reading = read(f"d4\n\nThank you.\n{below}")
    assert told(reading) == ["move 101 d4"]
    assert reading.comment == f"Thank you.\n{below}"


def test_in_the_subject() -> None:
    """A command there is taken back in the body likewise."""
    for below in ("Hello\n\nor rather\ne5", "Hello. Sorry, e5"):
        for subject in ("move 101 d4", "Re: 101 d4"):
            assert told(read(below, subject)) == ["which? move 101 d4 | move 101 e5"]
    reading = read("move 101 d4\nend\n\nSorry, e5\ne5", "move 101 d4")
    assert (told(reading), reading.comment) == (["move 101 d4"], "Sorry, e5\ne5")
    reading = read("Hello, sorry about e5", "move 101 d4")
    assert (told(reading), reading.comment) == (["move 101 d4"], "Hello, sorry about e5")


def test_many_boards() -> None:
    """Lines that name different boards are so many moves; which of them is taken back below is not known."""
    assert told(read("101 c3\n102 d4\nBye")) == ["move 101 c3", "move 102 d4"]
    assert told(read("101 c3\n102 d4\n\nno wait, e5")) == [
        "which? move 101 c3 | move 101 e5",
        "which? move 102 d4 | move 102 e5",
    ]
    assert told(read("101 c3\n102 d4\nor rather\n102 e5")) == ["move 101 c3", "which? move 102 d4 | move 102 e5"]


@pytest.mark.parametrize("line", ["Changed my mind, e5", "move is e5 now"])
def test_in_a_refused_line(line: str) -> None:
    """What looks like a command that nobody can read takes a move back all the same."""
    for above in ("d4\n", "move d4\n\n"):
        assert told(read(above + line))[0] == "which? move 101 d4 | move 101 e5"


def test_dropped() -> None:
    assert told(read("d4\n\nForget D4!")) == ["which? move 101 d4"]


def test_below_an_end() -> None:
    """Nothing there is read."""
    for end in ("end", "stop", "quit"):
        assert told(read(f"d4\n{end}\nno wait, e5")) == ["move 101 d4"]


@pytest.mark.parametrize("line", ["101 nights", "move along"])
def test_what_cannot_be_meant(line: str) -> None:
    """It is not offered in the place of a move."""
    assert not told(read(f"d4\n\n{line}"))[0].startswith("which?")


def test_offers_are_clean() -> None:
    """A mark of doubt is not offered again."""
    assert told(read("e5?\n\nNo, d4.")) == ["which? move 101 e5 | move 101 d4"]


@pytest.mark.parametrize("line", ["d4 :-)", "d4。", "d4!?", "d4(!)"])
def test_a_move_in_a_mood(line: str) -> None:
    """Marks behind a move leave it that move."""
    assert told(read(line)) == ["move 101 d4"]


def test_a_resignation_taken_back() -> None:
    """And a move below which somebody gives up."""
    assert told(read("resign\nNo wait, e5")) == ["which? resign 101 | move 101 e5"]
    assert told(read("d4\nSorry, I resign instead")) == ["which? move 101 d4 | resign 101"]
    assert told(read("d4\nI have had enough.\nresign")) == ["which? move 101 d4 | resign 101"]


def test_three_moves() -> None:
    assert told(read("d4\nor rather\ne5\nno, f6")) == ["which? move 101 d4 | move 101 e5 | move 101 f6"]


def test_what_is_no_move_is_not_taken_back() -> None:
    """Words to others, and what only shows."""
    for text in ("chat 101\nSorry, e5", "show 101\nno wait, e5", "queue 101 c3 d4\nSorry, e5", "undo\nSorry, e5"):
        assert not told(read(text))[0].startswith("which?")


@pytest.mark.parametrize(
    "line",
    [
        "mein Zug: d4",
        "my move: d4",
        "My move : D4!",
        "Zug: d4",
        "Zug:d4",
        "coup : d4",
        "Mon coup: d4.",
        "zet: d4",
        "Mi jugada: d4",
        "La mia mossa: d4",
        "Mitt drag: d4",
        "Mit træk: d4",
        "Minha jogada: d4",
        "Mój ruch: d4",
        "Můj tah: d4",
        "Siirtoni: d4",
        "Мой ход: d4",
        "Answer: d4, please",
    ],
)
def test_a_move_with_a_label(line: str) -> None:
    """In an answer to a board it is that move; elsewhere nobody knows which board is meant."""
    assert [each.lower() for each in told(read(f"Hello,\n{line}\nBye"))] == ["move 101 d4"]
    assert told(read(line, "hello")) == []


@pytest.mark.parametrize("line", ["Note: d4", "Your move: d4", "Last move: d4", "mein Zug: d4 oder e5"])
def test_other_labels(line: str) -> None:
    """What may be said of any move is not played, nor asked as something else."""
    reading = read(line)
    assert (told(reading), reading.board) == ([], 101)
