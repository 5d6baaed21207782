"""Ratings reckoned from matches in memory, every time anew."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from pbmserv.matches.log import Match
from pbmserv.matches.player import Player
from pbmserv.matches.rankings import SECTIONS, Ranked, RatedMatch, Standings
from pbmserv.matches.ratings import Change, RatingResult, Section, Tally, ranks_of, reckoned
from pbmserv.matches.replay import replay

Ids = Mapping[str, int]


def changes(matches: Mapping[int, Match], ids: Ids, game: str) -> tuple[Change, ...]:
    """What every match of a game did."""
    results = []
    for board in map(replay, matches.values()):
        ranks = ranks_of(board)
        if ranks is not None and board.match.game == game:
            sat = [ids[userid] for userid in board.match.userids]
            results.append(
                RatingResult(board.state.last_at, board.match.number, tuple(zip(sat, ranks, strict=True)))
            )
    return reckoned({}, results)


def tallies(matches: Mapping[int, Match], ids: Ids, game: str) -> dict[int, Tally]:
    """What it came to."""
    return {change.player_id: change.after for change in changes(matches, ids, game)}


def rated_matches(
    matches: Mapping[int, Match], ids: Ids, player_id: int, game: str | None
) -> Sequence[RatedMatch]:
    """A player's, newest first."""
    lines = []
    for name in {match.game for match in matches.values()} if game is None else {game}:
        for each in changes(matches, ids, name):
            if each.player_id == player_id:
                userids = matches[each.board].userids
                line = RatedMatch(each.at, each.board, name, userids, each.rank, each.before, each.after.rating)
                lines.append(line)
    return sorted(lines, key=lambda line: (line.at, line.board), reverse=True)


def standings(
    matches: Mapping[int, Match],
    players: Iterable[Player],
    game: str,
    sections: Sequence[Section],
    now: datetime,
    first: int,
    count: int,
) -> Standings:
    """The players of a game, section by section."""
    known = {player.id: player for player in players}
    found = tallies(matches, {player.userid: player.id for player in known.values()}, game)
    by_section: dict[Section, list[tuple[Player, Tally]]] = {section: [] for section in SECTIONS}
    for player_id, tally in sorted(
        found.items(), key=lambda each: (-each[1].rating.mu, known[each[0]].userid.lower())
    ):
        by_section[tally.section(now)].append((known[player_id], tally))
    lines = [
        Ranked(
            section, place if section == "established" else None, player.userid, player.robot is not None, tally
        )
        for section in SECTIONS
        if section in sections
        for place, (player, tally) in enumerate(by_section[section], 1)
    ]
    return Standings(
        tuple(lines[first : first + count]), {section: len(each) for section, each in by_section.items()}
    )
