"""`/boards/101.svg` and its like: boards as pictures."""

from pbmserv.entrypoints.web.site import Site, Ways


def ways(site: Site) -> Ways:
    """Nothing yet."""
    return {}
