"""What people ask in other languages than English: a handful of phrases for each of the topics that matter most.

They are written as in `topics_english`, but with no other sign than `=`.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

ABROAD: Final[Mapping[str, str]] = MappingProxyType(
    {
        "stop": """
            =stopp, =halt, =schluss, =aufhören, =abmelden, abbestellen, austragen, keine mails mehr,
            mich aus abmelden, tragen sie mich aus,
            keine mail mehr, keine e mails mehr, keine emails mehr, keine nachrichten mehr, aufhören zu spielen,
            nicht mehr spielen, =arrêter, =arrêtez, =stopper, désabonner, désinscrire, désinscription,
            plus de mails, plus de courriels, ne plus recevoir, arrêter de jouer, plus jouer, =parar, =basta,
            =baja, =cancelar, darme de baja, dar de baja, no más correos, no más mensajes, dejen de enviar,
            deje de enviar, dejar de jugar, no quiero jugar, no quiero más, disiscrivermi, cancellarmi,
            cancellami, disiscrizione, annulla iscrizione, niente più mail, smettere di giocare, smettetela,
            non voglio più, afmelden, uitschrijven, geen mails meer, geen mail meer, geen e mails meer,
            niet meer spelen, stoppen met, wypisz, wypisać, rezygnuję z, nie chcę więcej, proszę przestać,
            nie przysyłajcie, przestań, koniec z mailami, cancelar inscrição, descadastrar, remover meu,
            pare de enviar, parem de enviar, não quero mais, parar de jogar, sair da lista, avregistrera,
            avsluta prenumeration, sluta skicka, inga fler mejl, inga mer mejl, inga fler mail, sluta spela,
            inte spela mer, odhlásit, neposílejte, už nechci, přestaňte, nechci hrát, zrušit odběr, =стоп,
            отписаться, отпишите, отписка, не присылайте, хватит писать, больше не пишите, не хочу играть,
            прекратите, leiratkozás, peruuta tilaus, lopeta, frameld, afmeld, meld meg av, aboneliği iptal,
            auf mir zu schreiben, schreib mir nicht mehr, schreibt mir nicht mehr, schreiben sie mir nicht,
            schreiben sie mir nicht mehr, lassen sie mich in ruhe, lass mich in ruhe, arrêtez de m écrire,
            arrêtez de mécrire, arrête de m écrire, ne m écrivez plus, ne mécrivez plus,
            laissez moi tranquille, dejen de escribirme, deje de escribirme, deja de escribirme,
            no me escriban, no me escriba, no me escribas, déjenme en paz, smettete di scrivermi,
            smetta di scrivermi, smettila di scrivermi, non scrivetemi, non scrivermi, lasciatemi in pace,
            stop met schrijven, stop met mij te schrijven, hou op met schrijven, schrijf me niet meer,
            schrijf mij niet meer, laat me met rust, przestańcie do mnie pisać, przestań do mnie pisać,
            nie piszcie do mnie, nie pisz do mnie, dajcie mi spokój, parem de me escrever, pare de me escrever,
            não me escrevam, não me escreva, deixem me em paz, sluta skriva till mig, skriv inte till mig,
            lämna mig i fred, přestaňte mi psát, nepište mi, nechte mě být, перестаньте мне писать,
            перестань мне писать, не пишите мне, не пиши мне, хватит мне писать, оставьте меня в покое,
            älkää kirjoittako minulle, älä kirjoita minulle, hold op med at skrive til mig, skriv ikke til mig,
            slutt å skrive til meg, ikke skriv til meg, ne írjanak nekem, ne írj nekem, bana yazmayın,
            bana yazma,
        """,
        "resign": """
            wie gebe ich auf, ich gebe auf, aufgeben, =aufgabe, j abandonne, jabandonne, abandonner, me rindo,
            rendirme, mi arrendo, abbandono, arrendersi, ik geef op, ik geef het op, opgeven, poddaję się,
            poddaje partię, desisto, jeg gir opp, jag ger upp, ge upp, vzdávám, сдаюсь, сдаться, luovutan,
            feladom,
        """,
        "rules": """
            =regeln, spielregeln, die regeln, welche regeln, wie sind die regeln, =règles, les règles,
            règle du jeu, règles du jeu, =reglas, las reglas, qué reglas, =regole, le regole, =regels,
            spelregels, de regels, =zasady, zasady gry, jakie są zasady, =regras, as regras, =regler, reglerna,
            spelregler, =pravidla, jaká jsou pravidla, pravidla hry, правила, правила игры, какие правила,
            wie spielt man, comment on joue, comment joue t on, cómo se juega, come si gioca, hoe speel je,
            hoe speelt men, jak się gra, como se joga, hur spelar man, jak se hraje, как играть, säännöt,
            szabályok,
        """,
        "capture": """
            wie schlage ich, wie schlägt man, wann schlage ich, comment capturer, comment prendre, cómo capturo,
            cómo se captura, come si cattura, come catturo, hoe sla ik, hoe slaat men, hoe kan ik slaan, jak bić,
            jak się bije, como capturo, hur slår man, jak beru, jak se bere, как бить, как брать,
        """,
        "turn": """
            wer ist dran, wer ist am zug, bin ich dran, bin ich am zug, à qui le tour, à qui de jouer,
            c est à moi, cest à moi, a quién le toca, de quién es el turno, es mi turno, me toca,
            di chi è il turno, a chi tocca, tocca a me, wie is er aan de beurt, wie is aan zet,
            ben ik aan de beurt, ben ik aan zet, czyj ruch, czyja kolej, moja kolej, de quem é a vez,
            é a minha vez, vems tur, är det min tur, kdo je na tahu, kdo je na řadě, jsem na tahu, чей ход,
            кто ходит, мой ход,
        """,
        "time": """
            wie lange habe ich, wie viel zeit, wieviel zeit, bis wann, combien de temps, quel délai,
            cuánto tiempo, quanto tempo, hoe lang heb ik, hoeveel tijd, ile mam czasu, ile czasu, hur lång tid,
            hur länge, kolik mám času, kolik času, сколько времени, сколько у меня,
        """,
        "away": """
            im urlaub, in urlaub, bin verreist, en vacances, de vacaciones, in vacanza, in ferie, op vakantie,
            met vakantie, na urlopie, na wakacjach, de férias, em férias, på semester, na dovolené, в отпуске,
            в отпуск,
        """,
        "move": """
            wie ziehe ich, wie mache ich einen zug, wie schreibe ich einen zug, was muss ich tun,
            was soll ich tun, comment jouer un coup, comment jouer, comment faire un coup, que dois je faire,
            cómo muevo, cómo hago una jugada, qué tengo que hacer, qué debo hacer, come muovo,
            come faccio una mossa, che devo fare, cosa devo fare, hoe doe ik een zet, hoe moet ik zetten,
            wat moet ik doen, jak wykonać ruch, co mam robić, jak zrobić ruch, como jogo, como faço uma jogada,
            o que devo fazer, hur drar jag, hur gör jag ett drag, vad ska jag göra, jak táhnu, jak mám táhnout,
            co mám dělat, как ходить, как сделать ход, что делать,
        """,
        "hint": """
            =tipp, einen tipp, un indice, un conseil, una pista, un consejo, un suggerimento, een tip,
            podpowiedź, uma dica, ett tips, nápověda, nápovědu, подсказка, подсказку,
        """,
        "undo": """
            zug zurücknehmen, zurücknehmen, vertippt, verklickt, annuler mon coup, reprendre mon coup,
            me suis trompé, deshacer, me equivoqué, annullare la mossa, ho sbagliato, zet terugnemen, vergissing,
            cofnąć ruch, pomyliłem, desfazer, me enganei, ångra, skrev fel, vzít tah zpět, spletl jsem se,
            взять ход назад, я ошибся,
        """,
        "newgame": """
            neues spiel, noch ein spiel, neue partie, noch eine partie, gegner finden, nouvelle partie,
            une autre partie, otra partida, nueva partida, jugar otra vez, nuova partita, un altra partita,
            unaltra partita, nieuw spel, nog een spel, nog een partij, nowa gra, nową grę, jeszcze jedna partia,
            novo jogo, nova partida, outra partida, nytt spel, ett parti till, nová hra, novou hru,
            ještě jednu partii, новая игра, новую игру, ещё партию,
        """,
        "password": """
            passwort vergessen, mein passwort, mot de passe, contraseña, wachtwoord, hasło, hasła, senha,
            lösenord, heslo, пароль,
        """,
        "who": """
            wer bist du, wer sind sie, was ist das, wer schreibt mir, woher haben sie meine, qui êtes vous,
            qui es tu, c est quoi, cest quoi, quién eres, quién es usted, quiénes son, qué es esto, chi sei,
            chi siete, cos è questo, cosè questo, wie ben je, wie bent u, wat is dit, kim jesteś, kto to jest,
            co to jest, quem é você, quem és, o que é isto, o que é isso, vem är du, vad är det här, kdo jsi,
            kdo jste, co to je, кто ты, кто вы, что это,
        """,
        "help": """
            =hilfe, brauche hilfe, hilfe bitte, wie funktioniert das, wie geht das, verstehe nicht,
            verstehe das nicht, verstehe nichts, keine ahnung, =aide, =aidez moi, à l aide, besoin d aide,
            besoin daide, comment ça marche, comment ca fonctionne, je ne comprends pas, je ne comprends rien,
            =ayuda, necesito ayuda, ayúdame, cómo funciona, no entiendo, =aiuto, come funziona, non capisco,
            ho bisogno di aiuto, =hulp, help me alsjeblieft, hoe werkt dit, hoe werkt het, ik begrijp het niet,
            ik snap het niet, =pomoc, =pomocy, jak to działa, nie rozumiem, =ajuda, preciso de ajuda,
            como funciona, não entendo, não entendi, não percebo, =hjälp, hur fungerar det, hur funkar det,
            förstår inte, =pomoc prosím, =nápověda prosím, jak to funguje, nerozumím, =помощь, =помогите,
            нужна помощь, как это работает, не понимаю, =apua, =segítség, =yardım, =hjelp, =hjælp,
        """,
        "thanks": """
            danke, vielen dank, merci, merci beaucoup, gracias, muchas gracias, grazie, grazie mille, bedankt,
            dank je, dank u, dziękuję, dzięki, obrigado, obrigada, tack, tack så mycket, děkuji, děkuju, díky,
            спасибо, takk, tak for, kiitos, köszönöm, teşekkürler, ευχαριστώ,
        """,
        "hello": """
            hallo, guten tag, guten morgen, guten abend, grüß gott, moin, servus, bonjour, bonsoir, salut, hola,
            buenos días, buenas tardes, buenas noches, ciao, buongiorno, buonasera, salve, goedendag,
            goedemorgen, hoi, dzień dobry, cześć, witam, olá, bom dia, boa tarde, oi, hej, hejsan, god dag,
            god morgon, ahoj, dobrý den, здравствуйте, привет, добрый день, moi, szia, merhaba,
        """,
        "sorry": """
            entschuldigung, tut mir leid, désolé, désolée, pardon, lo siento, perdón, scusa, scusate,
            mi dispiace, sorry hoor, przepraszam, desculpe, desculpa, förlåt, ursäkta, promiňte, omlouvám se,
            извините, простите,
        """,
    }
)
"""The phrases of a topic: German, French, Spanish, Italian, Dutch, Polish, Portuguese, Swedish, Czech, Russian,
and a few words of others."""
