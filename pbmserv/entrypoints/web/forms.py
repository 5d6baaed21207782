"""What a form sends, read into names and values."""

from typing import Annotated, Final
from urllib.parse import parse_qsl

from fastapi import Depends, HTTPException, Request
from starlette.requests import ClientDisconnect

LARGEST: Final = 60_000
"""Bytes of a form: a comment has at most 4,000 characters, of which each may take twelve in a form."""

MOST_FIELDS: Final = 20


async def _read(request: Request) -> dict[str, str]:
    body = b""
    try:
        async for part in request.stream():
            body += part
            if len(body) > LARGEST:
                raise HTTPException(413)
    except ClientDisconnect:
        # Nobody reads this; but without it, whoever hangs up in the midst of a form leaves a traceback in our log.
        raise HTTPException(400) from None
    try:
        pairs = parse_qsl(body.decode("ascii"), keep_blank_values=True, max_num_fields=MOST_FIELDS)
    except ValueError:
        raise HTTPException(400) from None
    return dict(pairs)


Fields = Annotated[dict[str, str], Depends(_read)]
"""The fields of the form that was sent, by name: `def play(request: Request, fields: Fields) -> Response`."""
