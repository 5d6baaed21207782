"""Whatever a game writes, its players can send: alone in an answer to the board, and behind the board's number."""

from random import Random

from pbmserv.commands.typed_moves import any_spelling, spelling_of
from pbmserv.games import games
from pbmserv.games.choices import choices
from pbmserv.games.game import Game
from pbmserv.mail.reading.read import read
from pbmserv.parser.parse import parse_mail
from tests.every import every, for_each
from tests.parser.meaning import meaning, of_mail

BOARD = 101
PLIES = 40


def texts_of(game: Game) -> list[str]:
    """What a random game prints: moves as they are stored and as they are typed, and beginnings of moves."""
    random, position, found = Random(1), game.start(game.info.least_seats, {}), [game.info.example]
    for _ in range(PLIES):
        offered = choices(game, position)
        if not offered:
            break
        move = random.choice(list(game.moves(position)))
        found += [game.write(position, move), random.choice(offered).text]
        position, _ = game.play(position, move)
    return list(dict.fromkeys(found))


@for_each("name", games())
def test_what_a_game_prints_is_a_move(name: str) -> None:
    """In the dress of people, too."""
    game = games()[name]

    def check(text: str) -> None:
        move = f"move {BOARD} {text}"
        assert meaning(text, BOARD, game.info) == move
        assert meaning(f'"{text}".', BOARD, game.info) == move
        assert meaning(f"My move: {text}", BOARD, game.info) == move
        assert meaning(f"{text}#7", BOARD, game.info) == f"{move} #7"
        assert meaning(f"{BOARD} {text}") == meaning(move) == move
        assert meaning(f"{name} move {BOARD} anna sesame {text}") == f"{name} {move} by anna/sesame"
        assert meaning(text) == "prose"

    every(texts_of(game), check)


def answers_to(game: Game, move: str) -> list[str]:
    """A move in answers that quote its board: below it, above it, around it, and without any mark."""
    board = "\n".join(game.scene(game.start(game.info.least_seats, {})).board.sheet.lines)
    ours = f"Summary of {game.info.title} Board {BOARD}\n\n{board}\n\nTo move, answer with {game.info.example}"
    wrote = "On Thu, 1 Jan 2026 at 12:04, pbmserv <pbm@club.test> wrote:"
    quoted = "\n".join(f"> {line}" for line in ours.split("\n"))
    head = "-----Original Message-----\nFrom: pbmserv\nSent: Thursday\nTo: Anna\nSubject: Board"
    return [
        f"{move}\n\nI pass on the party.\n\n{wrote}\n{quoted}\n",
        f"{wrote}\n{quoted}\n\nHi Bob,\n\n{move}\n\nI pass on the party.\n",
        f"> Summary of Board {BOARD}\n\n{move}\n\nI pass on the party.\n\n{quoted}\n",
        f"Hi,\n{move}\n\nI pass on the party.\n\n{head}\n\n{ours}\n",
    ]


@for_each("name", games())
def test_an_answer_that_quotes_the_board(name: str) -> None:
    """What stands on the quoted board is nobody's move, nor are words below."""
    game = games()[name]

    def check(text: str) -> None:
        mail = read(f"From: anna@example.org\n\n{text}".encode(), "anna@example.org", "pbm@club.test")
        understood = of_mail(parse_mail(mail, BOARD, game=game.info))
        assert understood == f"move {BOARD} {move}\n// I pass on the party."

    for move in (game.info.example, game.info.example.upper(), *game.info.words):
        every(answers_to(game, move), check)


@for_each("name", games())
def test_its_words_are_moves(name: str) -> None:
    """Alone on their line; behind a board's number the words of any game may be."""
    info = games()[name].info
    assert set(info.words) <= set(any_spelling().words)
    assert spelling_of(info).words == info.words
    for word in info.words:
        assert meaning(word, BOARD, info) == f"move {BOARD} {word}"
        assert meaning(f"I {word} on that", BOARD, info) == "prose"


def test_whoever_is_called_like_a_piece_may_sign() -> None:
    """Below a move; alone the word is a move still, which is asked how it goes on."""
    for name, move, sign in (
        ("chess", "e2-e4", "Bishop"),
        ("chess", "Nf3", "Rook"),
        ("minishogi", "a2-a3", "Gold"),
    ):
        info = games()[name].info
        text = f"{move}\n\nBest wishes\n{sign}\n"
        mail = read(f"From: anna@example.org\n\n{text}".encode(), "anna@example.org", "pbm@club.test")
        assert of_mail(parse_mail(mail, BOARD, game=info)) == f"move {BOARD} {move}\n// Best wishes\n// {sign}"
        assert meaning(sign, BOARD, info) == f"move {BOARD} {sign}"


def test_nothing_but_cells_where_the_game_is_not_known() -> None:
    """Nor where it was removed."""
    assert spelling_of(None).words == spelling_of(None).dialects == ()
    assert not spelling_of(None).is_known
    assert [meaning(line, BOARD) for line in ("c3", "swap", "11-15", "d2 to d3")] == [
        f"move {BOARD} c3",
        "prose",
        "prose",
        "prose",
    ]
