"""What people ask in English, by topic: the phrases that `topics` looks for, separated by commas.

In a phrase `_` is up to three words, `*` the rest of a word, `(a|b)` either, and `(a )?` may be left out. One that
begins with `=` must be all that a mail says.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

ASKED: Final[Mapping[str, str]] = MappingProxyType(
    {
        "stop": """
            =stop, =quit, =exit, =end, =enough, =cancel, =unsubscribe, =remove, =opt out, =stop it,
            stop (sending|mailing|emailing|writing|spamming|bothering),
            stop _ (mail|mails|email|emails|messages), unsubscribe, remove me, (take|get) me off,
            off (your|this|the) (mailing )?list, opt me out, (remove|delete) _ from (your|the|this) _ list,
            (no|any|get|want|receive) more (mail|mails|email|emails|messages) _ from you,
            no more (mail|mails|email|emails), (dont|do not) (want|wish) _ (mail|mails|email|emails|messages),
            leave me alone, (dont|do not) write (to )?me, (stop|quit|no more) (contacting|messaging|texting) me,
            (cease|stop) (all )?(contact|correspondence),
            (too many|so many|too much|fewer|less) (mail|mails|email|emails|messages), this is spam, =spam,
            i (want|wish|would like|need|have) to (stop|quit|leave), i (dont|do not) (want|wish) (to )?play*,
            (dont|do not) want to (play|go on|continue), how (do|can) i (stop|quit|leave|unsubscribe|get out),
            i quit, i am done, im done, (delete|close|cancel|remove) my account,
            (delete|close|cancel) (the|this|an) account,
            (turn|switch) off _ (mail|mails|email|emails|notifications),
        """,
        "resign": """
            how (do|can|could|would) (i|one|you|we) (resign|give up|concede|forfeit|surrender|end
            (the|this|my) game),
            (to|can i|may i|i want to|like to|ill|i will|should i|i) (give up|concede|forfeit|surrender|resign),
            =resign, =concede, =surrender, =i lost, =you win, =you won, =i lose, i am lost,
            what happens if i resign, (end|abort|abandon|finish|cancel) (the|this|my|our) (game|match|board),
        """,
        "rules": """
            =rules, =rule, =the rules, =what are the rules,
            (explain|know|see|read|send|show|understand|learn|find|remember) _ rules, what are the rules,
            where (are|can|do) _ rules, rules (of|for) (the|this) game, rules please, (forgot|forgotten) _ rules,
            how (do|does) (you|one|i|we) win, how (is|do) _ (won|scored|scoring),
            how does _ (game|scoring) (work|end), (dont|do not|not|didnt) (know|understand|get) _ (rules|game),
            how (is|do you|do i|do we|to) play* (this|the|it), what (is|are) _ (aim|goal|object|point) of,
            what counts, is it allowed, (am i|are we|is one) allowed, when (does|is) (the|this) game (end|over),
            why (is|was|cant|can not|cannot) _ (legal|illegal|allowed),
            what do the (numbers|brackets|signs|dice|pips|stars|dots) _ mean,
            what does _ (number|numbers|bracket|sign|star|dot|stars|dots) _ mean,
        """,
        "capture": """
            how _ captur*,
            how _ (take|taking|jump*|eat|kill) _
            (pieces|piece|dice|die|stones|stone|man|men|seeds|his|hers|theirs),
            (do|must|can|could|may|should|when) (i|you|one|we) (have to )?captur*, what (is|are|does) _ captur*,
            why (did|was|were|do|does|cant|cannot|could) _ captur*, =captur*, (is|are) captur*,
            captur* (work|works|rule|rules), (about|explain) captur*, when can i take,
            which _ (are|is|were|was) captured,
        """,
        "turn": """
            who* turn, who is turn, whose (move|go), is it (my|your|his|her) (turn|move|go),
            who (is|s) (to move|next|on|up|on turn), who (moves|plays|goes|begins|starts) (next|first|now),
            am i (next|on|up|to move), (is|isnt) it me, my turn, your turn, =next player, (waiting|wait) for me,
            what (is|s) (waiting|pending), who are we waiting for, which (boards|games) (are|wait),
            what (boards|games) (do i|am i),
        """,
        "time": """
            how (long|much time|many days) (do|does|have|has|is|will|can), =time, =time left, =how long,
            =deadline, (how much|any|enough) time, how long (i|we) (have|got), time (is )?left,
            (what|when) (is|s) (the|my) (deadline|time limit), run* out of time, time limit,
            when (do|must|should) i (move|answer|reply|play), (need|want|have) more time,
            (what happens|what if) _ (late|time|in time|too slow), lose on time, lost on time, the clock,
            by when, (be|being|am|was|is) too late, (go|went) too slow*,
        """,
        "away": """
            (on|going on|go on|my|a) (vacation|holiday|holidays|leave), be away, am away,
            (back|return) (on|in|next|after), (out of|without) (the )?(office|internet|town|email|mail),
            =vacation, =holiday, =holidays, =pause, pause (the|this|my|our) (game|clock|match),
            (can|could) (we|i|you) pause, (be|am|being|go|going) (in|into|to) (the )?hospital, =please pause,
            travel*ing,
        """,
        "move": """
            how (do|can|should|to|would|must) (i|you|one|we)? ?(make|send|enter|write|type|do|give)
            _ (move|moves|turn|play),
            how (to|do i|can i|should i|do you|does one) (move|play|go), =how, =move, =moves,
            what (do|should|can|must|shall) i (do|type|write|send|answer|reply), what now,
            (do i|should i) (click|reply|answer|type), (notation|coordinates),
            how (are|is) (a )?moves? (written|sent), what (do|should) i _ now,
            where (do|can|should) i (click|move|type|play),
            (dont|do not) know (how|what) to (move|do|play|answer), what (are|is) my (move|moves|options),
            possible moves, legal moves, did (you|he|she) get my (move|mail|answer|reply),
            (did|was) my move _ (arrive|count|work|received|played|accepted),
            (cant|cannot|can not|unable to|how do i) (make|enter|submit|send) _ move,
            my move (does not|doesnt|didnt|did not) work,
        """,
        "hint": """
            =hint, =hints, =a hint, (give|need|want|get|have|a|any) _ hint*, any (tips|ideas|advice|suggestions),
            what (would|should|do|could) (you|i) (play|move|suggest|recommend|do here|advise),
            what (is|s|would be) (the|a|my) (best|good|better) move, best move,
            (help|advise) me (to )?(choose|decide|think), suggest (a|some|something), (strategy|tactics),
            (can|could|may) i (try|test|look) _ (move|moves|first|ahead), =tip, =tips, =advice,
            what if i (play|move|go),
        """,
        "undo": """
            take (that|it|this|my (last )?move|my turn|(a|the) move) back, take back, takeback, undo,
            (made|was) a mistake, mistyped, typo, (wrong|stupid|bad) move,
            (meant|wanted) (to play|to move|another|something else), change my (move|mind),
            (can|could|may) i (undo|redo|correct|change), =oops, =mistake, =ooops,
            wrong (square|button|field|one),
        """,
        "draw": """
            (a|call it a|offer* a|offer|propose* a|agree* (to|on) a|accept a) draw, =draw, =remis, =tie,
            (a|call it a) tie, how _ draw,
        """,
        "opponent": """
            where (is|s|are|did) _ (opponent|opponents|partner|adversary|rival), =where is he, =where is she,
            (is|are) (anybody|anyone|somebody|someone|he|she|they) (still )?(there|here|playing|alive|around),
            opponent _
            (gone|away|missing|slow|moved|moving|answer*|reply*|replied|playing|disappeared|respond*|asleep|dead),
            who (is|s|am i) _ (opponent|playing|play|against),
            (has|have|did|does|will) (he|she|they|my opponent) _ (moved|move|move yet|answer*|reply|replied),
            (no|any) (answer|reply|news|word) from,
            waiting for (him|her|them|days|weeks|ages|an answer|my opponent),
            (he|she|opponent) (is|s) (so|too|very) slow, when will (he|she|my opponent|they),
            remind (him|her|my opponent|them),
        """,
        "winner": """
            who (is|s) (winning|ahead|leading|the winner), who (won|wins|has won|will win|leads),
            am i (winning|losing|ahead|behind), (what|how) (is|s) the (score|state|standing|position|game going),
            did (i|we|he|she) (win|lose), =score, =result, have i (won|lost),
            is (the|this|our) (game|match) (over|finished|done),
        """,
        "rating": """
            (my|what is my|a|the|our|his|her) (rating|ranking|rank|elo|score in the list),
            how (good|strong) am i, (is|are) _ (rated|ranked|unrated),
            (ranking|rating|standings|leaderboard|league) (list|table|work|works), best players, who is the best,
            how (is|are) _ (rating|ratings) _,
        """,
        "board": """
            (cant|cannot|can not|dont|do not|couldnt) (see|read|view|find|open|display) _
            (board|game|picture|position|diagram|mail|mails|pieces|colours|colors|it),
            (show|send|mail|see|resend|get) _ (board|position|diagram|picture),
            (board|picture|position|diagram|table|mail) (is|looks|does|doesnt|isnt|not) _
            (broken|garbled|wrong|empty|small|tiny|big|missing|mess|strange|ugly|scrambled|distorted|readable|show|display|unreadable|visible),
            lost (the|your|my) (mail|email|board|last), (deleted|lost) _ (mail|mails|email|message),
            where (is|s|are) (the|my|our) (board|boards|game|games), (screen reader|braille|blind), plain text,
            (only|just) (see )?(text|html), =board, =my games, =my boards, (see|show|list) _ my (games|boards),
            =show me the board, see the board, dark mode,
        """,
        "talk": """
            how (do|can|could|to|would) (i|we)?
            ?(chat|talk|speak|say|write|send|contact|message|tell) _
            (opponent|opponents|him|her|them|something|message|hello|words|else|other|players|chat),
            (send|write|give|pass on|forward|leave) (a |this |my )?(message|note|greetings|regards|words),
            tell (him|her|them|my opponent), (tell|say|ask) _ (that|hello|hi|thanks|happy|if|whether),
            (how|can|could|may) _ chat, =chat, =talk,
            (did|does|will|do|can) (he|she|they|my opponent|the other*) (get|read|see) (this|my|what),
        """,
        "newgame": """
            (start|begin|play|want|have|like|get|open|try|set up|another|begin) (a
            )?(new|another|second|next|different|other|bigger|smaller) (game|board|match|one),
            =new game, =another game, =another, =play again, =again, (play|go) again, return match, =revanche,
            =rematch,
            (find|need|looking for|look for|want|get|play) (a |an |me |some |new
            )?(opponent|opponents|partner|somebody|someone),
            (invite|challenge|play with|play against) (a |my |some |the |me
            )*(friend|wife|husband|brother|sister|son|daughter),
            (invite|challenge|play with|play against) (a |my |some |the |me
            )*(father|mother|robot|computer|colleague),
            (against|with|beat|play) (the |a )(robot|computer|machine|program|bot),
            how (do|can) i (start|play|challenge|invite|begin|join) _,
            what (other )?(games|else) (do|are|can|is) _, which games, other games, =games, =robot,
            (play|start) (chess|go|hex|checkers|draughts|reversi|amazons|oware),
        """,
        "password": """
            (forgot*|lost|change|reset|new|wrong|what is|dont have|remember|need|my) _ password, =password,
            log in, login, sign in, (change|new|another|other|different|update) _ (email|mail|e mail)? ?address,
            my _ address _ change*, change my (name|username|userid),
        """,
        "who": """
            who (are|r) you, what (are|is) (you|this|that),
            who (is|runs|made|wrote|sent|sends|operates) (this|it|me|here|behind|the),
            (are you|is this|am i talking to) _ (human|robot|person|computer|machine|bot|program|real|spam|scam),
            why (do|did|am|are) (you|i) (write|send|sending|writing|get|getting|mail*|receiv*|got),
            (is there|is) _ (human|person|operator|admin*|anybody home),
            (is|are) (anybody|anyone|somebody|someone) (home|reading),
            (speak|talk|write) (to|with) (a|an|the|some) (human|person|operator|admin*|real),
            (contact|reach|ask) _ (operator|admin*|owner|human|support), how (did|do) you (get|have|know) my,
            =admin, =operator, =support, report _ bug, found a bug, (privacy|gdpr|personal data|data protection),
            what (do you|data) (know|store|keep|have),
        """,
        "help": """
            =help, =help me, =info, =information, =faq, =manual, =what, =huh, =start, =menu, =commands,
            =instructions,
            how (does|do) (this|it|that|things|all this|the server|everything|you|pbmserv) (all )?work,
            how (is|does) this, what (can|could) (i|you) (do|send|say|type|write),
            (i am|im|quite|feel|totally|completely) (lost|confused|new here|new to this|a beginner|stuck|new),
            (dont|do not|didnt|cannot|cant) (understand|get it|follow|know how),
            (need|want|get|some|any|please|can you|could you|give me) (some )?help, help (please|me|with),
            what (commands|options), no idea, (first time|never done|never played),
            (explain|tell me) (to me )?(how|what|this|it|more|everything|please), what (do|should) i do _,
            where (do|can) i (start|begin|read|find), instructions, what does this mean,
            how (do|can) i (use|begin|start|work),
        """,
        "thanks": """
            thank you, thanks, thank u, thx, many thanks, cheers, =great, =nice, =cool, =super, =perfect, =ok,
            =okay, =got it, =good game, =gg, good game, well played, =wow, =bye, =goodbye, =good night, see you,
            =good, =fine, =excellent, =great game, =nice move, =good move, =congratulations, =understood,
            =will do, =done, nice game, great game,
        """,
        "hello": """
            hello, hi, hey, good (morning|afternoon|evening|day), greetings, howdy, how are you, what is up, =test,
            =testing, =this is a test, dear (server|sir|madam|sirs|pbmserv|friend|friends|all), nice to meet you,
            happy new year, merry christmas, good luck, have fun,
        """,
        "sorry": """
            sorry, my apologies, i apologi*e, excuse me, pardon,
        """,
        "language": """
            (speak|write|have|in|know|understand) (german|french|spanish|italian|dutch|polish|portuguese|swedish),
            (speak|write|have|in|know|understand) (czech|russian|english|japanese|chinese|finnish|danish|turkish),
            another language, my language, english (is|isnt) _ (good|native|bad),
        """,
    }
)
"""The phrases of each topic, in the order in which equally long ones decide."""
