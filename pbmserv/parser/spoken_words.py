"""The closed list of words that may stand around a move in a line that says this move and nothing else.

It holds what people of many languages write before a move (`I play`), and what is no part of it (`hi`, `thanks`).
Whatever is not listed makes the line words, since it might deny the move, doubt it, or talk about it.
"""

from typing import Final

from pbmserv.commands.vocabulary import COURTESY, SMALL_WORDS
from pbmserv.parser.correcting_words import BEFORE, DROPPING, phrases
from pbmserv.parser.words import LABELS, NEGATIONS

Phrase = tuple[str, ...]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_NEEDING_COLONS = phrases(
    "answer|my answer|reply|my reply|antwort|meine antwort|réponse|ma réponse|respuesta|risposta|antwoord"
    "|svar|mitt svar|mit svar|resposta|odpowiedź|odpověď|vastaus|ответ"
)
"""Labels that say too little where no colon stands behind them."""

LEADS: Final = (phrases("|".join(LABELS)) - _NEEDING_COLONS) | phrases(
    "move|my move is|my next move|my next move is|my answer is|my choice|my choice is|my reply is|play"
    "|please play|playing|i'm playing|i am playing|i'll play|i will play|i shall play|so i play|i go|i'll go"
    "|i will go|i'm going|i go with|i'll go with|i go for|i'll go for|i'm going with|i'm going for|going with"
    "|i choose|i'll choose|i pick|i'll pick|i take|i'll take|i'll try|i try|let's try|let's play|let's go"
    "|let's go with|let me play|let me try|i'd like to play|i would like to play|i want to play|i'd like"
    "|i think i'll play|i think i'll go|i think i'll go with|i guess i'll play|i place|i'll place|i place at"
    "|i'll place at|and i play|here is my move|here's my move|now i play|now i'll play|mein zug ist"
    "|mein nächster zug|mein nächster zug ist|ich nehme|ich wähle|ich setze|ich setze auf|ich lege"
    "|ich werde spielen|ich möchte spielen|jetzt spiele ich|spiele|meine wahl"
    "|ich versuche|ich probiere|hier mein zug|mon coup est|mon prochain coup|je joue en|je vais jouer"
    "|je prends|je choisis|je place|je pose|je place en|je tente|j'essaie|voici mon coup"
    "|moi je joue|juego en|yo juego|mi jugada es|mi movimiento es|mi próxima jugada es|elijo|voy a jugar"
    "|voy con|pongo en|juego a|pruebo|mi respuesta es|gioco in|io gioco|la mia mossa è|mia mossa è|scelgo"
    "|vado con|metto in|provo|mijn zet is|ik zet|ik kies|ik neem|ik ga voor|ik ga met|ik probeer"
    "|ik doe|ik plaats|mój ruch to|ruch to|zagram|wybieram|stawiam|stawiam na|biorę|próbuję|eu jogo"
    "|jogo em|vou jogar|vou de|minha jogada é|meu lance é|escolho|a minha jogada é|a minha jogada"
    "|mitt drag är|jag väljer|jag tar|jag lägger|jag sätter|jag kör|mit træk er|jeg vælger|jeg tager"
    "|mitt trekk er|jeg velger|jeg prøver|můj tah je|zahraju|táhnu|volím|beru|hraju na|zkusím|môj ťah"
    "|môj ťah je|hrám|siirtoni on|minä pelaan|valitsen|otan|я хожу|мой ход это|играю|я играю|выбираю"
    "|ставлю|ставлю на|ходжу|я ходжу|граю|я граю|a lépésem|lépek|én lépésem|oynuyorum|mutarea mea este|joc"
    "|mut|παίζω|η κίνησή μου|η κίνησή μου είναι|igram|moj potez|moj potez je|мой ход -"
    "|我下|我走|下|走|我的棋|打|私の手は|次の手は|둡니다|제 수는"
)
"""What says, right before a move, that it is played."""

OPENING: Final = phrases("ok|okay|k|alright|all right|d'accord|rendben|tamam|εντάξει|ладно|好的|はい|네")
"""What may stand before it, with or without a comma."""

ALWAYS: Final = phrases(
    "then|now|please|pls|plz|bitte|dann|jetzt|alors|maintenant|por favor|entonces|ahora|per favore|allora"
    "|adesso|dan|alsjeblieft|alstublieft|aub|teraz|proszę|agora|então|nu|då|så|teď|prosím|nyt|тогда"
    "|пожалуйста|s'il te plaît|s'il vous plaît|svp|stp"
)
"""What may stand before it and behind it, with or without a comma."""

WEAK: Final = phrases(
    "yes|yep|yeah|ja|oui|sí|sì|tak|sim|jo|joo|ano|да|well|so|tja|nun|also|also gut|ben|bueno|nou|no to"
    "|fine|gut|na gut|bon|vale|va bene|goed|prima|dobrze|está bem|bra|dobře|hyvä|no niin|хорошо|dobro|好|moi"
)
"""What may stand before it where a lead says that the move is played; alone it may be an answer to the others."""

GREETINGS: Final = _words(
    "hi hello hey hiya greetings howdy hallo halló hej hei hoi dag moin servus grüezi bonjour salut "
    "coucou hola buenas ciao salve cześć hejka witaj olá oi tjena ahoj zdravím čau terve moi привет "
    "здравствуй здравствуйте привіт szia sziasztok merhaba γεια bok zdravo"
)
"""Words behind which people may be named."""

DEAR: Final = _words(
    "dear lieber liebe cher chère querido querida caro cara beste drogi droga kära kære kjære milý milá "
    "дорогой дорогая"
)
"""Words behind which they must be: `lieber e5` is another thing."""

NAMED_AFTER: Final = frozenset({"there", "all", "again", "everyone", "everybody", "my", "friend", "sir", "madam"})
"""What may be said for a name, though it is none."""

ASIDE: Final = phrases(
    "thanks|thank you|thx|ta|cheers|many thanks|thanks a lot|thanks again|thank you very much|thank you so much"
    "|thanks for the game|thank you for the game|thanks for waiting|thanks for playing|thanks for your patience"
    "|good morning|good afternoon|good evening|good day|good night|morning|evening|good luck|have fun"
    "|happy new year|merry christmas|hope you are well|hope you're well|i hope you are well|i hope you're well"
    "|how are you|nice to meet you|sorry for the delay|sorry for the wait|sorry for being late"
    "|sorry for the late reply|sorry i'm late|danke|vielen dank|danke schön|danke dir|herzlichen dank"
    "|besten dank|danke für das spiel|guten tag|guten morgen|guten abend|gute nacht|grüß gott|grüß dich"
    "|viel glück|viel spaß|viel erfolg|merci|merci beaucoup|merci bien|bonsoir|bonne nuit|bonne chance"
    "|bonne partie|bonne année|gracias|muchas gracias|buenos días|buenas tardes|buenas noches|buena suerte"
    "|suerte|grazie|grazie mille|molte grazie|buongiorno|buonasera|buona sera|buona fortuna|in bocca al lupo"
    "|dank je|dank u|dankjewel|bedankt|dank je wel|goedemorgen|goedemiddag|goedenavond|succes|veel plezier"
    "|hartelijk dank|dziękuję|dzięki|dziękuję bardzo|wielkie dzięki|dzień dobry|dobry wieczór|dobry|powodzenia"
    "|obrigado|obrigada|muito obrigado|muito obrigada|bom dia|boa tarde|boa noite|boa sorte|tack|tack så mycket"
    "|god morgon|god kväll|god dag|lycka till|tak|tusen takk|takk|mange tak|god dag|held og lykke|lykke til"
    "|díky|děkuji|děkuju|ďakujem|dobrý den|dobré ráno|dobrý večer|hodně štěstí|kiitos|kiitti|hyvää päivää|onnea"
    "|спасибо|большое спасибо|добрый день|доброе утро|добрый вечер|удачи|дякую|добрий день|köszönöm|köszi"
    "|jó napot|teşekkürler|sağ ol|mulțumesc|ευχαριστώ|καλημέρα|hvala|谢谢|謝謝|你好|您好|ありがとう"
    "|ありがとうございます|こんにちは|お願いします|감사합니다|안녕하세요|고마워"
)
"""What people say beside a move, parted from it by a comma if it stands before."""

BEHIND: Final = phrases(
    "then|it is|it'll be|it will be|it shall be|for me|this time|is my move|is my choice|is my answer"
    "|is what i play|your turn|your move|over to you|you're up|you are up|now it's your turn|it's your turn"
    "|your go|regards|best regards|kind regards|warm regards|best wishes|all the best|greetings|bye|bye bye"
    "|see you|see you soon|take care|have a nice day|have a good day|have a great day|have a nice weekend"
    "|have a good weekend|have a nice evening|good game|nice game|great game|lovely game|fun game|i play"
    "|i'll play|du bist dran|sie sind dran|dein zug|du bist am zug|ist mein zug|spiele ich|nehme ich|gruß"
    "|grüße|viele grüße|liebe grüße|schöne grüße|beste grüße|herzliche grüße|mit freundlichen grüßen|lg|vg"
    "|mfg|bis bald|bis dann|tschüss|tschüß|schönen tag|schönen tag noch|schönen abend|schönes wochenende"
    "|ein schönes wochenende|à toi|à vous|à toi de jouer|c'est à toi|à vous de jouer|cordialement|amicalement"
    "|bien à toi|bises|à bientôt|à plus|bonne journée|bonne soirée|bon week-end|est mon coup|c'est mon coup"
    "|au revoir|te toca|tu turno|es tu turno|es mi jugada|saludos|un saludo|un abrazo|hasta luego"
    "|hasta pronto|buen día|tocca a te|a te|è la mia mossa|saluti|cordiali saluti|un saluto|a presto"
    "|buona giornata|buona serata|arrivederci|jij bent|jouw beurt|jij bent aan zet|is mijn zet|groet|groeten"
    "|groetjes|mvg|met vriendelijke groet|tot ziens|fijne dag|fijne avond|twoja kolej|twój ruch|to mój ruch"
    "|pozdrawiam|pozdrowienia|do zobaczenia|miłego dnia|sua vez|tua vez|é a sua vez|é a minha jogada|abraço"
    "|abraços|um abraço|até logo|bom jogo|bom fim de semana|din tur|är mitt drag|hälsningar"
    "|vänliga hälsningar|mvh|ha det bra|hej då|er mit træk|venlig hilsen|hilsen|med venlig hilsen"
    "|med vennlig hilsen|ha en fin dag|jsi na tahu|je můj tah|zdraví|s pozdravem|hezký den|pěkný den|měj se"
    "|sinun vuorosi|terveisin|твой ход|ваш ход|всего доброго|с уважением|пока|хорошего дня|üdv|üdvözlettel"
    "|sıra sende|görüşürüz|salutări|χαιρετισμούς|pozdrav|です|でお願いします|を打ちます|을 둡니다|입니다"
)
"""What people write behind it."""

NAMED_BEFORE: Final = _words(
    "luck glück saluto salutation thanks thank you cheers regards best wishes greetings grüße gruß lg vg "
    "mfg danke merci cordialement amicalement bises saludos saludo abrazo gracias saluti grazie groet "
    "groeten groetjes mvg bedankt pozdrawiam pozdrowienia dziękuję dzięki abraço abraços obrigado "
    "obrigada hälsningar mvh tack hilsen tak takk zdraví pozdravem díky děkuji terveisin kiitos спасибо "
    "уважением bye ciao"
)
"""Words behind which a line may end in the name of who writes, or of who is thanked."""

UNDECIDED: Final = phrases(
    "or|or maybe|or perhaps|or else|maybe|perhaps|either|probably|possibly|i think|i guess|i suppose|hm|hmm"
    "|hmmm|um|er|not sure|i am not sure|i'm not sure|i don't know|which is better|what about|how about|and"
    "|but|no|not|oder|oder vielleicht|vielleicht|entweder|wohl|ich glaube|ich denke|bin nicht sicher|ou"
    "|ou bien|ou peut-être|peut-être|je pense|je crois|soit|o|o quizás|quizás|quizá|tal vez|creo|oppure"
    "|o forse|forse|penso|credo|of|of misschien|misschien|ik denk|lub|albo|może|a może|chyba|ou talvez|talvez"
    "|acho|eller|eller kanske|kanske|kanskje|måske|jag tror|nebo|anebo|možná|asi|snad|tai|ehkä|или|может"
    "|может быть|або|vagy|talán|veya|belki|sau|poate|ή|ili|možda|或|或者|か|또는"
)
"""What leaves open which of several moves is meant; where such words stand, one is only asked."""

NO_NAMES: Final = (
    SMALL_WORDS
    | NEGATIONS
    | COURTESY
    | DROPPING
    | {phrase[0] for phrase in UNDECIDED | BEFORE if len(phrase) == 1}
    | _words(
        "nicht kein pas jamais nunca non mai niet nooit nie inte aldrig ikke não ei не ні ne nem not never no "
        "don't why was would should if maybe perhaps because after before instead played better unless warum "
        "vielleicht wenn hätte statt pourquoi peut-être si quizás porque forse perché misschien waarom kanske "
        "varför może dlaczego gdyby nikdy možná proč никогда может почему если talvez måske hvorfor ehkä "
        "miksi where wo où dónde dove waar var gdzie kde где when wann quand cuándo quando wanneer när kiedy "
        "kdy когда"
    )
) - NAMED_AFTER
"""Nobody is called so: words that deny a move, doubt it, or make a sentence."""

CONDITIONAL: Final = _words(
    "if when unless wenn falls quand lorsque si cuando se quando als wanneer jeśli gdy om når hvis když "
    "jestli pokud jos если когда якщо ha ak keď dacă eğer jika ako sobald falls after"
)
"""Below a sentence that begins so, a move may be one that is only planned."""

SUPPOSING: Final = _words(
    "case should suppose supposing assuming once whenever provided premove sollte angenommen supposons supongamos "
    "bei auf gegen sur contre contra contro tegen mot proti przeciw против на against "
    "caso cas fall conditionally cond "
    "如果 要是 若 もし なら 만약"
)
"""What makes a condition only where moves stand beside it."""

CONSEQUENCE: Final = _words(
    "then > dann puis alors entonces luego poi allora dan toen wtedy to então depois så da pak potom tak niin "
    "sitten тогда то akkor atunci zaman next thereafter danach ensuite después dopo daarna potem"
)
"""What stands between a condition and what is played then."""

ALTERNATIVES: Final = _words(
    "or else otherwise oder sonst ou sinon o oppure of anders lub albo eller nebo tai или"
)
"""What stands between two cases."""

IN_PLANS: Final = _words(
    "and & + you your he she his her they reply replies answer answers plays takes captures goes moves move "
    "check mate resign queue plan plans planned idea line conditional premove follow followed by on with against "
    "again back bishop knight rook queen king pawn castle castles castle's castling und y e et en i och og a ja и "
    "du dein sie er er's spielst spielt ziehst zieht nimmst antworte tu vous il elle joues jouez joue réponds "
    "juegas juega tú usted él respondo giochi gioca lui lei rispondo jij je u hij speelt speel antwoord ty on "
    "grasz zagrasz gra odpowiadam você ele joga respondo du han hon spelar svarar hraješ hraje odpovím zahraješ "
    "hráš folgt kommt folge komme suit viene segue ready ty вы он она ты ходишь сыграешь сыграю отвечаю"
)
"""What may stand beside the moves of a plan, where nothing else does."""

PASSWORDS: Final = (
    "pass ?word|passwd|pw|pass ?phrase|passwort|kennwort|mot de passe|contraseña|clave|wachtwoord|hasło|senha"
    "|lösenord|adgangskode|passord|heslo|salasana|пароль|jelszó|şifre|parola"
)
"""How a password is called."""
