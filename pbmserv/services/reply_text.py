"""What of a mail's text its sender wrote: one parse for its commands and for the words that are passed on.

What stands below all mails of a player is a signature, and goes to nobody. A bare move in an answer to a mail that
shows no match is a line `practice MOVE` or `puzzle NUMBER MOVE`, and `yes` to an offer accepts it.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Final

from sqlalchemy import Connection

from pbmserv.commands.command import BLOT, Arguments, commands
from pbmserv.commands.practice import NOT_THERE_YET, SOLUTION, practice_terms
from pbmserv.commands.server import Server
from pbmserv.commands.typed_moves import Spelling, spelling_of
from pbmserv.commands.vocabulary import CLOSING, OPENING
from pbmserv.games import games
from pbmserv.games.info import Info
from pbmserv.mail.reading.doubt import Signs, extract_reply, told_lines
from pbmserv.mail.reading.our_copies import OurWords
from pbmserv.mail.reading.signatures import FEWEST_EARLIER, repeated_end
from pbmserv.matches.log import MissingRules
from pbmserv.matches.puzzles import Puzzle, board_number_of
from pbmserv.matches.replay import GameState
from pbmserv.parser.agreeing import answer_in, words_beside
from pbmserv.parser.command_block import LONGEST_LINE, MOST_COMMANDS, MOST_GREETING_LINES
from pbmserv.parser.line import parse_line
from pbmserv.parser.parse import KEPT_SIGNATURE, OUR_NAME, inline_text, parse_mail
from pbmserv.parser.parsed import IncomingMail, NotPlainlySaid, Parsed, ParsedMail, Unparsed, WhichOne
from pbmserv.parser.title import title_of
from pbmserv.parser.words import normalised
from pbmserv.services.app import App
from pbmserv.services.sender import SenderIdentity
from pbmserv.store import mail_history
from pbmserv.store.queries import TransactionQueries

_MOST_ABOVE: Final = 60
"""The most lines above the commands that are examined, including blank and quoted ones."""

_MOST_GREETING_WORDS: Final = 4


@dataclass(frozen=True, slots=True)
class ReplyText:
    """What the sender of a mail wrote."""

    # The mail without copies of ours.
    mail: IncomingMail
    # Its comment is certainly the sender's own.
    parsed: ParsedMail
    # Lines that may be the sender's too, without secrets.
    left_out: tuple[str, ...] = ()
    # The same and more of a signature, of which the sender is not to be reminded.
    unsent: tuple[str, ...] = ()


def reply_text(
    mail: IncomingMail,
    ours: OurWords,
    board: int | None,
    our_address: str,
    addresses: frozenset[str],
    game: Info | None = None,
    club: str = OUR_NAME,
    userid: str = "",
    cells: frozenset[str] = frozenset(),
) -> ReplyText:
    """Parses a mail and drops what its sender did not write.

    `ours` is the text of the mails that it answers, `board` the board of these, with its `game` and its `cells`;
    `addresses` and `userid` are its sender's, `club` is the name in our Subjects.
    """
    spelling = spelling_of(game)
    begin = _copy(mail.text, ours, board, spelling)
    text, below = (mail.text, "") if begin is None else (mail.text[:begin], mail.text[begin:])
    mail = replace(mail, text=text)
    title = title_of(normalised(mail.subject))
    signs = Signs(our_address, addresses, title.text if title.is_answer else "", ours)
    parsed = parse_mail(
        mail, board, lambda words: extract_reply(words, signs, below).own, game, club, userid, cells
    )
    # Words on the line of a command are meant to be passed on, whatever they look like.
    lines = parsed.comment.split("\n")
    said = inline_text(parsed.lines)
    on_lines = said.count("\n") + 1 if said else 0
    extracted = extract_reply("\n".join(lines[on_lines:]), signs, below)
    comment = "\n".join([*lines[:on_lines], *([extracted.own] if extracted.own else [])])
    # Below a command in the Subject the whole body is passed on.
    above = [line for line in _above(text, board, signs, spelling) if line not in comment] if parsed.lines else []
    told = told_lines((*above, *extracted.left_out))
    left_out = tuple(_blotted(line, parsed) for line in told)
    return ReplyText(mail, replace(parsed, comment=comment), left_out, left_out)


def _above(text: str, board: int | None, signs: Signs, spelling: Spelling) -> list[str]:
    """The lines above the first command of a body, unless they are only a greeting."""
    lines = text.split("\n")[:_MOST_ABOVE]
    if sum(1 for line in lines if line.strip()) < 2:
        return []
    first = next(
        (
            place
            for place, line in enumerate(lines)
            if not parse_line(normalised(line[:LONGEST_LINE]), board, spelling).is_prose
        ),
        None,
    )
    if first is None:
        return []
    said = [line for line in extract_reply("\n".join(lines[:first]), signs).own.split("\n") if line.strip()]
    if len(said) > MOST_GREETING_LINES:
        return []
    said = [line for line in said if not _is_greeting(line)]
    return said if len(said) > 1 or any(len(line.split()) > _MOST_GREETING_WORDS for line in said) else []


def _is_greeting(line: str) -> bool:
    """Whether a line is like `Dear Anna and all the others,`, or one word: a greeting or a bare answer."""
    return line.rstrip().endswith((",", ":")) or len(line.split()) == 1


def _copy(text: str, ours: OurWords, board: int | None, spelling: Spelling) -> int | None:
    """Where a copy of our text begins that nobody meant to send.

    A command of ours is meant to be sent, unless the line below it is ours too.
    """
    start = 0
    for _ in range(MOST_COMMANDS):
        begin = ours.begin(text[start:])
        if begin is None:
            return None
        begin += start
        first = text.rfind("\n", 0, begin) + 1
        end = text.find("\n", begin)
        line = normalised((text[first:end] if end >= 0 else text[first:])[:LONGEST_LINE])
        below = text[end:].lstrip() if end >= 0 else ""
        if parse_line(line, board, spelling).is_prose or ours.begin(below.partition("\n")[0]) == 0:
            return begin
        if not below:
            return None
        start = len(text) - len(below)
    return None


def _blotted(line: str, parsed: ParsedMail) -> str:
    """The line without the secrets of the mail."""
    plain = normalised(line)
    for secret in parsed.secrets:
        plain = plain.replace(secret, BLOT)
    return line if plain == normalised(line) else plain


_MOST_LOOKED_AT: Final = 8
"""Kept mails in which the last ones with words are looked for."""


def without_usual_end(connection: Connection, written: ReplyText, sender: str, address: str) -> ReplyText:
    """The same text without the lines that ended the last mails from `sender`, too, as far as they are kept.

    `address` is the player's own, where our answers went. Of what was left out of one of those mails the player is
    not told again.
    """
    comment = written.parsed.comment
    if not comment and not written.left_out:
        return written
    kept = (_parts(raw) for raw in mail_history.kept_mails(connection, sender, address, _MOST_LOOKED_AT))
    earlier = [(own, unsent) for own, unsent in kept if own or unsent][:FEWEST_EARLIER]
    said = inline_text(written.parsed.lines)
    lines = comment.removeprefix(said).strip("\n").split("\n")
    usual = repeated_end(_filled(lines), written.left_out, [[*own, *unsent] for own, unsent in earlier])
    signature: list[str] = []
    while len(signature) < usual:
        signature = [*_filled([lines.pop()]), *signature]
    if usual:
        words = (said if comment.startswith(said) else "", "\n".join(lines).rstrip())
        written = replace(written, parsed=replace(written.parsed, comment="\n".join(filter(None, words))))
    unsent = (*signature, *written.left_out)
    told_before = {line for _, unsent in earlier for line in told_lines(unsent)}
    told = told_lines(unsent)
    return replace(written, left_out=() if told_before.issuperset(told) else told, unsent=unsent)


def _parts(raw: bytes) -> tuple[list[str], list[str]]:
    """The lines with text that a kept mail passed on, and those that it did not."""
    text = raw.partition(b"\n\n")[2].decode("utf-8", "replace")
    read, _, unsent = text.partition(f"\n{KEPT_SIGNATURE}\n")
    return _filled(read.partition("\n\n")[2].split("\n")), _filled(unsent.split("\n"))


def _filled(lines: Iterable[str]) -> list[str]:
    return [line for line in lines if line.strip()]


_TO_QUESTION: Final = {"accept": "yes", "reject": "no"}
_ANSWERS: Final = frozenset(_TO_QUESTION.values())


def as_answer_to_offer(
    connection: Connection, app: App, written: ReplyText, identity: SenderIdentity
) -> IncomingMail | ParsedMail | None:
    """The mail as if it had said `accept` or `reject`, its words below; where it is in doubt, the question.

    What it says to the question whether an address is the sender's counts as `yes` or `no`. None where nothing of
    the kind waits for its sender, or the mail says something else.
    """
    mail, parsed = written.mail, written.parsed
    if identity.confirmation is not None and identity.confirmation.kind == "own address" and not parsed.lines:
        said = answer_in(mail.text)
        return replace(mail, text=_TO_QUESTION[said[0]]) if said is not None and said[1] else None
    is_free = identity.confirmation is None and identity.named is None and all(map(_may_be_answer, parsed.lines))
    answer = answer_in(mail.text) if is_free and identity.board is not None and not parsed.forwarded else None
    if answer is None or not _waits(connection, app, identity):
        return None
    word, is_clear = answer
    ready = f"{word} {identity.board}"
    if not is_clear or parsed.near:
        return ParsedMail((Unparsed(word, NotPlainlySaid(board=identity.board, ready=ready)),))
    return replace(mail, text=f"{ready}\nend\n{words_beside(mail.text)}")


def _may_be_answer(line: Parsed | Unparsed) -> bool:
    """Whether a line may be an answer to an offer in other words: `yes`, `I accept`."""
    if isinstance(line, Unparsed):
        return isinstance(line.error, NotPlainlySaid) and line.error.ready.startswith("accept")
    return line.command.name in _ANSWERS and line.token is None and line.new_password is None


def _waits(connection: Connection, app: App, identity: SenderIdentity) -> bool:
    """Whether an offer on the board that is answered waits for the sender."""
    board = find_board(connection, app, identity.board)
    offer = board.state.offer if board is not None else None
    if board is None or offer is None or identity.player is None:
        return False
    return board.match.seat_of(identity.player.userid) in offer.waits_for


def find_board(connection: Connection, app: App, number: int | None) -> GameState | None:
    """The board of a number; None where there is none, or its game was removed."""
    try:
        return None if number is None else TransactionQueries(connection, app.recent).board(number)
    except MissingRules:
        return None


_NO: Final = "no"


@dataclass(frozen=True, slots=True)
class AnsweredApart:
    """What a mail answers that is no match."""

    # None: the practice board.
    puzzle: Puzzle | None = None

    @property
    def number(self) -> int:
        """The number of the board that it is read as an answer to."""
        return NOT_THERE_YET if self.puzzle is None else board_number_of(self.puzzle.number)

    def game(self, server: Server) -> Info:
        """The game that a move is one of."""
        return games()[practice_terms(server).game if self.puzzle is None else self.puzzle.game].info

    def line(self, move: str, ply: int | None) -> Parsed:
        """The line that a bare move stands for."""
        if self.puzzle is not None:
            number = self.puzzle.number
            arguments = Arguments(words=(f"{number}",), move=move)
            return Parsed(f"puzzle {number} {move}", commands()["puzzle"], arguments)
        guard = "" if ply is None else f"#{ply}"
        return Parsed(f"practice {move}{guard}", commands()["practice"], Arguments(move=move, ply=ply))


def answered_apart(connection: Connection, identity: SenderIdentity) -> AnsweredApart | None:
    """What a mail answers, if the mail that it answers shows something that is no match."""
    if identity.confirmation is not None:
        return AnsweredApart() if identity.confirmation.kind == "sign-up" else None
    shown = dict(identity.answered.shown) if identity.answered is not None else {}
    if NOT_THERE_YET in shown:
        return AnsweredApart()
    found = [-number for number in shown if number < NOT_THERE_YET]
    puzzle = TransactionQueries(connection).puzzle(found[0]) if len(shown) == len(found) == 1 else None
    return None if puzzle is None else AnsweredApart(puzzle)


def with_move_apart(
    plain: ReplyText,
    apart: AnsweredApart,
    server: Server,
    read_there: Callable[[int, Info], ReplyText],
) -> ReplyText:
    """What a mail says with its bare move as one there; as it was read without a board, if it has none.

    `read_there` reads the mail as an answer to a board of that number and game.
    Somebody who says `no` to an account does not play.
    """
    names = [line.command.name for line in plain.parsed.lines if isinstance(line, Parsed)]
    if _NO in names:
        return plain
    if apart.puzzle is not None and not names and _first_line(plain) == SOLUTION:
        return replace(plain, parsed=replace(plain.parsed, lines=(apart.line(SOLUTION, None),)))
    written = read_there(apart.number, apart.game(server))
    lines = written.parsed.lines
    about = [line for line in lines if _is_about(line, apart.number)]
    if not about or not all(map(_is_move, about)):
        return plain
    moved = tuple(_moved(line, apart) for line in lines)
    return replace(written, parsed=replace(written.parsed, lines=moved, board=None))


def _first_line(written: ReplyText) -> str:
    """What somebody wrote first, without what may stand around a word."""
    lines = (normalised(line).strip(OPENING + CLOSING) for line in written.mail.text.split("\n"))
    return next(filter(None, lines), "").lower()


def _is_about(line: Parsed | Unparsed, number: int) -> bool:
    if isinstance(line, Unparsed):
        return line.error.board == number
    return any(ref.number == number for ref in line.arguments.boards)


def _is_move(line: Parsed | Unparsed) -> bool:
    """Whether a line is a move, or several of which one is meant."""
    return isinstance(line.error, WhichOne) if isinstance(line, Unparsed) else line.command.name == "move"


def _moved(line: Parsed | Unparsed, apart: AnsweredApart) -> Parsed | Unparsed:
    if not _is_about(line, apart.number):
        return line
    if isinstance(line, Unparsed):
        return replace(line, error=replace(line.error, board=None))
    return apart.line(line.arguments.move, line.arguments.ply)
