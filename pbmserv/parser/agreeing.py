"""What people answer to an offer of a draw or a take-back in words of their own: `Sure, no problem`."""

from collections.abc import Sequence
from typing import Final, Literal

from pbmserv.parser.correcting_words import BUT, phrases
from pbmserv.parser.taken_back import is_withdrawn
from pbmserv.parser.words import NEGATIONS, normalised

Answer = Literal["accept", "reject"]

_ACCEPTING: Final = phrases(
    "yes|y|yep|yup|yeah|yes please|yes of course|sure|sure thing|of course|certainly|absolutely|definitely"
    "|no problem|no problem at all|no worries|not a problem|no objection|no objections|why not|i accept"
    "|i accept the draw|i accept a draw|i accept your offer|i accept the offer|i accept your draw|i do accept"
    "|accepted|accept|i agree|i agree to a draw|i agree to the draw|agreed|agree|i consent|gladly|with pleasure"
    "|happily|go ahead|please do|by all means|ok|okay|okey|k|alright|all right|fine|fine by me|fine with me"
    "|that's fine|it's fine|ok with me|okay with me|ok by me|i'm fine with that|i am fine with that|draw|a draw"
    "|draw it is|a draw it is|it's a draw|let's call it a draw|call it a draw|let's draw|let's make it a draw"
    "|draw agreed|a draw is fine|a draw is fair|take it back|you can take it back|you may take it back"
    "|feel free|granted|do it|deal|done|ja|jo|joo|jawohl|ja gerne|ja gern|gern|gerne|klar|na klar|natürlich"
    "|selbstverständlich|einverstanden|ich nehme an|ich nehme das remis an|ich nehme remis an|angenommen"
    "|in ordnung|kein problem|geht klar|remis|oui|oui volontiers|d'accord|bien sûr|volontiers|j'accepte"
    "|j'accepte la nulle|accepté|entendu|pas de problème|pas de souci|aucun problème|nulle|sí|si|claro"
    "|claro que sí|por supuesto|acepto|acepto las tablas|aceptado|de acuerdo|vale|sin problema|ningún problema"
    "|no hay problema|tablas|sì|certo|certamente|va bene|accetto|accetto la patta|accettato|d'accordo"
    "|nessun problema|non c'è problema|volentieri|patta|zeker|natuurlijk|akkoord|ik ga akkoord|goed|prima"
    "|geen probleem|graag|aangenomen|tak|jasne|oczywiście|zgoda|zgadzam się|przyjmuję|nie ma problemu|dobrze"
    "|chętnie|sim|claro que sim|com certeza|aceito|aceite|concordo|de acordo|sem problema|sem problemas"
    "|tudo bem|visst|javisst|absolut|självklart|jag accepterar|inga problem|okej|gärna|ja tak|gerne det"
    "|selvfølgelig|jeg aksepterer|jeg accepterer|ingen problem|det er greit|det er i orden|ano|jasně|samozřejmě"
    "|souhlasím|přijímám|bez problému|žádný problém|dobře|áno|súhlasím|kyllä|totta kai|hyväksyn|sopii|да"
    "|конечно|согласен|согласна|принимаю|хорошо|ладно|без проблем|давайте|давай|ничья|так|згоден|згодна|igen"
    "|persze|elfogadom|evet|tabii|kabul|da|sigur|accept|\u03bd\u03b1\u03b9|δέχομαι|はい|同意|同意します|好|好的"
    "|可以|네|동의합니다"
)
_REJECTING: Final = phrases(
    "no|n|nope|nah|no thanks|no thank you|no thx|no way|not now|not yet|not this time|never|i decline|declined"
    "|decline|i reject|rejected|i refuse|refused|i don't accept|i do not accept|i don't agree|i do not agree"
    "|no draw|not a draw|no deal|i'd rather play on|i would rather play on|i'd rather not|i'd rather continue"
    "|rather not|let's play on|let us play on|let's continue|let's go on|play on|i play on|i want to play on"
    "|i'd like to play on|i want to win|sorry no|better not|nein|nein danke|nee|lieber nicht|leider nein"
    "|ich lehne ab|abgelehnt|spielen wir weiter|ich spiele weiter|weiterspielen|lass uns weiterspielen|non"
    "|non merci|je refuse|refusé|continuons|jouons encore|on continue|no gracias|rechazo|no acepto|sigamos"
    "|sigamos jugando|continuemos|no grazie|rifiuto|non accetto|continuiamo|giochiamo|andiamo avanti"
    "|nee dank je|nee bedankt|nee dank u|ik weiger|liever niet|we spelen door|speel door|nie|nie dziękuję"
    "|odmawiam|odrzucam|nie zgadzam się|gramy dalej|grajmy dalej|não|não obrigado|não obrigada|recuso"
    "|não aceito|vamos continuar|continuemos a jogar|nej|nej tack|nej tak|nei|nei takk|jag avböjer"
    "|vi spelar vidare|jeg afslår|jeg avslår|vi spiller videre|ne|ne děkuji|ne díky|odmítám|nesouhlasím"
    "|hrajeme dál|hrajme dál|nie ďakujem|ei|ei kiitos|en hyväksy|jatketaan|нет|нет спасибо|отказываюсь"
    "|не согласен|не согласна|играем дальше|продолжим|продолжаем|ні|nem|nem köszönöm|hay\u0131r|nu|nu mulțumesc"
    "|όχι|いいえ|不|不同意|不行|아니요"
)
_FIRST: Final = phrases(
    "hi|hello|hey|hallo|bonjour|hola|ciao|hej|ahoj|привет|thanks for the offer|thank you for the offer"
    "|thanks for asking|thanks for offering|danke für das angebot|merci pour la proposition|merci pour l'offre"
    "|gracias por la oferta|grazie per l'offerta|hi there|oh|ah|ach|hm|hmm|well|sorry|thanks|thank you|ok|so"
    "|tja|dear"
)
"""What may stand before the answer."""

_DOUBTS: Final = (
    NEGATIONS
    | BUT
    | frozenset(
        "however unless only maybe perhaps possibly first later wait hold though "  # noqa: SIM905
        "although except let think nicht kein vielleicht erst später warte pas peut-être "
        "d'abord quizás primero forse prima misschien eerst może najpierw talvez kanske "
        "måske možná může не может сначала ehkä read received seen noted".split()
    )
)
_MOST_LINES: Final = 12
_LONGEST_PHRASE: Final = 5
_MOST_LEFT: Final = 25
_BARE: Final = 2
_LONGEST_GREETING: Final = 3
_MARKS: Final = "\"'`*_~()[]{}<>\u00ab\u00bb.,;:!-\u2026\u3002"


def answer_in(text: str) -> tuple[Answer, bool] | None:
    """How a text answers an offer, and whether that is in no doubt; None where it does not begin like an answer.

    >>> [answer_in(text) for text in ("Sure, no problem", "no thanks, let's play on", "yes?", "Yes, but", "Hm")]
    [('accept', True), ('reject', True), ('accept', False), ('accept', False), None]
    """
    words = [word for line in _lines(text) for word in line.split() if word.strip(_MARKS)]
    plain = [word.strip(_MARKS + "?").lower() for word in words]
    place = 0
    while length := _phrase_at(plain, place, _FIRST - _ACCEPTING):
        place += length
    kinds: list[Answer] = []
    while place < len(plain):
        accepting, rejecting = (_phrase_at(plain, place, each) for each in (_ACCEPTING, _REJECTING))
        if not accepting and not rejecting:
            break
        kinds.append("accept" if accepting >= rejecting else "reject")
        place += max(accepting, rejecting)
    if not kinds:
        return None
    left = plain[place:]
    is_doubted = kinds[0] == "accept" and not _DOUBTS.isdisjoint(left)
    is_unclear = is_doubted or len(left) > _MOST_LEFT or len({*kinds}) > 1 or _goes_on_otherwise(left, kinds[0])
    return kinds[0], not (is_unclear or any("?" in word for word in words) or is_withdrawn(text))


def words_beside(text: str) -> str:
    """The text without its first line, where that is an answer and nothing else.

    >>> words_beside("Yes!\\nGood game"), words_beside("Sure, no problem")
    ('Good game', 'Sure, no problem')
    """
    first, _, rest = text.lstrip().partition("\n")
    return rest if len(first.split()) <= _BARE else text


def _goes_on_otherwise(left: Sequence[str], kind: Answer) -> bool:
    """Whether the other answer stands further on: `No. All right, yes`."""
    other = _ACCEPTING if kind == "reject" else _REJECTING
    return any((word,) in other and word in ("yes", "no", "accept", "draw", "reject", "decline") for word in left)


def _phrase_at(plain: Sequence[str], place: int, known: frozenset[tuple[str, ...]]) -> int:
    lengths = range(min(_LONGEST_PHRASE, len(plain) - place), 0, -1)
    return next((each for each in lengths if tuple(plain[place : place + each]) in known), 0)


def _lines(text: str) -> list[str]:
    lines: list[str] = []
    for line in text.split("\n"):
        plain = normalised(line)
        if plain == "--" or len(lines) == _MOST_LINES:
            break
        is_greeting = not lines and plain.endswith(",") and len(plain.split()) <= _LONGEST_GREETING
        lines += [plain] if plain and not is_greeting else []
    return lines
