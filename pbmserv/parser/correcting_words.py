"""Words by which people take back a move that stands above them, in the languages that mail is written in.

Where `#` stands, any move does.
"""

from pbmserv.commands.base.vocabulary import COURTESY, LABELS


def phrases(text: str) -> frozenset[tuple[str, ...]]:
    """The phrases of a text that `|` separates, as their words."""
    return frozenset(tuple(phrase.split()) for phrase in text.split("|"))


BEFORE = phrases(
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

BEHIND = phrases(
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

PLAYED = phrases("|".join(LABELS)) | phrases(
    "play|i'll play|i'm playing|move is|i take|i'll take|ich nehme|my move is"
)
"""What makes a sentence with a move in it, and nothing else, one that says what is played."""

DROPPING = frozenset({"forget", "ignore", "scrap", "cancel"})
"""What drops the move behind it, even where no other takes its place."""
