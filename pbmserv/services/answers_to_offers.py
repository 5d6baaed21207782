"""An answer to an offer is an answer: `yes` to a mail whose open question is a draw or a take-back accepts it."""

from dataclasses import replace
from typing import Final

from sqlalchemy import Connection

from pbmserv.matches.log import MissingRules
from pbmserv.parser.agreeing import answer_in, words_beside
from pbmserv.parser.parsed import IncomingMail, NotPlainlySaid, Parsed, ParsedMail, Unparsed
from pbmserv.services.app import App
from pbmserv.services.sender import SenderIdentity
from pbmserv.store.queries import TransactionQueries

_ANSWERS: Final = frozenset({"yes", "no"})


def as_answer_to_offer(
    connection: Connection, app: App, mail: IncomingMail, parsed: ParsedMail, identity: SenderIdentity
) -> IncomingMail | ParsedMail | None:
    """The mail as if it had said `accept` or `reject`, its words below; where it is in doubt, the question.

    None where nothing of the kind waits for its sender, or the mail says something else.
    """
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
    if identity.board is None or identity.player is None:
        return False
    try:
        board = TransactionQueries(connection, app.recent).board(identity.board)
    except MissingRules:
        return False
    offer = board.state.offer if board is not None else None
    return (
        offer is not None and board is not None and board.match.seat_of(identity.player.userid) in offer.waits_for
    )
