"""A player leaves whose opponent could not have won: it is a draw, but by the rules of before it was a win."""

from collections.abc import Callable
from typing import cast

import pytest
from sqlalchemy import text

from pbmserv.games.chess import atomic
from pbmserv.games.game import Game
from pbmserv.services.admin import banning
from pbmserv.services.admin.check import check
from pbmserv.services.scheduler.clocks import look_after_clocks
from pbmserv.store.engine import writing
from tests.services.post import Post, begin_played, board_of, text_of

ALICE, BOB = "alice@example.org", "bob@example.org"
TO_A_BARE_KING = """
    a4 b5 axb5 Bb7 Rxa7 c5 d4 Qb6 dxc5 h6 Bxh6 Rxh2 Qd4 Nh6 Qxg7 f5 e4 fxe4 Bb5 Kf8 Bxd7 e5 f4 exf4
"""
"""Black, who is bob, has nothing but the king then."""


def begin(post: Post) -> None:
    begin_played(post, cast(Game, atomic), TO_A_BARE_KING)


def run_out(post: Post) -> None:
    with writing(post.house.engine) as connection:
        connection.execute(
            text(
                "UPDATE clocks SET started_at = last, next_at = last FROM "
                "(SELECT last_at AS last FROM matches) AS found"
            )
        )
    post.clock.move(days=22)
    look_after_clocks(post.house, post.clock())


def outcome_way(post: Post) -> str:
    return str(board_of(post).state.ending)


WAYS: dict[str, tuple[Callable[[Post], object], str, str]] = {
    "resigned": (
        lambda post: post.mail(ALICE, "resign 101"),
        "You resigned.",
        "alice resigned.",
    ),
    "signed off": (
        lambda post: post.mail(ALICE, "signoff"),
        "You resigned.",
        "alice resigned.",
    ),
    "banned": (
        lambda post: banning.ban(post.house, "alice", "", post.clock()),
        "The operator took you off the board.",
        "The operator took alice off the board.",
    ),
    "forfeited": (run_out, "You are out of time.", "alice ran out of time."),
}


@pytest.mark.parametrize("way", WAYS)
def test_it_is_a_draw(sqlite_post: Post, way: str) -> None:
    """Told to both, rated as a draw, and the bare king's resignation is lost all the same."""
    post = sqlite_post
    begin(post)
    leave, to_alice, to_bob = WAYS[way]
    leave(post)
    outcome = board_of(post).state.outcome
    assert outcome is not None
    assert (outcome.ranks, outcome.reason) == ((1, 1), "bare")
    told = {
        letter.recipient: " ".join(text_of(letter).split()) for letter in post.letters() if letter.match == 101
    }
    assert f"{to_bob} The game is a draw, since you have too few pieces left to win." in told[BOB]
    if ALICE in told:
        assert f"{to_alice} The game is a draw, since bob has too few pieces left to win." in told[ALICE]
    (record,) = post.mail(BOB, "record 101")
    assert "draw between alice and bob, since bob has too few pieces left" in " ".join(text_of(record).split())
    (history,) = post.mail(BOB, "history bob")
    said = {"resigned": "drawn after a resignation", "forfeited": "drawn after time ran out"}
    assert said.get(outcome_way(post), "drawn, one player was removed") in " ".join(text_of(history).split())
    assert check(post.house) == []


def test_a_board_under_the_first_rules_is_lost(sqlite_post: Post) -> None:
    """As it was when it began; the bare king's player loses by resigning, under whatever rules."""
    begin(sqlite_post)
    with writing(sqlite_post.house.engine) as connection:
        connection.execute(text("UPDATE matches SET rules = 'atomic/1'"))
    *_, letter = sqlite_post.mail(ALICE, "resign 101")
    assert "You won: alice resigned." in text_of(letter) or "You resigned; bob won." in text_of(letter)
    assert check(sqlite_post.house) == []


def test_whoever_cannot_win_may_still_lose(sqlite_post: Post) -> None:
    begin(sqlite_post)
    sqlite_post.mail(BOB, "resign 101")
    assert "You won: bob resigned." in text_of(sqlite_post.sent_to(ALICE)[-1])
