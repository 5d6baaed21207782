"""What is held while the lines of a mail are decided: the boards they change, the players they seat or take away.

All of it is held before anything is read that a decision rests on: open offers, then players, then boards, each in
ascending order.
"""

from collections.abc import Collection, Iterable
from typing import Final

from sqlalchemy import Connection

from pbmserv.commands.message import Parsed, Unparsed
from pbmserv.services.identify import Proofs
from pbmserv.services.standing import Standing
from pbmserv.services.steps import Step
from pbmserv.store import listing, matches, offers, players

LEAVING: Final = frozenset({"delete", "signoff"})
"""Commands after which a player sits at no running board."""


def hold(connection: Connection, lines: Iterable[Parsed | Unparsed], acting: Collection[str]) -> None:
    """Holds what the lines are about until the transaction ends; `acting` are those who may have given them.

    Whoever leaves is held against everybody, so that no board is begun with them meanwhile; whoever begins one or
    is seated at it against those who leave. A board is held too of which a rematch may begin: there is one at a
    time.
    """
    parsed = [line for line in lines if isinstance(line, Parsed)]
    leavers = acting if any(line.command.name in LEAVING for line in parsed) else ()
    wanted = [line.arguments.offer for line in parsed if line.arguments.offer is not None]
    offers.lock(connection, wanted, leavers)
    opening = [line for line in parsed if line.command.kind == "opening" or line.arguments.offer is not None]
    again = [ref.number for line in opening for ref in line.arguments.boards]
    seated = [userid for line in opening for userid in line.arguments.userids]
    seated += [*offers.players_of(connection, wanted), *matches.sitting_at(connection, again)]
    players.lock(connection, [*leavers, *seated, *(acting if opening else ())], alone=bool(leavers))
    bound = [ref.number for line in parsed if line.command.kind == "binding" for ref in line.arguments.boards]
    matches.lock(connection, [*bound, *again, *listing.running_of(connection, leavers)])


def acting(todo: Iterable[Step], standing: Standing, proofs: Proofs) -> frozenset[str]:
    """The userids of all in whose name a line may be carried out, but for accounts that the mail itself opens."""
    known = [standing.player.userid] if standing.player else []
    asked = [step.asked.userid for step in todo if step.asked]
    return frozenset([*known, *asked, *(claim.userid for claim in proofs.true_claims)])
