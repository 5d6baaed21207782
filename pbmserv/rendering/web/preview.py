"""What others show of a page before anybody has opened it: a title, a sentence, a picture (Open Graph)."""

from dataclasses import dataclass

from pbmserv.rendering.board import BoardView
from pbmserv.rendering.picture.draw import sentence_of, title_of


@dataclass(frozen=True, slots=True)
class Preview:
    """The preview of a page. `path` leads to it and `image_path` to its picture, of 1200 by 630, from the root."""

    title: str
    description: str
    path: str
    image_path: str


def board_preview(view: BoardView) -> Preview:
    """The preview of a board, as it stands or as it stood after the ply that is viewed."""
    asked = "" if view.ply is None else f"?ply={view.ply}"
    path = f"/boards/{view.number}"
    return Preview(title_of(view), sentence_of(view), f"{path}{asked}", f"{path}.png{asked}")
