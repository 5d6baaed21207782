"""Every kind of letter that the club sends, each with the golden conversation that has one and how it begins.

A number in what it begins with stands for any number. New kinds are added here: `tests/test_letters.py` asks for
them, and reads every letter of every conversation by its laws; `tests/services/test_spam_score.py` shows each kind
to a spam filter.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pbmserv.commands.letter import MailKind

GOLDEN = Path(__file__).parent / "golden"

KINDS: dict[MailKind, dict[str, tuple[str, str]]] = {
    "answer": {
        "your move": ("whole_game_3x3", "You played C3. It is bob's turn."),
        "your move takes": ("whole_game_3x3", "You played C2 and took B2, C1 and C3. It is bob's turn."),
        "your move wins": ("four_players", "You played A3 and won with 5 points!"),
        "your move in chess wins": ("game_chess", "You played 4. Qxf7# and won: checkmate!"),
        "your move, answered at once": ("queue", "You played C3, alice answered C1. Your turn."),
        "you resigned": ("game_antichess", "You resigned; alice won."),
        "you left": ("four_players", "You resigned. It is alice's turn."),
        "you declined": ("challenge", "You declined this game. It does not count."),
        "a move is refused": ("moves", "Not done: move 101 a2xb1"),
        "a move too late": ("refusals", "Not done: move 101 a1#1 Your move was meant as move 1"),
        "a move that may be several": ("moves", "Not done: move 102 a2"),
        "a move with a question mark": ("plain_words", "Not done: move 101 b2? You wrote B2"),
        "two things are said": ("dressed", "Your mail says different things"),
        "a word is not plain": ("dressed", 'Did you mean "resign 101"?'),
        "no such command": ("moves", 'Not done: resing There is no command "resing".'),
        "you began a game": ("whole_game_3x3", "Your game of Cephalopod variant with bob has started. Your turn."),
        "you began one for four": ("four_players", "Your game of Cephalopod variant with bob, carol and dave"),
        "a challenge is refused": ("challenge", "Not done: challenge alice bbo No player here has that name."),
        "your rematch": ("rematch", "Your game of Cephalopod variant with alice has started."),
        "your words": ("chat", "Your words are on their way to alice, with board 101."),
        "you offer a draw": ("consent", "You have offered a draw on board 101."),
        "you ask for a move back": ("consent", "You have asked to take back B2 on board 101."),
        "you reject it": ("consent", "You have rejected bob's request"),
        "a draw is agreed": ("consent", "The draw is agreed, and the game on board 101 is over."),
        "a move is given back": ("consent", "The take-back is agreed."),
        "moves in advance": ("queue", "Queued on board 101. Nobody else can see it:"),
        "a preview": ("preview", "Tried on board 101: b2, a1. Nothing was played"),
        "a move to confirm": ("submit", "This is board 101 after your move b2."),
        "many lines": ("many_in_one_mail", "[1] challenge alice bob"),
        "an open offer": ("seek", "Your offer 1 is open until"),
        "a list of offers and games": ("banned", "The games here, how many boards"),
        "a list of boards": ("looking", "Boards in play: none"),
        "boards that wait": ("desk", "It is your turn on 12 boards"),
        "a board to look at": ("looking", "bob played C4. It is alice's turn."),
        "a record": ("record", "The game on board 101 is still in play. This is all"),
        "help": ("help", "Play board games by mail here"),
        "a tutorial": ("help", "TUTORIAL: YOUR FIRST GAME OF CEPHALOPOD"),
        "rules": ("game_chess", "CHESS A traditional game"),
        "ratings": ("ratings", "Ratings of alice"),
        "standings": ("strangers", "Standings of Cephalopod"),
        "a hint": ("teacher", "A hint: D1 looks most promising"),
        "where it turned": ("teacher", "Board 101. Your chances after each move"),
        "a puzzle": ("puzzles", "Here is a puzzle for you."),
        "a puzzle solved": ("puzzles", "Well done! A1 is the best move."),
        "a setting": ("account", "Your mail is now plain text."),
        "mail turned off": ("mail_settings", "You get no more mail except when a game of yours ends."),
        "a vacation": ("vacation", "Your vacation: 2026-01-05 to 2026-01-14."),
        "a new password": ("addresses", "You have a new password, alice."),
        "everything we keep": ("leaving", "EVERYTHING WE KEEP ABOUT alice"),
        "signed off": ("leaving", "You are signed off, alice."),
        "a command waits for a yes": ("confirming", "resign 101 Nothing yet proves that you sent this"),
        "a welcome": ("account", "Welcome, alice! Your account is ready."),
        "a short answer": ("limits", "(Left out here.) This is a short answer."),
        "too large": ("too_large", "Your mail has 3200 kB"),
    },
    "fruitless": {
        "practice again": ("practice", "Not done: practice a1 You have begun your practice game already")
    },
    "puzzled": {
        "no command": ("topics", "Your reply has no move and no command"),
        "a question": ("topics", "What the rules of Cephalopod say about capturing:"),
        "less mail": ("topics", "Nothing has been stopped yet."),
        "asked again": ("topics", "You have had our answer to this within the hour."),
        "forwarded": ("reading", "Commands in a forwarded mail are not carried out"),
    },
    "stranger": {"commands": ("challenge", "Hello! You sent us commands, but this address has no account")},
    "sign-up": {"a sign-up": ("rare", "Hello, hana! Make your first move on the board below")},
    "short": {"words": ("strangers", "Hello! You wrote to a program")},
    "limit": {"a limit": ("limits", "You have reached the limit of this hour")},
    "no room": {"no more accounts": ("", "mail/no_room.txt")},
    "not theirs": {"an odd From": ("rare", "Somebody answered one of our mails to you")},
    "address": {
        "another address": ("forwarded", "One of our mails to you was answered from alice@gmail.example.")
    },
    "invitation": {"an invitation": ("rare", "The operator of this server invites you")},
    "question": {
        "an address": ("addresses", "The player alice wants to use this address too"),
        "a password": ("addresses", "Someone, probably you, has forgotten the password of alice."),
    },
    "board": {
        "a challenge": ("whole_game_3x3", "alice has challenged you to Cephalopod variant and moves first."),
        "a rematch": ("rematch", "bob has challenged you to a rematch of Cephalopod variant"),
        "an offer taken": ("seek", "Your game of Cephalopod variant with bob has started."),
        "a move": ("whole_game_3x3", "alice played C3. Your turn. You have 21 days."),
        "a move takes": ("forwarded", "bob played B1 and took A1 and B2. Your turn."),
        "a move in chess": ("game_chess", "bob played 1... e5. Your turn. You have 21 days."),
        "a move in Go": ("game_go", "bob played C3. Your turn."),
        "moves of three": ("four_players", "bob played A3, carol played A2 and took A1 and A3"),
        "a robot's first move": ("robot", "robot played B1. Your turn. You have 21 days."),
        "a move with words": ("chat", "alice played B2. Your turn. You have 21 days. alice writes:"),
        "words": ("chat", "bob writes:"),
        "a draw is offered": ("consent", "alice offers a draw."),
        "a move is asked back": ("consent", "bob asks to take back B2."),
        "no to that": ("consent", "alice did not agree to take back your move."),
        "yes to that": ("consent", "alice agreed: your move is taken back."),
        "a reminder": ("clocks", "Your turn. You have 11 days. This is a reminder"),
        "you are out of time": ("clocks", "You are out of time; alice won."),
        "they are out of time": ("clocks", "You won: bob ran out of time."),
        "they resigned": ("game_antichess", "You won: bob resigned."),
        "they won": ("game_chess", "alice played 4. Qxf7# and won: checkmate."),
        "a draw": ("consent", "You and alice have agreed on a draw."),
        "they declined": ("challenge", "alice declined this game. It does not count."),
        "the third place": ("four_players", "alice played A3 and won with 5 points. You came 3rd of 4."),
        "a watched board": ("watching", "alice played B2. It is bob's turn."),
        "the operator acts": ("operator", "The operator has taken moves back"),
        "the operator ends it": ("operator", "The operator has declared this game void."),
        "in words": ("words", "alice played D3. Your turn. You have 21 days. alice has written to you"),
    },
    "notice": {
        "a message": ("messages", "alice writes to you:"),
        "a broadcast": ("messages", "carol writes to everyone who has asked for broadcasts:"),
        "a digest": ("digest", "It is your turn on 3 boards, the most urgent first."),
        "a digest of one": ("digest", "It is your turn on board 101."),
        "the moves of a day": ("mail_settings", "Played: D4 on board 101."),
        "their vacation": ("vacation", "alice is on vacation 2026-01-05 to 2026-01-14."),
        "their mail is off": ("mail_settings", "alice has turned off mail from this server"),
        "their mail bounces": ("bounces", "Mail to bob bounces"),
        "their mail still bounces": ("standing_still", "Mail to bob still bounces"),
        "your mail bounced": ("bounces", "Mail to you bounced"),
        "an offer ran out": ("offers_expire", "alice's offer 1 was open for 30 days"),
        "the puzzle of the week": ("puzzles", "This is your puzzle of the week."),
        "mail stopped by a link": ("unsubscribing", "The link to unsubscribe in a mail to you was used."),
        "another address now": ("addresses", "The player alice now has the address alice@work.example"),
        "banned": ("operator", "The operator of this server has banned you, bob."),
        "the operator is needed": ("", "services/scheduler/alarms.txt"),
        "a fault": ("", "mail/unwritten.txt"),
        "set aside": ("", "mail/set_aside.txt"),
    },
    "goodbye": {"deleted": ("leaving", "Goodbye, alice.")},
    "last": {"the last before silence": ("standing_still", "Three mails to you came back")},
}
"""By kind and name: the conversation, and how the letter begins there; without one, a template others test."""


@dataclass(frozen=True)
class GoldenLetter:
    """A letter as a conversation shows it."""

    file: str
    head: str
    text: str

    @property
    def line(self) -> str:
        """Its text on one line."""
        return " ".join(self.text.split())


def letters_in(file: Path) -> Iterator[GoldenLetter]:
    """The letters that go out in a conversation."""
    for step in re.split(r"(?m)^(?=(?:===> |<=== |@ |# ))", file.read_text()):
        head, _, text = step.partition("\n\n")
        if head.startswith("<=== ") and text and not text.startswith("(the same text as"):
            yield GoldenLetter(file.stem, head, text)


def begins(line: str, kind: str) -> bool:
    """Whether a letter on one line begins as its kind does, whatever the numbers."""
    return re.match(re.sub(r"[0-9]+", "[0-9]+", re.escape(kind)), line) is not None
