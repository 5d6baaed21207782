"""`/play/101/KEY`: a move by the personal link of a board mail."""

from pbmserv.entrypoints.web.site import Site, Ways


def ways(site: Site) -> Ways:
    """Nothing yet."""
    return {}


def forms(site: Site) -> Ways:
    """Nothing yet."""
    return {}
