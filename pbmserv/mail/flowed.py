"""Text in paragraphs that may be broken anew (RFC 3676, `format=flowed`), set back into its lines."""

from typing import Final

_SIGNATURE: Final = "-- "


def unflowed(text: str, delete_space: bool) -> str:
    """The text with each paragraph on one line, quotes still marked, without the blanks that guard a line.

    A line that ends in a blank goes on in the next one, unless that is empty, is quoted otherwise, or begins a
    signature.
    `delete_space` is DelSp=yes (section 4.1): the blank at the end was not there before the line was broken.
    """
    result: list[str] = []
    open_depth: int | None = None
    parts: list[str] = []
    for line in text.split("\n"):
        depth = len(line) - len(line.lstrip(">"))
        content = line[depth:].removeprefix(" ")
        is_signature = content == _SIGNATURE
        if open_depth is not None and (depth != open_depth or is_signature or not content):
            result.append("".join(parts).rstrip(" "))
            parts, open_depth = [], None
        flows = content.endswith(" ") and not is_signature
        # A quoted line keeps a blank after its marks, so that nobody's text can come to look like one more mark.
        start = (">" * depth + " " if depth else "") if open_depth is None else ""
        parts.append(start + (content[:-1] if flows and delete_space else content))
        open_depth = depth if flows else None
        if not flows:
            result.append("".join(parts))
            parts = []
    if open_depth is not None:
        result.append("".join(parts).rstrip(" "))
    return "\n".join(result)
