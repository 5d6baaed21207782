"""The laws that hold for every game found, with every number of seats and every option value.

They are stated in `pbmserv/services/laws`, which tries them on games of other packages too. Here are those of how
games go and end; `test_laws_of_moves.py` has those of reading and tapping,
`test_laws_of_scenes.py` those of boards, `test_information.py` those of facts and options. A new game needs
nothing in any of them. It needs a rules text and a golden game:

* `templates/en/rules/NAME.txt` is plain text of at most 72 columns. A paragraph that begins with a number and
  a dot at the left edge (`4. A capture takes ...`) is a rule, which `Illegal` can quote by its number; it ends at
  the next blank line. The rules are numbered from 1 without a gap.
* `tests/games/golden/NAME.txt` is one or more whole games: see `test_golden_games.py`.
"""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbmserv.games import games
from pbmserv.services.laws.moves import check_leaving, check_playout, check_position
from pbmserv.services.laws.setups import Setup, reached, setups_of
from tests.every import for_each
from tests.examples import examples
from tests.games.by_hand import at_limit
from tests.games.setups import NAMES, PLIES, SEEDS, cases

LIMITS = ("exhausted", "repeated", "perpetual")
"""What a game ends by that counts plies, or looks at earlier ones."""
MANY = tuple(name for name in NAMES if games()[name].info.most_seats > 2)


@pytest.mark.parametrize("setup", cases())
def test_random_playouts_end_and_replay(setup: Setup) -> None:
    """And an end comes before any limit: it is the same after very many plies without progress."""
    position = check_playout(setup)
    ended = setup.game.outcome(position)
    if ended is not None and ended.reason not in LIMITS:
        assert setup.game.outcome(at_limit(position)) == ended


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data(), plies=PLIES, seed=SEEDS)
@examples(30)
def test_laws_of_a_position(name: str, data: st.DataObject, plies: int, seed: int) -> None:
    random = Random(seed)
    setup = data.draw(st.sampled_from(setups_of(name)))
    check_position(setup, reached(setup, plies, random), random)


@for_each("name", NAMES)
def test_one_may_leave_where_the_others_can_play_on(name: str) -> None:
    assert hasattr(games()[name], "leave") == (name in MANY)


@pytest.mark.parametrize("setup", cases(MANY))
def test_players_leave_until_one_is_alone(setup: Setup) -> None:
    check_leaving(setup)
