"""Words by which people take back a move that stands above them, in the languages that mail is written in.

Where `#` stands, any move does.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from pbmserv.commands.base.vocabulary import COURTESY, LABELS, NEVER_BY_SLIP, is_move_like, normalised
from pbmserv.games.board import split_cells
from pbmserv.parser.errors import WhichOne
from pbmserv.parser.line import ParsedLine, parse_line
from pbmserv.parser.parsed import Parsed, Unparsed
from pbmserv.parser.prose import single_word_reply


def _phrases(text: str) -> frozenset[tuple[str, ...]]:
    return frozenset(tuple(phrase.split()) for phrase in text.split("|"))


BEFORE = _phrases(
    "correction|corrected|correcting|or rather|rather|or better|instead|no wait|wait no|oops|ooops|whoops|ups|oups"
    "|sorry|apologies|pardon|i mean|i meant|meant|should be|should have been|should read|make that|make it"
    "|change that to|change it to|change to|changed my mind|scratch that|strike that|forget that|ignore that"
    "|on second thought|on second thoughts|second thoughts|my mistake|typo|erratum"
    "|korrektur|berichtigung|oder besser|vielmehr|oder vielmehr|lieber|sondern|entschuldigung|verzeihung"
    "|ich meine|ich meinte|meinte|gemeint war|stattdessen|statt dessen|vertippt|tippfehler|irrtum|mein fehler"
    "|rectification|ou plutôt|plutôt|désolé|désolée|excuse-moi|excusez-moi|je voulais dire|je veux dire|finalement"
    "|à la place|corrección|o mejor|mejor dicho|perdón|perdona|lo siento|quise decir|quería decir|quiero decir"
    "|en vez de eso|en su lugar|correzione|o meglio|anzi|scusa|scusate|scusi|volevo dire|intendevo|invece"
    "|piuttosto"
    "|correctie|of liever|liever|ik bedoel|ik bedoelde|bedoelde|in plaats daarvan|foutje"
    "|rättelse|eller hellre|eller snarare|snarare|hellre|förlåt|ursäkta|jag menar|jag menade|menade|istället"
    "|i stället|correção|correcção|ou melhor|aliás|desculpa|desculpe|quis dizer|queria dizer|quero dizer"
    "|em vez disso|poprawka|korekta|sprostowanie|albo raczej|a raczej|raczej|przepraszam|miałem na myśli"
    "|miałam na myśli|chodziło mi o|zamiast tego|pomyłka|rettelse|eller rettere|rettere sagt|eller rettere sagt"
    "|hellere|undskyld|jeg mener|jeg mente|mente|i stedet|beklager|unnskyld|heller"
    "|korjaus|oikaisu|tai pikemminkin|pikemminkin|mieluummin|anteeksi|sori|tarkoitan|tarkoitin|sittenkin"
    "|sen sijaan|oprava|nebo spíš|nebo spíše|spíš|spíše|raději|promiň|promiňte|myslel jsem|myslela jsem"
    "|měl jsem na mysli|místo toho|исправление|поправка|или лучше|точнее|вернее|извини|извините|простите"
    "|имел в виду|имела в виду|имею в виду|вместо этого|опечатка|javítás|helyesbítés|bocsánat|düzeltme|pardon"
    "|виправлення|вибач|вибачте|διόρθωση|corectură|rectificare"
    "|no|nope|wait|better|actually|mistake|ps|p.s|pps|nein|halt|stopp|moment|warte|besser|doch|fehler|non|attends"
    "|attendez|en fait|erreur|espera|mejor|en realidad|error|aspetta|meglio|errore|nee|wacht|toch|fout|eigenlijk"
    "|nej|vänta|fel|não|espere|melhor|na verdade|erro|nie|czekaj|jednak|błąd|vent|fejl|nei|feil|ei|odota|virhe"
    "|ne|počkej|počkat|vlastně|chyba|нет|подожди|стой|лучше|ошибка|ошибся|ні|nem|hayır"
    "|not #|not # but|not # but rather|instead of #|take # back|taking # back|take back #|forget #|ignore #"
    "|scrap #|cancel #|#->"
    "|take that back|take it back|forget the above|ignore the above|forget it|never mind"
    "|nevermind|scrap that|cancel that"
    "|disregard that|on reflection|edit|edited|update|updated|new move|correct move|better move"
    "|wrong square|wrong move"
    "|nicht #|nicht # sondern|statt #|nehme # zurück|pas #|no # sino|non # ma|niet #|niet # maar"
    "|neuer zug|falsches feld|nouveau coup|nueva jugada|nuova mossa|nieuwe zet|oh nein|ach nein"
    "|訂正|訂正します|いや|いえ|やっぱり|すみません|間違えました|間違い|待って|更正|更正一下|不对|不對|不是|不|等等|抱歉|改成|改为|更改"
    "|아니|아니요|정정|수정|잠깐|미안|죄송합니다|όχι|διόρθωσε|συγγνώμη|λάθος|לא|תיקון|סליחה|רגע|ой|ой нет|לא לא|لا"
)
"""What stands before it."""

BEHIND = _phrases(
    "not #|instead of #|statt #"
    "|instead|rather|i meant|i mean|was meant|stattdessen|statt dessen|lieber|meinte ich|plutôt|à la place"
    "|en su lugar|en vez de eso|invece|piuttosto|in plaats daarvan|liever|bedoelde ik|istället|i stället|hellre"
    "|em vez disso|zamiast tego|raczej|i stedet|hellere|heller|sittenkin|sen sijaan|místo toho|raději"
    "|вместо этого|лучше"
)

BETWEEN = frozenset(
    "wanted would like i'd let me we now oh ah ach hm hmm well and but so go going with for wollte "  # noqa: SIM905
    "sagen bitte "
    "my move is it it's to be play playing take want i i'll the that then please "
    "mein zug ist ich spiele ziehe nehme will möchte doch je joue veux jouer prends mon coup est le c'est "
    "juego quiero jugar mi jugada es gioco voglio giocare mossa mia la è ik speel wil zet mijn jag spelar vill "
    "drag mitt är jeg spiller vil træk trekk mit er jogo quero jogar jogada minha é gram ruch mój to jest "
    "pelaan siirto siirtoni on hraju tah můj je я хожу ход мой играю это".split()
)
"""What may stand between such words and the move."""

AFTER = COURTESY | {"now", "of", "course", "then", "bitte", "merci"}
"""What may stand between the move and the end of its clause."""

CONDITIONS = frozenset({"if", "wenn", "falls"})
"""What makes a move one that may come."""

PLAYED = _phrases("|".join(LABELS)) | _phrases(
    "play|i'll play|i'm playing|move is|i take|i'll take|ich nehme|my move is"
)
"""What makes a sentence with a move in it, and nothing else, one that says what is played."""

DROPPING = frozenset({"forget", "ignore", "scrap", "cancel"})
"""What drops the move behind it, even where no other takes its place."""


MOST_CHOICES = 5

_TAKEN_BACK = frozenset({"move", "submit", "resign"})
_MOST_SEARCHED = 4000
_LONGEST_PHRASE = 4
_LONGEST_MOVE = 8
_AROUND = "\"'`*_~()[]{}<>\u00ab\u00bb.,;:!?-/\u2026\u3001\u3002"
_ENDS = ".,;:!?)-\u3001\u3002"
_SENTENCE_ENDS = ".!?\u3002"
_GLUED = re.compile(r"((?:[^\W\d_]{2}|[^\x00-\x7f])[,:;!?\u3001\u3002]+)(?=[a-z][1-9])", re.IGNORECASE)
_ANY_MOVE = "#"
_GIVEN_UP = "resign"


def in_a_moves_place(said: Parsed) -> str:
    """The move of a line, or its command where that stands in a move's place."""
    return said.arguments.move.lower().replace(" ", "") or said.command.name


def asked_again(lines: Sequence[ParsedLine], below: str) -> tuple[ParsedLine, ...] | None:
    """The lines of a mail with those asked that are taken back by each other or `below` them; None if none is."""
    asked = [_asked(line, lines[place + 1 :], below) for place, line in enumerate(lines)]
    return tuple(asked) if asked != [*lines] else None


def _asked(line: ParsedLine, later: Sequence[ParsedLine], below: str) -> ParsedLine:
    said = line.parsed
    if said is None or said.command.name not in _TAKEN_BACK or not said.arguments.boards:
        return line
    board = said.arguments.boards[0].number
    # Two lines that both name their board are two commands, and may be two players'.
    beside = (each for each in later if line.is_bare != each.is_bare)
    others = {
        in_a_moves_place(other): other.line
        for other in _acts_on(board, (*beside, *_said_below(below, board)))
        if in_a_moves_place(other) != in_a_moves_place(said)
    }
    if not others and not _is_dropped(in_a_moves_place(said), below):
        return line
    return ParsedLine(unparsed=which_one(board, (said.line, *others.values())))


def _is_dropped(move: str, text: str) -> bool:
    """Whether a line says that the move is none, and names no other: `forget d4`."""
    lines = map(normalised, text[:_MOST_SEARCHED].split("\n"))
    return any(tuple(map(_plain, _words(line))) in {(verb, move) for verb in DROPPING} for line in lines)


def which_one(board: int | None, lines: Sequence[str]) -> Unparsed:
    """The question which of several lines is meant; each is offered ready to send, without a mark of doubt."""
    choices = tuple(dict.fromkeys(line.rstrip("?! ") for line in lines))
    return Unparsed(lines[0], WhichOne(board=board, choices=choices[:MOST_CHOICES]))


def _acts_on(board: int, lines: Iterable[ParsedLine]) -> Iterator[Parsed]:
    for line in lines:
        said = line.parsed
        if said is None or said.claim is not None or not (line.is_bare or said.command.name in _TAKEN_BACK):
            continue
        if [ref.number for ref in said.arguments.boards] == [board] and _may_be_meant(said):
            yield said


def _may_be_meant(said: Parsed) -> bool:
    """Whether it may stand in another move's place: `101 nights` is none."""
    move = said.arguments.move.split()
    return (
        not move or is_move_like(move) or single_word_reply(move) is not None or not NEVER_BY_SLIP.isdisjoint(move)
    )


def _said_below(text: str, board: int) -> Iterator[ParsedLine]:
    """The lines of a text that are acts on a board, and the moves beside which a correcting word stands."""
    led = ""
    lines = (plain for line in text[:_MOST_SEARCHED].split("\n") if (plain := normalised(line)))
    for plain in lines:
        yield parse_line(plain, board)
        for move in corrections_in(f"{led} {plain}"):
            yield replace(parse_line(move, board), is_bare=True)
        led = plain if _is_phrase(plain) else ""


def corrections_in(line: str) -> list[str]:
    """The moves in a normalised line that are a whole clause with a correcting word, or are said to be played.

    >>> [corrections_in(line) for line in ("PS: e5 instead!", "sorry, I want to play E5.", "No, e5 was too far")]
    [['e5'], ['E5'], []]
    >>> corrections_in("not d4, e5"), corrections_in("I nearly played e5 instead"), corrections_in("I play e5")
    (['e5'], [], ['e5'])
    """
    words = _words(line)
    plain = [_plain(word) for word in words]
    squares = [place for place, word in enumerate(plain) if split_cells(word) or word == _GIVEN_UP]
    moves = [(place, _end_of_move(words, place)) for place in squares]
    for place in squares:
        plain[place] = _ANY_MOVE + ("->" if words[place].endswith(("->", "=>")) else "")
    return [_plain_move(words[start:end]) for start, end in moves if _is_corrected(words, plain, start, end)]


def _words(line: str) -> list[str]:
    """The words of a line, marks that stand alone at the end of the word before."""
    words: list[str] = []
    for word in _GLUED.sub(r"\1 ", line).split():
        if word.strip(_AROUND):
            words.append(word)
        elif words:
            words[-1] += word
    return words


def _plain(word: str) -> str:
    return word.strip(_AROUND).lower()


def _plain_move(words: Sequence[str]) -> str:
    return " ".join(words).strip(_AROUND)


def _end_of_move(words: Sequence[str], start: int) -> int:
    """Behind the last word of the longest move that begins there: `c3 x b3`."""
    ends = range(min(start + _LONGEST_MOVE, len(words)), start + 1, -1)
    return next((end for end in ends if split_cells(_plain_move(words[start:end]))), start + 1)


def _is_phrase(line: str) -> bool:
    """Whether a line is a correcting word and nothing else."""
    return tuple(map(_plain, _words(line))) in BEFORE


def _is_corrected(words: Sequence[str], plain: Sequence[str], start: int, end: int) -> bool:
    """Whether the move that stands there is a whole clause with a correcting word, or ends a clause behind one."""
    if words[start].lower() == f"{_GIVEN_UP}?":
        return False
    stop, is_corrected = _behind(words, plain, end)
    if stop is None or _is_conditional(words, plain, start):
        return False
    place, is_played = start, False
    while place > 0:
        if _ends(words[place - 1], _ENDS) and (is_corrected or not _goes_on(plain, place)):
            break
        length = _phrase_before(plain, place)
        is_corrected = is_corrected or length > 0
        if not length and plain[place - 1] not in BETWEEN:
            return False
        is_played = is_played or any(
            tuple(plain[first:place]) in PLAYED for first in range(max(place - 3, 0), place)
        )
        place -= length or 1
    begins = place == 0 or _ends(words[place - 1], _SENTENCE_ENDS)
    is_sentence = begins and (stop == len(words) or _ends(words[stop - 1], _SENTENCE_ENDS))
    return is_corrected or (is_sentence and is_played)


def _behind(words: Sequence[str], plain: Sequence[str], end: int) -> tuple[int | None, bool]:
    """Where the clause of a move ends, None if it goes on with other words, and whether it corrects behind it."""
    is_corrected = False
    while end < len(words) and not _ends(words[end - 1], _ENDS):
        lengths = range(min(_LONGEST_PHRASE, len(words) - end), 0, -1)
        length = next((each for each in lengths if tuple(plain[end : end + each]) in BEHIND), 0)
        is_corrected = is_corrected or length > 0
        if not length and plain[end] not in AFTER:
            return None, False
        end += length or 1
    return end, is_corrected


def _goes_on(plain: Sequence[str], place: int) -> bool:
    """Whether a correcting word ends the clause before, or one of those that may stand beside it."""
    return _phrase_before(plain, place) > 0 or plain[place - 1] in BETWEEN


def _phrase_before(plain: Sequence[str], place: int) -> int:
    """How many words of a correcting phrase stand before a place."""
    lengths = range(min(_LONGEST_PHRASE, place), 0, -1)
    return next((length for length in lengths if tuple(plain[place - length : place]) in BEFORE), 0)


def _is_conditional(words: Sequence[str], plain: Sequence[str], start: int) -> bool:
    """Whether a condition stands before the move in its sentence."""
    for place in range(start, 0, -1):
        if _ends(words[place - 1], _SENTENCE_ENDS):
            break
        if plain[place - 1] in CONDITIONS:
            return True
    return False


def _ends(word: str, marks: str) -> bool:
    return word[-1] in marks
