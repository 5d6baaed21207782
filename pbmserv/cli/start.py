"""Where the program `pbmserv` begins. It is started once a mail by MTAs, so starting must not take long."""

import gc
import os
import sys


def main() -> None:
    """Runs the command line."""
    # Importing makes hundreds of thousands of objects that all stay: looking through them for garbage again and
    # again would take a sixth of the start. The group that imports a command switches it on again.
    gc.disable()
    if sys.argv[1:2] == ["receive"]:
        from pbmserv.cli.receive import run_plainly

        run_plainly(sys.argv[2:])
    from pbmserv.cli.lazy import VARIABLE
    from pbmserv.cli.main import cli as app

    if VARIABLE in os.environ:
        # A shell asks, which the functions that `pbmserv completion` prints have told how.
        from typer._completion_classes import completion_init

        completion_init()
    app(prog_name="pbmserv")


if __name__ == "__main__":
    main()
