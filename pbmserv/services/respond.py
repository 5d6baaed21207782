"""What is to be said for one mail: one answer to its sender, and the boards that changed to everybody else."""

from collections.abc import Sequence
from hashlib import sha256
from typing import Final

from pbmserv.commands.address import SignedUp, Welcome
from pbmserv.commands.command import BoardRef, Confirmation, Decision, Question, Remark, words_above
from pbmserv.commands.letter import TO_UNKNOWN_SENDERS, Answer, Letter, MailCause, Notice, ShownBoard
from pbmserv.commands.move import Previewed, Submitted
from pbmserv.commands.permission import speaks_on
from pbmserv.commands.practice import (
    BadFirstMove,
    BadPuzzleMove,
    PracticeBegun,
    PracticeOffered,
    PuzzleMissed,
    PuzzlePosed,
)
from pbmserv.games.game import Move
from pbmserv.matches.log import Entry
from pbmserv.matches.moves import AmbiguousMove
from pbmserv.parser.parsed import Parsed, named_userids
from pbmserv.services.compose import ReplyContext
from pbmserv.services.line_reports import answered_line, entry_before, sendable_words, subject_of, waiting_words
from pbmserv.services.notices import BoardChange, board_notices, digest_offer, late_links, player_notices
from pbmserv.services.run import CommandResult, decisions, has_changed, touched
from pbmserv.store.queries import TransactionQueries

MOST_TOUCHED_SHOWN: Final = 5
"""The most boards that are shown because something happened on them."""

MOST_SHOWN: Final = 20
"""The most boards in one answer."""


def answer_to(
    records: TransactionQueries,
    to: ReplyContext,
    results: Sequence[CommandResult],
    remarks: Sequence[Remark] = (),
) -> Answer:
    """The answer to the sender: what became of each line, then the boards it is about.

    `remarks` stand above the boards, besides those that the decisions make.
    """
    boards, unshown = _boards_for_sender(results, to, (*remarks, *remarks_of(results)))
    asks = _awaited_yes(records, to, results, boards) or _question_here(to, results)
    known = None
    if to.kind not in TO_UNKNOWN_SENDERS:
        known = records.known_among(named_userids(result.line for result in results))
    decided = decisions(results)
    lines = [answered_line(result, records, asks, known) for result in results]
    if any(isinstance(decision.reply, PracticeBegun) for decision in decided):
        # Its board welcomes them.
        lines = [each for each in lines if not isinstance(each.said, SignedUp)]
    return Answer(
        lines=tuple(lines),
        about=subject_of(results[0]),
        boards=boards,
        unshown=unshown,
        concerned=tuple({board: None for result in results for board in result.boards}),
        asks=asks,
        left_out=sendable_words(records, results, to.left_out),
        notes=(*late_links(records, to.player), *digest_offer(records, to.player, results)),
        records=tuple({board.match.number: None for each in decided for board in each.records}),
        puzzle=next(filter(None, map(_puzzle, results)), None),
        is_known=any(each.actor and each.actor.player for each in results),
        newcomer=next(filter(None, (_newcomer(result, asks) for result in results)), ""),
        has_changed=any(map(has_changed, results)),
    )


def letters_to_others(
    records: TransactionQueries, to: ReplyContext, results: Sequence[CommandResult]
) -> list[Letter]:
    """Everything that goes to others than the sender: changed boards, notices to players, news to addresses."""
    decided = decisions(results)
    cause = MailCause(to.inbox_id)
    news = [
        Letter(Notice(reply), "notice", address, cause=cause)
        for decision in decided
        for address, reply in decision.to_addresses
        if address != to.recipient
    ]
    told = [each for decision in decided for each in decision.to_players]
    return [*_changed_boards(records, to, results), *news, *player_notices(records, told, cause)]


def _changed_boards(
    records: TransactionQueries, to: ReplyContext, results: Sequence[CommandResult]
) -> list[Letter]:
    """The boards that changed, for everybody but the recipient of the answer."""
    letters: list[Letter] = []
    entries: dict[int, tuple[Entry, ...]] = {}
    # Who first did something on each board.
    authors: dict[int, CommandResult] = {}
    opened: set[int] = set()
    for result in results:
        if isinstance(result.outcome, Decision):
            for entry in result.outcome.entries:
                entries[entry.match] = (*entries.get(entry.match, ()), entry)
            if result.outcome.opened:
                opened.add(result.outcome.opened.number)
            if result.actor and result.actor.player:
                for number in result.outcome.changed_boards:
                    authors.setdefault(number, result)
    for number, board in sorted(touched(results).items()):
        author = authors.get(number)
        actor = author.actor if author else None
        change = BoardChange(
            board,
            entries=entries.get(number, ()),
            author=actor.player.userid if actor and actor.player else None,
            words=author.comment if author and actor and speaks_on(actor, board.match, records) else "",
            is_talk=number not in entries and number not in opened,
            remarks=remarks_of(results),
            cause=MailCause(to.inbox_id, proven=to.proven),
        )
        letters += board_notices(records, change, but=to.recipient)
    return letters


def questions(results: Sequence[CommandResult], asked_here: Confirmation | None) -> list[Question]:
    """The questions that need mails of their own; `asked_here` is the one that the answer asks."""
    found = (decision.question for decision in decisions(results))
    return [each for each in found if each is not None and each.confirmation != asked_here]


def _awaited_yes(
    records: TransactionQueries, to: ReplyContext, results: Sequence[CommandResult], boards: Sequence[ShownBoard]
) -> Confirmation | None:
    """One question about all lines and words of the mail that wait for a `yes`."""
    waiting = [result for result in results if result.awaits_yes and isinstance(result.line, Parsed)]
    if not waiting or to.player is None:
        return None
    lines = tuple(f"{result.line.line}\n{waiting_words(result)}".rstrip() for result in waiting)
    digest = sha256("\n".join(lines).encode()).hexdigest()
    seen = ((each.number, records.board(each.number)) for each in boards if each.ply is None)
    return Confirmation(
        kind="commands",
        userid=to.player.userid,
        address=to.recipient,
        about=f"commands {to.player.userid.lower()} {digest}",
        lines=lines,
        shown=tuple((number, board.state.plies) for number, board in seen if board is not None),
    )


def _question_here(to: ReplyContext, results: Sequence[CommandResult]) -> Confirmation | None:
    """The first question that goes to the same address as the answer."""
    asked = [question.confirmation for question in questions(results, None)]
    again = [result.still_asked for result in results if result.still_asked]
    return next((each for each in (*asked, *again) if each.address == to.recipient), None)


def _boards_for_sender(
    results: Sequence[CommandResult], to: ReplyContext, remarks: Sequence[Remark]
) -> tuple[tuple[ShownBoard, ...], tuple[int, ...]]:
    """The boards that the answer shows, and the numbers of changed ones that it has no room for."""
    asked: dict[BoardRef, None] = {}
    concerned: dict[int, None] = {}
    previews: list[ShownBoard] = []
    begun: dict[int, Move] = {}
    for result in results:
        if isinstance(result.outcome, Decision):
            asked.update(dict.fromkeys(result.outcome.shown))
            previews += tried_on(result.outcome)
            concerned.update(dict.fromkeys([*result.outcome.changed_boards, *result.awaited_boards]))
        elif result.outcome.board is not None:
            concerned.update(dict.fromkeys([result.outcome.board]))
            if isinstance(result.outcome, AmbiguousMove) and result.outcome.begun:
                begun[result.outcome.board] = result.outcome.begun
    changed = touched(results)

    def shown(ref: BoardRef, whole: bool) -> ShownBoard:
        is_changed = ref.number in changed
        return ShownBoard(
            ref.number,
            ref.ply,
            is_whole=whole,
            remarks=tuple(words_above(remarks, ref.number, to.player.userid if to.player else None)),
            since=entry_before(changed[ref.number], results) if is_changed else None,
            is_changed=is_changed,
            begun=() if is_changed else begun.get(ref.number, ()),
        )

    present = [BoardRef(number) for number in concerned if BoardRef(number) not in asked]
    wanted = [*((ref, False) for ref in present[:MOST_TOUCHED_SHOWN]), *((ref, True) for ref in asked)]
    boards = (*previews, *(shown(ref, whole) for ref, whole in wanted[:MOST_SHOWN]))
    return boards, tuple(ref.number for ref in present[MOST_TOUCHED_SHOWN:] if ref.number in changed)


def tried_on(decision: Decision) -> list[ShownBoard]:
    """The boards on which moves were only tried."""
    tried = decision.reply.moves if isinstance(decision.reply, Previewed | Submitted) else ()
    return [ShownBoard(board.match.number, tried=tried, is_whole=True) for board in decision.previews]


def _puzzle(result: CommandResult) -> int | None:
    """The puzzle that somebody is to see, to try it, or to try again."""
    match result.outcome:
        case (
            BadPuzzleMove(puzzle=puzzle) | Decision(reply=PuzzlePosed(puzzle=puzzle) | PuzzleMissed(puzzle=puzzle))
        ):
            return puzzle
    return None


def _newcomer(result: CommandResult, asks: Confirmation | None) -> str | None:
    """The player whose practice board belongs to what is said of a line."""
    match result.outcome:
        case BadFirstMove(userid=userid):
            return userid
        case Decision(reply=SignedUp(userid=userid) | PracticeOffered(userid=userid)):
            return userid
        case Decision(question=question) if question is not None and question.confirmation == asks:
            words = question.words
            return words.userid if isinstance(words, Welcome) else None
    return None


def remarks_of(results: Sequence[CommandResult]) -> tuple[Remark, ...]:
    """What the boards that changed say above them."""
    return tuple(remark for decision in decisions(results) for remark in decision.remarks)
