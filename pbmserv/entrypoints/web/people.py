"""`/players/alice` and `/standings/cephalopod`."""

from pbmserv.entrypoints.web.site import Site, Ways


def ways(site: Site) -> Ways:
    """Nothing yet."""
    return {}
