"""Ratings reckoned from matches in memory, every time anew."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from pbmserv.matches.log import Match
from pbmserv.matches.player import Player
from pbmserv.matches.ratings import (
    SECTIONS,
    Pool,
    Ranked,
    RatedMatch,
    RatingChange,
    RatingResult,
    Section,
    Standings,
    Tally,
    pool_of,
    ranks_of,
    reckoned,
)
from pbmserv.matches.replay import replay

Ids = Mapping[str, int]


def changes(matches: Mapping[int, Match], ids: Ids, pool: Pool) -> tuple[RatingChange, ...]:
    """What every match of a pool did."""
    results = []
    for board in map(replay, matches.values()):
        ranks = ranks_of(board)
        if ranks is not None and pool_of(board.match) == pool:
            sat = [ids[userid] for userid in board.match.userids]
            results.append(
                RatingResult(board.state.last_at, board.match.number, tuple(zip(sat, ranks, strict=True)))
            )
    return reckoned({}, results)


def tallies(matches: Mapping[int, Match], ids: Ids, pool: Pool) -> dict[int, Tally]:
    """What it came to."""
    return {change.player_id: change.after for change in changes(matches, ids, pool)}


def pools(matches: Mapping[int, Match], game: str | None = None) -> list[Pool]:
    """The pools of all matches that count, or of those of a game."""
    counting = {pool_of(match) for match in matches.values() if ranks_of(replay(match)) is not None}
    return sorted((pool for pool in counting if game in (None, pool.game)), key=lambda pool: pool.name)


def rated_matches(
    matches: Mapping[int, Match], ids: Ids, player_id: int, game: str | None
) -> Sequence[RatedMatch]:
    """A player's, newest first."""
    lines = []
    for pool in pools(matches, game):
        for each in changes(matches, ids, pool):
            if each.player_id == player_id:
                userids = matches[each.board].userids
                after = each.after
                line = RatedMatch(
                    each.at, each.board, pool, userids, each.rank, each.before, after.rating, after.counted
                )
                lines.append(line)
    return sorted(lines, key=lambda line: (line.at, line.board), reverse=True)


def standings(
    matches: Mapping[int, Match],
    players: Iterable[Player],
    pool: Pool,
    sections: Sequence[Section],
    now: datetime,
    first: int,
    count: int,
) -> Standings:
    """The players of a pool, section by section."""
    known = {player.id: player for player in players}
    found = tallies(matches, {player.userid: player.id for player in known.values()}, pool)
    by_section: dict[Section, list[tuple[Player, Tally]]] = {section: [] for section in SECTIONS}

    def order(player_id: int) -> tuple[bool, float, str]:
        tally = found[player_id]
        is_hidden = not tally.rating.is_established
        return is_hidden, -(tally.counted if is_hidden else tally.rating.mu), known[player_id].userid.lower()

    for player_id in sorted(found, key=order):
        tally = found[player_id]
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
