"""Long listings come page by page: `history alice --page=2`."""

from pbmserv.commands.message import Request
from pbmserv.commands.refusals.common import WrongForm
from pbmserv.matches.refusals import Refused

PAGE = "page"

_MOST_DIGITS = 4


def read_page(request: Request) -> int | Refused:
    """The page that a line asks for, from 1; a refusal where its options are anything else."""
    options = request.arguments.options
    if not options:
        return 1
    name, value = options[0]
    is_number = value.isascii() and value.isdigit() and len(value) <= _MOST_DIGITS and int(value) > 0
    return int(value) if len(options) == 1 and name == PAGE and is_number else wrong_form(request)


def wrong_form(request: Request) -> Refused:
    """What is said of a line whose words mean nothing after this command."""
    command = request.command
    return WrongForm(command=command.name, forms=command.forms, example=command.example)
