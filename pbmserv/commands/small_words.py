"""Words that tell prose from commands: nobody is called so, and no command means anything by them."""

COURTESY = frozenset({"please", "pls", "plz", "thanks", "thank", "thx", "ta", "cheers"})
"""What people add to a command without meaning anything by it: `c3 please`."""

_SMALL_WORDS = (
    "a an the this that these those it its it's i i'm i'd i'll i've im me my mine you your yours you're "
    "he she him her his we us our ours they them their is isn't are aren't am was wasn't were be been do "
    "does did don't didn't have has had can can't could would should will won't shall may might must let "
    "let's not never and or but if so then than though because as at by for from in into of off on out "
    "over to up upon with without what which who when where why how here there now soon later again ever "
    "always often usual far long much many more most such well very too also just only even still yet ago "
    "day days week weeks time way one ok okay oh ah hello hi dear sorry want like wish hereby promised "
    "expected agreed discussed mentioned said planned requested noted suggested announced before above "
    "board boards match matches game account itself received"
)
SMALL_WORDS = frozenset(_SMALL_WORDS.split())
"""Nobody's userid, and common in prose: pronouns, prepositions and the like, and what often follows `as`."""

ELSEWHERE = frozenset(
    {"con", "del", "dele", "hel", "hell", "last", "lost", "mes", "mess", "pro", "que", "sub", "und"}
)
"""Words of other languages, or ordinary ones, which look like a shortening of a command and are none: `Und d4`."""

NEGATIONS = frozenset(
    {
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
    }
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
