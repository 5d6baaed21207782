"""Pools: which matches share ratings, and the names under which these are stored, listed and linked."""

from pbmserv.games import games
from pbmserv.matches.ratings import (
    LONGEST_NAME,
    Pool,
    is_of_pools,
    pool_named,
    pool_of,
    pool_with,
    pools_of,
    values_of,
)
from pbmserv.store.tables import rating_changes, ratings, recounts
from tests.every import for_each
from tests.store.club import new_match


@for_each("game", games())
def test_every_pool_of_a_game_is_found_by_its_name(game: str) -> None:
    """Names are told apart, lead back to their pools, and fit into the columns that hold them."""
    pools = pools_of(game)
    assert pools[0] == Pool(game)
    assert pools[0].title == games()[game].info.title
    assert len({pool.name for pool in pools}) == len({pool.title for pool in pools}) == len(pools)
    for pool in pools:
        assert pool_named(pool.name) == pool
        assert len(pool.name) <= LONGEST_NAME
        assert pool_with(game, pool.options) == pool


@for_each("table", [ratings, rating_changes, recounts])
def test_columns_are_as_wide_as_names(table: object) -> None:
    column = getattr(table, "c").pool  # noqa: B009
    assert column.type.length == LONGEST_NAME


def test_sizes_are_pools_and_the_default_is_the_plain_one() -> None:
    assert [pool.name for pool in pools_of("hex")] == ["hex", "hex 13", "hex 14", "hex 19"]
    assert pool_with("hex", (("size", "11"),)) == pool_with("hex", ()) == Pool("hex")
    assert pool_with("reversi", (("size", "10"),)).title == "Reversi 10"


def test_numbers_of_an_option_share_a_pool() -> None:
    """Of 960 first positions the usual one has its own, and all others one together."""
    names = ["chess", "chess checks=3", "chess checks=3 setup=any", "chess setup=any"]
    assert [pool.name for pool in pools_of("chess")] == names
    assert pool_with("chess", (("setup", "0"), ("checks", "off"))) == pool_with("chess", (("setup", "959"),))
    assert pool_with("chess", (("setup", "518"),)) == Pool("chess")
    setup = games()["chess"].info.options[1]
    assert values_of(setup) == ("518", "any")
    assert [is_of_pools(setup, value) for value in ("any", "7", "518", "960", "x")] == [True] * 3 + [False] * 2


def test_a_match_is_in_one_pool() -> None:
    """Whoever plays it, and whatever version of the rules it has; a game that is not here any more has one too."""
    match = new_match(101, "ann", "bob")
    assert pool_of(match) == pool_of(new_match(102, "cem", "dee", "eve")) == pool_with("cephalopod", match.options)
    assert pool_of(match).name == "cephalopod 3x3"
    assert pool_with("ludo", (("size", "8"),)).title == "ludo 8"
    assert pools_of("ludo") == (Pool("ludo"),)
