"""What can be touched next."""

from itertools import islice

from pbmserv.games import games
from pbmserv.games.choices import MOST_COUNTED, choices
from tests.every import for_each


@for_each("name", sorted(games()))
def test_each_choice_goes_on_as_it_says(name: str) -> None:
    """Its text is read as its only move where it has one; the choices are all that the moves begin with."""
    game = games()[name]
    position = game.start(game.info.least_seats, {})
    found = choices(game, position)
    assert [choice.step for choice in found] == list(dict.fromkeys(move[0] for move in game.moves(position)))
    are_counted = len(list(islice(game.moves(position), MOST_COUNTED))) < MOST_COUNTED
    for choice in found:
        ways = len(list(islice(game.moves(position, (choice.step,)), MOST_COUNTED)))
        assert choice.ways == (ways if ways == 1 or are_counted else MOST_COUNTED)
        assert (choice.move is not None) == (choice.ways == 1)
        if choice.move:
            assert game.read(position, choice.text) == choice.move


def test_where_there_are_very_many_moves_no_first_step_is_missed() -> None:
    """Two stones on a board of 19 lines: 64,620 moves, which begin on each empty point."""
    game = games()["connect6"]
    position = game.start(2, {})
    position, _ = game.play(position, next(iter(game.moves(position))))
    found = choices(game, position)
    assert len(found) == 360
    assert {choice.ways for choice in found} == {MOST_COUNTED}
    second = choices(game, position, (found[7].step,))
    assert len(second) == 359
    assert all(choice.move for choice in second)
