"""Words by which people take back a move that stands above them, in the languages that mail is written in.

Where `#` stands, any move does.
"""

from pbmserv.commands.vocabulary import COURTESY
from pbmserv.parser.words import LABELS


def phrases(text: str) -> frozenset[tuple[str, ...]]:
    """The phrases of a text that `|` separates, as their words."""
    return frozenset(tuple(phrase.split()) for phrase in text.split("|"))


BEFORE = phrases(
    "correction|corrected|correcting|or rather|rather|or better|instead|no wait|wait no|oops|ooops|whoops|ups"
    "|oups|sorry|apologies|pardon|i mean|i meant|meant|should be|should have been|should read|make that|make it"
    "|change that to|change it to|change to|changed my mind|scratch that|strike that|forget that|ignore that"
    "|on second thought|on second thoughts|second thoughts|my mistake|typo|erratum|korrektur|berichtigung"
    "|oder besser|vielmehr|oder vielmehr|lieber|sondern|entschuldigung|verzeihung|ich meine|ich meinte|meinte"
    "|gemeint war|stattdessen|statt dessen|vertippt|tippfehler|irrtum|mein fehler|rectification|ou plutôt"
    "|plutôt|désolé|désolée|excuse-moi|excusez-moi|je voulais dire|je veux dire|finalement|à la place"
    "|corrección|o mejor|mejor dicho|perdón|perdona|lo siento|quise decir|quería decir|quiero decir"
    "|en vez de eso|en su lugar|correzione|o meglio|anzi|scusa|scusate|scusi|volevo dire|intendevo|invece"
    "|piuttosto|correctie|of liever|liever|ik bedoel|ik bedoelde|bedoelde|in plaats daarvan|foutje|rättelse"
    "|eller hellre|eller snarare|snarare|hellre|förlåt|ursäkta|jag menar|jag menade|menade|istället|i stället"
    "|correção|correcção|ou melhor|aliás|desculpa|desculpe|quis dizer|queria dizer|quero dizer|em vez disso"
    "|poprawka|korekta|sprostowanie|albo raczej|a raczej|raczej|przepraszam|miałem na myśli|miałam na myśli"
    "|chodziło mi o|zamiast tego|pomyłka|rettelse|eller rettere|rettere sagt|eller rettere sagt|hellere"
    "|undskyld|jeg mener|jeg mente|mente|i stedet|beklager|unnskyld|heller|korjaus|oikaisu|tai pikemminkin"
    "|pikemminkin|mieluummin|anteeksi|sori|tarkoitan|tarkoitin|sittenkin|sen sijaan|oprava|nebo spíš|nebo spíše"
    "|spíš|spíše|raději|promiň|promiňte|myslel jsem|myslela jsem|měl jsem na mysli|místo toho|исправление"
    "|поправка|или лучше|точнее|вернее|извини|извините|простите|имел в виду|имела в виду|имею в виду"
    "|вместо этого|опечатка|javítás|helyesbítés|bocsánat|düzeltme|pardon|виправлення|вибач|вибачте|διόρθωση"
    "|corectură|rectificare|no|nope|wait|better|actually|mistake|ps|p.s|pps|nein|halt|stopp|moment|warte|besser"
    "|doch|fehler|non|attends|attendez|en fait|erreur|espera|mejor|en realidad|error|aspetta|meglio|errore|nee"
    "|wacht|toch|fout|eigenlijk|nej|vänta|fel|não|espere|melhor|na verdade|erro|nie|czekaj|jednak|błąd|vent"
    "|fejl|nei|feil|ei|odota|virhe|ne|počkej|počkat|vlastně|chyba|нет|подожди|стой|лучше|ошибка|ошибся|ні|nem"
    "|hayır|not #|not # but|not # but rather|instead of #|take # back|taking # back|take back #|forget #"
    "|ignore #|scrap #|cancel #|#->|take that back|take it back|forget the above|ignore the above|forget it"
    "|never mind|nevermind|scrap that|cancel that|disregard that|on reflection|edit|edited|update|updated"
    "|new move|correct move|better move|wrong square|wrong move|nicht #|nicht # sondern|statt #|nehme # zurück"
    "|pas #|no # sino|non # ma|niet #|niet # maar|neuer zug|falsches feld|nouveau coup|nueva jugada|nuova mossa"
    "|nieuwe zet|oh nein|ach nein|訂正|訂正します|いや|いえ|やっぱり|すみません|間違えました|間違い|待って|更正"
    "|更正一下|不对|不對|不是|不|等等|抱歉|改成|改为|更改|아니|아니요|정정|수정|잠깐|미안|죄송합니다|όχι"
    "|διόρθωσε|συγγνώμη|λάθος|לא|תיקון|סליחה|רגע|ой|ой нет|לא לא|لا"
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
    "wanted would like i'd let me we now oh ah ach hm hmm well and but so go going with "  # noqa: SIM905
    "for wollte sagen bitte my move is it it's to be play playing take want i i'll the "
    "that then please mein zug ist ich spiele ziehe nehme will möchte doch je joue veux "
    "jouer prends mon coup est le c'est juego quiero jugar mi jugada es gioco voglio "
    "giocare mossa mia la è ik speel wil zet mijn jag spelar vill drag mitt är jeg "
    "spiller vil træk trekk mit er jogo quero jogar jogada minha é gram ruch mój to jest "
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

WITHDRAWN = phrases(
    "forget about it|forget about that|belay that|just thinking aloud|only thinking aloud|thinking aloud|not final"
    "|not final yet|not definitive|not definitive yet|void|abort|abort that|to be confirmed|tbc"
    "|i'll confirm tomorrow|i'll confirm later|i will confirm later|i'm going to sleep on it"
    "|i'm going to sleep on it first|i'll sleep on it|i will sleep on it|sleep on it first|hold this move"
    "|do not play|don't play"
    "|das war nix|das war nichts|nein das war nix|gilt noch nicht|das gilt noch nicht|zählt noch nicht|gilt nicht"
    "|das gilt nicht|laut gedacht|nur laut gedacht|das war nur laut gedacht|ich überlege es mir nochmal"
    "|ich überlege es mir noch mal|ich überlege es mir noch einmal|ich überlege nochmal"
    "|je réfléchis encore un peu|pas définitif|pas encore définitif|ce n'est pas définitif"
    "|todavía no estoy seguro|todavía no estoy segura|aún no estoy seguro|aún no estoy segura|no es definitivo"
    "|non è definitivo|non ancora definitivo|non sono ancora sicuro|nog niet definitief|dit is niet definitief"
    "|jeszcze nieostatecznie|to nie jest ostateczne|ainda não é definitivo|inte slutgiltigt|не окончательно"
    "|ещё не окончательно|"
    "maybe|perhaps|vielleicht|peut-être|quizás|forse|misschien|może|talvez|kanske|måske|možná|ehkä"
    "|может быть|think about it|think about this|think it over|think again|think first|think some more|think more"
    "|please ignore|ignore please|wrong board|wrong game|wrong one|wrong square|wrong move|just kidding|kidding"
    "|only joking|just joking|joking|just testing|testing|only testing|just a test|this is a test|this was a test"
    "|only a test|do nothing|maybe not|or maybe not|perhaps not|not decided|not decided yet|not yet decided"
    "|i haven't decided|i haven't decided yet|i have not decided yet|no no|no no no|falsches brett|falsches spiel"
    "|falsches feld|falscher zug|nur ein test|nur spaß|war nur spaß|vielleicht doch nicht|nein nein"
    "|mauvais plateau|mauvaise partie|mauvaise case|non non|tablero equivocado|partida equivocada"
    "|casilla equivocada|no no|scacchiera sbagliata|partita sbagliata|casella sbagliata|verkeerd bord"
    "|verkeerde partij|verkeerd veld|nee nee|zła plansza|nie to pole|não não|fel bräde|fel ruta|feil brett"
    "|forkert bræt|špatná deska|не та доска|не та клетка"
    "|scratch that|scratch it|scrap that|scrap it|strike that|strike it|never mind|nevermind|forget it"
    "|forget that|forget this|forget the above|forget what i wrote|cancel|cancel that|cancel this|cancel it"
    "|cancel my move|hold on|hold it|hold off|hold your horses|hang on|wait|wait a moment|wait a minute"
    "|wait a second|wait a sec|wait a bit|one moment|just a moment|one second|one sec|not yet"
    "|no wait|wait no|stop that|let me think|let me think again|let me think about it|let me think about this"
    "|let me think about that|let me think it over|let me think first|let me think more|let me think some more"
    "|let me think a bit|let me think a bit more|let me think a little|let me reconsider|let me sleep on it"
    "|let me check|let me check first|let me look again|i need to think|i have to think|i must think"
    "|i need more time|i need to think about it|i have to think about it|i'll think about it"
    "|i will think about it|i'm still thinking|still thinking|i am still thinking|i want to think"
    "|i'd rather think|i'd rather wait|i changed my mind|i've changed my mind|i have changed my mind"
    "|changed my mind|on second thought|on second thoughts|second thoughts|undo|undo that|undo this"
    "|take that back|take it back|i take that back|i take it back|i take this back|taking that back|disregard"
    "|disregard that|disregard this|disregard the above|ignore that|ignore this|ignore it|ignore the above"
    "|ignore everything above|ignore my last line|ignore the last line|ignore the line above|ignore my move"
    "|ignore this move|ignore that move|ignore this mail|ignore this email|ignore this message"
    "|ignore what i wrote|ignore my mail|withdraw that|i withdraw|i withdraw that|i withdraw my move|not that"
    "|not that one|not this one|not this|or rather not|rather not|better not"
    "|not sure yet|i'm not sure yet|just a draft|draft|this is a draft|this is just a draft"
    "|i didn't mean that|i did not mean that|i didn't mean to send that|i didn't mean to send this"
    "|sent by mistake|sent too early|sent too soon|that was a mistake|that was wrong|that is wrong|that's wrong"
    "|i'll decide later|i'll decide tomorrow|i'll move tomorrow|i'll move later|i'll play later"
    "|i'll play tomorrow|let's wait|stop|stop it|moment|moment noch|moment mal|einen moment|einen moment noch"
    "|einen moment bitte|augenblick|warte|warte mal|warte noch|warten sie|halt|halt stopp|stopp|doch nicht"
    "|lieber nicht|lieber doch nicht|noch nicht|nein warte|vergiss es|vergiss das|vergessen sie es"
    "|vergessen sie das|streich das|streiche das|ignoriere das|ignorier das|ignorieren sie das"
    "|ich muss noch überlegen|ich muss überlegen|lass mich überlegen|lass mich nachdenken"
    "|lass mich noch überlegen|ich überlege noch|ich überlege es mir noch|ich muss noch nachdenken"
    "|kommando zurück|zurück|nehme ich zurück|ich nehme das zurück|ich nehme es zurück|das nehme ich zurück"
    "|abbrechen|quatsch|ach nein|war ein fehler|das war ein fehler|egal|attends|attendez|attends un peu"
    "|un moment|un instant|pas encore|oublie|oublie ça|oubliez|oubliez ça|laisse tomber|annule|annule ça"
    "|annulez|annuler|non attends|laisse-moi réfléchir|laissez-moi réfléchir|je dois réfléchir"
    "|je réfléchis encore|ignore ça|ignorez ça|je retire|je retire mon coup|finalement non|plutôt pas"
    "|je me suis trompé|je me suis trompée|espera|espere|espera un momento|un momento|todavía no|aún no"
    "|olvídalo|olvida eso|olvídelo|cancela|cancela eso|cancelar|mejor no|déjame pensar|déjeme pensar"
    "|tengo que pensar|tengo que pensarlo|lo estoy pensando|ignora eso|retiro eso|retiro mi jugada|no espera"
    "|me equivoqué|aspetta|aspetti|aspetta un attimo|un attimo|non ancora|lascia perdere|lasci perdere|annulla"
    "|dimentica|dimenticalo|lasciami pensare|mi lasci pensare|devo pensare|devo pensarci|ci devo pensare"
    "|ci penso|meglio di no|anzi no|no aspetta|ritiro|mi sono sbagliato|mi sono sbagliata|ignora|wacht"
    "|wacht even|even wachten|momentje|een moment|nog niet|laat maar|vergeet het|vergeet dat|toch niet"
    "|liever niet|nee wacht|laat me nadenken|laat me even nadenken|ik moet nadenken|ik moet nog nadenken"
    "|annuleer|ik neem het terug|negeer dat|czekaj|poczekaj|zaczekaj|chwileczkę|chwila|moment|jeszcze nie"
    "|nieważne|zapomnij|zapomnij o tym|anuluj|cofam|cofnij|jednak nie|nie czekaj|muszę pomyśleć"
    "|muszę się zastanowić|daj mi pomyśleć|pomyłka|espera aí|espere|um momento|ainda não|esquece|esqueça"
    "|esquece isso|cancela isso|deixa pra lá|deixa para lá|melhor não|deixa-me pensar|deixe-me pensar"
    "|preciso pensar|preciso de pensar|vou pensar|não espera|ignora isso|vänta|vänta lite|ett ögonblick|inte än"
    "|inte ännu|glöm det|strunt i det|avbryt|låt mig tänka|jag måste tänka|jag ångrar mig|nej vänta|hellre inte"
    "|vent|vent litt|vent lidt|ikke ennå|ikke endnu|glem det|ikke alligevel|la meg tenke|lad mig tænke"
    "|jeg må tenke|jeg må tænke|avbryt det|nei vent|nej vent|et øyeblikk|et øjeblik|počkej|počkejte"
    "|moment prosím|ještě ne|zapomeň na to|zapomeňte na to|nech to být|nechte to být|zruš to|zrušit|raději ne"
    "|ne počkej|musím přemýšlet|musím si to rozmyslet|nechte mě přemýšlet|beru zpět|beru to zpět|odota"
    "|odota hetki|hetkinen|ei vielä|unohda|unohda se|peru|peruuta|anna kun mietin|pitää miettiä|ei sittenkään"
    "|подожди|подождите|погоди|погодите|стой|минутку|секунду|ещё нет|пока нет|забудь|забудьте|забудь это|отмена"
    "|отмени|отменить|отмените|неважно|не надо|дай подумать|дайте подумать|надо подумать|мне надо подумать"
    "|я передумал|я передумала|передумал|передумала|лучше не надо|беру назад|нет подожди|я ещё думаю|зачекай"
    "|зачекайте|ще ні|забудь про це|скасувати|várj|várjon|még ne|mégsem|felejtsd el|hagyd gondolkodom|bekle"
    "|henüz değil|boş ver|unut gitsin|vazgeçtim|iptal|așteaptă|încă nu|lasă|las-o baltă|anulează|περίμενε"
    "|όχι ακόμα|ξέχνα το|άκυρο|待って|ちょっと待って|まだ|やめます|やめた|取り消し|取り消します|等等|等一下"
    "|先等等|算了|取消|还没|撤回|잠깐|잠깐만|잠깐만요|아직|취소|취소할게요"
)
"""What takes back all that stands above it, where it is a clause by itself."""

BESIDE_WITHDRAWN = COURTESY | frozenset(
    "longer some about actually oh ah ach hm hmm hmmm um er no nope sorry oops ooops "  # noqa: SIM905
    "whoops ups oups well ok okay and but so just please now again yet for hey "
    "that's wait better i'd a bit little more first it this all mate friend folks bitte "
    "nein doch mal noch ja aber also tut mir leid sorry entschuldigung non s'il te plaît "
    "vous désolé désolée por favor no perdón mejor per scusa scusi nee toch even graag "
    "proszę nie przepraszam desculpe desculpa não nej nei tack förlåt prosím ne promiň "
    "нет извини извините пожалуйста ой anteeksi ei".split()
)
"""What may stand beside that."""

HELD = phrases(
    "don't play this|don't play it|don't play that|don't play yet|don't play my|do not play this|do not play it"
    "|do not play that|do not play yet|do not play my|dont play this|dont play it|dont play yet|not play this"
    "|not play it yet|don't make this move|don't make that move|do not make this move|don't make the move"
    "|don't move yet|do not move yet|don't send this|don't send it|do not send this|do not send it|don't submit"
    "|do not submit|don't do this yet|don't do it yet|don't do that yet|don't count this|do not count this"
    "|not my move yet|not my final move|isn't my move|is not my move|this is not a move|this isn't a move"
    "|this is no move|no move yet|don't execute|do not execute|ignore this mail|ignore this email"
    "|ignore this message|ignore the move|ignore my move|ignore this move|only a draft|just a draft"
    "|nicht spielen|noch nicht ziehen|nicht ziehen|nicht ausführen|nicht abschicken|nicht senden"
    "|spiel das nicht|spiel das noch nicht|spielen sie das nicht|spielen sie das noch nicht|kein zug"
    "|nur ein entwurf|ne joue pas ça|ne joue pas encore|ne jouez pas encore|ne jouez pas ça|ne pas jouer"
    "|pas encore jouer|n'envoie pas|n'envoyez pas|no lo juegues|no juegues|no juegue|no jugar|no lo juegue"
    "|no lo envíes|todavía no juegues|non giocare|non giocarla|non giocarlo|non giocate|non muovere|niet spelen"
    "|nog niet spelen|speel dit niet|speel dit nog niet|niet zetten|niet versturen|nie graj|nie graj tego"
    "|nie zagrywaj|nie wysyłaj|não jogue|não jogues|não joga|não jogar|não envie|spela inte|inte spela|spill ikke"
    "|ikke spill|spil ikke|ikke spil|ikke spille|nehraj|nehraj to|nehrajte|nehrát|netahej|не играй|не играйте"
    "|не ходи|не ходите|не делай|не делайте|не посылай|не отправляй|älä pelaa|älkää pelatko|не грай|ne játszd"
    "|oynama|nu juca|まだ打たないで|打たないで|先别下|别下|不要下|두지 마"
)
"""What says that a move beside it, above or below, is not to be played, whatever else is said."""

DENYING = phrases(
    "not|never|don't|dont|didn't|won't|wouldn't|shouldn't|can't|cannot|isn't|wasn't|no|nor|neither|without"
    "|except|except for|avoid|avoiding|refuse|refuse to|hate|instead of|rather than|other than|anything but"
    "|everything but|all but|any but|anywhere but|forget|ignore|scrap|cancel|nicht|kein|keine|keinen"
    "|keinesfalls|nie|niemals|nimmer|außer|ohne|statt|alles außer|pas|jamais|sauf|sans|excepté|tout sauf"
    "|au lieu de|no|nunca|jamás|menos|excepto|salvo|todo menos|en vez de|non|mai|tranne|eccetto|salvo|invece di"
    "|tutto tranne|niet|nooit|geen|behalve|zonder|nie|nigdy|oprócz|zamiast|não|nunca|jamais|exceto|menos"
    "|em vez de|inte|aldrig|utom|utan|istället för|ikke|aldri|undtatt|unntatt|undtagen|i stedet for|ne|nikdy"
    "|kromě|místo|nehraju|не|никогда|кроме|вместо|ні|ніколи|крім|ei|en|en koskaan|koskaan|paitsi|nem|soha"
    "|kivéve|hayır|asla|hariç|nu|niciodată|όχι|ποτέ"
)
"""What says, before a move in its clause, that this is not the move."""

BUT = frozenset(
    {"but", "sondern", "sino", "ma", "mais", "maar", "ale", "lecz", "mas", "men", "но", "а", "mutta", "hanem"}
)
"""Behind what is denied, what tells the move that is meant."""

NEVER_BUT = frozenset({"all", "any", "anything", "anywhere", "everything", "everywhere", "nothing"})
"""Before `but`, what makes it another word."""
