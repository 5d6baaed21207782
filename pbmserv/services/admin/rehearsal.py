"""A rehearsal: what a command of the operator would do, found out by doing it and undoing it at once."""

from dataclasses import dataclass, replace

from pbmserv.matches.replay import GameState
from pbmserv.services.app import App
from pbmserv.store.engine import rehearsing
from pbmserv.store.recent_boards import RecentBoards


@dataclass(frozen=True, slots=True)
class Effect:
    """What a command does: to boards, as they stand after it, and to accounts; and the addresses that get mail."""

    boards: tuple[GameState, ...]
    to: tuple[str, ...]
    # What is erased, such as "The account of bob".
    erases: str = ""
    # Whether nobody can take it back so that all is as it was.
    is_final: bool = True


def rehearsal(app: App) -> App:
    """The same App, but nothing that it writes is kept, and no board that it changes is remembered."""
    return replace(app, engine=rehearsing(app.engine), recent=RecentBoards())
