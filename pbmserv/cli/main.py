"""The command `pbmserv`, and where its subcommands are, those of `pbmserv admin` too."""

import os

import click

from pbmserv.cli.lazy import LazyCommand, LazyGroup

_TRYING = "Trying it out"
_RUNNING = "Running a club"
_PARTS = "Parts of a server, each in a process of its own"
_MORE = "More"

COMMANDS = (
    LazyCommand("mail", "try_out:mail", "Send a mail to the running server and print its answer.", _TRYING),
    LazyCommand("demo", "try_out:demo", "Play a short game between two players, and print every mail.", _TRYING),
    LazyCommand("serve", "running:serve", "Run everything.", _RUNNING),
    LazyCommand("config", "upkeep:config", "Show the current settings, with secrets masked.", _RUNNING),
    LazyCommand("doctor", "doctor:doctor", "Look whether all is well, and say what mends it.", _RUNNING),
    LazyCommand("status", "upkeep:status", "Tell whether all is well.", _RUNNING),
    LazyCommand("admin", "main:admin", "Manage the server: boards, players, mails.", _RUNNING),
    LazyCommand("migrate", "upkeep:migrate", "Update the schema of the database.", _RUNNING),
    LazyCommand("tidy", "upkeep:tidy", "Delete old mails now.", _RUNNING),
    LazyCommand("listen", "running:listen", "Receive mail by SMTP or LMTP and store it.", _PARTS),
    LazyCommand("poll", "running:poll", "Fetch mail from the mailbox and store it.", _PARTS),
    LazyCommand("work", "running:work", "Process the stored mails, and run the scheduled jobs.", _PARTS),
    LazyCommand("send", "running:send", "Send the mails in the outbox.", _PARTS),
    LazyCommand("robots", "robots:robots", "Have the robots play; or have two play each other.", _PARTS),
    LazyCommand("web", "running:web", "Serve the web pages.", _PARTS),
    LazyCommand("receive", "upkeep:receive", "Store one raw mail from standard input.", _PARTS),
    LazyCommand("apart", "running:apart", "Workers run this.", hidden=True),
    LazyCommand("games", "admin_games:tools", "Check the games that other packages bring.", _MORE),
    LazyCommand("completion", "lazy:completion", "Print what completes commands in your shell.", _MORE),
)


_BOARDS = "Boards"
_PEOPLE = "People"
_MAIL = "Mail"
_DATA = "The whole club"

ADMIN_COMMANDS = (
    LazyCommand(
        "games", "admin_boards:games", "List boards, the latest moves first; or those that are stuck.", _BOARDS
    ),
    LazyCommand("show", "admin_boards:show", "Show a board with all its moves.", _BOARDS),
    LazyCommand("as", "admin_people:as_player", "Run one command for a player.", _BOARDS),
    LazyCommand("resend", "admin_boards:resend", "Mail a board again to its players.", _BOARDS),
    LazyCommand("extend", "admin_referee:extend", "Give a player more days.", _BOARDS),
    LazyCommand("pause", "admin_referee:pause", "Stop the clocks; moves can still be played.", _BOARDS),
    LazyCommand("resume", "admin_referee:resume", "Restart the clocks.", _BOARDS),
    LazyCommand("undo", "admin_referee:undo", "Take back moves, or the end of a game.", _BOARDS),
    LazyCommand("end", "admin_referee:end", "End a game, or change its result.", _BOARDS),
    LazyCommand("movie", "admin_games:movie", "Write a game as an animated SVG.", _BOARDS),
    LazyCommand("players", "admin_boards:players", "List everybody who has an account.", _PEOPLE),
    LazyCommand("password", "admin_people:password", "Set a player's password.", _PEOPLE),
    LazyCommand("address", "admin_people:address", "Make an address a player's only one.", _PEOPLE),
    LazyCommand("invite", "admin_people:invite", "Mail somebody an invitation.", _PEOPLE),
    LazyCommand("announce", "admin_referee:announce", "Write to all players, or to those of one board.", _PEOPLE),
    LazyCommand("report", "admin_people:report", "Show who floods, guesses passwords or bounces.", _PEOPLE),
    LazyCommand("ban", "admin_people:ban", "Ban a player, an address or a domain.", _PEOPLE),
    LazyCommand("unban", "admin_people:unban", "Lift a ban.", _PEOPLE),
    LazyCommand("banned", "admin_people:banned", "List players, addresses and domains that are banned.", _PEOPLE),
    LazyCommand("inbox", "admin_mail:inbox", "List mails taken in; retry or discard one.", _MAIL),
    LazyCommand("outbox", "admin_mail:outbox", "List outgoing mails, the newest first.", _MAIL),
    LazyCommand("trace", "admin_mail:trace", "Show the road of mails in order of time.", _MAIL),
    LazyCommand(
        "suspended", "admin_people:suspended", "List the addresses that get no board mail, and why.", _MAIL
    ),
    LazyCommand("lift", "admin_people:lift", "Resume mail to a suspended address.", _MAIL),
    LazyCommand("check", "admin_club:check", "Replay every log and compare boards and ratings with it.", _DATA),
    LazyCommand("backup", "admin_club:backup", "Copy the whole database to a new file.", _DATA),
    LazyCommand("restore", "admin_club:restore", "Create the database from a backup and check it.", _DATA),
    LazyCommand("copy", "admin_club:copy", "Copy the whole club into an empty database.", _DATA),
    LazyCommand("import", "admin_games:import_records", "Import finished games as new boards.", _DATA),
    LazyCommand("dump", "admin_games:dump", "Write the games of a month to a file.", _DATA),
    LazyCommand("parts", "upkeep:parts", "List the parts of the server, or retire one.", _DATA),
)


@click.group(cls=LazyGroup, listed=ADMIN_COMMANDS, no_args_is_help=True)
def admin() -> None:
    """Manage the server: boards, players, mails."""


@click.group(
    "pbmserv",
    cls=LazyGroup,
    listed=COMMANDS,
    invoke_without_command=True,
    epilog="`pbmserv COMMAND --help` tells more of each.",
)
@click.version_option(package_name="pbmserv", message="%(version)s", help="show the version and exit")
@click.pass_context
def cli(context: click.Context) -> None:
    """Play abstract board games by simply answering a mail."""
    # Only this user may read what people wrote, and their addresses.
    os.umask(0o077)
    if context.invoked_subcommand is None:
        click.echo(context.get_help())
        raise SystemExit(2)
