"""What an operator does, in the words of `pbmserv admin`, for conversations on a clock that can be moved."""

from datetime import datetime

from pbmserv.services.admin import act, banning, mails, referee
from pbmserv.services.app import App


def operate(house: App, text: str, now: datetime) -> None:
    """`end 101 --annul`, `end 101 --award bob`, `undo 101 3`, `extend 101 bob 3`, `ban bob`...; a reason last."""
    match text.split():
        case ["end", board, "--annul", *why]:
            referee.rule(house, int(board), referee.annul(" ".join(why)), now)
        case ["end", board, "--award", userid, *why]:
            referee.rule(house, int(board), referee.award(userid, " ".join(why)), now)
        case ["undo", board, ply, *why]:
            referee.rule(house, int(board), referee.take_back(int(ply), " ".join(why)), now)
        case ["extend", board, userid, days, *why]:
            referee.rule(house, int(board), referee.extend(userid, int(days), " ".join(why)), now)
        case ["pause", board, *why]:
            referee.rule(house, int(board), referee.pause(" ".join(why)), now)
        case ["resume", board, *why]:
            referee.rule(house, int(board), referee.resume(" ".join(why)), now)
        case ["ban", who, *why] if banning.is_pattern(who):
            banning.silence(house, who, " ".join(why), now)
        case ["unban", who] if banning.is_pattern(who):
            banning.lift_address_ban(house, who)
        case ["ban", userid, *why]:
            banning.ban(house, userid, " ".join(why), now)
        case ["unban", userid, *why]:
            banning.unban(house, userid, " ".join(why), now)
        case ["address", userid, address]:
            act.give_address(house, userid, address, now)
        case ["invite", address]:
            act.invite(house, address, now)
        case ["announce", *words]:
            mails.announce(house, " ".join(words), now)
        case _:
            raise ValueError(text)
