"""The command `pbmserv`, and where its subcommands are."""

import os

import click

from pbmserv.cli.lazy import LazyCommand, LazyGroup

_TRYING = "Trying it out"
_RUNNING = "Running a club"
_PARTS = "Parts of a server, each in a process of its own"
_MORE = "More"

COMMANDS = (
    LazyCommand("mail", "try_out:mail", "Send a mail to the running server and print its answer.", _TRYING),
    LazyCommand("demo", "demo:demo", "Play a short game between two players, and print every mail.", _TRYING),
    LazyCommand("serve", "running:serve", "Run everything.", _RUNNING),
    LazyCommand("config", "status:config", "Show the current settings, with secrets masked.", _RUNNING),
    LazyCommand("doctor", "doctor:doctor", "Look whether all is well, and say what mends it.", _RUNNING),
    LazyCommand("status", "status:status", "Tell whether all is well.", _RUNNING),
    LazyCommand("admin", "admin:cli", "Manage the server: boards, players, mails.", _RUNNING),
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
    LazyCommand("games", "game_tools:tools", "Check the games that other packages bring.", _MORE),
    LazyCommand("completion", "lazy:completion", "Print what completes commands in your shell.", _MORE),
)


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
