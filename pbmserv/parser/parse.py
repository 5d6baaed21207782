"""Parses a whole mail: which lines are commands, what the comment is, and which board it replies about.

Commands stand in the Subject, or else in the body: up to three lines of greeting, then the block of command lines,
then the comment. Reads no records; takes time linear in the mail's size.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from pbmserv.commands.command import BLOT, Arguments, Credentials, commands
from pbmserv.commands.typed_moves import CELLS, Spelling, spelling_of
from pbmserv.commands.vocabulary import is_userid
from pbmserv.games.info import Info
from pbmserv.games.notation import in_one_case
from pbmserv.matches.errors import CommandError
from pbmserv.parser.command_block import MOST_COMMANDS, Own, first_line, read_block, up_to_stop
from pbmserv.parser.corrections import asked_again, which_one
from pbmserv.parser.fitting import PROSE, ParsedLine, secrets_of
from pbmserv.parser.game_names import opening_words
from pbmserv.parser.line import parse_line
from pbmserv.parser.no_talk import asked_plan, without_no_talk
from pbmserv.parser.parsed import (
    MOST_COMMENT_CHARACTERS,
    IncomingMail,
    Parsed,
    ParsedMail,
    Unparsed,
    WhichOne,
    echo,
)
from pbmserv.parser.prose import TALKING
from pbmserv.parser.taken_back import is_withdrawn
from pbmserv.parser.title import BOARD_SUBJECT, board_of, title_of
from pbmserv.parser.told import Told, told_apart, told_in
from pbmserv.parser.words import board_number, normalised

_MOST_SEARCHED = 10 * MOST_COMMENT_CHARACTERS
"""This much of a comment is searched for secrets before it is cut, so that no secret is cut in two."""

_MOST_SECRETS = 50
"""A mail with more is not searched for each; it loses its comment instead."""

_SHORTEST_TOKEN = 16
"""Ours have twenty letters and digits; a shorter one is not ours, and may be a word."""

_SHORTEST_STRAY = 4
"""A shorter word cannot be a password, and is mostly prose: `As you are`."""

KEPT_SIGNATURE = "-- "
"""The line in a stored mail above the text that was not passed on."""

OUR_NAME = "pbmserv"
"""The start of our Subjects without a board, unless the club has another name."""

_WORDS_SUBJECT = re.compile(r"(?:message|broadcast) from (\S{2,20})", re.IGNORECASE)


class TooManyCommands(CommandError):
    """More command lines in one mail than are read."""

    limit: int


class MisplacedAs(CommandError, about_identity=True):
    """`as userid password` is below a command, occurs twice, or has no command below it."""

    userid: str


class ChatAmongOthers(CommandError):
    """Text on a chat's own line, in a mail that also changes another board, so its readers are unclear."""


class WordsAmongOthers(CommandError):
    """Text for players in a mail that also does something else, so its readers are unclear; `command` sends it."""

    command: str


def parse_mail(
    mail: IncomingMail,
    answered_board: int | None = None,
    own: Own = str,
    game: Info | None = None,
    club: str = OUR_NAME,
    userid: str = "",
    cells: frozenset[str] = frozenset(),
) -> ParsedMail:
    """Parses a mail; `answered_board` is the board of the mail that it is known to reply to.

    `own` extracts what is certainly the sender's text below a command: only that can take a move back.
    `game` is that of the answered board: its words and its notation are moves there. Where it is not known, only
    cells are; `cells` are those of the answered board, in capitals, if they are known. `club` is the name in our
    Subjects, `userid` the sender's where that is known.
    """
    spelling = replace(spelling_of(game), cells=cells)
    reading = _understood(mail, answered_board, own, spelling, club)
    tokens = tuple(token.lower() for token in (*mail.tokens, *mail.thread_words) if len(token) >= _SHORTEST_TOKEN)
    lines = tuple(_without_tokens(line, tokens) for line in reading.lines)
    reading = replace(reading, lines=lines, comment=_comment(reading.comment, reading.secrets, tokens))
    userid = userid or (reading.claim.userid if reading.claim else "")
    is_marked = up_to_stop(mail.text) != mail.text
    if not is_marked and _is_yes(reading) and is_withdrawn(own(reading.comment)):
        return ParsedMail(board=answered_board)
    return without_no_talk(reading, own(reading.comment), spelling, userid, is_marked)


def _is_yes(reading: ParsedMail) -> bool:
    """Whether a mail answers a question with `yes`, perhaps with text, which may take it back."""
    said = reading.lines[0] if len(reading.lines) == 1 else None
    return isinstance(said, Parsed) and said.command.name == "yes"


def _about(subject: str, club: str) -> str | None:
    """The part of our normalised Subject after the club's name; None if the Subject is not ours.

    >>> _about("Chess & Friends: message from bob", "Chess & Friends"), _about("help: move", "Chess & Friends")
    ('message from bob', None)
    """
    for name in (normalised(club), OUR_NAME):
        if subject.casefold().startswith(f"{name}: ".casefold()):
            return subject[len(name) + 2 :]
    return None


def _understood(
    mail: IncomingMail, answered_board: int | None, own: Own, spelling: Spelling, club: str
) -> ParsedMail:
    """The parsed mail, with secrets still in the comment, and more of the comment than others get."""
    title = title_of(normalised(mail.subject))
    if title.is_forward:
        return ParsedMail(forwarded=True)
    subject = title.text
    board = answered_board if answered_board is not None else board_of(title)
    # What stands behind `Re: Fwd:` was somebody else's Subject.
    about = _about(subject, club)
    is_no_command = BOARD_SUBJECT.match(subject) or title.answers_forward or about is not None
    titled = PROSE if is_no_command else parse_line(subject, answered_board, spelling)
    if titled.parsed is not None:
        return _with_subject(titled, titled.parsed, mail.text, board, own, spelling)
    block = read_block(mail.text, board, own, spelling)
    if block.lines:
        return _reading((titled, *block.lines) if titled.claim else block.lines, block.rest)
    if titled.is_prose:
        if board is not None and (apart := told_apart(mail.text, spelling)):
            block = read_block(apart, board, own, spelling)
            if block.lines and all(line.is_bare or line.unparsed for line in block.lines):
                return _reading(block.lines, block.rest)
        if board is not None and (planned := asked_plan(mail.text, board, spelling)) is not None:
            return planned
        told = Told() if board is None else told_in(mail.text, spelling)
        if told.choices:
            ready = tuple(f"move {board} {move}" for move in told.choices)
            return _reading((ParsedLine(unparsed=which_one(board, ready)),), "")
        near = told.near if told.near and not is_withdrawn(mail.text) else ""
        return ParsedMail(board=board, near=near, writer=_writer(about or "") if title.is_answer else "")
    return _reading((titled,), mail.text)


def _writer(about: str) -> str:
    """The player whose message our Subject is about; empty if it names none."""
    named = _WORDS_SUBJECT.fullmatch(about)
    return named[1] if named and is_userid(named[1]) else ""


def as_kept(reading: ParsedMail, known: frozenset[str] = frozenset(), unsent: Sequence[str] = ()) -> str:
    """What is stored of a handled mail: the parts that were understood, without secrets.

    `known` are userids, in lower case, that somebody has; `unsent` are lines at its end that were not passed on,
    without secrets: they stand below a line `-- `. Words to others stay, if there are any. The rest goes:
    words that were not understood may be a password in a command that nobody could read, and so may words that are
    said on a command's own line; what stands below such a line may say them again.
    """
    lines = "\n".join(echo(line, known) for line in reading.lines)
    on_lines = _comment(inline_text(reading.lines), reading.secrets)
    is_all_read = not any(isinstance(line, Unparsed) for line in reading.lines)
    is_for_others = any(isinstance(line, Parsed) and line.command.kind != "open" for line in reading.lines)
    is_kept = is_all_read and is_for_others
    comment = reading.comment.removeprefix(on_lines).strip("\n") if is_kept else ""
    kept = "\n\n".join(part for part in (_blot(lines, reading.secrets), comment) if part)
    return "\n".join((kept, KEPT_SIGNATURE, *unsent)) if is_kept and unsent else kept


def _with_subject(
    titled: ParsedLine, subject: Parsed, text: str, board: int | None, own: Own, spelling: Spelling
) -> ParsedMail:
    """What a mail asks for whose Subject is a command: the text below is the comment.

    Our own links write a command into Subject and body; it is meant once. Another one in the first line of the
    body is hardly meant for the other players: which of the two is meant cannot be known.
    """
    about = next((ref.number for ref in subject.arguments.boards), board)
    there = spelling if about == board else CELLS
    if asked := asked_again((titled,), own(up_to_stop(text)), there):
        return _reading(asked, "")
    # A bare `yes` below could be a greeting in an answer to a board, but not below that same word.
    block = read_block(text, None if subject.command.kind == "token" else about, own, there)
    first, *later = block.lines[len(block.claim) :] or (PROSE,)
    is_same = first.parsed is not None and _is_same(first.parsed, subject)
    # "Signup request" may look like one.
    are_sign_ups = first.parsed is not None and first.parsed.command.name == subject.command.name == "signup"
    if first.parsed is not None and (is_same or are_sign_ups):
        said = titled if is_same and first.parsed.claim is None else first
        return _reading((*block.claim, said, *later), block.rest)
    if subject.command.kind == "open":
        # It says nothing to anybody else, so what stands below is no comment: a move there must not be lost.
        below = read_block(text, board, own, spelling)
        # A claim above other commands is theirs; one that stands alone may be prose: `as you like`.
        top = below.claim if len(below.lines) > 1 else ()
        return _reading((*top, titled, *below.lines[len(top) :]), "")
    claimed, rest = first_line(text, None)
    if claimed.claim is None:
        claimed, rest = PROSE, text
    other = first_line(rest, about, there)[0].parsed
    if other is None or other.command.kind not in ("opening", "binding") or subject.command.name in TALKING:
        return _reading((claimed, titled), rest)
    error = WhichOne(board=about, choices=(subject.line, other.line))
    return _reading((claimed, ParsedLine(unparsed=Unparsed(subject.line, error))), "")


def _is_same(one: Parsed, other: Parsed) -> bool:
    return (one.command.name, _plain(one.arguments)) == (other.command.name, _plain(other.arguments))


def _plain(arguments: Arguments) -> Arguments:
    move = in_one_case(arguments.move.replace(" ", ""))
    return replace(arguments, move=move, moves=() if move else arguments.moves)


def _reading(lines: tuple[ParsedLine, ...], comment: str) -> ParsedMail:
    claim: Credentials | None = None
    kept: list[Parsed | Unparsed] = []
    comment = comment.strip()[:_MOST_SEARCHED]
    secrets = set(_stray_secrets(comment))
    for line in lines:
        if line.claim is not None:
            secrets.add(line.claim.password.value)
            if claim is None and not kept:
                claim = line.claim
            else:
                kept.append(_misplaced(line.claim))
        elif line.unparsed is not None:
            kept.append(line.unparsed)
        elif line.parsed is not None:
            kept.append(line.parsed)
            secrets.update(secrets_of(line.parsed.claim, line.parsed.new_password, line.parsed.token))
    if claim is not None and not kept:
        kept.append(_misplaced(claim))
    kept, comment = _take_inline_text(kept, comment)
    secrets.update(_stray_secrets(comment))
    if len(kept) > MOST_COMMANDS:
        kept[MOST_COMMANDS:] = [Unparsed("...", TooManyCommands(limit=MOST_COMMANDS))]
    ordered = _longest_first(secrets)
    return ParsedMail(tuple(kept), comment, claim, ordered)


def _take_inline_text(lines: Sequence[Parsed | Unparsed], below: str) -> tuple[list[Parsed | Unparsed], str]:
    """The lines, and the text to send: what stands on them, then what stands `below` them.

    A mail's text goes to every board it changes. A line with text is therefore refused if the mail changes more
    than one board, so that no text reaches another board's players. A message to players must be the mail's only
    change; otherwise it is refused, and none of the mail's text is sent.
    """
    changing = [line for line in lines if isinstance(line, Parsed) and line.command.kind != "open"]
    if len(changing) > 1 and any(line.command.name in (TALKING - {"chat"}) for line in changing):
        return [_refuse_words(line) for line in lines], ""
    kept, said = _on_boards(lines, changing)
    return kept, f"{said}\n{below}" if said else below


def _on_boards(
    lines: Sequence[Parsed | Unparsed], changing: Sequence[Parsed]
) -> tuple[list[Parsed | Unparsed], str]:
    if len({line.arguments.boards for line in changing}) == 1:
        return list(lines), inline_text(lines)
    return [_refuse_chat(line) if isinstance(line, Parsed) and line.arguments.text else line for line in lines], ""


def inline_text(lines: Iterable[Parsed | Unparsed]) -> str:
    """The text on those lines."""
    texts = (line.arguments.text for line in lines if isinstance(line, Parsed))
    return "\n".join(text for text in texts if text)


def _refuse_chat(line: Parsed) -> Unparsed:
    return Unparsed(line.line, ChatAmongOthers(board=line.arguments.boards[0].number))


def _refuse_words(line: Parsed | Unparsed) -> Parsed | Unparsed:
    if isinstance(line, Parsed) and line.command.name in TALKING:
        return Unparsed(line.line, WordsAmongOthers(command=line.command.name))
    return line


def _misplaced(claim: Credentials) -> Unparsed:
    return Unparsed(f"as {claim.userid} {BLOT}", MisplacedAs(userid=claim.userid))


def _stray_secrets(text: str) -> tuple[str, ...]:
    """The words in unexecuted text that stand where a command would have its secrets."""
    if not text:
        return ()
    found: set[str] = set()
    openings = {"as", *(name.split()[0] for name in commands()), *opening_words()}
    for line in map(normalised, text.split("\n")):
        first = line.partition(" ")[0]
        if first.lower() not in openings and board_number(first) is None:
            continue
        read = parse_line(line, None)
        if read.claim is not None:
            found.add(read.claim.password.value)
        elif read.parsed is not None:
            found.update(secrets_of(read.parsed.claim, read.parsed.new_password, read.parsed.token))
    return _longest_first(secret for secret in found if len(secret) >= _SHORTEST_STRAY)


def _longest_first(secrets: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(secrets, key=len, reverse=True))


def _without_tokens(line: Parsed | Unparsed, tokens: Sequence[str]) -> Parsed | Unparsed:
    """The line with its repeated part and its text free of tokens; its own token argument stays."""
    if isinstance(line, Unparsed):
        error = line.error
        if isinstance(error, WhichOne):
            # A token may begin like a square.
            error = replace(error, choices=tuple(_free_of(choice, tokens) for choice in error.choices))
        return replace(line, line=_free_of(line.line, tokens), error=error)
    shown, text = _free_of(line.line, tokens), _free_of(line.arguments.text, tokens)
    if (shown, text) == (line.line, line.arguments.text):
        return line
    return replace(line, line=shown, arguments=replace(line.arguments, text=text))


def _free_of(text: str, tokens: Sequence[str]) -> str:
    """The text without these tokens, in any case or decoration."""
    # Other letters may be forms of those in a token.
    if not tokens or (text.isascii() and not any(token in text.lower() for token in tokens)):
        return text
    any_token = re.compile("|".join(map(re.escape, tokens)), re.IGNORECASE)
    plain = ((line, normalised(line)) for line in text.split("\n"))
    return "\n".join(any_token.sub(BLOT, each) if any_token.search(each) else line for line, each in plain)


def _comment(text: str, secrets: tuple[str, ...], tokens: Sequence[str] = ()) -> str:
    if len(secrets) > _MOST_SECRETS:
        return ""
    lines = _free_of(text, tokens).split("\n")
    if secrets:
        lines = [_without(line, secrets) for line in lines]
    return "\n".join(lines)[:MOST_COMMENT_CHARACTERS].rstrip()


def _without(line: str, secrets: tuple[str, ...]) -> str:
    """The line as written, or with its secrets blotted out, in any decoration."""
    plain = normalised(line)
    blotted = _blot(plain, secrets)
    return line if blotted == plain else blotted


def _blot(text: str, secrets: tuple[str, ...]) -> str:
    for secret in secrets:
        text = text.replace(secret, BLOT)
    return text
