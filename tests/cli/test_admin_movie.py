"""A game as a movie, on the command line."""

from xml.etree.ElementTree import fromstring

from tests.cli.terminal import Terminal


def test_into_a_file_or_a_pipe(club: Terminal) -> None:
    """The same picture."""
    club.succeed("admin", "as", "bob", "move 101 a1")
    assert club.succeed("admin", "movie", "101", "game.svg") == "Board 101 is in game.svg.\n"
    written = (club.folder / "game.svg").read_text()
    assert fromstring(written).tag.endswith("svg")
    assert "2  A1" in written
    assert club.succeed("admin", "movie", "101", "-") == f"{written}\n"


def test_what_cannot_be_done(club: Terminal) -> None:
    """One sentence each."""
    assert club.run("admin", "movie", "999", "game.svg").sentence == "pbmserv: there is no board 999"
    told = club.run("admin", "movie", "101", "no/such/folder.svg")
    assert (told.code, told.sentence) == (
        1,
        "pbmserv: no/such/folder.svg cannot be written: No such file or directory",
    )
    assert not (club.folder / "game.svg").exists()
