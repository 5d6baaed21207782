"""Words and signs of a mail as the parser reads them: what tells a command or a board from prose."""

import unicodedata

from pbmserv.commands.vocabulary import CLOSING, OPENING, is_number

NEGATIONS = frozenset(
    [
        "not",
        "never",
        "no",
        "don't",
        "didn't",
        "won't",
        "can't",
        "isn't",
        "wasn't",
        "aren't",
        "if",
        "when",
        "before",
        "cannot",
    ]
)
"""Beside these a word is not said to be done."""

_LABELS = (
    "my move|my answer|answer|my reply|reply|i play|zug|mein zug|ich ziehe|ich spiele|antwort|meine antwort"
    "|coup|mon coup|je joue|réponse|ma réponse|jugada|mi jugada|movimiento|mi movimiento|juego|respuesta"
    "|mossa|mia mossa|la mia mossa|gioco|risposta|zet|mijn zet|ik speel|antwoord|drag|mitt drag|jag spelar|svar"
    "|mitt svar|træk|mit træk|jeg spiller|mit svar|trekk|mitt trekk|lance|meu lance|jogada|minha jogada|jogo"
    "|resposta|ruch|mój ruch|gram|odpowiedź|tah|můj tah|hraju|hraji|odpověď|siirto|siirtoni|pelaan|vastaus"
    "|ход|мой ход|хожу|ответ|хід|мій хід|lépés|lépésem|hamle|hamlem|mutare|mutarea mea|κίνηση"
)

LABELS = frozenset(_LABELS.split("|"))
"""What people write before a move and a colon: `Mein Zug: d4`."""

FIRST_BOARD = 101

_DASHES = dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d"), "-")

_QUOTES = {ord(each): "'" for each in "\u2018\u2019\u201a\u201b\u2032"} | {
    ord(each): '"' for each in "\u201c\u201d\u201e\u201f"
}

_INVISIBLE = dict.fromkeys(
    map(
        ord,
        "\u00ad\u034f\u061c\u180e\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2061\u2062\u2063\u2064"
        "\u2066\u2067\u2068\u2069\u20e3\ufe0e\ufe0f\ufeff",
    ),
    None,
)


def normalised(line: str) -> str:
    """The line with one kind of blank, dash, quote, digit and letter form for each, and no blank at its ends.

    >>> normalised("\uff2dove\u00a0101  c3\u2013b3")
    'Move 101 c3-b3'
    """
    plain = unicodedata.normalize("NFKC", line.translate(_INVISIBLE)).translate(_DASHES | _QUOTES)
    return " ".join(plain.split())


def board_number(word: str) -> int | None:
    """The board that `101`, `101#7`, `101:` or `#101` names. No lower one is named in such dress.

    >>> [board_number(word) for word in ("101", "7", "101#7", "#101", "(101)", "101:", "7.", "#7", "c3")]
    [101, 7, 101, 101, 101, 101, None, None, None]
    """
    number = stripped_board(word).partition("#")[0]
    if not is_number(number):
        return None
    return int(number) if int(number) >= FIRST_BOARD or word.partition("#")[0] == number else None


def stripped_board(word: str) -> str:
    """A word without what may stand around a board's number."""
    return word.lstrip(OPENING + "#").rstrip(CLOSING)
