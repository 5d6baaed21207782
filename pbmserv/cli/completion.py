"""`pbmserv completion`: what makes a shell complete commands and options."""

from typing import Annotated, Literal

import typer
from typer._completion_classes import completion_init
from typer.completion import shell_complete

from pbmserv.cli.start import VARIABLE


def completion(
    shell: Annotated[Literal["bash", "zsh", "fish"], typer.Argument(metavar="bash|zsh|fish")],
    context: typer.Context,
) -> None:
    """Print what completes commands in your shell.

    Put it where your shell looks for such files, or evaluate it in its start file. It asks `pbmserv` itself, so it
    need not be renewed with each version.

    Examples:
        pbmserv completion bash | sudo tee /etc/bash_completion.d/pbmserv
        pbmserv completion zsh > ~/.zfunc/_pbmserv
        pbmserv completion fish > ~/.config/fish/completions/pbmserv.fish
    """
    completion_init()
    shell_complete(context.find_root().command, {}, "pbmserv", VARIABLE, f"source_{shell}")
