"""What was agreed before a game is said in one line, wherever somebody reads of the game."""

from dataclasses import replace
from datetime import UTC, datetime

from pbmserv.commands.boards import BoardList
from pbmserv.commands.offers import OfferOpened
from pbmserv.commands.server import Server
from pbmserv.commands.time_options import read_time_options
from pbmserv.games import games
from pbmserv.matches.clock import TimeControl
from pbmserv.matches.log import Match
from pbmserv.matches.moves import play, resign
from pbmserv.matches.open_offer import OpenOffer
from pbmserv.matches.queries import BoardRow, ListingQuery
from pbmserv.matches.replay import GameState, replay
from pbmserv.matches.state import summarise
from pbmserv.rendering.board import view_board
from pbmserv.rendering.html_board import draw_board
from pbmserv.rendering.record import game_log
from pbmserv.rendering.templates import render, say
from tests.conftest import ADDRESS
from tests.every import for_each

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
SERVER = Server(ADDRESS)
SHORT = (("forfeittime", "3"), ("totaltime", "10"), ("increment", "12"))
LINE = "9 lines, unrated, 3 days a turn, 10 days in all and 12 hours more with each move"


def match(game: str, options: dict[str, str], rated: bool = True, clock: TimeControl | None = None) -> Match:
    """A new match of alice and bob."""
    given, rules, played = tuple(options.items()), games()[game].info.rules, clock or TimeControl()
    return Match(101, game, rules, given, rated, ("alice", "bob"), "alice", NOON, clock=played)


def hidden_terms() -> Match:
    """One whose terms are none of the usual ones."""
    clock, _ = read_time_options(SHORT, "")
    return match("go", {"size": "9"}, rated=False, clock=clock)


def after(agreed: Match, move: str) -> GameState:
    """The board after a first move."""
    board = replay(agreed)
    return board.apply(play(board, 0, move, None, NOON))


@for_each(
    ("game", "options", "told"),
    [
        ("go", {}, "19 lines"),
        ("cephalopod", {"size": "3x5"}, "3 by 5 squares"),
        ("amazons", {}, "10 by 10 squares"),
        ("hex", {"size": "13"}, "13 by 13 cells"),
        ("havannah", {}, "8 cells a side"),
        ("bridges", {"size": "12"}, "12 by 12 holes"),
        ("dots-and-boxes", {}, "5 by 5 boxes"),
        ("kalah", {"seeds": "6"}, "6 seeds in each pit"),
        ("chess", {}, ""),
        ("chess", {"checks": "3"}, "the third check wins"),
        ("chess", {"setup": "7", "checks": "3"}, "the third check wins, first position 7 of Chess960"),
        ("tic-tac-toe", {}, ""),
    ],
)
def test_settings_in_plain_words(game: str, options: dict[str, str], told: str) -> None:
    said = render("mail/terms.txt", view=view_board(replay(match(game, options))))
    begins = f"{told}, rated" if told else "rated"
    assert said.strip() == f"{begins[0].upper()}{begins[1:]}, 21 days a turn."


@for_each(
    ("options", "told"),
    [
        ("", "21 days a turn"),
        ("forfeittime=36h", "1 day and 12 hours a turn"),
        ("forfeittime=none", "no time limit"),
        ("forfeittime=none totaltime=30", "30 days in all"),
        ("totaltime=30 increment=1", "21 days a turn, 30 days in all and 1 hour more with each move"),
        (
            "totaltime=30 increment=36",
            "21 days a turn, 30 days in all, and 1 day and 12 hours more with each move",
        ),
        ("nagtime=2", "21 days a turn, first reminder after 2 days"),
        ("nagtime=none", "21 days a turn"),
    ],
)
def test_time_in_plain_words(options: str, told: str) -> None:
    given = tuple((name, value) for name, _, value in (each.partition("=") for each in options.split()))
    clock, _ = read_time_options(given, "")
    said = render("mail/terms.txt", view=view_board(replay(match("tic-tac-toe", {}, clock=clock))))
    assert said.strip() == f"Rated, {told}."


def test_every_place_has_the_line() -> None:
    """The invitation as text, in words and in HTML, an offer, a listing, the record."""
    agreed = hidden_terms()
    board = replay(agreed)
    offer = OpenOffer(1, 1, "alice", "go", agreed.options, False, agreed.clock, 2, False, NOON)
    facts = (101, "go", agreed.options, agreed.userids, NOON, summarise(board.state), False, agreed.clock)
    said: list[str] = [say(OfferOpened(offer), SERVER)]
    for words in (False, True):
        for viewer in ("alice", "bob"):
            view = view_board(board, viewer)
            said.append(render("mail/board.txt", words=words, view=view, alone=True, server=SERVER))
        story = game_log(board)
        said.append(render("mail/record.txt", words=words, story=story, attached=(), server=SERVER))
        listing = say(BoardList(ListingQuery(), (BoardRow(*facts),), 1), SERVER, words)
        assert "9 lines" in listing
        assert LINE.partition(", ")[2] in listing
    said.append(draw_board(view_board(board, "bob"), ADDRESS) or "")
    assert [LINE in each for each in said] == [True] * len(said)


def test_later_mails_have_it_where_the_board_does_not_show_it() -> None:
    def is_told(agreed: Match) -> bool:
        board = after(agreed, "pass" if agreed.game == "go" else "e2-e4")
        return bool(render("mail/terms.txt", view=view_board(board, "bob")).strip())

    assert is_told(hidden_terms())
    assert not is_told(match("go", {"size": "9"}))
    assert is_told(match("chess", {"checks": "3"}))
    assert not is_told(match("chess", {}))
    assert is_told(match("chess", {}, rated=False))
    # Against robots games are not rated unless somebody says so, and in practice nothing was agreed.
    robots = replace(match("chess", {}, rated=False), userids=("alice", "robot"))
    assert not is_told(robots)
    assert is_told(replace(robots, rated=True))
    assert not is_told(replace(robots, practice=True, clock=None))


def test_others_are_offered_to_go_on_without_whoever_declined() -> None:
    """By a tap, and in the text; whoever declined is offered the whole game again."""
    agreed = replace(match("cephalopod", {}), userids=("alice", "bob", "carol"))
    board = replay(agreed)
    board = board.apply(resign(board, 2, NOON))
    for viewer, tap, line in (
        ("alice", "play on without carol</a> with you moving first", "The game can go on without carol"),
        ("bob", "play on without carol</a> with alice moving first", "The game can go on without carol"),
        ("carol", "play again</a> with bob moving first", "To play again, with bob moving first"),
    ):
        view = view_board(board, viewer)
        assert tap in (draw_board(view, ADDRESS) or "")
        assert line in render("mail/again.txt", view=view, alone=True)
    pair = match("cephalopod", {})
    over = replay(pair).apply(resign(replay(pair), 1, NOON))
    assert "To play again" in render("mail/again.txt", view=view_board(over, "alice"), alone=True)


def test_a_first_pass_says_what_a_second_one_does() -> None:
    """To both who play, and on the page."""
    board = after(match("go", {"size": "9"}), "pass")
    ways = [("alice", "If bob passes too"), ("bob", "If you pass too"), (None, "If bob passes too")]
    for viewer, begins in ways:
        view = view_board(board, viewer)
        assert f"{begins}, the game ends as the board stands." in view.words.news
    assert "If bob passes too" in render("mail/standing.txt", view=view_board(board))
    other = after(match("go", {"size": "9"}), "e5")
    assert "too, the game ends" not in view_board(other, "bob").words.news


def test_a_variant_is_called_one_in_lists_and_offers() -> None:
    """Never plainly by the name of the game, as its inventor asks."""
    agreed = match("cephalopod", {"size": "3x3"})
    offer = OpenOffer(1, 1, "alice", "cephalopod", agreed.options, True, agreed.clock, 2, False, NOON)
    facts = (101, "cephalopod", agreed.options, agreed.userids, NOON, summarise(replay(agreed).state), True, None)
    assert "Cephalopod variant, 2 players" in say(OfferOpened(offer), SERVER)
    for words in (False, True):
        assert "Cephalopod variant" in say(BoardList(ListingQuery(), (BoardRow(*facts),), 1), SERVER, words)
